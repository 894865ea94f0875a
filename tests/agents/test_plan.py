"""What is foreseen of episodes, worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lft.agents.plan import Taken, taken
from tests.agents.test_suite import SWEEP, lft


def test_pictures_grow_with_the_square_of_the_steps() -> None:
    # Without demonstrations, n steps show 1 + 2 + ... + n pictures.
    for n in (10, 20, 40):
        one = taken(n, pinned_images=0, pinned_words=0, window=None, image=None, answer=1)
        assert one == Taken(n, n * (n + 1) // 2, None, None, None)
    # Of a window of 2, steps show 1, 2, 3, 3, 3.
    short = taken(5, pinned_images=0, pinned_words=0, window=2, image=None, answer=1)
    assert short.images == 12


def test_what_was_in_the_request_before_is_cached() -> None:
    # A step more has an answer (5), words (30) and a picture (100). Whole: 630, 765, 900, 1035; the first three again.
    whole = taken(4, pinned_images=5, pinned_words=0, window=None, image=100, answer=5)
    assert (whole.input_tokens, whole.cached_tokens, whole.output_tokens) == (3330, 2295, 20)
    # A window of 1: 630, 765, 765, 765. From step 3 on the first picture is gone, and what follows has moved: only the
    # five pictures of the demonstrations are where they were.
    short = taken(4, pinned_images=5, pinned_words=0, window=1, image=100, answer=5)
    assert (short.input_tokens, short.cached_tokens) == (2925, 630 + 500 + 500)


def test_the_plan_says_both(cliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("two.yaml").write_text(SWEEP)
    tokens = ("--image-tokens", 258, "--answer-tokens", 50, "--usd", "1,0.1,10")
    assert lft("plan", "two.yaml", "--model", "expert", *tokens, "--json") == 0
    most, expert = json.loads(capsys.readouterr().out)["episodes"]
    # Two tasks of 20 decisions, 15 demonstration pictures: 20 * 15 + (1 + ... + 20) = 510 each; the expert takes 13.
    assert (most["played"], most["calls"], most["images"]) == ("most", 40, 1020)
    assert (expert["calls"], expert["images"]) == (26, 2 * (13 * 15 + 91))
    assert 0 < expert["usd"] < most["usd"]
    assert lft("plan", "two.yaml", "--model", "expert") == 0
    assert "--image-tokens says what a picture takes" in capsys.readouterr().out
    assert lft("plan", "two.yaml", "--model", "expert", "--usd", "1,2") == 2

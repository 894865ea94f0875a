"""A new domain, added by following docs/adding-a-domain.md and nothing else, works from render to report."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pandas as pd
import pytest

from tests.checkout import REPOSITORY, Checkout
from tests.markdown import blocks

PAGE = REPOSITORY / "docs" / "adding-a-domain.md"
TABLE = "lft/counting/domains/__init__.py"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    made = Checkout(tmp_path_factory.mktemp("checkout"))
    made.follow(PAGE, {TABLE: "BUILT_IN = {"})
    for block in blocks(PAGE):
        if block.mark == "run":
            done = made.run("sh", "-euc", block.text)
            assert done.returncode == 0, done.stdout + done.stderr
    return made


def test_the_copy_is_what_ran_and_the_core_is_untouched(checkout: Checkout) -> None:
    done = checkout.run(sys.executable, "-c", "import lft; print(lft.__file__)")
    assert done.stdout.strip() == str(checkout.folder / "lft" / "__init__.py")
    assert not any((b.title or "").startswith("lft/core") for b in blocks(PAGE))
    touched = {b.title for b in blocks(PAGE) if b.title and (REPOSITORY / b.title).exists()}
    assert touched == {TABLE}


def test_every_event_is_on_the_frame_that_the_trace_names(checkout: Checkout) -> None:
    # 1 seed x (N = 0 once + 2 counts x 2 frequencies) = 5 clips with 2 * (1 + 4) = 10 events
    found = json.loads(checkout.run("lft", "verify", "clips", "--jobs", "1", "--json").stdout)
    assert (found["clips"], found["events"], found["faulty"]) == (5, 10, 0)


def test_a_trace_that_is_one_frame_off_is_noticed(checkout: Checkout, tmp_path: Path) -> None:
    # Event 0 of a clip is moved by one frame in the trace and its manifest line; the pixels stay.
    from lft.core.files import sha256_of

    clips = tmp_path / "clips"
    shutil.copytree(checkout.folder / "clips", clips)
    path = clips / "traces/traffic_light/n04_f1.0_s00.json"
    trace = json.loads(path.read_text())
    event = trace["events"][0]
    frame = event["frame_index"] + 1
    event.update(frame_index=frame, time_s=frame / 30, scheduled_s=frame / 30)
    event["evidence_frames"][0] = frame
    old = sha256_of(path)
    path.write_text(json.dumps(trace))
    manifest = clips / "manifest.jsonl"
    manifest.write_text(manifest.read_text().replace(old, sha256_of(path)))
    done = checkout.run("lft", "verify", str(clips), "--jobs", "1", "--json")
    assert done.returncode == 1
    (problems,) = json.loads(done.stdout)["problems"].values()
    assert any("(-1)" in problem for problem in problems)


def test_the_reader_serves_as_observer_and_the_ceiling_binds_it(checkout: Checkout) -> None:
    scores = pd.read_csv(checkout.folder / "results/runs/lights/scores.csv")
    native, sparse = (scores[scores["sampling"] == s] for s in ("native", "fps:1"))
    assert (native["correct"] == 1).all()
    assert (native.loc[native["count"] > 0, "f1"] == 1).all()
    # At 2 Hz whole seconds show every other state at most: four changes cannot all be seen.
    fast = sparse[(sparse["frequency_hz"] == 2.0) & (sparse["count"] == 4)]
    assert (fast["correct"] == 0).all()
    assert (fast["literal_correct"] == 0).all()
    assert (sparse["correct"] <= sparse["literal_correct"]).all()
    assert sparse["ceiling_correct"].isna().all()  # a domain that states no ideal observer has none


def test_the_report_shows_the_domain(checkout: Checkout) -> None:
    assert (checkout.folder / "report" / "index.html").is_file()
    tables = list((checkout.folder / "report" / "tables").glob("*.csv"))
    assert any("traffic_light" in table.read_text() for table in tables)


def test_it_keeps_the_contract_that_ships(checkout: Checkout) -> None:
    (check,) = [b for b in blocks(PAGE) if "check_domain" in b.text and b.title]
    code = check.text + "\ntest_the_domain_keeps_the_contract()\nprint('kept')"
    done = checkout.run(sys.executable, "-c", code)
    assert done.stdout.split() == ["kept"], done.stderr[-2000:]

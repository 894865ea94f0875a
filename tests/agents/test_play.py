"""`lft play` without a browser: the desk, the page's server, runs, resuming, recording."""

from __future__ import annotations

import contextlib
import json
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from lft.agents.people.desk import Desk, keys_of
from lft.agents.people.server import Server
from lft.agents.tasks import read_demonstration, unrolled
from lft.core.runs import Run
from tests.agents.people import Played
from tests.agents.test_suite import lft

WAY = ["UP", *["RIGHT"] * 11, "DOWN"]


class Page:
    """What the page does, without a browser."""

    def __init__(self, address: str) -> None:
        self._base, _, self._token = address.partition("?token=")
        self.seen = 0

    def ask(self, way: str, body: Any = None, token: str | None = None, more: str = "") -> tuple[int, bytes]:
        url = f"{self._base.rstrip('/')}{way}?token={token or self._token}{more}"
        data = None if body is None else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(url, data=data, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    def documents(self) -> Iterator[dict[str, Any]]:
        """Documents in order, until nothing more is asked."""
        while True:
            status, data = self.ask("/next", more=f"&after={self.seen}")
            if status == 204:
                continue
            document = json.loads(data)
            self.seen = document["number"]
            yield document
            if document["kind"] == "finished":
                with contextlib.suppress(OSError):  # the server may be gone already
                    self.ask("/next", more=f"&after={self.seen}")
                return

    def play(self, ways: dict[str, Sequence[str]]) -> list[dict[str, Any]]:
        """Takes the actions of each task by their steps; the documents that came."""
        found = []
        for document in self.documents():
            found.append(document)
            if document["kind"] == "turn":
                action = ways[document["task"]][document["step"] - 1]
                body = {"number": document["number"], "action": action, "thought_ms": 1500, "by": "key"}
                assert self.ask("/act", body)[0] == 204
        return found


def test_keys_are_different_and_there_is_one_for_each_of_atari() -> None:
    plain = [a + b for a in ("", "UP", "DOWN") for b in ("", "LEFT", "RIGHT") if a + b]
    actions = ("NOOP", "FIRE", *plain, *(f"{name}FIRE" for name in plain))
    keys = keys_of(actions)
    assert len(set(keys.values())) == len(actions) == 18
    assert "" not in keys.values()


def test_only_who_has_the_address_is_served() -> None:
    with Server(Desk("", {}, {})) as server:
        page = Page(server.address)
        assert "127.0.0.1" in server.address
        for way, body in (("/", None), ("/next", None), ("/act", {}), ("/leave", {})):
            assert page.ask(way, body, token="wrong")[0] == 403
        assert page.ask("/")[0] == 200
        assert page.ask("/picture/../desk.py")[0] == 404
        assert page.ask("/elsewhere")[0] == 404
        for body in ({}, [], {"number": "x", "action": "UP"}, {"number": 1, "action": "UP"}):
            assert page.ask("/act", body)[0] == 409


def test_a_person_is_shown_what_a_model_is_and_scores_like_the_same_actions(
    cliff: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ways = {"cliff_walking/base": WAY, "cliff_walking/seed1": ["UP", "UP", *["LEFT"] * 18]}
    with Played(*ways, "--who", "ann", "--record", "own/rows.jsonl", folder=cliff) as played:
        page = Page(played.address)
        documents = page.play(ways)
        status, out = played.ended()
    assert (status, json.loads(out)["answered"], json.loads(out)["recorded"]) == (0, 2, 2)
    turns = [one for one in documents if one["kind"] == "turn"]
    ends = [one for one in documents if one["kind"] == "over"]
    assert len(turns) == 13 + 20
    assert [one["words"] for one in ends] == [
        "You passed. The game ended after 13 steps: victory.",
        "You did not pass. The game ended after 20 steps: timeout.",
    ]
    first = [part for message in turns[0]["messages"] for part in message["parts"]]
    assert [len(part["pictures"]) for part in first if "pictures" in part] == [15, 1]
    assert {one["name"]: one["key"] for one in turns[0]["actions"]}["UP"] == "ArrowUp"
    person = Run.open("play-person-ann")
    Path("ways.json").write_text(json.dumps(ways))
    Path("two.yaml").write_text("suite: agents\ntitle: Two\n")
    assert lft("sweep", "two.yaml", "--model", "actions:ways.json", "--run", "same") == 0
    same = Run.open("same")
    for trial, one in same.episodes().items():
        mine = person.episodes()[trial]
        assert (mine.end, dict(mine.kept)) == (one.end, dict(one.kept))
        for a, b in zip(mine.answers, one.answers, strict=True):
            assert a["prompt_sha256"] == b["prompt_sha256"]
            assert a["kept"] == b["kept"]
            assert (a["sent"]["thought_s"], a["sent"]["by"]) == (1.5, "key")
            assert a["latency_s"] >= 0
    scores = []
    for run in (person, same):
        capsys.readouterr()
        assert lft("score", run.folder, "--json") == 0
        scores.append(json.loads(capsys.readouterr().out)["conditions"][0])
    assert scores[0]["model"] == "person:ann"
    assert scores[0]["measures"] == scores[1]["measures"]
    assert lft("replay", person.folder) == 0
    rows = [json.loads(line) for line in Path("own/rows.jsonl").read_text().splitlines()]
    shown = [read_demonstration(row, where="rows") for row in rows]
    assert [(one.id, one.end) for one in shown] == [
        ("cliff_walking/ann1", "Victory"),
        ("cliff_walking/ann2", "Time Out"),
    ]
    assert unrolled(shown[0].actions) == tuple(WAY)
    assert shown[0].claims["reached"] == 1.0
    again = ("play", *ways, "--who", "ann", "--record", "own/rows.jsonl", "--no-browser", "--json")
    capsys.readouterr()
    assert lft(*again) == 0  # all is played, nothing is added twice
    told = json.loads(capsys.readouterr().out)
    assert (told["kept"], told["recorded"]) == (2, 0)


def test_an_interrupted_game_goes_on_where_it_was(cliff: Path) -> None:
    task = "cliff_walking/base"

    def steps(page: Page, count: int) -> list[int]:
        seen = []
        for document in page.documents():
            seen.append(document["step"])
            if len(seen) > count:
                break
            page.ask("/act", {"number": document["number"], "action": WAY[document["step"] - 1]})
        return seen

    with Played(task, folder=cliff) as played:
        assert steps(Page(played.address), 3) == [1, 2, 3, 4]
        played.kill()
    with Played(task, folder=cliff) as played:
        assert steps(Page(played.address), 2) == [4, 5, 6]
        played.interrupt()
        assert played.ended()[0] == 130
    with Played(task, folder=cliff) as played:
        page = Page(played.address)
        assert steps(page, 1) == [6, 7]
        page.ask("/leave", {})
        status, out = played.ended()
        assert (status, json.loads(out)["missing"], json.loads(out)["stopped"]) == (
            1,
            1,
            "the person has left",
        )
    with Played(task, folder=cliff) as played:
        page = Page(played.address)
        documents = page.play({task: WAY})
        assert [one["step"] for one in documents if one["kind"] == "turn"] == list(range(7, 14))
        assert played.ended()[0] == 0
    episode = next(iter(Run.open("play-person").episodes().values()))
    assert (episode.end, episode.kept["actions"]) == ("victory", [["UP", 1], ["RIGHT", 11], ["DOWN", 1]])


def test_a_late_or_unknown_action_is_not_taken(cliff: Path) -> None:
    with Played("cliff_walking/base", folder=cliff) as played:
        page = Page(played.address)
        first = next(page.documents())
        number = first["number"]
        assert page.ask("/act", {"number": number, "action": "JUMP"})[0] == 409
        assert page.ask("/act", {"number": number + 1, "action": "UP"})[0] == 409
        assert page.ask("/act", {"number": number, "action": "UP"})[0] == 204
        second = next(page.documents())
        assert second["step"] == 2
        assert page.ask("/act", {"number": number, "action": "UP"})[0] == 409  # that turn is over
        # A page that is opened anew is shown where the game stands.
        assert next(Page(played.address).documents())["step"] == 2


def test_what_cannot_be_played_is_said(cliff: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert lft("play", "cliff_walking/bse") == 2
    assert "cliff_walking/base (did you mean this?)" in capsys.readouterr().err
    assert lft("play", "cliff_walking/base", "--who", "a b") == 2
    assert lft("play", "cliff_walking/base", "--rules", "none") == 2

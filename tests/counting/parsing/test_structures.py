"""Tables, JSON, YAML, headings and what a list as a whole says about an entry."""

from __future__ import annotations

import pytest

from lft.counting.parse import parse
from lft.counting.parsing import objects, tables
from lft.counting.reported import Reported


def read(text: str) -> list[tuple[float, int]]:
    result = parse(text)
    return [(e.time_s, e.covers) for e in result.events] if isinstance(result, Reported) else []


def in_doubt(text: str) -> bool:
    result = parse(text)
    return any(doubt.of_the_events for doubt in result.doubts)


def times_s(text: str) -> list[float]:
    return [time for time, _ in read(text)]


def test_cells() -> None:
    def cells(line: str, delimiter: str) -> list[str]:
        return [line[a:b] for a, b in tables.cells(line, 0, len(line), delimiter)]

    assert cells("| 1 | 2.0 |", "|") == ["1", "2.0"]
    assert cells('"ball touches, clearly","1.5"', ",") == ["ball touches, clearly", "1.5"]
    assert cells('"1";"3,5";"links"', ";") == ["1", "3,5", "links"]
    assert cells("  1    2.4 s    A -> B", tables.BLANKS) == ["1", "2.4 s", "A -> B"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Columns set with blanks; the count column comes first, so the header decides which is the time.
        ("Count   From   Time (s)\n-----   ----   --------\n1       A      5\n2       B      7", [5, 7]),
        # An empty cell between blanks leaves no trace but its place.
        ("Time    Wall     Count\n0:02    left     1\n0:03             1\n0:04    right    2", [2, 4]),
        ("Zeit;Ereignis;Zähler\n3,5;links;1\n5,5;rechts;2", [3.5, 5.5]),
        (
            "Running count : time\n1:2.0 s\n2:4.0 s\n\\boxed{2}",
            [2, 4],
        ),  # a count before the colon is no minute
        (
            "| Time | Contact |\n|---|---|\n| 1 | - |\n| 2 | X |",
            [2],
        ),  # an empty cell denies what its column asks
        ("| Time | Before | After |\n|---|---|---|\n| 1 | A | B |\n| 2 | B | B |", [1]),
        ("| Left wall (s) | Right wall (s) |\n|---|---|\n| 4.5 | 6.0 |\n| 7.5 | - |", [4.5, 6.0, 7.5]),
    ],
)
def test_tables(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"left_wall": [2.0, 6.0], "right_wall": [4.0], "fps": [30.0]}', [(2, 1), (6, 1), (4, 1)]),
        ('[{"time": 3.0, "verified": true}, {"time": 4.0, "verified": false}]', [(3, 1)]),
        ('{"rejected": [{"time": 3.0}], "accepted": [{"time": 4.0}]}', [(4, 1)]),
        ('{"initial_state": {"time": 0.0}, "transitions": [{"time": 4.0}]}', [(4, 1)]),
        ('[{"interval": [6.0, 8.0], "blinks": 4}]', [(7, 4)]),
        ('{"0:03": "left wall", "0:05": "right wall"}', [(3, 1), (5, 1)]),
        # Cut off: the time of the last entry is whole, its count is not.
        ('{"e": [{"t": 1.0, "count": 1}, {"t": 2.0, "count": 2}, {"t": 3.0, "cou', [(1, 1), (2, 1), (3, 1)]),
        ('{"e": [{"t": 1.0}, {"t": 2.', [(1, 1)]),  # a number at the very end may go on
        ("- event: blink\n  time_s: 10\n- event: blink\n  time_s: 12", [(10, 1), (12, 1)]),
    ],
)
def test_json_and_the_like(text: str, expected: list[tuple[float, int]]) -> None:
    assert read(text) == expected or in_doubt(text)


def test_json_is_read_in_bounded_depth_and_length() -> None:
    for text in ("[" * 100_000, '{"a":' * 100_000, "[{" * 100_000 + "}]" * 100_000):
        assert read(text) == []
    result = parse('{"time": 1.5}' * 6000)
    assert isinstance(result, Reported)
    assert f"only the first {objects.MAX_OBJECTS} objects were read" in (result.reason or "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A time alone on its line heads what stands below it.
        ("**0:00 – 0:05**\n- Nothing happens.\n\n**0:06**\n- The star lights up.", [6]),
        # An interval that heads the entries inside it is no event beside them.
        ("**0:06 – 0:09**\n- 0:06: flash\n- 0:08: flash", [6, 8]),
        # Where entries name the event, one that says something else is none.
        ("- (3.0 s) touch, left.\n- (4.0 s) in between.\n- (5.0 s) touch, right.", [3, 5]),
        # ... but a place alone is an ellipsis.
        ("0:03 Ball hits the left side.\n0:05 Now the right side.", [3, 5]),
        # Intervals that follow each other without a gap divide the video.
        ("0-6 s: C\n6-12 s: C\n12-18 s: C", []),
        ("Accepted:\n- 2.0 s\n\nRejected candidates (turned without touching):\n- 4.0 s", [2]),
    ],
)
def test_lists(text: str, expected: list[float]) -> None:
    assert times_s(text) == expected or in_doubt(text)


LIST = "1. 2.0 s - hit\n2. 4.0 s - hit\n3. 6.0 s - hit\n\n"
COUNTED = "1. 2.0 s - hit - count 1\n2. 4.0 s - hit - count 2\n3. 6.0 s - hit - count 3\n\n"


@pytest.mark.parametrize(
    ("remark", "expected"),
    [
        ("The 4.0 s entry should be ignored.", [2, 6]),
        ("Entries 2 and 3 are the same contact.", [2, 4]),  # of the same event the later ones go
        ("Entries 2 and 3 are the same contact, so entry 2 has to go.", [2, 6]),  # unless it is said which
        ("6.0 s is a duplicate of 4.0 s.", [2, 4]),  # what it copies stays
        ("The last two are one and the same.", [2, 4]),
        ("The second contact is at 4.5 s, not 4.0 s.", [2, 4.5, 6]),
        ("I missed one contact at 5.0 s.", [2, 4, 6, 5]),
        ("I checked 4.0 s again; none of them should be removed.", [2, 4, 6]),
        ("At 8.0 s there is no contact.", [2, 4, 6]),
    ],
)
def test_remarks_behind_a_list(remark: str, expected: list[float]) -> None:
    assert times_s(LIST + remark) == expected or in_doubt(LIST + remark)


@pytest.mark.parametrize(
    "text",
    [
        # Without the entry that is taken back, the rise from 1 to 3 would make the last entry stand for two.
        COUNTED + "The 4.0 s entry should be ignored.",
        "Contacts: 3 s, 5 s and 6 s.\nThe one at 5 s should be ignored.",
    ],
)
def test_what_takes_an_entry_back_is_in_doubt(text: str) -> None:
    assert in_doubt(text)

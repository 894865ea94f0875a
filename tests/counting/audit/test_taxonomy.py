"""What became of each event, by hand, and the identities."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lft.counting.audit.taxonomy import Taxonomy, classify, misidentifies
from lft.counting.match import match
from lft.counting.reported import ReportedEvent
from lft.counting.trace import Event
from tests.counting.clips import trace_at

R = ReportedEvent


def kinds(true_s: list[float], reported: list[ReportedEvent], tolerance: float) -> Taxonomy:
    events = trace_at([round(t * 30) for t in true_s]).events
    return classify(events, reported, match(true_s, [r.time_s for r in reported], tolerance), tolerance)


def test_all_kinds_at_once() -> None:
    # Events 2, 4, 6, 8, 10; tolerance 0.5. 2.1 matches 2; 4.8 is 0.8 from 4: both are unmatched between the
    # neighbours 2 and 6, so it is 4, displaced; 6.0 matches; 8 is missed; 10.0 matches; 15 is invented.
    found = kinds([2, 4, 6, 8, 10], [R(2.1), R(4.8), R(6.0), R(10.0), R(15.0)], 0.5)
    assert found == Taxonomy(
        missed=(1, 3), merged=(), hallucinated=(1, 4), displaced=((1, 1),), misidentified=()
    )


def test_displaced_pairs_in_order_within_a_gap() -> None:
    # No neighbours: events 1, 2, 3 and reports 11, 12: the first two of each.
    assert kinds([1, 2, 3], [R(12.0), R(11.0)], 0.5).displaced == ((1, 0), (0, 1))
    # A matched pair between them: event 1 lies before it, the report 9 after it.
    assert kinds([1, 5], [R(5.0), R(9.0)], 0.5).displaced == ()


def test_an_interval_merges_what_it_spans() -> None:
    # 13 to 15 is one report at 14; events 13.4, 14.4, 15.4 with tolerance 0.5: it matches 14.4 and spans the
    # others.
    found = kinds([13.4, 14.4, 15.4], [R(14.0, end_s=15.0)], 0.5)
    assert (found.missed, found.merged, found.hallucinated) == ((0, 2), (0, 2), ())


def test_an_interval_beside_one_event_is_displaced() -> None:
    # 10 to 20, at 15: the one event at 11 is inside, but more than 0.5 s from the midpoint.
    found = kinds([11], [R(15.0, end_s=20.0)], 0.5)
    assert (found.merged, found.displaced) == ((), ((0, 0),))


def test_a_stated_number_limits_what_is_merged() -> None:
    # "3 contacts from 1 to 6", at 3.5: matches none of 1..6 within 0.25; stands for the three nearest.
    found = kinds([1, 2, 3, 4, 5, 6], [R(3.5, end_s=6.0, covers=3)], 0.25)
    assert len(found.merged) == 3
    assert set(found.merged) >= {2, 3}
    # "2 contacts at 0:03": one is matched, one more is merged.
    found = kinds([3.0, 3.5, 4.0], [R(3.0, covers=2)], 0.25)
    assert (found.missed, found.merged) == ((1, 2), (1,))


CONTACT = Event(0, 1.0, 1.0, 30, "wall_contact", "left", "right", 1, (30, 30))
CHANGE = Event(0, 1.0, 1.0, 30, "transition", "B", "D", 1, (30, 60))
BLINK = Event(0, 1.0, 1.0, 30, "blink", "off", "off", 1, (30, 35))


@pytest.mark.parametrize(
    ("label", "event", "wrong"),
    [
        ("Ball contacts the right wall", CONTACT, False),
        ("Ball contacts the **left** wall", CONTACT, True),
        ("RIGHT", CONTACT, False),
        ("upper right wall", CONTACT, False),  # names the right one, too
        ("hits the wall", CONTACT, False),
        ("hits the ceiling", CONTACT, True),
        (None, CONTACT, False),
        ("", CONTACT, False),
        ("brightly lit", CONTACT, False),  # no whole word names a side
        ("Transition from State B to State D", CHANGE, False),
        ("transition from **State B** to **State D**", CHANGE, False),
        ("A transition to state D", CHANGE, False),
        ("B -> D", CHANGE, False),
        ("b → d", CHANGE, False),
        ("B → C", CHANGE, True),
        ("State A to State D", CHANGE, True),
        ("State D", CHANGE, False),
        ("a change", CHANGE, False),
        ("blue flash on the left", BLINK, False),
    ],
)
def test_attributes(label: str | None, event: Event, wrong: bool) -> None:
    assert misidentifies(label, event) is wrong


def test_misidentified_are_among_the_matched() -> None:
    events = trace_at([30, 60], "bounce_ball", ["middle", "left", "right"]).events
    reported = [R(1.0, label="right wall"), R(2.0, label="right wall"), R(9.0, label="left wall")]
    found = classify(events, reported, match([1.0, 2.0], [1.0, 2.0, 9.0], 0.5), 0.5)
    assert (found.misidentified, found.hallucinated) == ((0,), (2,))


reports = st.builds(
    lambda start, length, covers: R(
        start + length / 2, end_s=start + length if length else None, covers=covers
    ),
    st.integers(0, 22).map(float),
    st.sampled_from([0.0, 0.0, 1.0, 4.0]),
    st.sampled_from([1, 1, 1, 3]),
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.integers(1, 23), unique=True, max_size=12).map(sorted),
    st.lists(reports, max_size=12),
    st.sampled_from([0.25, 0.5, 1.0]),
)
def test_identities(true: list[int], reported: list[ReportedEvent], tolerance: float) -> None:
    true_s = [float(t) for t in true]
    pairs = match(true_s, [r.time_s for r in reported], tolerance)
    found = kinds(true_s, reported, tolerance)
    assert len(pairs) + len(found.missed) == len(true)
    assert len(pairs) + len(found.hallucinated) == len(reported)
    assert set(found.merged) <= set(found.missed)
    assert {t for _, t in found.displaced} <= set(found.missed) - set(found.merged)
    assert {r for r, _ in found.displaced} <= set(found.hallucinated)
    assert set(found.misidentified) <= {p.reported_index for p in pairs.pairs}

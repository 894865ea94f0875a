"""The contract of domains holds for LFT's own, and notices domains that are wrong in one way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from lft.counting.domains import BUILT_IN, DOMAINS, domain, registered
from lft.testing import check_domain

HERE = "tests.testing.broken"


@pytest.mark.parametrize("name", BUILT_IN)
def test_domains_keep_the_contract(name: str) -> None:
    check_domain(name)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"evidence": "sometimes"}, "evidence is 'sometimes'; expected instant, pulse or state"),
        ({"ideal": "lamp"}, "ideal is 'lamp'; expected pulse, contact or walk"),
        ({"event_type": "Light up!"}, "event_type is 'Light up!'"),
        (
            {"reader": f"{HERE}:no_such"},
            "reader names tests.testing.broken:no_such, which cannot be imported",
        ),
        ({"look": "look"}, "look is 'look'; expected module:object"),
        (
            {"literal": f"{HERE}:QUESTION"},
            "literal names tests.testing.broken:QUESTION, which cannot be called",
        ),
        ({"phrase": "it turns {colour}"}, "phrase 'it turns {colour}' names 'colour'"),
        ({"scene": f"{HERE}:OfAnother"}, "the scene says domain = 'flashing'; expected 'blinking'"),
        ({"look": f"{HERE}:look_by_chance"}, "two looks of one clip differ"),
        ({"look": f"{HERE}:look_for_all"}, "ten seeds give one look"),
        ({"look": f"{HERE}:look_without_colour"}, "the look's background is 'dark'; expected #RRGGBB"),
        ({"sequence": f"{HERE}:sequence_short"}, "the sequence of 0 events is (); expected 1 texts"),
        ({"frames": f"{HERE}:frames_short"}, "frames gives 179 visual states"),
        ({"frames": f"{HERE}:frames_late"}, "nothing changes on frame"),
        (
            {"frames": f"{HERE}:frames_once_more"},
            "the pixels show an event on frame 165 that the trace does not",
        ),
        ({"scene": f"{HERE}:WithMemory"}, "drawn differently after other states"),
        ({"reader": f"{HERE}_readers:read_one_late"}, "the pixels show it on frame"),
        ({"reader": f"{HERE}:read_drawn"}, "the reader imports lft.counting.domains.blinking.look"),
        ({"reader": f"{HERE}_readers:read_guessing"}, "events; the frames prove"),
        ({"literal": f"{HERE}:proves_nothing"}, "literal bound"),
        ({"change": "moves"}, "the observer says of blinking/n01_f1.0_s01: things change where they stand"),
        ({"contradicts": f"{HERE}:contradicts_all"}, "contradicts calls"),
        ({"phrase": "no {after} flash happens"}, "what the simulated reporter says of 1 events is read as"),
    ],
)
def test_a_domain_that_is_wrong_is_noticed(change: dict[str, str], says: str) -> None:
    with pytest.raises(AssertionError) as found:
        check_domain(replace(DOMAINS["blinking"], **change))  # type: ignore[arg-type]
    assert str(found.value).startswith("blinking: ")
    assert says in str(found.value)


def test_a_question_is_needed_with_all_its_sections() -> None:
    strobe = replace(DOMAINS["blinking"], name="strobe", scene="tests.testing.broken:Strobe")
    with pytest.raises(AssertionError, match="the question cannot be read"):
        check_domain(strobe)
    with pytest.raises(AssertionError, match=r"the question cannot be read .*no section detail"):
        check_domain(replace(strobe, question=f"{HERE}:QUESTION"))


def test_a_domain_is_registered_for_as_long_as_it_is_checked() -> None:
    other = replace(DOMAINS["blinking"], name="other")
    with registered(other):
        assert domain("other") is other
    assert list(DOMAINS) == list(BUILT_IN) or "other" not in DOMAINS

"""The program's error rate in reading answers, from a random sample that people settled.

An answer is misread unless the program's events and final answer agree with the person's: as many events, each
within `SAME_S` and covering as many, and the same count or none. A misreading is silent if the program
had no doubt about the wrong part, and did not fail to find a final answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lft.core.records import JsonObject
from lft.core.stats import wilson_pair
from lft.counting.reported import Reported, ReportedEvent, Unparsed
from lft.counting.settling.settled import PERSON, Settled

SAME_S = 0.05  # a person may write 7.1 for 7.08


def misread(report: Reported | Unparsed, person: Settled) -> tuple[bool, bool]:
    """Whether the events, and whether the final answer, differ from the person's.

    >>> one = Settled("t", "", PERSON, "Ann", (ReportedEvent(7.1),), 2, True)
    >>> misread(Reported((ReportedEvent(7.08),), 1), one)
    (False, True)
    """
    events = report.events if isinstance(report, Reported) else ()
    answer = report.final_answer if isinstance(report, Reported) else None
    other_events = person.events is not None and not _same(events, person.events)
    return other_events, person.answered and answer != person.final_answer


def _same(ours: Iterable[ReportedEvent], theirs: Iterable[ReportedEvent]) -> bool:
    mine, yours = (sorted((e.time_s, e.covers) for e in events) for events in (ours, theirs))
    return len(mine) == len(yours) and all(
        abs(a - b) <= SAME_S + 1e-9 and n == m for (a, n), (b, m) in zip(mine, yours, strict=True)
    )


def error_rate(decisions: Iterable[Settled], reports: Mapping[str, Reported | Unparsed]) -> JsonObject | None:
    """The program's error rate over the answers that were drawn at random and settled by a person.

    `reports` are the program's readings by trial. None without a settled sample. Several samples of a run are
    pooled. Returns {samples: [{size, seed, of}], drawn, settled, misread, events, answer, silent, interval,
    silent_interval}: counts of answers, and Wilson 95 % intervals of misread and silent over settled. `drawn` is an
    upper bound on the number of answers in the samples.
    """
    persons: dict[str, Settled] = {}
    designs: dict[tuple[object, ...], JsonObject] = {}
    sampled: set[str] = set()
    for one in decisions:
        if one.by != PERSON or one.trial not in reports:
            continue
        persons[one.trial] = one
        if one.drawn.get("kind") == "sample":
            sampled.add(one.trial)
            design = {name: one.drawn.get(name) for name in ("size", "seed", "of")}
            designs[tuple(design.values())] = design
    if not sampled:
        return None
    wrong = silent = wrong_events = wrong_answers = 0
    for trial in sampled:
        report = reports[trial]
        events, answer = misread(report, persons[trial])
        sure_of_events = not any(doubt.of_the_events for doubt in report.doubts)
        answered = isinstance(report, Reported) and report.final_answer is not None
        sure_of_answer = answered and not any(doubt.of_the_answer for doubt in report.doubts)
        wrong += events or answer
        wrong_events += events
        wrong_answers += answer
        silent += (events and sure_of_events) or (answer and sure_of_answer)
    n = len(sampled)
    return {
        "samples": list(designs.values()),
        "drawn": sum(d["size"] for d in designs.values() if isinstance(d["size"], int)),
        "settled": n,
        "misread": wrong,
        "events": wrong_events,
        "answer": wrong_answers,
        "silent": silent,
        "interval": wilson_pair(wrong, n),
        "silent_interval": wilson_pair(silent, n),
    }

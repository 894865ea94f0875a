"""How often answers written without sight of the reader are misread, in silence or in doubt.

    python benchmarks/blind.py SET.json [--show] [--json]

SET.json is a list of answers (or an object with a list under "cases"), each an object:

    id, kind                              what it is called, and the kind that it is counted under
    text                                  the answer of a model
    events_s, final_answer                the right reading: seconds, or [first, last] where any time within is right
    accept                                other readings that are right as well: [{"events_s", "final_answer"}]
    ambiguous                             true where no single reading is right: then only a doubt is
    domain, prompt, duration_s, frame_times_s, frame_labels ("index" where numbers stand beside the frames), intervals

The context is the one that a run would give: the word for the event of the domain, the length, the frame times.
A time is right within 0.011 s. A reading of an interval [a, b] may give any time in it. Events are compared in order
of time. A missing final answer is null.

Each answer is one of four: right without doubt, right in doubt, wrong in doubt, wrong without any doubt (silent). Only
the last is a fault; doubt costs the answer. A set tells something once, on its first run.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from lft.counting.parse import parse
from lft.counting.reader import noun_of
from lft.counting.reported import Context, Reported, Unparsed

TOLERANCE_S = 0.011
OUTCOMES = ("right", "right in doubt", "wrong in doubt", "silent")


def context_of(item: dict[str, Any]) -> Context:
    """What a run would know beside the text."""
    frames = item.get("frame_times_s")
    noun = noun_of(item["domain"]) if item.get("domain") else ""
    return Context(
        item.get("duration_s"),
        tuple(float(t) for t in frames) if frames else None,
        noun,
        1 if item.get("frame_labels") == "index" else None,
    )


def is_right(result: Reported | Unparsed, item: dict[str, Any]) -> bool:
    """Whether a reading is one of those that are right.

    >>> item = {"events_s": [1.0, [2.0, 3.0]], "final_answer": 2}
    >>> is_right(parse("1. 1.0 s - blink\\n2. 2.5 s - blink\\n\\\\boxed{2}"), item)
    True
    """
    read = result.times_s if isinstance(result, Reported) else ()
    answer = result.final_answer if isinstance(result, Reported) else None
    times = sorted(read)
    for right in (
        {"events_s": item["events_s"], "final_answer": item["final_answer"]},
        *item.get("accept", ()),
    ):
        spans = sorted(tuple(e) if isinstance(e, list) else (e, e) for e in right["events_s"])
        close = len(spans) == len(times) and all(
            first - TOLERANCE_S <= time <= last + TOLERANCE_S
            for time, (first, last) in zip(times, spans, strict=True)
        )
        if close and answer == right["final_answer"]:
            return True
    return False


def outcome(item: dict[str, Any]) -> tuple[str, Reported | Unparsed]:
    """What the reader makes of one answer, and its reading."""
    result = parse(item["text"], context=context_of(item))
    right = is_right(result, item) and not item.get("ambiguous")
    if result.doubts:
        return ("right in doubt" if right or item.get("ambiguous") else "wrong in doubt"), result
    return ("right" if right else "silent"), result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("set", type=Path)
    parser.add_argument(
        "--show", action="store_true", help="print every answer that is not right without doubt"
    )
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    document = json.loads(args.set.read_text(encoding="utf-8"))
    items = document if isinstance(document, list) else document.get("cases") or document["items"]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    named: dict[str, list[str]] = defaultdict(list)
    for item in items:
        kind, (what, result) = str(item.get("kind", "")), outcome(item)
        for group in (kind, "all"):
            counts[group][what] += 1
        if what != "right":
            named[what].append(str(item["id"]))
        if args.show and what != "right":
            answer = result.final_answer if isinstance(result, Reported) else None
            times = result.times_s if isinstance(result, Reported) else ()
            print(f"--- {item['id']} [{kind}] {what}: read {list(times)}, {answer}", end="; ")
            print(
                f"right {item['events_s']}, {item['final_answer']}{' (ambiguous)' * bool(item.get('ambiguous'))}"
            )
            print("    " + "; ".join(f"{d.code} {d.detail!r}" for d in result.doubts))
            print(item["text"], "\n")
    if args.json:
        print(json.dumps({"kinds": {k: dict(c) for k, c in counts.items()}, "ids": dict(named)}, indent=1))
        return
    width = max(map(len, counts))
    print(f"{'kind':<{width}}  {'n':>4}  " + "  ".join(f"{what:>14}" for what in OUTCOMES))
    for kind in [*sorted(counts.keys() - {"all"}), "all"]:
        total = counts[kind].total()
        cells = (f"{counts[kind][what]:>4} ({counts[kind][what] / total:>6.1%})" for what in OUTCOMES)
        print(f"{kind:<{width}}  {total:>4}  " + "  ".join(f"{cell:>14}" for cell in cells))
    for what in OUTCOMES[1:]:
        print(f"{what}: {', '.join(named[what]) or 'none'}")


if __name__ == "__main__":
    main()

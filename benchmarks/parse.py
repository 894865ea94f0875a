"""How fast responses are parsed and scored: ten thousand ordinary ones, and hostile ones of a million characters.

Run: `python benchmarks/parse.py`. Times are of one core; the last column is the time per character in
ratio to ordinary responses of the same run.
"""

from __future__ import annotations

import random
import time
from itertools import pairwise

from lft.counting.match import match
from lft.counting.metrics import score_matching
from lft.counting.parse import parse
from lft.counting.rendering.schedule import draw
from lft.counting.reported import Reported
from lft.counting.spec import ClipSpec

ORDINARY = 10_000
LONG = 1_000_000


def ordinary(seed: int) -> str:
    """A ledger of 0 to 12 entries in one of four manners."""
    rng = random.Random(seed)
    count, form = rng.randint(0, 12), rng.randrange(4)
    shape = rng.choice(("star", "circle", "hexagon", "triangle", "square"))
    walls = [rng.choice(("left wall", "right wall", "upper wall", "lower wall")) for _ in range(count)]
    states = [rng.choice("ABCD") for _ in range(count + 1)]
    times_s = sorted(rng.uniform(0, 24) for _ in range(count))
    lines = ["### 1. Step-by-Step Event Ledger", ""]
    if form == 0:
        lines += [
            f"* **00:{t:02.0f}** – Ball contacts the {wall} (Running count: {i})"
            for i, (t, wall) in enumerate(zip(times_s, walls, strict=True), 1)
        ]
    elif form == 1:
        lines += ["| # | Time (s) | Event | Count |", "|---|---|---|---|"]
        lines += [f"| {i} | {t:.2f} | {shape} lights up | {i} |" for i, t in enumerate(times_s, 1)]
    elif form == 2:
        lines += [
            f"{i}. t = {t:.1f} s: transition from State {a} to State {b}"
            for i, (t, (a, b)) in enumerate(zip(times_s, pairwise(states), strict=True), 1)
        ]
    else:
        lines += [f"At {t:.1f} s the ball hits the {wall}." for t, wall in zip(times_s, walls, strict=True)]
    if not count:
        lines.append(
            f"The {shape} was watched from 00:00 to 00:23; no events occur, so the count stays at 0."
        )
    return "\n".join([*lines, "", "### 2. Final Answer", f"\\boxed{{{count}}}"])


HOSTILE = {
    "one digit run": "1" * LONG,
    "spaces": " " * LONG + "x",
    "brackets": "(" * LONG,
    "braces": "{" * LONG,
    "stars": "**" * (LONG // 2),
    "pipes": "|" * LONG,
    "pipe lines": "|\n" * (LONG // 2),
    "unclosed thinking": "<think>" * (LONG // 7),
    "unclosed boxes": "\\boxed{" * (LONG // 7),
    "unclosed objects": '{"time": 1.5, ' * (LONG // 14),
    "clocks": "0:05 " * (LONG // 5),
    "numbers": "1, " * (LONG // 3),
    "ledger": "".join(f"- 0:{i % 60:02d} - hits the wall (Running count: {i})\n" for i in range(LONG // 45)),
    "prose": "The ball hits the wall at 0:05 and then moves on. " * (LONG // 50),
    "answers": "final answer: none\n" * (LONG // 19),
    "retractions": "wait, that is wrong. " * (LONG // 21),
    "negations": "0:05 " + "no a b c d " * (LONG // 11),
    "full-width digits": "１" * LONG,
    "one line": "1. 3.5 s - star lit up - count 1 " * (LONG // 33),
    "table cells": "| Time | " + "0:05 | " * (LONG // 7),
    "rows of times": "| Time | 0:05 | 0:06 |\n| Wall | left | right |\n" * (LONG // 48),
    "arrays": "times: [" * (LONG // 8),
    "array": "times: [" + "1.5, " * (LONG // 5),
    "compact objects": '{"time":1.5,"event":"x"},' * (LONG // 25),
    "ranges and lists": "0:01 to 0:09: 1, 2, 3, 4, 5, 6. " * (LONG // 32),
    "steps": "Step 3: corrected ledger\nno events\n" * (LONG // 35),
    "on and off": "0:05 light on\n0:06 light off\n" * (LONG // 29),
    "checks": "Step 2. Check\n- 0:05 contact was missed\n" * (LONG // 40),
    "headings": "".join(f"### Part\n- {i // 60}:{i % 60:02d} hit\n" for i in range(LONG // 23)),
    "objects between words": "".join(
        f'{{"time": {i}.5}} and here it goes on with a sentence of many letters, again\n'
        for i in range(LONG // 80)
    ),
    "corrections": "".join(
        f"- {i // 60}:{i % 60:02d} hit\nWait, 0:00 was not a contact.\n" for i in range(LONG // 45)
    ),
    "quoted cells": '"time","event"\n' + '"1,5","left, wall"\n' * (LONG // 20),
    "blank columns": "Time    Event\n" + "1.5     hit\n" * (LONG // 12),
    "records": "- event: blink\n  time_s: 5\n" * (LONG // 28),
    "nested arrays": "[{" * (LONG // 2),
    "flat array": "[" + '"a", ' * (LONG // 5),
    "elements": '<hit t="5.0" wall="left"/>\n' * (LONG // 27),
    "second thoughts": "it hits at 5 s. wait, not at 5 s. " * (LONG // 34),
    "ellipses": "the ball hits the wall at 5 s, " + "at 6 s the right one, " * (LONG // 22),
    "unlike entries": "- 0:05 hits the wall\n- 0:06 something else entirely\n" * (LONG // 51),
    "duplicates": "- 0:05 hit\nEntries 1 and 2 are the same contact.\n" * (LONG // 50),
    "primes": "0'07\" " * (LONG // 6),
    "rows without times": "a | b 1\n" * (LONG // 8),
    "table heads only": "time, x\n" * (LONG // 8),
    "decimal commas": "time;event\n" + "1,5;left\n" * (LONG // 9),
    "labels in a line": '"event":"one x" ' * (LONG // 16) + "0:05 " * 10,
    "minutes first": "minute 0, second 6 " * (LONG // 19),
    "only these": "".join(f"- {i // 60}:{i % 60:02d} hit\n" for i in range(5_000))
    + "Only 0:05 is valid.\n" * (LONG // 22),
    "number words": "at second five and again at " * (LONG // 28),
}


def main() -> None:
    texts = [ordinary(seed) for seed in range(ORDINARY)]
    for rule in ("ledger", "mentions"):
        began = time.process_time()
        for text in texts:
            parse(text, rule)
        took = time.process_time() - began
        print(f"{ORDINARY} ordinary responses, {rule}: {took:.2f} s, {took / ORDINARY * 1e6:.0f} us each")
        if rule == "ledger":
            trace = draw(ClipSpec("bounce_ball", 6, 1.0, 0)).trace("0" * 64)
            began = time.process_time()
            for text in texts:
                found = parse(text, rule)
                times_s = found.times_s if isinstance(found, Reported) else ()
                matching = match(trace.times_s, times_s, 0.5)
                score_matching(matching, trace.spec.count, len(times_s), found.final_answer)
            print(f"{ORDINARY} ordinary responses, parsed and scored: {time.process_time() - began:.2f} s")
            rate = took / sum(map(len, texts))
    print(f"\n{'hostile, 1e6 characters':>26}  {'ledger s':>8}  {'mentions s':>10}  {'to ordinary':>11}")
    for name, text in HOSTILE.items():
        took_s = []
        for rule in ("ledger", "mentions"):
            began = time.process_time()
            parse(text, rule)
            took_s.append(time.process_time() - began)
        print(f"{name:>26}  {took_s[0]:>8.2f}  {took_s[1]:>10.2f}  {took_s[0] / len(text) / rate:>11.2f}")


if __name__ == "__main__":
    main()

"""The embedded observer on a wide grid: rates from 0.05 Hz to a quarter of the frame rate, frame rates, sizes.

    python benchmarks/observer.py --clips 60 [--seed 0]

Draws clips at random, of every domain, rate, frame rate and size, renders each and watches it under several
samplings. Prints for each domain and sampling: clips; those whose exact count the frames allow, and of those the
ones that were counted rightly; clips with more events than happened, and with more than there is evidence of;
clips that `lft verify` wrongly accuses, and clips with events of which it does not notice that one was moved by a
frame. Names each clip at fault. Writes JSON. About eight seconds of CPU time a clip.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.audit.ceiling import ceiling_of_frames, supplied_frames
from lft.counting.observer import observe
from lft.counting.rendering.scene import render
from lft.counting.rendering.schedule import draw
from lft.counting.spec import ClipSpec
from lft.counting.trace import Trace
from lft.counting.verify import verify_clip

REPOSITORY = Path(__file__).resolve().parent.parent
DOMAINS = ("bounce_ball", "blinking", "state_machine")
RATES_HZ = (0.05, 0.1, 0.25, 0.5, 1.0, 4.0, 8.0, None)  # None: a quarter of the frame rate
FRAME_RATES = (24, 25, 30, 50, 60)
SIZES = ((426, 240), (128, 1280), (1280, 720))
COUNTS = (0, 1, 2, 3, 5, 8, 12, 24)
LENGTHS_S = (4, 6, 10, 24, 60)
SAMPLINGS = ("fps:1", "fps:2", "fps:4", "fps:8", "native")
COLUMNS = ("clips", "allowed", "right", "too many", "beyond the bound", "accused", "unnoticed")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clips", type=int, default=30)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=REPOSITORY / "results" / "bench" / "observer.json")
    arguments = parser.parse_args()
    rows: dict[tuple[str, str], Counter[str]] = {}
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for spec in drawn(arguments.clips, arguments.seed):
            media, trace = render(draw(spec), Path(folder) / "clip.mp4")
            for sampling in SAMPLINGS:
                row = rows.setdefault((spec.domain, sampling), Counter())
                seen = judged(media, trace, Sampling.parse(sampling))
                row.update(seen)
                if seen["right"] < seen["allowed"] or any(seen[column] for column in COLUMNS[3:]):
                    faults.append(f"{sampling} {dict(seen)} {spec}")
                    print(faults[-1], flush=True)
    print(f"{'':28}" + "".join(f"{column:>18}" for column in COLUMNS))
    for (domain, sampling), row in sorted(rows.items()):
        print(f"{domain:16}{sampling:12}" + "".join(f"{row[column]:>18}" for column in COLUMNS))
    document = [{"domain": d, "sampling": s, **row} for (d, s), row in sorted(rows.items())]
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text(
        json.dumps({"benchmark": "observer", "rows": document, "faults": faults}, indent=1) + "\n"
    )


def drawn(count: int, seed: int) -> list[ClipSpec]:
    """`count` clips; a count and a rate go together if they fit in the length."""
    chance = random.Random(seed)
    specs: list[ClipSpec] = []
    while len(specs) < count:
        fps, (width, height) = chance.choice(FRAME_RATES), chance.choice(SIZES)
        frequency_hz = chance.choice(RATES_HZ) or fps / 4
        events, length_s = chance.choice(COUNTS), chance.choice(LENGTHS_S)
        if frequency_hz > fps / 4 or events / frequency_hz > length_s:
            continue
        film = {"fps": fps, "width": width, "height": height, "duration_s": length_s}
        specs.append(ClipSpec(chance.choice(DOMAINS), events, frequency_hz, chance.randrange(1000), **film))
    return specs


def judged(media: Media, trace: Trace, sampling: Sampling) -> Counter[str]:
    """What is true of the clip under the sampling, by column, 0 or 1 each."""
    best = ceiling_of_frames(trace, supplied_frames(trace, sampling))
    seen = observe(sample(media, sampling), trace.spec.domain).final_answer
    happened = trace.spec.count
    whole = sampling.kind == "native"
    return Counter(
        {
            "clips": 1,
            "allowed": int(best.correct),
            "right": int(best.correct and seen == happened),
            "too many": int(seen > happened),
            "beyond the bound": int(seen > best.count),
            "accused": int(whole and bool(verify_clip(media, trace))),
            "unnoticed": int(whole and happened > 0 and not verify_clip(media, moved(trace))),
        }
    )


def moved(trace: Trace) -> Trace:
    """The trace with its middle event a frame late, or early where a frame later does not exist."""
    event = trace.events[len(trace.events) // 2]
    by = 1 if event.frame_index + 1 < trace.frame_count else -1
    frame, (first, last) = event.frame_index + by, event.evidence_frames
    late = replace(
        event, frame_index=frame, time_s=frame / trace.fps, evidence_frames=(first + by, max(last, frame))
    )
    return replace(trace, events=tuple(late if e is event else e for e in trace.events))


if __name__ == "__main__":
    main()

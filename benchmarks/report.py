"""The report of 40,000 trials: CPU seconds of its halves (made side by side), size of its index, memory.

    python benchmarks/report.py [--trials 40000]

The run is that of benchmarks/audit.py, traces on disk, no videos. The wall time of `lft report` on two
idle cores is about half their sum.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
from pathlib import Path

from _timing import Steps
from audit import a_run

from lft.core.files import sha256_of, write_json
from lft.core.runs import Run
from lft.counting.clips import Clip, clip_paths, write_manifest
from lft.counting.reporting import gallery, results
from lft.counting.reporting.page import writer
from lft.counting.scores import score_run, write_scores


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--trials", type=int, default=40_000)
    options = parser.parse_args()
    steps = Steps()
    timed = steps.timed

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "runs" / "large"
        folder.mkdir(parents=True)
        traces = a_run(folder, options.trials)
        clips = Path(name) / "clips"
        found = {}
        for clip_id, trace in traces.items():
            video, trace_path = (clips / part for part in clip_paths(clip_id))
            trace.write(trace_path)
            found[clip_id] = Clip(
                clip_id, trace.spec, video, trace_path, trace.video_sha256, sha256_of(trace_path)
            )
        write_manifest(clips, found)
        manifest = dict(Run.open(folder).manifest)
        write_json(folder / "manifest.json", {**manifest, "clips_folder": "../../clips"})
        write_scores(folder / "scores.csv", list(score_run(Run.open(folder), traces.__getitem__)))

        out = Path(name) / "report"
        loaded = timed("load", lambda: results.load([folder]))
        timed("page", lambda: writer.write(loaded, out, videos="none"))
        figures = timed("figures and tables", lambda: gallery.write(loaded, out))
        document = {
            "trials": len(loaded.scores),
            "cpu_s": steps,
            "index_mb": round((out / "data" / "index.js").stat().st_size / 1e6, 3),
            "cell_files": len(list((out / "data").glob("*/*.js"))),
            "figures": sum(path.suffix == ".svg" for path in figures),
            "folder_mb": round(sum(p.stat().st_size for p in out.rglob("*") if p.is_file()) / 1e6, 1),
            "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        }
    print(json.dumps(document, indent=1))


if __name__ == "__main__":
    main()

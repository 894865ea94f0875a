"""A report of scored runs as one plain page: means by condition, how trials ended, every trial with its answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lft.core.files import write_text
from lft.core.means import Measured, by_condition, columns_of, rows_of, summary_table
from lft.core.records import Entries, JsonObject
from lft.core.reporting.folder import building, move_in
from lft.core.runs import Run
from lft.core.scoring import csv_text
from lft.core.suite import Told

_SHOWN = 5000  # trials on the page; the table has all
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title><style>
:root { color-scheme: light dark; font: 16px/1.45 system-ui, sans-serif; }
body { max-width: 75rem; margin: 2rem auto; padding: 0 1rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid #8886; text-align: right; white-space: nowrap; }
th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
details { border-bottom: 1px solid #8886; padding: .3rem 0; }
summary { cursor: pointer; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: .3rem 0 .6rem 1rem; }
.state { opacity: .75; }
</style></head><body>
<h1>{{ title }}</h1>
<p>{{ runs|join(", ") }}. Means have 95&nbsp;% intervals; missing trials are counted, never scored as wrong.</p>
<h2>By condition</h2>
<div class="scroll"><table>
<thead><tr>{% for name in head %}<th scope="col">{{ name }}</th>{% endfor %}</tr></thead>
<tbody>{% for row in rows %}<tr>{% for cell in row %}<td>{{ cell }}</td>{% endfor %}</tr>{% endfor %}</tbody>
</table></div>
<h2>Trials</h2>
{% if more %}<p>The first {{ trials|length }} of {{ trials|length + more }}; tables/trials.csv has all.</p>{% endif %}
{% for one in trials %}<details><summary>{{ one.trial }} <span class="state">{{ one.state }}</span></summary>
{% for text in one.texts %}<pre>{{ loop.index }}. {{ text }}</pre>{% endfor %}</details>
{% endfor %}</body></html>
"""


def reported(suite: Measured, runs: Sequence[Run], folder: Path) -> Told:
    """Writes index.html, tables/summary.csv and tables/trials.csv into `folder`, all or none."""
    import jinja2

    rows: list[JsonObject] = []
    texts: list[list[str]] = []
    for run in runs:
        episodes = run.episodes()
        for row in rows_of(suite, run):
            one = episodes.get(str(row["trial"]))
            rows.append({**row, "run": run.folder.name})
            texts.append([str(line.get("text") or "") for line in one.answers] if one else [])
    conditions = by_condition(suite, rows)
    head, table = summary_table(suite, conditions)
    listed = [
        {"trial": row["trial"], "state": _state(suite, row), "texts": said}
        for row, said in zip(rows[:_SHOWN], texts, strict=False)
    ]
    title = next((str(run.manifest.get("sweep", {}).get("title", "")) for run in runs), "") or suite.name
    page = jinja2.Environment(autoescape=True).from_string(_PAGE)
    with building(folder) as built:
        files = {
            "index.html": page.render(
                title=title, runs=[run.folder.name for run in runs], head=head, rows=table, trials=listed,
                more=max(0, len(rows) - _SHOWN),
            ),
            "tables/summary.csv": csv_text([dict(zip(head, row, strict=True)) for row in table], head),
            "tables/trials.csv": csv_text(rows, columns_of(rows)),
        }  # fmt: skip
        for name, text in files.items():
            write_text(built / name, text)
        move_in(built, folder, [built / name for name in files])
    index = folder / "index.html"
    document = {
        "index": str(index),
        "figures": [],
        "tables": [str(folder / name) for name in files if name.endswith(".csv")],
        "trials": len(rows),
        "missing": sum(condition["n_missing"] for condition in conditions),
    }
    text = f"page     {index}\ntables   {folder / 'tables'}\nnext: open {index} in a browser (no server is needed)"
    return Told(document, text)


def _state(suite: Measured, row: Entries) -> str:
    scores = [f"{words} {row[name]:g}" for name, words in suite.measures.items() if row.get(name) is not None]
    return ", ".join([str(row.get("end") or row["status"]), *scores])

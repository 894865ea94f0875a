"""The tables of scored runs. Each is rows with full numbers, for CSV; `text_of` prints one.

A column `score` may have `score_lower` and `score_upper` beside it, the 95 % interval from resampling environments.
Differences are taken task by task, over the tasks that both sides have.

    scores       pass, score and skill of each model and condition
    family, memory, dynamics, kind, environment    the same, of the tasks that are alike in this
    ends         how episodes ended
    lengths      decisions of episodes that passed, and of those that did not
    contexts     images and tokens of the last request
    ladder       what knowing the rules, reading the picture, planning and acting cost: they add up to 100 - score
    judge        where judges see failures, beside where the ladder finds the points (`lft.agents.ladder`)
    ablation     what demonstrations add under each rules, and rules with and without demonstrations
    controls     what each kind of demonstration adds to none
    bias, fixation, reasoning    behaviour (`lft.agents.behaviour_tables`)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from lft.agents.behaviour_tables import bias, fixation, reasoning
from lft.agents.condition import AXES, VALUES
from lft.agents.ladder import judged, ladder
from lft.agents.scores import GROUPS, MEASURES, Row, by_condition, condition_of, difference, estimate, grouped
from lft.agents.table_parts import answered_of, beside, ends_of, heads_of, heads_without, interval
from lft.core.errors import unknown_name
from lft.core.means import Measured, rows_of, written
from lft.core.records import Entries, JsonObject
from lft.core.reporting.tables import Rows, Table
from lft.core.runs import ANSWERED, Run
from lft.core.suite import Told
from lft.core.terminal import table


def scored(suite: Measured, run: Run, names: Sequence[str] = ()) -> Told:
    """Writes scores.csv and summary.json of a run, and says what is in them, with the tables that are named."""
    for name in names:
        if name not in _MAKERS:
            raise unknown_name("table", name, _MAKERS)
    rows = list(rows_of(suite, run))
    made = tables(rows)
    found = {"conditions": by_condition(rows), "tables": {one.name: one.rows for one in made}}
    body = []
    for one in made:
        if one.name == "scores" or one.name in names:
            body += [text_of(one), ""]
    lacking = [name for name in names if name not in found["tables"]]
    body += [f"no table {name}: this run has not the conditions for it" for name in lacking]
    how = "episodes have not ended; the same `lft sweep` goes on with them"
    return written(suite, run, rows, found, body, how)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Every table that these rows have something for."""
    return [made for name, maker in _MAKERS.items() if (made := maker(name, rows)).rows]


def text_of(one: Table) -> str:
    """A table for the terminal: title, columns, note."""
    head, cells = printed(one)
    return "\n".join(filter(None, [one.title, table(head, cells), one.note]))


def printed(one: Table) -> tuple[list[str], list[list[str]]]:
    """(head, cells) of a table as people read it: an interval stands in one cell with its mean, columns that are alike in
    all rows and name a condition are left out.
    """  # noqa: E501
    names = list(one.rows[0])
    hidden = {name for name in names if name.endswith(("_lower", "_upper"))}
    hidden |= {axis for axis in AXES if axis in names and len({row[axis] for row in one.rows}) == 1}
    shown = [name for name in names if name not in hidden]
    words = [name for name in shown if name in one.heads]
    numbers = [name for name in shown if name not in one.heads]
    head = [" · ".join(words) or one.name, *(MEASURES.get(n, n.replace("_", " ")) for n in numbers)]
    return head, [
        [" · ".join(str(row[name]) for name in words), *(_cell(row, name) for name in numbers)]
        for row in one.rows
    ]


def _cell(row: Entries, name: str) -> str:
    value = row[name]
    if value is None:
        return "-"
    if not isinstance(value, float):
        return str(value)
    digits = 2 if name.startswith("skill") else 1
    lower, upper = row.get(f"{name}_lower"), row.get(f"{name}_upper")
    mean = f"{value:.{digits}f}"
    return mean if lower is None or upper is None else f"{mean} [{lower:.{digits}f}–{upper:.{digits}f}]"


def _scores(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for one in by_condition(rows):
        heads = {axis: one[axis] for axis in ("model", *AXES)}
        counts = {key: one[key] for key in ("n", "n_missing", "n_not_applicable", "environments")}
        found.append({**heads, **counts, **_measures(one["measures"])})
    note = (
        "Tasks within an environment, then environments equally; 95 % intervals from resampling environments."
    )
    return Table(name, "Pass, score, skill", note, found, ("model", *AXES))


def _grouped_by(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(rows, lambda row: (str(row.get(name)), *condition_of(row))).items():
        answered = [row for row in members if row["status"] == ANSWERED]
        if answered:
            heads = dict(zip((name, "model", *AXES), key, strict=True))
            found.append({**heads, "n": len(answered), **_means(answered)})
    found.sort(key=lambda row: str(row[name]))
    return Table(name, f"By {name}", "", found, (name, "model", *AXES))


def _ends(name: str, rows: Sequence[Row]) -> Table:
    answered = answered_of(rows)
    words = sorted({str(row["end"]) for row in answered})
    found: Rows = []
    for key, members in grouped(answered, condition_of).items():
        counts = Counter(str(row["end"]) for row in members)
        faults = sum(int(row.get("retries") or 0) for row in members)
        found.append({**heads_of(key), "n": len(members), **{w: counts[w] for w in words}, "retries": faults})
    note = "Retries: answers whose first line was no action that there is."
    return Table(name, "How episodes ended", note, found, ("model", *AXES))


def _lengths(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(answered_of(rows), condition_of).items():
        passed = [int(row["decisions"]) for row in members if row["pass"]]
        failed = [int(row["decisions"]) for row in members if not row["pass"]]
        used = [row["decisions"] / row["limit"] for row in members]
        found.append(
            {
                **heads_of(key),
                "n": len(members),
                "decisions": sum(passed) + sum(failed),
                "median_if_passed": _median(passed),
                "median_if_failed": _median(failed),
                "share_of_limit_%": 100.0 * sum(used) / len(used),
            }
        )
    return Table(name, "Decisions of an episode", "", found, ("model", *AXES))


def _contexts(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(answered_of(rows), condition_of).items():
        images = [int(row["images"]) for row in members if row.get("images") is not None]
        tokens = [int(row["context_tokens"]) for row in members if row.get("context_tokens") is not None]
        overflow = sum(row["end"] == "overflow" for row in members)
        found.append(
            {
                **heads_of(key), "n": len(members), "images_median": _median(images),
                "images_most": max(images, default=None), "tokens_median": _median(tokens),
                "tokens_most": max(tokens, default=None), "overflows": overflow,
            }
        )  # fmt: skip
    note = "Of the last request of an episode. Tokens as the provider counts them; - where it does not."
    return Table(name, "Context at the end", note, found, ("model", *AXES))


def _ablation(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(answered_of(rows), beside("rules", "demonstrations")).items():
        cells = grouped(members, lambda row: (str(row["rules"]), str(row["demonstrations"])))
        pairs = [
            *(
                (f"demonstrations, {rules} rules", (rules, "none"), (rules, "shown"))
                for rules in VALUES["rules"]
            ),
            *(
                (f"detailed rules, demonstrations {d}", ("basic", d), ("detailed", d))
                for d in ("none", "shown")
            ),
        ]
        for words, before, after in pairs:
            if before in cells and after in cells:
                heads = heads_without(key, "rules", "demonstrations")
                found.append({**heads, "what": words, **_gain(cells[before], cells[after])})
    words_of = ("model", *(axis for axis in AXES if axis not in ("rules", "demonstrations")), "what")
    return Table(name, "What demonstrations and rules add", "", found, words_of)


def _controls(name: str, rows: Sequence[Row]) -> Table:
    found: Rows = []
    for key, members in grouped(answered_of(rows), beside("demonstrations")).items():
        cells = grouped(members, lambda row: (str(row["demonstrations"]),))
        for kind in VALUES["demonstrations"]:
            if kind != "none" and (kind,) in cells and ("none",) in cells and len(cells) > 2:
                heads = heads_without(key, "demonstrations")
                found.append({**heads, "demonstrations": kind, **_gain(cells[("none",)], cells[(kind,)])})
    note = "Against none. A gain that stays when pictures are shuffled or left out is not learned from video."
    words_of = ("model", *(axis for axis in AXES if axis != "demonstrations"), "demonstrations")
    return Table(name, "What of a demonstration helps", note, found, words_of)


_MAKERS: dict[str, Callable[[str, Sequence[Row]], Table]] = {
    "scores": _scores,
    **dict.fromkeys(GROUPS, _grouped_by),
    "ends": _ends,
    "lengths": _lengths,
    "contexts": _contexts,
    "ladder": ladder,
    "judge": judged,
    "ablation": _ablation,
    "controls": _controls,
    "bias": bias,
    "fixation": fixation,
    "reasoning": reasoning,
}
NAMES = tuple(_MAKERS)


def _means(rows: Sequence[Row]) -> JsonObject:
    found: JsonObject = {}
    for name in MEASURES:
        found |= interval(name, estimate(rows, name))
    return found


def _measures(measures: Mapping[str, Entries | None]) -> JsonObject:
    found: JsonObject = {}
    for name, one in measures.items():
        found |= dict(ends_of(name, one["mean"], one["lower"], one["upper"]) if one else ends_of(name, None))
    return found


def _gain(before: Sequence[Row], after: Sequence[Row]) -> JsonObject:
    """Gains in score and pass over the tasks that both have."""
    score, passed = difference(before, after, "score"), difference(before, after, "pass")
    return {"tasks": score.n if score else 0, **interval("score", score), **interval("pass", passed)}


def _median(values: Sequence[int]) -> float | None:
    return float(median(values)) if values else None

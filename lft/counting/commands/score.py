"""`lft score` for a run of this suite."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from lft.core.records import Entries
from lft.core.suite import Told
from lft.core.terminal import condition_line, not_applicable_lines, plural, printable, table, width
from lft.counting.commands.readings import settled_lines

if TYPE_CHECKING:
    from lft.core.runs import Run

_FEW = 10  # answers that are told one by one
_LONGEST_EXAMPLE = 160  # characters of an answer that is printed


def scored(run: Run, options: Entries) -> Told:
    """Scores a run by `rule` and `tolerance`. scores.csv and summary.json are for the latest rule and tolerance;
    readings/ keeps the scores of each.
    """
    from lft.core.failure_kinds import missing_lines
    from lft.core.progress import Progress
    from lft.core.scoring import not_applicable
    from lft.counting import readings
    from lft.counting.clips import traces_of
    from lft.counting.metrics import tolerance_s
    from lft.counting.native_rate import say_rate_hz
    from lft.counting.scores import checked_rule
    from lft.counting.sibling_runs import scored_together

    rule, tolerance = options["rule"], options["tolerance"]
    tolerance_s(tolerance, 1.0)
    checked_rule(rule)
    folder = run.folder
    if options.get("native_rate") is not None:
        say_rate_hz(folder, options["native_rate"])
    trace_of = traces_of(run, options.get("clips_folder"))
    with Progress("scoring", total=len(run.trials())) as progress:
        rows, document, kept = readings.read(
            run, trace_of, rule=rule, tolerance=tolerance, seen=progress.advance
        )
    conditions = document["conditions"]
    one_by_one = _one_by_one(rows)
    lines = [*one_by_one, *_summary(document, _unread(run, rows), few=bool(one_by_one))]
    if "settled" in document:
        lines += settled_lines(document["settled"])
    lines += [] if one_by_one else _bins(document)
    lines += not_applicable_lines(not_applicable(run.answers().values()))
    lines += missing_lines(_missing_kinds(conditions))
    if not one_by_one and (weak := _cell_sizes(rows)):
        lines.append(weak)
    if any(condition["all"]["n_in_doubt"] for condition in conditions):
        lines.append(f"\nto settle doubtful readings: lft readings {folder} --doubtful")
    lines += [
        f"\nscores   {folder / 'scores.csv'}\nsummary  {folder / 'summary.json'}\nkept as  {kept}.csv and .json",
        f"next: lft report {' '.join(map(str, scored_together(run)))}",
    ]
    missing = sum(condition["all"]["n_missing"] for condition in conditions)
    incomplete = None
    if missing:
        how = "import them" if run.manifest.get("imported") else "run the same `lft sweep` to ask them again"
        if not run.manifest.get("imported") and set(_missing_kinds(conditions)) == {"refused"}:
            how = "all were refused: check the key and the account, or name another model in a new run"
        incomplete = f"{missing} of {len(rows)} trials have no answer; {how}"
    return Told(document, "\n".join(lines), incomplete)


def _missing_kinds(conditions: Sequence[Entries]) -> Counter[str]:
    """Failure kind -> number of trials, over all conditions."""
    counts: Counter[str] = Counter()
    for condition in conditions:
        counts.update(condition["all"].get("missing") or {})
    return counts


def _unread(run: Run, rows: Sequence[Entries]) -> tuple[str, str] | None:
    """A trial whose answer has no number, with its text; one with text, if possible."""
    unread = [row["trial"] for row in rows if row["status"] == "answered" and row["final_answer"] is None]
    if not unread:
        return None
    answers = run.answers()
    texts = {trial: " ".join(str(answers[trial].get("text") or "").split()) for trial in unread}
    trial, text = next((item for item in texts.items() if item[1]), (unread[0], "(nothing)"))
    half = _LONGEST_EXAMPLE // 2  # an answer is at the end
    return trial, text if len(text) <= _LONGEST_EXAMPLE else f"{text[:half]} ... {text[-half:]}"


def _one_by_one(rows: Sequence[Entries]) -> list[str]:
    """A line per answer, if there are only a few."""
    answered = [row for row in rows if row["status"] == "answered"]
    if not answered or len(rows) > _FEW:
        return []
    ordered = sorted(answered, key=lambda row: (row["clip"], row["replicate"]))
    named = [f"answer {number}, {printable(row['clip'])}" for number, row in enumerate(ordered, start=1)]
    return [*(f"{name}: {_answer_line(row)}" for name, row in zip(named, ordered, strict=True)), ""]


def _answer_line(row: Entries) -> str:
    """
    >>> row = {"final_answer": 3, "count": 5, "matched": 3, "reported": 4, "correct": 0, "cause": "not-supplied"}
    >>> _answer_line(row)
    'said 3, true 5; 3 of 5 events are reported in time, in 4 reports; wrong: not-supplied'
    """
    said = "no final answer" if row["final_answer"] is None else f"said {row['final_answer']}"
    parts = [f"{said}, true {row['count']}"]
    if row.get("matched") is not None and row["count"]:
        times = "no time is reported"
        if row["reported"]:
            are = "is" if 1 in (row["matched"], row["count"]) else "are"
            times = f"{row['matched']} of {plural(row['count'], 'event')} {are} reported in time, "
            times += f"in {plural(row['reported'], 'report')}"
        parts.append(times)
    parts.append("right" if row["correct"] == 1 else f"wrong: {row.get('cause') or _unknown_cause(row)}")
    return "; ".join(parts)


def _unknown_cause(row: Entries) -> str:
    from lft.counting.audit.ceiling import UNKNOWN

    return f"cause unknown, as {UNKNOWN.get(str(row.get('evident_unknown')), UNKNOWN['frames'])}"


# Titles of the columns, and their entries of the summary in per cent.
_TRACE = {
    "P %": "precision",
    "R %": "recall",
    "F1 %": "f1",
    "chance %": "chance_f1",
    "skill %": "skill_f1",
    "ACR %": "acr",
    "RFR %": "rfr",
}
_MORE = {"n/a": "n_not_applicable", "not asked": "n_not_asked"}


def _summary(document: Entries, unread: tuple[str, str] | None, *, few: bool) -> Iterator[str]:
    """The summary in words. Of few answers, which are told one by one, no rates: they say less than the answers."""
    from lft.counting.audit.ceiling import UNKNOWN
    from lft.counting.domains import DOMAINS

    rule, tolerance = document["rule"], document["tolerance"]
    within = f"{tolerance} s"
    if tolerance == "rate":
        rendered = {name in DOMAINS for condition in document["conditions"] for name in condition["domains"]}
        words = {True: "1/(2F) s", False: "each event's own tolerance"}
        within = " or ".join(words[kind] for kind in sorted(rendered, reverse=True))
    yield f"{printable(document['run'])}, by the rule {rule}, within {within}\n"
    for condition in document["conditions"]:
        yield f"{condition_line(condition)}\n"
        for line in _findings(condition):
            yield line
        rows = [*condition["domains"].items(), ("all", condition["all"])]
        if not few:
            yield _answers(rows) + "\n"
            yield _traces([*rows, (f"all, {condition['other_rule']['rule']}", condition["other_rule"])])
        causes = {cause: k for cause, k in condition["all"].get("causes", {}).items() if k}
        wrong = condition["all"]["n"] - condition["all"]["correct"] - sum(causes.values())
        if not few and "causes" in condition["all"] and (causes or wrong):
            told = [
                _share(cause, k, condition["all"]["cause_shares"].get(cause)) for cause, k in causes.items()
            ]
            why = (
                " and ".join(UNKNOWN[one] for one in condition["all"]["evident_unknown"]) or UNKNOWN["frames"]
            )
            told += [f"{wrong} of unknown cause ({why})"] if wrong else []
            yield textwrap.fill("wrong: " + ", ".join(told), width(), subsequent_indent="  ")
        for line in () if few else _remarks(condition["all"]):
            yield line
        for reason, k in list(condition["all"]["unparsed"].items())[:5]:
            why = "" if reason == "no final answer" else f", {printable(reason)}"
            yield f"no final answer: {k} of {condition['all']['n']}{why}"
        for line in (*_doubts(condition["all"]), *_settled(condition)):
            yield line
        yield ""
    for line in _together(document["conditions"]):
        yield line
    if unread:
        yield f"for example {printable(unread[0])}:\n  {printable(unread[1])}"
        yield (
            'A final answer is \\boxed{9}, "final answer: 9", 9 alone, or a reply of one sentence\n'
            'that counts the events ("There are 9 events."); a number amid other words is none.\n'
            "Prompts ask for the box; `lft show RUN TRIAL` has the whole answer.\n"
        )
    if few:
        yield "rates of so few answers say little; summary.json and the page of `lft report` have them."
        return
    yield (
        "found: findings, sure if the 95 % interval is above the smallest size that\n"
        "matters (docs/report.md); by counts alone: each clip's count against the events\n"
        "shown, as times do not follow the events and no report can be paired.\n"
        "evidence: an event is shown if the supplied frames prove it; a report stands for\n"
        "the event it pairs with, or, displaced, for the next one in order within reach\n"
        "of the clock (docs/report.md); a report of an event not shown has no evidence.\n"
        "EM: exact match over all clips, with its 95 %\n"
        "interval; the rest over clips with events. literal: exact counts that can be\n"
        "read off the supplied frames; ceiling: those of an ideal observer, who knows\n"
        "the grid and how its events are spaced. guess: EM of the best constant\n"
        "answer/of these answers shuffled over the clips. chance: F1 of as many random\n"
        "times over the true active span; skill: F1 beyond it.\n"
        "P: precision, share of listed events that pair with a true one; R: recall, of\n"
        "true ones that pair; VOR: listed per true event; ACR: right answers\n"
        "whose trace is not (F1 below 0.8); RFR: wrong ones whose trace is."
    )


def _together(conditions: Sequence[Entries]) -> list[str]:
    """For each model with several samplings: too few frames, or missed what it was shown?"""
    from lft.counting.audit.accounts import sentence, together

    said = []
    for model in dict.fromkeys(condition["model"] for condition in conditions):
        found = [one for one in conditions if one["model"] == model and one.get("account") is not None]
        samplings = list(dict.fromkeys(one["sampling"] for one in found))
        if len(samplings) > 1:
            told = sentence(together([one["account"] for one in found]))
            over = ", ".join(printable(name) for name in samplings)
            text = f"{printable(model)}, over {over}: too few frames, or missed what it was shown? {told}"
            said += [*textwrap.wrap(text, width(), subsequent_indent="  "), ""]
    return said


def _findings(condition: Entries) -> list[str]:
    """Findings with their certainty, reasons for unreported events, and the clock of the condition."""
    from lft.counting.audit.verdict import LEAST_ANSWERS

    if condition.get("account") is None:
        return []
    said = [f"found: {one['name']} ({one['sure']}), {one['evidence']}" for one in condition["verdict"]]
    if not said and condition["account"]["n"] < LEAST_ANSWERS:
        n = condition["account"]["n"]
        of = plural(n, "answer") + (" without doubt" if condition["account"]["doubted"] else "")
        said = [f"found: too few answers to say ({of}, of at least {LEAST_ANSWERS} that are needed)"]
    said = said or ["found: nothing"]
    said.append(f"evidence: {condition['sentence']}")
    account = condition["account"]
    if account["doubted"]:
        are = "is" if account["doubted"] == 1 else "are"
        said.append(f"{plural(account['doubted'], 'answer')} read in doubt {are} left out of this.")
    if len(account["by_frames"]) > 1:
        rates = [
            f"{name}: {100 * one['rate']:.0f} % of {one['shown']}"
            for name, one in account["by_frames"].items()
        ]
        said.append(
            f"missed of shown, by frames that show an event (0: proved by those around it): {', '.join(rates)}"
        )
    if clock := condition["clock"]:
        (low, high), (least, most) = clock["offset_interval"], clock["scale_interval"]
        words = (
            f"clock: reported = {clock['offset_s']:+z.2f} s [{low:+z.2f}, {high:+z.2f}] + {clock['scale']:.2f} "
            f"[{least:.2f}, {most:.2f}] x true, give or take {clock['spread_s']:.2f} s"
        )
        if clock["order"] is not None:
            words += f", order {clock['order']:+z.2f}"
        if clock["set_right"]:
            words += f"; set right, F1 {_percent(clock['f1_reported'])} becomes {_percent(clock['f1_set_right'])} %"
        said.append(words)
    lines = [line for one in said for line in textwrap.wrap(one, width(), subsequent_indent="  ")]
    return [*lines, ""]


def _share(cause: str, number: int, share: Mapping[str, float] | None) -> str:
    """A cause with its share of the answers read without doubt, and the range that doubtful readings leave open."""
    if share is None or share["least"] == share["most"]:
        return f"{number} {cause}"
    span = f"{100 * share['least']:.0f} to {100 * share['most']:.0f}"
    return f"{number} {cause} ({100 * share['share']:.0f} %, {span} with the unclear)"


def _doubts(whole: Entries) -> list[str]:
    """The share of doubtful readings, and each doubt with its meaning."""
    from lft.counting.reported import DOUBTS

    k, n = whole["n_in_doubt"], whole["n"]
    if not k:
        return []
    lines = [f"read in doubt: {k} of {plural(n, 'answer')} ({_percent(k / n)} %)"]
    for code, times in whole["doubts"].items():
        lines += textwrap.wrap(
            f"{times} {code}: {DOUBTS.get(code, 'unknown')}",
            width(),
            initial_indent="  ",
            subsequent_indent="    ",
        )
    return lines


_SETTLED = {"EM": "em", "F1": "f1", "P": "precision", "R": "recall"}


def _settled(condition: Entries) -> list[str]:
    """Who settled readings, and the scores without them."""
    whole, program = condition["all"], condition.get("unsettled")
    if not program:
        return []
    who = ", ".join(f"{k} by {'whoever imported them' if name == 'given' else f'a {name}'}"
                    for name, k in whole["settled"].items())  # fmt: skip
    rates = [(name, _percent(program[key]), _percent(whole[key])) for name, key in _SETTLED.items()]
    others = [f"  {name} {then} % instead of {now} %" for name, then, now in rates if then != now]
    if not others:
        return [f"readings settled: {who}; the scores are as the program reads them"]
    lines = [f"readings settled: {who}; as the program reads them:", *others]
    return lines


def _remarks(whole: Entries) -> list[str]:
    """Warnings about the rates of a condition."""
    lines = []
    empty, n = whole["n_no_event_listed"], whole["n_positive"]
    if empty:
        lists = "lists" if n == 1 else "list"
        lines.append(
            f"{empty} of {plural(n, 'answer')} {lists} no event: their precision, recall and F1 are 0 and\n"
            "their skill is not defined"
        )
    ceiling, interval = whole.get("ceiling_correct"), whole["em_interval"]
    if ceiling is not None and interval and interval[0] > ceiling:
        lines.append(
            "EM above its ceiling: better than an ideal observer who knows the grid. Either\n"
            "the frames were not those recorded, or the model knew the clips"
        )
    return lines


def _cell_sizes(rows: Sequence[Entries]) -> str:
    """The number of answers per cell, and whether it is enough for a frontier."""
    from lft.core.conditions import MODEL_CONDITION
    from lft.core.stats import wilson_pair
    from lft.counting.domains import DOMAINS
    from lft.counting.frontier import TAU

    if len({row["clip"] for row in rows}) == 1 and rows[0]["domain"] not in DOMAINS:
        return ""  # a video of one's own lies on no grid, so there is no frontier to look for
    axes = (*MODEL_CONDITION, "domain", "frequency_hz", "count")
    sizes = Counter(
        tuple(row[axis] for axis in axes) for row in rows if row["count"] and row["status"] == "answered"
    )
    least, most = (min(sizes.values()), max(sizes.values())) if sizes else (0, 0)
    bound = wilson_pair(least, least)
    if bound is None or bound[0] >= TAU:
        return ""
    span = str(least) if least == most else f"{least} to {most}"
    return (
        f"\nA cell (domain, F, N) has {span} {'answer' if most == 1 else 'answers'}: too few to place a frontier with\n"
        f"certainty ({least} of {least} right leaves {bound[0]:.2f} possible). `lft frontier` says more."
    )


def _answers(rows: Sequence[tuple[str, Entries]]) -> str:
    more = {title: key for title, key in _MORE.items() if any(row[key] for _, row in rows)}
    head = [
        "answers",
        "n",
        "missing",
        *more,
        "EM %",
        "95 %",
        "literal %",
        "ceiling %",
        "guess %",
        "false alarms",
    ]
    return table(
        head,
        [
            [
                name,
                *(str(row[key]) for key in ("n", "n_missing", *more.values())),
                _percent(row["em"]),
                _interval(row["em_interval"]),
                _percent(row.get("literal_correct")),
                _percent(row.get("ceiling_correct")),
                f"{_percent(row['em_constant'])}/{_percent(row['em_shuffled'])}",
                f"{_percent(row['false_alarm_rate'])} % of {row['n_empty']}" if row["n_empty"] else "-",
            ]
            for name, row in rows
        ],
    )


def _traces(rows: Sequence[tuple[str, Entries]]) -> str:
    def cells(row: Entries) -> list[str]:
        # Without any list there is nothing that a right count could do without, and no times to be better than chance.
        silent = row["n_positive"] and row.get("n_no_event_listed") == row["n_positive"]
        hidden = ("acr", "skill_f1") if silent else ()
        rates = ["-" if key in hidden else _percent(row.get(key)) for key in _TRACE.values()]
        return [*rates, "-" if row["vor"] is None else f"{row['vor']:.2f}"]

    return table(["traces", *_TRACE, "VOR"], [[name, *cells(row)] for name, row in rows])


def _bins(document: Entries) -> Iterator[str]:
    """Rates by bins of counts, for imported videos."""
    from lft.counting.bins import as_text
    from lft.counting.domains import DOMAINS

    for condition in document["conditions"]:
        if set(condition["domains"]) - set(DOMAINS):
            yield f"\n{condition_line(condition)}, by count\n{as_text(condition['bins'])}"


def _interval(value: Sequence[float] | None) -> str:
    return "-" if value is None else "–".join(_percent(x) for x in value)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f}"

"""Clips as lmms-eval tasks: one for each prompt condition that a single message can carry, under one tag.

lft_NAME_direct.yaml ...   tasks, for `lmms_eval --include_path FOLDER --tasks lft_NAME`
lft_NAME_base              what they share
utils.py                   the functions that they name
samples.jsonl              one line per clip, with the words of every condition
videos/ traces/ manifest.jsonl      as LFT keeps them
"""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from lft.core.conditions import Condition
from lft.core.errors import InputError
from lft.core.files import write_text
from lft.core.prompts import Template
from lft.core.records import JsonObject
from lft.counting.clips import Clips
from lft.counting.sweep import Sweep, trials
from lft.exports.clipset import conditions, copy_clips, rows
from lft.exports.lmms_task import METRICS

_UTILS = '''"""Functions of the tasks beside this file; they need `pip install lft-bench`."""

from pathlib import Path

from lft.exports import lmms_task

HERE = Path(__file__).resolve().parent


def doc_to_visual(doc):
    return lmms_task.doc_to_visual(HERE, doc)


def doc_to_text(doc, lmms_eval_specific_kwargs=None):
    return lmms_task.doc_to_text(doc, lmms_eval_specific_kwargs)


def process_results(doc, results):
    return lmms_task.process_results(HERE, doc, results)


'''

_BASE = """dataset_path: json
dataset_kwargs:
  data_files:
    test: samples.jsonl
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: count
process_results: !function utils.process_results
generation_kwargs:
  # A ledger has blank lines in it: nothing but the model's own end ends an answer.
  until: []
  max_new_tokens: 4096
  temperature: 0
  do_sample: false
metric_list:
"""

_METRIC = """  - metric: {name}
    aggregation: !function utils.{name}
    higher_is_better: {higher}
"""

_TASK = """# {count} clips, prompt condition {prompt}.
include: {base}
task: {base_task}_{prompt}
tag: {base_task}
lmms_eval_specific_kwargs:
  default:
    prompt: {prompt}
    pre_prompt: ""
    post_prompt: ""
metadata:
  version: 1.0
"""


def export(clips: Clips, out: Path, *, name: str) -> str:
    """Writes the folder and says how to run it."""
    slug = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "clips"
    task = f"lft_{slug}"
    prompts = [p for p in conditions() if _fits_one_message(Template.load(p))]
    placed = copy_clips(clips, out)
    write_text(out / "samples.jsonl", "".join(json.dumps(s) + "\n" for s in _samples(placed, prompts)))
    higher = {metric: metric not in ("acr", "rfr", "false_alarm_rate") for metric in METRICS}
    metrics = (_METRIC.format(name=m, higher=str(up).lower()) for m, up in higher.items())
    write_text(out / f"{task}_base", _BASE + "".join(metrics))
    write_text(out / "utils.py", _UTILS + "".join(f'{m} = lmms_task.aggregate("{m}")\n' for m in METRICS))
    for prompt in prompts:
        text = _TASK.format(count=len(placed), prompt=prompt, base=f"{task}_base", base_task=task)
        write_text(out / f"{task}_{prompt}.yaml", text)
    return f"lmms_eval --include_path {shlex.quote(str(out))} --tasks {task} --model MODEL"


def _fits_one_message(template: Template) -> bool:
    more = template.system or template.thinking or template.schema
    return len(template.turns) == 1 and not more


def _samples(clips: Clips, prompts: list[str]) -> list[JsonObject]:
    sweep = Sweep("lmms-eval", "", "", tuple(Condition("native", "none", p) for p in prompts))
    texts: dict[str, dict[str, str]] = {}
    for trial in trials(sweep, clips, ""):
        texts.setdefault(str(trial.key["clip"]), {})[trial.condition.prompt] = trial.request().text
    if set(texts) != set(clips.by_id):
        raise InputError("some clips have no question", where=clips.folder)
    # The words of all conditions as one text: a column of structs would fill in what a row does not have.
    return [{**row, "texts": json.dumps(texts[row["clip_id"]])} for row in rows(clips)]

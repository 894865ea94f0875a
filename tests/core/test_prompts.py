"""Prompt files: sections, placeholders, turns; and that every file that comes with LFT holds to the rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lft.core.errors import InputError
from lft.core.prompts import Template, folder

CONDITIONS = sorted(p.stem for p in (folder() / "conditions").glob("*.txt"))
LEDGERS = [name for name in CONDITIONS if "ledger" in Template.load(name).turns[0]]


def test_the_conditions_of_the_study_are_there() -> None:
    assert {
        "direct", "structured_trace", "multi_turn_verification", "thinking", "role_prompting", "two_turn_verification",
    } <= set(CONDITIONS)  # fmt: skip


@pytest.mark.parametrize("name", CONDITIONS)
def test_every_condition_shows_evidence_asks_the_question_and_wants_a_boxed_answer(name: str) -> None:
    values = {"evidence": "EVIDENCE", "question": "QUESTION", "event": "EVENT", "detail": "DETAIL"}
    prompt = Template.load(name).render(values)
    assert "EVIDENCE" in prompt.turns[0]
    assert "QUESTION" in prompt.turns[0]
    if prompt.schema:  # the answer is a member of the JSON, not a box
        assert "final_answer" in prompt.turns[-1]
        return
    assert "\\boxed{N}" in prompt.turns[-1]
    assert "{" not in prompt.turns[-1].replace("\\boxed{N}", "")


@pytest.mark.parametrize("name", LEDGERS)
def test_every_ledger_condition_asks_for_seconds_type_and_running_count(name: str) -> None:
    text = Template.load(name).turns[0]
    assert "seconds" in text
    assert "{detail}" in text
    assert "running count" in text


def test_a_ledger_is_demanded_where_the_study_does() -> None:
    assert {"structured_trace", "multi_turn_verification"} <= set(LEDGERS)
    assert not {"direct", "thinking", "role_prompting"} & set(LEDGERS)


@pytest.mark.parametrize("name", ["direct", "thinking", "role_prompting"])
def test_times_are_neither_demanded_nor_forbidden_where_the_study_leaves_them_open(name: str) -> None:
    values = {"evidence": "", "question": "", "event": "", "detail": ""}
    words = " ".join(Template.load(name).render(values).turns).lower()
    assert not {"only", "seconds", "time", "times", "ledger", "list"} & set(re.findall(r"[a-z]+", words))


def test_a_schema_is_part_of_a_prompt() -> None:
    schema = Template.load("structured_output").schema
    assert schema is not None
    assert schema["required"] == ["events", "final_answer"]
    assert Template.load("direct").schema is None
    for body, words in (("[]", "the schema is"), ("{", "not JSON"), ('{"type": "array"}', "the schema is")):
        with pytest.raises(InputError, match=words):
            Template.parse("t", f"=== user\nx\n=== schema\n{body}", where="t.txt")
    with pytest.raises(InputError, match="several schema sections"):
        Template.parse("t", '=== user\nx\n=== schema\n{"type": "object"}\n=== schema\n{"type": "object"}')


def test_a_folder_of_prompts_comes_before_those_of_the_package(tmp_path: Path) -> None:
    (tmp_path / "conditions").mkdir()
    (tmp_path / "conditions" / "direct.txt").write_text("=== user\nas they asked")
    assert Template.load("direct", tmp_path).turns == ("as they asked",)
    assert Template.load("thinking", tmp_path) == Template.load("thinking")
    with pytest.raises(InputError, match="unknown prompt"):
        Template.load("of_nobody", tmp_path)


def test_what_is_special_to_each_condition() -> None:
    assert Template.load("thinking").thinking
    assert not Template.load("direct").thinking
    assert Template.load("role_prompting").system
    assert len(Template.load("two_turn_verification").turns) == 2
    assert len(Template.load("multi_turn_verification").turns) == 1


def test_braces_and_unknown_placeholders() -> None:
    template = Template.parse("t", "=== user\n{a} {{N}}")
    assert template.render({"a": "{b}"}).turns == ("{b} {N}",)  # a value is never filled again
    with pytest.raises(InputError, match="unknown placeholder 'a'"):
        template.render({"b": ""})
    with pytest.raises(InputError, match=r", or \{\{N\}\} for literal braces$"):
        Template.parse("t", "=== user\n\\boxed{N}").render({"question": ""})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "one or more"),
        ("=== system\nx", "one or more"),
        ("=== user\n\n", "one or more"),
        ("=== usr\nx", "did you mean this"),
        ("stray\n=== user\nx", "stray"),
        ("=== options\nthinking: maybe\n=== user\nx", "on or off"),
        ("=== options\nthought: on\n=== user\nx", "thinking"),
        ("=== system\na\n=== system\nb\n=== user\nx", "at most one `=== system`"),
    ],
)
def test_faulty_prompt_files_are_refused(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        Template.parse("t", text, where="t.txt")


@pytest.mark.parametrize("name", ["structured", "../questions/blinking", "", "/etc/passwd", "none.txt"])
def test_unknown_prompts_are_refused(name: str) -> None:
    with pytest.raises(InputError, match="unknown prompt"):
        Template.load(name)


def test_a_users_own_file_is_a_condition(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("=== user\n{question}")
    assert Template.load(str(path)).name == "mine"


def test_any_change_of_the_words_changes_the_hash() -> None:
    a, b = (Template.parse("t", f"=== user\n{x}") for x in ("How many?", "How many ?"))
    assert a.sha256 != b.sha256
    assert a.render({}).sha256 != b.render({}).sha256

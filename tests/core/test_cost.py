"""Prices: own ones first, listed ones next, unknown never zero."""

from __future__ import annotations

from pathlib import Path

import pytest

from lft.core.cost import Price, Prices, Spent, billed
from lft.core.errors import InputError
from lft.core.requests import Usage

USED = Usage(input_tokens=1_000_000, output_tokens=100_000, thought_tokens=300_000, cached_tokens=400_000)


def test_cached_tokens_are_priced_apart_and_thought_as_output() -> None:
    # 0.6 M at 1 USD, 0.4 M cached at 0.1, 0.4 M out at 10: 0.60 + 0.04 + 4.00.
    assert Price(1.0, 10.0, 0.1).usd(USED) == pytest.approx(4.64)
    assert Price(1.0, 10.0).usd(USED) == pytest.approx(5.0)


@pytest.mark.parametrize("usage", [Usage(), Usage(input_tokens=5), Usage(output_tokens=5)])
def test_without_counts_there_is_no_price(usage: Usage) -> None:
    assert Price(1.0, 1.0).usd(usage) is None
    assert Prices({"x": Price(1.0, 1.0)}).usd("openai", "x", usage) is None
    assert Prices().usd("openai", "gpt-5", usage) is None


def test_a_listed_price_is_the_published_one() -> None:
    # 1.25 USD and 10 USD per million tokens, as OpenAI lists gpt-5: 0.00125 + 0.005.
    usage = Usage(input_tokens=1000, output_tokens=300, thought_tokens=200)
    assert Prices().usd("openai", "gpt-5", usage) == pytest.approx(0.00625)


@pytest.mark.parametrize(
    ("provider", "name", "base_url"),
    [
        ("openai", "gpt-99-unheard-of", None),
        ("gemini", "gemini-99-unheard-of", None),
        ("openai", "gpt-5", "http://127.0.0.1:8000/v1"),  # a server of one's own has no list
        ("hf", "Qwen/Qwen3-VL-8B-Instruct", None),
    ],
)
def test_an_unknown_price_is_unknown(provider: str, name: str, base_url: str | None) -> None:
    assert Prices().usd(provider, name, Usage(10, 10), base_url=base_url) is None


def test_a_file_of_prices_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "prices.yaml"
    path.write_text("gpt-5: {input: 1, output: 2, cached: 0.5}\nopenai:mine: {input: 0, output: 0}\n")
    monkeypatch.chdir(tmp_path)
    prices = Prices.load()
    assert prices.usd("openai", "gpt-5", Usage(1_000_000, 1_000_000)) == 3.0
    assert prices.usd("openai", "mine", Usage(5, 5), base_url="http://127.0.0.1/v1") == 0.0
    assert prices.usd("gemini", "mine", Usage(5, 5)) is None
    monkeypatch.chdir("/")
    assert Prices.load().own == {}
    monkeypatch.setenv("LFT_PRICES", str(path))
    assert Prices.load() == prices


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x: {input: 1}", "x: has no output price"),
        ("x: {input: -1, output: 1}", "input is -1; expected USD per million tokens"),
        ("x: {input: .nan, output: 1}", "input is nan"),
        ("x: {input: true, output: 1}", "input is True"),
        ("x: {inputs: 1, output: 1}", "unknown key 'inputs'; expected .*input .did you mean"),
        ("- x", "expected a mapping"),
    ],
)
def test_an_unusable_file_of_prices_is_one_line(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text)
    with pytest.raises(InputError, match=words):
        Prices.load(path)


def test_spending_is_unknown_while_one_call_is() -> None:
    spent = Spent()
    lines = [
        {"status": "answered", "usage": {"input_tokens": 10, "output_tokens": 5}, "cost_usd": 0.5},
        {"status": "error", "error": {"kind": "truncated"}, "usage": {"thought_tokens": 7}, "cost_usd": 0.25},
        {"status": "error", "error": {"kind": "timeout"}},
        {"status": "not_applicable"},
    ]
    for line in billed(lines):
        spent.add(line)
    assert (spent.calls, spent.input_tokens, spent.thought_tokens, spent.usd_or_unknown) == (2, 10, 7, 0.75)
    spent.add({"status": "answered", "usage": {}, "cost_usd": None})
    assert spent.usd_or_unknown is None
    assert spent.usd == 0.75

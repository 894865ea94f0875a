"""What answers cost, in USD. A price that is not known is None ("unknown"), never zero and never a guess.

Prices come from a file of your own first (`prices.yaml` in the working directory, or the file that LFT_PRICES
names), then from the `genai-prices` package, which carries the public price lists of the hosted providers.

    # USD per million tokens; the key is a model's name, or provider:name as in a model spec
    gemini-3.6-flash: {input: 0.75, output: 3.75, cached: 0.075}
    openai:Qwen/Qwen3-VL-8B-Instruct: {input: 0, output: 0}      # a server of my own
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lft.core.config import checked_keys, read_yaml
from lft.core.errors import InputError, shown
from lft.core.requests import Usage

PRICE_FILE = "prices.yaml"
_IDS = {"gemini": "google", "openai": "openai"}  # our provider -> the one of genai-prices
TOKENS = ("input_tokens", "output_tokens", "thought_tokens", "cached_tokens")


@dataclass(frozen=True)
class Price:
    """USD per million tokens. `cached` is for input tokens served from a cache; None prices them as input.

    >>> Price(2.0, 10.0).usd(Usage(input_tokens=500_000, output_tokens=10_000, thought_tokens=90_000))
    2.0
    """

    input: float
    output: float
    cached: float | None = None

    def usd(self, usage: Usage) -> float | None:
        """The price of one call; thought tokens are billed as output. None where a count is missing."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        written = usage.output_tokens + (usage.thought_tokens or 0)
        cached_price = self.input if self.cached is None else self.cached
        return (
            (usage.input_tokens - cached) * self.input + cached * cached_price + written * self.output
        ) / 1e6


@dataclass(frozen=True)
class Prices:
    """Where prices come from: `own` by model name or provider:name, then the public lists."""

    own: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | str | None = None) -> Prices:
        """The file at `path`, else the one LFT_PRICES names, else prices.yaml here if there is one."""
        named = path or os.environ.get("LFT_PRICES")
        file = Path(named or PRICE_FILE)
        if not named and not file.is_file():
            return cls()
        own = {}
        for model, entry in read_yaml(file).items():
            where = f"{file}: {model}"
            numbers = checked_keys(entry, ("input", "output", "cached"), where=where)
            for name in ("input", "output"):
                if name not in numbers:
                    raise InputError(
                        f"has no {name} price", where=where, remedy="input and output, USD per million tokens"
                    )
            for name, value in numbers.items():
                if (
                    isinstance(value, bool)
                    or not isinstance(value, (int, float))
                    or not 0 <= value < math.inf
                ):
                    raise InputError(
                        f"{name} is {shown(value)}", where=where, remedy="USD per million tokens, from 0 on"
                    )
            own[model] = Price(**{k: float(v) for k, v in numbers.items()})
        return cls(own)

    def usd(
        self,
        provider: str,
        name: str,
        usage: Usage,
        *,
        version: str | None = None,
        base_url: str | None = None,
    ) -> float | None:
        """The price of one call of `provider:name`, or None if it is not known.

        `version` is the model that the provider says answered (a name such as "latest" has no price of its
        own); `base_url` is set for servers other than the provider's own, whose prices are those of their
        address, if any.
        """
        price = self.own.get(f"{provider}:{name}") or self.own.get(name)
        if price:
            return price.usd(usage)
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return _listed_usd(provider, [n for n in (version, name) if n], usage, base_url)


def _listed_usd(provider: str, names: list[str], usage: Usage, base_url: str | None) -> float | None:
    """The price by the public lists; None if they are not installed or do not know the model."""
    try:
        from genai_prices import Usage as Counted
        from genai_prices import calc_price
    except ImportError:
        return None
    counted = Counted(
        input_tokens=usage.input_tokens,
        output_tokens=(usage.output_tokens or 0) + (usage.thought_tokens or 0),
        cache_read_tokens=usage.cached_tokens or None,
    )
    for name in names:
        try:
            if base_url:
                return float(calc_price(counted, name, provider_api_url=base_url).total_price)
            if provider in _IDS:
                return float(calc_price(counted, name, provider_id=_IDS[provider]).total_price)
        except (LookupError, ValueError):
            continue
    return None


@dataclass
class Spent:
    """Tokens and money of some answers. `usd` counts those whose price is known.

    `unpriced` are the others.
    """

    trials: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    uncounted: int = 0  # calls whose tokens the provider did not report
    input_by_modality: dict[str, int] = field(default_factory=dict)  # as far as the provider splits them

    def add(self, line: Mapping[str, Any]) -> None:
        """Counts one line of a run that was answered, or that failed but was billed.

        Raises `InputError` for counts that are not numbers.
        """
        try:
            self._add(line.get("usage") or {}, line.get("cost_usd"))
        except (AttributeError, TypeError, ValueError, OverflowError):
            what = f"unusable tokens or cost: {shown(line.get('usage'))}, {shown(line.get('cost_usd'))}"
            raise InputError(what, where=f"trial {shown(line.get('trial'))}") from None

    def _add(self, usage: Mapping[str, Any], cost_usd: Any) -> None:
        self.calls += 1
        for name in TOKENS:
            setattr(self, name, getattr(self, name) + int(usage.get(name) or 0))
        self.uncounted += "input_tokens" not in usage
        for modality, count in (usage.get("by_modality") or {}).items():
            self.input_by_modality[modality] = self.input_by_modality.get(modality, 0) + int(count)
        if cost_usd is None:
            self.unpriced += 1
        elif math.isfinite(cost_usd):
            self.usd += float(cost_usd)
        else:
            raise ValueError

    @property
    def usd_or_unknown(self) -> float | None:
        """The money, or None while any call has no price."""
        return None if self.unpriced else self.usd


def billed(lines: Iterable[Mapping[str, Any]]) -> Iterable[Mapping[str, Any]]:
    """The lines that count: answers, and failed attempts for which the provider reported tokens."""
    return (line for line in lines if line.get("status") == "answered" or line.get("usage"))


def money(usd: float | None) -> str:
    """A sum for people.

    >>> money(None), money(0.0), money(12.345), money(0.00042)
    ('unknown', '0.00 USD', '12.35 USD', '0.00042 USD')
    """
    if usd is None:
        return "unknown"
    return f"{usd:,.2f} USD" if usd == 0 or usd >= 0.01 else f"{usd:.2g} USD"

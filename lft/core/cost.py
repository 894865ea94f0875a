"""The cost of answers in USD, and the budget of a sweep (`Purse`). An unknown price is None, never zero.

Prices come first from your own file (`prices.yaml` in the working directory, or the file that LFT_PRICES names), then
from the public price lists in the package `genai-prices`. A run stores tokens, so its cost is computed with the prices
at the time of reading. Each line also has the cost at the time of its answer, for `--as-paid` and for unknown prices.

    # USD per million tokens; the key is a model's name, or provider:name as in a model spec
    gemini-3.6-flash: {input: 0.75, output: 3.75, cached: 0.075, audio: 1.5}
    openai:Qwen/Qwen3-VL-8B-Instruct: {input: 0, output: 0}      # your own server
"""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lft.core.conditions import item_of
from lft.core.config import checked_keys, read_yaml
from lft.core.errors import InputError, shown
from lft.core.records import Entries, Key, Line
from lft.core.requests import Usage
from lft.core.run_lines import usage_of
from lft.core.runs import Tally
from lft.core.trials import Trial

PRICE_FILE = "prices.yaml"
_LONGEST_OUTPUT = 65_536  # assumed output tokens of a lost call without an output limit
BATCH_SHARE = 0.5  # of the price of a direct call, as the providers publish it for their batch jobs
# in genai-prices
_IDS = {name: name for name in ("openai", "azure", "anthropic")} | {"gemini": "google", "vertex": "google"}
PRICED = ("gemini", "vertex", "openai", "azure", "vllm", "anthropic")  # providers whose tokens have prices
_MAY_BE_BILLED = ("timeout", "connection", "bad_reply")  # calls that ended without a count of tokens
TOKENS = ("input_tokens", "output_tokens", "thought_tokens", "cached_tokens")


@dataclass(frozen=True)
class Price:
    """USD per million tokens. `cached`: input tokens from a cache, `audio`: input tokens of sound; None: as `input`.

    >>> Price(2.0, 10.0).usd(Usage(input_tokens=500_000, output_tokens=10_000, thought_tokens=90_000))
    2.0
    """

    input: float
    output: float
    cached: float | None = None
    audio: float | None = None

    def usd(self, usage: Usage) -> float | None:
        """The price of one call; thought tokens are billed as output. None if a count is missing."""
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        cached = usage.cached_tokens or 0
        fresh = usage.input_tokens - cached
        audio = min(max(0, _audio(usage) - (usage.cached_audio_tokens or 0)), fresh)
        written = usage.output_tokens + (usage.thought_tokens or 0)
        cached_price = self.input if self.cached is None else self.cached
        audio_price = self.input if self.audio is None else self.audio
        return (
            (fresh - audio) * self.input + audio * audio_price + cached * cached_price + written * self.output
        ) / 1e6


@dataclass(frozen=True)
class Prices:
    """Prices: `own` by model name or provider:name, then the public lists."""

    own: Mapping[str, Price] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path | str | None = None) -> Prices:
        """Reads the file at `path`, else the one that LFT_PRICES names, else prices.yaml if it exists."""
        named = path or os.environ.get("LFT_PRICES")
        file = Path(named or PRICE_FILE)
        if not named and not file.is_file():
            return cls()
        own = {}
        for model, entry in read_yaml(file).items():
            where = f"{file}: {model}"
            numbers = checked_keys(entry, ("input", "output", "cached", "audio"), where=where)
            for name in ("input", "output"):
                if name not in numbers:
                    raise InputError(
                        f"has no {name} price",
                        where=where,
                        expected="input and output, USD per million tokens",
                    )
            for name, value in numbers.items():
                if (
                    isinstance(value, bool)
                    or not isinstance(value, (int, float))
                    or not 0 <= value < math.inf
                ):
                    raise InputError(
                        f"{name} is {shown(value)}", where=where, expected="USD per million tokens, from 0 on"
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
        """The price of one call of `provider:name`, or None if it is unknown.

        `version` is the model that answered, according to the provider ("latest" has no price). `base_url` is set for
        a server other than the provider's own, which is priced by its address.
        """
        price = self.own.get(f"{provider}:{name}") or self.own.get(name)
        if price:
            return price.usd(usage)
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        return _listed_usd(provider, [n for n in (version, name) if n], usage, base_url)


def _audio(usage: Usage) -> int:
    """Tokens of sound in the input."""
    return min(usage.by_modality.get("audio", 0), usage.input_tokens or 0)


def _listed_usd(provider: str, names: list[str], usage: Usage, base_url: str | None) -> float | None:
    """The price in the public lists; None if they are not installed or lack the model."""
    try:
        from genai_prices import Usage as Counted
        from genai_prices import calc_price
    except ImportError:
        return None
    counted = Counted(
        input_tokens=usage.input_tokens,
        output_tokens=(usage.output_tokens or 0) + (usage.thought_tokens or 0),
        cache_read_tokens=usage.cached_tokens or None,
        input_audio_tokens=_audio(usage) or None,
        cache_audio_read_tokens=usage.cached_audio_tokens or None,
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
    """Tokens and cost of answers. `usd` sums the known prices; `unpriced` counts the answers without one."""

    trials: int = 0
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    thought_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0
    unpriced: int = 0
    uncounted: int = 0  # calls without reported tokens
    input_by_modality: dict[str, int] = field(default_factory=dict)  # if the provider reports it

    def add(self, line: Line) -> None:
        """Adds an answered line, or a failed line that was billed."""
        used, cost_usd = usage_of(line), line.get("cost_usd")
        self.calls += 1
        for name in TOKENS:
            setattr(self, name, getattr(self, name) + (getattr(used, name) or 0))
        self.uncounted += used.input_tokens is None
        for modality, count in used.by_modality.items():
            self.input_by_modality[modality] = self.input_by_modality.get(modality, 0) + count
        self.unpriced += cost_usd is None
        self.usd += cost_usd or 0.0

    @property
    def usd_or_unknown(self) -> float | None:
        """The cost, or None if any call has no price."""
        return None if self.unpriced else self.usd


def billed(
    lines: Iterable[Line], model: Entries | None = None, prices: Prices | None = None
) -> Iterator[Line]:
    """Billed lines: answers, and failed attempts with reported tokens.

    With the `model` of the run's manifest and `prices`, `cost_usd` is computed from the stored tokens; without a known
    price it stays as it was at the time of the answer.
    """
    provider, name = str((model or {}).get("provider")), str((model or {}).get("name"))
    base_url = _elsewhere(model or {})
    for line in lines:
        if line.get("status") != "answered" and not line.get("usage"):
            continue
        if prices is None or provider not in PRICED or not line.get("usage"):
            yield line
            continue
        usd = prices.usd(provider, name, usage_of(line), version=line.get("model_version"), base_url=base_url)
        share = BATCH_SHARE if line.get("batch") else 1.0
        yield line if usd is None else {**line, "cost_usd": usd * share}


def most_usd(
    lost: Iterable[Entries],
    lines: Iterable[Line],
    model: Entries,
    prices: Prices,
) -> tuple[int, float | None]:
    """(number of calls without a line or without tokens, upper bound on their cost; None if unknown).

    `lost` are calls without a line. The bound assumes per call the most input tokens of the run, and as many output
    tokens as its limit allows; without a limit those of the longest answer, at least 65,536.
    """
    if str(model.get("provider")) not in PRICED:
        return 0, 0.0
    kept = list(lines)
    silent = 0
    for line in kept:
        if (error := line.get("error")) and not line.get("usage"):
            silent += error["kind"] in _MAY_BE_BILLED and not error.get("is_down")
    count = silent + sum(1 for _ in lost)
    if not count:
        return 0, 0.0
    usd = dearest_call_usd(kept, model, prices)
    return count, None if usd is None else usd * count


def dearest_call_usd(lines: Iterable[Line], model: Entries, prices: Prices) -> float | None:
    """The upper bound of `most_usd` for one call; None without an answer or a price."""
    most_in, most_out, allowed = 0, 0, 0
    for line in lines:
        used = usage_of(line)
        most_in = max(most_in, used.input_tokens or 0)
        most_out = max(most_out, (used.output_tokens or 0) + (used.thought_tokens or 0))
        settings = line.get("settings") or {}
        allowed = max(allowed, int(settings.get("max_output_tokens") or settings.get("max_tokens") or 0))
    if not most_in:
        return None
    worst = Usage(most_in, max(most_out, allowed or _LONGEST_OUTPUT))
    return prices.usd(str(model.get("provider")), str(model.get("name")), worst, base_url=_elsewhere(model))


def _elsewhere(model: Entries) -> str | None:
    """The address of a server that is not the provider's own, else None."""
    url = model.get("base_url")
    own = model.get("provider") != "openai" or url == "https://api.openai.com/v1"
    return None if own or not isinstance(url, str) else url


class Purse:
    """Reserves for each trial in flight the highest price seen for its condition.

    The first trial of a condition is asked alone, at the highest price of any condition: only such a call can exceed
    the budget. If a price stays unknown, nothing more is asked. `lost_usd` bounds the cost of lost calls of earlier
    processes; it is subtracted from the budget.
    """

    def __init__(self, most_usd: float | None, tally: Tally, lost_usd: float = 0.0) -> None:
        self._most_usd = most_usd
        self._lost_usd = lost_usd
        self._tally = tally
        self._dearest_usd: dict[Hashable, float] = {}
        self._so_far_usd: dict[str, float] = {}
        self._reserved_usd: dict[str, float | None] = {}

    def remember(self, lines: Iterable[Line]) -> None:
        """Learns prices from earlier sessions of the run."""
        spent_usd: dict[tuple[str, Hashable], float] = {}
        for line in lines:
            key = (line["trial"], _priced_as(line["key"]))
            spent_usd[key] = spent_usd.get(key, 0.0) + float(line.get("cost_usd") or 0.0)
        for (_, condition), usd in spent_usd.items():
            self._dearest_usd[condition] = max(usd, self._dearest_usd.get(condition, 0.0))

    def allows(self, trial: Trial) -> bool:
        """Whether the trial may be asked now; sets `tally.stopped` if the sweep has to stop."""
        if self._most_usd is None:
            return True
        if not self._tally.cost_known:
            self._tally.stopped = "the price of this model is unknown, so a budget cannot be kept"
            return False
        need_usd = self._dearest_usd.get(_priced_as(trial.key))
        reserved = self._reserved_usd.values()
        if self._reserved_usd and (need_usd is None or None in reserved):
            return False  # later, when the calls in flight are back
        held_usd = sum(max(0.0, r - self._so_far_usd.get(t, 0.0)) for t, r in self._reserved_usd.items() if r)
        left_usd = self._most_usd - self._tally.cost_usd - held_usd - self._lost_usd
        if need_usd is None:
            need_usd = max(self._dearest_usd.values(), default=0.0)
        if left_usd <= 0 or need_usd > left_usd:
            if not self._reserved_usd:
                self._tally.stopped = self._spent()
            return False
        return True

    def begin(self, trial: Trial) -> None:
        """The trial is in flight."""
        self._reserved_usd[trial.id] = self._dearest_usd.get(_priced_as(trial.key))

    def paid(self, trial: Trial, line: Line) -> None:
        """Adds the cost of a line of the trial, failed attempts included."""
        if usd := line.get("cost_usd"):
            self._so_far_usd[trial.id] = self._so_far_usd.get(trial.id, 0.0) + usd

    def allows_another_like(self, line: Line) -> bool:
        """Whether an unfinished trial may continue, at about the cost of this line; sets `tally.stopped` if not."""
        usd = float(line.get("cost_usd") or 0.0)
        if self._most_usd is None or self._tally.cost_usd + usd + self._lost_usd <= self._most_usd:
            return True
        self._tally.stopped = self._tally.stopped or self._spent()
        return False

    def end(self, trial: Trial) -> None:
        """The trial is finished."""
        self._reserved_usd.pop(trial.id, None)
        spent_usd = self._so_far_usd.pop(trial.id, None)
        if spent_usd is not None:
            condition = _priced_as(trial.key)
            self._dearest_usd[condition] = max(spent_usd, self._dearest_usd.get(condition, 0.0))

    def _spent(self) -> str:
        more = f"; lost calls may have cost {money(self._lost_usd)}" if self._lost_usd else ""
        return f"the budget of {self._most_usd:g} USD does not allow another call{more}"


def money(usd: float | None) -> str:
    """A sum in words, with at least two significant digits.

    >>> money(None), money(0.0), money(12.345), money(0.00042), money(0.0149)
    ('unknown', '0.00 USD', '12.35 USD', '0.00042 USD', '0.015 USD')
    """
    if usd is None:
        return "unknown"
    if usd == 0 or usd >= 0.995:
        return f"{usd:,.2f} USD"
    digits = max(2, 1 - math.floor(math.log10(usd)))
    return f"{usd:.{digits}f} USD"


def _priced_as(key: Key) -> Hashable:
    """The part of a key that sets the price of a call: all but the item and its numbers."""
    varies = (item_of(key), "replicate", "turn")
    return tuple((k, str(v)) for k, v in sorted(key.items()) if k not in varies)

"""What episodes take, before they are played. Each request shows again what came before, so pictures and tokens grow with
the square of the decisions; most of a request was in the one before it, and providers bill that part as cached.

Counted are episodes without retries: at most (every decision of the limit) and as the expert plays (its way). Tokens
follow from what the user says an image and an answer take; words are taken as 4 characters a token.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from lft.agents.condition import AXES
from lft.agents.episode import Episode
from lft.agents.tasks import unrolled
from lft.core.errors import InputError, shown
from lft.core.records import Entries
from lft.core.suite import Told
from lft.core.terminal import table

_CHARACTERS = 4  # of a token of English words
_TURN = 30  # tokens of the words of a later turn


@dataclass(frozen=True)
class Taken:
    """What episodes take together. Tokens are None where it is not said what an image takes.

    `cached_tokens` are those of `input_tokens` that were in the request before.
    """

    calls: int
    images: int
    input_tokens: int | None
    cached_tokens: int | None
    output_tokens: int | None

    def __add__(self, other: Taken) -> Taken:
        both = zip(vars(self).values(), vars(other).values(), strict=True)
        return Taken(*(None if None in pair else sum(pair) for pair in both))  # type: ignore[arg-type]

    def usd(self, prices: tuple[float, float, float]) -> float | None:
        """Cost at prices in USD for a million tokens: input, cached input, output.

        >>> Taken(2, 3, 1_500_000, 500_000, 1_000_000).usd((2.0, 0.5, 10.0))
        12.25
        """
        if self.input_tokens is None or self.cached_tokens is None or self.output_tokens is None:
            return None
        new = self.input_tokens - self.cached_tokens
        return (new * prices[0] + self.cached_tokens * prices[1] + self.output_tokens * prices[2]) / 1e6


def taken(
    decisions: int,
    *,
    pinned_images: int,
    pinned_words: int,
    window: int | None,
    image: int | None,
    answer: int,
) -> Taken:
    """One episode of so many decisions. `pinned_images` and `pinned_words` (tokens) stand in every request; `window` is
    how many earlier steps do, None for all; `image` and `answer` are tokens of one.

    >>> taken(3, pinned_images=10, pinned_words=100, window=None, image=1000, answer=50)
    Taken(calls=3, images=36, input_tokens=36630, cached_tokens=23340, output_tokens=150)
    """
    images = total = cached = before = 0
    for step in range(1, decisions + 1):
        earlier = step - 1 if window is None else min(step - 1, window)
        pictures = pinned_images + earlier + 1
        images += pictures
        if image is None:
            continue
        pinned = pinned_words + pinned_images * image
        size = pinned + earlier * (image + answer + _TURN) + image + _TURN
        total += size
        whole = window is None or step - 1 <= window
        cached += (before if whole else pinned) if step > 1 else 0
        before = size
    tokens = (None, None, None) if image is None else (total, cached, decisions * answer)
    return Taken(decisions, images, *tokens)


def notes(trials: Sequence[Episode], options: Entries) -> Told:
    """What `lft plan` says beside the core's table."""
    image, answer = options.get("image_tokens"), int(options.get("answer_tokens") or 100)
    prices = _prices(options.get("usd"))
    groups: dict[tuple[str, ...], dict[str, Taken]] = {}
    for trial in trials:
        n_clips = trial.foreseen.most_images - min(trial.task.decisions, (trial.condition.window or 999) + 1)
        words = len(trial.spec.rules[trial.condition.rules]) // _CHARACTERS + 150
        found = groups.setdefault(tuple(vars(trial.condition).values()), {})
        for name, decisions in (("most", trial.task.decisions), ("expert", len(unrolled(trial.task.expert)))):
            one = taken(
                decisions, pinned_images=n_clips, pinned_words=words, window=trial.condition.window,
                image=image, answer=answer,
            )  # fmt: skip
            found[name] = found[name] + one if name in found else one
    rows: list[tuple[str, ...]] = [
        ("condition", "played", "calls", "images", "tokens in", "cached", "tokens out", "cost")
    ]
    document = []
    for condition, by_name in groups.items():
        for name, one in by_name.items():
            usd = one.usd(prices) if prices else None
            entry = {**dict(zip(AXES, condition, strict=True)), "played": name, **asdict(one), "usd": usd}
            document.append(entry)
            cells = ["unknown" if v is None else f"{v:,}" for v in vars(one).values()]
            played = "to the limit" if name == "most" else "as the expert"
            rows.append((" ".join(condition), played, *cells, "unknown" if usd is None else f"{usd:.2f} USD"))
    text = "Without retries; each request shows the earlier steps again:\n" + table(rows[0], rows[1:], left=2)
    if image is None:
        text += "\nunknown: --image-tokens says what a picture takes (providers count in their own way); with --usd "
        text += "IN,CACHED,OUT, dollars for a million tokens, the cost is worked out"
    return Told({"episodes": document}, text)


def _prices(text: object) -> tuple[float, float, float] | None:
    if text is None:
        return None
    try:
        first, second, third = (float(part) for part in str(text).split(","))
    except ValueError:
        raise InputError(
            f"--usd is {shown(text)}", expected="IN,CACHED,OUT for a million tokens, as 1.25,0.31,10"
        ) from None
    return first, second, third

"""Requests to a model and its responses: plain data, independent of any provider.

A request is a conversation: messages of the user and, in later turns, of the model; each is a sequence of parts. A
picture has a purpose: `evidence` to be judged, `demonstration` to be learned from, or `observation` of the present
state.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from lft.core.records import Entries, Key
from lft.core.video.frames import Frames
from lft.core.video.media import Media

Role = Literal["user", "model"]
Purpose = Literal["evidence", "demonstration", "observation"]


@dataclass(frozen=True)
class Text:
    """Words."""

    text: str


@dataclass(frozen=True)
class Images:
    """Frames as images, in time order. `labels`: `none`, `index` ("Frame 3:") or `time` ("1.50 s:") beside each."""

    frames: Frames
    labels: str = "none"
    purpose: Purpose = "evidence"

    def label(self, position: int) -> str | None:
        """The label of the image at `position` (0-based), or None."""
        if self.labels == "index":
            return f"Frame {position + 1}:"
        if self.labels == "time":
            return f"{self.frames.times_s[position]:.2f} s:"
        return None


@dataclass(frozen=True)
class Video:
    """The unchanged video file. `rate_hz`: the sampling rate asked of the provider; None leaves it to the provider."""

    media: Media
    rate_hz: float | None = None
    purpose: Purpose = "evidence"


Part = Text | Images | Video


@dataclass(frozen=True)
class Message:
    """The parts of one side, in order."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """Its words, joined by blank lines."""
        return "\n\n".join(part.text for part in self.parts if isinstance(part, Text))


def user(*parts: Part | str) -> Message:
    """A message of the user; text may be given as a string.

    >>> user("How many?").parts
    (Text(text='How many?'),)
    """
    return Message("user", tuple(Text(part) if isinstance(part, str) else part for part in parts))


def said(text: str) -> Message:
    """A message of the model: its answer in an earlier turn."""
    return Message("model", (Text(text),))


@dataclass(frozen=True, init=False)
class Request:
    """One call of a model.

    Attributes
    ----------
    messages : the conversation. Roles alternate: neighbours of one role are joined; a part without a message is the
        user's.
    system : system instruction, or None.
    key : identifies the trial in the run, and the turn; never sent.
    task : the kind of question, such as {"suite": NAME, "kind": KIND}, without the truth; never sent to a hosted model.
    thinking : whether the prompt asks for extended reasoning, for providers with a switch.
    response_schema : a JSON schema of the answer, or None. Only for models with `takes_schema` (see `schema_refused`).
    kept : JSON entries that the run stores with the answer, such as a step's number or the hash of a state; never sent.

    >>> request = Request((user("One?"), said("Yes."), Text("Two?"), Text("Three?")))
    >>> [(message.role, message.text) for message in request.messages]
    [('user', 'One?'), ('model', 'Yes.'), ('user', 'Two?\\n\\nThree?')]
    """

    messages: tuple[Message, ...]
    system: str | None
    key: Key
    task: Mapping[str, str]
    thinking: bool
    response_schema: Entries | None
    kept: Entries

    def __init__(
        self,
        messages: Iterable[Message | Part],
        system: str | None = None,
        key: Key | None = None,
        task: Mapping[str, str] | None = None,
        thinking: bool = False,
        response_schema: Entries | None = None,
        kept: Entries | None = None,
    ) -> None:
        values = (_joined(messages), system, key or {}, task or {}, thinking, response_schema, kept or {})
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of all messages, in order."""
        return tuple(part for message in self.messages for part in message.parts)

    @property
    def images(self) -> int:
        """The number of images."""
        return sum(self.pictures.values())

    @property
    def pictures(self) -> Counter[str]:
        """The number of images for each purpose."""
        counts: Counter[str] = Counter()
        for part in self.parts:
            if isinstance(part, Images):
                counts[part.purpose] += len(part.frames)
        return counts

    @property
    def text(self) -> str:
        """The texts of the user, joined by blank lines."""
        return "\n\n".join(m.text for m in self.messages if m.role == "user" and m.text)


def _joined(messages: Iterable[Message | Part]) -> tuple[Message, ...]:
    joined: list[tuple[Role, list[Part]]] = []
    for one in messages:
        message = one if isinstance(one, Message) else Message("user", (one,))
        if joined and joined[-1][0] == message.role:
            joined[-1][1].extend(message.parts)
        else:
            joined.append((message.role, list(message.parts)))
    return tuple(Message(role, tuple(parts)) for role, parts in joined)


_MOST_TOKENS = 10**15  # of one call; a larger number is not a count


def is_count(value: object) -> bool:
    """Whether a value can be a number of tokens: from 0 to 1e15.

    >>> [is_count(n) for n in (0, 12, -1, True, "12", float("nan"), 10**400)]
    [True, True, False, False, False, False, False]
    """
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= _MOST_TOKENS


def is_cost(value: object) -> bool:
    """Whether a value can be a cost or a duration: a finite number, 0 or more."""
    return not isinstance(value, bool) and isinstance(value, int | float) and 0 <= value <= 1e300


@dataclass(frozen=True)
class Usage:
    """Tokens reported by the provider; None if missing or not a valid count.

    `output_tokens` are those of the visible answer, `thought_tokens` those of hidden reasoning; both are
    billed as output. `input_tokens` include tool results and `cached_tokens`. `by_modality` splits the input (text,
    image, video, audio).

    >>> counted = Usage(input_tokens=10, output_tokens=-1, cached_tokens=99)
    >>> counted.input_tokens, counted.output_tokens, counted.cached_tokens
    (10, None, 10)
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    thought_tokens: int | None = None
    cached_tokens: int | None = None
    by_modality: Mapping[str, int] = field(default_factory=dict)
    cached_audio_tokens: int | None = None

    def __post_init__(self) -> None:
        for name in (
            "input_tokens",
            "output_tokens",
            "thought_tokens",
            "cached_tokens",
            "cached_audio_tokens",
        ):
            value = getattr(self, name)
            object.__setattr__(self, name, int(value) if is_count(value) else None)
        if self.input_tokens is not None and self.cached_tokens is not None:
            object.__setattr__(self, "cached_tokens", min(self.cached_tokens, self.input_tokens))
        split = self.by_modality if isinstance(self.by_modality, Mapping) else {}
        counted = {k: int(n) for k, n in split.items() if isinstance(k, str) and is_count(n)}
        object.__setattr__(self, "by_modality", counted)


@dataclass(frozen=True)
class Response:
    """One reply, unchanged. `finish_reason` is `stop`, `length` (cut off) or the provider's own word: only a reply
    that ended by itself is an answer (`lft.core.failure_kinds`).

    `sent` are the wire parameters, without pixels and keys. An invalid cost (negative, not a number) becomes None.
    """

    text: str
    finish_reason: str = "stop"
    usage: Usage = field(default_factory=Usage)
    model_version: str | None = None
    sent: Entries = field(default_factory=dict)
    cost_usd: float | None = None

    def __post_init__(self) -> None:
        if not is_cost(self.cost_usd):
            object.__setattr__(self, "cost_usd", None)


class ModelError(Exception):
    """There is no answer: never scored, asked again by the next run.

    Attributes
    ----------
    kind : one of `lft.core.failure_kinds.KINDS`.
    retry_after_s : the pause that the provider asks for.
    reply : a partial reply that is billed; its text is stored, never scored.
    stops : every other trial would fail as well (a wrong key, an unknown model), so the sweep stops. Default: for
        `refused`.
    is_down : the provider says that it cannot answer any request now.
    """

    def __init__(
        self,
        kind: str,
        message: str,
        *,
        retry_after_s: float | None = None,
        reply: Response | None = None,
        stops: bool | None = None,
        is_down: bool = False,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after_s = retry_after_s
        self.reply = reply
        self.stops = kind == "refused" if stops is None else stops
        self.is_down = is_down


class NotApplicable(Exception):
    """The model cannot take this condition (too many images, no video input). Recorded, never scored as wrong.

    `limit` names the limit, if known: `images`, `tokens`, `bytes`, `video`.
    """

    def __init__(self, message: str, *, limit: str | None = None) -> None:
        super().__init__(message)
        self.limit = limit


def schema_refused(model: object, request: Request) -> NotApplicable | None:
    """The failure of a request with a schema for a model that takes none, or None."""
    if request.response_schema is None or getattr(model, "takes_schema", False):
        return None
    return NotApplicable(f"the prompt has a JSON schema; {getattr(model, 'name', 'this model')} takes none")

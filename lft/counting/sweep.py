"""From a sweep file and clips to trials: questions, frames and words.

A sweep file is YAML:

    title: Frame density
    grid: paper                    # the clips; optional filters: domains, counts, frequencies_hz, seeds
    conditions:                    # a list; lists inside an entry are crossed
      - sampling: [native, fps:1]
        labels: [time]             # none, index or time; native video has none
        prompt: structured_trace
    replicates: 1
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from importlib.resources import files
from pathlib import Path

from lft.core.conditions import CONDITION, Condition
from lft.core.config import as_list, checked_keys
from lft.core.errors import InputError, shown
from lft.core.files import read_text
from lft.core.models import PROVIDERS as CORE_PROVIDERS
from lft.core.models.ready import NEEDS as CORE_NEEDS
from lft.core.models.ready import Needs
from lft.core.prompts import Rendered, Template, sections
from lft.core.prompts import folder as prompt_folder
from lft.core.records import Entries, JsonObject, Key
from lft.core.requests import Images, Part, Request, Response, Video, said, user
from lft.core.sweeps import read_sweep
from lft.core.trials import Done, Foreseen
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.clips import Clips
from lft.counting.domains import DOMAINS, named
from lft.counting.grid import title_of
from lft.counting.names import NAME, OWN_PROVIDERS
from lft.counting.planned_clips import PlannedClips
from lft.counting.spec import AnySpec, ClipSpec
from lft.counting.trace import Trace

PROVIDERS: dict[str, str] = {
    **OWN_PROVIDERS,
    **CORE_PROVIDERS,
    **OWN_PROVIDERS,
}  # no other package replaces one of ours

NEEDS = {
    "observer": Needs(
        "observer[?prior=regular]",
        "the embedded observer: looks at the supplied frames, no model weights; with the prior it infers what "
        "lies between them",
    ),
    "simulated": Needs("simulated:miss=0.1,...", "answers from the truth with errors of known kind and rate"),
    **CORE_NEEDS,
}

_KEYS = ("title", "grid", "domains", "counts", "frequencies_hz", "seeds", "conditions", "replicates")
_FILTERS = {"domains": "domain", "counts": "count", "frequencies_hz": "frequency_hz", "seeds": "seed"}
_SHOWN_VALUES = 20  # of a filter, in an error line
DEFAULT_LABELS = "time"  # without times a model cannot date what it sees
DEFAULT_PROMPT = "structured_trace"
AnyClips = Clips | PlannedClips
PROMPTS_VERSION = 2  # raised whenever what is asked changes: in prompts/, or what `evidence_words` says


@dataclass(frozen=True)
class Sweep:
    """A checked sweep file. `only` has the filters on clips, by field of `ClipSpec`."""

    name: str
    title: str
    grid: str
    conditions: tuple[Condition, ...]
    replicates: int = 1
    only: Mapping[str, tuple[str | float, ...]] = field(default_factory=dict)

    @classmethod
    def load(cls, name: str) -> Sweep:
        """The built-in sweep `name`, or the YAML file at that path."""
        suite, stem, document, path = read_sweep(name)
        if suite not in (None, NAME):
            raise InputError(f"is a sweep of the suite {shown(suite)}", where=path, expected=f"suite: {NAME}")
        return cls.from_document(stem, document, where=path)

    @classmethod
    def from_document(cls, name: str, document: Entries, *, where: object = None) -> Sweep:
        """A sweep from the mapping in its file; raises `InputError` for unknown or unusable entries."""
        entries = checked_keys(document, _KEYS, where=where)
        conditions: list[Condition] = []
        for entry in as_list(entries.get("conditions", [])):
            parts = checked_keys(entry, CONDITION, where=where)
            conditions += [
                Condition(str(s), str(w), str(p))
                for s, w, p in itertools.product(
                    as_list(parts.get("sampling", "native")),
                    as_list(parts.get("labels", DEFAULT_LABELS)),
                    as_list(parts.get("prompt", DEFAULT_PROMPT)),
                )
            ]
        if not conditions:
            raise InputError("has no conditions", where=where, expected="conditions: [{sampling: native}]")
        replicates = entries.get("replicates", 1)
        if type(replicates) is not int or not 1 <= replicates <= 1000:
            raise InputError(
                f"replicates is {shown(replicates)}", where=where, expected="a whole number from 1 to 1000"
            )
        only = {_FILTERS[key]: _filter(key, entries[key], where) for key in _FILTERS if key in entries}
        return cls(
            name,
            title_of(entries, name, where=where),
            str(entries.get("grid", "paper")),
            tuple(dict.fromkeys(conditions)),
            replicates,
            only,
        )

    def with_conditions(self, sampling: Sequence[str], labels: Sequence[str], prompt: Sequence[str]) -> Sweep:
        """The same sweep with the given values for each given axis."""
        conditions = [
            Condition(s, w, p)
            for condition in self.conditions
            for s, w, p in itertools.product(
                sampling or [condition.sampling],
                labels or [condition.labels if condition.sampling != "native" else DEFAULT_LABELS],
                prompt or [condition.prompt],
            )
        ]
        return replace(self, conditions=tuple(dict.fromkeys(conditions)))

    @staticmethod
    def filters(only: Entries) -> JsonObject:
        """The filters in the form of a sweep file, from `only` of a manifest.

        >>> Sweep.filters({"count": [1, 2]})
        {'counts': [1, 2]}
        """
        return {key: list(only[name]) for key, name in _FILTERS.items() if name in only}

    def to_json(self) -> JsonObject:
        """For the run's manifest."""
        return {
            "name": self.name,
            "title": self.title,
            "grid": self.grid,
            "replicates": self.replicates,
            "only": {k: list(v) for k, v in self.only.items()},
            "conditions": [vars(c) for c in self.conditions],
        }


@dataclass(frozen=True)
class ClipTrial:
    """One question about one clip. `question` has the placeholder values of the domain."""

    id: str
    key: Key
    domain: str
    video: Path
    trace: Callable[[], Trace]
    condition: Condition
    prompt: Template
    question: Mapping[str, str]
    spec: AnySpec

    @property
    def foreseen(self) -> Foreseen:
        """Each turn sends the images again."""
        policy = Sampling.parse(self.condition.sampling)
        images = images_of(self.spec, policy)
        video, schema = policy.kind == "native", self.prompt.schema is not None
        return Foreseen(self.turns, self.turns * images, images, video, schema)

    @property
    def turns(self) -> int:
        """The number of requests of the prompt."""
        return len(self.prompt.turns)

    def next(self, answers: Sequence[Response]) -> Request | Done:
        """The request of turn len(answers), or `Done` after the last turn."""
        return self.request(answers) if len(answers) < self.turns else Done("answered")

    def request(self, answers: Sequence[Response] = ()) -> Request:
        """The request of turn len(answers): evidence, conversation so far, current question."""
        media = _open(self.video)
        policy = Sampling.parse(self.condition.sampling)
        if policy.kind == "native":
            shown_part: Part = Video(media)
            evidence = evidence_words(media.duration_s, None, "none")
        else:
            times_s = self.trace().times_s if policy.needs_moments else ()
            frames = sample(media, policy, times_s)
            shown_part = Images(frames, self.condition.labels)
            evidence = evidence_words(
                media.duration_s, len(frames), self.condition.labels, at_events=policy.needs_moments
            )
        words = self.rendered(evidence)
        is_shown = not isinstance(shown_part, Images) or len(shown_part.frames)
        messages = [user(*([shown_part] if is_shown else []), words.turns[0])]
        for answer, text in zip(answers, words.turns[1:], strict=False):
            messages += [said(answer.text), user(text)]
        task = {"suite": "counting", "domain": self.domain}
        return Request(messages, words.system, self.key, task, words.thinking, words.schema)

    def rendered(self, evidence: str) -> Rendered:
        """The prompt for this clip's domain."""
        return self.prompt.render({**self.question, "evidence": evidence})


def trials(
    sweep: Sweep, clips: AnyClips, model_name: str, *, prompts: Path | None = None
) -> Iterator[ClipTrial]:
    """Every trial of a sweep, seed by seed, so that an interrupted sweep covers the whole grid with few seeds."""
    templates = {c.prompt: Template.load(c.prompt, prompts) for c in sweep.conditions}
    _check_filters(sweep, clips)
    chosen = [c for c in clips if _wanted(c.spec, sweep.only)]
    if not chosen:
        raise InputError(
            f"no clip fits the sweep {sweep.name}",
            where=clips.folder,
            remedy=clips_come_from(sweep.grid),
        )
    questions = {d: question_about(d, clips, prompts) for d in sorted({c.spec.domain for c in chosen})}
    if any(Sampling.parse(c.sampling).needs_moments for c in sweep.conditions):
        untimed = next((c.clip_id for c in chosen if not c.spec.timed), None)
        if untimed:
            raise InputError(
                f"the times of events in clip {untimed} are unknown",
                where=f"sweep {sweep.name}",
                remedy="another sampling than keyframes",
            )
    chosen.sort(key=lambda c: (c.spec.seed, c.spec.domain, c.spec.count, c.spec.frequency_hz))
    for clip, condition, replicate in itertools.product(chosen, sweep.conditions, range(sweep.replicates)):
        key = {**vars(condition), "replicate": replicate}
        yield ClipTrial(
            ",".join(map(str, (clip.clip_id, *key.values()))),
            {"clip": clip.clip_id, "model": model_name, **key},
            clip.spec.domain,
            clip.video,
            partial(getattr, clip, "trace"),  # it checks that the trace is of this very file
            condition,
            templates[condition.prompt],
            questions[clip.spec.domain],
            clip.spec,
        )


def own_clips(grid: str, clips: Clips) -> tuple[Clips, list[str]]:
    """The clips of a folder that are of the grid with its name, and the ids of the others.

    All clips, if there is no such built-in grid, or none of its clips exists.
    """
    from lft.counting.grid import Grid, expand

    if not (files("lft") / "sweeps" / f"grid_{grid}.yaml").is_file():
        return clips, []
    wanted = {spec.clip_id for spec in expand(Grid.load(grid))}
    own = {clip_id: clip for clip_id, clip in clips.by_id.items() if clip_id in wanted}
    return (replace(clips, by_id=own), [i for i in clips.by_id if i not in own]) if own else (clips, [])


def clips_come_from(grid: str) -> str:
    """The command that makes the clips of a grid.

    >>> clips_come_from("paper"), clips_come_from("natural")
    ('lft render --grid paper', 'lft import videos DIR --annotations FILE --out results/clips/natural')
    """
    if (files("lft") / "sweeps" / f"grid_{grid}.yaml").is_file():
        return f"lft render --grid {grid}"
    if grid == "natural":  # nothing renders it
        return "lft import videos DIR --annotations FILE --out results/clips/natural"
    return "--clips with the folder of its clips"


def question_about(domain: str, clips: AnyClips, prompts: Path | None = None) -> dict[str, str]:
    """Like `question`; imported clips have theirs in their folder, as questions/DOMAIN.txt."""
    own = (Path(clips.folder) / "questions" / f"{domain}.txt").is_file()
    return question(domain, Path(clips.folder) if own else prompts)


def question(domain: str, prompts: Path | None = None) -> dict[str, str]:
    """The placeholders in `prompts/questions/DOMAIN.txt`: question, event, detail; by default from the domain's
    record.
    """
    path = (prompts or prompt_folder()) / "questions" / f"{domain}.txt"
    if prompts is not None and not path.is_file():
        path = prompt_folder() / "questions" / f"{domain}.txt"
    brought = DOMAINS[domain].question if domain in DOMAINS and not path.is_file() else ""
    values = dict(sections(named(brought) if brought else read_text(path), where=path))
    for name in ("question", "event", "detail"):
        if not values.get(name):
            raise InputError(
                f"has no section {name}", where=path, expected="=== question, === event, === detail"
            )
    return values


def evidence_words(duration_s: float, images: int | None, labels: str, *, at_events: bool = False) -> str:
    """The words about the evidence in a prompt; `images` None is the video itself, `at_events`: frames are centred on
    events.
    """
    # Two digits for short clips: a clip of one frame does not last 0.0 seconds.
    length = f"{duration_s:.1f} seconds" if duration_s >= 1 else f"{duration_s:.2g} seconds"
    if images is None:
        return f"The video lasts {length}."
    if images == 0:
        return f"No frame is given of a video that lasts {length}."
    beside = {
        "none": "",
        "index": " The number of each frame is written before it.",
        "time": " The time of each frame, in seconds from the start of the video, is written before it.",
    }[labels]
    count = "One frame is given" if images == 1 else f"{images} frames are given, in order of time,"
    around = " They are centred on events: just before, at and just after each." if at_events else ""
    return f"{count} of a video that lasts {length}.{around}{beside}"


@lru_cache(maxsize=100_000)
def images_of(spec: AnySpec, policy: Sampling) -> int:
    """The number of images that the policy supplies for a clip; 0 for native video.

    >>> images_of(ClipSpec("blinking", 3, 1.5, 7), Sampling.parse("fps:4"))
    96
    """
    if not policy.needs_moments:
        return len(policy.times_s(spec.duration_s))
    if not isinstance(spec, ClipSpec):
        return 3 * spec.count  # at most: frames of events close together may coincide
    from lft.counting.rendering.schedule import draw

    times_s = [frame / spec.fps for frame in draw(spec).event_frames]
    # The frame on screen at a time; two times may fall on one frame.
    return len({int(t * spec.fps + 1e-6) for t in policy.times_s(spec.duration_s, times_s)})


def _filter(key: str, value: object, where: object) -> tuple[str | float, ...]:
    """The values of a filter; raises `InputError` for an empty list or an impossible value."""
    values = tuple(as_list(value))
    kinds = {"domains": (str,), "frequencies_hz": (int, float)}.get(key, (int,))
    for one in values:
        if type(one) not in kinds:
            words = {"domains": "names of domains", "frequencies_hz": "numbers"}.get(key, "whole numbers")
            raise InputError(f"{key} names {shown(one)}", where=where, expected=words)
    if not values:
        raise InputError(f"{key} is empty", where=where, expected=f"a list, or no {key} at all")
    return values


def _check_filters(sweep: Sweep, clips: AnyClips) -> None:
    """Raises `InputError` for a value of a filter that no clip has."""
    for key, name in _FILTERS.items():
        there = {getattr(clip.spec, name) for clip in clips} if name in sweep.only else set()
        for value in sweep.only.get(name, ()):
            if value not in there:
                has = ", ".join(map(str, sorted(there - {None})[:_SHOWN_VALUES]))
                has += ", ..." if len(there) > _SHOWN_VALUES else ""
                raise InputError(
                    f"{key} names {shown(value)}, which no clip in {clips.folder} has",
                    where=f"sweep {sweep.name}",
                    expected=f"one of {has}" if has else clips_come_from(sweep.grid),
                )


def _wanted(spec: AnySpec, only: Mapping[str, tuple[str | float, ...]]) -> bool:
    return all(getattr(spec, name) in values for name, values in only.items())


@lru_cache(maxsize=256)
def _open(path: Path) -> Media:
    return Media.open(path)

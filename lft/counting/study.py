"""A sweep of the counting suite: its clips, words and order of trials."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lft.core.errors import InputError
from lft.core.manifest import prompt_entry
from lft.core.prompts import Template
from lft.core.records import Entries, JsonObject
from lft.core.runs import MANIFEST, Run
from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.clips import Clips, way_between
from lft.counting.metrics import METRICS_VERSION
from lft.counting.native_rate import SAID
from lft.counting.planned_clips import PlannedClips
from lft.counting.sweep import PROMPTS_VERSION, ClipTrial, Sweep, clips_come_from, own_clips, trials

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class CountingStudy:
    """A sweep over clips.

    Attributes
    ----------
    clips : opened clips, or their folder; None for the clips of the grid in results/clips/GRID of the working
        directory.
    prompts : a folder of prompts and questions with precedence over those of the package.
    frontier_tau : ask only trials that the frontiers at this accuracy depend on.
    native_rate_hz : the user's rate of native video: stored in the manifest, for bounds and audit.
    """

    sweep: Sweep
    clips: Clips | Path | None = None
    prompts: Path | None = None
    frontier_tau: float | None = None
    native_rate_hz: float | None = None

    @property
    def name(self) -> str:
        """Of the sweep."""
        return self.sweep.name

    @property
    def title(self) -> str:
        """Of the sweep."""
        return self.sweep.title

    @property
    def is_adaptive(self) -> bool:
        """Whether answers decide what is asked."""
        return self.frontier_tau is not None

    def to_json(self) -> JsonObject:
        """The document of the sweep file, with expanded conditions."""
        return self.sweep.to_json()

    def trials(self, model_name: str, *, to_ask: bool = True) -> list[ClipTrial]:
        """See `lft.counting.sweep.trials`. A grid need not be rendered to count its trials."""
        clips = self._opened[0] if to_ask or self._is_there else PlannedClips.of_grid(self.sweep.grid)
        return list(trials(self.sweep, clips, model_name, prompts=self.prompts))

    def context(self) -> JsonObject:
        """The truth, and the rate of native video, for simulated models."""
        return {"truth": self._opened[0].trace, "native_rate_hz": self.native_rate_hz}

    def manifest(self, folder: Path, trials: Sequence[ClipTrial]) -> JsonObject:
        """Prompts, questions and clips, with hashes of the files.

        The folder of clips is relative to the run, so that a results folder can be moved as a whole.
        """
        clips = self._opened[0]
        templates: dict[str, Template] = {t.condition.prompt: t.prompt for t in trials}
        used = {str(t.key["clip"]) for t in trials}
        said = (
            {} if self.native_rate_hz is None else {SAID: self.native_rate_hz}
        )  # one that goes on keeps its own
        return {
            "prompts_version": PROMPTS_VERSION,
            "prompts": {name: prompt_entry(template) for name, template in templates.items()},
            "questions": {t.domain: dict(t.question) for t in trials},
            "clips_folder": way_between(folder, clips.folder),
            "clips": {clip.clip_id: clip.video_sha256 for clip in clips if clip.clip_id in used},
            "metrics_version": METRICS_VERSION,
            "until_frontier": self.frontier_tau,
            **said,
        }

    def check(self, folder: Path, trials: Sequence[ClipTrial]) -> None:
        """Raises `InputError` for a prompt that cannot be filled, for clips with changed files, and for a run that
        began with other words.
        """
        for trial in {(trial.condition.prompt, trial.domain): trial for trial in trials}.values():
            trial.rendered("")
        _check_files(self._opened[0], {str(trial.key["clip"]) for trial in trials})
        _check_words(folder, [str(trial.key["sampling"]) for trial in trials])

    def queue(self, run: Run, trials: Sequence[ClipTrial]) -> Iterator[ClipTrial] | None:
        """The trials that a frontier depends on, with `frontier_tau`."""
        if self.frontier_tau is None:
            return None
        from lft.counting.adaptive import until_frontier

        return until_frontier(run, trials, self.frontier_tau)

    def remarks(self, trials: Sequence[ClipTrial]) -> Iterator[str]:
        """Clips in the grid's folder that are not of the grid; samplings with repeated frames."""
        if not self._is_there:
            return
        clips, others = self._opened
        if others:
            yield left_out_line(others, self.sweep.grid, clips.folder)
        yield from _repeats(trials)

    @cached_property
    def _folder(self) -> Path:
        return self.clips if isinstance(self.clips, Path) else Path("results/clips") / self.sweep.grid

    @cached_property
    def _is_there(self) -> bool:
        """Whether the clips exist; those of `natural` cannot be rendered."""
        return self.clips is not None or self._folder.exists() or self.sweep.grid == "natural"

    @cached_property
    def _opened(self) -> tuple[Clips, list[str]]:
        """The clips, and the ids of those in their folder that are not used."""
        if isinstance(self.clips, Clips):
            return self.clips, []
        if self.clips is None and not self._folder.exists():
            raise InputError("no clips there", where=self._folder, remedy=clips_come_from(self.sweep.grid))
        clips = Clips.open(self._folder)
        return (clips, []) if self.clips is not None else own_clips(self.sweep.grid, clips)


def study_of(name: str, document: Entries, options: Entries, where: object) -> CountingStudy:
    """The study of a sweep file, or of the entry `sweep` of a manifest, with the options of `lft sweep`."""
    entries = dict(document)
    if "only" in entries:  # of a manifest
        entries = {k: v for k, v in entries.items() if k not in ("name", "only")} | Sweep.filters(
            entries["only"]
        )
    sweep = Sweep.from_document(name, entries, where=where)
    axes = [options.get(axis) or () for axis in ("sampling", "labels", "prompt")]
    return CountingStudy(
        sweep.with_conditions(*axes) if any(axes) else sweep,
        options.get("clips_folder"),
        options.get("prompts"),
        options.get("tau") if options.get("until_frontier") else None,
        options.get("native_rate"),
    )


def left_out_line(others: Sequence[str], grid: str, folder: Path) -> str:
    """The remark about clips in a grid's folder that are not of the grid."""
    many = f"{len(others)} clips" if len(others) > 1 else "one clip"
    return f"{many} in {folder} not of grid {grid}, left out, such as {others[0]} (--clips {folder} takes every clip)"


def _repeats(planned: Iterable[ClipTrial]) -> Iterator[str]:
    """One line for each sampling with repeated frames, judged by its first clip."""
    first: dict[str, ClipTrial] = {}
    for trial in planned:
        first.setdefault(trial.condition.sampling, trial)
    for sampling, trial in first.items():
        policy = Sampling.parse(sampling)
        if policy.kind not in ("fps", "frames"):
            continue
        media = Media.open(trial.video)
        indices = sample(media, policy).frame_indices.tolist()
        if len(set(indices)) < len(indices):
            yield (
                f"{sampling} supplies {len(indices)} frames of {trial.key['clip']}, {len(set(indices))} of them "
                f"different: the video has {media.mean_rate_hz:g} a second, the others are repeats"
            )


def _check_words(folder: Path, samplings: Sequence[str]) -> None:
    """Refuses to resume a run of keyframes with other words about them, which the hash of the prompt does not cover."""
    if not (folder / MANIFEST).exists():
        return
    before = Run.open(folder)
    asked = [*samplings, *(str(key.get("sampling")) for key in before.trials().values())]
    if before.manifest.get("prompts_version", 1) < 2 and any(s.startswith("keyframes") for s in asked):
        raise InputError(
            "the words about keyframes have changed since this run began",
            where=folder,
            remedy="another --run NAME; lft score and lft report still read this one",
        )


def _check_files(clips: Clips, used: set[str]) -> None:
    """Refuses clips whose files are not those of the manifest."""
    found = ((clip.clip_id, clip.fault()) for clip in clips if clip.clip_id in used)
    faults = [f"{clip_id}: {fault}" for clip_id, fault in found if fault]
    if faults:
        more = f" and {len(faults) - 1} more" if len(faults) > 1 else ""
        raise InputError(
            f"{faults[0]}{more}",
            where=clips.folder,
            remedy="restoring the files, or `lft render`",
        )

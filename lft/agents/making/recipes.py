"""What the tasks of an environment are made from: what passes, what is scored, how many of each kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from lft.agents.rollout import Rollout
from lft.agents.scoring import Goal, Milestones, Reference, Score, Survival


@dataclass(frozen=True)
class Recipe:
    """How tasks and demonstrations of an environment are made.

    Attributes
    ----------
    goal : (measure, share): what passes is this share of what the expert gains, rounded up to whole numbers; 1 for
        measures that say whether something is reached.
    score : "reference" (of the goal's measure: what the expert gains), "survival", or milestones.
    seeds, skips, replays : how many tasks with another seed, with opening frames skipped, with replayed decisions.
    clips : how many demonstrations each task has, base first, in turn.
    shown : the most decisions that each demonstration shows.
    fixed : seeds change nothing or hardly anything: every start state but the base one is reached by play.
    mistakes : share of random decisions in the play that leads to start states worth testing.
    replayed : the fewest and most decisions that are replayed.
    base_seed : of the base task.
    """

    goal: tuple[str, float]
    score: str | Milestones
    seeds: int = 4
    skips: int = 0
    replays: int = 5
    clips: tuple[int, ...] = (1, 2, 1, 2, 1, 2, 1, 2, 3, 1)
    shown: tuple[int, ...] = (42, 34, 20, 18)
    fixed: bool = False
    mistakes: float = 0.25
    replayed: tuple[int, int] = (3, 24)
    base_seed: int = 0

    def goal_of(self, expert: Rollout) -> Goal:
        """What passes, for a start state that the expert has played."""
        measure, share = self.goal
        start, last = expert.measures[0][measure], expert.measures[-1][measure]
        return Goal(measure, float(start + math.ceil(share * (last - start) - 1e-9)))

    def score_of(self, expert: Rollout) -> Score:
        """How it is scored; raises ValueError where the expert gains nothing that could be."""
        if isinstance(self.score, Milestones):
            return self.score
        if self.score == "survival":
            return Survival()
        measure = self.goal[0]
        gained = expert.measures[-1][measure] - expert.measures[0][measure]
        if gained <= 0:
            raise ValueError(f"the expert gains no {measure}")
        return Reference(measure, float(gained))


_THEN_REACHED = ("reached", 1.0, 60.0)
_PROGRESS = Milestones(
    (("progress", 0.25, 10.0), ("progress", 0.5, 15.0), ("progress", 0.75, 15.0), _THEN_REACHED)
)

RECIPES: Mapping[str, Recipe] = {
    "cliff_walking": Recipe(
        ("reached", 1.0), _PROGRESS, seeds=0, replays=9, fixed=True, clips=(1, 2, 1, 2, 4, 2, 1, 2, 3, 4), mistakes=0.4
    ),
    "taxi": Recipe(
        ("delivered", 1.0), Milestones((("picked_up", 1.0, 40.0), ("delivered", 1.0, 60.0))),
        clips=(1, 2, 1, 2, 4, 2, 1, 2, 3, 4),
    ),
    "cart_pole": Recipe(("frames", 1.0), "survival", mistakes=0.5, replayed=(3, 12)),
    "acrobot": Recipe(
        ("reached", 1.0),
        Milestones((("height", 0.4, 10.0), ("height", 0.6, 15.0), ("height", 0.8, 15.0), _THEN_REACHED)),
        replayed=(3, 30),
    ),
    "mountain_car": Recipe(("reached", 1.0), _PROGRESS, replayed=(3, 24)),
    "lava_crossing": Recipe(("reached", 1.0), _PROGRESS, clips=(1, 2, 1, 2, 4, 2, 1, 2, 3, 1)),
    "unlock_pickup": Recipe(
        ("reached", 1.0),
        Milestones((("key", 1.0, 20.0), ("door", 1.0, 20.0), ("entered", 1.0, 20.0), ("reached", 1.0, 40.0))),
    ),
    "multi_room": Recipe(
        ("reached", 1.0), Milestones((("rooms", 1.0, 10.0), ("rooms", 2.0, 15.0), ("rooms", 3.0, 15.0), _THEN_REACHED))
    ),
    "highway": Recipe(("overtaken", 0.6), "reference", replayed=(3, 12), shown=(30, 28, 20, 18)),
    "flappy_bird": Recipe(("pipes", 0.6), "reference", replayed=(8, 24), mistakes=0.1),
}  # fmt: skip

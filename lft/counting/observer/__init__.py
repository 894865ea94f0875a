"""The embedded observer: a classical reader of the supplied frames, and of nothing else.

It knows what a wall contact, a blink and a transition are, not how this project draws them: no geometry,
colour, size or rate of a clip is assumed. It is a default that needs no key and no weights, and the reference
for what the supplied frames allow.
"""

from lft.counting.observer.model import Observer
from lft.counting.observer.observe import Observation, observe

__all__ = ["Observation", "Observer", "observe"]

"""A person as a model of the suite: a request goes to the desk, a page shows it, the action that comes back is the answer.

So a person is asked what a model is asked: the same words, the same pictures, the same step limit, the same run folder.
An action comes from a key or a button and is always in the right form: there are no retries. `thought_s` of an answer's
line (`sent`) is how long the picture was on screen, `latency_s` how long the request took in all.
"""  # noqa: E501

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

import cv2

from lft.agents.environments.base import Picture
from lft.agents.play import hash_of
from lft.core.models import ModelSpec
from lft.core.records import JsonObject
from lft.core.requests import Images, Message, ModelError, NotApplicable, Part, Request, Response, Text

_ARROWS = {"UP": "ArrowUp", "DOWN": "ArrowDown", "LEFT": "ArrowLeft", "RIGHT": "ArrowRight"}
_OTHERS = "1234567890qwertyuiopasdfghjklzxcvbnm"


def keys_of(actions: Sequence[str]) -> dict[str, str]:
    """Action -> key, as a browser calls it: arrows for the four directions, the space bar for what waits, or else fires,
    digits and letters in order for the others.

    >>> keys_of(("NOOP", "UP", "LEFT", "UPLEFT", "FIRE"))
    {'NOOP': ' ', 'UP': 'ArrowUp', 'LEFT': 'ArrowLeft', 'UPLEFT': '1', 'FIRE': '2'}
    """  # noqa: E501
    space = next((name for name in ("NOOP", "IDLE", "WAIT", "NONE", "FIRE") if name in actions), None)
    others = iter(_OTHERS)
    return {
        name: _ARROWS[name] if name in _ARROWS else " " if name == space else next(others, "")
        for name in actions
    }


class Desk:
    """Where one person plays. The page takes documents in order; `act` gives the action for the present one.

    A document has a `number` and a `kind`: `turn` (what is shown and asked), `over` (an episode has ended), `finished`.
    """

    is_free, concurrency = True, 1

    def __init__(self, who: str, actions_of: Mapping[str, Sequence[str]], limits: Mapping[str, int]) -> None:
        self.name = f"person:{who}" if who else "person"
        self._actions_of, self._limits = actions_of, limits  # by task
        self._changed = threading.Condition()
        self._documents: list[JsonObject] = []
        self._pictures: dict[str, bytes] = {}
        self._numbers = 0
        self._open: int | None = None  # the number of the turn that waits for an action
        self._answer: Response | None = None
        self._left = False
        self._taken = 0  # the number of the last document that the page has seen

    @property
    def spec(self) -> ModelSpec:
        """For the manifest."""
        return ModelSpec.parse(self.name)

    def describe(self) -> JsonObject:
        """A person."""
        return {"provider": "person"}

    def generate(self, request: Request) -> Response:
        """Shows a request, and waits for the action. Raises `ModelError` when the person leaves."""
        task = str(request.key["task"])
        actions, keys = self._actions_of[task], keys_of(self._actions_of[task])
        document = {
            "kind": "turn",
            "task": task,
            "step": int(request.kept["step"]),
            "decisions": self._limits[task],
            "messages": [self._message(message) for message in request.messages],
            "actions": [{"name": name, "key": keys[name]} for name in actions],
        }
        with self._changed:
            self._answer = None
            self._open = self._put(document)
            while self._answer is None and not self._left:
                self._changed.wait(timeout=1.0)
            self._open = None
            if self._answer is None:
                raise ModelError("unfinished", "the person has left", stops=True)
            return self._answer

    def act(self, number: int, action: str, thought_s: float, by: str) -> bool:
        """Takes the action for a turn; False if that turn is not the one that waits, or has no such action."""
        with self._changed:
            current = self._documents[-1] if self._documents else {}
            if self._open != number or action not in [one["name"] for one in current["actions"]]:
                return False
            self._answer = Response(f"[Action: {action}]", sent={"thought_s": round(thought_s, 3), "by": by})
            self._changed.notify_all()
            return True

    def over(self, task: str, words: str, picture: Picture | None) -> None:
        """Says that an episode has ended, and shows its last picture."""
        with self._changed:
            shown = None if picture is None else self._keep(picture)
            self._put({"kind": "over", "task": task, "words": words, "picture": shown})

    def finish(self, words: str) -> None:
        """Says that nothing more is asked; waits a little until the page has seen it."""
        with self._changed:
            number = self._put({"kind": "finished", "words": words})
            self._changed.wait_for(lambda: self._taken >= number, timeout=10.0)

    def leave(self) -> None:
        """Ends the wait for an action without one."""
        with self._changed:
            self._left = True
            self._changed.notify_all()

    def document_after(self, number: int, timeout_s: float = 20.0) -> JsonObject | None:
        """The first document after `number` that is still kept, or None if none comes in time. A page that begins
        (`number` 0) is shown the newest.
        """
        with self._changed:
            self._taken = max(self._taken, number)
            self._changed.notify_all()

            def later() -> list[JsonObject]:
                return [one for one in self._documents if one["number"] > number]

            if not self._documents or self._documents[-1]["kind"] != "finished":
                self._changed.wait_for(later, timeout=timeout_s)
            found = later()
            if not found:
                return None
            return found[0] if number else found[-1]

    def png(self, name: str) -> bytes | None:
        """A picture that a document names."""
        with self._changed:
            return self._pictures.get(name)

    def _put(self, document: JsonObject) -> int:
        self._numbers += 1
        self._documents = [*self._documents[-3:], {**document, "number": self._numbers}]
        self._changed.notify_all()
        return self._numbers

    def _message(self, message: Message) -> JsonObject:
        return {"role": message.role, "parts": [self._part(part) for part in message.parts]}

    def _part(self, part: Part) -> JsonObject:
        if isinstance(part, Text):
            return {"text": part.text}
        if not isinstance(part, Images):
            raise NotApplicable("a person is shown demonstrations as frames", limit="video")
        with self._changed:
            names = [self._keep(picture) for picture in part.frames.pictures()]
        return {"purpose": part.purpose, "pictures": names}

    def _keep(self, picture: Picture) -> str:
        name = hash_of(picture)
        if name not in self._pictures:
            done, buffer = cv2.imencode(".png", cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
            if not done:
                raise RuntimeError(f"OpenCV could not encode a picture of shape {picture.shape}")
            self._pictures[name] = buffer.tobytes()
        return name

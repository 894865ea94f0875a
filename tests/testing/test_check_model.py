"""The contract of models notices models that are wrong in one way; tests/core/models runs it on LFT's own."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from lft.core import models
from lft.core.requests import Images, ModelError, NotApplicable, Request, Response
from lft.counting.sweep import PROVIDERS
from lft.testing import check_model

KEY = "sk-0123456789"


class Right:
    """Keeps the contract."""

    name = "right"
    concurrency = 2

    def generate(self, request: Request) -> Response:
        if not request.images:
            raise NotApplicable("frames only")
        return Response("\\boxed{1}", sent={"images": request.images})

    def describe(self) -> dict[str, Any]:
        return {"provider": "right", "native_frames": "unknown"}


def wrong(**changes: Any) -> Right:
    return type("Wrong", (Right,), changes)()  # type: ignore[no-any-return]


def _raises(error: Exception) -> Any:
    def generate(self: Right, request: Request) -> Response:
        raise error

    return generate


def _paints(self: Right, request: Request) -> Response:
    for part in request.parts:
        if isinstance(part, Images):
            for picture in part.frames.pictures():
                picture.flags.writeable = True
                picture[:] = 0
    return Response("\\boxed{0}")


_COUNT = itertools.count()


def test_the_contract_can_be_kept() -> None:
    check_model(Right())
    check_model(models.load("observer", PROVIDERS))


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"name": ""}, "name is ''; expected printable text"),
        ({"name": "a\nb"}, "name is 'a\\nb'"),
        ({"concurrency": 0}, "concurrency is 0"),
        ({"is_free": "yes"}, "is_free is 'yes'; expected True or False"),
        ({"prepare": 3}, "prepare cannot be called"),
        ({"describe": lambda self: []}, "describe() returned list; expected a dict"),
        ({"describe": lambda self: {"at": Path(".")}}, "describe() cannot be written as JSON"),
        ({"describe": lambda self: {"call": next(_COUNT)}}, "describe() differs from one call to the next"),
        ({"describe": lambda self: {"native_frames": "some"}}, "native_frames is 'some'"),
        ({"describe": lambda self: {"native_frames": "sampled"}}, "without native_rate_hz"),
        ({"describe": lambda self: {"url": f"https://x/?key={KEY}"}}, "holds the value of MINE_API_KEY"),
        ({"generate": lambda self, request: "1"}, "generate returned str; expected an lft.Response"),
        ({"generate": lambda self, request: Response(None)}, "the response's text is NoneType"),
        (
            {"generate": lambda self, request: Response("1", sent={"a": {1}})},
            "`sent` cannot be written as JSON",
        ),
        (
            {"generate": lambda self, request: Response("1", sent={"a": KEY})},
            "`sent` holds the value of MINE_API",
        ),
        ({"generate": _raises(ValueError("odd"))}, "generate raised ValueError (odd)"),
        ({"generate": _raises(ModelError("broke", "no"))}, "ModelError of kind 'broke'"),
        ({"generate": _raises(NotApplicable(""))}, "NotApplicable without words"),
        ({"generate": _raises(NotApplicable("no"))}, "answered none of 3 requests: no"),
        ({"generate": _paints}, "generate changed the request or its frames"),
    ],
)
def test_a_model_that_is_wrong_is_noticed(
    changes: dict[str, Any], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE_API_KEY", KEY)
    with pytest.raises(AssertionError) as found:
        check_model(wrong(**changes))
    assert says in str(found.value)


def test_what_is_missing_is_named() -> None:
    with pytest.raises(AssertionError, match="str lacks name, generate, describe"):
        check_model("observer")  # type: ignore[arg-type]

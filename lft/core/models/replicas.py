"""`ray:SPEC`: replicas of a model on a Ray cluster, such as `ray:hf:NAME?replicas=4&batch=2`.

A replica is an actor with the model of `SPEC`, on its own GPU if the cluster has GPUs. The
sweep runs in this process: it sends each request to a free replica, and is the only
writer of the run. A lost replica is restarted, and its requests are repeated. Replicas read the
videos, so every node needs them under the same path.

Options: replicas (2), gpus (per replica; 1 if the cluster has GPUs, else 0); all others go to the model.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

from lft.core import models
from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.options import number, read_options, whole
from lft.core.ray_workers import connected
from lft.core.records import JsonObject
from lft.core.requests import ModelError, NotApplicable, Request, Response

_OWN = {"replicas": whole(1, 1024), "gpus": number(0, 64)}


class Replicas:
    """Several replicas of one model. Calls from several threads go to a free replica."""

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.name or spec.name.startswith("ray"):
            raise InputError(
                "the model is missing", where="model ray", expected="ray:SPEC, such as ray:hf:NAME"
            )
        own = {key: text for key, text in spec.options.items() if key in _OWN}
        options = read_options(ModelSpec(spec.provider, spec.name, own), _OWN)
        head = ModelSpec.parse(spec.name)
        rest = {key: text for key, text in spec.options.items() if key not in _OWN}
        self._spec = str(ModelSpec(head.provider, head.name, rest))
        self._ray = connected()
        has_gpus = self._ray.cluster_resources().get("GPU", 0) > 0
        self._gpus = float(options.get("gpus", 1.0 if has_gpus else 0.0))
        self._replacing = threading.Lock()
        self._actors = [self._start() for _ in range(int(options.get("replicas", 2)))]
        about = self._about()
        self.name: str = about["name"]
        self.is_free: bool = about["is_free"]
        self._described: JsonObject = about["described"]
        each = max(1, int(about["concurrency"]))
        self.concurrency = each * len(self._actors)
        self._free: queue.SimpleQueue[int] = queue.SimpleQueue()
        for _ in range(each):  # one call for each replica before a second for any
            for index in range(len(self._actors)):
                self._free.put(index)

    @classmethod
    def name_of(cls, spec: ModelSpec) -> str:
        """The name of the model."""
        return models.name_of(ModelSpec.parse(spec.name))

    def describe(self) -> JsonObject:
        """The description of the model: the number of replicas does not affect answers."""
        return self._described

    def generate(self, request: Request) -> Response:
        """One answer by a free replica. A lost replica is replaced, and the call fails with kind `server`."""
        index = self._free.get()
        try:
            actor = self._actors[index]
            try:
                kind, value = self._ray.get(actor.generate.remote(request))
            except self._ray.exceptions.RayTaskError as error:
                raise RuntimeError(f"in a replica:\n{error}") from None
            except self._ray.exceptions.RayError as error:
                self._replace(index, actor)
                raise ModelError("server", f"a replica was lost ({type(error).__name__})") from None
        finally:
            self._free.put(index)
        if kind == "answer":
            response: Response = value
            return response
        if kind == "not_applicable":
            raise NotApplicable(value)
        raise ModelError(value["kind"], value["message"], retry_after_s=value["retry_after_s"])

    def _replace(self, index: int, lost: Any) -> None:
        with self._replacing:
            if self._actors[index] is lost:  # of several calls that it was answering, the first replaces it
                self._actors[index] = self._start()

    def _start(self) -> Any:
        # Calls wait inside the replica, where they form its batches.
        actor = self._ray.remote(num_cpus=1, num_gpus=self._gpus, max_concurrency=64)(_Replica)
        return actor.remote(self._spec)

    def _about(self) -> JsonObject:
        try:
            found: list[JsonObject] = self._ray.get([actor.about.remote() for actor in self._actors])
        except self._ray.exceptions.RayActorError as error:
            cause = getattr(error, "cause", None) or error
            raise InputError(
                f"no replica could load the model ({' '.join(str(cause).split())[-300:]})",
                where=f"model ray:{self._spec}",
                expected="the model and this package on every node",
            ) from None
        return found[0]


class _Replica:
    """Runs on the cluster. Failures are returned as data, since exceptions with several arguments cannot be pickled."""

    def __init__(self, spec: str) -> None:
        self._model = models.load(spec)

    def about(self) -> JsonObject:
        model = self._model
        return {
            "name": model.name,
            "described": model.describe(),
            "concurrency": getattr(model, "concurrency", 1),
            "is_free": getattr(model, "is_free", False),
        }

    def generate(self, request: Request) -> tuple[str, Any]:
        try:
            return "answer", self._model.generate(request)
        except NotApplicable as reason:
            return "not_applicable", str(reason)
        except ModelError as error:
            return "error", {
                "kind": error.kind,
                "message": str(error),
                "retry_after_s": error.retry_after_s,
            }

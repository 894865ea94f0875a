"""Jobs of OpenAI's Batch API: many chat completions in one file, answered within a day at half the price.

A job's file has one named request per line; answers and failures come in two files under the same
names. A job has the display name that was recorded before its creation, and is found by it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from lft.core.models.batch_jobs import Asked, BatchJobs, Result
from lft.core.models.faults import http_fault
from lft.core.models.openai_client import as_json, fault_of
from lft.core.models.secrets import clean
from lft.core.records import JsonObject
from lft.core.requests import ModelError, NotApplicable, Request, Response, Usage

_URL = "/v1/chat/completions"
_LABEL = "lft"  # the entry of a job's metadata that holds its display name
_AT_WORK = ("validating", "in_progress", "finalizing", "cancelling")


class Model(Asked, Protocol):
    """The part of an adapter that jobs need."""

    def body(self, request: Request) -> tuple[JsonObject, JsonObject]: ...
    def read(
        self,
        document: object,
        sent: JsonObject,
        price: Callable[[Usage, str | None], float | None] | None = None,
    ) -> Response: ...


class OpenAIBatch(BatchJobs[Model]):
    """Creates jobs for one model and reads their results."""

    most_bytes = 180_000_000  # in one job's file; the API takes 200 MB
    most_lines = 50_000

    def __init__(self, model: Model) -> None:
        super().__init__(model, fault_of)

    def line(self, key: str, request: Request) -> tuple[bytes, JsonObject]:
        """The request as a line of a job's file, and its record; raises `NotApplicable`."""
        body, sent = self._model.body(request)
        head = json.dumps({"custom_id": key, "method": "POST", "url": _URL})
        return head[:-1].encode() + b', "body": ' + as_json(body) + b"}\n", sent | {"batch": True}

    def submit(self, lines: Sequence[bytes], display_name: str) -> str:
        """Creates a job with these lines and returns its name."""
        file = ("lft.jsonl", b"".join(lines))
        uploaded = self._call(lambda: self._client.files.create(file=file, purpose="batch"))
        job = self._call(
            lambda: self._client.batches.create(
                input_file_id=uploaded.id,
                endpoint=_URL,
                completion_window="24h",
                metadata={_LABEL: display_name},
            )
        )
        return str(job.id)

    def find(self, display_name: str) -> str | None:
        """The name of the job with this display name, or None."""
        jobs = self._call(lambda: list(self._client.batches.list(limit=100)))
        return next((str(job.id) for job in jobs if (job.metadata or {}).get(_LABEL) == display_name), None)

    def _cancel(self, name: str) -> object:
        return self._client.batches.cancel(name)

    def results(self, name: str) -> Mapping[str, Result] | str | None:
        """Answers and failures by key of a finished job; the reason if it is lost; None while it is running."""
        job = self._job(lambda: self._client.batches.retrieve(name))
        if job is None:
            return self.UNKNOWN
        if job.status in _AT_WORK:
            return None
        files = [file for file in (job.output_file_id, job.error_file_id) if file]
        if not files:
            errors = getattr(job.errors, "data", None) or []
            reasons = "; ".join(str(error.message) for error in errors[:3])
            return clean(f"{job.status}" + (f": {reasons}" if reasons else ""))
        found: dict[str, Result] = {}
        for file in files:
            data = self._call(lambda file=file: self._client.files.content(file).content)  # type: ignore[misc]
            for line in data.decode("utf-8", "replace").splitlines():
                if line.strip():
                    key, result = self._result(line)
                    found[key] = result
        return found

    def _result(self, line: str) -> tuple[str, Result]:
        try:
            document = json.loads(line)
            key = str(document["custom_id"])
            reply, error = document.get("response"), document.get("error")
            status = int(reply["status_code"]) if reply else 0
            body = reply.get("body") if reply else None
        except (ValueError, KeyError, TypeError, AttributeError):
            return "", ModelError("bad_reply", "a line of the job's result could not be read")
        if status == 200:
            try:
                return key, self._model.read(body, {}, self._price)
            except ModelError as failure:
                return key, failure
        said = error if error else (body.get("error") if isinstance(body, dict) else None) or body
        message = said.get("message") if isinstance(said, dict) else said
        if not status:  # such as batch_expired: never asked
            return key, ModelError("server", clean(message or "no response"))
        fault = http_fault(status, message, {}, said)
        return key, fault if isinstance(fault, ModelError | NotApplicable) else ModelError(
            "server", str(fault)
        )

"""Jobs of Gemini's Batch API: many requests in one file, answered within a day at half the price.

A job's file has one request per line, under the trial's id; the result is a file of answers under the same
ids. Jobs are found by name, or by the display name that was recorded before their creation.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lft.core.models.batch_jobs import Asked, BatchJobs, Result
from lft.core.models.faults import http_fault
from lft.core.models.gemini_replies import fault_of, read_reply
from lft.core.models.secrets import clean
from lft.core.records import JsonObject
from lft.core.requests import ModelError, NotApplicable, Request

_DONE = ("JOB_STATE_SUCCEEDED", "JOB_STATE_PARTIALLY_SUCCEEDED")
_LOST = ("JOB_STATE_FAILED", "JOB_STATE_CANCELLED", "JOB_STATE_EXPIRED")


class Model(Asked, Protocol):
    """The part of an adapter that jobs need."""

    name: str

    def contents(self, request: Request) -> tuple[list[JsonObject], JsonObject]: ...
    def config(self, request: Request) -> tuple[Any, JsonObject]: ...


class GeminiBatch(BatchJobs[Model]):
    """Creates jobs for one model and reads their results."""

    most_bytes = 1_000_000_000  # in one job's file; the API takes 2 GB
    most_lines = 10_000

    def __init__(self, model: Model) -> None:
        super().__init__(model, fault_of)

    def line(self, key: str, request: Request) -> tuple[bytes, JsonObject]:
        """The request as a line of a job's file, and its record; raises `NotApplicable`."""
        contents, sent = self._model.contents(request)
        config, parameters = self._model.config(request)
        wire = json.loads(
            config.model_dump_json(exclude_none=True, by_alias=True, exclude={"system_instruction"})
        )
        body: JsonObject = {"contents": contents, "generationConfig": wire}
        if request.system:
            body["systemInstruction"] = {"parts": [{"text": request.system}]}
        document = json.dumps({"key": key, "request": body}) + "\n"
        return document.encode(), sent | {"parameters": parameters, "batch": True}

    def submit(self, lines: Sequence[bytes], display_name: str) -> str:
        """Creates a job with these lines and returns its name."""
        with tempfile.NamedTemporaryFile(suffix=".jsonl") as file:
            for line in lines:
                file.write(line)
            file.flush()
            settings = {"display_name": display_name, "mime_type": "application/jsonl"}
            uploaded = self._call(lambda: self._client.files.upload(file=file.name, config=settings))
        job = self._call(
            lambda: self._client.batches.create(
                model=self._model.name,
                src={"file_name": uploaded.name},
                config={"display_name": display_name},
            )
        )
        return str(job.name)

    def find(self, display_name: str) -> str | None:
        """The name of the job with this display name, or None."""
        jobs = self._call(lambda: list(self._client.batches.list(config={"page_size": 100})))
        return next((str(job.name) for job in jobs if job.display_name == display_name), None)

    def _cancel(self, name: str) -> object:
        return self._client.batches.cancel(name=name)

    def results(self, name: str) -> Mapping[str, Result] | str | None:
        """Answers and failures by key of a finished job; the reason if it is lost; None while it is running."""
        job = self._job(lambda: self._client.batches.get(name=name))
        if job is None:
            return self.UNKNOWN
        state = str(getattr(job.state, "value", job.state))
        if state in _LOST:
            reason = getattr(job.error, "message", None)
            return clean(f"{state.removeprefix('JOB_STATE_').lower()}" + (f": {reason}" if reason else ""))
        if state not in _DONE:
            return None
        if job.dest is None or not job.dest.file_name:
            return clean(f"{state.removeprefix('JOB_STATE_').lower()} without a result")
        data = self._call(lambda: self._client.files.download(file=job.dest.file_name))
        return dict(
            self._result(line) for line in data.decode("utf-8", "replace").splitlines() if line.strip()
        )

    def _result(self, line: str) -> tuple[str, Result]:
        from google.genai import types

        try:
            document = json.loads(line)
            key = str(document["key"])
        except (ValueError, KeyError, TypeError):
            return "", ModelError("bad_reply", "a line of the job's result could not be read")
        try:
            if "response" not in document:
                said = document.get("error") or {}
                code = said.get("code")
                if isinstance(code, int) and code >= 300:
                    fault = http_fault(code, f"{said.get('status')}: {said.get('message')}", {}, said)
                    if isinstance(fault, ModelError | NotApplicable):
                        return key, fault
                return key, ModelError("server", clean(said.get("message", "no response")))
            # As the SDK reads a direct reply: fields that it does not know yet are passed over.
            reply = types.GenerateContentResponse._from_response(response=document["response"], kwargs={})
            return key, read_reply(reply, {}, self._price)
        except ModelError as error:
            return key, error
        except Exception as error:  # only the SDK's models run here
            return key, ModelError(
                "bad_reply", clean(f"the reply could not be read ({type(error).__name__})")
            )

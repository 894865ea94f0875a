"""A provider on loopback that speaks the wire forms of generativelanguage and of chat completions.

The SDKs themselves talk to it. `plan` is asked before each generation what to do: None answers, or one of the
faults below. Everything that was sent is kept in `calls`, so that a test can look at what the model would
have seen.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.fakes.wire import MODEL_VERSION, Call, camel, gemini_call, gemini_reply, openai_call, openai_reply


@dataclass
class Fault:
    """What goes wrong.

    An HTTP status, or `stall`, `drop`, `garbage`, `blocked`, `blocked_answer`, `empty`, `truncated`, `cut`.
    """

    what: int | str
    retry_after: str | None = None
    message: str = "planned by the test"
    body: Any = None


class FakeProvider:
    """Use as a context manager; `url` is its address."""

    def __init__(
        self,
        answer: Callable[[Call], str] = lambda call: r"1. 3.5 s - left wall - count 1 \boxed{1}",
        plan: Callable[[Call], Fault | None] = lambda call: None,
        *,
        keep_calls: bool = True,
        stall_s: float = 5.0,
    ) -> None:
        self.answer, self.plan, self.keep_calls, self.stall_s = answer, plan, keep_calls, stall_s
        self.calls: list[Call] = []
        self.in_flight = self.most_in_flight = self.answered = 0
        self.files: dict[str, dict[str, Any]] = {}
        self.contents: dict[str, bytes] = {}
        self.uploads = 0
        self.file_states: list[str] = []  # states an upload goes through before ACTIVE; FAILED ends it
        self.jobs: dict[str, dict[str, Any]] = {}
        self.job_polls = 1  # how often a job is seen running before it is done
        self.lock = threading.Lock()
        self.stopping = threading.Event()

    def __enter__(self) -> FakeProvider:
        provider = self

        class Handler(_Handler):
            fake = provider

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)

    def generate(self, call: Call) -> dict[str, Any]:
        """The reply to a call, in its wire form."""
        return gemini_reply(self.answer(call)) if call.wire == "gemini" else openai_reply(self.answer(call))


_VERSION = re.compile(r"/v1(beta)?/(?!chat)")  # the SDK chooses the API version; all are the same here


class _Handler(BaseHTTPRequestHandler):
    fake: FakeProvider
    protocol_version = "HTTP/1.1"
    wbufsize = -1

    def log_message(self, *_: Any) -> None:
        pass

    def parse_request(self) -> bool:
        parsed = super().parse_request()
        if parsed:
            self.path = _VERSION.sub("/v1beta/", self.path, count=1)
        return parsed

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/upload/v1beta/files"):
            self._upload(body)
        elif m := re.match(r"/v1beta/models/([^/]+):generateContent", self.path):
            self._generate(gemini_call(json.loads(body), {k.lower(): v for k, v in self.headers.items()}))
        elif m := re.match(r"/v1beta/models/([^/]+):batchGenerateContent", self.path):
            self._new_job(m[1], json.loads(body))
        elif self.path.startswith("/v1/chat/completions"):
            self._generate(openai_call(json.loads(body), {k.lower(): v for k, v in self.headers.items()}))
        else:
            self._send(
                404, {"error": {"code": 404, "message": f"no such path {self.path}", "status": "NOT_FOUND"}}
            )

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/v1beta/files":
            self._send(200, {"files": list(self.fake.files.values())})
        elif path.endswith(":download"):
            self._send_bytes(
                200, self.fake.contents[path.removeprefix("/v1beta/").removesuffix(":download")], "text/plain"
            )
        elif path == "/v1beta/batches":
            jobs = [self._operation(name, "BATCH_STATE_RUNNING") for name in self.fake.jobs]
            self._send(200, {"operations": jobs})
        elif path.startswith("/v1beta/files/"):
            self._file(path.removeprefix("/v1beta/"))
        elif path.startswith("/v1beta/batches/"):
            self._job(path.removeprefix("/v1beta/"))
        else:
            self._send(
                404, {"error": {"code": 404, "message": f"no such path {self.path}", "status": "NOT_FOUND"}}
            )

    def do_DELETE(self) -> None:
        name = self.path.partition("?")[0].removeprefix("/v1beta/")
        known = self.fake.files.pop(name, None)
        self._send(
            200 if known else 403, {} if known else {"error": {"code": 403, "message": "may not exist"}}
        )

    def _generate(self, call: Call) -> None:
        fake = self.fake
        with fake.lock:
            if fake.keep_calls:
                fake.calls.append(call)
            fake.in_flight += 1
            fake.most_in_flight = max(fake.most_in_flight, fake.in_flight)
        try:
            fault = fake.plan(call)
            if fault is None:
                reply = fake.generate(call)
                with fake.lock:
                    fake.answered += 1
                self._send(200, reply)
            else:
                self._fail(call, fault)
        finally:
            with fake.lock:
                fake.in_flight -= 1

    def _fail(self, call: Call, fault: Fault) -> None:
        gemini = call.wire == "gemini"
        if isinstance(fault.what, int):
            error = {"code": fault.what, "message": fault.message, "status": "PLANNED"}
            headers = {"Retry-After": fault.retry_after} if fault.retry_after else {}
            self._send(fault.what, fault.body if fault.body is not None else {"error": error}, headers)
        elif fault.what == "stall":
            self.fake.stopping.wait(self.fake.stall_s)
            self.close_connection = True
        elif fault.what == "drop":
            self.close_connection = True
            self.connection.close()
        elif fault.what == "cut":  # the connection breaks inside the body
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", "1000")
            self.end_headers()
            self.wfile.write(b'{"candidates": [')
            self.wfile.flush()
            self.close_connection = True
            self.connection.close()
        elif fault.what == "garbage":
            self._send_bytes(
                200, fault.body if isinstance(fault.body, bytes) else b"<html>not json", "application/json"
            )
        elif fault.what == "empty":
            self._send(
                200,
                {"candidates": [], "usageMetadata": {"promptTokenCount": 9}}
                if gemini
                else {"choices": [], "model": MODEL_VERSION},
            )
        elif fault.what == "blocked":
            self._send(
                200,
                {"promptFeedback": {"blockReason": "SAFETY"}}
                if gemini
                else openai_reply("", "content_filter"),
            )
        elif fault.what == "blocked_answer":
            self._send(
                200, gemini_reply("half", "SAFETY") if gemini else openai_reply("half", "content_filter")
            )
        elif fault.what == "truncated":
            text = str(fault.body or "")
            self._send(200, gemini_reply(text, "MAX_TOKENS") if gemini else openai_reply(text, "length"))
        else:
            raise AssertionError(fault)

    def _upload(self, body: bytes) -> None:
        fake = self.fake
        if self.headers.get("X-Goog-Upload-Command") == "start":
            wanted = json.loads(body)["file"]
            key = hashlib.sha256(json.dumps(wanted, sort_keys=True).encode()).hexdigest()[:12]
            fake.files[f"pending/{key}"] = wanted
            self._send(200, {}, {"X-Goog-Upload-URL": f"{fake.url}/upload/v1beta/files/session?id={key}"})
            return
        wanted = fake.files.pop("pending/" + self.path.rpartition("id=")[2])
        name = wanted.get("name") or f"files/random-{len(fake.files)}"
        digest = base64.b64encode(hashlib.sha256(body).hexdigest().encode()).decode()
        fake.uploads += 1
        fake.contents[name] = body
        fake.files[name] = {
            "name": name,
            "uri": f"{fake.url}/v1beta/{name}",
            "mimeType": wanted.get("mimeType") or "video/mp4",
            "sizeBytes": str(len(body)),
            "sha256Hash": digest,
            "state": "PROCESSING" if fake.file_states else "ACTIVE",
            "expirationTime": (datetime.now(UTC) + timedelta(hours=48)).isoformat().replace("+00:00", "Z"),
        }
        self._send(200, {"file": fake.files[name]}, {"X-Goog-Upload-Status": "final"})

    def _file(self, name: str) -> None:
        fake = self.fake
        if name not in fake.files:
            self._send(
                403, {"error": {"code": 403, "message": "may not exist", "status": "PERMISSION_DENIED"}}
            )
            return
        if fake.files[name]["state"] == "PROCESSING":
            state = fake.file_states.pop(0) if fake.file_states else "ACTIVE"
            fake.files[name]["state"] = state
            if state == "FAILED":
                fake.files[name]["error"] = {"code": 3, "message": "the codec is not supported"}
        self._send(200, fake.files[name])

    def _new_job(self, model: str, document: dict[str, Any]) -> None:
        fake = self.fake
        name = f"batches/job{len(fake.jobs)}"
        batch = camel(document)["batch"]
        lines = fake.contents[batch["inputConfig"]["fileName"]].decode().splitlines()
        fake.jobs[name] = {
            "model": model,
            "display": batch.get("displayName"),
            "requests": [json.loads(line) for line in lines],
            "polls": 0,
        }
        self._send(200, self._operation(name, "BATCH_STATE_PENDING"))

    def _operation(self, name: str, state: str, **more: Any) -> dict[str, Any]:
        about = {"@type": "x", "name": name, "displayName": self.fake.jobs[name]["display"], "state": state}
        return {"name": name, "metadata": {**about, **more}}

    def _job(self, name: str) -> None:
        fake = self.fake
        job = fake.jobs.get(name)
        if job is None:
            self._send(404, {"error": {"code": 404, "message": "no such job", "status": "NOT_FOUND"}})
            return
        job["polls"] += 1
        if job.get("lost"):
            self._send(200, self._operation(name, "BATCH_STATE_EXPIRED"))
        elif job["polls"] <= fake.job_polls:
            self._send(200, self._operation(name, "BATCH_STATE_RUNNING"))
        else:
            result = f"files/result-{name.rpartition('/')[2]}"
            if result not in fake.contents:
                fake.contents[result] = "".join(self._line(entry) for entry in job["requests"]).encode()
            self._send(200, self._operation(name, "BATCH_STATE_SUCCEEDED", output={"responsesFile": result}))

    def _line(self, entry: dict[str, Any]) -> str:
        """The result of one request of a job."""
        call = gemini_call(entry["request"], {})
        with self.fake.lock:
            self.fake.calls.append(call)
        if self.fake.plan(call):
            return json.dumps({"key": entry["key"], "error": {"code": 13, "message": "planned"}}) + "\n"
        return (
            json.dumps({"key": entry["key"], "response": {**self.fake.generate(call), "fieldOfTheFuture": 1}})
            + "\n"
        )

    def _send(self, status: int, document: Any, headers: dict[str, str] | None = None) -> None:
        data = document if isinstance(document, bytes) else json.dumps(document).encode()
        self._send_bytes(status, data, "application/json", headers)

    def _send_bytes(self, status: int, data: bytes, kind: str, headers: dict[str, str] | None = None) -> None:
        try:
            self.send_response(status)
            for key, value in {
                "Content-Type": kind,
                "Content-Length": str(len(data)),
                **(headers or {}),
            }.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(data)
            self.wfile.flush()
        except OSError:
            self.close_connection = True

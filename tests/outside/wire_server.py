"""A server that speaks as the providers' public pages say they do, and misbehaves as people have met it.

It shares nothing with the product or with `tests/fakes`. Started as a process of its own, so that it can be killed:

    python -m tests.outside.wire_server --port 8123 --folder DIR [--plan '{"limited": 0.3, ...}']

Every reply that bills tokens is a line of DIR/ledger.jsonl with the server's own sum in USD; every request that came
is a line of DIR/requests.jsonl (path and headers). State is kept in DIR, so a restart goes on. A question
is known by the hash of its words and pictures; `bad` maps a share of the hashes to each kind of trouble.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

IN_USD, OUT_USD = 1.0, 4.0  # per million tokens
ANSWER = "1. 3.00 s - event - running count: 1\n\n\\boxed{1}"
# Kinds of trouble: (status, body) of an error, or what differs in a reply of status 200.
CHAT_BAD: dict[str, Any] = {
    "bad_image": (400, {"error": {"message": "You uploaded an unsupported image. Please make sure your image is "
                        "valid.", "type": "invalid_request_error", "param": None, "code": "image_parse_error"}}),
    "policy": (400, {"error": {"code": "content_filter", "message": "The response was filtered due to the prompt "
                     "triggering Azure OpenAI's content management policy.", "type": None, "param": "prompt",
                     "status": 400, "innererror": {"code": "ResponsibleAIPolicyViolation"}}}),
    "vllm_long": (400, {"error": {"message": "The decoder prompt (length 10127) is longer than the maximum model length"
                        " of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens plus "
                        "multimodal tokens.", "type": "BadRequestError", "param": None, "code": 400}}),
    "sglang_long": (400, {"object": "error", "message": "Input length (160062 tokens) exceeds the maximum allowed "
                          "length (59862 tokens). Use a shorter input or enable --allow-auto-truncate.",
                          "type": "BadRequestError", "param": None, "code": 400}),
    "proxy_413": (413, "<html><body><h1>413 Request Entity Too Large</h1></body></html>"),
    "length": {"finish_reason": "length", "content": "1. 3.00 s - event - running count: 1\n2. 5."},
    "error": {"finish_reason": "error", "content": "1. 3.00 s - ev"},
    "filter": {"finish_reason": "content_filter", "content": "1. 3.0"},
    "refusal": {"finish_reason": "stop", "content": None, "refusal": "I'm sorry, I cannot help with that."},
    "no_reason": {"finish_reason": None, "content": ANSWER},
}  # fmt: skip
GEMINI_BAD: dict[str, Any] = {
    "bad_image": (400, "INVALID_ARGUMENT", "Unable to process input image. Please retry or report in "
                  "https://developers.generativeai.google/guide/troubleshooting"),
    "not_active": (400, "FAILED_PRECONDITION", "The File abc123 is not in an ACTIVE state and usage is not allowed."),
    "file_403": (403, "PERMISSION_DENIED", "You do not have permission to access the File abc123 or it may not exist."),
    "long": (400, "INVALID_ARGUMENT", "The input token count (2845475) exceeds the maximum number of tokens allowed "
             "(1048576)."),
    "length": {"finishReason": "MAX_TOKENS", "text": "1. 3.00 s - ev"},
    "safety": {"finishReason": "SAFETY"},
    "other": {"finishReason": "OTHER", "text": "1. 3.0"},
    "prompt_blocked": {"blockReason": "PROHIBITED_CONTENT"},
}  # fmt: skip


class State:
    """What the server knows; one lock for all of it."""

    def __init__(self, folder: Path, plan: dict[str, Any]) -> None:
        self.folder, self.plan = folder, plan
        self.lock = threading.Lock()
        self.began_s: float | None = None  # when the first request came
        self.calls = 0
        folder.mkdir(parents=True, exist_ok=True)

    def note(self, name: str, entry: dict[str, Any]) -> None:
        with self.lock, open(self.folder / name, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def kind(self, question: str) -> str | None:
        """The trouble that a question always meets, by its hash; None for a good one."""
        share = int(question[:8], 16) / 2**32
        for name, part in (self.plan.get("bad") or {}).items():
            if share < part:
                return str(name)
            share -= part
        return None

    def document(self, name: str) -> dict[str, Any]:
        path = self.folder / name
        return json.loads(path.read_text()) if path.exists() else {}

    def store(self, name: str, document: dict[str, Any]) -> None:
        beside = self.folder / f".{name}"
        beside.write_text(json.dumps(document))
        os.replace(beside, self.folder / name)


def hashed(body: Any) -> str:
    """The hash of a question: of all words and pictures in it, not of parameters."""
    found: list[str] = []

    def walk(item: Any) -> None:
        if isinstance(item, dict):
            for key in sorted(item):
                if key in ("text", "url", "data", "fileUri", "content") and isinstance(item[key], str):
                    found.append(item[key])
                else:
                    walk(item[key])
        elif isinstance(item, list):
            for entry in item:
                walk(entry)

    walk(body.get("messages") or body.get("contents"))
    return hashlib.sha256("\0".join(found).encode()).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Routes by path; a method per wire format."""

    protocol_version = "HTTP/1.1"
    state: State

    def log_message(self, *_: Any) -> None:
        pass

    # -- plumbing -----------------------------------------------------------------------------------------------

    def _reply(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = (
            body
            if isinstance(body, bytes)
            else (body if isinstance(body, str) else json.dumps(body)).encode()
        )
        self.send_response_only(status)
        now = {"Date": self.date_time_string(), "Content-Type": "application/json"}
        for name, value in {**now, **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def do_GET(self) -> None:
        self._handle("GET")

    def do_POST(self) -> None:
        self._handle("POST")

    def do_DELETE(self) -> None:
        self._handle("DELETE")

    def _handle(self, method: str) -> None:
        state, path = self.state, self.path
        body = self._body()
        state.note("requests.jsonl", {"method": method, "path": path, "headers": dict(self.headers)})
        plan = state.plan
        with state.lock:
            state.calls += 1
            number = state.calls
            state.began_s = state.began_s or time.monotonic()
        if "redirect" in plan:
            return self._reply(307, b"", {"Location": plan["redirect"] + path})
        if plan.get("deny"):
            return self._reply(
                401,
                {
                    "error": {
                        "message": "Incorrect API key provided: " + str(self.headers.get("Authorization")),
                        "type": "invalid_request_error",
                        "code": "invalid_api_key",
                    }
                },
            )
        if path == "/token":  # where a service account gets its access token
            status, answer = plan.get("token", (200, {"access_token": "ya29.outside", "expires_in": 3600,
                                                      "token_type": "Bearer"}))  # fmt: skip
            return self._reply(status, answer)
        if self.headers.get("x-goog-api-key"):  # Gemini's API has the same under both of its versions
            path = re.sub(r"/v1/", "/v1beta/", path)
        now_s = time.monotonic() - state.began_s
        for begin_s, end_s in plan.get("outages", ()):
            if begin_s <= now_s < end_s:
                if number % 3 == 0:
                    self.close_connection = True
                    return self.connection.close()
                return self._reply(503, {"error": {"message": "The model is overloaded. Please try again later.",
                                                   "code": 503, "status": "UNAVAILABLE"}})  # fmt: skip
        # An even hash of the number of the call: as random as is needed, and the same each time.
        dice = int(hashlib.sha256(f"{number}".encode()).hexdigest()[:8], 16) / 2**32
        asks = re.search(r"chat/completions|:generateContent|/messages$", path)
        if dice < plan.get("limited" if asks else "limited_jobs", 0.0):
            headers = {"Retry-After": str(plan.get("retry_after", "0"))}
            if "date" in plan:
                headers["Date"] = plan["date"]
            return self._reply(429, {"error": {"message": "Rate limit reached", "type": "requests", "code": 429,
                                               "status": "RESOURCE_EXHAUSTED"}}, headers)  # fmt: skip
        time.sleep(plan.get("latency_s", 0.0))
        if asks and plan.get("drip"):
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            try:
                for _ in range(600):
                    self.wfile.write(b" ")
                    self.wfile.flush()
                    time.sleep(0.1)
            except OSError:
                pass
            self.close_connection = True
            return None
        if path.partition("?")[0].endswith("chat/completions"):
            return self._reply(*self._chat(json.loads(body), number))
        if plan.get("inline_too_large") and b'"inlineData"' in body:
            return self._reply(413, "<html>413 Request Entity Too Large</html>")
        if path.endswith(":generateContent"):
            return self._reply(*self._gemini(json.loads(body), number))
        if path.endswith("/messages"):
            return self._reply(*self._anthropic(json.loads(body), number))
        if "/v1/files" in path or "/v1/batches" in path:
            return self._openai_batch(method, path, body)
        if "v1beta" in path:
            return self._gemini_store(method, path, body)
        return self._reply(404, {"error": {"message": f"no such path {path}", "code": 404}})

    def _bill(
        self, question: str, kind: str | None, tokens_in: int, tokens_out: int, share: float = 1.0
    ) -> None:
        usd = share * (tokens_in * IN_USD + tokens_out * OUT_USD) / 1e6
        self.state.note("ledger.jsonl", {"question": question, "kind": kind, "usd": usd, "share": share})

    # -- chat completions ---------------------------------------------------------------------------------------

    def _chat(self, body: dict[str, Any], number: int, share: float = 1.0) -> tuple[int, Any]:
        question = hashed(body)
        kind = self.state.kind(question)
        if kind == "length" and (body.get("max_tokens") or body.get("max_completion_tokens") or 0) >= 4096:
            kind = None  # with more room the same question is answered
        trouble = CHAT_BAD.get(kind or "", {})
        if isinstance(trouble, tuple):
            return trouble
        message = {
            "role": "assistant",
            "content": trouble.get("content", ANSWER),
            "refusal": trouble.get("refusal"),
        }
        tokens_in, tokens_out = 1000 + int(question[:3], 16), 40 + int(question[3:5], 16)
        self._bill(question, kind, tokens_in, tokens_out, share)
        return 200, {
            "id": f"chatcmpl-{number}", "object": "chat.completion", "created": 1, "model": body["model"],
            "choices": [{"index": 0, "message": message, "logprobs": None,
                         "finish_reason": trouble.get("finish_reason", "stop")}],
            "usage": {"prompt_tokens": tokens_in, "completion_tokens": tokens_out,
                      "total_tokens": tokens_in + tokens_out},
        }  # fmt: skip

    # -- Gemini -------------------------------------------------------------------------------------------------

    def _gemini(self, body: dict[str, Any], number: int, share: float = 1.0) -> tuple[int, Any]:
        question = hashed(body)
        kind = self.state.kind(question)
        room = (body.get("generationConfig") or {}).get("maxOutputTokens") or 0
        if kind == "length" and room >= 4096:
            kind = None
        trouble = GEMINI_BAD.get(kind or "", {})
        if isinstance(trouble, tuple):
            code, status, message = trouble
            return code, {"error": {"code": code, "message": message, "status": status}}
        tokens_in, tokens_out = 1000 + int(question[:3], 16), 40 + int(question[3:5], 16)
        document: dict[str, Any] = {"modelVersion": "gemini-test-001", "responseId": str(number)}
        if "blockReason" in trouble:
            usage = {"promptTokenCount": tokens_in, "totalTokenCount": tokens_in}
            self._bill(question, kind, tokens_in, 0, share)
            return 200, {**document, "promptFeedback": trouble, "usageMetadata": usage}
        candidate: dict[str, Any] = {"index": 0, "finishReason": trouble.get("finishReason", "STOP")}
        if trouble.get("text", ANSWER) and kind != "safety":
            candidate["content"] = {"role": "model", "parts": [{"text": trouble.get("text", ANSWER)}]}
        tool, audio = self.state.plan.get("tool_tokens", 0), self.state.plan.get("audio_tokens", 0)
        usage = {"promptTokenCount": tokens_in, "candidatesTokenCount": tokens_out,
                 "totalTokenCount": tokens_in + tokens_out + tool}  # fmt: skip
        if tool:
            usage["toolUsePromptTokenCount"] = tool
        if audio:
            usage["promptTokensDetails"] = [{"modality": "TEXT", "tokenCount": tokens_in - audio},
                                            {"modality": "AUDIO", "tokenCount": audio}]  # fmt: skip
        self._bill(question, kind, tokens_in + tool, tokens_out, share)
        return 200, {**document, "candidates": [candidate], "usageMetadata": usage}

    # -- Anthropic ----------------------------------------------------------------------------------------------

    def _anthropic(self, body: dict[str, Any], number: int) -> tuple[int, Any]:
        if self.headers.get("anthropic-version") is None or self.headers.get("x-api-key") is None:
            return 401, {"type": "error", "error": {"type": "authentication_error", "message": "x-api-key header is "
                                                    "required"}}  # fmt: skip
        if "max_tokens" not in body:
            return 400, {"type": "error", "error": {"type": "invalid_request_error",
                                                    "message": "max_tokens: Field required"}}  # fmt: skip
        question = hashed(body)
        kind = self.state.kind(question)
        reason = {"length": "max_tokens", "refusal": "refusal", "paused": "pause_turn"}.get(
            kind or "", "end_turn"
        )
        text = ANSWER if reason == "end_turn" else "1. 3.0"
        tokens_in, tokens_out = 1000 + int(question[:3], 16), 40 + int(question[3:5], 16)
        self._bill(question, kind, tokens_in, tokens_out)
        return 200, {
            "id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"],
            "content": [{"type": "text", "text": text}], "stop_reason": reason, "stop_sequence": None,
            "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out, "cache_creation_input_tokens": 0,
                      "cache_read_input_tokens": 0},
        }  # fmt: skip

    # -- OpenAI's files and batches -----------------------------------------------------------------------------

    def _openai_batch(self, method: str, path: str, body: bytes) -> None:
        state = self.state
        with state.lock:
            kept = state.document("openai.json") or {"files": {}, "jobs": {}}
        path, _, _ = path.partition("?")
        if method == "POST" and path.endswith("/files"):
            boundary = re.search(r"boundary=([^;]+)", self.headers["Content-Type"])
            assert boundary
            parts = body.split(b"--" + boundary[1].strip('"').encode())
            content = next(p.partition(b"\r\n\r\n")[2][:-2] for p in parts if b'name="file"' in p)
            name = f"file-{len(kept['files']) + 1}"
            kept["files"][name] = content.decode()
            self._save("openai.json", kept)
            return self._reply(200, {"id": name, "object": "file", "bytes": len(content), "created_at": 1,
                                     "filename": "batch.jsonl", "purpose": "batch"})  # fmt: skip
        if path.endswith("/content"):
            name = path.split("/")[-2]
            if name not in kept["files"]:
                return self._reply(404, {"error": {"message": f"No such File object: {name}"}})
            return self._reply(200, kept["files"][name].encode())
        if method == "POST" and path.endswith("/cancel"):
            job = kept["jobs"][path.split("/")[-2]]
            job["status"] = "cancelled"
            self._save("openai.json", kept)
            return self._reply(200, job)
        if method == "POST" and path.endswith("/batches"):
            asked = json.loads(body)
            name = f"batch_{len(kept['jobs']) + 1}"
            kept["jobs"][name] = {"id": name, "object": "batch", "endpoint": asked["endpoint"], "errors": None,
                                  "input_file_id": asked["input_file_id"], "completion_window": "24h",
                                  "status": "in_progress", "output_file_id": None, "error_file_id": None,
                                  "created_at": time.time(), "metadata": asked.get("metadata")}  # fmt: skip
            self._save("openai.json", kept)
            if self._falls("create"):
                return self._reply(500, {"error": {"message": "The server had an error"}})
            return self._reply(200, kept["jobs"][name])
        if path.endswith("/batches"):
            jobs = list(kept["jobs"].values())
            return self._reply(200, {"object": "list", "data": jobs, "first_id": None, "last_id": None,
                                     "has_more": False})  # fmt: skip
        job = kept["jobs"].get(path.split("/")[-1])
        if job is None:
            return self._reply(404, {"error": {"message": "No batch found with that id", "code": None}})
        if self._falls("poll"):
            return self._reply(503, {"error": {"message": "Service unavailable"}})
        if job["status"] == "in_progress" and time.time() - job["created_at"] > state.plan.get("job_s", 0.5):
            out, failed = [], []
            for line in kept["files"][job["input_file_id"]].splitlines():
                asked = json.loads(line)
                status, answer = self._chat(asked["body"], len(out), 0.5)
                entry = {"id": f"batch_req_{len(out)}", "custom_id": asked["custom_id"], "error": None,
                         "response": {"status_code": status, "request_id": "r", "body": answer}}  # fmt: skip
                (out if status == 200 else failed).append(json.dumps(entry))
            names = {}
            for key, lines in (("output_file_id", out), ("error_file_id", failed)):
                if lines:
                    names[key] = f"file-{len(kept['files']) + 1}"
                    kept["files"][names[key]] = "\n".join(lines) + "\n"
            job |= {"status": "completed", **names}
            self._save("openai.json", kept)
        return self._reply(200, job)

    # -- Gemini's files and batches -----------------------------------------------------------------------------

    def _gemini_store(self, method: str, path: str, body: bytes) -> None:
        state = self.state
        with state.lock:
            kept = state.document("gemini.json") or {"files": {}, "jobs": {}, "uploads": {}}
        path, _, _ = path.partition("?")
        here = f"http://{self.headers['Host']}"
        if method == "POST" and path == "/upload/v1beta/files":
            asked = json.loads(body).get("file", {})
            name = asked.get("name") or f"files/u{len(kept['uploads']) + 1}"
            if name in kept["files"] or name in state.plan.get("taken", ()):
                return self._reply(409, {"error": {"code": 409, "status": "ALREADY_EXISTS",
                                                   "message": f"The file {name} already exists."}})  # fmt: skip
            kept["uploads"][name] = asked
            self._save("gemini.json", kept)
            return self._reply(200, {}, {"X-Goog-Upload-URL": f"{here}/put/v1beta/{name}",
                                         "X-Goog-Upload-Status": "active"})  # fmt: skip
        if path.startswith("/put/v1beta/"):
            name = path.removeprefix("/put/v1beta/")
            text = body.decode("utf-8", "replace") if name.startswith("files/u") else ""
            kept["files"][name] = {"name": name, "uri": f"{here}/v1beta/{name}", "state": "ACTIVE",
                                   "mimeType": kept["uploads"].get(name, {}).get("mimeType"),
                                   "sizeBytes": str(len(body)),
                                   "expirationTime": "2099-01-01T00:00:00Z"}  # fmt: skip
            state.store(f"content-{name.replace('/', '-')}.json", {"text": text})
            self._save("gemini.json", kept)
            return self._reply(200, {"file": kept["files"][name]}, {"X-Goog-Upload-Status": "final"})
        if path.endswith(":batchGenerateContent"):
            batch = json.loads(body)["batch"]
            name = f"batches/b{len(kept['jobs']) + 1}"
            kept["jobs"][name] = {"display": batch["displayName"], "file": batch["inputConfig"]["fileName"],
                                  "model": path.split("/models/")[1].partition(":")[0], "made": time.time(),
                                  "state": "BATCH_STATE_RUNNING"}  # fmt: skip
            self._save("gemini.json", kept)
            if self._falls("create"):
                return self._reply(500, {"error": {"code": 500, "status": "INTERNAL", "message": "internal"}})
            return self._reply(200, self._job(name, kept["jobs"][name]))
        if path.endswith(":cancel"):
            kept["jobs"][path.split("v1beta/")[1].removesuffix(":cancel")]["state"] = "BATCH_STATE_CANCELLED"
            self._save("gemini.json", kept)
            return self._reply(200, {})
        if path.endswith(":download"):
            name = path.split("v1beta/")[1].removesuffix(":download")
            return self._reply(200, state.document(f"content-{name.replace('/', '-')}.json")["text"].encode())
        name = path.split("v1beta/")[1]
        if name == "batches":
            jobs = [self._job(n, j) for n, j in kept["jobs"].items()]
            return self._reply(200, {"operations": jobs})
        if name == "files":
            return self._reply(200, {"files": list(kept["files"].values())})
        if name.startswith("batches/"):
            job = kept["jobs"].get(name)
            if job is None:
                return self._reply(
                    404, {"error": {"code": 404, "status": "NOT_FOUND", "message": "not found"}}
                )
            if self._falls("poll"):
                return self._reply(
                    503, {"error": {"code": 503, "status": "UNAVAILABLE", "message": "overloaded"}}
                )
            if job["state"] == "BATCH_STATE_RUNNING" and time.time() - job["made"] > state.plan.get(
                "job_s", 0.5
            ):
                text = state.document(f"content-{job['file'].replace('/', '-')}.json")["text"]
                lines = []
                for line in text.splitlines():
                    asked = json.loads(line)
                    status, answer = self._gemini(asked["request"], len(lines), 0.5)
                    lines.append(
                        json.dumps(
                            {"key": asked["key"], **({"response": answer} if status == 200 else answer)}
                        )
                    )
                job |= {"state": "BATCH_STATE_SUCCEEDED", "out": f"files/out{name.removeprefix('batches/')}"}
                state.store(f"content-{job['out'].replace('/', '-')}.json", {"text": "\n".join(lines) + "\n"})
                self._save("gemini.json", kept)
            return self._reply(200, self._job(name, job))
        if name in kept["files"] and method == "DELETE":
            del kept["files"][name]
            self._save("gemini.json", kept)
            return self._reply(200, {})
        if name in kept["files"]:
            return self._reply(200, kept["files"][name])
        return self._reply(403, {"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "You do not have "
                                           f"permission to access the File {name} or it may not exist."}})  # fmt: skip

    def _job(self, name: str, job: dict[str, Any]) -> dict[str, Any]:
        metadata = {"@type": "type.googleapis.com/google.ai.generativelanguage.v1main.GenerateContentBatch",
                    "model": f"models/{job['model']}", "displayName": job["display"], "name": name,
                    "state": job["state"], "createTime": "2026-01-01T00:00:00Z"}  # fmt: skip
        done: dict[str, Any] = {}
        if "out" in job:
            metadata["output"] = {"responsesFile": job["out"]}
            done = {"done": True, "response": {"@type": "type.googleapis.com/google.ai.generativelanguage.v1main."
                                               "GenerateContentBatchOutput", "responsesFile": job["out"]}}  # fmt: skip
        return {"name": name, "metadata": metadata, **done}

    def _falls(self, what: str) -> bool:
        """Whether this call of a job fails: the first of each `what` in the plan."""
        with self.state.lock:
            falls = self.state.document("falls.json")
            seen = falls.get(what, 0)
            falls[what] = seen + 1
            self.state.store("falls.json", falls)
        return seen < int(self.state.plan.get("falls", {}).get(what, 0))

    def _save(self, name: str, document: dict[str, Any]) -> None:
        with self.state.lock:
            self.state.store(name, document)


def serve(folder: Path, plan: dict[str, Any], port: int = 0) -> ThreadingHTTPServer:
    """A server that is bound already; run its `serve_forever`."""

    class Bound(Handler):
        state = State(folder, plan)

    server = ThreadingHTTPServer(("127.0.0.1", port), Bound)
    server.daemon_threads = True
    return server


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--folder", type=Path, required=True)
    arguments.add_argument("--plan", default="{}")
    given = arguments.parse_args()
    serve(given.folder, json.loads(given.plan), given.port).serve_forever()

"""The page of a desk, served to this machine alone: 127.0.0.1, and only to whoever has the address with its token.

GET  /?token=T                          the page
GET  /next?token=T&after=N              the document after number N; 204 if none comes in time
GET  /picture/HASH.png?token=T          a picture
POST /act?token=T   {"number", "action", "thought_ms", "by"}      204, or 409 for a turn that does not wait
POST /leave?token=T
"""

from __future__ import annotations

import json
import secrets
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from lft.agents.people.desk import Desk

_PAGE = Path(__file__).parent / "page.html"
_LONGEST_BODY = 10_000  # bytes
_LONGEST_THOUGHT_S = 7 * 24 * 3600.0


class Server:
    """A context manager: serves while it lasts. `address` is what to open."""

    def __init__(self, desk: Desk, port: int = 0) -> None:
        self.token = secrets.token_urlsafe(16)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(desk, self.token))
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/?token={self.token}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._server.serve_forever, name="page", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _handler(desk: Desk, token: str) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            way, given = self._asked()
            if given is None:
                return
            if way == "/":
                self._send(200, "text/html; charset=utf-8", _PAGE.read_bytes())
            elif way == "/next":
                after = given.get("after", "0")
                document = desk.document_after(int(after) if after.isdigit() else 0)
                data = None if document is None else json.dumps(document).encode()
                self._send(204 if data is None else 200, "application/json", data or b"")
            elif way.startswith("/picture/") and (png := desk.png(way[9:].removesuffix(".png"))):
                self._send(200, "image/png", png, lasting=True)
            else:
                self._send(404, "text/plain", b"no such page")

        def do_POST(self) -> None:
            way, given = self._asked()
            if given is None:
                return
            length = self.headers.get("Content-Length") or "0"
            body = self.rfile.read(min(int(length), _LONGEST_BODY)) if length.isdigit() else b""
            if way == "/leave":
                desk.leave()
                self._send(204, "text/plain", b"")
            elif way == "/act":
                self._send(204 if _act(desk, body) else 409, "text/plain", b"")
            else:
                self._send(404, "text/plain", b"no such page")

        def _asked(self) -> tuple[str, dict[str, str] | None]:
            """(path, query), the query None where the token is not the right one, which is then said."""
            parts = urlsplit(self.path)
            query = {name: values[-1] for name, values in parse_qs(parts.query).items()}
            if secrets.compare_digest(query.get("token", "").encode(), token.encode()):
                return parts.path, query
            self._send(403, "text/plain", b"the address that lft play printed has a token")
            return parts.path, None

        def _send(self, status: int, kind: str, data: bytes, *, lasting: bool = False) -> None:
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
            self.send_header("Cache-Control", "max-age=86400" if lasting else "no-store")
            self.send_header("Referrer-Policy", "no-referrer")
            self.end_headers()
            if status != 204:
                self.wfile.write(data)

        def log_message(self, format: str, *arguments: Any) -> None:
            """Nothing is logged."""

    return Handler


def _act(desk: Desk, body: bytes) -> bool:
    try:
        found = json.loads(body)
        number, action = int(found["number"]), str(found["action"])
        thought_s = min(max(float(found.get("thought_ms", 0)) / 1000, 0.0), _LONGEST_THOUGHT_S)
        by = "key" if found.get("by") == "key" else "button"
    except (ValueError, KeyError, TypeError):
        return False
    return desk.act(number, action, thought_s, by)

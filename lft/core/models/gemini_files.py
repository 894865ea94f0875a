"""Videos in Gemini's Files API: uploaded once, found by content until they expire, deleted on request."""

from __future__ import annotations

import datetime
import secrets
import threading
import time
from pathlib import Path
from typing import Any

from lft.core.files import sha256_of
from lft.core.models.faults import http_fault, other_fault
from lft.core.models.secrets import clean
from lft.core.requests import ModelError

_PREFIX = "lft-"  # names of our uploads: this, then the start of the content's sha256
_FREE = 6  # characters of a name that make it another one
_MARGIN = datetime.timedelta(minutes=10)  # an upload that expires sooner is not used any more
_LONGEST_WAIT_S = 300.0


class Uploads:
    """The uploads of one client. File names are made from the content, so other processes find them too."""

    def __init__(self, client: Any, *, poll_s: float = 1.0) -> None:
        self._client = client
        self._poll_s = poll_s
        self._known: dict[str, tuple[str, datetime.datetime | None]] = {}
        self._lock = threading.Lock()

    def uri(self, path: Path, mime_type: str) -> str:
        """The URI of a video, uploaded if needed. One thread uploads at a time."""
        name = f"files/{_PREFIX}{sha256_of(path)[:32]}"
        with self._lock:
            known = self._known.get(name)
            if known and _lives(known[1]):
                return known[0]
            file = self._call(self._client.files.get, missing_ok=True, name=name)
            if file is not None and (not _lives(file.expiration_time) or _state(file) == "FAILED"):
                self._call(self._client.files.delete, missing_ok=True, name=name)
                file = None
            if file is None:
                config = {"name": name, "mime_type": mime_type, "display_name": path.name}
                file = self._call(self._client.files.upload, taken_ok=True, file=str(path), config=config)
            if file is None:
                # The name exists, but not for this key, or as one that was deleted: it is taken anew.
                config["name"] = f"{name[:-_FREE]}-{secrets.token_hex(_FREE // 2)}"
                file = self._call(self._client.files.upload, file=str(path), config=config)
            file = self._when_active(file)
            self._known[name] = (file.uri, file.expiration_time)
            return str(file.uri)

    def delete_all(self) -> int:
        """Deletes every upload that LFT made with this key; returns how many."""
        ours = [
            f
            for f in self._call(lambda: list(self._client.files.list()))
            if f.name.startswith(f"files/{_PREFIX}")
        ]
        for file in ours:
            self._call(self._client.files.delete, missing_ok=True, name=file.name)
        self._known.clear()
        return len(ours)

    def _when_active(self, file: Any) -> Any:
        until_s = time.monotonic() + _LONGEST_WAIT_S
        while _state(file) != "ACTIVE":
            if _state(file) == "FAILED":
                reason = getattr(file.error, "message", None) or "no reason given"
                raise ModelError("server", f"the provider could not process the video: {clean(reason)}")
            if time.monotonic() > until_s:
                raise ModelError("timeout", f"the video was still not ready after {_LONGEST_WAIT_S:g} s")
            time.sleep(self._poll_s)
            file = self._call(self._client.files.get, name=file.name)
        return file

    def _call(self, call: Any, *, missing_ok: bool = False, taken_ok: bool = False, **arguments: Any) -> Any:
        from google.genai import errors

        try:
            return call(**arguments)
        except errors.APIError as error:
            # The API says 403 for a file that does not exist, as for one that is another's.
            if missing_ok and error.code in (403, 404):
                return None
            if taken_ok and error.code == 409:
                return None
            fault = http_fault(
                error.code, error.message, getattr(error.response, "headers", None) or {}, error.details
            )
        except Exception as error:  # only the SDK runs here
            fault = other_fault(error)
        raise fault


def _lives(expires: datetime.datetime | None) -> bool:
    return expires is None or expires - datetime.datetime.now(datetime.UTC) > _MARGIN


def _state(file: Any) -> str:
    return str(getattr(file.state, "value", file.state) or "ACTIVE")

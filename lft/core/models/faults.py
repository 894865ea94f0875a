"""Classifies failures of all providers.

LFT retries, not the SDKs: google-genai ignores Retry-After, and a retry inside an SDK would hide a
rate limit from the throttle, block a call slot while it sleeps and leave no line in the run. So the SDKs
try once; `lft.core.ask` records each failed attempt, waits at least as long as the provider asks, and
lowers the concurrency on 429.
"""

from __future__ import annotations

import email.utils
import math
import queue
import re
import threading
import time
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import urlsplit

from lft.core.errors import InputError
from lft.core.models.secrets import clean
from lft.core.requests import ModelError, NotApplicable

T = TypeVar("T")
_MOST_WAIT_S = 1e6  # longer pauses are ignored as implausible
# Requests larger than the model takes, in the wording of the servers known so far.
_TOO_LARGE = {
    "images": r"too many (images|frames|videos)|at most \d+ (image|video|multimodal)|(maximum|max)[^.]{0,20} number of"
    r" (images|videos)|number of images[^.]{0,40}(exceed|limit)|exceeds?[^.]{0,30}\d+ images",
    "bytes": r"payload size|(entity|request|body|content|payload) (is )?too (large|big)|request_too_large"
    r"|exceeds? the (limit|maximum)[^.]{0,30} bytes",
    "tokens": r"context[ _](length|window|limit)|maximum context|max(imum)?[ _]model[ _]len(gth)?"
    r"|input (token count|length)[^.]{0,60}exceeds?|exceeds? the maximum[^.]{0,40}(tokens?|length)"
    r"|(prompt|input|request)( is)? too (long|large)|longer than the (maximum|model)|too many (input )?tokens"
    r"|maximum (number of )?(input )?tokens|reduce the length|`?inputs`? tokens \+",
}
_LIMITS = {limit: re.compile(pattern, re.IGNORECASE) for limit, pattern in _TOO_LARGE.items()}
# A tokens-per-minute limit below the size of this request: it never fits.
_NEVER_FITS = re.compile(
    r"request too large|requested \d+[^.]*must be reduced|input (token )?size[^.]*per min", re.IGNORECASE
)
_POLICY = re.compile(
    r"content[_ ](filter|policy|management)|responsible ?ai ?policy|flagged|usage polic|safety (system|polic|filter)"
    r"|invalid_prompt|moderation|guardrail|prohibited",
    re.IGNORECASE,
)
# Errors that affect every trial, although the status is that of a bad request.
_OF_ALL = re.compile(
    r"api[_ ]key|authenticat|credential|billing|user location|region is not supported|model_not_found"
    r"|model .{0,100}(not found|does not exist|is not supported|not available)|unknown model|invalid model",
    re.IGNORECASE,
)
_OF_FILE = re.compile(r"\bfiles?\b", re.IGNORECASE)
_DOWN = (502, 503, 521, 522, 523, 524, 529)
# Google's words "exceeded your current quota" also stand for a minute's limit, so only the quota's own name
# counts.
_SPENT = re.compile(r"insufficient_quota|PerDay", re.IGNORECASE)


def set_up(make: Callable[[], T], *, where: str, remedy: str | None = None) -> T:
    """The SDK client created by `make`. An invalid proxy in the environment becomes one line without the address, which
    may contain a password.
    """
    try:
        return make()
    except Exception as error:  # only the SDK runs here
        what = f"the SDK cannot be set up ({type(error).__name__})"
    proxy = "HTTPS_PROXY, ALL_PROXY and the like as http://HOST:PORT, or unset"
    raise InputError(what, where=where, remedy=remedy or proxy)


def http_fault(
    status: int, message: object, headers: Mapping[str, str], details: object = None, *, where: str = ""
) -> Exception:
    """The failure of an HTTP status from 300: a `ModelError`, or `NotApplicable` if the request is too large.

    An error of one request (its picture, file or words) is `rejected` or `blocked`; an error of all requests (key,
    model, account) stops the sweep. `where` is the server, for its own errors.

    >>> http_fault(429, "slow down", {"retry-after": "7"}).retry_after_s
    7.0
    >>> http_fault(400, "Unable to process input image.", {}).kind
    'rejected'
    """
    said = clean(f"{status}: {message}")
    everything = f"{message} {details or ''}"
    at = f" from {where}" if where else ""
    if status == 429:
        if _SPENT.search(everything):
            return ModelError("refused", f"the account's quota is used up ({said})")
        if _NEVER_FITS.search(everything):
            return NotApplicable(said, limit="tokens")
        return ModelError("rate_limit", said, retry_after_s=_retry_after_s(headers, details))
    if status in (408, 504):
        return ModelError("timeout", said + at)
    if status == 413:
        return NotApplicable(said, limit="bytes")
    limit = next((name for name, pattern in _LIMITS.items() if pattern.search(everything)), None)
    if limit and (status in (400, 403, 422) or (status == 500 and limit == "tokens")):
        return NotApplicable(said, limit=limit)
    if status >= 500 or status in (409, 425):
        wait_s = _retry_after_s(headers, details)
        return ModelError("server", said + at, retry_after_s=wait_s, is_down=status in _DOWN)
    if 300 <= status < 400:
        to = _host_of(headers)
        return ModelError(
            "refused", f"{status}: the server redirects{to}, and keys are not carried along; @BASE_URL"
        )
    if 400 <= status < 500:
        return _refusal(status, said, everything)
    return ModelError("bad_reply", said)


def _refusal(status: int, said: str, everything: str) -> ModelError:
    """A 4xx that a retry does not fix: of this request, or of all requests."""
    if status in (400, 403, 422, 451) and _POLICY.search(everything):
        return ModelError("blocked", said)
    if status in (403, 404, 410) and _OF_FILE.search(everything):
        return ModelError("rejected", said)
    if status in (401, 402, 403, 404, 405, 407, 410) or _OF_ALL.search(everything):
        return ModelError("refused", said)
    return ModelError("rejected", said)


def other_fault(error: BaseException, *, where: str = "") -> ModelError:
    """The failure of an exception of an SDK or its HTTP client without an HTTP status; `where` is the server.

    HTTP clients are recognised by class names (httpx, httpx2 and requests share them), so that none is imported.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    at = f"{where}: " if where else ""
    if names & {"InvalidURL", "UnsupportedProtocol"}:
        return ModelError("refused", clean(f"unusable address or proxy: {error}"))
    cause = error.__cause__ or error
    if "ConnectTimeout" in {cls.__name__ for cls in type(cause).__mro__}:
        return ModelError("timeout", clean(f"{at}no connection in time"), is_down=True)
    if names & {"TimeoutException", "APITimeoutError", "TimeoutError", "Timeout"}:
        return ModelError("timeout", clean(f"{at}no answer in time"))
    if names & {"TransportError", "APIConnectionError", "ConnectionError", "ProtocolError", "OSError"}:
        unreachable = "ConnectError" in {cls.__name__ for cls in type(cause).__mro__}
        return ModelError("connection", clean(f"{at}{type(cause).__name__}: {cause}"), is_down=unreachable)
    return ModelError("bad_reply", clean(f"the reply could not be read ({type(error).__name__}: {error})"))


def bounded(call: Callable[[], T], timeout_s: float, *, where: str = "") -> T:
    """The result of `call`; `ModelError` (timeout) if it has not ended after `timeout_s`.

    HTTP clients limit only single reads, so a server that sends a byte at a time blocks a call for ever. Its
    thread is abandoned and ends with the connection.
    """
    box: queue.SimpleQueue[tuple[T] | BaseException] = queue.SimpleQueue()

    def run() -> None:
        try:
            box.put((call(),))
        except BaseException as error:
            box.put(error)

    threading.Thread(target=run, name="call", daemon=True).start()
    try:
        found = box.get(timeout=timeout_s)
    except queue.Empty:
        at = f"{where}: " if where else ""
        raise ModelError("timeout", f"{at}no answer in time ({timeout_s:g} s)") from None
    if isinstance(found, BaseException):
        raise found
    return found[0]


def _host_of(headers: Mapping[str, str]) -> str:
    """The host in a redirect, without parts that could contain a key."""
    place = {str(k).lower(): str(v) for k, v in dict(headers).items()}.get("location", "")
    host = urlsplit(place).hostname if place else None
    return f" to {clean(host)}" if host else ""


def _retry_after_s(headers: Mapping[str, str], details: object) -> float | None:
    """Seconds to wait, from Retry-After (seconds or a date), retry-after-ms, or Google's RetryInfo; None if invalid.

    A date is compared with the server's own `Date`, since local clocks may be wrong.

    >>> _retry_after_s({"Retry-After": "inf"}, None), _retry_after_s({"Retry-After": "nan"}, None)
    (None, None)
    >>> now = "Wed, 21 Oct 2015 07:28:00 GMT"
    >>> _retry_after_s({"Retry-After": "Wed, 21 Oct 2015 07:28:30 GMT", "Date": now}, None)
    30.0
    """
    lower = {str(k).lower(): str(v).strip() for k, v in dict(headers).items()}
    for name, unit_s in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        try:
            wait_s = float(lower.get(name, "")) * unit_s
        except ValueError:
            continue
        return max(0.0, wait_s) if math.isfinite(wait_s) and wait_s <= _MOST_WAIT_S else None
    then, now = (_moment_s(lower.get(name, "")) for name in ("retry-after", "date"))
    if then is not None:
        wait_s = then - (time.time() if now is None else now)
        return float(max(0.0, wait_s)) if wait_s <= _MOST_WAIT_S else None
    found = re.search(r"retryDelay['\"]?\s*:\s*['\"]?(\d{1,6}(?:\.\d+)?)s", str(details))
    return float(found[1]) if found else None


def _moment_s(text: str) -> float | None:
    try:
        parts = email.utils.parsedate_tz(text)
        return email.utils.mktime_tz(parts) if parts else None
    except (ValueError, OverflowError):
        return None

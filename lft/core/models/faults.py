"""Why no answer came, told apart the same way for every provider; and keys kept out of what is said about it.

Retries are ours, not the SDKs': google-genai's ignores Retry-After, and a retry inside an SDK would hide a
rate limit from the throttle, keep a call slot while it sleeps and leave no line in the run. So the SDKs are
told to try once; `lft.core.ask` records each failed attempt, waits at least as long as the provider asks, and
takes calls out of flight on 429.
"""

from __future__ import annotations

import email.utils
import os
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from lft.core.errors import InputError
from lft.core.requests import ModelError, NotApplicable

KEY_VARIABLES = ("GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY")
_LONGEST = 400  # characters of a provider's message that are kept
# Requests that are not wrong but larger than this model takes.
_TOO_LARGE = re.compile(
    r"context[ _](length|window)|maximum context|exceeds? the maximum (number of )?(input )?tokens?"
    r"|input token count.*exceeds|prompt is too long|too many (images|frames)|at most \d+ (image|video)"
    r"|payload size|request (entity )?too large",
    re.IGNORECASE,
)
# Google's words "exceeded your current quota" also stand for a minute's limit, so only the quota's own name
# counts.
_SPENT = re.compile(r"insufficient_quota|PerDay", re.IGNORECASE)

_secrets: set[str] = set()


def key_from(variables: tuple[str, ...], *, where: str, remedy: str | None = None) -> str:
    """The key in the first of the environment `variables` that is set; remembered, so that it can be kept out
    of text.

    Raises `InputError` that names the variable, never its value.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            if not value.isascii() or not value.isprintable() or " " in value:
                raise InputError(
                    f"{variable} holds characters that no key has", where=where, remedy="the key alone"
                )
            _secrets.add(value)
            return value
    raise InputError("no key", where=where, remedy=remedy or f"export {variables[0]}=your-key")


def set_up(make: Callable[[], Any], *, where: str) -> Any:
    """What `make` makes of an SDK. It reads the environment, so a proxy that is no address is said in one line,
    without the address, which may hold a password.
    """
    try:
        return make()
    except Exception as error:  # only the SDK runs here
        what = f"the SDK cannot be set up ({type(error).__name__})"
    raise InputError(
        what, where=where, remedy="HTTPS_PROXY, ALL_PROXY and the like as http://HOST:PORT, or unset"
    )


def without_keys(text: str) -> str:
    """`text` with every known key replaced by `***`."""
    known = _secrets | {os.environ.get(variable, "").strip() for variable in KEY_VARIABLES}
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= 6:
            text = text.replace(secret, "***")
    return text


def clean(message: object) -> str:
    """A provider's words as they may be shown and stored: one printable line, bounded, without keys."""
    line = " ".join(without_keys(str(message)).split())
    printable = "".join(c if c.isprintable() else "?" for c in line)
    return printable if len(printable) <= _LONGEST else printable[: _LONGEST - 3] + "..."


def http_fault(status: int, message: object, headers: Mapping[str, str], details: object = None) -> Exception:
    """The fault behind an HTTP status of 4xx or 5xx: a `ModelError`, or `NotApplicable` where the request is
    too large.

    >>> http_fault(429, "slow down", {"retry-after": "7"}).retry_after_s
    7.0
    """
    said = clean(f"{status}: {message}")
    everything = f"{message} {details}"
    if status == 429:
        if _SPENT.search(everything):
            return ModelError("refused", f"the account's quota is used up ({said})")
        return ModelError("rate_limit", said, retry_after_s=_retry_after_s(headers, details))
    if status in (408, 504):
        return ModelError("timeout", said)
    if status == 413 or (status in (400, 422) and _TOO_LARGE.search(everything)):
        return NotApplicable(said)
    if status >= 500 or status in (409, 425):
        return ModelError("server", said, retry_after_s=_retry_after_s(headers, details))
    if 300 <= status < 500:
        return ModelError("refused", said)
    return ModelError("bad_reply", said)


def other_fault(error: BaseException) -> ModelError:
    """The fault behind an exception of an SDK or its HTTP client that is not an HTTP status.

    HTTP clients are told by class name (httpx, httpx2 and requests share them), so that none need be
    imported.
    """
    names = {cls.__name__ for cls in type(error).__mro__}
    if names & {"InvalidURL", "UnsupportedProtocol"}:
        return ModelError("refused", clean(f"unusable address or proxy: {error}"))
    if names & {"TimeoutException", "APITimeoutError", "TimeoutError", "Timeout"}:
        return ModelError("timeout", "no answer in time")
    if names & {"TransportError", "APIConnectionError", "ConnectionError", "ProtocolError", "OSError"}:
        cause = error.__cause__ or error
        return ModelError("connection", clean(f"{type(cause).__name__}: {cause}"))
    return ModelError("bad_reply", clean(f"the reply could not be read ({type(error).__name__}: {error})"))


def _retry_after_s(headers: Mapping[str, str], details: Any) -> float | None:
    """Seconds to wait, from Retry-After (seconds or a date), retry-after-ms, or Google's RetryInfo."""
    lower = {str(k).lower(): str(v).strip() for k, v in dict(headers).items()}
    try:
        if "retry-after-ms" in lower:
            return max(0.0, float(lower["retry-after-ms"]) / 1000)
        if "retry-after" in lower:
            return max(0.0, float(lower["retry-after"]))
    except ValueError:
        moment = email.utils.parsedate_tz(lower.get("retry-after", ""))
        if moment:
            return max(0.0, email.utils.mktime_tz(moment) - time.time())
    found = re.search(r"retryDelay['\"]?\s*:\s*['\"]?(\d{1,6}(?:\.\d+)?)s", str(details))
    return float(found[1]) if found else None

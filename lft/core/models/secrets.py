"""API keys: read from the environment, and removed from everything that is shown or stored."""

from __future__ import annotations

import os
import re
from urllib.parse import urlsplit

from lft.core.errors import InputError

KEY_VARIABLES = (
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "OPENAI_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
)
_LONGEST = 400  # characters of a provider's message that are kept
_SHORTEST = 6  # a shorter secret would blank out common words
# Parts of a path that contain no secret: a version, or a few letters without digits.
_PLAIN_SEGMENT = re.compile(r"v\d{1,2}((alpha|beta)\d{0,2})?|[a-z_-]{1,24}", re.IGNORECASE)
_ADDRESS = re.compile(r"https?://[^\s'\"?&<>]+")

_secrets: set[str] = set()


def key_from(variables: tuple[str, ...], *, where: str, remedy: str | None = None) -> str:
    """The key in the first of the environment `variables` that is set; registered, so that it can be removed from text.

    Raises `InputError` that names the variable, never its value.
    """
    for variable in variables:
        value = os.environ.get(variable, "").strip()
        if value:
            if not value.isascii() or not value.isprintable() or " " in value:
                raise InputError(
                    f"{variable} has characters that no key has", where=where, expected="the key alone"
                )
            _secrets.add(value)
            return value
    raise InputError("no key", where=where, remedy=remedy or f"export {variables[0]}=your-key")


def key_named(variable: str, *, where: str) -> str:
    """The key in the variable that a user named. An unknown name may be the key itself, so errors do not repeat it."""
    if not os.environ.get(variable, "").strip():
        _secrets.add(variable)
        raise InputError(
            "the variable that api_key_env names is not set", where=where,
            expected="api_key_env=NAME of an environment variable that holds the key, never the key itself",
        )  # fmt: skip
    return key_from((variable,), where=where)


def without_keys(text: str) -> str:
    """`text` with every known key replaced by `***`."""
    known = _secrets | {os.environ.get(variable, "").strip() for variable in KEY_VARIABLES}
    for secret in sorted(known, key=len, reverse=True):
        if len(secret) >= _SHORTEST:
            text = text.replace(secret, "***")
    return text


def clean(message: object) -> str:
    """A provider's message for display and storage: one printable line of bounded length, without keys."""
    line = " ".join(without_keys(str(message)).split())
    printable = "".join(c if c.isprintable() else "?" for c in line)
    return printable if len(printable) <= _LONGEST else printable[: _LONGEST - 3] + "..."


def public_url(url: str) -> str:
    """An address for storage: no user, no query, and `***` for any part of the path that could be a key.

    Removed parts are registered, so that they are removed from a server's messages too.

    >>> public_url("https://me:pw123456@gate.example/v1/sk-AbC123def456/openai?key=5")
    'https://gate.example/v1/***/openai'
    >>> public_url("http://localhost:8000/v1")
    'http://localhost:8000/v1'
    """
    parts = urlsplit(url)
    segments = []
    for segment in parts.path.split("/"):
        plain = not segment or _PLAIN_SEGMENT.fullmatch(segment)
        segments.append(segment if plain else "***")
        if not plain:
            _secrets.add(segment)
    _secrets.update(filter(None, (parts.password, parts.query)))
    port = f":{parts.port}" if parts.port else ""
    return f"{parts.scheme}://{parts.hostname}{port}{'/'.join(segments)}"


def public_spec(spec: str) -> str:
    """A model spec for storage, with its address by `public_url`.

    >>> public_spec("openai:m@https://h.example/k3y-1234567/v1?temperature=0")
    'openai:m@https://h.example/***/v1?temperature=0'
    """

    def public(found: re.Match[str]) -> str:
        try:
            return public_url(found[0])
        except ValueError:
            return "***"

    return without_keys(_ADDRESS.sub(public, spec))

"""Whether a Matroska or WebM file is complete: its header states its length, which players ignore.

Source: RFC 8794 (EBML), sections 4 and 5, and RFC 9559 (Matroska), section 5.1.1.
"""

from __future__ import annotations

from pathlib import Path

_HEADER, _SEGMENT = b"\x1a\x45\xdf\xa3", b"\x18\x53\x80\x67"
_LONGEST_HEADER = 4096


def missing_bytes(path: Path) -> int:
    """Missing bytes of the file's segment; 0 if it is complete or states no length.

    An unclosed recording states no length and cannot be distinguished from a complete one.
    """
    with open(path, "rb") as file:
        start = file.read(_LONGEST_HEADER)
    if not start.startswith(_HEADER):
        return 0
    header, at = _number(start, len(_HEADER))
    at += header or 0
    if header is None or start[at : at + len(_SEGMENT)] != _SEGMENT:
        return 0
    size, at = _number(start, at + len(_SEGMENT))
    return 0 if size is None else max(0, at + size - path.stat().st_size)


def _number(data: bytes, at: int) -> tuple[int | None, int]:
    """A variable-length integer and its end; None for the reserved value "unknown".

    >>> _number(bytes([0x81]), 0), _number(bytes([0x40, 0x05]), 0), _number(bytes([0xFF]), 0)
    ((1, 1), (5, 2), (None, 1))
    """
    if at >= len(data) or not data[at]:
        return None, at
    length = 9 - data[at].bit_length()
    end = at + length
    if end > len(data):
        return None, at
    value = int.from_bytes(data[at:end], "big") & ((1 << 7 * length) - 1)
    return (None if value == (1 << 7 * length) - 1 else value), end

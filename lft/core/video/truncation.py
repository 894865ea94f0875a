"""Whether a file ends where it says that it ends: players do not look, and show a part as if it were the whole.

Sources: GIF89a specification, 17 to 27; ISO/IEC 13818-1, 2.4.3 (packets of 188 bytes that start with 0x47);
Multimedia Programming Interface 1.0, RIFF; for Matroska see `lft.core.video.matroska`.
"""

from __future__ import annotations

from pathlib import Path

from lft.core.video.matroska import missing_bytes

_SYNC = 0x47
_TS_PACKETS = (188, 192, 204)  # plain, with a time code before, with a checksum after
_TAIL_PACKETS = 5000  # at the end of a file, among which a stream's last is looked for
_IN_A_ROW = 5  # sync bytes at one distance that are no coincidence


def is_cut(path: Path, kind: str) -> bool:
    """Whether the file breaks off; `kind` is the container's name as FFmpeg says it.

    False also where the container does not say how long it is.
    """
    if "matroska" in kind:
        return missing_bytes(path) > 0
    if kind == "gif":
        return not gif_ends(path.read_bytes())
    if kind == "mpegts":
        return not _ts_ends(path)
    return kind == "avi" and _riff_is_cut(path)


def gif_ends(data: bytes) -> bool:
    """Whether a GIF's blocks lead to its trailer.

    >>> head = b"GIF89a" + bytes([1, 0, 1, 0, 0, 0, 0])
    >>> image = bytes([0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 0x01, 0])
    >>> gif_ends(head + image + b";"), gif_ends(head + image), gif_ends(head + image[:-2])
    (True, False, False)
    """
    at = 13 + _table_bytes(data, 10)
    while at < len(data):
        kind = data[at]
        if kind == 0x3B:
            return True
        if kind == 0x21:  # an extension: its label
            at += 2
        elif kind == 0x2C:  # an image: place and size, colours, the code size
            at += 11 + _table_bytes(data, at + 9)
        else:
            return False
        while at < len(data) and data[at]:
            at += 1 + data[at]
        at += 1
    return False


def _table_bytes(data: bytes, at: int) -> int:
    """The length of the colour table that the flags at `at` announce."""
    flags = data[at] if at < len(data) else 0
    return 3 << ((flags & 7) + 1) if flags & 0x80 else 0


def may_be_cut(path: Path, kind: str, stream_id: int) -> bool:
    """Whether a transport stream ends in a packet of the stream that is full: the last packet of a frame is padded, but
    for one in 184 that needs no padding. So this is likely a cut, not certainly one.
    """
    if kind != "mpegts":
        return False
    size = path.stat().st_size
    with open(path, "rb") as file:
        file.seek(max(0, size - _TAIL_PACKETS * 188))
        tail = file.read()
    for at in range(len(tail) - 188, -1, -188):
        if tail[at] != _SYNC:
            return False  # of another length of packets
        if int.from_bytes(tail[at + 1 : at + 3], "big") & 0x1FFF == stream_id:
            return tail[at + 3] >> 4 & 3 == 1  # payload, and no field before it
    return False


def _ts_ends(path: Path) -> bool:
    size = path.stat().st_size
    with open(path, "rb") as file:
        head = file.read(_TS_PACKETS[-1] * (_IN_A_ROW + 1))
    for length in _TS_PACKETS:
        before = 4 if length == 192 else 0  # the time code stands before the sync byte
        for start in range(before, length + before):
            if head[start : start + length * _IN_A_ROW : length] == bytes([_SYNC] * _IN_A_ROW):
                return (size - start + before) % length == 0
    return True


def _riff_is_cut(path: Path) -> bool:
    with open(path, "rb") as file:
        head = file.read(12)
    size = int.from_bytes(head[4:8], "little")
    # A recording that was never closed states 0 or the most there is.
    return head[:4] == b"RIFF" and 0 < size < 2**32 - 1 and path.stat().st_size < 8 + size

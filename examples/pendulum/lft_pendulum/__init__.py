"""A pendulum. Every crossing of the centre line is one event."""

from __future__ import annotations

from lft.counting.domains import Domain

DOMAIN = Domain(
    name="pendulum",
    event_type="crossing",
    evidence="state",
    scene="lft_pendulum.scene:Pendulum",
    look="lft_pendulum.look:look",
    sequence="lft_pendulum.look:sequence",
    frames="lft_pendulum.look:frames",
    reader="lft_pendulum.reader:read",
    question="lft_pendulum.words:QUESTION",
    phrase="the bob crosses to the {after} side",
    contradicts="lft_pendulum.words:contradicts",
)

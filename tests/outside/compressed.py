"""`lft` with a faster clock for outages: hours of waiting for a provider pass in seconds.

    python -m tests.outside.compressed FACTOR sweep ...

Only the clock by which a sweep waits runs faster; calls, their timeouts and the provider take the time that they take.
"""

from __future__ import annotations

import sys
import time
from types import SimpleNamespace

from lft.cli import main
from lft.core import admission, batch, progress


def hurry(factor: float) -> None:
    clock = SimpleNamespace(
        monotonic=lambda: time.monotonic() * factor,
        sleep=lambda seconds: time.sleep(seconds / factor),
        time_ns=time.time_ns,
    )
    for module in (admission, batch):
        module.time = clock  # type: ignore[attr-defined]
    progress._PLAIN_EVERY_S /= factor


if __name__ == "__main__":
    hurry(float(sys.argv[1]))
    main(sys.argv[2:])

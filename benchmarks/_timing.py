"""CPU time of the steps of a benchmark."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


class Steps(dict[str, float]):
    """Name of a step -> CPU seconds that it took in this process."""

    def timed(self, name: str, work: Callable[[], Any]) -> Any:
        """Does `work`, notes its CPU time under `name`, and gives its result."""
        before = time.process_time()
        result = work()
        self[name] = round(time.process_time() - before, 2)
        return result

"""What the batch jobs of all providers have in common; `lft.core.batch` says what a run does with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from lft.core.cost import BATCH_SHARE
from lft.core.requests import ModelError, NotApplicable, Response, Usage

Result = Response | ModelError | NotApplicable
T = TypeVar("T")


class Asked(Protocol):
    """What every job needs of the adapter whose requests it holds."""

    client: Any
    where: str

    def price(self, usage: Usage, version: str | None) -> float | None: ...


M = TypeVar("M", bound=Asked)


class BatchJobs(Generic[M]):
    """Calls of one provider's batch API for one model; a subclass has the provider's own."""

    UNKNOWN = "is not known to the provider"

    def __init__(self, model: M, fault_of: Callable[..., Exception]) -> None:
        self._model, self._fault_of = model, fault_of
        self._client = model.client

    def cancel(self, name: str) -> None:
        """Asks the provider to end a job; one that has ended is left as it is."""
        try:
            self._call(lambda: self._cancel(name))
        except ModelError as error:
            if error.kind in ("server", "connection", "timeout", "rate_limit"):
                raise

    def _cancel(self, name: str) -> object:
        raise NotImplementedError  # the call of the provider's SDK

    def _job(self, get: Callable[[], Any]) -> Any:
        """The job as the provider has it now; None if it knows of none."""
        try:
            return self._call(get)
        except ModelError as error:
            if str(error).startswith("404"):
                return None
            raise

    def _price(self, usage: Usage, version: str | None) -> float | None:
        usd = self._model.price(usage, version)
        return None if usd is None else usd * BATCH_SHARE

    def _call(self, call: Callable[[], T]) -> T:
        """What the SDK gives; every fault as `ModelError`."""
        try:
            return call()
        except Exception as error:  # only the SDK runs here
            fault = self._fault_of(error, where=self._model.where)
        if isinstance(fault, NotApplicable):
            fault = ModelError("rejected", str(fault))
        raise fault

"""Shared by the batch jobs of all providers; see `lft.core.batch`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar

from lft.core.cost import BATCH_SHARE
from lft.core.requests import ModelError, NotApplicable, Response, Usage

Result = Response | ModelError | NotApplicable
T = TypeVar("T")


class Asked(Protocol):
    """The part of an adapter that every job needs."""

    client: Any
    where: str

    def price(self, usage: Usage, version: str | None) -> float | None: ...


M = TypeVar("M", bound=Asked)


class BatchJobs(Generic[M]):
    """Calls of a provider's batch API for one model; subclasses implement a provider."""

    UNKNOWN = "is not known to the provider"

    def __init__(self, model: M, fault_of: Callable[..., Exception]) -> None:
        self._model, self._fault_of = model, fault_of
        self._client = model.client

    def cancel(self, name: str) -> None:
        """Cancels a job, unless it has ended."""
        try:
            self._call(lambda: self._cancel(name))
        except ModelError as error:
            if error.kind in ("server", "connection", "timeout", "rate_limit"):
                raise

    def _cancel(self, name: str) -> object:
        raise NotImplementedError  # the call of the provider's SDK

    def _job(self, get: Callable[[], T]) -> T | None:
        """The current state of a job; None if the provider does not know it."""
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
        """The result of the SDK; every error as `ModelError`."""
        try:
            return call()
        except Exception as error:  # only the SDK runs here
            fault = self._fault_of(error, where=self._model.where)
        if isinstance(fault, NotApplicable):
            fault = ModelError("rejected", str(fault))
        raise fault

"""Specific chat completions servers: `vllm:NAME[@BASE_URL]` and `azure:DEPLOYMENT[@ENDPOINT]`.

    vllm     your own server, by default at http://localhost:8000/v1 (or VLLM_BASE_URL). vLLM documents
             `media_io_kwargs`, so with `fps` the sampling rate of a native video is known
azure    Azure OpenAI: the deployment's name, the endpoint (or AZURE_OPENAI_ENDPOINT), the key in the header
         `api-key` (AZURE_OPENAI_API_KEY). With `api_version` by the dated API, else by the v1 API
"""

from __future__ import annotations

import os
from typing import Any, ClassVar

from lft.core.errors import InputError
from lft.core.models import ModelSpec
from lft.core.models.openai import _OPTIONS, OpenAI, split_name
from lft.core.models.openai_client import checked_url
from lft.core.models.options import word
from lft.core.models.secrets import key_from, key_named
from lft.core.records import JsonObject

_AZURE_KEYS = ("AZURE_OPENAI_API_KEY",)


class VLLM(OpenAI):
    """One model behind a vLLM server."""

    provider: ClassVar[str] = "vllm"

    @classmethod
    def split(cls, spec: ModelSpec) -> tuple[str, str]:
        """(model name, base URL)."""
        name, url = split_name(spec)
        own = os.environ.get("VLLM_BASE_URL", "").strip()
        return name, url or checked_url(own or "http://localhost:8000/v1", where="VLLM_BASE_URL")

    @classmethod
    def is_home(cls, url: str) -> bool:
        """False: vLLM servers have no hosted address."""
        return False

    def _native(self) -> JsonObject:
        rate_hz = self._options.get("fps")
        if rate_hz is None:  # the model's own processor decides
            return super()._native()
        return {"native_frames": "sampled", "native_rate_hz": float(rate_hz)}


class Azure(OpenAI):
    """One deployment of Azure OpenAI."""

    provider: ClassVar[str] = "azure"
    options: ClassVar[JsonObject] = {
        **_OPTIONS,
        "api_version": word(r"[\w.-]{1,40}", "a version such as 2025-04-01-preview"),
    }

    @classmethod
    def split(cls, spec: ModelSpec) -> tuple[str, str]:
        """(deployment, base URL of its API)."""
        name, url = split_name(spec)
        where = "model azure"
        url = url or os.environ.get("AZURE_OPENAI_ENDPOINT", "").strip()
        if not url:
            raise InputError(
                "no endpoint", where=where, expected="azure:DEPLOYMENT@https://RESOURCE.openai.azure.com"
            )
        url = checked_url(url, where=where)
        if "api_version" in spec.options:
            return name, f"{url.removesuffix('/openai')}/openai/deployments/{name}"
        return name, url if url.endswith("/v1") else f"{url.removesuffix('/openai')}/openai/v1"

    @classmethod
    def is_home(cls, url: str) -> bool:
        """True: Azure's limits and parameters apply to every resource."""
        return True

    def _sdk(self, openai: Any, **others: Any) -> Any:
        version = self._options.get("api_version")
        query = {"api-version": version} if version else None
        return super()._sdk(openai, key_header="api-key", default_query=query, **others)

    def _key(self) -> str:
        where, named = "model azure", self._options.get("api_key_env")
        return key_named(str(named), where=where) if named else key_from(_AZURE_KEYS, where=where)

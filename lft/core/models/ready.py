"""Requirements of each provider and whether they are met, without importing them."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass

from lft.core.models.secrets import without_keys
from lft.core.records import JsonObject


@dataclass(frozen=True)
class Needs:
    """Requirements of a provider: installed modules, and one of some environment variables.

    `keys_optional`: a key is not always needed (your own server).
    """

    form: str
    about: str
    modules: tuple[str, ...] = ()
    install: str = ""
    keys: tuple[str, ...] = ()
    keys_optional: bool = False


NEEDS: dict[str, Needs] = {
    "replay": Needs("replay:FILE.jsonl", "the stored answers of an earlier run"),
    "scripted": Needs("scripted:FILE.json", "a list of answers"),
    "gemini": Needs(
        "gemini:NAME",
        "Google's Gemini models",
        ("google.genai",),
        "pip install 'lft-bench[gemini]'",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    "openai": Needs(
        "openai:NAME[@BASE_URL]",
        "OpenAI, or any chat completions server (vLLM, SGLang, ...)",
        ("openai",),
        "pip install 'lft-bench[openai]'",
        ("OPENAI_API_KEY",),
        keys_optional=True,
    ),
    "vertex": Needs(
        "vertex:NAME",
        "Gemini models through Vertex AI",
        ("google.genai",),
        "pip install 'lft-bench[gemini]'",
        ("GOOGLE_CLOUD_PROJECT", "GOOGLE_API_KEY"),
    ),
    "azure": Needs(
        "azure:DEPLOYMENT[@ENDPOINT]",
        "Azure OpenAI; the endpoint is also taken from AZURE_OPENAI_ENDPOINT",
        ("openai",),
        "pip install 'lft-bench[openai]'",
        ("AZURE_OPENAI_API_KEY",),
    ),
    "vllm": Needs(
        "vllm:NAME[@BASE_URL]",
        "a vLLM server of your own, by default at http://localhost:8000/v1",
        ("openai",),
        "pip install 'lft-bench[openai]'",
    ),
    "anthropic": Needs(
        "anthropic:NAME",
        "Anthropic's Claude models",
        ("openai",),
        "pip install 'lft-bench[openai]'",
        ("ANTHROPIC_API_KEY",),
    ),
    "ray": Needs(
        "ray:SPEC?replicas=N",
        "replicas of a model on an existing Ray cluster, such as ray:hf:NAME?replicas=4",
        ("ray",),
        "pip install 'lft-bench[ray]'",
    ),
    "hf": Needs(
        "hf:NAME_OR_PATH",
        "open weights in this process (Qwen3-VL, Qwen2.5-VL, InternVL)",
        ("torch", "torchvision", "transformers", "accelerate"),
        "pip install 'lft-bench[hf]'",
    ),
}


def status(provider: str, needed: Mapping[str, Needs] = NEEDS) -> JsonObject:
    """provider, form, about, ready, missing: one line for each missing requirement with its remedy.

    `needed` has the requirements of each provider; others need nothing.
    """
    needs = needed.get(provider) or Needs(f"{provider}:NAME", "a provider of your own")
    missing = []
    if absent := [module for module in needs.modules if not _is_installed(module)]:
        missing.append(f"{', '.join(absent)} not installed: {needs.install}")
    note = None
    if needs.keys and not any(os.environ.get(key, "").strip() for key in needs.keys):
        what = "project" if needs.keys[0].endswith("_PROJECT") else "key"
        line = f"no {what}: export {needs.keys[0]}=your-{what}"
        if needs.keys_optional:
            note = f"{line} (a server at @BASE_URL needs none)"
        else:
            missing.append(line)
    return {
        "provider": provider,
        "form": needs.form,
        "about": needs.about,
        "ready": not missing,
        "missing": [without_keys(line) for line in missing],
        "note": note,
    }


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return False

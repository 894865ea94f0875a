"""The wire forms of generativelanguage and of chat completions, both ways."""

from __future__ import annotations

import base64
import re
import time
from dataclasses import dataclass, field
from typing import Any

MODEL_VERSION = "fake-model-001"


@dataclass
class Call:
    """One generation that was asked for, in neutral form.

    [(role, kind, content)], kind text, image or video.
    """

    wire: str  # gemini or openai
    document: dict[str, Any]
    headers: dict[str, str]
    began_s: float
    parts: list[tuple[str, str, Any]] = field(default_factory=list)
    system: str | None = None

    @property
    def images(self) -> list[bytes]:
        return [content for _, kind, content in self.parts if kind == "image"]

    @property
    def texts(self) -> list[str]:
        return [content for _, kind, content in self.parts if kind == "text"]


def camel(value: Any) -> Any:
    """Field names in camelCase: JSON of protocol buffers may use either spelling, and the SDK mixes them."""
    if isinstance(value, list):
        return [camel(entry) for entry in value]
    if isinstance(value, dict):
        return {
            re.sub(r"_([a-z])", lambda m: m[1].upper(), key): entry
            if key == "responseJsonSchema"
            else camel(entry)
            for key, entry in value.items()  # a JSON schema is a value, whose names are the user's own
        }
    return value


def gemini_call(document: dict[str, Any], headers: dict[str, str]) -> Call:
    document = camel(document)
    parts = []
    for turn in document["contents"]:
        for part in turn["parts"]:
            if "text" in part:
                parts.append((turn["role"], "text", part["text"]))
            elif "inlineData" in part:
                kind = part["inlineData"]["mimeType"].partition("/")[0]
                data = part["inlineData"]["data"]
                raw = (
                    base64.urlsafe_b64decode(data)
                    if set(data) & set("-_")
                    else base64.b64decode(data, validate=True)
                )
                parts.append((turn["role"], kind, raw))
            else:
                parts.append((turn["role"], "video", part["fileData"]["fileUri"]))
    system = document.get("systemInstruction")
    words = "".join(p["text"] for p in system["parts"]) if system else None
    return Call("gemini", document, headers, time.monotonic(), parts, words)


def openai_call(document: dict[str, Any], headers: dict[str, str]) -> Call:
    parts: list[tuple[str, str, Any]] = []
    system = None
    for message in document["messages"]:
        role = {"assistant": "model"}.get(message["role"], message["role"])
        content = message["content"]
        if role == "system":
            system = content
            continue
        for part in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            if part["type"] == "text":
                parts.append((role, "text", part["text"]))
            else:
                head, _, data = part[part["type"]]["url"].partition(",")
                assert re.fullmatch(r"data:(image/jpeg|video/mp4);base64", head), head
                parts.append((role, part["type"].removesuffix("_url"), base64.b64decode(data, validate=True)))
    return Call("openai", document, headers, time.monotonic(), parts, system)


def gemini_reply(text: str, reason: str = "STOP") -> dict[str, Any]:
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": text}] if text else []},
                "finishReason": reason,
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 1000,
            "candidatesTokenCount": 50,
            "thoughtsTokenCount": 200,
            "totalTokenCount": 1250,
            "promptTokensDetails": [
                {"modality": "TEXT", "tokenCount": 100},
                {"modality": "IMAGE", "tokenCount": 900},
            ],
        },
        "modelVersion": MODEL_VERSION,
        "responseId": "r1",
    }


def openai_reply(text: str, reason: str = "stop") -> dict[str, Any]:
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": MODEL_VERSION,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}],
        "usage": {
            "prompt_tokens": 1000,
            "completion_tokens": 250,
            "total_tokens": 1250,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": 200},
        },
    }

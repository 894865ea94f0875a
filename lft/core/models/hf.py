"""`hf:NAME_OR_PATH`: open weights in this process: Qwen3-VL, Qwen2.5-VL, InternVL and others.

    native video     the frames of the model's own sampler, or those of `fps` or `num_frames`
    frames           `frames=auto`: as a video with true times if the family writes what the labels ask
                     for, else as images after LFT's labels; `frames=video`, `frames=images` force one

Only complete safetensors are loaded, and no code of a checkpoint is run: `lft.core.models.hf_load`.

Options: dtype (auto, bfloat16, float16, float32), device (auto, cpu, cuda, cuda:0, mps), attn,
max_new_tokens, temperature (0: greedy, the default), top_p, seed, frames, fps, num_frames, batch, revision.
"""

from __future__ import annotations

import queue
import re
import threading
from pathlib import Path
from typing import Any

from lft.core.errors import InputError
from lft.core.files import sha256_of
from lft.core.models import ModelSpec
from lft.core.models.hf_inputs import Prepared, prepare
from lft.core.models.hf_load import load
from lft.core.models.options import number, one_of, read_options, whole, word
from lft.core.records import JsonObject
from lft.core.requests import ModelError, NotApplicable, Request, Response, Usage

_OPTIONS = {
    "dtype": one_of("auto", "bfloat16", "float16", "float32"),
    "device": word(r"auto|cpu|mps|cuda(:\d+)?", "auto, cpu, cuda, cuda:N or mps"),
    "attn": one_of("eager", "sdpa", "flash_attention_2"),
    "max_new_tokens": whole(1),
    "temperature": number(0, 2),
    "top_p": number(0, 1),
    "seed": whole(0),
    "frames": one_of("auto", "video", "images"),
    "fps": number(0, 240, above=True),
    "num_frames": whole(1),
    "batch": whole(1, 256),
    "revision": word(r"[\w./-]{1,100}", "a branch, tag or commit"),
}
_MAX_NEW_TOKENS = 4096
_TIMESTAMP = re.compile(r"<(\d+(?:\.\d+)?) seconds>")  # as Qwen3-VL writes them
_GATHER_S = 0.5  # how long a batch waits for more requests


class HF:
    """One model in memory. Calls from several threads are answered in batches of up to `batch`."""

    is_free = True

    def __init__(self, spec: ModelSpec) -> None:
        if not spec.name:
            raise InputError("a name is missing", where="model hf", expected="hf:NAME_OR_PATH")
        self.name = spec.name
        self._options = read_options(spec, _OPTIONS)
        if "fps" in self._options and "num_frames" in self._options:
            raise InputError(
                "fps and num_frames exclude each other", where="model hf", expected="one of them"
            )
        self._batch = int(self._options.get("batch", 1))
        self.concurrency = self._batch
        self._processor, self._model = load(spec.name, self._options)
        self._family = str(self._model.config.model_type)
        self._waiting: queue.SimpleQueue[_Slot] = queue.SimpleQueue()
        self._turn = threading.Lock()

    def describe(self) -> JsonObject:
        """Provider, family, weights and all options that affect answers."""
        config = self._model.config
        local = Path(self.name) / "config.json"
        asked = {k: v for k, v in self._options.items() if k not in ("device", "batch")}
        return {
            "provider": "hf",
            "family": self._family,
            "commit": getattr(config, "_commit_hash", None),
            "config_sha256": sha256_of(local) if local.is_file() else None,
            "parameters": int(self._model.num_parameters()),
            "dtype": str(self._model.dtype).removeprefix("torch."),
            "options": {**asked, **self._generation()},
            "native_frames": "recorded",
        }

    def generate(self, request: Request) -> Response:
        """One answer. The request is prepared in the calling thread; the model runs one batch at a time."""
        slot = _Slot(
            prepare(request, self._family, getattr(self._processor, "video_processor", None), self._options)
        )
        self._waiting.put(slot)
        while not slot.done.is_set():
            with self._turn:
                if not slot.done.is_set():
                    self._run(self._gather())
        if slot.error is not None:
            raise slot.error
        assert slot.response is not None
        return slot.response

    def prompt(self, made: Prepared) -> str:
        """The conversation in the model's chat template, with a placeholder for each picture."""
        words = _without_control_tokens(made.messages, self._processor.tokenizer)
        switches = {}
        if "enable_thinking" in str(self._processor.chat_template or self._processor.tokenizer.chat_template):
            switches["enable_thinking"] = made.thinking
        return str(
            self._processor.apply_chat_template(words, tokenize=False, add_generation_prompt=True, **switches)
        )

    def inputs(self, several: list[Prepared]) -> Any:
        """The tensors of a batch."""
        arguments: JsonObject = {"text": [self.prompt(made) for made in several], "return_tensors": "pt"}
        if several[0].images:
            arguments["images"] = [made.images for made in several]
            if self._family == "internvl":
                # One tile a frame, as its own video path has; crops of each frame would be thirteen times as
                # many.
                arguments["images_kwargs"] = {"crop_to_patches": False}
        if several[0].videos:
            from transformers.video_utils import VideoMetadata

            arguments["videos"] = [video for made in several for video in made.videos]
            # A fresh list of indices for each call: the processor pads it in place.
            metadata = [
                m | {"frames_indices": list(m["frames_indices"])} for made in several for m in made.metadata
            ]
            arguments["videos_kwargs"] = {
                "video_metadata": [VideoMetadata(**entry) for entry in metadata],
                "do_sample_frames": False,
            }
            if "cap_pixels_per_frame" in self._processor.video_processor.valid_kwargs.__annotations__:
                # As the families' own tools do; otherwise a few large frames cost far more tokens than there.
                arguments["videos_kwargs"]["cap_pixels_per_frame"] = True
        if len(several) > 1:
            arguments["text_kwargs"] = {"padding": True, "padding_side": "left"}
        return self._processor(**arguments)

    def _gather(self) -> list[_Slot]:
        """The next requests in line, up to a batch of them."""
        slots: list[_Slot] = []
        try:
            while len(slots) < self._batch:
                slots.append(self._waiting.get(timeout=_GATHER_S) if slots else self._waiting.get_nowait())
        except queue.Empty:
            pass
        return slots

    def _run(self, slots: list[_Slot]) -> None:
        """Answers the slots, those of one kind together."""
        by_kind: dict[Any, list[_Slot]] = {}
        for slot in slots:
            by_kind.setdefault(slot.made.kind, []).append(slot)
        for same in by_kind.values():
            try:
                for slot, response in zip(same, self._answer([s.made for s in same]), strict=True):
                    slot.response = response
            except BaseException as error:
                for slot in same:
                    slot.error = _fault(error)
            finally:
                for slot in same:
                    slot.done.set()

    def _answer(self, several: list[Prepared]) -> list[Response]:
        import torch

        inputs = self.inputs(several)
        tokens = int(inputs["input_ids"].shape[1])
        room = getattr(self._model.config.get_text_config(), "max_position_embeddings", None)
        if room and tokens + self._generation()["max_new_tokens"] > room:
            raise NotApplicable(f"{tokens} tokens and an answer; {self.name} has room for {room}")
        if "seed" in self._options:
            torch.manual_seed(self._options["seed"])
        with torch.inference_mode():
            written = self._model.generate(
                **inputs.to(self._model.device, self._model.dtype), **self._generation()
            )
        return [self._response(made, inputs, row, written[row, tokens:]) for row, made in enumerate(several)]

    def _response(self, made: Prepared, inputs: Any, row: int, new: Any) -> Response:
        tokenizer = self._processor.tokenizer
        ends = self._model.generation_config.eos_token_id
        stops = {ends} if isinstance(ends, int) else set(ends or ())
        ids = new.tolist()
        count = next((k + 1 for k, token in enumerate(ids) if token in stops), len(ids))
        asked = inputs["input_ids"][row][inputs["attention_mask"][row].bool()]
        sent = dict(made.sent) | {"parameters": self._generation(), "batch": len(inputs["input_ids"])}
        written = tokenizer.decode(asked)
        if made.videos and self._family.startswith("qwen3_vl"):
            sent["timestamps_s"] = [float(t) for t in _TIMESTAMP.findall(written)]
        for name in ("video_grid_thw", "image_grid_thw"):
            if name in inputs and len(inputs["input_ids"]) == 1:
                sent[name] = sorted({tuple(grid) for grid in inputs[name].tolist()})
        return Response(
            tokenizer.decode(ids[:count], skip_special_tokens=True),
            "stop" if count and ids[count - 1] in stops else "length",
            Usage(len(asked), count, by_modality=self._by_modality(asked.tolist())),
            getattr(self._model.config, "_commit_hash", None),
            sent,
        )

    def _by_modality(self, asked: list[int]) -> dict[str, int]:
        config = self._model.config
        counts = {name: asked.count(getattr(config, f"{name}_token_id", -1)) for name in ("image", "video")}
        return {name: n for name, n in {"text": len(asked) - sum(counts.values()), **counts}.items() if n}

    def _generation(self) -> JsonObject:
        """Complete generation settings, which override those in the checkpoint."""
        temperature = float(self._options.get("temperature", 0))
        settings: JsonObject = {"max_new_tokens": int(self._options.get("max_new_tokens", _MAX_NEW_TOKENS))}
        if temperature == 0:
            return settings | {"do_sample": False, "temperature": None, "top_p": None, "top_k": None}
        return settings | {
            "do_sample": True,
            "temperature": temperature,
            "top_p": self._options.get("top_p", 1.0),
            "top_k": 0,
        }


class _Slot:
    """One request in a batch."""

    def __init__(self, made: Prepared) -> None:
        self.made = made
        self.done = threading.Event()
        self.response: Response | None = None
        self.error: Exception | None = None


def _without_control_tokens(messages: list[JsonObject], tokenizer: Any) -> list[JsonObject]:
    """The messages without control tokens: an earlier answer must not add a placeholder for a picture."""
    control = [t for t in tokenizer.get_added_vocab() if len(t) > 2]
    pattern = re.compile("|".join(re.escape(t) for t in sorted(control, key=len, reverse=True)) or r"(?!)")
    return [
        message
        | {
            "content": [
                entry | {"text": pattern.sub("", entry["text"])} if "text" in entry else entry
                for entry in message["content"]
            ]
        }
        for message in messages
    ]


def _fault(error: BaseException) -> Exception:
    """The failure of a batch, for each of its requests."""
    if type(error).__name__ == "OutOfMemoryError":
        return ModelError("memory", "the device has too little memory for this request")
    return error if isinstance(error, Exception) else RuntimeError(f"{type(error).__name__}")

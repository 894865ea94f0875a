"""Loads open weights from a folder or the Hub: only complete safetensors, no code.

Checkpoints are untrusted. Formats that can contain code are not opened, code of a checkpoint is not run, and
one with missing weights is refused: Transformers would silently fill the gaps with random numbers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lft.core.errors import InputError, shown
from lft.core.models.ready import NEEDS
from lft.core.models.secrets import clean
from lft.core.records import JsonObject

_WHERE = "model hf"
_NAMED = 3  # of the weights that are missing, so many are named
_REMEDY = "a folder with safetensors and processor, or a model's name on the Hub"


def load(name: str, options: JsonObject) -> tuple[Any, Any]:
    """(processor, model); raises `InputError` for what is missing or cannot be loaded."""
    try:
        import torch
        import torchvision  # noqa: F401 - the video processors need it
        import transformers
    except ImportError as error:
        raise InputError(f"{error.name} is missing", where=_WHERE, remedy=NEEDS["hf"].install) from None
    transformers_: Any = transformers  # its loaders are untyped
    device = options.get("device", "auto")
    if str(device).startswith("cuda") and not torch.cuda.is_available():
        raise InputError("no CUDA device here", where="model hf: device", remedy="?device=cpu")
    # Without this, Transformers asks at a terminal whether to run the checkpoint's code.
    common: JsonObject = {"trust_remote_code": False}
    if "revision" in options:
        common["revision"] = options["revision"]
    if Path(name).is_dir():
        common["local_files_only"] = True
        _check_folder(Path(name))
    elif name.startswith((".", "/", "~")) or name.count("/") > 1:
        raise InputError(f"no such folder: {shown(name)}", where=_WHERE, expected=_REMEDY)
    try:
        processor = transformers_.AutoProcessor.from_pretrained(name, **common)
        model, found = transformers_.AutoModelForImageTextToText.from_pretrained(
            name,
            dtype=options.get("dtype", "auto"),
            device_map="auto" if device == "auto" and torch.cuda.is_available() else None,
            attn_implementation=options.get("attn"),
            use_safetensors=True,
            output_loading_info=True,
            **common,
        )
    except Exception as error:  # whatever a broken file makes of the libraries that read it
        raise _refusal(name, error) from None
    _check_whole(name, found)
    if device != "auto":
        model = model.to(device)
    return processor, model.eval()


def _check_folder(folder: Path) -> None:
    """Refuses a folder whose weights are all in formats that can contain code."""
    if any(folder.glob("*.safetensors")):
        return
    others = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth") for path in folder.glob(pattern))
    if others:
        what = f"{shown(others[0])} is not opened: only safetensors are, which cannot hold code"
        raise InputError(what, where=f"{_WHERE}: {folder}", remedy="the same weights as safetensors")


def _check_whole(name: str, found: Any) -> None:
    """Refuses missing weights and weights of another shape; tied weights count as present."""
    for kind, words in (("missing_keys", "lacks"), ("mismatched_keys", "has in another shape")):
        keys = sorted(str(key[0] if isinstance(key, tuple) else key) for key in found[kind])
        if keys:
            more = f" and {len(keys) - _NAMED} more" if len(keys) > _NAMED else ""
            what = f"{shown(name)} {words} the weights {', '.join(keys[:_NAMED])}{more}"
            raise InputError(what, where=_WHERE, expected="a whole checkpoint of this very model")


def _refusal(name: str, error: Exception) -> InputError:
    if "trust_remote_code" in str(error):
        what = f"{shown(name)} brings code of its own, and LFT runs no code of a checkpoint"
        return InputError(what, where=_WHERE, expected="a model that Transformers itself can load")
    return InputError(
        f"cannot load {shown(name)} ({type(error).__name__}: {clean(error)})", where=_WHERE, expected=_REMEDY
    )

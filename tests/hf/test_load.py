"""Checkpoints that lack something, are broken or bring code: refused in one line, and nothing of them is run."""

from __future__ import annotations

import json
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lft.core import models
from lft.core.errors import InputError

WEIGHTS = "model.safetensors"


@pytest.fixture
def folder(folders: Callable[[str], Path], tmp_path: Path) -> Path:
    """A whole checkpoint, to be spoiled."""
    return shutil.copytree(folders("qwen3_vl"), tmp_path / "checkpoint")


def refused(folder: Path, words: str) -> str:
    with pytest.raises(InputError, match=words) as caught:
        models.load(f"hf:{folder}")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_checkpoint_that_lacks_weights_is_refused(folder: Path) -> None:
    """Not filled with random numbers. Five are taken out: three are named, two are counted."""
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / WEIGHTS)
    gone = sorted(name for name in weights if ".visual." in name)[:5]
    save_file({k: v for k, v in weights.items() if k not in gone}, folder / WEIGHTS, {"format": "pt"})
    line = refused(folder, "lacks the weights")
    assert f"lacks the weights {', '.join(gone[:3])} and 2 more" in line


def test_weights_of_another_shape_are_refused(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / WEIGHTS)
    name = next(k for k in weights if k.endswith("q_proj.weight"))
    weights[name] = weights[name][:-1].contiguous()
    save_file(weights, folder / WEIGHTS, {"format": "pt"})
    refused(folder, "another shape|cannot load")


def test_tied_weights_count_as_there(folder: Path) -> None:
    """The head that shares its numbers with the embedding is not in the file, and not missing."""
    from safetensors.torch import load_file, save_file

    config = json.loads((folder / "config.json").read_text())
    config["tie_word_embeddings"] = config["text_config"]["tie_word_embeddings"] = True
    (folder / "config.json").write_text(json.dumps(config))
    weights = {k: v for k, v in load_file(folder / WEIGHTS).items() if not k.startswith("lm_head")}
    save_file(weights, folder / WEIGHTS, {"format": "pt"})
    assert models.load(f"hf:{folder}").name == str(folder)


@pytest.mark.parametrize("share", [0.0, 0.0001, 0.5])
def test_weights_cut_short_are_one_line(folder: Path, share: float) -> None:
    data = (folder / WEIGHTS).read_bytes()
    (folder / WEIGHTS).write_bytes(data[: int(share * len(data))])
    refused(folder, "cannot load")


class _Touches:
    """What a hostile pickle does when it is opened."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return Path.touch, (self.path,)  # type: ignore[return-value]


def test_formats_that_can_hold_code_are_not_opened(folder: Path, tmp_path: Path) -> None:
    (folder / WEIGHTS).unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(_Touches(tmp_path / "touched")))
    refused(folder, r"'pytorch_model.bin' is not opened: only safetensors are")
    assert not (tmp_path / "touched").exists()


def test_code_of_a_checkpoint_is_not_run(folder: Path, tmp_path: Path) -> None:
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoProcessor": "own.Own"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'touched')!r}, 'w')\n")
    line = refused(folder, "LFT runs no code of a checkpoint")
    assert "trust_remote_code" not in line
    assert not (tmp_path / "touched").exists()


@pytest.mark.parametrize("name", ["./missing", "../missing/it", "/missing", "a/b/c"])
def test_a_folder_that_is_not_there_is_named(name: str) -> None:
    with pytest.raises(InputError, match=f"no such folder: '{name}'"):
        models.load(f"hf:{name}")

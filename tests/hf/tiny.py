"""Real Qwen3-VL, Qwen2.5-VL and InternVL with random weights, as small as their configurations allow.

Processor, tokenizer (bytes), chat template and generation are those of the library; only the weights mean
nothing.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

_QWEN_TEMPLATE = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% if message['content'] is string %}{{ message['content'] }}{% else %}"
    "{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<|vision_start|><|image_pad|><|vision_end|>"
    "{% elif part['type'] == 'video' %}VIDEO"
    "{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
_SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]
_SPECIAL += [f"<|{name}|>" for name in ("vision_start", "vision_end", "image_pad", "video_pad")]
_TEXT = {
    "hidden_size": 32,
    "intermediate_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": 65536,
}
_ROPE = {"rope_type": "default", "rope_theta": 10000.0}


def tokenizer(special: list[str], **named: str) -> Any:
    """One token for each byte, and the special ones."""
    from tokenizers import pre_tokenizers
    from transformers import Qwen2Tokenizer

    vocabulary = {letter: k for k, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    made = Qwen2Tokenizer(
        vocab=vocabulary, merges=[], extra_special_tokens=named, eos_token="<|im_end|>", padding_side="left"
    )
    made.add_tokens(special, special_tokens=True)
    return made


def qwen3_vl(folder: Path) -> Path:
    """A Qwen3-VL in `folder`."""
    return _qwen(
        "Qwen3VL",
        folder,
        video_place="<|video_pad|>",
        patch_size=16,
        text={"head_dim": 16},
        rope={"mrope_interleaved": True},
        vision={"patch_size": 16, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]},
    )


def qwen2_5_vl(folder: Path) -> Path:
    """A Qwen2.5-VL in `folder`."""
    return _qwen(
        "Qwen2_5_VL",
        folder,
        video_place="<|vision_start|><|video_pad|><|vision_end|>",
        patch_size=14,
        text={"max_window_layers": 2, "bos_token_id": None},
        rope={},
        vision={"fullatt_block_indexes": [1], "window_size": 56},
    )


def _qwen(
    family: str,
    folder: Path,
    *,
    video_place: str,
    patch_size: int,
    text: dict[str, Any],
    rope: dict[str, Any],
    vision: dict[str, Any],
) -> Path:
    """Both take pairs of frames, cut into patches of which four become a token; each has its own details."""
    import transformers

    words = tokenizer(_SPECIAL)
    config = getattr(transformers, f"{family}Config")(
        text_config={
            **_TEXT,
            **text,
            "vocab_size": len(words),
            "eos_token_id": words.eos_token_id,
            "rope_parameters": {**_ROPE, "mrope_section": [4, 2, 2], **rope},
        },
        vision_config={
            "depth": 2,
            "hidden_size": 32,
            "intermediate_size": 32,
            "num_heads": 2,
            "out_hidden_size": 32,
            **vision,
        },
        **_ids(words),
    )
    sizes = {
        "patch_size": patch_size,
        "temporal_patch_size": 2,
        "merge_size": 2,
        "size": {"shortest_edge": (2 * patch_size) ** 2, "longest_edge": 1 << 21},
    }
    video_family = "Qwen3VL" if family == "Qwen3VL" else "Qwen2VL"  # Qwen2.5-VL took its predecessor's
    processor = getattr(transformers, f"{family}Processor")(
        transformers.Qwen2VLImageProcessor(**sizes),
        words,
        getattr(transformers, f"{video_family}VideoProcessor")(**sizes),
        chat_template=_QWEN_TEMPLATE.replace("VIDEO", video_place),
    )
    return _save(getattr(transformers, f"{family}ForConditionalGeneration"), config, processor, folder)


def internvl(folder: Path) -> Path:
    """An InternVL in `folder`."""
    from transformers import (
        GotOcr2ImageProcessor,
        InternVLConfig,
        InternVLForConditionalGeneration,
        InternVLProcessor,
        InternVLVideoProcessor,
    )

    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    words = tokenizer([*_SPECIAL, *named.values()], **named)
    config = InternVLConfig(
        vision_config={
            "hidden_size": 32,
            "num_hidden_layers": 1,
            "num_attention_heads": 2,
            "intermediate_size": 32,
            "image_size": [28, 28],
            "patch_size": [14, 14],
        },
        text_config={"model_type": "qwen2", **_TEXT, "vocab_size": len(words), "rope_parameters": _ROPE},
        image_token_id=words.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=1,
        downsample_ratio=0.5,
    )
    size = {"height": 28, "width": 28}
    template = _QWEN_TEMPLATE.replace("<|vision_start|><|image_pad|><|vision_end|>", "<IMG_CONTEXT>").replace(
        "VIDEO", "<video>"
    )
    processor = InternVLProcessor(
        GotOcr2ImageProcessor(size=size, crop_to_patches=False),
        words,
        InternVLVideoProcessor(size=size, num_frames=8, do_sample_frames=True),
        image_seq_length=1,
        chat_template=template,
    )
    return _save(InternVLForConditionalGeneration, config, processor, folder)


FAMILIES = {"qwen3_vl": qwen3_vl, "qwen2_5_vl": qwen2_5_vl, "internvl": internvl}


def _ids(words: Any) -> dict[str, int]:
    names = {
        "image_token_id": "image_pad",
        "video_token_id": "video_pad",
        "vision_start_token_id": "vision_start",
        "vision_end_token_id": "vision_end",
    }
    return {key: words.convert_tokens_to_ids(f"<|{token}|>") for key, token in names.items()}


def _save(kind: Any, config: Any, processor: Any, folder: Path) -> Path:
    torch.manual_seed(0)
    model = kind(config)
    model.generation_config.eos_token_id = processor.tokenizer.eos_token_id
    model.generation_config.pad_token_id = processor.tokenizer.pad_token_id
    model.save_pretrained(folder)
    processor.save_pretrained(folder)
    return folder

"""Clips as a Hugging Face `datasets` video folder, with a card and Croissant metadata.

README.md          dataset card: description, licence, citation, loading
metadata.parquet   one row per clip; `file_name` is the video's path, so `load_dataset(FOLDER)` finds it
croissant.json     the same columns described for machines (Croissant 1.0)
videos/ traces/ manifest.jsonl      as LFT keeps them: the export is a clips folder, too
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from lft.core.errors import InputError, shown
from lft.core.files import replacing, sha256_of, write_json, write_text
from lft.core.records import JsonObject
from lft.counting.clips import Clips
from lft.exports.clipset import CITATION, copy_clips, rows
from lft.exports.croissant import COLUMNS, METADATA, croissant

SPLIT = "test"  # nothing here is meant to be trained on

# Licence identifiers of the Hub that people use for data, and where their text is.
LICENSES = {
    "apache-2.0": "https://www.apache.org/licenses/LICENSE-2.0",
    "mit": "https://opensource.org/license/mit",
    "cc0-1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "cc-by-4.0": "https://creativecommons.org/licenses/by/4.0/",
    "cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/",
    "cc-by-nc-4.0": "https://creativecommons.org/licenses/by-nc/4.0/",
    "other": "",
    "unknown": "",
}


def export(clips: Clips, out: Path, *, name: str, license_id: str) -> str:
    """Writes the dataset to `out`, and returns how to load it. Raises `InputError` for an unknown licence."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if license_id not in LICENSES:
        raise InputError(f"unknown licence {shown(license_id)}", expected=", ".join(LICENSES))
    placed = copy_clips(clips, out)
    listed = rows(placed)
    with replacing(out / METADATA) as temporary:
        pq.write_table(pa.Table.from_pylist(listed, schema=_schema()), temporary)
    digest = sha256_of(out / METADATA)
    write_text(out / "README.md", card(listed, name=name, license_id=license_id, digest=digest))
    described = croissant(out, name=name, license_url=LICENSES[license_id] or license_id)
    write_json(out / "croissant.json", described)
    return f'datasets.load_dataset("{out}", split="{SPLIT}")'


def default_license(clips: Clips) -> str:
    """The licence of LFT for rendered clips; unknown for imported videos."""
    return "unknown" if any(hasattr(clip.spec, "source") for clip in clips) else "apache-2.0"


def _schema() -> Any:
    import pyarrow as pa

    kinds: JsonObject = {
        "sc:Text": pa.string(),
        "sc:Integer": pa.int64(),
        "sc:Float": pa.float64(),
        "sc:Boolean": pa.bool_(),
    }
    fields = [(c, pa.list_(kinds[k]) if many else kinds[k]) for c, (k, many, _) in COLUMNS.items()]
    return pa.schema(fields)


def card(rows: list[JsonObject], *, name: str, license_id: str, digest: str) -> str:
    """The dataset card: front matter for the Hub, then text for people.

    `datasets` caches by folder name and front matter: the hash of the rows in the front matter makes a changed export a
    new dataset.
    """
    size = next((s for s, most in _SIZES if len(rows) < most), "n>1M")
    front = {
        "license": license_id,
        "pretty_name": name,
        "task_categories": ["video-text-to-text", "visual-question-answering"],
        "tags": ["video", "counting", "temporal-grounding", "vision-language-models", "evaluation"],
        "size_categories": [size],
        "configs": [
            {
                "config_name": "default",
                "description": f"{METADATA} sha256 {digest}",
                "data_files": [{"split": SPLIT, "path": [METADATA, "videos/**"]}],
            }
        ],
    }
    domains = sorted({row["domain"] for row in rows})
    counts = sorted({row["count"] for row in rows})
    columns = "\n".join(f"| `{column}` | {text} |" for column, (_, _, text) in COLUMNS.items())
    link = f" ({LICENSES[license_id]})" if LICENSES[license_id] else ""
    return f"""---
{yaml.safe_dump(front, sort_keys=False, allow_unicode=True).strip()}
---

# {name}

{len(rows)} short videos whose events are known: how many, and when. Domains: {", ".join(domains)}. Counts: {
        ", ".join(map(str, counts))
    }.
A model is asked to count the events and to say when each happened; its report is compared with the truth.

```python
from datasets import Video, load_dataset

clips = load_dataset("FOLDER", split="{SPLIT}").cast_column("video", Video(decode=False))
print(clips[0]["video"]["path"], clips[0]["count"], clips[0]["event_times_s"])
```

| column | meaning |
|---|---|
{columns}

In a loaded dataset the column `video` takes the place of `file_name`. `traces/` holds the full truth of every
clip, frame by frame; the folder also opens with `lft.open_clips(FOLDER)`.

## Licence

{license_id}{link}

## Citation

```bibtex
{CITATION}
```
"""


_SIZES = (("n<1K", 1_000), ("1K<n<10K", 10_000), ("10K<n<100K", 100_000), ("100K<n<1M", 1_000_000))

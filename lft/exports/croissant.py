"""The columns of an exported dataset, and their description in Croissant 1.0 (mlcommons.org/croissant)."""

from __future__ import annotations

from pathlib import Path

from lft.core.files import sha256_of
from lft.core.records import JsonObject
from lft.exports.clipset import CITATION, REPOSITORY

METADATA = "metadata.parquet"

# column -> (Croissant data type, whether it is a list, meaning)
COLUMNS: dict[str, tuple[str, bool, str]] = {
    "file_name": ("sc:Text", False, "Path of the video, relative to this folder."),
    "clip_id": ("sc:Text", False, "Which clip: domain, count N, frequency F, seed."),
    "domain": ("sc:Text", False, "The kind of scene and of event."),
    "count": ("sc:Integer", False, "N, how many events happen."),
    "frequency_hz": (
        "sc:Float",
        False,
        "F, events per second while they happen; of an imported video the nearest power of two.",
    ),
    "seed": ("sc:Integer", False, "Tells clips of one domain, N and F apart."),
    "fps": ("sc:Float", False, "Frames per second."),
    "frame_count": ("sc:Integer", False, "Frames in the video."),
    "width": ("sc:Integer", False, "Pixels, upright."),
    "height": ("sc:Integer", False, "Pixels, upright."),
    "duration_s": ("sc:Float", False, "Seconds from the first frame to the end of the last."),
    "question": ("sc:Text", False, "What is asked about the video."),
    "event_times_s": (
        "sc:Float",
        True,
        "Seconds from the first frame to each event; empty where `timed` is false.",
    ),
    "event_type": ("sc:Text", False, "The word for one event."),
    "states": ("sc:Text", True, "State before the first event and after each; empty without events."),
    "trace_file": ("sc:Text", False, "Path of the full trace (JSON), relative to this folder."),
    "video_sha256": ("sc:Text", False, "SHA-256 of the video file."),
    "source": (
        "sc:Text",
        False,
        "Name of the file that an imported video came from; empty for a rendered one.",
    ),
    "kind": ("sc:Text", False, "What is done in an imported video, as its annotations call it."),
    "timed": (
        "sc:Boolean",
        False,
        "Whether it is known when the events happen, not only how many there are.",
    ),
}

# Media types of the containers that people import; all others are octets.
_FORMATS = {
    ".mp4": "video/mp4",
    ".m4v": "video/mp4",
    ".mov": "video/quicktime",
    ".mkv": "video/matroska",
    ".webm": "video/webm",
    ".avi": "video/vnd.avi",
    ".mpg": "video/mpeg",
    ".mpeg": "video/mpeg",
    ".ts": "video/mp2t",
    ".mts": "video/mp2t",
    ".m2ts": "video/mp2t",
    ".3gp": "video/3gpp",
    ".ogv": "video/ogg",
    ".wmv": "video/x-ms-wmv",
    ".flv": "video/x-flv",
    ".gif": "image/gif",
}

# The context that the specification prescribes.
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def croissant(out: Path, *, name: str, license_url: str) -> JsonObject:
    """The Croissant 1.0 description of the folder `out`."""
    videos = sorted({path.suffix.lower() for path in (out / "videos").rglob("*") if path.is_file()})
    formats = sorted({_FORMATS.get(suffix, "application/octet-stream") for suffix in videos}) or ["video/mp4"]
    fields = [
        {
            "@type": "cr:Field",
            "@id": f"clips/{column}",
            "name": column,
            "description": text,
            "dataType": kind,
            **({"repeated": True} if many else {}),
            "source": {"fileObject": {"@id": METADATA}, "extract": {"column": column}},
        }
        for column, (kind, many, text) in COLUMNS.items()
    ]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": "Short videos whose events are known exactly: how many, and when.",
        "url": REPOSITORY,
        "license": license_url,
        "citeAs": CITATION,
        "version": "1.0.0",
        "datePublished": "2026-08-01",
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": METADATA,
                "name": METADATA,
                "contentUrl": METADATA,
                "encodingFormat": "application/x-parquet",
                "sha256": sha256_of(out / METADATA),
            },
            {
                "@type": "cr:FileSet",
                "@id": "videos",
                "name": "videos",
                "encodingFormat": formats if len(formats) > 1 else formats[0],
                "includes": "videos/**",
            },
            {
                "@type": "cr:FileSet",
                "@id": "traces",
                "name": "traces",
                "encodingFormat": "application/json",
                "includes": "traces/**/*.json",
            },
        ],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "clips", "name": "clips", "field": fields}],
    }

"""Videos through Gemini's Files API."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest

from lft.core.models import Model
from lft.core.models.gemini import make_client
from lft.core.models.gemini_files import Uploads
from lft.core.requests import ModelError, Request, Text, Video
from lft.core.video.media import Media
from tests.core.models.conftest import KEY
from tests.fakes.provider import FakeProvider

Load = Callable[..., Model]


def uploads(fake: FakeProvider) -> Uploads:
    return Uploads(make_client(5.0), poll_s=0.01)


def test_a_video_over_the_inline_limit_is_uploaded_once_and_found_again(
    fake: FakeProvider, load: Load, clip: Media
) -> None:
    asked = Request((Video(clip, rate_hz=2.0), Text("?")))
    model = load("gemini", "inline_mb=0.001")
    response = model.generate(asked)
    model.generate(asked)
    load("gemini", "inline_mb=0.001").generate(asked)  # as another process would
    assert fake.uploads == 1
    (stored,) = fake.files.values()
    assert stored["sizeBytes"] == str(clip.path.stat().st_size)
    for call in fake.calls:
        assert call.parts[0] == ("user", "video", stored["uri"])
        assert call.document["contents"][0]["parts"][0]["videoMetadata"] == {"fps": 2.0}
    assert response.sent["given_as"] == "video_file"


def test_small_videos_go_inline_unless_told_otherwise(fake: FakeProvider, load: Load, clip: Media) -> None:
    load("gemini").generate(Request((Video(clip),)))
    assert fake.uploads == 0
    load("gemini", "upload=always").generate(Request((Video(clip),)))
    load("gemini", "upload=never&inline_mb=0.001").generate(Request((Video(clip),)))
    assert fake.uploads == 1


def test_it_waits_until_the_file_is_ready(fake: FakeProvider, small: Media) -> None:
    fake.file_states = ["PROCESSING", "PROCESSING", "ACTIVE"]
    assert uploads(fake).uri(small.path, "video/mp4").startswith(fake.url)
    assert fake.file_states == []


def test_a_file_that_failed_says_why_and_is_uploaded_anew(fake: FakeProvider, small: Media) -> None:
    fake.file_states = ["FAILED"]
    with pytest.raises(ModelError, match="could not process the video: the codec is not supported") as caught:
        uploads(fake).uri(small.path, "video/mp4")
    assert caught.value.kind == "server"
    assert uploads(fake).uri(small.path, "video/mp4")
    assert fake.uploads == 2


def test_a_file_about_to_expire_is_uploaded_anew(fake: FakeProvider, small: Media) -> None:
    store = uploads(fake)
    store.uri(small.path, "video/mp4")
    soon = (datetime.now(UTC) + timedelta(minutes=3)).isoformat().replace("+00:00", "Z")
    for stored in fake.files.values():
        stored["expirationTime"] = soon
    assert uploads(fake).uri(small.path, "video/mp4")
    assert fake.uploads == 2


def test_uploads_are_deleted_on_request_and_only_ours(fake: FakeProvider, clip: Media, small: Media) -> None:
    store = uploads(fake)
    store.uri(clip.path, "video/mp4")
    store.uri(small.path, "video/mp4")
    fake.files["files/other"] = {**next(iter(fake.files.values())), "name": "files/other"}
    assert store.delete_all() == 2
    assert list(fake.files) == ["files/other"]
    assert store.uri(small.path, "video/mp4")
    assert fake.uploads == 3


def test_the_key_is_in_no_file_name(fake: FakeProvider, small: Media) -> None:
    uploads(fake).uri(small.path, "video/mp4")
    assert KEY not in str(fake.files)

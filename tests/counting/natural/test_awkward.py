"""Annotations and folders as people really have them."""

from __future__ import annotations

import os
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

from lft.core.video.frames import Sampling, sample
from lft.core.video.media import Media
from lft.counting.clips import Clips
from tests.counting.natural.test_annotations import lft, repcount
from tests.natural_videos import film
from tests.videos import number_of

NFC, NFD = "\u00e9t\u00e9.mp4", "e\u0301te\u0301.mp4"  # the same name, as Linux and as a Mac write it


@pytest.fixture(scope="module")
def videos(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("videos")
    (folder / "train").mkdir()
    (folder / "test").mkdir()
    film(folder / "train" / "stu1_1.mp4", range(101), Fraction(1, 25))
    film(folder / "test" / "Walk 2.MP4", range(101), Fraction(1, 25))
    film(folder / "test" / NFD, range(50), Fraction(1, 25))
    for split in ("train", "test"):
        film(folder / split / "same.mp4", range(50), Fraction(1, 25))
    return folder


def listed(videos: Path, out: Path, name: str, content: str | bytes, *more: object) -> int:
    table = out.parent / name
    table.write_bytes(content.encode() if isinstance(content, str) else content)
    return lft("import", "videos", videos, "--annotations", table, "--out", out, *more)


def sources(out: Path) -> dict[str, tuple[float, ...]]:
    return {clip.spec.source: clip.trace.times_s for clip in Clips.open(out)}


def test_a_table_as_pandas_wrote_it(videos: Path, tmp_path: Path) -> None:
    """Two index columns, 302 columns of boundaries as floats, nan in all that are not used, Windows line ends, BOM."""
    boundaries = [f"L{k}" for k in range(1, 303)]
    header = ["", "Unnamed: 0", "type", "name", "count", *boundaries]
    row = ["0", "7", "squat", "stu1_1.mp4", "2", "0", "25.0", "50.0", "100.0", *["nan"] * 298]
    text = "\r\n".join(",".join(fields) for fields in (header, row)) + "\r\n"
    assert repcount(videos, tmp_path / "clips", "\ufeff" + text) == 0
    (clip,) = Clips.open(tmp_path / "clips")
    assert clip.trace.times_s == (0.5, 3.0)
    assert clip.spec.kind == "squat"


FORMS: list[tuple[str, str]] = [
    ("t.csv", "\ufeffVideo Name;Times_s\r\nstu1_1.mp4;0.5 1.5\r\n"),  # a spreadsheet's, where commas are decimal
    ("t.tsv", "filename\tstart\tend\nstu1_1.mp4\t0\t1\nstu1_1.mp4\t1\t2\n"),
    ("t.csv", "Video,Timestamp,Label\nstu1_1.mp4,0:00.5,hop\nstu1_1.mp4,00:00:01.5,hop\n"),
    ("t.csv", "video,count,times_s,note\nstu1_1.mp4,2,0.5 1.5\n"),  # the last field left out
    ("t.csv", "video,times_s\nstu1_1.mp4,0.5 1.5,,\n"),  # commas too many
    ("t.csv", "video,times_s\n/home/else/clips/stu1_1.mp4,0.5 1.5\n"),
    ("t.csv", "video,times_s\nD:\\clips\\stu1_1.mp4,0.5 1.5\n"),
    ("t.csv", "video,times_s\nSTU1_1.MP4,0.5 1.5\n"),
    ("t.csv", "video,times_s\nstu1_1,0.5 1.5\n"),
    ("t.csv", "video,times_s\nstu1_1.avi,0.5 1.5\n"),  # annotated before it was converted
    ("t.json", '{"version": 1, "videos": [{"file_name": "stu1_1.mp4", "events": [{"time": 0.5}, {"time": 1.5}]}]}'),
    ("t.json", '{"database": {"stu1_1": {"duration": 4, "annotations": [{"segment": [0, 1], "label": "hop"},'
               ' {"segment": [1, 2], "label": "hop"}]}}}'),
    ("t.json", '{"video": "stu1_1.mp4", "annotations": [{"start": 0, "end": 1}, {"start": 1, "end": 2}]}'),
    ("t.json", '{"stu1_1.mp4": ["0:00.5", "0:01.5"]}'),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content"), FORMS)
def test_shapes_of_annotations(name: str, content: str, videos: Path, tmp_path: Path) -> None:
    assert listed(videos, tmp_path / "clips", name, content) == 0
    assert sources(tmp_path / "clips") == {"stu1_1.mp4": (0.5, 1.5)}
    (clip,) = Clips.open(tmp_path / "clips")
    assert clip.spec.kind == ("hop" if "hop" in content else "")


@pytest.mark.parametrize("name", [NFC, NFD])
def test_accents_capitals_and_blanks_in_names(name: str, videos: Path, tmp_path: Path) -> None:
    text = f"video,count\n{name},1\nwalk 2.mp4,2\n"
    assert listed(videos, tmp_path / "clips", "t.csv", text) == 0
    assert sorted(sources(tmp_path / "clips")) == ["Walk 2.MP4", NFD]


def test_a_name_that_two_folders_have(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert listed(videos, tmp_path / "clips", "t.csv", "video,count\nsame.mp4,1\n") == 2
    assert "2 files are called 'same.mp4'" in capsys.readouterr().err
    for name in ("test/same.mp4", "test\\same.mp4", "/data/Test/same.mp4", "C:\\repcount\\test\\same.mp4"):
        assert listed(videos, tmp_path / "clips", "t.csv", f"video,count\n{name},1\n") == 0
        (clip,) = Clips.open(tmp_path / "clips")
        assert clip.video.samefile(videos / "test" / "same.mp4")


def test_videos_that_are_links_to_another_disk(videos: Path, tmp_path: Path) -> None:
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "a.mp4").symlink_to(videos / "train" / "stu1_1.mp4")
    assert listed(tmp_path / "links", tmp_path / "clips", "t.csv", "video,times_s\na.mp4,1\n") == 0
    assert sources(tmp_path / "clips") == {"a.mp4": (1.0,)}
    # A folder that is a link, and one that leads back.
    (tmp_path / "links" / "far").symlink_to(videos / "train", target_is_directory=True)
    (tmp_path / "links" / "loop").symlink_to(tmp_path / "links", target_is_directory=True)
    assert listed(tmp_path / "links", tmp_path / "clips", "t.csv", "video,times_s\nstu1_1.mp4,2\n") == 0
    assert sources(tmp_path / "clips") == {"stu1_1.mp4": (2.0,)}


CONTAINERS = [
    ("a.webm", "libvpx-vp9"), ("b.mkv", "libx264"), ("c.avi", "mpeg4"), ("d.mov", "libx264"), ("e.gif", "gif"),
    ("f.ts", "libx264"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "codec"), CONTAINERS)
def test_containers(name: str, codec: str, tmp_path: Path) -> None:
    import av

    folder = tmp_path / "videos"
    folder.mkdir()
    with av.open(str(folder / name), "w") as container:
        stream = container.add_stream(codec, rate=25)
        stream.width, stream.height = 64, 48
        stream.pix_fmt = "rgb8" if codec == "gif" else "yuv420p"
        from tests.videos import numbered

        for picture in numbered(50, (64, 48)):
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode(None))
    assert listed(folder, tmp_path / "clips", "t.csv", f"video,times_s\n{name},0.5 1.5\n") == 0
    (clip,) = Clips.open(tmp_path / "clips")
    assert clip.video.suffix == Path(name).suffix
    assert clip.trace.frame_count == 50
    media = Media.open(clip.video)
    frames = sample(media, Sampling.parse("frames:5"))
    # Midpoints of five parts of two seconds at 25 frames a second: 0.2, 0.6, ... s.
    assert frames.frame_indices.tolist() == [5, 15, 25, 35, 45]
    if codec != "gif":  # it has too few colours for the numbers
        assert [number_of(picture) for picture in frames.pictures()] == [i % 31 for i in (5, 15, 25, 35, 45)]


def test_the_rows_of_a_bad_table_are_named_at_once_and_can_be_left_out(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (
        "name,count,L1,L2,L3,L4\n"
        "stu1_1.mp4,5,0,5,5,9\n"  # two cycles, or three, but not five
        "gone.mp4,1,0,5,,\n"
        "Walk 2.MP4,1,7,7,,\n"  # nothing happens in no time
        "train/same.mp4,,0,5,,\n"
        "test/same.mp4,1,0,5,,\n"
    )
    assert repcount(videos, tmp_path / "clips", text, "--skip-faulty") == 0
    out, err = capsys.readouterr()
    for line, fault in (
        (2, "4 boundaries for 5 cycles"),
        (4, "an event from 0.28 to 0.28 s"),
        (5, "the count is None"),
    ):
        assert any(f"annotations.csv:{line}" in said and fault in said for said in err.splitlines()), fault
    assert "left out: 1 rows whose videos are not in" in err
    assert "4 rows left out" in out
    (clip,) = Clips.open(tmp_path / "clips")
    assert clip.spec.seed == 4  # the fifth row


def files(out: Path) -> list[str]:
    return sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*") if path.suffix != ".jsonl")


def test_a_second_import_adds_and_a_corrected_one_replaces_its_own_clip(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, train = tmp_path / "mine", videos / "train"
    one, two = train / "stu1_1.mp4", train / "same.mp4"

    def add(video: Path, *more: object) -> str:
        assert lft("import", "videos", video, "--out", out, *more) == 0
        return capsys.readouterr().out

    first = add(one, "--times", "1,2", "--event", "hop")
    assert "1 clip in " in first
    assert "stu1_1.mp4 is natural/n02_f1.0_s00\n" in first
    assert f"next: lft prompt stu1_1.mp4 --clips {out} " in first
    # Two events in a second as well: the id differs by the seed.
    assert "beside 1 clip that was there\nsame.mp4 is natural/n02_f1.0_s01\n" in add(
        two, "--times", "0.5,1.5"
    )
    assert sources(out) == {"stu1_1.mp4": (1.0, 2.0), "same.mp4": (0.5, 1.5)}
    corrected = add(one, "--times", "1,2,3")
    assert (
        "stu1_1.mp4 was there as natural/n02_f1.0_s00: that clip is replaced by natural/n03_f1.0_s00"
        in corrected
    )
    assert sources(out) == {"stu1_1.mp4": (1.0, 2.0, 3.0), "same.mp4": (0.5, 1.5)}
    assert not Clips.open(out).faults()
    assert len(files(out)) == 5  # two videos, two traces, one question
    assert "replaced" not in add(one, "--times", "1,2,3")
    before = (out / "manifest.jsonl").read_bytes()
    # Another file of that name, and another question about what is there, are refused by name.
    film(tmp_path / "same.mp4", range(40), Fraction(1, 25))
    for video, more, words in (
        (
            tmp_path / "same.mp4",
            (),
            "'same.mp4' differs from the file with that name in natural/n02",
        ),
        (
            two,
            ("--event", "step"),
            "another question would be asked about what is there as well (stu1_1.mp4)",
        ),
    ):
        assert lft("import", "videos", video, "--times", "1", "--out", out, *more) == 2
        err = capsys.readouterr().err
        assert words in err
        assert "; try " in err
    assert (out / "manifest.jsonl").read_bytes() == before
    assert lft("import", "videos", tmp_path / "same.mp4", "--times", "1", "--out", out, "--replace") == 0
    assert sources(out) == {"same.mp4": (1.0,)}


def test_a_run_whose_clip_is_gone_is_told_of_no_other(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out, video = tmp_path / "mine", videos / "train" / "stu1_1.mp4"
    assert lft("import", "videos", video, "--times", "1,2", "--out", out) == 0
    (tmp_path / "a.txt").write_text("\\boxed{2}")
    given = ("--clip", "stu1_1.mp4", "--clips", out, "--out", tmp_path / "run")
    assert lft("import", "responses", tmp_path / "a.txt", *given) == 0
    assert lft("import", "videos", video, "--times", "1,2,3", "--out", out) == 0
    capsys.readouterr()
    assert lft("score", tmp_path / "run") == 2
    err = capsys.readouterr().err
    assert "'natural/n02_f1.0_s00', which the run was asked about, is missing" in err
    assert "did you mean" not in err
    assert "n03" not in err


def test_an_import_that_replaces_leaves_only_what_it_names(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "clips"
    assert repcount(videos, out, "name,count\nstu1_1.mp4,4\nWalk 2.MP4,2\n") == 0
    assert listed(videos, out, "t.csv", "video,count\nstu1_1.mp4,1\n") == 0
    question = out / "questions" / "repetition.txt"
    question.write_text(question.read_text().replace("An action is", "Squats are"))
    capsys.readouterr()
    assert repcount(videos, out, "name,count\nstu1_1.mp4,5\n", "--replace") == 0
    assert "2 clips of an earlier import removed" in capsys.readouterr().out
    (mine,) = (clip for clip in Clips.open(out) if clip.spec.domain == "repetition")
    (other,) = (clip for clip in Clips.open(out) if clip.spec.domain == "natural")
    assert files(out) == sorted(
        [f"videos/{clip.clip_id}.mp4" for clip in (mine, other)]
        + [f"traces/{clip.clip_id}.json" for clip in (mine, other)]
        + ["questions/natural.txt", "questions/repetition.txt"]
    )
    assert "Squats are repeated" in question.read_text()  # as edited
    assert (videos / "test" / "Walk 2.MP4").is_file()
    assert not Clips.open(out).faults()


def test_what_may_be_the_only_copy_of_a_video_stays(
    videos: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = tmp_path / "own"
    shutil.copytree(videos / "train", own)
    out = tmp_path / "clips"
    assert repcount(own, out, "name,count\nstu1_1.mp4,4\nsame.mp4,2\n") == 0
    first, second = Clips.open(out)
    (own / "stu1_1.mp4").unlink()  # now the clip is all there is of it
    capsys.readouterr()
    assert repcount(own, out, "name,count\nsame.mp4,2\n", "--replace") == 0
    err = capsys.readouterr().err
    assert f"kept, although it is no longer a clip: {first.video}" in err
    assert first.video.is_file()
    assert not first.trace_path.exists()
    assert not second.video.exists()  # it is s00 now
    # A copy, as on a file system without links, goes if the user's own is still there, unchanged.
    (third,) = Clips.open(out)
    shutil.copy(third.video, tmp_path / "copy.mp4")
    os.replace(tmp_path / "copy.mp4", third.video)
    assert third.video.stat().st_nlink == 1
    assert repcount(own, out, "name,count\nsame.mp4,3\n", "--replace") == 0
    assert not third.video.exists()


def test_a_faulty_import_changes_nothing(videos: Path, tmp_path: Path) -> None:
    out = tmp_path / "clips"
    assert repcount(videos, out, "name,count\nstu1_1.mp4,4\n") == 0
    before = {name: (out / name).read_bytes() for name in files(out)} | {
        "m": (out / "manifest.jsonl").read_bytes()
    }
    assert repcount(videos, out, "name,count\nWalk 2.MP4,4\nstu1_1.mp4,x\n") == 2
    after = {name: (out / name).read_bytes() for name in files(out)} | {
        "m": (out / "manifest.jsonl").read_bytes()
    }
    assert before == after

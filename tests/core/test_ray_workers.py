"""Rendering over a Ray cluster whose nodes come and go."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.core.errors import InputError
from lft.counting.clips import MANIFEST, Clips
from lft.counting.domains import DOMAINS
from lft.counting.rendering.clip_folder import render_clips
from lft.counting.spec import ClipSpec

pytest.importorskip("ray", reason="needs Ray")

SPECS = [ClipSpec(d, 4, 2.0, s, width=160, height=90) for d in DOMAINS for s in range(12)]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    import ray
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    ray.init(address=made.address, log_to_driver=False, logging_level="ERROR")
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.mark.slow
def test_the_manifest_ends_complete_though_a_node_is_lost(cluster: Any, tmp_path: Path) -> None:
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    reported: list[int] = []

    def seen(done: int, total: int) -> None:
        reported.append(done)
        if len(reported) == 1:
            cluster.remove_node(second, allow_graceful=False)

    outcome = render_clips(SPECS, tmp_path / "ray", executor="ray", seen=seen)
    assert outcome.rendered == len(SPECS)
    assert reported == list(range(1, len(SPECS) + 1))
    lines = [json.loads(line)["id"] for line in (tmp_path / "ray" / MANIFEST).read_text().splitlines()]
    assert lines == [spec.clip_id for spec in SPECS]
    assert Clips.open(tmp_path / "ray").faults() == {}

    some = SPECS[::9]
    render_clips(some, tmp_path / "local")
    for clip in Clips.open(tmp_path / "local"):
        assert clip.video_sha256 == Clips.open(tmp_path / "ray")[clip.clip_id].video_sha256


@pytest.mark.slow
def test_errors_of_the_work_come_back(cluster: Any) -> None:
    from lft.core.ray_workers import over_ray

    with pytest.raises(InputError, match="here: three"):
        list(over_ray([[1, 2, 3]], _refusing))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        list(over_ray([[0]], _dividing))
    assert sorted(over_ray([[1, 2], [4]], _dividing)) == [0.25, 0.5, 1.0]


def _refusing() -> Any:
    def work(x: int) -> int:
        if x == 3:
            raise InputError("three", where="here")
        return x

    return work


def _dividing() -> Any:
    return lambda x: 1 / x


@pytest.mark.slow
def test_without_a_cluster_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    import ray

    from lft.core.ray_workers import over_ray

    if ray.is_initialized():
        ray.shutdown()
    monkeypatch.setenv("RAY_ADDRESS", "127.0.0.1:1")
    with pytest.raises(InputError, match="no Ray cluster found"):
        next(over_ray([[1]], _dividing))


@pytest.mark.slow
def test_a_cluster_that_answers_but_refuses_is_not_called_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    import ray

    from lft.core.ray_workers import over_ray

    if ray.is_initialized():
        ray.shutdown()

    def refusing(**_: object) -> None:
        raise ConnectionError("Failed to connect to Ray cluster")

    monkeypatch.setattr(ray, "init", refusing)
    with socket.create_server(("127.0.0.1", 0)) as server:
        monkeypatch.setenv("RAY_ADDRESS", f"127.0.0.1:{server.getsockname()[1]}")
        with pytest.raises(InputError, match=r"cannot be used .*; try RAY_AUTH_MODE=token"):
            next(over_ray([[1]], _dividing))

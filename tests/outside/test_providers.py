"""The command line against a server that speaks as the providers' public pages say, and misbehaves as people met it."""

from __future__ import annotations

import email.utils
import json
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lft.cli import main
from lft.core.runs import Run
from tests.outside.conftest import KEYS, Server, run
from tests.outside.wire_server import CHAT_BAD, GEMINI_BAD

Start = Callable[..., Server]
Out = pytest.CaptureFixture[str]
TRIALS = 24
# What each trouble comes to, written out: the kind of a missing answer, or the limit of one that is not applicable.
CHAT_KINDS = {
    "bad_image": "rejected", "policy": "blocked", "length": "truncated", "error": "unfinished", "filter": "blocked",
    "refusal": "refused", "no_reason": "unfinished", "vllm_long": "tokens", "sglang_long": "tokens",
    "proxy_413": "bytes",
}  # fmt: skip
GEMINI_KINDS = {
    "bad_image": "rejected", "not_active": "rejected", "file_403": "rejected", "long": "tokens", "length": "truncated",
    "safety": "blocked", "other": "unfinished", "prompt_blocked": "blocked",
}  # fmt: skip


def asked(clips: Path, spec: str, *more: object) -> int:
    return run("sweep", "outside.yaml", "--clips", clips, "--model", spec, "--run", "runs/r", *more)


def chat(server: Server, options: str = "") -> str:
    return f"openai:m@{server.url}/v1{options}"


def became(folder: str = "runs/r") -> Counter[str]:
    """What became of the trials of a run: `answered`, a kind, or a limit."""
    opened = Run.open(folder)
    answers = opened.answers()
    found = Counter(
        "answered" if line["status"] == "answered" else str(line.get("limit")) for line in answers.values()
    )
    found.update(line["error"]["kind"] for line in opened.faults().values())
    return found


def headers_of(server: Server, number: int = 0) -> dict[str, str]:
    """The headers of a request that came, by their names in small letters."""
    return {name.lower(): value for name, value in server.requests[number]["headers"].items()}


def cost(capsys: Out, *more: str) -> dict[str, Any]:
    capsys.readouterr()
    assert run("cost", "runs/r", "--json", *more) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


# 1 and 2: an answer is one only if it ended; a trial's own trouble is that trial's.


@pytest.mark.parametrize(
    ("provider", "kinds"), [("openai", CHAT_KINDS), ("gemini", GEMINI_KINDS)], ids=["openai", "gemini"]
)
def test_bad_trials_are_missing_by_kind_and_good_ones_answered_once(
    server: Start, clips: Path, capsys: Out, provider: str, kinds: dict[str, str]
) -> None:
    assert set(kinds) == set(CHAT_BAD if provider == "openai" else GEMINI_BAD)
    made = server(bad=dict.fromkeys(kinds, 0.07))
    spec = chat(made) if provider == "openai" else "gemini:m"
    assert asked(clips, spec) == 1
    good = {line["question"] for line in made.billed if line["kind"] is None}
    found = became()
    assert found["answered"] == len(good)
    assert sum(found.values()) == TRIALS
    assert set(found) <= {"answered", *kinds.values()}
    told = capsys.readouterr().out
    for kind in set(found) & {"truncated", "rejected", "blocked", "refused", "unfinished"}:
        assert f"missing, {found[kind]} {kind}" in told
    run("score", "runs/r", "--json")
    document = json.loads(capsys.readouterr().out)
    missing = Counter(dict(document["conditions"][0]["all"]["missing"]))
    assert missing == Counter({k: n for k, n in found.items() if k not in ("answered", "tokens", "bytes")})
    assert cost(capsys)["total"]["usd"] == pytest.approx(sum(line["usd"] for line in made.billed))
    before = len(good)
    asked(clips, spec)
    assert Counter(q["question"] for q in made.billed if q["kind"] is None).most_common(1)[0][1] == 1
    assert became()["answered"] == before


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_larger_output_limit_makes_cut_off_trials_succeed_within_the_run(
    server: Start, clips: Path, provider: str
) -> None:
    made = server(bad={"length": 0.4})
    name, spec = ("max_tokens", chat(made)) if provider == "openai" else ("max_output_tokens", "gemini:m")
    assert asked(clips, f"{spec}?{name}=200") == 1
    cut = became()["truncated"]
    assert 0 < cut < TRIALS
    line = next(iter(Run.open("runs/r").faults().values()))
    assert line["text"].startswith("1. 3.00 s")
    assert asked(clips, f"{spec}?{name}=8000") == 0
    settings = [line["settings"][name] for line in Run.open("runs/r").lines() if line["status"] == "answered"]
    assert Counter(settings) == {200: TRIALS - cut, 8000: cut}
    assert asked(clips, f"{spec}?{name}=8000&temperature=0.5") == 2  # another experiment


def test_a_server_that_never_says_how_an_answer_ended_can_be_taken_at_its_word(
    server: Start, clips: Path, capsys: Out
) -> None:
    made = server(bad={"no_reason": 1.0})
    assert asked(clips, chat(made)) == 1
    assert "failed for the same reason: unfinished" in capsys.readouterr().out
    assert run("sweep", "outside.yaml", "--clips", clips, "--model", chat(made, "?finish_reason=optional"),
               "--run", "runs/optional") == 0  # fmt: skip


def test_a_wrong_key_stops_at_once_and_is_not_repeated(server: Start, clips: Path, capsys: Out) -> None:
    made = server(deny=True)
    assert asked(clips, chat(made, "?api_key_env=OPENAI_API_KEY"), "--concurrency", 1) == 1
    said = capsys.readouterr()
    assert "stopped: 401" in said.out
    assert KEYS["OPENAI_API_KEY"] not in said.out + said.err + Path("runs/r/responses.jsonl").read_text()
    assert len(made.requests) == 1


# 3: not applicable is not for ever.


def test_not_applicable_is_kept_until_told_and_then_asked_again(server: Start, clips: Path) -> None:
    made = server(bad={"proxy_413": 1.0})
    assert asked(clips, chat(made)) == 0
    assert became() == {"bytes": TRIALS}
    calls = len(made.requests)
    assert asked(clips, chat(made)) == 0
    assert len(made.requests) == calls
    made.plan["bad"] = {}
    assert asked(clips, chat(made), "--retry", "not-applicable,truncated") == 0
    assert became() == {"answered": TRIALS}
    assert asked(clips, chat(made), "--retry", "not-aplicable") == 2


def test_a_video_too_large_inline_goes_through_the_files_api(server: Start, clips: Path) -> None:
    made = server(inline_too_large=True)
    assert asked(clips, "gemini:m", "--sampling", "native", "--limit", 2) == 0
    lines = list(Run.open("runs/r").lines())
    assert [line["sent"]["given_as"] for line in lines] == ["video_file"] * 2
    assert sum("upload" in request["path"] for request in made.requests) == 2


# 4: a bad night.


def test_a_server_that_is_not_there_is_named_and_waited_for(server: Start, clips: Path, capsys: Out) -> None:
    made = server()
    url = made.url
    made.close()
    assert asked(clips, f"openai:m@{url}/v1", "--patience", "2s") == 1
    said = capsys.readouterr().out
    assert "stopped: the provider did not answer for 2 s" in said
    assert url in said


@pytest.mark.parametrize("moment", ["inf", "nan", "-5", "date"])
def test_any_retry_after_is_survived(server: Start, clips: Path, moment: str) -> None:
    # By the server's clock, an hour off, the date is now: this machine's clock must not make an hour of it.
    hour_off = email.utils.formatdate(time.time() + 3600, usegmt=True)
    made = server(limited=0.3, retry_after=hour_off if moment == "date" else moment, date=hour_off)
    assert asked(clips, chat(made), "--limit", 6) == 0


@pytest.mark.parametrize("provider", ["openai", "gemini", "anthropic"])
def test_a_server_that_drips_bytes_is_left_after_timeout_s(server: Start, clips: Path, provider: str) -> None:
    made = server(drip=True)
    spec = {"openai": chat(made), "gemini": "gemini:m", "anthropic": "anthropic:m"}[provider]
    assert asked(clips, f"{spec}?timeout_s=0.5", "--limit", 1, "--patience", "1s") == 1
    assert became() == {"timeout": 1}


# 5: batch jobs.


def leave_waiting(clips: Path, spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sweep with --batch that is interrupted when it first waits for its job."""
    from lft.core import batch

    class Killed(BaseException):
        pass

    def killed(seconds: float) -> None:
        raise Killed

    own = SimpleNamespace(sleep=killed, monotonic=time.monotonic, time_ns=time.time_ns)
    with monkeypatch.context() as patched:
        patched.setattr(batch, "time", own)
        with pytest.raises(Killed):
            main(
                [
                    "sweep",
                    "outside.yaml",
                    "--clips",
                    str(clips),
                    "--model",
                    spec,
                    "--run",
                    "runs/r",
                    "--batch",
                ]
            )


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_batch_survives_errors_of_the_api_and_costs_half(
    server: Start, clips: Path, capsys: Out, provider: str
) -> None:
    kinds = CHAT_KINDS if provider == "openai" else GEMINI_KINDS
    made = server(bad=dict.fromkeys(kinds, 0.05), falls={"create": 1, "poll": 2}, job_s=0.2)
    spec = chat(made) if provider == "openai" else "gemini:m"
    assert asked(clips, spec, "--batch", "--poll", 0.1) == 1
    assert became()["answered"] == sum(line["kind"] is None for line in made.billed)
    assert sum(became().values()) == TRIALS
    total = cost(capsys)["total"]["usd"]
    assert total == pytest.approx(sum(line["usd"] for line in made.billed))
    jobs = json.loads((made.folder / f"{provider}.json").read_text())["jobs"]
    assert len(jobs) == 1  # the answer to its making was an error, and it was found again


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_job_under_way_is_not_paid_twice_and_can_be_given_up(
    server: Start, clips: Path, capsys: Out, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server(job_s=3600.0)
    spec = chat(made) if provider == "openai" else "gemini:m"
    leave_waiting(clips, spec, monkeypatch)
    capsys.readouterr()
    assert asked(clips, spec) == 2
    said = capsys.readouterr().err
    assert "24 of these trials are in the open batch job" in said
    assert "--cancel-batch to cancel it" in said
    assert asked(clips, spec, "--cancel-batch", "--poll", 0.1) == 1
    assert made.billed == []
    assert asked(clips, spec) == 0
    assert len(made.billed) == TRIALS


@pytest.mark.parametrize("provider", ["openai", "gemini"])
def test_a_job_that_the_provider_does_not_know_any_more_does_not_block(
    server: Start, clips: Path, capsys: Out, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server(job_s=3600.0)
    spec = chat(made) if provider == "openai" else "gemini:m"
    leave_waiting(clips, spec, monkeypatch)
    (made.folder / f"{provider}.json").write_text('{"files": {}, "jobs": {}, "uploads": {}}')
    assert asked(clips, spec, "--batch", "--poll", 0.1) == 1
    assert "is not known to the provider" in capsys.readouterr().err
    made.plan["job_s"] = 0.1
    assert asked(clips, spec, "--batch", "--poll", 0.1) == 0


def test_an_upload_whose_name_is_taken_gets_another(server: Start, clips: Path) -> None:
    from lft.core.files import sha256_of

    first = sorted((clips / "videos/blinking").glob("*.mp4"))
    made = server(taken=[f"files/lft-{sha256_of(path)[:32]}" for path in first])
    assert asked(clips, "gemini:m?upload=always", "--sampling", "native", "--limit", 2) == 0
    assert all("fileUri" not in line for line in Run.open("runs/r").lines())
    names = list(json.loads((made.folder / "gemini.json").read_text())["files"])
    assert len(names) == 2
    assert not set(names) & set(made.plan["taken"])


# 6: money.


def test_prices_that_become_known_later_are_applied(server: Start, clips: Path, capsys: Out) -> None:
    made = server()
    Path("prices.yaml").unlink()
    assert asked(clips, chat(made), "--limit", 5) == 0
    assert cost(capsys)["total"]["usd"] is None
    Path("prices.yaml").write_text("m: {input: 1.0, output: 4.0}\n")
    assert cost(capsys)["total"]["usd"] == pytest.approx(sum(line["usd"] for line in made.billed))
    assert cost(capsys, "--as-paid")["total"]["usd"] is None
    assert asked(clips, chat(made), "--max-cost", 1) == 0
    run("plan", "outside.yaml", "--clips", clips, "--model", chat(made), "--run", "runs/r", "--json")
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["conditions"][0]["measured"] == TRIALS


def test_sound_and_what_tools_read_are_priced(server: Start, clips: Path, capsys: Out) -> None:
    made = server(tool_tokens=500, audio_tokens=400)
    Path("prices.yaml").write_text("m: {input: 1.0, output: 4.0, audio: 3.0}\n")
    assert asked(clips, "gemini:m", "--limit", 3) == 0
    # The server's sum has sound at the price of words; 400 tokens of it cost 2 USD a million more, three times.
    expected = sum(line["usd"] for line in made.billed) + 3 * 400 * 2.0 / 1e6
    assert cost(capsys)["total"]["usd"] == pytest.approx(expected)


def test_a_call_lost_to_a_kill_is_possible_cost_with_an_upper_bound(
    server: Start, clips: Path, capsys: Out
) -> None:
    made = server()
    assert asked(clips, chat(made, "?max_tokens=2000"), "--limit", 5) == 0
    with open("runs/r/started.jsonl", "a") as file:
        file.write('{"call": "dead-1", "trial": "x", "turn": 0}\n')
    found = cost(capsys)["unaccounted"]
    assert found["calls"] == 1
    assert found["most_usd"] >= max(line["usd"] for line in made.billed)
    run("cost", "runs/r")
    said = capsys.readouterr().out
    assert "possible beside it: 1 call" in said
    assert "0.00 USD" not in said


# 8: the providers that people have.


def test_azure_is_sent_its_key_in_its_header(server: Start, clips: Path) -> None:
    made = server()
    assert asked(clips, f"azure:m@{made.url}", "--limit", 1) == 0
    assert run("sweep", "outside.yaml", "--clips", clips, "--limit", 1, "--run", "runs/dated", "--model",
               f"azure:m@{made.url}?api_version=2025-04-01-preview") == 0  # fmt: skip
    first, second = made.requests
    assert first["path"] == "/openai/v1/chat/completions"
    assert second["path"] == "/openai/deployments/m/chat/completions?api-version=2025-04-01-preview"
    for number in (0, 1):
        headers = headers_of(made, number)
        assert headers["api-key"] == KEYS["AZURE_OPENAI_API_KEY"]
        assert "authorization" not in headers


def test_claude_is_asked_by_the_messages_api(server: Start, clips: Path, capsys: Out) -> None:
    made = server(bad={"length": 0.1, "refusal": 0.1, "paused": 0.1})
    assert asked(clips, "anthropic:m") == 1
    assert set(became()) <= {"answered", "truncated", "refused", "unfinished"}
    assert became()["answered"] == len({q["question"] for q in made.billed if q["kind"] is None})
    headers = headers_of(made)
    assert headers["x-api-key"] == KEYS["ANTHROPIC_API_KEY"]
    assert headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers
    assert cost(capsys)["total"]["usd"] == pytest.approx(sum(line["usd"] for line in made.billed))


def test_vertex_speaks_to_its_own_path(server: Start, clips: Path) -> None:
    made = server()
    assert asked(clips, "vertex:m", "--limit", 2) == 0
    assert all("publishers/google/models/m:generateContent" in r["path"] for r in made.requests)


@pytest.fixture
def service_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Server], None]:
    """Makes a project and the key file of a service account, whose tokens come from a server, the credentials."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )

    def set_up(made: Server) -> None:
        path = tmp_path / "account.json"
        path.write_text(json.dumps({
            "type": "service_account", "project_id": "tests", "private_key_id": "k1", "private_key": key.decode(),
            "client_email": "a@tests.iam.gserviceaccount.com", "client_id": "1", "token_uri": f"{made.url}/token",
        }))  # fmt: skip
        monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", str(path))
        monkeypatch.setenv("GOOGLE_CLOUD_PROJECT", "tests")
        monkeypatch.setenv("GOOGLE_CLOUD_LOCATION", "europe-west4")
        for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    return set_up


def test_vertex_takes_the_credentials_of_a_project(
    server: Start, clips: Path, service_account: Callable[[Server], None], capsys: Out
) -> None:
    made = server(limited=0.3)
    service_account(made)
    assert asked(clips, "vertex:m", "--limit", 4) == 0
    assert len(made.billed) == 4
    token, *calls = made.requests
    assert token["path"] == "/token"
    place = "/v1beta1/projects/tests/locations/europe-west4/publishers/google/models/m:generateContent"
    for number in range(1, len(calls) + 1):
        assert made.requests[number]["path"] == place
        assert headers_of(made, number)["authorization"] == "Bearer ya29.outside"
        assert "x-goog-api-key" not in headers_of(made, number)
    said = capsys.readouterr()
    kept = "".join(path.read_text() for path in Path("runs/r").glob("*.json*"))
    assert "ya29.outside" not in said.out + said.err + kept
    assert "PRIVATE KEY" not in kept


def test_vertex_stops_at_once_where_the_account_gets_no_token(
    server: Start, clips: Path, service_account: Callable[[Server], None], capsys: Out
) -> None:
    made = server(token=(400, {"error": "invalid_grant", "error_description": "Invalid JWT Signature."}))
    service_account(made)
    assert asked(clips, "vertex:m", "--concurrency", 1) == 1
    assert "Invalid JWT Signature" in capsys.readouterr().out
    assert became() == {"refused": 1}
    assert made.billed == []


def test_vertex_waits_where_tokens_are_not_to_be_had_for_a_while(
    server: Start, clips: Path, service_account: Callable[[Server], None], capsys: Out
) -> None:
    made = server(token=(503, {"error": "temporarily_unavailable"}))
    service_account(made)
    assert asked(clips, "vertex:m", "--limit", 1, "--patience", "1s") == 1
    assert set(became()) <= {"server", "connection"}
    made.plan.pop("token")
    assert asked(clips, "vertex:m", "--limit", 1) == 0


def test_another_address_for_openai_comes_from_the_environment(
    server: Start, clips: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = server()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{made.url}/v1")
    assert asked(clips, "openai:m", "--limit", 1) == 0
    assert headers_of(made)["authorization"] == f"Bearer {KEYS['OPENAI_API_KEY']}"
    assert Run.open("runs/r").manifest["model"]["base_url"] == f"{made.url}/v1"


def test_a_vllm_server_is_known_by_its_own_name(server: Start, clips: Path) -> None:
    made = server()
    assert asked(clips, f"vllm:m@{made.url}/v1?fps=1", "--limit", 1) == 0
    model = Run.open("runs/r").manifest["model"]
    assert (model["native_frames"], model["native_rate_hz"]) == ("sampled", 1.0)
    assert KEYS["OPENAI_API_KEY"] not in str(headers_of(made))


@pytest.mark.parametrize(
    ("bare", "meant"),
    [("gpt-5", "openai:gpt-5"), ("gemini-3.6-flash?fps=2", "gemini:gemini-3.6-flash?fps=2"),
     ("claude-opus-4-6", "anthropic:claude-opus-4-6"), ("Qwen/Qwen3-VL-8B-Instruct", "hf:Qwen/Qwen3-VL-8B-Instruct")],
)  # fmt: skip
def test_a_bare_name_gets_the_nearest_spec(
    server: Start, clips: Path, capsys: Out, bare: str, meant: str
) -> None:
    server()
    for command in (("sweep", "outside.yaml", "--run", "runs/r"), ("plan", "outside.yaml")):
        assert run(*command, "--clips", clips, "--model", bare) == 2
        assert capsys.readouterr().err.strip().endswith(f"expected {meant}")


# 9: secrets.


def test_a_secret_in_an_address_reaches_no_file_and_no_message(
    server: Start, clips: Path, capsys: Out
) -> None:
    made = server(bad={"bad_image": 0.3})
    secret = "gw-K3yInPath-98765"
    asked(clips, f"openai:m@{made.url}/{secret}/v1")
    said = capsys.readouterr()
    everything = said.out + said.err + "".join(p.read_text() for p in Path("runs/r").glob("*.json*"))
    assert secret not in everything
    assert any(secret in request["path"] for request in made.requests)
    assert asked(clips, f"openai:m@{made.url}/{secret}/v1") == 1  # the same address goes on with the run
    made.close()
    run("sweep", "outside.yaml", "--clips", clips, "--run", "runs/s", "--patience", "1s", "--model",
        f"openai:m@{made.url}/{secret}/v1")  # fmt: skip
    for faulty in ("?seed=1&seed=2", "?bogus=1", "?temperature=hot"):
        run("sweep", "outside.yaml", "--clips", clips, "--model", f"openai:m@{made.url}/{secret}/v1{faulty}")
    said = capsys.readouterr()
    assert secret not in said.out + said.err


@pytest.mark.parametrize("key", ["sk-proj-abcdefghij0123456789", "AIzaSyA1234567890abcdefghijk"])
def test_a_key_pasted_where_its_name_belongs_is_not_echoed(
    server: Start, clips: Path, capsys: Out, key: str
) -> None:
    made = server()
    assert asked(clips, chat(made, f"?api_key_env={key}")) == 2
    said = capsys.readouterr()
    assert key not in said.out + said.err
    assert "api_key_env" in said.err


@pytest.mark.parametrize("provider", ["openai", "azure", "gemini", "anthropic"])
def test_a_redirect_to_another_host_does_not_carry_the_key(
    server: Start, clips: Path, capsys: Out, provider: str
) -> None:
    thief = server()
    made = server(redirect=thief.url.replace("127.0.0.1", "localhost"))
    spec = {"openai": chat(made, "?api_key_env=OPENAI_API_KEY"), "azure": f"azure:m@{made.url}",
            "gemini": "gemini:m", "anthropic": "anthropic:m"}[provider]  # fmt: skip
    assert asked(clips, spec, "--limit", 1, "--patience", "1s") == 1
    assert thief.requests == []
    assert "redirects to localhost" in capsys.readouterr().out

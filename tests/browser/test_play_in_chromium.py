"""A person in the browser: keys and buttons act, the page shows what is asked, and nothing fails in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lft.core.runs import Run
from tests.agents.conftest import cliff  # noqa: F401
from tests.agents.people import Played

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def tab() -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
        page.on("request", lambda one: faults.append(one.url) if "//127.0.0.1" not in one.url and
                not one.url.startswith("data:") else None)  # fmt: skip
        yield page
        browser.close()
        assert faults == []


def test_a_game_is_played_with_keys_and_buttons(tab: Any, cliff: Path) -> None:  # noqa: F811
    expect = playwright.expect
    way = ["UP", *["RIGHT"] * 11, "DOWN"]
    with Played("cliff_walking/base", "cliff_walking/seed1", folder=cliff) as played:
        tab.goto(played.address)
        step, over = tab.locator("#step"), tab.locator("#over")
        expect(step).to_have_text("Step 1 of 20")
        expect(tab.locator("#told")).to_contain_text("The actions are: UP, RIGHT, DOWN, LEFT.")
        expect(tab.locator(".clip output")).to_have_text("1 of 15")
        tab.locator(".clip").get_by_text("›").click()
        expect(tab.locator(".clip output")).to_have_text("2 of 15")
        tab.locator("#actions button", has_text="UP").click()
        expect(step).to_have_text("Step 2 of 20")
        tab.keyboard.press("x")  # no action has this key
        for number in range(3, 14):
            tab.keyboard.press("ArrowRight")
            expect(step).to_have_text(f"Step {number} of 20")
        expect(tab.locator("#strip figure")).to_have_count(12)
        assert tab.evaluate("document.querySelector('#picture').naturalWidth") == 768
        tab.locator("#strip button").first.click()
        expect(tab.locator("#large p")).to_have_text("Then: UP")
        tab.keyboard.press("ArrowDown")  # looking at an earlier picture is no action
        tab.locator("#large button").click()
        expect(step).to_have_text("Step 13 of 20")
        tab.keyboard.press("ArrowDown")
        expect(over).to_contain_text("You passed. The game ended after 13 steps: victory.")
        tab.locator("#next").click()
        expect(step).to_have_text("Step 1 of 20")
        expect(tab.locator("#strip figure")).to_have_count(0)
        tab.reload()
        expect(step).to_have_text("Step 1 of 20")
        tab.locator("#leave").click()
        expect(step).to_have_text("Finished: this page can be closed")
        assert played.ended()[0] == 1
    one = Run.open("play-person").episodes()["cliff_walking/base,basic,shown,none,all,frames"]
    assert [line["text"] for line in one.answers] == [f"[Action: {action}]" for action in way]
    assert [line["sent"]["by"] for line in one.answers] == ["button", *["key"] * 12]
    assert all(0 <= line["sent"]["thought_s"] <= line["latency_s"] + 0.05 for line in one.answers)
    assert json.dumps(one.kept["last"]) == '{"reached": 1.0, "progress": 1.0, "falls": 0.0}'

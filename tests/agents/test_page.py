"""The page of episodes in a real browser, opened from its folder: keys, marks, pictures, and what axe finds."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.agents.test_suite import lft, swept

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser


@pytest.fixture
def page(cliff: Path) -> Iterator[Any]:
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    for model in ("constant:UP", "expert"):
        swept(model)
    assert lft("report", "constant", "expert", "--out", "report") == 0
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        faults: list[str] = []
        opened.on("pageerror", lambda error: faults.append(str(error)))
        opened.on("requestfailed", lambda request: faults.append(request.url))
        opened.goto(f"file://{cliff / 'report' / 'index.html'}")
        yield opened
        assert not faults
        browser.close()


def test_an_episode_is_looked_through_with_keys(page: Any) -> None:
    def fact(name: str) -> str:
        return str(page.locator(f"#facts dt:text-is('{name}') + dd").first.text_content())

    assert page.locator("#heading").text_content() == "Cliff Walking, cliff_walking/base · constant:UP"
    assert page.locator("#strip figure").count() == 21  # 20 decisions and what came of the last
    assert fact("action") == "UP"
    page.keyboard.press("ArrowRight")
    assert "before decision 2" in page.locator("#place").text_content()
    assert fact("expert") == "RIGHT  (another)"
    assert "row 3 of 4" in fact("state")
    assert page.locator("#picture").evaluate("image => image.decode().then(() => image.naturalWidth)") > 0
    page.keyboard.press(".")  # the expert's episode of the same task, at the same step
    assert page.locator("#heading").text_content() == "Cliff Walking, cliff_walking/base · expert"
    assert "before decision 2" in page.locator("#place").text_content()
    assert fact("action") == "RIGHT"
    page.keyboard.press("End")
    assert fact("action") == "the episode has ended"
    page.keyboard.press("ArrowDown")
    assert "cliff_walking/seed1" in page.locator("#heading").text_content()
    page.locator("#strip figure").nth(4).click()
    assert page.locator("#strip figure[aria-selected=true]").get_attribute("id") == "step-4"
    shown = page.locator("#shown img")
    assert (shown.count(), shown.nth(1).get_attribute("alt")) == (15, "Step 1: Action: UP")
    assert page.locator("#tasks button.passed").count() == 2


def test_axe_finds_nothing(page: Any) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page)
        assert found.violations_count == 0, found.generate_report()

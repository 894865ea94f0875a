"""The page in a real browser, opened from its folder: what a reader clicks, types and sees."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from lft.counting.clips import Clips
from lft.counting.reporting import gallery, results
from lft.counting.reporting.page import writer
from tests.fake_runs import ledger, make_run

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.browser

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
HOSTILE = (
    "<script>window.pwned=1</script> <img src=x onerror=window.pwned=2> [a](javascript:window.pwned=3)\n"
    '<a href="javascript:window.pwned=4">b</a> </pre><svg onload=window.pwned=5> \ufffd \x00 \u202e \ud83d\n'
)
EVIL = "<img src=x onerror=window.pwned=6>"


def say_hostile(trace, frames_s, rng: random.Random) -> str:
    return HOSTILE + ledger([(e.time_s, EVIL) for e in trace.events[1:]])


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A results folder with real clips, two runs and a report over both."""
    from click.testing import CliRunner

    from lft.counting.commands.clips import render

    folder = tmp_path_factory.mktemp("results")
    grid = folder / "grid_tiny.yaml"
    grid.write_text(
        "domains: [bounce_ball, blinking, state_machine]\ncounts: [0, 1, 4]\nfrequencies_hz: [0.5, 2.0]\n"
        "seeds: 2\nsize: 320x180\n"
    )
    done = CliRunner().invoke(
        render,
        ["--grid", str(grid), "--jobs", "1", "--out", str(folder / "clips" / "tiny")],
        catch_exceptions=False,
    )
    assert done.exit_code == 0, done.output
    clips = Clips.open(folder / "clips" / "tiny")
    first = make_run(
        folder / "runs" / "some", clips, samplings=("native", "fps:4"), missing=["blinking/n04_f2.0_s01"]
    )
    second = make_run(folder / "runs" / "bad", clips, model=f"bad {EVIL}", say=say_hostile)
    third = make_run(
        folder / "runs" / "filmed", filmed(folder), model="some other", samplings=("native", "frames:16")
    )
    writer.write(results.load([first, second]), folder / "report")
    gallery.write(results.load([first, second]), folder / "report")
    writer.write(results.load([third]), folder / "natural")
    return folder


def filmed(folder: Path) -> Clips:
    """Three of the clips as if someone had filmed them, with event times of their own: a domain on no grid."""
    from click.testing import CliRunner

    from lft.cli import app

    videos = folder / "clips" / "tiny" / "videos" / "blinking"
    rows = [("n01_f0.5_s00", "3.1"), ("n04_f2.0_s00", "1.0 2.5 4.0 9.5"), ("n04_f2.0_s01", "2.0 8.0 16.5")]
    table = folder / "claps.csv"
    table.write_text("video,times_s\n" + "".join(f"{name}.mp4,{times}\n" for name, times in rows))
    out = folder / "clips" / "filmed"
    asked = [
        "import",
        "videos",
        str(videos),
        "--annotations",
        str(table),
        "--event",
        "clap",
        "--out",
        str(out),
    ]
    done = CliRunner().invoke(app, asked, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return Clips.open(out)


@pytest.fixture(scope="module")
def browser():
    path = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if path is None:
        pytest.skip("no Chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def tab(browser):
    """A function that opens the page; afterwards nothing has failed, gone out to a network, or run."""
    opened, faults = [], []

    def open_(report: Path, hash_: str = "", *, name: str = "index.html", width: int = 1280, **more: object):
        opening = {"color_scheme": "light", "viewport": {"width": width, "height": 900}, **more}
        context = browser.new_context(**opening)
        tab = context.new_page()
        tab.set_default_timeout(20_000)
        tab.on("pageerror", lambda error: faults.append(str(error)))
        tab.on(
            "console",
            lambda m: (
                faults.append(m.text) if m.type == "error" and "ERR_FILE_NOT_FOUND" not in m.text else None
            ),
        )
        tab.on(
            "request", lambda r: faults.append(r.url) if not r.url.startswith(("file:", "data:")) else None
        )
        tab.goto((report / name).as_uri() + hash_)
        opened.append((context, tab))
        return tab

    yield open_
    for context, tab in opened:
        assert tab.evaluate("window.pwned") is None
        context.close()
    assert not faults


def series(folder: Path, run: str, sampling: str = "native", report: str = "report") -> str:
    import json

    text = (folder / report / "data" / "index.js").read_text()
    document = json.loads(text[len("LFT.index(") : -3])
    return next(s["slug"] for s in document["series"] if s["run"] == run and s["sampling"] == sampling)


def clip_link(folder: Path, run: str = "some", cell: str = "d=state_machine&n=4&f=2", seed: int = 0) -> str:
    return f"#s={series(folder, run)}&{cell}&k={seed}"


def until(view, expression: str) -> None:
    """Waits for a condition. (Playwright's own waiting evaluates text, which the page forbids.)"""
    for _ in range(400):
        if view.evaluate(expression):
            return
        view.wait_for_timeout(50)
    raise AssertionError(f"never true: {expression}")


VIDEO_IS_OPEN = "document.querySelector('video')?.readyState >= 1"


def test_from_surface_to_cell_to_clip_to_the_moment(folder, tab):
    view = tab(folder / "report")
    assert view.locator("table.grid").count() == 3
    view.click('button.cell[data-cell="state_machine|4|2"]')
    assert view.locator("#list h2").inner_text() == "State machine, N = 4, 2 Hz"
    assert view.locator("#list ol.clips li").count() == 2
    view.click("#list ol.clips li:first-child a")
    until(view, VIDEO_IS_OPEN)
    assert view.evaluate("document.querySelector('video').duration") == pytest.approx(24.0, abs=0.05)
    assert view.locator(".timeline .true").count() == 4
    wanted = float(view.locator("table.events tbody tr:nth-child(2) td:nth-child(2)").inner_text())
    view.click("table.events tbody tr:nth-child(2) td:nth-child(2) button")
    until(view, f"Math.abs(document.querySelector('video').currentTime - {wanted}) < 0.02")
    before = view.locator(".playhead").get_attribute("x1")
    view.evaluate("document.querySelector('video').play()")
    until(view, f"document.querySelector('video').currentTime > {wanted} + 0.2")
    view.evaluate("document.querySelector('video').pause()")
    assert float(view.locator(".playhead").get_attribute("x1")) > float(before)


def test_a_mark_on_the_timeline_seeks(folder, tab):
    view = tab(folder / "report", clip_link(folder))
    until(view, VIDEO_IS_OPEN)
    time_s = float(view.locator(".timeline .mark title").first.text_content().split(" at ")[1].split(" s")[0])
    view.locator(".timeline .mark").first.click()
    until(view, f"Math.abs(document.querySelector('video').currentTime - {time_s}) < 0.02")


def test_deep_link_back_and_keys(folder, tab):
    view = tab(folder / "report", clip_link(folder))
    title = view.locator(".clip h2")
    assert title.inner_text() == "state_machine/n04_f2.0_s00"
    view.keyboard.press("j")
    playwright.expect(title).to_have_text("state_machine/n04_f2.0_s01")
    view.keyboard.press("k")
    playwright.expect(title).to_have_text("state_machine/n04_f2.0_s00")
    view.go_back()
    playwright.expect(title).to_have_text("state_machine/n04_f2.0_s01")
    view.keyboard.press("Escape")
    playwright.expect(view.locator(".clip video")).to_have_count(0)
    view.keyboard.press("Escape")
    playwright.expect(view.locator("#explore")).to_be_hidden()


def test_cells_are_walked_with_the_arrows_and_opened_with_enter(folder, tab):
    view = tab(folder / "report")
    view.locator('table.grid[data-domain="blinking"] button.cell').first.focus()
    view.keyboard.press("ArrowRight")
    view.keyboard.press("ArrowDown")
    assert view.evaluate("document.activeElement.getAttribute('data-cell')") == "blinking|1|2"
    view.keyboard.press("Enter")
    assert view.locator("#list h2").inner_text() == "Blinking, N = 1, 2 Hz"


def test_filters_choose_series_and_outcomes(folder, tab):
    view = tab(folder / "report", f"#s={series(folder, 'some')}")
    view.select_option("#by-sampling", "fps:4")
    playwright.expect(view.locator("#lead")).to_contain_text("4 fps")
    view.select_option("#by-show", "o:missed")
    codes = view.locator("#list ol.clips li .badge")
    assert codes.count() > 0
    assert all("cause-missed" in codes.nth(i).get_attribute("class") for i in range(codes.count()))
    view.locator("#list ol.clips a").first.click()
    playwright.expect(view.locator(".verdicts")).to_contain_text("Wrong: missed (evidence missed)")
    assert view.locator("#list ol.clips li").count() == codes.count()  # the list stays over all cells


def test_the_overview_says_all_series_and_leads_to_each(folder, tab):
    view = tab(folder / "report", clip_link(folder))
    rows = view.locator("#overview tbody tr")
    assert rows.count() == 3
    current = view.locator("#overview tr.current a[aria-current]")
    assert current.count() == 1
    row = rows.nth(1)
    assert "4 fps" in row.inner_text()
    row.locator("a").focus()
    view.keyboard.press("Enter")
    playwright.expect(view.locator("#lead")).to_contain_text("4 fps")
    playwright.expect(view.locator("#overview tr.current")).to_contain_text("4 fps")
    assert view.evaluate("document.activeElement.getAttribute('aria-current')") == "true"
    assert f"s={series(folder, 'some', 'fps:4')}&d=state_machine&n=4&f=2&k=0" in view.url  # same clip
    rows.nth(2).locator("td").last.click()  # anywhere in the row
    playwright.expect(view.locator("#title")).to_contain_text("bad")
    view.click("#overview summary")
    meanings = view.locator("#meanings").inner_text()
    assert "missed: evidence missed; the supplied frames show more events than were counted" in meanings
    assert "rule ledger" in view.locator("#scoring").inner_text()
    assert "1/(2F)" in view.locator("#scoring").inner_text()


def test_on_a_phone_the_overview_scrolls_in_its_own_box(folder, tab):
    view = tab(folder / "report", width=360)
    box = "document.querySelector('#overview .scroll')"
    assert view.evaluate(f"{box}.scrollWidth > {box}.clientWidth")
    assert view.evaluate("document.documentElement.scrollWidth") <= 360
    view.evaluate(f"{box}.scrollLeft = 400")
    assert view.locator("#overview tbody a").first.bounding_box()["x"] >= 0  # the names stay


def test_how_sure_cells_and_frontiers_are_can_be_shown(folder, tab):
    view = tab(folder / "report", f"#s={series(folder, 'some')}")
    view.select_option("#by-show", "sure")
    playwright.expect(view.locator("#lead")).to_contain_text(
        "probability that the true accuracy reaches τ = 80 %"
    )
    grid = view.locator('table.grid[data-domain="state_machine"]')
    shown = grid.locator('button[data-cell="state_machine|1|2"]').inner_text()
    assert shown in ("<1", ">99") or 0 <= int(shown) <= 100
    assert grid.locator("tr.feet").count() == 3  # the frontier, its range, and what a repeat would read
    assert grid.locator("tr.feet").nth(1).locator("td").count() == 2  # a range for each frequency
    view.select_option("#by-show", "fit")
    words = view.locator("figure.surface").first.inner_text()
    assert "agree with the cells" in words or "agrees with the cells" in words
    assert grid.locator("tr.feet th").all_inner_texts() == ["80 %", "50 %"]
    view.go_back()  # the view is part of the address
    playwright.expect(view.locator("#lead")).to_contain_text("probability")


def test_natural_videos_are_in_bins_which_open_their_clips(folder, tab):
    link = f"#s={series(folder, 'filmed', report='natural')}"
    view = tab(folder / "natural", link)
    assert view.locator("table.grid").count() == 0
    assert view.locator("table.bins tbody th").all_inner_texts() == ["1–2", "3–4", "all"]
    assert "frontier" not in view.locator("main").inner_text().lower()
    assert view.locator("#by-show optgroup").count() == 1  # shares of outcomes only
    view.click('button[data-bin="natural|3-4"]')
    assert view.locator("#list h2").inner_text() == "Natural, 3–4 events"
    names = view.locator("#list .clip-name")
    assert sorted(t.split("\n")[0] for t in names.all_inner_texts()) == [
        "n04_f2.0_s00.mp4",
        "n04_f2.0_s01.mp4",
    ]
    names.first.click()
    until(view, VIDEO_IS_OPEN)
    title = view.locator(".clip h2").inner_text()
    assert title in ("n04_f2.0_s00.mp4", "n04_f2.0_s01.mp4")
    assert view.locator(".timeline .true").count() == (4 if title == "n04_f2.0_s00.mp4" else 3)
    view.keyboard.press("j")  # the next clip of the bin, whatever its count
    playwright.expect(view.locator(".clip h2")).not_to_have_text(title)
    assert view.locator("#list h2").inner_text() == "Natural, 3–4 events"
    assert "b=3-4" in view.url
    again = tab(folder / "natural", "#" + view.url.split("#")[1])  # deep link
    playwright.expect(again.locator(".clip h2")).to_have_text(view.locator(".clip h2").inner_text())
    view.keyboard.press("Escape")
    playwright.expect(view.locator(".clip video")).to_have_count(0)
    view.locator("table.bins tbody tr").nth(0).locator("td").nth(1).click()  # anywhere in the row
    playwright.expect(view.locator("#list h2")).to_have_text("Natural, 1–2 events")
    view.select_option("#by-show", "o:correct")
    assert view.locator("table.bins thead th").nth(2).inner_text() == "Correct"


def test_a_trial_without_answer_is_no_wrong_answer(folder, tab):
    view = tab(folder / "report", clip_link(folder, cell="d=blinking&n=4&f=2", seed=1))
    playwright.expect(view.locator(".verdicts")).to_contain_text("Missing. timeout: no reply in 60 s")


def test_two_runs_side_by_side(folder, tab):
    view = tab(folder / "report", clip_link(folder) + f"&vs={series(folder, 'bad')}")
    assert view.locator(".side").count() == 2
    assert view.locator(".timeline .row-name").count() == 3
    assert view.locator(".verdicts dd").count() == 2
    view.select_option("#beside", "-1")
    playwright.expect(view.locator(".side")).to_have_count(1)


def test_hostile_text_is_shown_and_runs_nothing(folder, tab):
    view = tab(folder / "report", clip_link(folder, run="bad"))
    text = view.locator("pre.response").first.inner_text()
    for part in (
        "<script>window.pwned=1</script>",
        "<img src=x onerror=window.pwned=2>",
        "(javascript:window.pwned=3)",
    ):
        assert part in text
    assert "\u202e" not in text
    assert view.locator("#clip img, #clip script, #clip a[href^='javascript']").count() == 0
    assert view.locator("#title").inner_text() == f"bad {EVIL}"
    assert "<img src=x" in view.locator("#overview tbody").inner_text()  # the name is shortened there
    view.wait_for_timeout(300)  # time for an onerror; the fixture checks that nothing ran
    listing = tab(folder / "report", name="figures.html")
    assert listing.locator("img[src='x']").count() == 0
    assert EVIL in listing.locator("main").inner_text()


def test_hostile_links_are_only_names(folder, tab):
    view = tab(
        folder / "report",
        "#s=%3Cimg%20src=x%20onerror=window.pwned=7%3E&d=__proto__&n=1&f=%&k=1&vs=constructor",
    )
    assert view.locator("table.grid").count() == 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_serious_fault_of_accessibility(folder, tab, scheme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    natural = f"#s={series(folder, 'filmed', report='natural')}&d=natural&b=3-4"
    pages = [
        ("index.html", ""),
        ("index.html", f"#s={series(folder, 'some')}&show=sure"),
        ("index.html", f"#s={series(folder, 'some')}&show=fit"),
        ("index.html", natural),
        ("index.html", clip_link(folder) + f"&vs={series(folder, 'bad')}"),
        ("figures.html", ""),
    ]
    for name, hash_ in pages:
        report = folder / ("natural" if hash_ == natural else "report")
        view = tab(report, hash_, name=name, color_scheme=scheme)
        if "vs=" in hash_:
            view.wait_for_selector("table.events")
        found = axe.run(view, options={"preload": False}).response["violations"]
        worst = [
            (v["id"], v["nodes"][0]["html"][:120]) for v in found if v["impact"] in ("serious", "critical")
        ]
        assert not worst


@pytest.mark.parametrize("width", [360, 820, 1920])
def test_fits_the_screen(folder, tab, width):
    for name, hash_ in (("index.html", ""), ("index.html", clip_link(folder)), ("figures.html", "")):
        view = tab(folder / "report", hash_, name=name, width=width)
        view.wait_for_timeout(100)
        assert view.evaluate("document.documentElement.scrollWidth") <= width
    view = tab(
        folder / "natural", f"#s={series(folder, 'filmed', report='natural')}&d=natural&b=3-4", width=width
    )
    view.wait_for_timeout(100)
    assert view.evaluate("document.documentElement.scrollWidth") <= width


def test_copied_videos_move_with_the_folder(folder, tab, tmp_path):
    found = results.load([folder / "runs" / "some"])
    writer.write(found, tmp_path / "a", videos="copy")
    (tmp_path / "a").rename(tmp_path / "moved to é #1")
    view = tab(tmp_path / "moved to é #1", clip_link(folder))
    until(view, VIDEO_IS_OPEN)


def test_an_absent_video_is_said_and_the_rest_is_there(folder, tab, tmp_path):
    shutil.copytree(folder / "report", tmp_path / "alone" / "report")
    view = tab(tmp_path / "alone" / "report", clip_link(folder))
    playwright.expect(view.locator(".note")).to_contain_text("The video cannot be played. It was there when")
    assert view.locator(".timeline .true").count() == 4


def test_theme_is_chosen_and_kept(folder, tab):
    view = tab(folder / "report")
    assert view.evaluate("document.documentElement.dataset.theme") == "light"
    view.click("#theme")
    assert view.evaluate("document.documentElement.dataset.theme") == "dark"
    view.reload()
    assert view.evaluate("document.documentElement.dataset.theme") == "dark"
    view.click("nav a:has-text('Figures')")
    view.wait_for_url("**/figures.html")  # a click does not wait for the page that it opens
    assert view.evaluate("document.documentElement.dataset.theme") == "dark"
    view.click("#theme")
    assert view.evaluate("document.documentElement.dataset.theme") == "light"


def test_a_chosen_cell_opens_the_first_clip_that_went_wrong(folder, tab):
    view = tab(folder / "report", f"#s={series(folder, 'some')}")
    codes = view.evaluate(
        """() => LFT.data.series[LFT.state.s].surfaces.state_machine.cells
            .filter(c => c.N === 4).map(c => [c.F, LFT.trials(c)])"""
    )
    for frequency_hz, trials in codes:
        wrong = [seed for seed, _, code in trials if code not in "c-xo"]
        view.locator(f'[data-cell="state_machine|4|{frequency_hz:g}"]').click()
        until(view, f"location.hash.includes('f={frequency_hz:g}&k={wrong[0] if wrong else trials[0][0]}')")


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768), (390, 844)])
def test_a_chosen_cell_has_its_clip_and_every_timeline_in_view(folder, tab, width, height):
    view = tab(folder / "report", f"#s={series(folder, 'some')}", viewport={"width": width, "height": height})
    view.click('button.cell[data-cell="bounce_ball|4|2"]')
    until(view, VIDEO_IS_OPEN)

    def whole(selector: str) -> bool:
        box = view.locator(selector).first.bounding_box()
        return box["y"] >= 0 and box["y"] + box["height"] <= height

    until(view, "document.querySelector('#clip h2').getBoundingClientRect().top >= 0")
    assert whole("#clip video")
    assert whole("#clip .timeline")
    view.select_option("#beside", index=2)
    playwright.expect(view.locator(".timeline .row-name")).to_have_count(3)
    assert whole("#clip video")
    assert whole("#clip .timeline")
    if width < 400:  # nothing is unfolded that was not asked for
        assert view.evaluate("document.documentElement.scrollHeight") < 4 * height


@pytest.mark.parametrize("how", ["mouse", "Enter", "list"])
def test_the_space_bar_plays_the_clip_that_was_just_chosen(folder, tab, how):
    view = tab(folder / "report", f"#s={series(folder, 'some')}")
    cell = view.locator('button.cell[data-cell="state_machine|4|2"]')
    cell.click() if how != "Enter" else cell.press("Enter")
    until(view, VIDEO_IS_OPEN)
    if how == "list":
        before = view.locator(".clip h2").inner_text()
        view.locator("#list ol.clips a:not([aria-current])").first.click()
        playwright.expect(view.locator(".clip h2")).not_to_have_text(before)
        until(view, VIDEO_IS_OPEN)
    until(view, "document.activeElement.id === 'clip'")
    view.keyboard.press("Space")
    until(view, "document.querySelector('video')?.currentTime > 0.1")
    view.keyboard.press("Space")
    until(view, "document.querySelector('video').paused")
    view.keyboard.press("Escape")  # back to the cell
    until(view, "document.activeElement.getAttribute('data-cell') === 'state_machine|4|2'")


def test_the_supplied_frames_are_those_of_the_video(folder, tab):
    import io

    import av
    import numpy as np
    from PIL import Image

    view = tab(folder / "report", f"#s={series(folder, 'some', 'fps:4')}&d=state_machine&n=4&f=2&k=0")
    until(view, "document.querySelectorAll('.frame canvas[data-drawn]').length >= 6")
    assert view.locator(".frame").count() == 96  # four a second for 24 s
    assert view.locator(".frame.shows").count() >= 1
    with av.open(str(folder / "clips/tiny/videos/state_machine/n04_f2.0_s00.mp4")) as video:
        pictures = [frame.to_ndarray(format="rgb24") for frame in video.decode(video=0)]

    def like(drawn: np.ndarray, index: int) -> float:
        small = Image.fromarray(pictures[index]).resize((drawn.shape[1], drawn.shape[0]))
        return float(np.abs(np.asarray(small, float) - drawn).mean())

    for canvas in view.locator(".frame canvas[data-drawn]").all()[:6]:
        time_s = float(canvas.get_attribute("data-drawn"))
        drawn = np.asarray(Image.open(io.BytesIO(canvas.screenshot())).convert("RGB"), float)
        apart = {i: like(drawn, i) for i in range(0, 720, 15)} | {
            (own := int(time_s * 30 + 0.001)): like(drawn, own)
        }
        assert apart[own] <= min(apart.values()) + 0.5  # no frame of another state is as near


def test_shares_of_an_outcome_have_its_colour_and_not_the_one_of_right_answers(folder, tab):
    view = tab(folder / "report", f"#s={series(folder, 'some')}")
    assert view.locator("#scale .scale-words").inner_text() == "accuracy"
    blue = view.evaluate("getComputedStyle(document.querySelector('.scale-bar')).backgroundImage")
    view.select_option("#by-show", "o:missed")
    assert view.locator("#by-show").input_value() == "o:missed"  # one choice: nothing else says Accuracy
    assert view.locator("#by-outcome").count() == 0
    playwright.expect(view.locator("#scale .scale-words")).to_have_text("share of trials that are missed")
    assert view.evaluate("getComputedStyle(document.querySelector('.scale-bar')).backgroundImage") != blue
    full = view.evaluate("LFT.colour(1, LFT.kind(LFT.state))")
    assert [full[0] > full[2], full[1] > full[2]] == [True, True]  # yellow, as missed is everywhere
    view.select_option("#by-show", "accuracy")
    assert view.evaluate("LFT.state.o") is None


def test_figures_and_tables_are_folded_by_condition_with_what_matters_first(folder, tab):
    view = tab(folder / "report", name="figures.html", viewport={"width": 1440, "height": 900})
    assert view.locator("main section > h2").all_inner_texts()[:2] == ["Where the events went", "Causes"]
    assert view.evaluate("document.documentElement.scrollHeight") < 6 * 900
    parts = view.locator("section:has(> h2:text-is('By condition')) details")
    assert parts.count() == 3  # a part for each series, closed
    assert view.locator("section:has(> h2:text-is('By condition')) details[open]").count() == 0
    parts.first.locator("summary").click()
    picture = parts.first.locator("img").first
    until(view, "document.querySelector('details[open] img').complete")
    box = picture.bounding_box()
    assert box["width"] > 0.9 * view.evaluate("document.querySelector('main h1').clientWidth")
    assert all(
        table.locator("thead th").count() <= 9 for table in view.locator("#tables table").all()
    )  # the names of the row and eight numbers


def test_figures_are_dark_on_a_dark_page(folder, tab):
    import io

    import numpy as np
    from PIL import Image

    for scheme, dark in (("light", False), ("dark", True)):
        view = tab(folder / "report", name="figures.html", color_scheme=scheme)
        until(
            view,
            "[...document.querySelectorAll('details[open] img')].every(i => i.complete && i.naturalWidth)",
        )
        shot = Image.open(io.BytesIO(view.locator("details[open] img").first.screenshot())).convert("L")
        assert (np.median(np.asarray(shot)) < 60) == dark


def test_published_surfaces_stand_below_those_of_the_runs(folder, tab, tmp_path):
    surfaces = tmp_path / "surfaces.csv"
    surfaces.write_text(
        "model,domain,frequency_hz,count,accuracy\n"
        "Printed,blinking,0.5,1,0.9\nPrinted,blinking,0.5,4,0.7\nPrinted,blinking,2,1,0.35\nPrinted,blinking,2,4,0\n"
    )
    found = results.load([folder / "runs" / "some"])
    writer.write(found, tmp_path / "r", published=gallery.published_series(surfaces, 0.8))
    view = tab(tmp_path / "r")
    view.locator("#published summary").click()
    grid = view.locator('#published table.grid[data-domain="blinking"]')
    assert sorted(grid.locator(".cell.printed").all_inner_texts()) == ["0", "35", "70", "90"]
    assert grid.locator("td.ft").count() == 1  # reliable up to N = 1 at 0.5 Hz, and nowhere else
    assert tab(folder / "report").locator("#published").is_hidden()

"""Pages in a real Chromium: opened from the file system, clicked, keyed through, printed, and held to axe-core."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from cli.program import run
from playwright.sync_api import Browser
from reports.browser import DESKTOP, PHONE, Opened, browsers, opened
from reports.stories_told import HOSTILE, LONG, block_of, data_of, the_story

from offsetproof.reports.html.pages import compare_page, story_page

SHORT = "I21-several-second-broker-fails"
STORIES = ("I4-ack-first", "I5-late-poll", "I9-late-unlock")
"""One without a reset, the one that README tells, and the longest one that is recorded."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as found:
        yield found


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which a page is written when it is asked for."""
    return tmp_path_factory.mktemp("pages")


def page_of(pages: Path, name: str) -> Path:
    file = pages / f"{name}.html"
    if not file.exists():
        file.write_text(story_page(data_of(name)), encoding="utf-8")
    return file


def serious(page: Opened) -> list[str]:
    """What axe-core finds that keeps somebody from using the page."""
    found = Axe().run(page.page, options={"iframes": False}).response["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found
            if each["impact"] in ("serious", "critical") for node in each["nodes"]]  # fmt: skip


def key_through(page: Opened, last: int) -> None:
    """Each key does what it says, wherever the focus is."""
    for key, step in [("ArrowDown", 1), ("ArrowRight", 2), ("ArrowUp", 1), ("ArrowLeft", 0), ("ArrowUp", 0),
                      ("End", last), ("ArrowDown", last), ("Home", 0)]:  # fmt: skip
        page.page.keyboard.press(key)
        assert page.step == step, key
        assert page.page.evaluate("location.hash") == f"#step={step}"
        assert page.texts("#panel h2")[0].startswith(f"Step {step} of {last}")
    page.page.keyboard.press("Space")
    page.page.locator("#steps li.chosen[data-step='1']").wait_for()
    page.page.keyboard.press("Space")
    assert page.page.locator("#play").get_attribute("aria-pressed") == "false"


def test_story_is_keyed_through_and_nothing_is_wrong_on_the_way(browser: Browser, pages: Path) -> None:
    last = len(data_of(SHORT)["steps"])
    with opened(browser, page_of(pages, SHORT)) as page:
        key_through(page, last)
        page.page.get_by_role("button", name="Last step").click()
        assert page.step == last
        assert "now false" in page.texts("#panel ul")[-1]
        assert page.page.get_by_role("button", name="Step forward").is_disabled()
        page.page.locator("#steps a").nth(7).click()
        assert page.step == 7
        page.page.keyboard.press("ArrowDown")
        assert page.page.evaluate("document.activeElement.closest('li').dataset.step") == "8"
        assert page.page.locator("#steps a[tabindex='0']").count() == 1


def test_address_leads_to_a_step_and_a_view(browser: Browser, pages: Path) -> None:
    with opened(browser, page_of(pages, SHORT), "#step=7&view=told") as page:
        assert page.step == 7
        assert page.page.locator("input[value=told]").is_checked()
        faded = sum(not step["told"] for step in data_of(SHORT)["steps"])
        assert page.page.locator("#drawing .faded").count() == faded > 0
        page.page.evaluate("location.hash = '#step=9'")
        page.page.locator("#steps li.chosen[data-step='9']").wait_for()
        assert page.page.locator("#drawing .faded").count() == 0
    with opened(browser, page_of(pages, SHORT), "#step=1e9&view=<script>") as page:
        assert page.step == 1


@pytest.mark.slow
def test_names_that_look_like_markup_are_shown_and_not_obeyed(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    assert run("check", "hostile.py", "--html=report", "--quiet", cwd=tmp_path).code == 0
    story = the_story(tmp_path / "report")
    for file in (story, tmp_path / "report" / "index.html", tmp_path / "report" / "compare.html"):
        for size in (DESKTOP, PHONE):
            with opened(browser, file, "#step=1", size) as page:
                assert "obeyed" not in page.page.title().partition("<script>")[0]
                assert page.page.locator("img, b script, i").count() == 0
                assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    with opened(browser, story, "#step=1") as page:
        assert page.texts("#panel .says") == ["</script><script>document.title='obeyed'</script> & 'quoted' \"twice\"."]
        assert page.page.locator("#drawing text").all_text_contents() == ["1", "2"]
        page.page.keyboard.press("End")
        assert "\\u202eabc" in page.texts("#panel .badge")[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_recorded_story_is_usable_in_every_view(
    browser: Browser, pages: Path, name: str, size: tuple[int, int], scheme: str
) -> None:
    data = data_of(name)
    last = len(data["steps"])
    with opened(browser, page_of(pages, name), size=size, color_scheme=scheme) as page:
        key_through(page, last)
        for view in ("needed", "told", "all"):
            page.page.locator(f"input[value={view}]").check()
            assert serious(page) == []
        page.page.keyboard.press("End")
        page.page.locator("#fields summary").click()
        fields = len(data["initial"]) + len(data["still"])
        page.page.locator("#fields tr").nth(fields - 1).wait_for()  # the event of the click comes when it has been done
        assert page.page.locator("#fields tr").count() == fields
        for summary in page.page.locator("main summary:visible, header summary").all():
            summary.click()
        assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert serious(page) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", STORIES)
def test_printed_story_has_every_step_and_none_of_the_controls(browser: Browser, pages: Path, name: str) -> None:
    with opened(browser, page_of(pages, name)) as page:
        page.page.emulate_media(media="print")
        page.page.wait_for_selector("#table tbody tr")
        assert page.page.locator("#table tbody tr").count() == len(data_of(name)["steps"])
        assert page.page.locator("nav, .panel, .controls").filter(visible=True).count() == 0
        assert len(page.page.pdf()) > 10_000


@pytest.mark.slow
def test_two_stories_step_together_also_with_one_of_an_earlier_report(browser: Browser, pages: Path) -> None:
    names = ("I5-late-poll", "I5-one-cpu")
    told = [{"name": name, "title": "backward-reset-stays (I5)", "scope": "reset", "steps": 1} for name in names[:1]]
    for name in names:
        page_of(pages, name)
    data = {key: data_of(names[0])[key] for key in ("schema", "tool", "subject")} | {"page": "compare", "stories": told}
    (pages / "compare.html").write_text(compare_page(data), encoding="utf-8")
    with opened(browser, pages / "compare.html", "#a=I5-late-poll&b=I5-one-cpu&step=14") as page:
        where = page.page.locator("#where")
        where.filter(has_text="step 14 of 24 beside step 14 of 33: the same").wait_for()
        page.page.get_by_role("button", name="Step forward").click()
        where.filter(has_text="step 15 of 24 beside step 15 of 33: the same").wait_for()
        left = page.page.frame_locator("#left")
        left.locator("#steps a[tabindex='0']").press("End")
        where.filter(has_text="step 24 of 24 beside step").wait_for()
        page.page.locator("h1").click()
        page.page.keyboard.press("End")
        where.filter(has_text="step 24 of 24 beside step 33 of 33").wait_for()
        assert page.page.frame_locator("#right").locator("#panel h2").first.inner_text().startswith("Step 33 of 33")
        page.page.keyboard.press("Home")
        where.filter(has_text="step 0 of 24 beside step 0 of 33").wait_for()
        page.page.locator("#b").select_option("I5-late-poll")
        where.filter(has_text="beside step 0 of 24").wait_for()
        assert serious(page) == []


@pytest.mark.slow
def test_story_of_a_thousand_steps_is_drawn_and_stepped_through_quickly(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(LONG, encoding="utf-8")
    assert run("check", "long.py", "--html=report", "--quiet", cwd=tmp_path).code == 0
    with opened(browser, the_story(tmp_path / "report"), "#step=990") as page:
        assert page.step == 990
        assert page.page.locator("#drawing .dot").count() == 1000
        timed = """(count) => {
            const from = performance.now();
            for (let i = 0; i < count; i += 1) go(500 + i);
            return performance.now() - from;
        }"""
        assert page.page.evaluate(timed, 50) / 50 < 200
        page.page.keyboard.press("End")
        assert page.step == 1000


@pytest.mark.slow
def test_index_is_filtered_and_leads_to_stories(browser: Browser, tmp_path: Path) -> None:
    assert run("check", "I11", "I11-fixed", "I3", "--html=report", "--quiet", cwd=tmp_path).code == 0
    claims = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))["claims"]
    for size in (DESKTOP, PHONE):
        with opened(browser, tmp_path / "report" / "index.html", size=size) as page:
            assert page.texts("#count") == ["2 of 2 shown"]
            page.page.locator("#verdict").select_option("HOLDS")
            assert page.texts(".tile:visible b") == ["I11-fixed"]
            page.page.locator("#verdict").select_option("")
            page.page.locator("#fix").select_option("monotone-commits")
            assert set(page.texts(".tile:visible b")) == {"I3"}
            page.page.locator("#fix").select_option("")
            page.page.locator("#words").fill("no such words")
            assert page.texts("#count") == ["0 of 2 shown"]
            page.page.locator("#words").fill("")
            for summary in page.page.locator("summary").all():
                summary.click()
            drawn = page.page.locator("svg.levels")
            bars = [len(svg.locator("rect").all()) for svg in drawn.all()]
            assert sorted(bars) == sorted(len(answer["levels"]) for claim in claims for answer in claim["answers"])
            assert min(bars) >= 3
            assert serious(page) == []
            assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
            page.page.locator("a.tile").first.click()
            page.page.wait_for_selector("#steps li.chosen")

"""The page of an audit in a real Chromium: chosen, filtered, zoomed, with one, a hundred and ten thousand queues."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from audit.audits import logs_of, many_queues, small_audit
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect
from reports.browser import PHONE, Opened, browsers, opened

from offsetproof.audit.reports.audit import Audit
from offsetproof.audit.reports.page import audit_pages, page_json
from offsetproof.audit.reports.queue_pictures import QueueKey, QueuePicture, pictures_of

DESK = (1280, 900)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as found:
        yield found


def written(folder: Path, audit: Audit, lines: dict[QueueKey, QueuePicture]) -> Path:
    for name, text in audit_pages(audit, lines, {}):
        (folder / name).write_text(text, encoding="utf-8")
    return folder / "index.html"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("small"), small_audit(), pictures_of(logs_of("I5-late-poll")))


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("hundred"), *many_queues(100, 20))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("many"), *many_queues(10_000, 300))


def serious(page: Opened) -> list[str]:
    found = Axe().run(page.page).response["violations"]
    return [f"{each['id']}: {node['target']} {node['failureSummary']}" for each in found
            if each["impact"] in ("serious", "critical") for node in each["nodes"]]  # fmt: skip


def test_findings_are_listed_and_the_first_is_shown_with_its_lines_and_story(browser: Browser, small: Path) -> None:
    with opened(browser, small, size=DESK) as page:
        assert len(page.texts("#list button")) == 4
        detail = page.texts("#detail")[0]
        assert "reset overridden" in detail
        assert "app0/rocketmq_client.log:101" in detail
        assert "4.9.4, 4.9.8, 5.3.3-client-reset" in detail
        page.page.get_by_role("link", name="I5-late-poll", exact=True).click()
        page.page.wait_for_url("**/I5-late-poll.html")
        assert "backward-reset-stays" in page.texts("body")[0]


def test_choosing_another_finding_shows_it_and_its_address_leads_back(browser: Browser, small: Path) -> None:
    with opened(browser, small, size=DESK) as page:
        page.page.locator("#list button").nth(1).click()
        assert page.page.evaluate("location.hash") == "#finding=1"
        expect(page.page.locator("#detail h2").first).to_contain_text("lock lost")
        assert "cannot tell which" in page.texts("#detail")[0]
    with opened(browser, small, "#finding=3", size=DESK) as page:
        assert "by design" in page.texts("#detail")[0]


def test_filters_keep_what_fits(browser: Browser, small: Path) -> None:
    with opened(browser, small, size=DESK) as page:
        page.page.select_option("#certainty", "possible")
        assert page.texts("#count") == ["1 of 4 findings"]
        page.page.select_option("#certainty", "")
        page.page.fill("#words", "late-poll")
        assert [text.split("\n")[0] for text in page.texts("#list button")] == ["reset overridden (I5) certain"]
        page.page.fill("#words", "nothing has this")
        assert page.page.locator("#list button").count() == 0


def test_timeline_zooms_by_buttons_keys_and_drawing_over_a_stretch(browser: Browser, small: Path) -> None:
    with opened(browser, small, "#finding=0", size=DESK) as page:
        says = page.page.locator(".timeline [role=status]")
        page.page.get_by_role("button", name="All").click()
        whole = says.inner_text()
        page.page.get_by_role("button", name="Zoom in").click()
        half = says.inner_text()
        assert half != whole
        canvas = page.page.locator(".canvas")
        canvas.focus()
        page.page.keyboard.press("0")
        assert says.inner_text() == whole
        page.page.keyboard.press("+")
        assert says.inner_text() == half
        page.page.keyboard.press("0")
        box = canvas.bounding_box()
        assert box is not None
        page.page.mouse.move(box["x"] + 200, box["y"] + 100)
        page.page.mouse.down()
        page.page.mouse.move(box["x"] + 300, box["y"] + 100)
        page.page.mouse.up()
        assert says.inner_text() != whole


def test_timeline_has_lanes_marks_and_the_same_as_a_table(browser: Browser, small: Path) -> None:
    with opened(browser, small, "#finding=0", size=DESK) as page:
        page.page.get_by_role("button", name="All").click()
        assert page.page.locator(".canvas .bar").count() == 1
        assert page.page.locator(".canvas line.mark.reset").count() == 2
        assert "1 client" in str(page.page.locator(".canvas svg").get_attribute("aria-label"))
        page.page.get_by_text("The same as a table").click()
        rows = page.page.locator(".timeline tbody tr")
        rows.first.wait_for()
        assert any("reset started" in text for text in rows.all_inner_texts())


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_nobody_is_kept_from_using_it(browser: Browser, small: Path, size: tuple[int, int], scheme: str) -> None:
    with opened(browser, small, "#finding=0", size=size, color_scheme=scheme) as page:
        page.page.get_by_text("The same as a table").click()
        assert serious(page) == []
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_on_a_phone_what_is_chosen_comes_into_view(browser: Browser, small: Path) -> None:
    with opened(browser, small, size=PHONE) as page:
        page.page.locator("#list button").nth(1).click()
        page.page.wait_for_timeout(1000)  # it glides there
        assert page.page.locator("#detail").evaluate("detail => detail.getBoundingClientRect().top") < 100


def test_a_hundred_queues_are_found_by_name(browser: Browser, hundred: Path) -> None:
    with opened(browser, hundred, size=DESK) as page:
        assert page.texts("h1") == ["20 findings, 20 certain, in 100 queues"]
        page.page.fill("#queue", "trades-006")
        assert page.page.locator("#queues button").count() == 4
        page.page.locator("#queues button").last.click()
        expect(page.page.locator("#detail h2")).to_have_text(["orders, trades-006, broker-a:3"])
        assert page.page.locator(".canvas svg").count() == 1


def test_ten_thousand_queues_are_drawn_one_at_a_time(browser: Browser, many: Path) -> None:
    assert many.stat().st_size < 4_000_000
    with opened(browser, many, size=DESK) as page:
        assert page.page.locator("#list button").count() == 200
        assert page.page.locator("svg").count() == 1
        page.page.get_by_role("button", name="Show more").click()
        assert page.page.locator("#list button").count() == 300
        page.page.fill("#queue", "trades-624, broker-a:15")
        page.page.locator("#queues button").click()
        expect(page.page.locator("#detail h2")).to_have_text(["orders, trades-624, broker-a:15"])
        assert page.page.locator("svg").count() == 1


def test_logs_cannot_put_markup_into_the_page(browser: Browser, tmp_path: Path) -> None:
    audit, lines = many_queues(1, 1)
    text = "</script><script>document.title='taken'</script><img src=x onerror=alert(1)>"
    data = page_json(audit, lines, {})
    assert data.timelines[0].lanes
    found = audit.found[0]
    hostile = replace(found.finding, says=text, group=text)
    page = written(tmp_path, Audit(audit.read, (replace(found, finding=hostile),)), lines)
    with opened(browser, page, "#finding=0", size=DESK) as shown:
        assert shown.page.title().startswith("audit: 1 finding")
        assert shown.page.locator("img").count() == 0
        assert "onerror" in shown.texts("#detail .says")[0]

"""The explorer's page in a real Chromium: walked by mouse and keys, branched, saved, its graph clicked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest
from explore.test_walking import walker_of
from playwright.sync_api import Browser, Route
from reports.browser import DESKTOP, PHONE, Opened, browsers, visited
from reports.stories_told import HOSTILE
from reports.test_html_browser import serious

from offsetproof.checking.replaying import question_of_trace, replay_trace
from offsetproof.checking.subject import load_subject
from offsetproof.explore.answers import Worlds
from offsetproof.explore.server import PageServer
from offsetproof.explore.walking import Walker
from offsetproof.lang.setting import Setting
from offsetproof.reports.html.pages import explorer_page
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.store import read_record_file
from offsetproof.traces.trace import Trace


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with browsers() as found:
        yield found


@contextmanager
def served(
    walker: Walker, walker_of_trace: Callable[[Trace], Walker], first: Trace | None = None, at: int = 0
) -> Iterator[str]:
    """The address of a page."""
    with PageServer(Worlds(walker, walker_of_trace, first, at), explorer_page) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server.address
        server.shutdown()
        thread.join()


def of_rocketmq(trace: Trace) -> Walker:
    subject = load_subject("rocketmq")
    return Walker(subject, question_of_trace(subject, trace).setting)


@pytest.fixture(scope="module")
def toy() -> Iterator[str]:
    with served(walker_of("Slips"), of_rocketmq) as address:
        yield address


@pytest.fixture(scope="module")
def rocketmq() -> Iterator[str]:
    with served(of_rocketmq(recorded_stories()["I4-ack-first"]), of_rocketmq) as address:
        yield address


def wait_for_step(page: Opened, number: int) -> None:
    page.page.locator(f"#walk li:nth-child({number + 1}) button[aria-current]").wait_for()


def take(page: Opened, name: str, number: int) -> None:
    page.page.locator(f"#actors button[data-name='{name}']").click()
    wait_for_step(page, number)


def test_steps_are_taken_by_mouse_and_by_key_and_what_breaks_is_said_before(browser: Browser, toy: str) -> None:
    with visited(browser, toy, toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        take(page, "walks", 1)
        page.page.keyboard.press("1")
        wait_for_step(page, 2)
        take(page, "slips", 3)
        assert page.texts("#actors .fails") == ["breaks never_arrives"]
        take(page, "slips", 4)
        assert page.texts("#walk .fails") == ["breaks never_arrives"]
        assert page.texts("#panel .fails") == ["is false"]
        assert page.texts("#actors") == ["Nothing: no action is enabled here."]
        page.page.keyboard.press("ArrowLeft")
        wait_for_step(page, 3)
        assert page.page.locator("#walk .ahead").count() == 1
        page.page.get_by_role("button", name="To the end of the walk").click()
        wait_for_step(page, 4)
        page.page.keyboard.press("Home")
        wait_for_step(page, 0)


def test_another_branch_keeps_the_first_and_the_address_leads_back(browser: Browser, toy: str) -> None:
    with visited(browser, toy, toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        take(page, "walks", 1)
        take(page, "slips", 2)
        page.page.keyboard.press("Home")
        wait_for_step(page, 0)
        take(page, "slips", 1)
        assert page.texts("#branches button") == ["2 steps, from step 1: walks"]
        address = page.page.url
        page.page.locator("#branches button").click()
        page.page.locator("#walk li:nth-child(3)").wait_for()
        assert page.texts("#branches button") == ["1 step, from step 1: slips"]
        page.page.goto("about:blank")
        page.page.goto(address)
        wait_for_step(page, 1)
        assert page.texts("#walk button")[1].endswith("fault: slips")
        assert page.texts("#branches button") == ["2 steps, from step 1: walks"]


def test_address_with_a_walk_that_cannot_be_leads_to_the_beginning(browser: Browser, toy: str) -> None:
    with visited(browser, f'{toy}#begins=0&at=1&steps=["flies"]', toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        assert page.texts("#says") == ["step 1: the model has no action flies in this scope"]
        page.complaints[:] = [each for each in page.complaints if "400 (Bad Request)" not in each]


def walked_once(page: Opened) -> bool:
    """Whether the whole walk is one step; the way back to the beginning is asked after all other steps."""
    page.page.keyboard.press("Home")
    wait_for_step(page, 0)
    return page.page.locator("#walk li").count() == 2


def test_step_that_is_taken_again_before_the_answer_came_is_taken_once(browser: Browser, rocketmq: str) -> None:
    with visited(browser, rocketmq, rocketmq.partition("?")[0]) as page:
        wait_for_step(page, 0)
        held: list[Route] = []
        page.page.route("**/moment", lambda route: held.append(route), times=1)
        first = page.page.locator("#actors button").first
        with page.page.expect_request("**/moment"):
            first.click()
        first.click()
        page.page.keyboard.press("1")
        assert [page.page.locator("#walk li").count(), len(held)] == [1, 1]
        held[0].continue_()
        wait_for_step(page, 1)
        assert page.texts("#says") == [""]
        assert walked_once(page)


def test_second_click_of_a_double_click_takes_no_step_of_the_list_that_came_under_it(
    browser: Browser, rocketmq: str
) -> None:
    with visited(browser, rocketmq, rocketmq.partition("?")[0]) as page:
        wait_for_step(page, 0)
        page.page.locator("#actors button").first.click()
        wait_for_step(page, 1)
        page.page.locator("#actors button").first.hover()
        page.page.mouse.down(click_count=2)
        page.page.mouse.up(click_count=2)
        assert walked_once(page)


@pytest.mark.parametrize(
    "damaged", ["at=-1&steps=[]", "at=0.5&steps=[]", "begins=x&steps=[]", "steps=[1", "steps=[]&at=9"]
)
def test_damaged_address_leads_to_the_beginning(browser: Browser, toy: str, damaged: str) -> None:
    with visited(browser, f"{toy}#{damaged}", toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        take(page, "walks", 1)


def test_address_with_a_story_that_there_is_not_leads_to_the_beginning(browser: Browser, rocketmq: str) -> None:
    with visited(browser, f"{rocketmq}#story=nosuch&steps=[]", rocketmq.partition("?")[0]) as page:
        wait_for_step(page, 0)
        assert "nosuch" in page.texts("#says")[0] or page.texts("#says") == [""]
        page.complaints[:] = [each for each in page.complaints if "400 (Bad Request)" not in each]


def test_branch_begins_where_it_was_walked(browser: Browser) -> None:
    with (
        served(walker_of("Descent"), of_rocketmq) as address,
        visited(browser, address, address.partition("?")[0]) as page,
    ):
        wait_for_step(page, 0)
        page.page.locator("#beginnings").select_option("2")
        page.page.get_by_text("0 x=2").wait_for()
        take(page, "goes_down", 1)
        page.page.locator("#beginnings").select_option("3")
        page.page.get_by_text("0 x=3").wait_for()
        assert page.texts("#branches button") == ["1 step, x=2: from step 1: goes_down"]
        page.page.locator("#branches button").click()
        page.page.get_by_text("0 x=2").wait_for()
        page.page.keyboard.press("End")
        wait_for_step(page, 1)
        assert page.texts("#branches button") == []


def test_walk_is_saved_as_a_trace_that_replays(browser: Browser, toy: str, tmp_path: Path) -> None:
    with visited(browser, toy, toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        take(page, "walks", 1)
        with page.page.expect_download() as download:
            page.page.get_by_role("button", name="Save up to here").click()
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
    trace = read_record_file(file).trace
    assert (file.name, [step.action for step in trace.steps]) == ("Slips-walk.json", ["walks"])
    assert replay_trace(trace, load_subject("toys:Slips")).agrees is True


def test_state_in_the_graph_is_walked_to(browser: Browser, toy: str) -> None:
    with visited(browser, toy, toy.partition("?")[0]) as page:
        wait_for_step(page, 0)
        page.page.locator("#graph summary").click()
        page.page.locator("#nodes .node").nth(11).wait_for()
        assert page.page.locator("#nodes .node").count() == 12
        broken = page.page.locator("#nodes .node.broken")
        said = [str(node.get_attribute("aria-label")) for node in broken.all()]
        assert len(said) == 3
        assert all("place=6" in each and each.endswith("; breaks never_arrives") for each in said)
        page.page.locator("#nodes .node").nth(11).click()
        wait_for_step(page, 5)
        assert page.page.locator("#nodes .node.walked").count() == 6
        assert page.page.locator("#nodes .edge.walked").count() == 5
        assert page.texts("#panel .fails") == ["is false"]


@pytest.mark.slow
def test_world_of_a_story_is_entered_with_its_walk_ahead(browser: Browser, rocketmq: str) -> None:
    length = recorded_stories()["I5-late-poll"].length
    with visited(browser, rocketmq, rocketmq.partition("?")[0]) as page:
        wait_for_step(page, 0)
        page.page.locator("#stories").select_option("I5-late-poll")
        page.page.locator(f"#walk li:nth-child({length + 1})").wait_for()
        assert page.page.locator("#walk .ahead").count() == length
        page.page.keyboard.press("End")
        wait_for_step(page, length)
        assert "backward-reset-stays (I5) is false" in page.texts("#panel li")
        assert page.page.locator("#panel .cell.passed").count() == 1
        page.page.locator("#graph summary").click()
        page.page.get_by_text("graphs are drawn of smaller ones").wait_for()


def test_page_begins_at_the_step_of_a_story_that_was_asked_for(browser: Browser) -> None:
    story = recorded_stories()["I4-ack-first"]
    with (
        served(of_rocketmq(story), of_rocketmq, story, 3) as address,
        visited(browser, address, address.partition("?")[0]) as page,
    ):
        wait_for_step(page, 3)
        assert page.page.locator("#walk .ahead").count() == story.length - 3
        page.page.keyboard.press("ArrowLeft")
        wait_for_step(page, 2)


@pytest.mark.parametrize("size", [pytest.param(DESKTOP, marks=pytest.mark.slow), PHONE])
def test_nothing_keeps_anybody_from_using_it(browser: Browser, rocketmq: str, size: tuple[int, int]) -> None:
    with visited(browser, rocketmq, rocketmq.partition("?")[0], size) as page:
        wait_for_step(page, 0)
        page.page.keyboard.press("1")
        wait_for_step(page, 1)
        assert serious(page) == []
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.slow
def test_names_that_look_like_markup_are_shown_and_not_obeyed(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    subject = load_subject(str(tmp_path / "hostile.py"))
    with served(Walker(subject, Setting(subject.model.scopes[0])), of_rocketmq) as address:
        for size in (DESKTOP, PHONE):
            with visited(browser, address, address.partition("?")[0], size) as page:
                wait_for_step(page, 0)
                page.page.keyboard.press("1")
                wait_for_step(page, 1)
                page.page.keyboard.press("1")
                wait_for_step(page, 2)
                assert page.page.title() == "Explore Hostile"
                assert page.page.locator("img, b script, i").count() == 0
                assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
                assert "<script>document.title='obeyed'</script>" in page.texts("#walk button")[1]

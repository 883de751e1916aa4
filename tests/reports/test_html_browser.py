"""Pages in a real Chromium: opened from the file system, clicked, keyed through, printed, and held to axe-core."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from cli.program import run
from playwright.sync_api import Browser, expect
from reports.browser import DESKTOP, PHONE, WIDE, Opened, browsers, opened
from reports.stories_told import ENDLESS, HEBREW, HOSTILE, LONG, SYMPTOMS, block_of, data_of, the_story

from offsetproof.reports.html.pages import compare_page, index_page, story_page
from offsetproof.verdict.exits import Exit

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


@pytest.fixture(scope="module")
def hebrew(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a model with Hebrew names, which refutes its one claim."""
    folder = tmp_path_factory.mktemp("hebrew")
    (folder / "hebrew.py").write_text(HEBREW, encoding="utf-8")
    assert run("check", "hebrew.py", "--html=report", "--quiet", cwd=folder).code == 0
    return folder / "report"


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


def test_row_of_the_failing_step_says_so_first_and_a_witness_is_no_failure(browser: Browser, pages: Path) -> None:
    last = len(data_of(SHORT)["steps"])
    with opened(browser, page_of(pages, SHORT)) as page:
        assert page.texts("#steps li .fails:not(.truth)") == [f"{data_of(SHORT)['claims'][0]} fails here"]
        assert page.texts(f"#steps li[data-step='{last}'] .line")[0].startswith(
            f"{last}{data_of(SHORT)['claims'][0]} fails"
        )
    shown = {**data_of(SHORT), "shown": True, "truths": [False]}
    shown["steps"] = [{**step, "truths": [number == last]} for number, step in enumerate(shown["steps"], 1)]
    (pages / "shown.html").write_text(story_page(shown), encoding="utf-8")
    with opened(browser, pages / "shown.html") as page:
        assert page.page.locator(".fails").count() == 0
        assert page.texts("#steps li b.holds") == [f"{data_of(SHORT)['claims'][0]} is shown here"]


@pytest.fixture(scope="module")
def endless(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a model with two claims about runs, both refuted."""
    folder = tmp_path_factory.mktemp("endless")
    (folder / "channel.py").write_text(ENDLESS, encoding="utf-8")
    assert run("check", "channel.py", "--html=report", "--quiet", cwd=folder).code == Exit.LIVENESS
    return folder / "report"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_run_without_an_end_shows_the_way_back_to_where_its_cycle_begins(
    browser: Browser, endless: Path, size: tuple[int, int], scheme: str
) -> None:
    goes_on = "↻ This is the state after step 1 once more: the run goes on with step 2, again and again."
    with opened(browser, next(endless.glob("is_received*.html")), "#step=3", size=size, color_scheme=scheme) as page:
        rows = page.page.locator("#steps li.cycle")
        assert rows.evaluate_all("rows => rows.map(row => row.dataset.step)") == ["2", "3"]
        assert page.texts("#steps b.again") == ["↻ again from here"]
        assert page.texts("#steps li[data-step='2'] b.again") == ["↻ again from here"]
        assert page.texts("#body > p.again") == page.texts("#panel p.again") == [goes_on]
        way = page.page.locator("#drawing .back").bounding_box()
        first, last = (page.page.locator(f"#steps li[data-step='{step}']").bounding_box() for step in (2, 3))
        assert way is not None
        assert first is not None
        assert last is not None
        assert first["y"] <= way["y"] < first["y"] + first["height"] / 2
        assert last["y"] + last["height"] / 2 < way["y"] + way["height"] <= last["y"] + last["height"]
        assert serious(page) == []
        page.page.locator("#panel p.again a").click()
        page.page.locator("#steps li.chosen[data-step='2']").wait_for()
        assert page.texts("#panel p.again") == []


def test_run_that_ends_has_no_way_back_and_says_that_nothing_more_happens(browser: Browser, endless: Path) -> None:
    with opened(browser, next(endless.glob("is_known*.html"))) as page:
        assert page.page.locator("#drawing .back").count() == page.page.locator("#steps li.cycle").count() == 0
        assert page.texts("#body > p.again") == ["⏹ Nothing more happens, for ever."]


def test_recorded_story_has_the_command_that_walks_on_from_the_chosen_step(browser: Browser, pages: Path) -> None:
    with opened(browser, page_of(pages, SHORT), "#step=7") as page:
        assert not page.page.locator("#explore").is_visible()
        page.page.get_by_text("Walk on from this step by hand").click()
        assert page.texts("#explore") == [f"offsetproof explore --trace {SHORT} --step 7"]
        page.page.keyboard.press("ArrowDown")
        assert page.texts("#explore") == [f"offsetproof explore --trace {SHORT} --step 8"]
        page.page.locator("#copy-explore").click()
        expect(page.page.locator("#copied-explore")).to_have_text(
            re.compile(r"^(Copied\.|Selected; copy it with Ctrl-C\.)$")
        )


def test_story_that_explore_does_not_find_by_its_name_comes_with_the_trace_that_the_command_reads(
    browser: Browser, hebrew: Path
) -> None:
    (file,) = (each for each in hebrew.iterdir() if each.name not in ("index.html", "compare.html"))
    with opened(browser, file, "#step=1") as page:
        page.page.get_by_text("Walk on from this step by hand").click()
        (command,) = page.texts("#explore")
        with page.page.expect_download() as download:
            page.page.locator("#save").click()
        assert download.value.suggested_filename == f"{file.stem}.json"
        download.value.save_as(hebrew.parent / f"{file.stem}.json")
        assert page.texts("#copied-explore") == ["Saved; its path is --trace."]
    program, verb, *args = command.split()
    assert (program, verb, args[0].partition(":")[0], args[-2:]) == (
        "offsetproof",
        "explore",
        "hebrew.py",
        ["--step", "1"],
    )
    ran = run(verb, *args, "--text", cwd=hebrew.parent)
    assert (ran.code, ran.err) == (0, "")
    assert "step 1" in ran.out


def test_fields_that_a_reader_chooses_are_followed_over_all_steps(browser: Browser, pages: Path) -> None:
    data = data_of("I4-ack-first")
    with opened(browser, page_of(pages, "I4-ack-first")) as page:
        page.page.locator("#watch summary").click()
        chosen = page.page.locator("#watchable input:checked")
        chosen.first.wait_for()
        while chosen.count():
            chosen.first.uncheck()
        page.page.locator("#watchable input[value='broker.committed']").check()
        assert page.texts("#watched th") == ["step", "who", "broker.committed"]
        column = page.texts("#watched tbody td:nth-child(3)")
        assert column == committed_over(data)
        assert page.texts("#watched b") == [column[-1]]
        mattering = {path for step in data["steps"] if step["needed"] for path, _, _ in step["changed"]}
        grey = page.page.locator("#watchable .quiet input").evaluate_all("boxes => boxes.map((box) => box.value)")
        assert {*grey} == {*data["initial"]} - mattering
        page.page.locator("#watched a", has_text=str(len(data["steps"]))).click()
        page.page.locator(f"#steps li.chosen[data-step='{len(data['steps'])}']").wait_for()


def committed_over(data: dict[str, Any]) -> list[str]:
    """The committed offset at the broker in each state of a story."""
    values = [data["initial"]["broker.committed"]]
    for step in data["steps"]:
        changed = {path: after for path, _, after in step["changed"]}
        values.append(changed.get("broker.committed", values[-1]))
    return values


def drawn_at(page: Opened, step: int) -> list[tuple[str, bool]]:
    """Who is somewhere in the queue at a step, in words, and whether it is drawn as moved."""
    page.page.evaluate("(step) => go(step)", step)
    pointers = page.page.locator("#panel .pointer").all()
    return [(each.inner_text().lstrip("▲\n"), "moved" in str(each.get_attribute("class"))) for each in pointers]


def test_pointers_with_the_same_words_have_no_old_value_and_move_only_where_their_offsets_changed(
    browser: Browser, tmp_path: Path
) -> None:
    data = data_of(SHORT)
    moments = [[["sent", 0], ["sent", 1], ["cell", 1]], [["sent", 0], ["sent", 1], ["cell", 2]],
               [["sent", 1], ["cell", 2]], [["sent", 1], ["sent", 1], ["cell", 2]], [["sent", 4]],
               [["sent", 5]]]  # fmt: skip
    frames = [[{"name": "queue", "first": 0, "cells": ["stored"], "pointers": each}] for each in moments]
    at = [min(step, len(frames) - 1) for step in range(len(data["steps"]) + 1)]
    drawn = {**data, "picture": {"legend": {}, "frames": frames, "at": at}}
    (tmp_path / "story.html").write_text(story_page(drawn), encoding="utf-8")
    with opened(browser, tmp_path / "story.html") as page:
        assert drawn_at(page, 0) == [("sent = 0", False), ("sent = 1", False), ("cell = 1", False)]
        assert drawn_at(page, 1) == [("sent = 0", False), ("sent = 1", False), ("cell = 2 (was 1)", True)]
        assert drawn_at(page, 2) == [("sent = 1", False), ("cell = 2", False)]
        assert drawn_at(page, 3) == [("sent = 1", False), ("sent = 1", True), ("cell = 2", False)]
        assert drawn_at(page, 4) == [("sent = 4", True)], "which of the two it was is not known"
        assert drawn_at(page, 5) == [("sent = 5 (was 4)", True)]


def lefts(page: Opened, selector: str, parts: list[str]) -> list[float]:
    """Where parts of the first such element's text begin on the screen, from its left; each stands behind the last."""
    find = """(within, parts) => {
        const nodes = [];
        const walker = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) nodes.push(walker.currentNode);
        let from = 0;
        return parts.map((part) => {
            const begin = within.textContent.indexOf(part, from);
            if (begin < 0) throw new Error(`${part} is not in ${within.textContent}`);
            from = begin + part.length;
            let before = 0;
            const node = nodes.find((each) => (before += each.length) > begin);
            const range = document.createRange();
            range.setStart(node, begin - before + node.length);
            range.setEnd(node, Math.min(node.length, from - before + node.length));
            return range.getBoundingClientRect().left;
        });
    }"""
    found: list[float] = page.page.locator(selector).first.evaluate(find, parts)
    return found


def test_change_of_a_field_with_a_hebrew_name_is_read_from_the_name_to_the_new_value(
    browser: Browser, hebrew: Path
) -> None:
    light, name, red, green = (
        "\u05d0\u05d5\u05e8",
        "\u05e9\u05dd",
        "\u05d0\u05d3\u05d5\u05dd",
        "\u05d9\u05e8\u05d5\u05e7",
    )
    for size in (DESKTOP, PHONE):
        with opened(browser, the_story(hebrew), size=size) as page:
            for summary in page.page.locator(".extra summary").all():
                summary.click()
            page.page.locator("#table tbody tr").wait_for()
            changes = page.texts("#table tbody .code:not(.quiet)")
            assert changes == [f"{name}: 0 → 1", f"{light}: {red} → {green}"]
            assert page.page.locator("#brief").text_content() == block_of(the_story(hebrew).read_text("utf-8"))["brief"]
            for selector, parts in [
                (".brief code", [name, "0", "→", "1"]), (".brief code", [light, red, "→", green]),
                ("#table .code:not(.quiet)", [name, ":", "0", "→", "1"]),
                ("#table .code:not(.quiet) + .code", [light, ":", red, "→", green]),
                ("#brief", ["    1", "\u05d9\u05d3", "\u05d0\u05d7\u05d3", "(", name, "0", "-", ">", "1"]),
                ("#brief", [light, red, "-", ">", green, ")"]),
            ]:  # fmt: skip
                places = lefts(page, selector, parts)
                assert places == sorted(set(places)), (selector, parts, places)


def index_of(hebrew: Path, folder: Path, *answers: dict[str, Any]) -> Path:
    """An index of one claim with an answer for each that is given, which says what is other in it."""
    data = block_of((hebrew / "index.html").read_text(encoding="utf-8"))
    (claim,) = data["claims"]
    claim["answers"] = [{**claim["answers"][0], "page": None, **each} for each in answers]
    (folder / "index.html").write_text(index_page(data), encoding="utf-8")
    return folder / "index.html"


def test_filter_counts_answers_and_hides_them_among_the_details_as_well(
    browser: Browser, hebrew: Path, tmp_path: Path
) -> None:
    holds = {"verdict": "holds", "word": "HOLDS"}
    file = index_of(hebrew, tmp_path, {"case": "one", **holds}, {"case": "two"}, {"case": "three", **holds})
    with opened(browser, file) as page:
        details, cases = ".claim-row summary", ".claim-row tbody th:visible"
        assert page.texts("#count") == ["3 of 3 answers, in 1 of 1 claims"]
        assert page.texts(details) == ["3 answers in detail"]
        page.page.locator("#verdict").select_option("HOLDS")
        assert page.texts("#count") == ["2 of 3 answers, in 1 of 1 claims"]
        assert page.texts(details) == ["2 of 3 answers in detail"]
        page.page.locator(details).click()
        page.page.locator(cases).first.wait_for()
        assert page.texts(cases) == page.texts(".tile:visible b") == ["one", "three"]
        page.page.locator("#verdict").select_option("REFUTED")
        assert page.texts("#count") == ["1 of 3 answers, in 1 of 1 claims"]
        assert page.texts(details) == ["1 of 3 answers in detail"]
        assert page.texts(cases) == page.texts(".tile:visible b") == ["two"]
        page.page.locator("#words").fill("no such words")
        assert page.texts("#count") == ["0 of 3 answers, in 0 of 1 claims"]


def test_symptoms_are_found_by_words_of_two_languages_and_by_release(
    browser: Browser, hebrew: Path, tmp_path: Path
) -> None:
    data = block_of((hebrew / "index.html").read_text(encoding="utf-8"))
    data["symptoms"] = SYMPTOMS
    (tmp_path / "index.html").write_text(index_page(data), encoding="utf-8")
    with opened(browser, tmp_path / "index.html") as page:
        for words, found in [("", ["The reset", "Messages"]), ("the offset reset DID not stick", ["The reset"]),
                             ("位点重置", ["The reset"]), ("消息被丢失", ["Messages"]), ("zzz", [])]:  # fmt: skip
            page.page.locator("#seen").fill(words)
            assert [text.split(" did")[0].split(" were")[0] for text in page.texts("#symptoms h3 bdi")] == found, words
        assert page.texts("#seen-count") == ["none; other words, or fewer of them, may find it"]
        page.page.locator("#seen").fill("")
        page.page.locator("#seen-in").select_option("5.3.3")
        assert page.texts("#seen-count") == ["1 of 2 symptoms"]
        page.page.locator("#seen-in").select_option("")
        page.page.locator("#kind").select_option("reset")
        assert page.texts("#symptoms h3 .badge") == ["reset"]


def test_search_of_very_many_levels_is_drawn_in_few_bars(browser: Browser, hebrew: Path, tmp_path: Path) -> None:
    many = [1 + depth % 5 for depth in range(149_999)]
    many[777] = 1000
    with opened(browser, index_of(hebrew, tmp_path, {"levels": many}, {"levels": [1, 2, 4]})) as page:
        page.page.locator(".claim-row summary").click()
        page.page.locator("svg.levels").nth(1).wait_for()
        first, second = page.page.locator("svg.levels").all()
        titles = first.locator("rect title").all_text_contents()
        assert len(titles) == 400
        assert titles[:3] == ["levels 0 to 374: 5 states at most", "levels 375 to 749: 5 states at most",
                              "levels 750 to 1,124: 1,000 states at most"]  # fmt: skip
        assert titles[-1] == "levels 149,625 to 149,998: 5 states at most"
        assert first.locator("rect").nth(2).get_attribute("height") == "32"
        assert first.get_attribute("width") == "400"
        assert page.texts("figure.levels figcaption") == [
            "149,999 levels: 1,000 states at most, at depth 777; each bar is the maximum of up to 375 levels",
            "3 levels: 4 states at most, at depth 2",
        ]
        titles = second.locator("rect title").all_text_contents()
        assert titles == ["level 0: 1 state", "level 1: 2 states", "level 2: 4 states"]
        heights = [each.get_attribute("height") for each in second.locator("rect").all()]
        assert heights == ["8", "16", "32"]


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
@pytest.mark.parametrize("size", [DESKTOP, PHONE, WIDE])
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


@pytest.mark.parametrize("size", [DESKTOP, PHONE, WIDE], ids=["desktop", "phone", "wide"])
def test_names_of_actors_and_threads_are_not_cut_in_their_lanes(
    browser: Browser, pages: Path, size: tuple[int, int]
) -> None:
    with opened(browser, page_of(pages, "I5-late-poll"), size=size) as page:
        lanes = page.page.locator(".lane")
        assert lanes.filter(has_text="administrator").count() == 1
        cut = lanes.evaluate_all(
            "lanes => lanes.filter(e => e.scrollWidth > e.clientWidth || e.scrollHeight > e.clientHeight)"
            ".map(e => e.textContent)"
        )
        assert cut == []


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
        right = page.page.frame_locator("#right")
        expect(right.locator("#panel h2").first).to_have_text(re.compile("^Step 33 of 33"))
        page.page.keyboard.press("Home")
        where.filter(has_text="step 0 of 24 beside step 0 of 33").wait_for()
        for _ in range(5):
            page.page.keyboard.press("ArrowDown")  # before either story has answered
        expect(right.locator("#panel h2").first).to_have_text(re.compile("^Step 5 of 33"))
        page.page.wait_for_timeout(500)
        assert where.inner_text() == "step 5 of 24 beside step 5 of 33: the same"
        page.page.keyboard.press("Home")
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
    assert run("check", "I11", "I11-fixed", "I3", "--release=4.9.4", "--html=report", "--quiet", cwd=tmp_path).code == 0
    claims = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))["claims"]
    answers = sum(len(claim["answers"]) for claim in claims)
    for size, scheme in zip((DESKTOP, PHONE, WIDE), ("light", "dark", "dark"), strict=True):
        with opened(browser, tmp_path / "report" / "index.html", size=size, color_scheme=scheme) as page:
            assert page.texts("#count") == [f"{answers} of {answers} answers, in 2 of 2 claims"]
            page.page.locator("#verdict").select_option("HOLDS")
            assert page.texts(".tile:visible b") == ["I11-fixed"]
            page.page.locator("#verdict").select_option("")
            page.page.locator("#fix").select_option("monotone-commits")
            assert set(page.texts(".tile:visible b")) == {"I3"}
            page.page.locator("#fix").select_option("")
            page.page.locator("#words").fill("no such words")
            assert page.texts("#count") == [f"0 of {answers} answers, in 0 of 2 claims"]
            page.page.locator("#words").fill("")
            for summary in page.page.locator("summary").all():
                summary.click()
            drawn = page.page.locator("svg.levels")
            expect(drawn).to_have_count(answers)  # a tile is filled soon after it is opened
            bars = [len(svg.locator("rect").all()) for svg in drawn.all()]
            assert sorted(bars) == sorted(len(answer["levels"]) for claim in claims for answer in claim["answers"])
            assert min(bars) >= 3
            assert serious(page) == []
            assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
            page.page.locator("a.tile").first.click()
            page.page.wait_for_selector("#steps li.chosen")

"""The data of pages and the files of a report, without a browser."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest
from cli.program import COUNTER, run
from reports.stories_told import HOSTILE, block_of, complaints, data_of, the_story, told

from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang import Mark, QueueRow, Scope
from offsetproof.reports.html.folder import page_name
from offsetproof.reports.html.pages import data_block, story_page
from offsetproof.reports.html.story import NamedStory, story_json
from offsetproof.symptoms.answering import NOT_COUNTED
from offsetproof.symptoms.declared import symptoms
from offsetproof.traces.recorded_stories import recorded_stories

SHORT = "I21-several-second-broker-fails"
PAGE_MAX = 400_000


def test_data_of_a_story_has_its_type() -> None:
    assert complaints(data_of(SHORT)) == []


@pytest.mark.parametrize(("place", "value"), [
    ("steps", [{}]), ("page", "other"), ("effect", 3), ("lanes", [{"actor": "a"}]), ("more", 1),
])  # fmt: skip
def test_type_refuses_what_a_page_could_not_show(place: str, value: object) -> None:
    assert complaints({**data_of(SHORT), place: value})


def test_story_of_a_reset_says_who_acts_on_whom_and_what_the_end_depends_on() -> None:
    data = data_of("I4-ack-first")
    steps = data["steps"]
    assert data["lanes"][steps[0]["lane"]] == {"actor": "consumer[0]", "thread": "rebalance"}
    assert data["lanes"][steps[-1]["lane"]]["actor"] == "broker"
    assert steps[-1]["truths"] == [False]
    assert all(step["truths"] == [True] for step in steps[:-1])
    assert all(earlier < number for number, step in enumerate(steps, 1) for earlier in step["rests_on"])
    assert all(end is None or end > number for number, step in enumerate(steps, 1) for _, end in step["to"])
    assert steps[-1]["needed"]
    assert {step["told"] for step in steps if not step["needed"]} <= {False}


def test_story_has_the_remedies_of_its_own_release() -> None:
    """The fix that mends the reset at the client leaves the one at the broker as it is."""
    mended = "case I28-poll-checks, scope unforced-reset"
    assert [each["where"] for each in data_of("I28-late-poll-raises-target")["remedies"]] == [mended]
    assert data_of("I28-ignores-force")["remedies"] == []


def test_places_in_the_code_lead_to_the_sources_of_the_release() -> None:
    anchors = {
        anchor["text"]: anchor["url"]
        for each in data_of("I4-ack-first")["actions"].values()
        for anchor in each["anchors"]
    }
    assert anchors["ProcessQueue.putMessage:134"] == (
        "https://github.com/apache/rocketmq/blob/rocketmq-all-4.9.4/client/src/main/java/org/apache/rocketmq/"
        "client/impl/consumer/ProcessQueue.java#L134"
    )
    assert None not in anchors.values()


def test_committed_offset_that_passes_an_unfinished_message_is_seen() -> None:
    data = data_of("I4-ack-first")
    frames, at = data["picture"]["frames"], data["picture"]["at"]
    cells = [frames[place][0]["cells"] for place in at]
    assert cells[0] == []
    assert cells[-1] == ["passed"]
    assert all("passed" not in each for each in cells[:-1])
    assert ["committed at the broker", 1] in frames[at[-1]][0]["pointers"]


def test_last_mark_that_is_true_of_a_message_is_seen() -> None:
    row = QueueRow(
        "queue", 0, 3, {Mark.PULLED: frozenset({0, 1}), Mark.DONE: frozenset({1}), Mark.PASSED: frozenset({2})}
    )
    assert [row.mark_of(offset) for offset in range(3)] == [Mark.PULLED, Mark.DONE, Mark.PASSED]


def test_message_that_a_landed_reset_asks_for_again_is_not_done_until_it_is_done_again() -> None:
    recorded = recorded_stories()["I5-late-poll"].story
    picture = SINGLES["rocketmq"].subjects[0].picture
    assert picture is not None
    drawn = [picture.queues(Scope("any", recorded.world.scope.bounds), state)[0] for state in recorded.states]
    assert [drawn[-2].mark_of(0), drawn[-1].mark_of(0)] == [Mark.DONE, Mark.PASSED]
    assert dict(drawn[-1].pointers)["target of the reset"] == 0


def test_every_state_of_every_recorded_story_with_a_picture_can_be_drawn() -> None:
    drawn = 0
    for story in recorded_stories().values():
        subject = SINGLES[str(story.subject)].subjects[0]
        for state in story.story.states if subject.picture else ():
            assert subject.picture is not None
            assert subject.picture.queues(story.world.scope, state)
            drawn += 1
    assert drawn > 1500


def test_words_of_a_picture_are_those_of_the_glossary() -> None:
    glossary = " ".join((Path(__file__).parents[2] / "docs" / "glossary.md").read_text(encoding="utf-8").split())
    for entry in SINGLES.values():
        picture = entry.subjects[0].picture
        for word, meaning in picture.words.items() if picture else ():
            assert f"**{word}**: {meaning}" in glossary


def test_longest_recorded_story_is_a_page_of_less_than_400_kb() -> None:
    stories = recorded_stories()
    name = max(stories, key=lambda each: stories[each].length)
    bare = NamedStory(name, stories[name], SINGLES[str(stories[name].subject)].subjects[0])
    assert stories[name].length >= 52
    assert len(story_page(story_json(bare)).encode()) < PAGE_MAX / 2


def test_block_of_data_never_ends_its_element() -> None:
    text = data_block({"</script>": "<!--<script>&\u2028"})
    assert not re.search(r"[<>&\u2028]", text)


def test_page_has_no_address_that_a_browser_would_ask_without_being_told() -> None:
    page = story_page(data_of(SHORT))
    head, _, _ = page.partition('<script type="application/json"')
    assert not re.search(r"""(?:src|href)=["']?https?:|url\(|@import""", head)
    assert "default-src 'none'" in unescape(head)


@pytest.mark.parametrize("name", ["index", "compare", "../../etc/passwd", "a/b", "ü", "x" * 300, ".."])
def test_name_of_a_page_is_a_plain_file_of_its_own(name: str) -> None:
    made = page_name(name)
    assert re.fullmatch(r"[\w=,-][\w.=,-]{0,112}", made, flags=re.ASCII)
    assert made != name
    assert page_name(name + "?") != made


def test_check_writes_an_index_and_a_page_for_each_story(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "mine.txt").write_text("kept", encoding="utf-8")
    ran = run("check", "counter.py", "--html=report", "--no-progress", cwd=tmp_path)
    address = (tmp_path / "report" / "index.html").resolve().as_uri()
    assert ran.out.endswith(f"\nfor a browser: {address}\n")
    assert ran.err == ""
    written = {file.name for file in (tmp_path / "report").iterdir()}
    assert written == {"index.html", "compare.html", "mine.txt", "stays_below_two-small.html",
                       "stays_below_three-small.html", "reaches_three-small.html"}  # fmt: skip
    index = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert complaints(index) == []
    sizes = {
        answer["case"]: (answer["states"], answer["levels"]) for claim in index["claims"] for answer in claim["answers"]
    }
    assert sizes["never_falls"] == (4, [1, 1, 1, 1])
    assert sizes["stays_below_two"] == (2, [1, 1])
    pages = {answer["case"]: answer["page"] for claim in index["claims"] for answer in claim["answers"]}
    assert pages == {"stays_below_two": "stays_below_two-small", "stays_below_three": "stays_below_three-small",
                     "stays_in_range": None, "never_falls": None}  # fmt: skip
    for name in written - {"mine.txt"}:
        assert complaints(block_of((tmp_path / "report" / name).read_text(encoding="utf-8"))) == []


@pytest.mark.slow
def test_other_forms_of_a_report_are_as_they_are_without_pages_and_the_pages_are_the_same(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    ran = run("check", "counter.py", "stays_below_two", "--html=one", "--format=json", cwd=tmp_path)
    assert ran.out.startswith("{")
    assert ran.err.endswith("one/index.html\n")
    quiet = run("check", "counter.py", "stays_below_two", "--html=two", "--quiet", cwd=tmp_path)
    assert (quiet.code, quiet.out, quiet.err) == (0, "", "")
    story = "stays_below_two-small.html"
    assert (tmp_path / "one" / story).read_bytes() == (tmp_path / "two" / story).read_bytes()


def test_folder_that_cannot_be_written_is_refused_before_anything_is_decided(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(COUNTER, encoding="utf-8")
    ran = run("check", "counter.py", "--html=counter.py", cwd=tmp_path)
    assert (ran.code, ran.out) == (150, "")
    assert "--html: cannot write counter.py: it is not a folder" in ran.err


@pytest.mark.slow
def test_show_writes_the_page_of_one_story(tmp_path: Path) -> None:
    ran = run("show", SHORT, "--format=html", "--output=story.html", cwd=tmp_path)
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    data = block_of((tmp_path / "story.html").read_text(encoding="utf-8"))
    assert complaints(data) == []
    assert (data["name"], data["replayed"].partition(" (")[0]) == (SHORT, "replayed on the model: yes")
    assert data.pop("agrees") is True
    assert {**data, "replayed": None} == data_of(SHORT)


def test_names_of_a_model_are_data_and_never_markup(tmp_path: Path) -> None:
    (tmp_path / "hostile.py").write_text(HOSTILE, encoding="utf-8")
    assert run("check", "hostile.py", "--html=report", "--quiet", cwd=tmp_path).code == 0
    for file in (tmp_path / "report").iterdir():
        page = file.read_text(encoding="utf-8")
        assert page.count("<script") == page.count("</script>") == 2
        assert "<img" not in page
        assert "\u202e" not in page
    assert "{{ 7 * 7 }}" in the_story(tmp_path / "report").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(recorded_stories()))
def test_every_recorded_story_is_a_page_in_shape_and_size(name: str) -> None:
    data = data_of(name)
    assert complaints(data) == []
    assert len(story_page(story_json(told(name))).encode()) < PAGE_MAX
    assert any(step["told"] for step in data["steps"])


def test_index_begins_with_the_symptoms_of_what_was_asked(tmp_path: Path) -> None:
    assert run("check", "I11", "--release=4.9.4", "--release=5.3.3", "--html=report", "--quiet", cwd=tmp_path).code == 0
    data = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    assert complaints(data) == []
    expected = [symptom for symptom in symptoms() if any(case.name == "rocketmq I11" for case in symptom.cases)]
    assert [row["says"] for row in data["symptoms"]] == [symptom.says for symptom in expected]
    assert data["symptoms_not_asked"] == len(symptoms()) - len(expected)
    (row,) = data["symptoms"]
    pages = {page for claim in data["claims"] for answer in claim["answers"] if (page := answer["page"])}
    assert {*row["pages"]} == pages != set()
    assert row["seen_in"] == list(expected[0].cases[0].seen_in())
    assert {*expected[0].chinese} <= {*row["phrases"]}


def test_index_of_one_release_tells_what_happens_in_it(tmp_path: Path) -> None:
    assert (
        run("check", "I5", "--release=5.3.3", "--scope=calm-reset", "--html=report", "--quiet", cwd=tmp_path).code == 0
    )
    data = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    row = data["symptoms"][0]
    trace = recorded_stories()["I5-commit-with-marker"]
    assert (row["story"], row["effect"]) == ("I5-commit-with-marker", f"{trace.effect}; {NOT_COUNTED}")
    assert row["where"] == "5.3.3, 5.5.0; by other steps in 4.9.4 to 5.3.3-client-reset"
    assert row["why"] == [
        "the pull that takes the marker of the reset carries a commit, and the broker executes that after it"
    ]
    assert row["now"] != []
    assert {each["where"] for each in row["now"]} == {""}


def test_remedy_of_several_scopes_stands_once() -> None:
    remedies = data_of("I5-commit-with-marker")["remedies"]
    parts = [tuple(part["name"] for part in each["parts"]) for each in remedies]
    assert len(parts) == len({*parts})
    (numbered,) = (
        each["where"] for each in remedies if [part["name"] for part in each["parts"]] == ["resets-numbered"]
    )
    assert numbered.startswith("case I5-numbered, scope calm-reset; case I5-numbered, scope reset; ")


def test_index_of_another_model_says_what_its_cases_are_seen_as(tmp_path: Path) -> None:
    (tmp_path / "counter.py").write_text(SEEN_AS, encoding="utf-8")
    assert run("check", "counter.py", "--html=report", "--quiet", cwd=tmp_path).code == 0
    data = block_of((tmp_path / "report" / "index.html").read_text(encoding="utf-8"))
    (row,) = data["symptoms"]
    assert (row["says"], row["kind"], row["now"]) == ("the lamp stays dark", "", [])
    assert len(row["pages"]) == 1
    assert data["symptoms_not_asked"] == 0


SEEN_AS = '''
from offsetproof.lang import *


class Lamp(Model):
    """A lamp that burns out."""

    scopes = (Scope("small"),)
    x: int = integer(0, 2)

    @action(actor="lamp")
    def burns(self) -> None:
        """It burns."""
        require(self.x < 2)
        self.x = self.x + 1

    @always(id="L1", expected=REFUTED, symptom="the lamp stays dark", no_remedy="it is a lamp")
    def shines(self) -> bool:
        """It shines."""
        return self.x < 2
'''

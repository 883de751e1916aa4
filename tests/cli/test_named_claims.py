"""Claims are words on the command line: what is not a file or module names a claim of the model before it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import in_terminal, run, write_models
from systems.samples import one_in

TWO = """
from offsetproof.lang import *

class Two(Model):
    x: int = integer(0, 9)

    @action()
    def rises(self) -> None:
        require(self.x < 9)
        self.x = self.x + 1

""" + "".join(
    f"    @always(id='C{n}')\n    def is_not_{n}(self) -> bool:\n        return self.x != {n}\n\n" for n in range(1, 10)
)  # fmt: skip


def claims_asked(*args: str, cwd: Path | None = None) -> list[str]:
    """The ids of the claims that a check asked, of whatever releases."""
    ran = run("check", *args, "--format=json", "--no-progress", cwd=cwd)
    assert ran.out, ran.err
    return [*dict.fromkeys(result["property"] for result in json.loads(ran.out)["results"])]


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """A folder with a model of nine claims, all of which are refuted."""
    (tmp_path / "two.py").write_text(TWO)
    return write_models(tmp_path)


def test_word_that_is_no_model_is_a_claim_of_the_built_in_one_by_id_or_name() -> None:
    assert claims_asked("I8", "I11-fixed") == ["I8", "I11-fixed"]
    assert claims_asked("rocketmq", "at_most_one_consumer_has_a_live_process_queue") == ["I8"]


def test_words_after_a_model_are_its_claims_and_add_to_the_option(two: Path) -> None:
    assert claims_asked("two.py", "C3", "is_not_1", cwd=two) == ["C3", "C1"]
    assert claims_asked("two.py:Two", "C3", "--property=C2", "--property=C3", cwd=two) == ["C3", "C2"]


def test_file_that_is_not_python_is_told_to_be_there(two: Path) -> None:
    (two / "notes.md").write_text("# Two\n")
    ran = run("check", "notes.md", cwd=two)
    assert (ran.code, ran.out) == (2, "")
    assert ran.complaint == "offsetproof: notes.md is not a Python file; name one, a module, or rocketmq"


SMALL = ("--no-progress", "--format=json")

VERBS_WITH_CLAIMS = {
    "check": SMALL,
    "explain": (*SMALL, "--max-causes=1"),
    "simulate": (*SMALL, "--steps=2000", "--examples=1"),
    "export": ("--to=promela", "--out-dir=written"),
    "graph": ("--format=json",),
    "guard": ("--update", "--accept", "--baseline=b.json", "--format=json", "--no-progress"),
    "mutate": (*SMALL, "--limit=2"),
}
"""Each verb that takes claims, with options that make it quick."""


def without_times(said: str) -> str:
    """A report without what differs from run to run."""
    return re.sub(r'"(?:seconds|wall|peak_bytes|steps_per_second|hypothesis_overhead)": [\d.]+', "", said)


@pytest.mark.parametrize("verb", one_in(3, VERBS_WITH_CLAIMS))
def test_every_verb_takes_claims_behind_the_model_and_by_the_option_alike(two: Path, verb: str) -> None:
    options = VERBS_WITH_CLAIMS[verb]
    behind = run(verb, "two.py", "C2", *options, cwd=two)
    assert behind.code in (0, 12), behind.err
    (two / "b.json").unlink(missing_ok=True)
    by_option = run(verb, "two.py", "--property=is_not_2", *options, cwd=two)
    assert without_times(by_option.out) == without_times(behind.out)
    assert re.sub(r"[\d.]+ s\b", "", by_option.err) == re.sub(r"[\d.]+ s\b", "", behind.err)
    if verb != "graph":  # which has the same states whatever is claimed of them
        assert re.findall(r"\bC\d\b", behind.out + behind.err)
        assert {*re.findall(r"\bC\d\b", behind.out + behind.err)} == {"C2"}


@pytest.mark.parametrize("verb", VERBS_WITH_CLAIMS)
def test_every_verb_says_the_same_of_a_word_that_is_neither_model_nor_claim(two: Path, verb: str) -> None:
    options = [option for option in VERBS_WITH_CLAIMS[verb] if option.startswith("--to")]
    ran = run(verb, "C2", "two.py", *options, cwd=two)
    said = "offsetproof: two.py stands where a claim is expected; a model comes first, and its claims after it"
    assert (ran.code, ran.out, ran.complaint) == (2, "", said)
    ran = run(verb, "two.py", "is_not_ten", *options, cwd=two)
    assert (ran.code, ran.out) == (2, "")
    assert ran.complaint.startswith("offsetproof: no claim named 'is_not_ten'; ")


def test_claims_of_a_family_are_asked_of_one_member_where_a_verb_takes_one_model() -> None:
    ran = run("graph", "toys", "never_falls")
    assert (ran.code, ran.out) == (2, "")
    assert "toys:NAME" in ran.err
    assert run("graph", "toys:Counter", "never_falls").out.count("->") == 4


def test_graph_of_a_claim_is_that_of_its_own_world(tmp_path: Path) -> None:
    (tmp_path / "wide.py").write_text(
        "from offsetproof.lang import *\n\n\nclass Wide(Model):\n"
        "    scopes = (Scope('two', {'top': 2}), Scope('five', {'top': 5}))\n"
        "    x: int = integer(0, 'top')\n\n"
        "    @action()\n    def rises(self) -> None:\n"
        "        require(self.x < self.scope.top)\n        self.x = self.x + 1\n\n"
        "    @always(scopes=['five'])\n    def small(self) -> bool:\n        return self.x < 9\n"
    )
    assert run("graph", "wide.py", cwd=tmp_path).out.count("->") == 2
    assert run("graph", "wide.py", "small", cwd=tmp_path).out.count("->") == 5


def test_explaining_needs_a_claim_and_an_example_is_given(two: Path) -> None:
    ran = run("explain", "two.py", cwd=two)
    assert (ran.code, ran.out) == (2, "")
    assert "say what to explain, as in `explain two.py is_not_1`" in " ".join(ran.err.split())


def test_cases_of_a_claim_are_explained_one_after_the_other(two: Path) -> None:
    ran = run("explain", "two.py", "C1", "C2", "--no-progress", cwd=two)
    assert [line for line in ran.out.splitlines() if line.startswith("Two: ")] == [
        "Two: is_not_1 (C1) has 1 cause",
        "Two: is_not_2 (C2) has 1 cause",
    ]
    causes = json.loads(run("explain", "two.py", "C1", "C2", *SMALL, cwd=two).out)["causes"]
    assert [each["property"] for each in causes] == ["C1", "C2"]


def stories(*args: str, cwd: Path) -> list[str]:
    """The lines of a report that show a value change."""
    return [line for line in run("check", *args, cwd=cwd).out.splitlines() if " -> " in line]


def test_one_claim_is_told_in_full_several_in_brief_and_the_option_decides(two: Path) -> None:
    assert stories("two.py", "C2", cwd=two) == ["       x: 0 -> 1", "       x: 1 -> 2"]
    assert stories("two.py", "C2", "--stories=brief", cwd=two) == [
        "    1 system  rises (x 0 -> 1)",
        "    2 system  rises (x 1 -> 2)",
    ]
    assert stories("two.py", "C2", "C1", cwd=two)[:2] == [
        "    1 system  rises (x 0 -> 1)",
        "    2 system  rises (x 1 -> 2)",
    ]
    assert stories("two.py", "C1", "C2", "--stories=none", cwd=two) == []
    assert len(stories("two.py", "--stories=full", cwd=two)) == sum(range(1, 10))
    assert run("check", "two.py", "C1", "--stories=short", cwd=two).code == 2


CASES = """
from offsetproof.lang import *

SCOPES = [f"to-{n}" for n in range(3, 9)]

class Cases(Model):
    scopes = tuple(Scope(name, {"top": int(name[3:])}) for name in SCOPES)
    fixes = (Fix("slow", "by one alone"),)
    x: int = integer(0, "top")

    @action()
    def rises(self) -> None:
        require(self.x < self.scope.top)
        self.x = self.x + 1

@always(
    case("R1", REFUTED, *SCOPES),
    case("R2", REFUTED, "to-3", where="where it is slow", fixes=[Cases.fixes[0]]),
    case("R3", HOLDS, "to-3", where="for one who does not look", assumptions=[]),
)
def stays_low(model: Cases) -> bool:
    return model.x < 2

@always
def stays_in_range(model: Cases) -> bool:
    return model.x <= model.scope.top
"""


@pytest.fixture
def with_cases(tmp_path: Path) -> Path:
    """A folder with a model of which one claim has three cases in eight worlds."""
    (tmp_path / "cases.py").write_text(CASES)
    return tmp_path


def test_name_of_a_claim_tells_the_story_of_each_refuted_case_in_full_however_many_there_are(with_cases: Path) -> None:
    text = run("check", "cases.py", "stays-low", "--no-progress", cwd=with_cases).out
    assert re.findall(r"(?m)^(\S+ \(\S+ always\)) fails after 2 steps$", text) == [
        "stays-low (R1, always)",
        "stays-low (R2, always)",
        "stays-low (R3, always)",
    ]
    assert text.count("       x: 1 -> 2\n") == 3
    assert text.count("a smallest trace, 2 steps") == 8
    assert "stays-low (R1) is refuted in to-4 (2 steps), to-5 (2 steps)" in " ".join(text.split())
    assert text.startswith("Cases: 8 REFUTED; 1 not as expected\n")


@pytest.mark.parametrize(("form", "told"), [("brief", 3), ("none", 0), ("full", 3)])
def test_form_of_the_stories_of_a_name_can_be_chosen(with_cases: Path, form: str, told: int) -> None:
    text = run("check", "cases.py", "stays_low", f"--stories={form}", "--no-progress", cwd=with_cases).out
    assert len(re.findall(r"x:? 1 -> 2", text)) == told
    assert ("the initial state" in text) is (form == "full")


def test_name_beside_another_claim_has_details_of_what_is_not_as_expected_alone(with_cases: Path) -> None:
    text = run("check", "cases.py", "stays_low", "stays_in_range", "--no-progress", cwd=with_cases).out
    assert text.count(" REFUTED ") == 8, "a row each"
    assert text.count("a smallest trace") == 1
    assert re.findall(r"(?m)^(\S+ \(\S+ always\)) fails after 2 steps", text) == ["stays-low (R3, always)"]


def test_report_about_much_says_what_to_type_for_more(two: Path) -> None:
    text = run("check", "two.py", cwd=two).out
    assert text.splitlines()[0] == "Two: 9 REFUTED; 9 not as expected"
    assert text.count(", always) fails after ") == 9
    assert "`offsetproof check two.py C1`" in " ".join(text.split())
    code, seen = in_terminal("check", "two.py", "--no-progress", columns=80, cwd=two)
    assert code == 12
    assert max(map(len, seen.splitlines())) <= 80


def test_stories_change_no_other_format_and_no_code(two: Path) -> None:
    told = [
        run("check", "two.py", "--format=junit", f"--stories={form}", cwd=two) for form in ("brief", "full", "none")
    ]
    assert {ran.code for ran in told} == {12}
    assert all("claim C9 is now false" in ran.out for ran in told)


def test_claim_that_another_subject_alone_has_is_that_subjects_and_one_of_both_the_usual_ones() -> None:
    read = json.loads(run("check", "I12-power", "--release=4.9.4", "--format=json", "--no-progress").out)
    assert (read["subject"], {row["property"] for row in read["results"]}) == ("offset-files", {"I12-power"})
    assert run("list", "I16", "--format=json").out == run("list", "rocketmq", "I16", "--format=json").out
    mixed = run("check", "I5", "I12-power")
    assert (mixed.code, mixed.out) == (2, "")
    assert "I12-power is a claim of offset-files; name that first" in mixed.complaint


LATE_POLL = "I5-late-poll is a recorded story: `offsetproof show I5-late-poll`"


@pytest.mark.parametrize(("words", "what"), [
    ("check I5-late-poll", f"; did you mean W-late-poll? {LATE_POLL}"),
    ("explain I5-late-poll", LATE_POLL),
    ("list orderly I5-late-poll", LATE_POLL),
    ("compare I5-late-poll 5.3.3", LATE_POLL),
    ("show calm-reset", "calm-reset is a scope in rocketmq: `offsetproof list calm-reset`"),
    ("replay orderly", "orderly is a model: `offsetproof list orderly`"),
    ("show 5.5.0", "5.5.0 is a release in rocketmq, orderly, several-queues, broadcasting, offset-files, replicas: "),
    ("check I9 --scope calm-reset", "calm-reset is a scope in rocketmq: `offsetproof list calm-reset`"),
    ("check I5 --scope orderly", "orderly is a scope in orderly: `offsetproof list orderly orderly`"),
    ("check I5 --fix unlocked-at-once",
     "unlocked-at-once is a fix in orderly: `offsetproof list orderly unlocked-at-once`"),
    ("check I5 --assume poll-checks-dropped", "poll-checks-dropped is a fix in rocketmq, "),
    ("graph consumer_pulls", "consumer_pulls is an action in rocketmq, orderly, broadcasting: "),
    ("check I5 --fix I9", "I9 is a claim of orderly: `offsetproof check orderly I9`"),
    ("symptom lost --release I5", "I5 is a claim of rocketmq: `offsetproof check I5`"),
])  # fmt: skip
def test_word_that_names_something_else_is_told_what_it_is(words: str, what: str) -> None:
    ran = run(*words.split())
    assert (ran.code, ran.out) == (2, "")
    assert what in ran.complaint


def test_word_that_names_nothing_and_one_that_is_said_to_be_something_are_not_told_more() -> None:
    assert run("check", "I5", "--scope=zzz").complaint == (
        "offsetproof: no scope named 'zzz'; `offsetproof list [MODEL] scopes` shows them all"
    )
    assert run("check", "I5", "I9").complaint == (
        "offsetproof: I9 is a claim of orderly; name that first: `orderly I9`"
    )

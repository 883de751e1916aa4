"""What is said of a patch, from what its replays and its conformance came to."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from systems.documents import RELEASE, compared_claims, differing_component, drift, judged_cause

from offsetproof.conformance.drift import CauseFate, Drift
from offsetproof.conformance.walks import Conformed
from offsetproof.guard.comparison import Change
from offsetproof.guard.judge_formats import judge_github, judge_sarif, places_of
from offsetproof.guard.judge_report import judge_markdown, judge_text
from offsetproof.guard.judging import Judgement
from offsetproof.real.conform import Conformance
from offsetproof.real.method_digests import AnchoredMethod
from offsetproof.real.program import JavaLine
from offsetproof.verdict.exits import Exit

FIX = ("poll-checks-dropped",)
POLL, CPU = "I5-late-poll", "I5-one-cpu"
CAUSES = (judged_cause(CauseFate.REMOVED, POLL), judged_cause(CauseFate.LEFT, CPU))
SAME = replace(drift(), changed=(), missing=(), new=(), beside=(), elsewhere=())


def passed() -> Conformed:
    """A component in which the classes do what the model does."""
    return replace(differing_component(), result=Conformance(steps=60), lacking={})


def judgement(**other: object) -> Judgement:
    """Two causes, one of them removed, by classes of which all that changed has run."""
    return replace(Judgement("stays", RELEASE, SAME, CAUSES), **other)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("expected", "code"),
    [((), 20), ((POLL,), 0), ((CPU,), 20), ((POLL, CPU), 20)],
)
def test_gate_passes_where_the_expected_causes_are_removed_whatever_is_left(
    expected: tuple[str, ...], code: int
) -> None:
    assert judgement(expected=expected).exit == code


def test_expected_cause_that_is_unknown_does_not_pass_the_gate() -> None:
    unknown = (judged_cause(CauseFate.UNKNOWN, POLL), CAUSES[1])
    judged = judgement(causes=unknown, expected=(POLL,))
    assert judged.exit == 30
    assert f"NOT AS EXPECTED: {POLL} is unknown" in judge_text(judged, 100)


def test_patch_without_a_fix_may_differ_from_the_releases_model_and_with_one_not_from_its_own() -> None:
    gate = judgement(expected=(POLL,), conformed=(differing_component(),))
    assert gate.exit == 0
    assert "other than the release's model: calm-reset: DIFFERS" in judge_text(gate, 200)
    assert replace(gate, fixes=FIX).exit == 20
    assert replace(gate, expected=()).exit == 20


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"conformed": (differing_component(),)}, "they do something else in calm-reset"),
        ({"conformed": (replace(passed(), lacking={"poll": "no line"}),)}, "conformance of calm-reset has not passed"),
        ({}, "conformance took no step (--steps 0)"),
        ({"conformed": (passed(),), "drift": drift()}, "nothing ran ConsumerOffsetManager.commitOffset"),
        (
            {"conformed": (passed(),), "causes": (judged_cause(CauseFate.LEFT, POLL, happens_with_fixes=False),)},
            f"{POLL} happens on them, and not in the model",
        ),
    ],
)
def test_verdicts_of_the_model_are_not_told_as_those_of_classes_that_do_something_else(
    other: dict[str, object], why: str
) -> None:
    judged = judgement(fixes=FIX, claims=compared_claims(), **other)
    assert why in judged.why_unproven
    assert (judged.broken, judged.repaired, judged.undecided) == ((), (), judged.claims)
    assert {each.change for each in judged.broken_in_model} == {Change.HOLDS_TO_REFUTED}
    for told in (judge_text(judged, 200), judge_markdown(judged)):
        assert "UNKNOWN what else they break or repair: nobody knows that they do what the model with" in told
        assert "breaks of the model: " in told
        assert not re.search("^(- )?breaks: ", told, re.MULTILINE)


def test_verdicts_of_the_model_are_those_of_classes_that_conform() -> None:
    judged = judgement(fixes=FIX, claims=compared_claims(), conformed=(passed(),), expected=(POLL,))
    assert judged.why_unproven == ""
    assert (len(judged.broken) > 0, judged.exit) == (True, 12)
    assert "\nbreaks: " in judge_text(judged, 200)


def test_lines_below_the_table_are_items_of_a_list() -> None:
    judged = judgement(fixes=FIX, claims=compared_claims(), conformed=(passed(),))
    below = judge_markdown(judged).rpartition("\n\n")[2].splitlines()
    assert [line for line in below if not re.match("(  )?- ", line)] == []
    assert "  - conformance of calm-reset, with poll-checks-dropped: passed" in "\n".join(below)


def test_classes_without_any_difference_are_told_first() -> None:
    left = judgement(causes=CAUSES[1:])
    assert judge_text(left, 200).startswith("Your classes are the release's: no method of RocketMQ 4.9.4 differs")
    assert "Your classes are the release's" not in judge_text(judgement(drift=drift()), 200)


def test_field_that_differs_is_told_of_the_classes_that_ran_and_not_of_the_release() -> None:
    text = " ".join(judge_text(judgement(), 400).split())
    assert re.search(r"consumer\[0\]\.commits: .+ in the model, .+ on your classes", text)


def test_each_cause_has_a_sentence_or_what_is_seen_of_it() -> None:
    row_lost = judged_cause(CauseFate.LEFT)
    text = judge_text(judgement(causes=(CAUSES[0], row_lost)), 400)
    assert "    a long poll that was held all the time ends without news, finds the cleared cache empty" in text
    assert row_lost.sentence.startswith("seen as: ")
    assert row_lost.sentence in text


@pytest.fixture
def fork(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fork's folder with the source of the class that was changed, in which the program runs."""
    source = tmp_path / "client" / "src" / "main" / "java" / "org" / "acme" / "PullCallback.java"
    source.parent.mkdir(parents=True)
    source.touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def changed_at(name: str) -> Drift:
    """A drift of one method, at line 362 of this class."""
    lines = {"changed_beginnings": lambda _: [JavaLine(name, 301)], "changed_lines": lambda _: [JavaLine(name, 362)]}
    own = cast("Any", SimpleNamespace(paths=("x",), others=(), **lines))
    return replace(drift(), own=own, missing=(), beside=(), elsewhere=())


@pytest.mark.usefixtures("fork")
def test_annotations_are_at_the_patchs_own_line_and_errors_are_what_was_to_be_removed() -> None:
    here = "file=client/src/main/java/org/acme/PullCallback.java,line=362,"
    both = judgement(drift=changed_at("org.acme.PullCallback$1"), expected=(POLL, CPU))
    removed, left = judge_github(both).splitlines()
    assert removed.startswith(f"::notice {here}title=offsetproof%3A {POLL}::removed: a long poll")
    assert left.startswith(f"::error {here}title=offsetproof%3A {CPU}::left: one thread serves resets and pull")
    (only,) = judge_github(replace(both, expected=(POLL,))).splitlines()
    assert only == removed


def test_methods_that_another_compiler_has_made_otherwise_come_behind_the_one_that_actions_stand_for() -> None:
    method = AnchoredMethod("AccessChannel", "$values")
    of = {method: JavaLine("org.acme.AccessChannel", 23)}
    own = cast("Any", SimpleNamespace(changed_lines=lambda each: [of.get(each, JavaLine("org.acme.PullCallback", 9))]))
    lines = replace(drift(), own=own, missing=(), beside=(method,), elsewhere=()).lines
    assert [str(line) for line, _ in lines] == ["org.acme.PullCallback:9", "org.acme.AccessChannel:23"]


def test_without_a_source_there_is_no_place_to_stand_at_and_without_a_remark_the_summary_is_told(fork: Path) -> None:
    none = judgement(drift=changed_at("org.acme.Another"), causes=CAUSES[1:], expected=("another",))
    assert judge_github(none).startswith("::notice title=offsetproof judge::stays on RocketMQ 4.9.4")
    assert places_of(none.drift, fork) == []


def test_where_nothing_is_expected_one_error_names_all_that_is_left_and_the_way_out() -> None:
    both = judgement(drift=changed_at("org.acme.Another"))
    assert both.exit is Exit.DIFFERS
    removed, left = judge_github(both).splitlines()
    assert removed.startswith(f"::notice title=offsetproof%3A {POLL}::removed")
    assert left == (
        f"::error title=offsetproof%3A patch::1 of 2 recorded causes left: {CPU}; "
        "`--expect removed=STORY,STORY` names those that the patch is to remove (at org.acme.Another:362)"
    )
    assert "::error" not in judge_github(replace(both, causes=CAUSES[:1]))


@pytest.mark.usefixtures("fork")
def test_sarif_has_a_result_for_each_cause_and_for_what_the_patch_breaks() -> None:
    judged = judgement(
        drift=changed_at("org.acme.PullCallback$1"), fixes=FIX, claims=compared_claims(), conformed=(passed(),),
        causes=(*CAUSES, judged_cause(CauseFate.UNKNOWN, "I5-orphan")), expected=(POLL, "I5-orphan"),
    )  # fmt: skip
    (run,) = json.loads(judge_sarif(judged))["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    found = {each["ruleId"]: (each["kind"], each["level"]) for each in run["results"] if each["ruleId"] != "patch"}
    assert found == {POLL: ("pass", "none"), CPU: ("open", "none"), "I5-orphan": ("fail", "warning")}
    assert {*found, "patch"} == rules
    (place,) = {json.dumps(each["locations"]) for each in run["results"]}
    assert '"startLine": 362' in place
    told = [each["message"]["text"] for each in run["results"] if each["ruleId"] == "patch"]
    assert any("what else it breaks is not known: nothing ran" in text for text in told)
    assert not any("362" in each["message"]["text"] for each in run["results"])


@pytest.mark.usefixtures("fork")
def test_sarif_names_the_method_and_the_line_where_there_is_no_source() -> None:
    (run,) = json.loads(judge_sarif(judgement(drift=changed_at("org.acme.Another$1"))))["runs"]
    named = {"name": "commitOffset", "fullyQualifiedName": "org.acme.Another$1.commitOffset", "kind": "function"}
    for each in run["results"]:
        assert each["message"]["text"].endswith(" (at org.acme.Another$1:362)")
        assert each["locations"] == [{"logicalLocations": [named], "message": {"text": "org.acme.Another$1:362"}}]

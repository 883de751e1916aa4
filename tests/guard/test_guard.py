"""Guarding: each kind of change is told for what it is, questions with equal digests are skipped, gaps are found."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from systems.schemas import read_valid
from systems.tank import BURSTS, CLOSES, DRAINS, GUSHES, LEAKS, TANK, tank

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.guard.baseline import (
    TURNS,
    Baseline,
    Finding,
    Key,
    RecheckPolicy,
    baseline_file,
    read_baseline,
    write_baseline,
)
from offsetproof.guard.comparison import Guard
from offsetproof.guard.deciding import comparisons_of, findings_without_question
from offsetproof.guard.formats import guard_github, guard_junit, guard_markdown, guard_sarif
from offsetproof.guard.report import guard_json, guard_text, summary
from offsetproof.lang import Subject
from offsetproof.reading.files import UnreadableFileError
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict


def guard_of(
    subject: Subject,
    findings: dict[Key, Finding] | None = None,
    *releases: str,
    everything: bool = False,
    turn: int | None = None,
    states: int | None = None,
) -> Guard:
    """What guarding finds."""
    asked = questions_of(Request(subject, releases=releases, limits=Limits(states=states)))
    known = findings or {}
    again = RecheckPolicy(everything, turn)
    found = comparisons_of(subject, explicit_alone(), asked, known, again, 1, lambda _question, _told, _done: None)
    gone = () if releases else findings_without_question(asked, known)
    return Guard(subject, (*found, *gone), whole=not releases)


def cells_of(subject: Subject) -> dict[Key, Finding]:
    """The baseline of a subject as it is."""
    return {finding.key: finding for finding in guard_of(subject).findings_to_accept(None, against_expected=True)}


def changes(guard: Guard) -> dict[str, str]:
    """The change of each claim."""
    return {each.asked.claim: str(each.change) for each in guard.compared}


def after(folder: Path, before: str, now: str, **options: bool) -> Guard:
    """What guarding finds in one text with the baseline of another."""
    known = cells_of(tank(folder, before, "before"))
    return guard_of(tank(folder, now, "now"), known, **options)


def test_baseline_has_the_counts_that_were_worked_out_by_hand(tmp_path: Path) -> None:
    t1, w1 = guard_of(tank(tmp_path)).findings_to_accept(None, against_expected=False)
    assert (t1.asked.claim, t1.verdict, t1.states, t1.transitions, t1.depth) == ("T1", "HOLDS", 7, 11, 4)
    assert (t1.faults, t1.steps, t1.cause, t1.idle) == (None, None, (), ())
    assert (t1.judged, t1.vacuous, t1.accepted) == (7, "", False)
    assert (w1.asked.claim, w1.verdict, w1.states, w1.transitions, w1.depth) == ("W1", "HOLDS", 5, 9, 4)
    assert (w1.faults, w1.steps, w1.cause) == (0, 4, ("valve_opens", "tank_fills"))


@pytest.mark.parametrize(
    ("before", "now", "expected", "code"),
    [
        (TANK, TANK, {"T1": "none", "W1": "none"}, Exit.AS_EXPECTED),
        (TANK, LEAKS, {"T1": "holds-to-refuted", "W1": "none"}, Exit.VIOLATION),
        (LEAKS, TANK, {"T1": "refuted-to-holds", "W1": "none"}, Exit.DIFFERS),
        (LEAKS, LEAKS + GUSHES, {"T1": "other-cause", "W1": "other-cause"}, Exit.DIFFERS),
        (TANK, TANK.replace(DRAINS, DRAINS.replace("> 0", "> 1")), {"T1": "counts-moved", "W1": "counts-moved"}, 20),
        (TANK, TANK.replace('"T1"', '"T2"'), {"T2": "new", "W1": "none", "T1": "gone"}, Exit.DIFFERS),
        (TANK, TANK.replace("tank_fills", "tank_is_filled"), {"T1": "none", "W1": "other-cause"}, Exit.DIFFERS),
    ],
    ids=["same", "leak", "leak-closed", "gush", "drain", "claim-renamed", "action-renamed"],
)
def test_each_change_has_its_name_and_its_code(
    tmp_path: Path, before: str, now: str, expected: dict[str, str], code: int
) -> None:
    found = after(tmp_path, before, now)
    assert changes(found) == expected
    assert found.exit == code
    read_valid("guard", guard_json(found))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (('"small"', '"tiny"'), ["T1 new", "W1 new", "T1 gone", "W1 gone"]),
        (("@sometimes", "@always"), ["T1 none", "W1 new", "W1 gone"]),
        (('{"top": 3}', '{"top": 2}'), ["T1 counts-moved", "W1 other-cause"]),
    ],
)
def test_cell_is_named_by_claim_kind_and_scope(tmp_path: Path, change: tuple[str, str], expected: list[str]) -> None:
    found = after(tmp_path, TANK, TANK.replace(*change))
    assert [f"{each.asked.claim} {each.change}" for each in found.compared] == expected


def test_witness_that_is_lost_is_code_13_and_a_gap_whatever_the_baseline_says(tmp_path: Path) -> None:
    dry = TANK.replace("self.level < self.scope.top)", "self.level < self.scope.top - 1)")
    found = after(tmp_path, TANK, dry)
    assert changes(found)["W1"] == "holds-to-refuted"
    assert found.exit is Exit.LIVENESS
    same = after(tmp_path, dry, dry)
    assert changes(same) == {"T1": "none", "W1": "none"}
    assert [each.asked.claim for each in same.unreached] == ["W1"]
    assert same.exit is same.exit_when_accepted(against_expected=True) is Exit.LIVENESS
    expected = dry.replace('id="W1"', 'id="W1", expected=REFUTED')
    assert after(tmp_path, expected, expected).exit is Exit.AS_EXPECTED


def test_limit_makes_a_cell_unknown_and_the_baseline_keeps_what_it_had(tmp_path: Path) -> None:
    known = cells_of(tank(tmp_path))
    found = guard_of(tank(tmp_path), known, everything=True, states=1)
    assert changes(found) == {"T1": "unknown", "W1": "unknown"}
    read_valid("guard", guard_json(found))
    assert found.exit is found.exit_when_accepted(against_expected=True) is Exit.UNKNOWN
    assert {
        finding.key: finding for finding in found.findings_to_accept(Baseline("Tank", known), against_expected=True)
    } == known
    assert found.findings_to_accept(None, against_expected=True) == []


def test_violation_that_may_need_fewer_faults_is_not_compared_nor_accepted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    holding, refuted = cells_of(tank(tmp_path)), cells_of(tank(tmp_path, LEAKS, "leaks"))
    decide = Explicit.decide

    def leave_open(self: Explicit, question: Question) -> Result:
        result = decide(self, question)
        return replace(result, fewer_faults_open=Reason.STATES) if result.verdict is Verdict.REFUTED else result

    monkeypatch.setattr(Explicit, "decide", leave_open)
    same = guard_of(tank(tmp_path, LEAKS, "leaks"), refuted, everything=True)
    assert changes(same) == {"T1": "unknown", "W1": "none"}
    assert same.exit is same.exit_when_accepted(against_expected=True) is Exit.UNKNOWN
    assert "whether fewer faults suffice was not established: state limit" in guard_text(same, 200)
    assert {
        cell.key: cell for cell in same.findings_to_accept(Baseline("Tank", refuted), against_expected=True)
    } == refuted
    new = guard_of(tank(tmp_path, LEAKS, "leaks"))
    assert changes(new) == {"T1": "new", "W1": "new"}
    assert new.exit is Exit.VIOLATION
    assert [cell.asked.claim for cell in new.findings_to_accept(None, against_expected=True)] == ["W1"]
    worse = guard_of(tank(tmp_path, LEAKS, "leaks"), holding)
    assert changes(worse)["T1"] == "holds-to-refuted"
    assert worse.exit is Exit.VIOLATION
    assert worse.exit_when_accepted(against_expected=True) is Exit.UNKNOWN
    accepted = worse.findings_to_accept(Baseline("Tank", holding), against_expected=True)
    assert {cell.asked.claim: str(cell.verdict) for cell in accepted} == {"T1": "HOLDS", "W1": "HOLDS"}


def test_model_error_is_unknown_and_code_75(tmp_path: Path) -> None:
    found = after(tmp_path, TANK, TANK.replace(DRAINS, "require(not self.open)"))
    assert changes(found) == {"T1": "unknown", "W1": "none"}
    assert found.exit is Exit.MODEL_ERROR


def test_cells_with_equal_digests_are_skipped_unless_all_are_wanted(tmp_path: Path) -> None:
    reworded = TANK.replace("A tank with a valve.", "The same, in other words.")
    skipped = after(tmp_path, TANK, reworded)
    assert (skipped.decided, skipped.skipped) == (0, 2)
    all_decided = after(tmp_path, TANK, reworded, everything=True)
    assert (all_decided.decided, all_decided.skipped) == (2, 0)
    assert changes(skipped) == changes(all_decided) == {"T1": "none", "W1": "none"}
    one = after(tmp_path, TANK, TANK.replace("return self.open or", "return"))
    assert [each.asked.claim for each in one.compared if each.answer is not None] == ["T1"]


def test_stale_baseline_shows_when_all_are_decided_and_in_one_of_ten_turns(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    known = {
        key: replace(finding, states=finding.states + (finding.asked.claim == "T1"))
        for key, finding in cells_of(subject).items()
    }
    assert changes(guard_of(subject, known)) == {"T1": "none", "W1": "none"}
    assert changes(guard_of(subject, known, everything=True)) == {"T1": "counts-moved", "W1": "none"}
    turns = [guard_of(subject, known, turn=turn) for turn in range(TURNS)]
    assert sum(found.decided for found in turns) == len(known)
    assert [changes(found)["T1"] for found in turns].count("counts-moved") == 1


def test_cell_that_was_edited_is_not_believed(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    path = tmp_path / "edited.json"
    path.write_text(write_baseline(subject, cells_of(subject).values()).replace('"states": 7', '"states": 8'))
    with pytest.raises(UnreadableFileError, match=r"cells\[0\]: is not what was written"):
        read_baseline(path, subject)


def test_verdict_that_is_not_expected_is_red_until_somebody_accepts_it(tmp_path: Path) -> None:
    subject = tank(tmp_path, LEAKS.replace('id="T1"', 'id="T1", expected=HOLDS'), "leaks")
    found = guard_of(subject)
    assert [each.asked.claim for each in found.unexpected] == ["T1"]
    assert found.exit is found.exit_when_accepted(against_expected=False) is Exit.VIOLATION
    assert [finding.asked.claim for finding in found.findings_to_accept(None, against_expected=False)] == ["W1"]
    findings = found.findings_to_accept(None, against_expected=True)
    assert [(finding.asked.claim, finding.accepted) for finding in findings] == [("T1", True), ("W1", False)]
    again = guard_of(subject, {finding.key: finding for finding in findings}, everything=True)
    assert (again.unexpected, again.exit) == ((), Exit.AS_EXPECTED)
    unaccepted = {finding.key: replace(finding, accepted=False) for finding in findings}
    assert guard_of(subject, unaccepted).exit is Exit.VIOLATION


def test_claim_that_holds_although_it_should_not_differs(tmp_path: Path) -> None:
    subject = tank(tmp_path, TANK.replace('id="T1"', 'id="T1", expected=REFUTED'), "sound")
    found = guard_of(subject)
    assert [each.asked.claim for each in found.unexpected] == ["T1"]
    assert found.exit is Exit.DIFFERS


@pytest.mark.parametrize("skip", [False, True])
def test_claim_that_holds_because_nothing_happens_is_a_gap(tmp_path: Path, skip: bool) -> None:
    text = TANK.replace(
        "return self.open or self.level < self.scope.top", "return implies(self.level > self.scope.top, self.open)"
    )
    subject = tank(tmp_path, text, "vacuous")
    found = guard_of(subject, cells_of(subject) if skip else None)
    assert [each.asked.claim for each in found.vacuous] == ["T1"]
    assert found.exit is found.exit_when_accepted(against_expected=True) is Exit.LIVENESS


def test_claim_about_steps_that_was_proved_while_staged_and_says_nothing_any_more_is_a_gap(tmp_path: Path) -> None:
    speaks = """
    @each_step(id="T2")
    def opening_opens(before, after, step):
        \"\"\"The valve is open after it was opened.\"\"\"
        return implies(step.action == "valve_opens", after.open)
"""
    before = TANK + speaks
    now = before.replace('implies(step.action == "valve_opens", after.open)', "True")
    (was,) = [finding for finding in cells_of(tank(tmp_path, before, "before")).values() if finding.asked.claim == "T2"]
    assert (was.judged, was.vacuous) == (0, "")
    found = after(tmp_path, before, now)
    (each,) = [each for each in found.compared if each.asked.claim == "T2"]
    assert (each.found.digest, each.found.vacuous) == (was.digest, "no step that it speaks of is ever taken")
    assert found.exit is Exit.LIVENESS
    same = after(tmp_path, before, before)
    assert [each.asked.claim for each in same.compared if each.answer is not None] == []


COUNTERS = """
from offsetproof.lang import Model, action, each_step, implies, integer, negation, require, some

class Counters(Model):
    a: int = integer(0, 3)
    b: int = integer(0, 3)

    @action()
    def first_counts(self):
        require(self.a < 3)
        self.a = self.a + 1

    @action()
    def second_counts_to_one(self):
        require(self.b < 1)
        self.b = self.b + 1

    @each_step(id="T2")
    def never_two_after_three(before, after, step):
        return some([negation(before.b == 3), after.a != 2])
"""


def test_claim_about_steps_that_are_as_before_but_are_spoken_of_no_longer_is_decided_again(tmp_path: Path) -> None:
    now = COUNTERS.replace("some([negation(before.b == 3), after.a != 2])", "implies(before.b == 3, after.a != 2)")
    found = after(tmp_path, COUNTERS, now)
    (each,) = found.compared
    assert each.answer is not None
    assert found.exit is Exit.LIVENESS


def test_claim_about_steps_that_are_never_taken_is_known_by_its_digest(tmp_path: Path) -> None:
    never = """
    @each_step(id="T2")
    def open_tank_bursts(before, after, step):
        return implies(step.action == "tank_bursts", before.open)
"""
    before = TANK + BURSTS + never
    known = cells_of(tank(tmp_path, before, "before"))
    vacuous = {finding.asked.claim: finding.vacuous for finding in known.values()}
    assert vacuous["T2"] == "no step that it speaks of is ever taken"
    same = guard_of(tank(tmp_path, before, "now"), known)
    assert [each.asked.claim for each in same.compared if each.answer is not None] == []


def test_action_that_nothing_can_lead_to_is_a_gap(tmp_path: Path) -> None:
    subject = tank(tmp_path, TANK + BURSTS.replace("require(", "require(self.scope.top > 5, "), "folded")
    found = guard_of(subject, cells_of(subject))
    assert found.never_possible == ("tank_bursts",)
    assert summary(found).endswith("nothing changed; 1 gap in the whole matrix, at the end")
    gap = "gap: can never be taken, in any scope that was asked: tank_bursts"
    assert gap in guard_text(found, 200).splitlines()
    assert gap in guard_markdown(found).splitlines()
    assert guard_github(found) == f"::error title=offsetproof guard::{gap}\n"
    assert found.exit_when_accepted(against_expected=True) is Exit.LIVENESS


@pytest.mark.parametrize("skip", [False, True])
def test_action_that_never_fires_is_a_gap_also_where_no_cell_is_decided_again(tmp_path: Path, skip: bool) -> None:
    subject = tank(tmp_path, TANK + BURSTS)
    found = guard_of(subject, cells_of(subject) if skip else None)
    assert found.skipped == (2 if skip else 0)
    assert found.never_fired == ("tank_bursts",)
    assert found.exit_when_accepted(against_expected=True) is Exit.LIVENESS


def test_action_is_no_gap_where_it_cannot_be_taken_is_in_no_slice_or_all_searches_ended_early(tmp_path: Path) -> None:
    folded = TANK + BURSTS.replace("require(", "require(self.scope.top > 5, ")
    assert guard_of(tank(tmp_path, folded, "folded")).never_fired == ()
    elsewhere = TANK.replace("    open: bool", "    other: bool = flag()\n    open: bool") + BURSTS.replace(
        "self.level = 0", "self.other = True"
    )
    assert guard_of(tank(tmp_path, elsewhere, "elsewhere")).never_fired == ()
    early = guard_of(tank(tmp_path, LEAKS + BURSTS, "early"))
    assert early.never_fired == ()
    assert all("tank_bursts" in each.found.idle for each in early.compared)


def test_run_that_was_ended_early_says_so_in_every_form(tmp_path: Path) -> None:
    subject = tank(tmp_path, TANK, "now")
    whole = guard_of(subject, cells_of(subject))
    early = replace(whole, compared=(), missing=2)
    line = "ended before 2 of 2 questions were asked"
    for write in (guard_junit, guard_sarif, guard_github, guard_markdown):
        assert line in write(early)
        assert "ended before" not in write(whole)
    assert guard_github(early).startswith("::error")
    assert [json.loads(guard_json(each))["missing"] for each in (early, whole)] == [2, 0]


def test_story_is_told_of_a_claim_that_held_and_of_no_other(tmp_path: Path) -> None:
    text = guard_text(after(tmp_path, TANK, LEAKS), 80)
    assert "full_tank_is_open (T1) in small: holds-to-refuted\n  was HOLDS: 7 states, 11 transitions, depth 4\n" in text
    assert "  is REFUTED: 5 steps, no fault, after 7 states" in text
    assert "the cause is valve_opens, tank_fills, valve_closes\n" in text
    assert "full_tank_is_open (T1, always) fails after 5 steps" in text
    assert max(map(len, text.splitlines())) <= 80
    assert "fails after" not in guard_text(after(tmp_path, LEAKS, LEAKS + GUSHES), 80)


def test_json_has_the_shape_of_the_contract(tmp_path: Path) -> None:
    found = read_valid("guard", guard_json(after(tmp_path, TANK, LEAKS)))
    assert (found["schema"], found["subject"], found["decided"], found["skipped"]) == (1, "Tank", 2, 0)
    t1, w1 = found["cells"]
    assert (t1["property"], t1["release"], t1["change"], t1["decided"]) == ("T1", None, "holds-to-refuted", True)
    assert (t1["before"]["verdict"], t1["now"]["verdict"], t1["trace"]["length"]) == ("HOLDS", "REFUTED", 5)
    assert (w1["change"], w1["trace"]) == ("none", None)
    assert (found["never_fired"], found["unreached"]) == ([], [])


def test_written_baseline_is_read_back_and_does_not_depend_on_the_order_of_cells(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    findings = cells_of(subject)
    text = write_baseline(subject, findings.values())
    assert text == write_baseline(subject, reversed(findings.values()))
    path = tmp_path / "tank.baseline.json"
    path.write_text(text)
    assert read_baseline(path, subject) == Baseline("Tank", findings)


def test_changed_verdict_is_one_changed_line_and_a_changed_digest_another(tmp_path: Path) -> None:
    old = write_baseline(tank(tmp_path), cells_of(tank(tmp_path)).values()).splitlines()
    new = write_baseline(tank(tmp_path), cells_of(tank(tmp_path, LEAKS)).values()).splitlines()
    assert len(old) == len(new)
    differing = [i for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
    assert sum('"verdict"' in old[i] for i in differing) == 1
    assert sum('"digest"' in old[i] for i in differing) == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("{", "{{"), "line 1, column 2: is not JSON"),
        (('"schema": 2', '"schema": 3'), "schema: is 3, which this version does not read"),
        (('"states": 7', '"states": "7"'), "cells[0].states: Expected `int`, got `str`"),
        (('"verdict": "HOLDS"', '"verdict": "UNKNOWN"'), "cells[0].verdict: Invalid enum value 'UNKNOWN'"),
        (('"kind": "always"', '"kind": "never"'), "cells[0].kind: Invalid enum value 'never'"),
        (('"cause"', '"causes"'), "cells[0]: Object contains unknown field `causes`"),
        (('"cause": []', '"cause": ["tank_fills"]'), "cells[0]: is not what was written"),
    ],
)
def test_unreadable_baseline_is_refused_with_file_place_and_way_out(
    tmp_path: Path, wrong: tuple[str, str], told: str
) -> None:
    subject = tank(tmp_path)
    path = tmp_path / "spoiled.json"
    path.write_text(write_baseline(subject, cells_of(subject).values()).replace(*wrong, 1))
    with pytest.raises(UnreadableFileError) as refused:
        read_baseline(path, subject)
    text = str(refused.value)
    assert text.startswith(f"{path}: {told}")
    assert text.count("write it again with `offsetproof guard --update`") == 1


def test_second_cell_of_the_same_name_is_refused(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    path = tmp_path / "twice.json"
    t1, w1 = cells_of(subject).values()
    path.write_text(write_baseline(subject, [t1, w1, replace(t1, states=9)]))
    with pytest.raises(UnreadableFileError, match=r"cells\[1\]: is a second finding"):
        read_baseline(path, subject)


def test_missing_and_foreign_baselines_say_what_to_do(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    told = r"there is none yet; write it with `offsetproof guard --update`$"
    with pytest.raises(UnreadableFileError, match=told):
        read_baseline(tmp_path / "none.json", subject)
    path = tmp_path / "other.json"
    path.write_text(write_baseline(subject, []).replace('"Tank"', '"Barrel"'))
    told = r"is of 'Barrel', not of 'Tank'; name another file with --baseline$"
    with pytest.raises(UnreadableFileError, match=told):
        read_baseline(path, subject)


def test_baseline_is_beside_the_claims_or_beside_the_model(tmp_path: Path) -> None:
    assert baseline_file("tank.py", tank(tmp_path)) == tmp_path / "tank.baseline.json"
    file = baseline_file("rocketmq", load_subject())
    assert file.resolve() == Path(__file__).parents[2] / "properties" / "baseline.json"


TWO_RELEASES = TANK.replace(
    "class Tank(Model):",
    """STICKS = Behaviour("sticks", role="valve", about="the valve does not close before the tank is half full")
HUMS = Behaviour("hums", role="valve", about="it makes a noise, which no step is about")
OLD = Release("1")
NEW = Release("2", frozenset({HUMS}), based_on=OLD)
NEWER = Release("3", frozenset({STICKS}), based_on=NEW)


class Tank(Model):""",
).replace("    level: int", '    releases = (OLD, NEW, NEWER)\n    roles = ("valve",)\n    level: int')
LATER = TWO_RELEASES.replace(CLOSES, f"{CLOSES}\n        require(self.level > 1 or not self.setting.behaves(STICKS))")


def same_and_compared(subject: Subject) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
    """The releases and claims that ask the system of an earlier release, and those that are compared."""
    found = guard_of(subject).compared
    names = {True: set(), False: set()}  # type: dict[bool, set[tuple[str, str]]]
    for each in found:
        names[bool(each.same_as)].add((each.asked.release or "", each.asked.claim))
    assert {each.same_as for each in found} <= {"", "1"}
    return names[True], names[False]


def test_release_that_gives_the_system_of_an_earlier_one_is_not_compared_again(tmp_path: Path) -> None:
    same, compared = same_and_compared(tank(tmp_path, TWO_RELEASES))
    assert (same, compared) == ({(r, c) for r in "23" for c in ("T1", "W1")}, {("1", "T1"), ("1", "W1")})


def test_release_whose_behaviour_changes_the_system_is_compared(tmp_path: Path) -> None:
    same, compared = same_and_compared(tank(tmp_path, LATER))
    assert (same, compared) == ({("2", "T1"), ("2", "W1")}, {(r, c) for r in "13" for c in ("T1", "W1")})


def test_release_that_is_asked_alone_is_compared_with_what_is_known_of_the_earlier_one(tmp_path: Path) -> None:
    subject = tank(tmp_path, TWO_RELEASES)
    known = cells_of(subject)
    assert {asked.release for asked, _ in known} == {"1"}
    alone = guard_of(subject, known, "3")
    assert {each.asked.release for each in alone.compared if each.before is not None} == {"1"}
    assert (alone.exit, changes(alone)) == (Exit.AS_EXPECTED, {"T1": "none", "W1": "none"})
    assert changes(guard_of(subject, {}, "3")) == {"T1": "new", "W1": "new"}


def test_release_of_which_another_verdict_is_expected_is_compared_although_its_system_is_the_same(
    tmp_path: Path,
) -> None:
    wrong = TWO_RELEASES.replace('@always(id="T1")', '@always(case("T1", HOLDS.unless(HUMS), "small"))')
    found = guard_of(tank(tmp_path, wrong))
    assert {each.asked.release: each.same_as for each in found.compared if each.asked.claim == "T1"} == {
        "1": "", "2": "", "3": "2"
    }  # fmt: skip
    assert {each.asked.release for each in found.unexpected} == {"2"}
    assert found.exit == Exit.DIFFERS


def test_what_the_baseline_has_of_a_release_is_compared_although_an_earlier_one_gives_the_same_system(
    tmp_path: Path,
) -> None:
    known = cells_of(tank(tmp_path, LATER, "before"))
    assert {asked.release for asked, _ in known} == {"1", "3"}
    now = guard_of(tank(tmp_path, TWO_RELEASES, "now"), known)
    changed = {(each.asked.release, each.asked.claim): str(each.change) for each in now.compared if each.before}
    assert changed == {
        ("1", "T1"): "none",
        ("1", "W1"): "none",
        ("3", "T1"): "counts-moved",
        ("3", "W1"): "counts-moved",
    }
    assert now.exit == Exit.DIFFERS
    kept = now.findings_to_accept(Baseline("tank", known), against_expected=False)
    assert {finding.asked.release for finding in kept} == {"1"}

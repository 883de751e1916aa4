"""Mutants: which are made, that they are what a changed source text would be, and who notices them, by hand."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from enum import Enum
from pathlib import Path

import pytest
from systems.schemas import read_valid
from systems.tank import CLOSES, DRAINS, LEAKS, TANK, tank

from offsetproof.checking.mutants_apart import judge_apart
from offsetproof.checking.mutating import Mutated, judge_mutants, made_for
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.ir.node import evaluate
from offsetproof.lang import (
    Model,
    Scope,
    Step,
    Subject,
    action,
    always,
    bound,
    each_step,
    every,
    flag,
    integer,
    one_of,
    optional,
    require,
)
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.mutation.judging import Judged, Notice, Outcome, judge
from offsetproof.mutation.matrix import Matrix, Mutation
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.refuting import refuting_mutant
from offsetproof.mutation.workshop import Mutant
from offsetproof.reports.mutation import mutation_json, mutation_text
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

JUDGED = {
    "valve_opens: guard 1 dropped: not open": (Outcome.COUNTS, ""),
    "valve_opens: update of open dropped": (Outcome.WITNESS, "is not reached at all"),
    "valve_closes: guard 1 dropped: open": (Outcome.COUNTS, ""),
    "valve_closes: guard 2 dropped: level != 3": (Outcome.CLAIM, "violated after 5 steps"),
    "valve_closes: update of open dropped": (Outcome.IDLE, "never taken: tank_drains"),
    "valve_closes: reads open as false": (Outcome.IDLE, "never taken: tank_drains"),
    "tank_fills: guard 1 dropped: open": (Outcome.WITNESS, "reached after 3 steps, not 4"),
    "tank_fills: guard 2 dropped: level != 3": (Outcome.ERROR, "goes wrong after 4 steps"),
    "tank_fills: update of level dropped": (Outcome.WITNESS, "is not reached at all"),
    "tank_fills: update of level off by one, one more": (Outcome.ERROR, "goes wrong after 2 steps"),
    "tank_fills: reads open as false": (Outcome.WITNESS, "is not reached at all"),
    "tank_drains: guard 1 dropped: not open": (Outcome.COUNTS, ""),
    "tank_drains: guard 2 dropped: level != 0": (Outcome.ERROR, "goes wrong after 0 steps"),
    "tank_drains: update of level dropped": (Outcome.SURVIVED, ""),
    "tank_drains: update of level off by one, one less": (Outcome.ERROR, "goes wrong after 3 steps"),
}
"""Every mutant of the tank with what becomes of it. Draining by nothing leaves the states, and even the counts."""


def matrix_of(subject: Subject, *properties: str, states: int | None = None) -> Matrix:
    """The matrix of a subject."""
    return made_for(Request(subject, properties, limits=Limits(states=states)))


def notices(subject: Subject, *properties: str, states: int | None = None) -> dict[str, Notice]:
    """What becomes of each mutant."""
    made = matrix_of(subject, *properties, states=states)
    return {str(each.mutation): each.notice for each in judge_mutants(made, made.mutations)}


def notices_apart(made: Matrix, workers: int) -> tuple[dict[str, Notice], list[int]]:
    """What becomes of each mutant, and which were told of, where several processes judge them."""
    numbers: list[int] = []
    judged = dict(judge_apart(made, made.mutations, workers, lambda number, _: numbers.append(number)))
    assert sorted(judged) == [*range(len(made.mutations))]
    return {str(each.mutation): each.notice for _, each in sorted(judged.items())}, numbers


def test_several_processes_say_of_each_mutant_what_one_says(tmp_path: Path) -> None:
    made = matrix_of(tank(tmp_path))
    alone, numbers = notices_apart(made, 1)
    assert numbers[0] == 0
    assert {name: notice.outcome for name, notice in alone.items()} == {
        name: what for name, (what, _) in JUDGED.items()
    }
    apart, numbers = notices_apart(made, 2)
    assert apart == alone
    assert {*numbers} == {*range(len(made.mutations))}


def test_what_a_worker_dies_of_or_lacks_memory_for_is_judged_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = matrix_of(tank(tmp_path))
    alone = {str(each.mutation): each.notice for each in judge_mutants(made, made.mutations)}

    def odd(mutation: Mutation, matrix: Matrix) -> Judged:
        judged = judge(mutation, matrix)
        if judged.notice.outcome is Outcome.IDLE:
            os.kill(os.getpid(), signal.SIGKILL)
        if judged.notice.outcome is Outcome.CLAIM:
            return replace(judged, notice=Notice(Outcome.UNDECIDED, lacks_memory=True))
        return judged

    monkeypatch.setattr("offsetproof.checking.mutants_apart.judge", odd)
    apart, numbers = notices_apart(made, 2)
    assert apart == alone
    again = [number for number in numbers if numbers.count(number) > 1]
    assert {*again} >= {number for number, each in enumerate(alone.values()) if each.outcome is Outcome.CLAIM}


def question_of(subject: Subject, id: str) -> Question:
    """The question about one claim."""
    return questions_of(Request(subject, (id,)))[0]


def named(subject: Subject, name: str) -> Mutation:
    """The mutation of this name."""
    return next(each for each in matrix_of(subject).mutations if str(each) == name)


def test_each_mutant_of_the_tank_is_made_once_and_comes_to_what_was_worked_out_by_hand(tmp_path: Path) -> None:
    found = notices(tank(tmp_path))
    assert list(found) == list(JUDGED)
    assert {name: notice.outcome for name, notice in found.items()} == {name: o for name, (o, _) in JUDGED.items()}
    for name, (outcome, told) in JUDGED.items():
        assert outcome is Outcome.COUNTS or found[name].detail == told, name
    assert found["valve_closes: guard 2 dropped: level != 3"] == Notice(
        Outcome.CLAIM, "violated after 5 steps", "T1", "small"
    )
    assert found["valve_opens: guard 1 dropped: not open"].detail == (
        "stories in small: 5 states and 12 transitions, not 5 states and 9 transitions"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("valve_opens: guard 1 dropped: not open", TANK.replace("        require(not self.open)\n", "")),
        ("valve_closes: guard 1 dropped: open", TANK.replace(CLOSES, "require(self.level != self.scope.top)")),
        ("valve_closes: guard 2 dropped: level != 3", LEAKS),
        ("valve_closes: update of open dropped", TANK.replace("self.open = False", "pass")),
        ("valve_closes: reads open as false", TANK.replace(CLOSES, "require(False)")),
        ("tank_fills: guard 1 dropped: open", TANK.replace("require(self.open, self.level <", "require(self.level <")),
        ("tank_fills: update of level dropped", TANK.replace("self.level = self.level + 1", "pass")),
        ("tank_drains: guard 1 dropped: not open", TANK.replace(DRAINS, "require(self.level > 0)")),
        ("tank_drains: guard 2 dropped: level != 0", TANK.replace(DRAINS, "require(not self.open)")),
        ("tank_drains: update of level off by one, one less", TANK.replace("self.level - 1", "self.level - 2")),
    ],
)
def test_mutant_is_what_its_source_would_be(tmp_path: Path, name: str, text: str) -> None:
    subject = tank(tmp_path)
    changed = named(subject, name).changed
    run = next(run for run in matrix_of(subject).runs if run.to_end)
    source = Explicit().decide(question_of(tank(tmp_path, text, "changed"), "T1"))
    steps, last = None, None
    for last in run.explore(run.mutant_of(changed[run.setting.key])):
        if last.failed or last.alarms[0]:
            steps = last.depth
            break
    assert last is not None
    if source.verdict is Verdict.UNKNOWN:
        assert last.failed
        return
    counts = source.counts
    assert (last.states, last.transitions) == (counts.states, counts.transitions)
    assert steps == (None if source.replay is None else len(source.replay.labels))


class Stage(Enum):
    """What a relay has done last."""

    IDLE = 1
    READ = 2
    SENT = 3


class Relay(Model):
    """Reads a value and sends it, step by step; what it has sent may get lost."""

    scopes = (Scope("one", {"top": 2}, {"loss": 1}),)
    at: Stage = one_of(Stage)
    value: int = integer(0, "top")
    held: int | None = optional(integer(0, "top"))
    sent: int = integer(0, "top")
    lamp: bool = flag()
    bell: bool = flag()

    @action()
    def value_rises(self) -> None:
        bound(self.value < self.scope.top)
        self.value = self.value + 1

    @action()
    def relay_reads(self) -> None:
        require(self.at == Stage.IDLE, every([self.value >= 0, self.value != self.sent]))
        self.held = self.value
        self.at = Stage.READ

    @action()
    def relay_sends(self) -> None:
        require(self.at == Stage.READ)
        held = self.held
        if held is not None:
            self.sent = held
        self.at = Stage.SENT

    @action()
    def relay_forgets(self) -> None:
        require(self.at == Stage.SENT)
        self.held = None
        self.at = Stage.IDLE

    @action(fault="loss")
    def network_loses(self) -> None:
        require(self.at == Stage.SENT)
        self.sent = 0
        self.at = Stage.IDLE

    @action()
    def lamp_blinks(self) -> None:
        self.lamp = not self.lamp

    @action()
    def bell_rings(self) -> None:
        self.bell = not self.bell

    @each_step(id="R1")
    def only_sending_raises_what_is_sent(before: Relay, after: Relay, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805 - a claim is no method
        return step.action == "relay_sends" or after.sent <= before.sent

    @always(id="R2")
    def sent_is_no_more_than_the_value(self) -> bool:
        return self.sent <= self.value


RELAY = Subject("relay", Relay, Relay.claims)


def relay_mutants(action: str) -> list[Mutant]:
    """The mutants of one of the relay's actions."""
    staged = Staged(Relay, question_of(RELAY, "R1").setting)
    return [each for each in mutants(staged) if each.action == action]


def test_bounds_and_fault_budgets_are_no_parts_of_a_guard() -> None:
    assert [each.text for each in relay_mutants("value_rises") if each.text.startswith("guard")] == []
    lost = [each.text for each in relay_mutants("network_loses")]
    assert [text for text in lost if text.startswith("guard")] == ["guard 1 dropped: at == SENT"]
    assert not [text for text in lost if "faults" in text]


def test_off_by_one_leaves_an_absent_value_absent_and_does_not_touch_enums() -> None:
    assert not [each.text for each in relay_mutants("relay_forgets") if "off by one" in each.text]
    read = {each.text for each in relay_mutants("relay_reads") if "off by one" in each.text}
    assert read == {"update of held off by one, one more", "update of held off by one, one less"}


def test_steps_that_follow_each_other_on_a_counter_are_swapped_and_no_others() -> None:
    found = [str(each) for name in Relay.actions for each in relay_mutants(name) if "swapped" in each.text]
    assert found == [
        "relay_reads: swapped with relay_sends, the step after it",
        "relay_sends: swapped with relay_forgets, the step after it",
        "relay_sends: swapped with network_loses, the step after it",
        "relay_forgets: swapped with relay_reads, the step after it",
        "network_loses: swapped with relay_reads, the step after it",
    ]


def test_swapped_steps_keep_their_guards_and_counters_and_write_what_the_other_would() -> None:
    staged = Staged(Relay, question_of(RELAY, "R1").setting)
    swap = next(each for each in mutants(staged) if str(each).startswith("relay_reads: swapped"))
    reads, sends = sorted(swap.changed)
    for at, other in ((reads, sends), (sends, reads)):
        was, now = staged.instances[at], swap.changed[at]
        assert now.enabled is was.enabled
        assert now.updates["at"] is was.updates["at"]
        lent = {name: node for name, node in staged.instances[other].updates.items() if name != "at"}
        assert {name: node for name, node in now.updates.items() if name != "at"} == lent


def test_step_claims_are_judged_on_what_the_mutant_does() -> None:
    found = notices(RELAY, "R1")
    assert found["relay_reads: swapped with relay_sends, the step after it"].outcome is Outcome.CLAIM
    assert found["relay_reads: swapped with relay_sends, the step after it"].claim == "R1"
    assert found["relay_reads: update of held off by one, one less"].outcome is not Outcome.CLAIM


def test_claim_on_states_notices_a_value_that_is_one_too_high() -> None:
    found = notices(RELAY, "R2")["relay_reads: update of held off by one, one more"]
    assert (found.outcome, found.claim, found.detail) == (Outcome.CLAIM, "R2", "violated after 3 steps")


def test_what_no_claim_can_depend_on_is_told_apart_from_what_survived() -> None:
    assert notices(RELAY, "R2")["lamp_blinks: update of lamp dropped"] == Notice(Outcome.UNSEEN)


def test_mutant_that_does_what_the_model_does_is_shown_to_and_does_not_count(tmp_path: Path) -> None:
    again = TANK.replace("self.level = self.level + 1", "self.level = self.level + 1\n        self.open = True")
    subject = tank(tmp_path, again, "again")
    made = matrix_of(subject)
    result = Mutated(subject, made, tuple(judge_mutants(made, made.mutations)))
    assert [str(each.mutation) for each in result.of(Outcome.SAME)] == ["tank_fills: update of open dropped"]
    assert [str(each.mutation) for each in result.of(Outcome.SURVIVED)] == ["tank_drains: update of level dropped"]
    assert result.score == result.noticed / (len(result.judged) - 1)


def test_claim_beyond_the_limit_is_left_out_and_a_mutant_beyond_it_is_undecided(tmp_path: Path) -> None:
    made = matrix_of(tank(tmp_path), states=4)
    assert [question.prop.id for question, _ in made.left_out] == ["T1", "W1"]
    assert made.runs == ()
    opens = "require(not self.open)\n        self.open = True"
    shut = TANK.replace(opens, opens.replace("self.open)", "self.open, self.level > 0)"))
    found = notices(tank(tmp_path, shut, "shut"), "T1", states=2)["valve_opens: guard 2 dropped: level != 0"]
    assert found == Notice(Outcome.UNDECIDED, "T1 in small: state limit")


def test_claim_that_holds_gets_a_mutant_that_refutes_it(tmp_path: Path) -> None:
    found = refuting_mutant(question_of(tank(tmp_path), "T1"))
    assert found is not None
    mutant, steps = found
    assert (str(mutant), steps) == ("valve_closes: guard 2 dropped: level != 3", 5)
    step = refuting_mutant(question_of(RELAY, "R1"))
    assert step is not None
    assert "swapped" in str(step[0])


@pytest.mark.parametrize(("text", "id"), [(LEAKS, "T1"), (TANK, "W1")])
def test_nothing_is_to_be_refuted_where_nothing_holds(tmp_path: Path, text: str, id: str) -> None:
    with pytest.raises(ValueError, match=f"{id} does not hold in small"):
        refuting_mutant(question_of(tank(tmp_path, text), id))


def test_claim_that_nothing_refutes_gets_none(tmp_path: Path) -> None:
    safe = TANK.replace("return self.open or self.level < self.scope.top", "return self.level <= self.scope.top")
    assert refuting_mutant(question_of(tank(tmp_path, safe), "T1")) is None


def test_report_has_the_score_and_lists_who_was_not_noticed(tmp_path: Path) -> None:
    subject = tank(tmp_path)
    made = matrix_of(subject)
    result = Mutated(subject, made, tuple(judge_mutants(made, made.mutations)))
    text = mutation_text(result, 80)
    assert " ".join(text.split()).startswith(
        "Tank: 15 mutants; 11 noticed of 15 that could be, score 73.3%; 1 survived,"
    )
    assert "  tank_drains: update of level dropped\n" in text
    assert "valve_closes: guard 2 dropped" not in text
    assert max(map(len, text.splitlines())) <= 80
    found = read_valid("mutate", mutation_json(result))
    assert (found["made"], found["tried"], found["noticed"], found["score"]) == (15, 15, 11, 0.7333)
    assert found["outcomes"]["claim violated"] == 1
    assert len(found["mutants"]) == 15


class Filling(Model):
    """Fills a tank while it is not sealed; sealing never empties it."""

    sealed: bool = flag()
    level: int = integer(0, 1)

    @action()
    def seals(self) -> None:
        self.sealed = True

    @action()
    def fills(self) -> None:
        if self.sealed:
            bound(self.level == 0)
        else:
            self.level = self.level + 1


def test_mutant_that_does_not_see_a_flag_goes_wrong_and_is_cut_as_its_text_would() -> None:
    staged = Staged(Filling, Setting(Filling.scopes[0]))
    (blind,) = [mutant for mutant in mutants(staged) if str(mutant) == "fills: reads sealed as false"]
    (changed,) = blind.changed.values()
    full = {"sealed": 1, "level": 1}
    assert evaluate([changed.enabled, changed.cut, *(f.condition for f in changed.failures)], full) == [0, 0, 1]

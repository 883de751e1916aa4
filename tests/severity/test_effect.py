"""How bad a violation is, on small systems whose ends can be counted by hand; and what undoing a reset does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest
from systems.answered import ENGINES
from systems.recordings import WITH_AN_END, question_of, subject_of
from systems.samples import one_in

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit import ends
from offsetproof.lang import (
    Array,
    Damage,
    DeclarationError,
    Index,
    Model,
    OffsetSet,
    RefusedError,
    Scope,
    Step,
    Subject,
    action,
    always,
    array,
    bound,
    choose,
    each_step,
    every,
    flag,
    integer,
    offset,
    offset_set,
    require,
)
from offsetproof.lang.reference import Reference, Replay
from offsetproof.model.shared.damage import DAMAGE, lost_offsets
from offsetproof.model.shared.group import Group
from offsetproof.model.vocabulary import Direction
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.severity import effect
from offsetproof.severity.effect import effect_of
from offsetproof.severity.reordering import least_stalled
from offsetproof.traces.store import labels_of, read_record_file
from offsetproof.traces.trace import Effect
from offsetproof.verdict.limits import Deadline, LimitMetError, Limits
from offsetproof.verdict.question import Question

RECORDED = Path(__file__).parents[2] / "traces" / "recorded"


class Reader(Model):
    """Reads offsets 0 and 1 in order and commits the next one; a slip commits one too many.

    A slip at once gives committed 1, nothing done. Without a restart the reader goes on from 0: both are done in the
    end. A restart before it has read anything begins at 1: offset 0 is never done. One after it has read both, with 1
    still committed, reads offset 1 again.
    """

    scopes = (Scope("two", {"messages": 2}, {"slip": 1}),)
    committed: int = offset()
    place: int = offset()
    done: OffsetSet = offset_set()
    again: OffsetSet = offset_set()

    @action()
    def reader_reads(self) -> None:
        require(self.place < self.scope.messages)
        self.again = self.again | (self.done & OffsetSet().add(self.place))
        self.done = self.done.add(self.place)
        self.place = self.place + 1

    @action()
    def reader_commits(self) -> None:
        require(self.committed < self.place)
        self.committed = self.place

    @action(fault="slip")
    def reader_slips(self) -> None:
        require(self.committed < self.scope.messages)
        self.committed = self.committed + 1

    @action()
    def reader_restarts(self) -> None:
        require(self.place != self.committed)
        self.place = self.committed

    @always()
    def committed_is_done(self) -> bool:
        return OffsetSet.below(self.committed) <= self.done


def _lost(reader: Reader) -> OffsetSet:
    return OffsetSet.below(reader.committed) - reader.done


def _repeated(reader: Reader) -> OffsetSet:
    return reader.again


def _nothing(_model: Model) -> int:
    return 0


def _asked(
    model: type[Model], damage: Damage | None, claim: str = "", bounds: dict[str, int] | None = None
) -> Effect | None:
    """The effect of the claim's violation (of the first claim, if none is named)."""
    subject = Subject("toy", model, model.claims, damage)
    request = Request(subject, (claim or model.claims[0].id,), bounds=bounds or {})
    (answer,) = answers(subject, explicit_alone(), questions_of(request))
    assert answer.trace is not None
    return answer.trace.effect


def test_violation_that_every_continuation_repairs_is_transient() -> None:
    calm = Damage(_lost, _repeated, outside=("reader_restarts",))
    assert _asked(Reader, calm) == Effect("transient", 0, 0)


def test_violation_that_some_continuation_keeps_is_permanent_with_the_most_lost_and_repeated_in_any_end() -> None:
    assert _asked(Reader, Damage(_lost, _repeated)) == Effect("permanent", 1, 1)


def test_number_that_the_model_cannot_tell_is_null() -> None:
    assert _asked(Reader, Damage(_lost)) == Effect("permanent", 1, None)


def test_amount_may_be_a_number() -> None:
    assert _asked(Reader, Damage(lambda reader: reader.committed)) == Effect("permanent", 2, None)


def test_without_damage_or_for_a_witness_there_is_no_effect() -> None:
    assert _asked(Reader, None) is None
    subject = replace(ROCKETMQ, properties=(ROCKETMQ.find("W-late-poll"),))
    (answer,) = answers(subject, explicit_alone(), questions_of(Request(subject)))
    assert answer.trace is not None
    assert answer.trace.effect is None


def test_outside_action_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        DeclarationError, match=r"test_effect.py:\d+: no action is named .*did you mean reader_restarts"
    ):
        Subject("toy", Reader, Reader.claims, Damage(_lost, outside=("reader_restart",)))


class Ring(Model):
    """Counts 0, 1, 2 and wraps, of itself or by a fault; then it may fall, once for each fault or for ever."""

    scopes = (Scope("faulty", {"free": 0}, {"slip": 1}), Scope("free", {"free": 1}))
    x: int = integer(0, 2)

    @action()
    def rises(self) -> None:
        require(self.x < 2)
        self.x = self.x + 1

    @action()
    def wraps(self) -> None:
        require(self.x == 2, self.scope.free == 1)
        self.x = 0

    @action(fault="slip")
    def slips(self) -> None:
        require(self.x == 2)
        self.x = 0

    @each_step()
    def never_falls(before: Ring, after: Ring, step: Step) -> bool:  # type: ignore[misc]  # noqa: N805, ARG002 - a claim is no method
        return before.x <= after.x


def test_broken_step_is_permanent_only_where_it_is_taken_again_and_again() -> None:
    subject = Subject("ring", Ring, Ring.claims, Damage(_nothing))
    told = {}
    for scope in ("faulty", "free"):
        (answer,) = answers(subject, explicit_alone(), questions_of(Request(subject, scope=scope)))
        assert answer.trace is not None
        told[scope] = answer.trace.effect
    assert told == {"faulty": Effect("transient", 0, None), "free": Effect("permanent", 0, None)}


def test_deadlock_is_permanent() -> None:
    assert _asked(Reader, Damage(_nothing, outside=("reader_reads",)), "no_deadlock") == Effect("permanent", 0, None)


class Views(Model):
    """Two who may each come to believe that they lead."""

    leads: Array[bool] = array(Index("one", 2), flag())

    @action(i=Index("one", 2))
    def view_changes(self, i: int) -> None:
        self.leads[i] = self.leads[i] == False  # noqa: E712 - an expression

    @always()
    def one_leads(self) -> bool:
        return not (self.leads[0] and self.leads[1])


def _one_leads(_scope: Scope) -> Sequence[dict[str, bool]]:
    return [{"leads[0]": i == 0, "leads[1]": i == 1} for i in range(2)]


def test_outside_that_settles_repairs_what_one_that_stays_does_not() -> None:
    assert _asked(Views, Damage(_nothing, outside=("view_changes",))) == Effect("permanent", 0, None)
    settling = Damage(_nothing, outside=("view_changes",), settled=_one_leads)
    assert _asked(Views, settling) == Effect("transient", 0, None)
    wrongly = replace(settling, settled=lambda scope: [*_one_leads(scope), {"leads[0]": True, "leads[1]": True}])
    assert _asked(Views, wrongly) == Effect("permanent", 0, None)


@pytest.mark.parametrize("way", [{"leads[2]": True}, {"leads[0]": 7}])
def test_outside_that_settles_in_no_field_is_refused(way: dict[str, object]) -> None:
    with pytest.raises(DeclarationError, match="what settles is not a field of the model"):
        _asked(Views, Damage(_nothing, outside=("view_changes",), settled=lambda scope: [way]))


@pytest.mark.parametrize(("lost", "wrong"), [
    (lambda views: None, "must be an offset set or a number"),
    (lambda views: views.no_such_field, "no_such_field, which is neither declared nor a bound"),
])  # fmt: skip
def test_amount_that_is_none_is_refused(lost: Callable[[Model], int], wrong: str) -> None:
    class Odd(Views):
        """Of its own, because what was refused of a model is refused again."""

    with pytest.raises((DeclarationError, RefusedError), match=wrong):
        _asked(Odd, Damage(lost))


class Fragile(Model):
    """What has broken once is repaired; what has broken twice is not."""

    scopes = (Scope("rough", {}, {"fall": 2}),)
    broken: int = integer(0, 2)

    @action(fault="fall")
    def cup_falls(self) -> None:
        require(self.broken < 2)
        self.broken = self.broken + 1

    @action()
    def cup_is_glued(self) -> None:
        require(self.broken == 1)
        self.broken = 0

    @always()
    def cup_is_whole(self) -> bool:
        return self.broken == 0


def test_fault_that_the_scope_would_still_allow_does_not_happen_any_more() -> None:
    assert _asked(Fragile, Damage(_nothing)) == Effect("transient", 0, None)


class Repairs(Model):
    """Breaks twice; each repair takes a spare part, and the scope may have too few of them."""

    scopes = (Scope("parts", {"parts": 1}),)
    broken: int = integer(0, 2)
    breaks: int = integer(0, 2)
    used: int = integer(0, 3)
    oiled: bool = flag()

    @action()
    def machine_breaks(self) -> None:
        require(self.breaks < 2)
        self.breaks, self.broken = self.breaks + 1, self.broken + 1

    @action()
    def machine_is_repaired(self) -> None:
        require(self.broken > 0)
        bound(self.used < self.scope.parts)
        self.used, self.broken = self.used + 1, self.broken - 1

    @action()
    def machine_is_oiled(self) -> None:
        bound(not self.oiled)
        self.oiled = True

    @action()
    def oil_dries(self) -> None:
        require(self.oiled)
        self.oiled = False

    @always()
    def never_broken_twice(self) -> bool:
        return self.broken < 2


def test_end_that_only_a_bound_of_the_scope_makes_is_unknown() -> None:
    found = _asked(Repairs, Damage(_nothing, outside=("machine_breaks",)))
    assert found == Effect(
        "unknown", None, None, "a continuation ends where only a bound of the scope forbids machine_is_repaired"
    )


def test_bound_that_is_only_in_the_way_for_a_while_makes_no_end() -> None:
    calm = Damage(_nothing, outside=("machine_breaks",))
    assert _asked(Repairs, calm, bounds={"parts": 2}) == Effect("transient", 0, None)


class Grows(Model):
    """Falls into a hole, and from there grows out of its domain."""

    x: int = integer(0, 3)

    @action()
    def grows(self) -> None:
        self.x = self.x + 1

    @always()
    def stays_out_of_the_hole(self) -> bool:
        return self.x < 2


def test_continuation_that_meets_a_model_error_is_unknown() -> None:
    assert _asked(Grows, Damage(_nothing)) == Effect("unknown", None, None, "a continuation meets a model error")


class Maze(Model):
    """Twelve switches, in any order: 4,096 states. When all are on, the state is bad, for good or with a way out."""

    scopes = (Scope("closed", {"open": 0}), Scope("open", {"open": 1}))
    on: Array[bool] = array(Index("switch", 12), flag())
    bad: bool = flag()

    @action()
    def trap_closes(self) -> None:
        require(not self.bad)
        self.bad = True

    @action(i=Index("switch", 12))
    def switch_turns(self, i: int) -> None:
        require(self.bad, not self.on[i])
        self.on[i] = True

    @action()
    def door_opens(self) -> None:
        require(self.scope.open == 1, self.bad, every(self.on))
        self.bad = False

    @always()
    def not_trapped(self) -> bool:
        return not self.bad


_FAR = "more than 100 states can follow; 1 of their ends were looked at"


@pytest.mark.parametrize(("scope", "capped", "whole"), [
    ("closed", Effect("permanent", 0, None, f"at least: {_FAR}"), Effect("permanent", 0, None)),
    ("open", Effect("unknown", None, None, _FAR), Effect("transient", 0, None)),
])  # fmt: skip
def test_beyond_the_limit_a_bad_end_is_evidence_and_no_bad_end_is_unknown(
    monkeypatch: pytest.MonkeyPatch, scope: str, capped: Effect, whole: Effect
) -> None:
    monkeypatch.setattr(ends, "SMALL", 100)
    monkeypatch.setattr(ends, "CLOSE", 50)
    damage = Damage(lambda maze: choose(every(maze.on), 0, 1), outside=("trap_closes",))
    subject = Subject("maze", Maze, Maze.claims, damage)
    (question,) = questions_of(Request(subject, scope=scope))
    engines = explicit_alone()
    result = engines.only.decide(question)
    assert result.replay is not None
    staged = engines.models.of(question)
    assert effect_of(result.replay, question, staged, damage, 100) == capped
    assert effect_of(result.replay, question, staged, damage, 5000) == whole


def test_effect_that_the_time_does_not_suffice_for_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    damage = Damage(lambda maze: choose(every(maze.on), 0, 1), outside=("trap_closes",))
    (question,) = questions_of(Request(Subject("maze", Maze, Maze.claims, damage), scope="closed"))
    engines = explicit_alone()
    result = engines.only.decide(question)
    assert result.replay is not None
    staged = engines.models.of(question)
    with pytest.raises(LimitMetError):
        effect_of(result.replay, question, staged, damage, deadline=Deadline(0.0))
    monkeypatch.setattr(Deadline, "check", lambda self: None)
    found = effect_of(result.replay, question, staged, damage, deadline=Deadline(0.0))
    assert found == Effect("unknown", None, None, "the time is over; 0 ends of what can follow were looked at")


@pytest.mark.parametrize(("scope", "found"), [("closed", "permanent"), ("open", "unknown")])
def test_effect_that_the_memory_does_not_suffice_for_says_so(
    monkeypatch: pytest.MonkeyPatch, scope: str, found: str
) -> None:
    monkeypatch.setattr(ends, "SMALL", 100)
    damage = Damage(lambda maze: choose(every(maze.on), 0, 1), outside=("trap_closes",))
    (question,) = questions_of(Request(Subject("maze", Maze, Maze.claims, damage), scope=scope))
    engines = explicit_alone()
    result = engines.only.decide(question)
    assert result.replay is not None
    scarce = replace(question, limits=Limits(bytes=1))
    effect = effect_of(result.replay, scarce, engines.models.of(question), damage, 5000)
    assert (effect.kind, effect.lacks_memory) == (found, True)
    assert "the memory is used up" in effect.detail
    assert not effect_of(result.replay, question, engines.models.of(question), damage, 5000).lacks_memory


def test_interrupted_effect_is_unknown_and_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_args: object, **_named: object) -> Effect:
        raise KeyboardInterrupt

    monkeypatch.setattr(effect, "effect_of", interrupted)
    subject = Subject("toy", Views, Views.claims, Damage(_nothing))
    asked = questions_of(Request(subject)) * 2
    (answer,) = answers(subject, explicit_alone(), asked)
    assert answer.trace is not None
    assert answer.trace.effect == Effect("unknown", None, None, "interrupted")


def _recorded(file: Path) -> tuple[Replay, Question]:
    question = question_of(file)
    labels = labels_of(read_record_file(file))
    return Replay(Reference(question.model, question.setting), question.prop, labels), question


@pytest.mark.parametrize("file", one_in(4, WITH_AN_END), ids=lambda file: file.stem)
def test_effect_and_times_of_a_recorded_story_are_those_that_are_recorded(file: Path) -> None:
    told, (replay, question) = read_record_file(file).trace, _recorded(file)
    subject, staged = subject_of(told), ENGINES.models.of(question)
    assert subject.damage is not None
    assert told.effect is not None
    timing = subject.timing_in(question.setting)
    assert timing is not None
    timed = least_stalled(replay, staged, timing)
    assert (timed.replay, timed.schedule) == (replay, told.timing)
    found = effect_of(timed.whole, question, staged, replace(subject.damage, repeated=None))
    assert (found.kind, found.lost) == (told.effect.kind, told.effect.lost)


def test_effect_is_that_of_the_ending_of_which_the_times_are_told() -> None:
    """Without the steps that are only late, I5-orphan would stay, and with them it needs no stall and heals."""
    file = RECORDED / "I5-orphan.json"
    told, (replay, question) = read_record_file(file).trace, _recorded(file)
    subject, staged = subject_of(told), ENGINES.models.of(question)
    timing = subject.timing_in(question.setting)
    assert timing is not None
    timed = least_stalled(replay, staged, timing)
    assert (len(timed.replay.labels), len(timed.whole.labels)) == (40, 46)
    kinds = [effect_of(each, question, staged, DAMAGE).kind for each in (timed.replay, timed.whole)]
    assert kinds == ["permanent", "transient"]
    assert told.effect is not None
    assert told.effect.kind == "transient"


@pytest.mark.slow
@pytest.mark.parametrize("name", [
    "I5-late-poll", "I5-stalled-task", "I5-one-cpu", "I16-waits-in-two",
])  # fmt: skip
def test_ends_of_a_recorded_story_are_those_that_a_naive_search_finds(name: str) -> None:
    replay, question = _recorded(RECORDED / f"{name}.json")
    found = effect_of(replay, question, ENGINES.models.of(question), replace(DAMAGE, repeated=None))
    reference, prop = replay.reference, replay.prop
    followed = _naive(reference, replay.states[-1])
    broken, lost = False, 0
    for component in nx.attracting_components(followed):
        broken |= any(not reference.judge(prop, state) for state in component)
        lost = max(lost, *(_offsets_lost(reference, state) for state in component))
    assert (found.kind, found.lost) == ("permanent" if broken or lost else "transient", lost)


def _naive(reference: Reference, state: tuple[int, ...]) -> nx.DiGraph[tuple[int, ...]]:
    """Everything that can follow a state, by the model's own Python: no fault, nothing new from outside."""
    graph: nx.DiGraph[tuple[int, ...]] = nx.DiGraph()
    graph.add_node(state)
    waiting = [state]
    while waiting:
        before = waiting.pop()
        for label, after in reference.steps(before):
            if reference.grown.instances[label][0].fault is None and label[0] not in DAMAGE.outside:
                if after not in graph:
                    waiting.append(after)
                graph.add_edge(before, after)
    return graph


def _offsets_lost(reference: Reference, state: tuple[int, ...]) -> int:
    reference.grown.tree.load(state)
    lost = DAMAGE.lost(reference.grown.root)
    assert isinstance(lost, OffsetSet)
    return lost.count()


@pytest.mark.parametrize(("committed", "target", "direction", "landed", "done", "redone", "lost"), [
    (None, 0, Direction.NONE, False, [], [], []),
    (1, 0, Direction.NONE, False, [], [], [0]),
    (2, 0, Direction.NONE, False, [0], [], [1]),
    (2, 2, Direction.FORWARD, True, [], [], []),
    (2, 0, Direction.BACKWARD, False, [0, 1], [], []),
    (2, 0, Direction.BACKWARD, True, [0, 1], [], [0, 1]),
    (2, 1, Direction.BACKWARD, True, [0, 1], [], [1]),
    (1, 0, Direction.BACKWARD, True, [0, 1], [0], []),
])  # fmt: skip
def test_lost_offsets_are_owed_below_the_committed_one_and_not_done(
    committed: int | None,
    target: int,
    direction: Direction,
    landed: bool,
    done: list[int],
    redone: list[int],
    lost: list[int],
) -> None:
    (question,) = questions_of(Request(ROCKETMQ, ("I5",), scope="calm-reset"))
    group = Reference(question.model, question.setting).grown.root
    assert isinstance(group, Group)
    group.broker.max_offset, group.broker.committed = 2, committed
    group.ghost_target, group.ghost_direction, group.ghost_landed = target, direction, landed
    group.ghost_skipped = OffsetSet.below(target) if direction is Direction.FORWARD else OffsetSet()
    group.ghost_done, group.ghost_redone = OffsetSet(*done), OffsetSet(*redone)
    assert lost_offsets(group) == OffsetSet(*lost)


def test_effect_in_a_large_scope_is_unknown() -> None:
    replay, question = _recorded(RECORDED / "I8-two-owners.json")
    scope = replace(question.setting.scope, large=True)
    asked = replace(question, setting=replace(question.setting, scope=scope))
    found = effect_of(replay, asked, explicit_alone().models.of(question), DAMAGE)
    assert found == Effect("unknown", None, None, "the scope is too large to explore all that can follow")

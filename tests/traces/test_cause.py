"""What a violation needed, and which step had to come before which, against hand-made answers and by swapping steps."""

import networkx as nx
import pytest
from hypothesis import given
from systems.forms import FORMS
from systems.lossy_queue import (
    COMMITS,
    LOSES,
    REFERENCE,
    RINGS,
    STAGED,
    TAKES,
    TICKS,
    finishes,
    replay,
    replays,
)
from systems.reproducible import reproducible

from offsetproof.ir.system import Label
from offsetproof.lang import Model, Scope, Setting, action, always, choose, flag, require
from offsetproof.lang.claim import NO_DEADLOCK, ClaimKind
from offsetproof.lang.reference import NotTaken, Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.cause import causal_past, cause_of
from offsetproof.traces.happens_before import happens_before, without_implied_edges
from offsetproof.traces.reads import Touched, TouchedSteps, budget_fields, reason, values_by_name
from offsetproof.traces.trace import trace_of

STOPS: Label = ("consumer_stops", (("c", 0), ("how", "SLOWLY")))


def test_steps_that_nothing_depends_on_are_no_cause() -> None:
    found = replay("Q1", TICKS, TAKES, TICKS, finishes(1), TICKS, COMMITS)
    assert causal_past(found, STAGED) == (2, 4, 6)
    assert cause_of(found, STAGED) == ("consumer_takes_queue", "consumer_finishes", "consumer_commits")


def test_cause_names_an_action_once_and_faults_by_their_action() -> None:
    found = replay("Q2", TAKES, finishes(0), finishes(1), TICKS, COMMITS, LOSES)
    assert cause_of(found, STAGED) == (
        "consumer_takes_queue",
        "consumer_finishes",
        "consumer_commits",
        "network_loses_commit",
    )


def test_cause_of_a_witness_is_what_shows_it() -> None:
    assert cause_of(replay("W2", TAKES, finishes(1), RINGS), STAGED) == ("clock_rings",)


class Fuse(Model):
    """Burns once, after which nothing can happen."""

    burnt: bool = flag()
    hot: bool = flag()

    @action()
    def fuse_burns(self) -> None:
        require(not self.burnt)
        self.burnt = True

    @action()
    def fuse_warms(self) -> None:
        require(not self.hot, not self.burnt)
        self.hot = True

    @always(id="F1")
    def never_whole(self) -> bool:
        """Broken from the start."""
        return self.burnt


def test_cause_of_a_deadlock_is_what_left_no_step() -> None:
    setting = Setting(Fuse.scopes[0])
    found = Replay(Reference(Fuse, setting), NO_DEADLOCK, [("fuse_warms", ()), ("fuse_burns", ())])
    assert cause_of(found, Staged(Fuse, setting))[-1] == "fuse_burns"
    assert trace_of(found).property.kind == "no_deadlock"


class Lamp(Model):
    """Is lit once; it may flicker afterwards, and blow before."""

    scopes = (Scope("worn", {}, faults={"flicker": 1, "blow": 1}),)
    lit: bool = flag()

    @action()
    def lamp_is_lit(self) -> None:
        require(not self.lit)
        self.lit = True

    @action(fault="flicker")
    def lamp_flickers(self) -> None:
        require(self.lit)

    @action(fault="blow")
    def lamp_blows(self) -> None:
        require(not self.lit)


def test_cause_of_a_deadlock_has_the_faults_that_could_still_happen_otherwise_and_no_others() -> None:
    labels: list[Label] = [("lamp_blows", ()), ("lamp_is_lit", ()), ("lamp_flickers", ())]
    setting = Setting(Lamp.scopes[0])
    found = Replay(Reference(Lamp, setting), NO_DEADLOCK, labels)
    assert causal_past(found, Staged(Lamp, setting)) == (2, 3)


def test_violation_in_the_initial_state_has_no_cause() -> None:
    trace = trace_of(Replay(Reference(Fuse, Setting(Fuse.scopes[0])), Fuse.claims[0], []))
    assert (trace.cause, trace.length, trace.states) == ((), 0, ({"burnt": False, "hot": False},))
    assert [FORMS[name](trace) for name in FORMS]


def test_spent_budgets_and_written_history_are_no_dependency() -> None:
    order = happens_before(replay("W2", TAKES, finishes(0), COMMITS, TICKS, RINGS))
    assert {edge: order.edges[edge]["by"] for edge in order.edges} == {(1, 2): "read", (1, 3): "read", (2, 3): "read"}
    assert order.edges[2, 3]["fields"] == {"read": ("consumer[0].done",)}
    assert [order.nodes[i]["action"] for i in order.nodes][3] == "clock_ticks"


def test_edges_name_all_three_kinds_of_dependency() -> None:
    order = happens_before(replay("W2", TAKES, finishes(0), COMMITS, STOPS, RINGS), STAGED)
    assert order.edges[1, 4]["fields"] == {"read": ("owner",), "write": ("consumer[0].phase", "owner")}
    assert order.edges[2, 4] == {"by": "overwrite", "fields": {"overwrite": ("consumer[0].phase",)}}
    assert order.edges[3, 4]["by"] == "overwrite"


@reproducible(200)
@given(replays())
def test_happens_before_goes_forward_and_reduction_keeps_its_order(found: Replay) -> None:
    order = happens_before(found, STAGED)
    assert set(order.nodes) == set(range(1, len(found.labels) + 1))
    assert all(earlier < later for earlier, later in order.edges)
    less = without_implied_edges(order)
    assert set(less.edges) <= set(order.edges)
    assert set(nx.transitive_closure(less).edges) == set(nx.transitive_closure(order).edges)
    assert all(less.edges[edge] == order.edges[edge] for edge in less.edges)


@reproducible(200)
@given(replays())
def test_neighbours_without_an_edge_can_be_swapped(found: Replay) -> None:
    order = happens_before(found, STAGED)
    for i in range(1, len(found.labels)):
        if (i, i + 1) not in order.edges:
            between = REFERENCE.take(found.states[i - 1], found.labels[i])
            assert not isinstance(between, NotTaken)
            assert REFERENCE.take(between, found.labels[i - 1]) == found.states[i + 1]


@reproducible(200)
@given(replays())
def test_cause_is_a_part_of_the_trace_that_ends_with_its_last_step(found: Replay) -> None:
    past = causal_past(found, STAGED)
    assert past[-1] == len(found.labels)
    assert set(cause_of(found, STAGED)) <= {name for name, _ in found.labels}


@reproducible(200)
@given(replays())
def test_cause_follows_reads_only(found: Replay) -> None:
    order = happens_before(found, STAGED)
    reads = nx.DiGraph([edge for edge in order.edges if "read" in order.edges[edge]["fields"]])
    reads.add_nodes_from(order)
    written = list(TouchedSteps(found, STAGED))
    last_writers = {
        max(i for i, step in enumerate(written, 1) if name in step.writes)
        for name in frozenset().union(*(step.writes for step in written))
    }
    reached = last_writers.union(*(nx.ancestors(reads, i) for i in {*last_writers, len(found.labels)}))
    assert set(causal_past(found, STAGED)) <= reached | {len(found.labels)}


@reproducible(200)
@given(replays())
def test_the_causal_past_alone_breaks_the_claim(found: Replay) -> None:
    before, state = found.states[0], found.states[0]
    labels = [found.labels[i - 1] for i in causal_past(found, STAGED)]
    for label in labels:
        after = REFERENCE.take(state, label)
        assert not isinstance(after, NotTaken)
        before, state = state, after
    if found.prop.kind is ClaimKind.EACH_STEP:
        assert not REFERENCE.judge_step(found.prop, before, labels[-1], state)
    else:
        assert REFERENCE.judge(found.prop, state) is (found.prop.kind is ClaimKind.SOMETIMES)


def needed_steps(found: Replay) -> set[int]:
    """The causal past by its definition: the least set that contains what it needs."""
    steps, budgets = list(TouchedSteps(found, STAGED)), budget_fields(STAGED.setting)
    claim, end = STAGED.system([found.prop]).claims[0], len(found.labels)
    past: set[int] = set()
    if claim.per_step:
        at = next(i for i, inst in enumerate(STAGED.instances) if inst.label == found.labels[-1])
        past, end, roots = {end}, end - 1, [claim.per_step[at]]
        fields = steps[-1].guard | reason(roots, values_by_name(found, found.states[end]))
    else:
        assert claim.on_state is not None
        fields = reason([claim.on_state], values_by_name(found, found.states[end]))
    needs, inside = {(end, name) for name in fields - budgets}, set[int]()
    while True:
        more = set(needs)
        for upto, name in needs:
            writer = max((i for i in range(1, upto + 1) if name in steps[i - 1].sources), default=0)
            if writer:
                inside.add(writer)
                more |= {(writer - 1, source) for source in steps[writer - 1].guard | steps[writer - 1].sources[name]}
            for i in inside & set(range(writer + 1, upto + 1)):
                more |= {(i - 1, source) for source in steps[i - 1].kept.get(name, frozenset())}
        if more == needs:
            return past | inside
        needs = more


@reproducible(300)
@given(replays())
def test_causal_past_is_the_least_set_that_contains_what_it_needs(found: Replay) -> None:
    assert set(causal_past(found, STAGED)) == needed_steps(found)


def test_each_step_is_looked_at_once_and_equal_steps_share_what_they_touched() -> None:
    found = replay("Q1", TICKS, TAKES, TICKS, finishes(1), TICKS, COMMITS)
    steps = TouchedSteps(found, STAGED)
    assert steps[0] is TouchedSteps.__getitem__(steps, 0)
    looked: list[int] = []

    class Watched(TouchedSteps):
        def __getitem__(self, at: int) -> Touched:
            looked.append(at)
            return super().__getitem__(at)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("offsetproof.traces.cause.TouchedSteps", Watched)
        causal_past(found, STAGED)
    assert sorted(looked) == [0, 1, 2, 3, 4, 5]


class Mine(Model):
    """One that is disarmed does not blow up what is near when it is set off."""

    armed: bool = flag(True)
    set_off: bool = flag()
    broken: bool = flag()

    @action()
    def mine_is_disarmed(self) -> None:
        self.armed = False

    @action()
    def mine_is_set_off(self) -> None:
        self.set_off = True
        self.broken = choose(self.armed, True, self.broken)

    @always(id="M1")
    def whoever_sets_it_off_breaks_something(self) -> bool:
        return not self.set_off or self.broken


def test_what_kept_a_needed_step_from_writing_is_a_cause() -> None:
    setting = Setting(Mine.scopes[0])
    found = Replay(Reference(Mine, setting), Mine.claims[0], [("mine_is_disarmed", ()), ("mine_is_set_off", ())])
    assert causal_past(found, Staged(Mine, setting)) == (1, 2)

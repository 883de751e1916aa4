"""A trace holds what the replay showed, by names and values only; its graph says the same."""

from hypothesis import given
from systems.lossy_queue import COMMITS, LOSES, REFERENCE, SETTING, STAGED, TAKES, finishes, replay, replays
from systems.reproducible import reproducible

from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.reference import Replay
from offsetproof.traces.graph import to_graph
from offsetproof.traces.trace import Effect, TraceClaim, show_value, trace_of

LOST = (TAKES, finishes(0), COMMITS, LOSES)


def test_trace_says_who_did_what_where() -> None:
    trace = trace_of(replay("Q2", *LOST, also=("Q1",)), subject="queue", digest="abc", effect=Effect("permanent", 1, 0))
    assert (trace.subject, trace.digest, trace.effect) == ("queue", "abc", Effect("permanent", 1, 0))
    assert trace.property == TraceClaim("Q2", "committed_never_falls", "each_step")
    assert (trace.length, trace.faults) == (4, 1)
    step = trace.steps[1]
    assert (step.number, step.name, step.actor, step.thread) == (
        2,
        "consumer_finishes(c=0, m=0)",
        "consumer[0]",
        "task",
    )
    assert [str(anchor) for anchor in step.stands_for] == [
        "ProcessQueue.removeMessage:196 (first)",
        "MessageListener.consume",
    ]
    assert step.changed == {
        "consumer[0].done": (frozenset(), frozenset({0})),
        "ghost_finished": (frozenset(), frozenset({0})),
    }
    assert step.file == "tests/systems/lossy_queue.py"
    assert step.claims == {"Q2": True, "Q1": True}
    assert trace.steps[0].logs == "owner is {}"
    assert trace.steps[0].changed == {"owner": (None, 0), "consumer[0].phase": ("IDLE", "BUSY")}


def test_trace_names_the_setting() -> None:
    world = trace_of(replay("Q2", *LOST)).world
    assert world.release == SETTING.release == "broker=2.0,client=1.0"
    assert (world.fixes, world.assumptions, world.listener) == (("retry",), ("in_order",), "slow")
    assert (world.scope.name, world.scope.bounds, world.scope.faults) == (
        "small",
        {"consumers": 2, "messages": 2},
        {"loss": 1},
    )


def test_fault_is_marked_and_its_budget_is_no_field() -> None:
    trace = trace_of(replay("Q2", *LOST))
    assert [step.fault for step in trace.steps] == [None, None, None, "loss"]
    assert trace.steps[3].changed == {"committed": (1, 0), "lost": (0, 1)}
    assert not [path for path in trace.initial if path.startswith("faults")]


@reproducible(200)
@given(replays())
def test_states_are_the_replayed_ones(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    for shown_state, state in zip(trace.states, found.states, strict=True):
        real = REFERENCE.show(state)
        assert shown_state.keys() == real.keys() - {"faults[loss]"}
        for path, value in shown_state.items():
            wanted = real[path]
            assert value == (frozenset(wanted) if isinstance(wanted, OffsetSet) else getattr(wanted, "name", wanted))
    assert list(trace.truths) == list(found.truths)


@reproducible(200)
@given(replays())
def test_graph_is_one_path_that_carries_the_trace(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    graph = to_graph(trace)
    assert list(graph.nodes) == list(range(trace.length + 1))
    assert [(i, j) for i, j, _ in graph.edges] == [(i, i + 1) for i in range(trace.length)]
    assert [graph.nodes[i]["state"] for i in graph.nodes] == list(trace.states)
    for step in trace.steps:
        edge = graph.edges[step.number - 1, step.number, 0]
        assert (edge["action"], edge["args"], edge["actor"], edge["thread"]) == (
            step.action,
            step.args,
            step.actor,
            step.thread,
        )
        assert (edge["file"], edge["line"]) == (step.file, step.line)
        assert graph.nodes[step.number]["changed"] == step.changed


def test_values_read_as_people_write_them() -> None:
    assert [show_value(value) for value in (None, True, 3, "IDLE", frozenset())] == [
        "None",
        "True",
        "3",
        "IDLE",
        "{}",
    ]

"""ITF, GraphML, DOT and Mermaid: what goes out can be read back by the tools it is for, or by their rules."""

import json
import re
from pathlib import Path
from typing import Any

import itf_py
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.lossy_queue import COMMITS, LOSES, STAGED, TAKES, finishes, replay, replays
from systems.reproducible import reproducible

from offsetproof.lang.reference import Replay
from offsetproof.traces.dot import quoted, to_dot
from offsetproof.traces.formats import FORMATS
from offsetproof.traces.graphml import to_graphml
from offsetproof.traces.happens import happens_before
from offsetproof.traces.itf import PICKS, TAKEN, itf_text, to_itf
from offsetproof.traces.mermaid import escaped, to_mermaid
from offsetproof.traces.trace import Trace, trace_of

FOUND = replay("Q2", TAKES, finishes(0), COMMITS, LOSES)
LOST = trace_of(FOUND, staged=STAGED)


def plain(value: Any) -> Any:
    """A value that itf-py read, as a trace holds it."""
    return next(iter(value), None) if isinstance(value, list) else value


def ordered(value: Any) -> Any:
    """An ITF document with its sets in one order, without the empty loop that itf-py writes."""
    if isinstance(value, dict):
        inside = {key: ordered(item) for key, item in value.items() if (key, item) != ("loop", None)}
        return {"#set": sorted(inside["#set"], key=str)} if "#set" in inside else inside
    return [ordered(item) for item in value] if isinstance(value, list) else value


@reproducible(100)
@given(replays())
def test_itf_survives_itf_py_without_loss(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    read = itf_py.trace_from_json(json.loads(itf_text(trace)))
    assert ordered(itf_py.trace_to_json(read)) == ordered(to_itf(trace))
    for number, state in enumerate(read.states):
        fields = {path: plain(value) for path, value in state.values.items() if path not in (TAKEN, PICKS)}
        assert fields == trace.states[number]
        assert {path: type(value) for path, value in fields.items()} == {
            path: type(value) for path, value in trace.states[number].items()
        }
    assert [state.values[TAKEN] for state in read.states] == ["init", *(step.action for step in trace.steps)]
    assert [state.values[PICKS]._asdict() for state in read.states] == [{}, *(step.args for step in trace.steps)]
    assert list(read.vars) == [*read.states[0].values]


def test_itf_writes_every_integer_big_and_sets_ascending() -> None:
    trace = trace_of(replay("W2", TAKES, finishes(1), finishes(0), ("clock_rings", ())), staged=STAGED)
    state = to_itf(trace)["states"][3]
    assert state["committed"] == {"#bigint": "0"}
    assert state["owner"] == [{"#bigint": "0"}]
    assert state["consumer[0].done"] == {"#set": [{"#bigint": "0"}, {"#bigint": "1"}]}
    assert state["consumer[0].phase"] == "BUSY"
    assert state["mbt::actionTaken"] == "consumer_finishes"
    assert state["mbt::nondetPicks"] == {"c": {"#bigint": "0"}, "m": {"#bigint": "0"}}
    assert state["#meta"]["actor"] == "consumer[0]"


@reproducible(50)
@given(replays())
def test_graphml_read_back_has_every_state_and_step(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    graph = nx.parse_graphml(to_graphml(trace), node_type=int, force_multigraph=True)
    states = [json.loads(graph.nodes[i]["state"]) for i in range(trace.length + 1)]
    assert states == [
        {path: sorted(value) if isinstance(value, frozenset) else value for path, value in state.items()}
        for state in trace.states
    ]
    edges = list(graph.edges(data=True, keys=True))
    assert [(e["action"], json.loads(e["args"])) for *_, e in edges] == [(s.action, dict(s.args)) for s in trace.steps]
    assert len({key for _, _, key, _ in edges}) == trace.length


def test_dot_draws_states_steps_and_order() -> None:
    drawn = to_dot(LOST, happens_before(FOUND, STAGED)).splitlines()
    assert drawn[0] == "digraph trace {"
    assert '  3 [label="3\\ncommitted: 0 -> 1"];' in drawn
    assert '  3 -> 4 [label="network, main\\nnetwork_loses_commit", color=red];' in drawn
    assert '  1 -> 2 [style=dashed, constraint=false, label="read"];' in drawn
    assert not [line for line in to_dot(LOST).splitlines() if "dashed" in line]


@reproducible(200)
@given(st.text(st.sampled_from('ab"\\\n{}<>')))
def test_dot_strings_end_where_they_should(text: str) -> None:
    assert re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', quoted(text))


def test_mermaid_has_a_message_per_step_and_names_the_claim() -> None:
    chart = to_mermaid(LOST).splitlines()
    assert chart[:3] == ["sequenceDiagram", "    participant p0 as consumer[0]", "    participant p1 as network"]
    assert [line for line in chart if "->>" in line] == [
        "    p0->>p0: 1. consumer_takes_queue(c=0)",
        "    p0->>p0: 2. consumer_finishes(c=0, m=0)",
        "    p0->>p0: 3. consumer_commits(c=0)",
        "    p1->>p1: 4. network_loses_commit (fault: loss)",
    ]
    assert "    Note over p1: committed: 1 -#gt; 0<br/>lost: 0 -#gt; 1" in chart
    assert chart[-1] == "    Note over p0,p1: Q2 committed_never_falls fails here"


@reproducible(200)
@given(st.text(st.sampled_from("abend #;%<>{}\n")))
def test_mermaid_text_holds_no_syntax(text: str) -> None:
    rest = re.sub(r"#\w+;|<br/>", "", escaped(text))
    assert not set(rest) & set("#;%<>{}\n")
    assert not re.search(r"\bend\b", escaped(text))


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_the_same_text_twice_and_no_machine_path(name: str) -> None:
    def text(trace: Trace) -> str:
        return FORMATS[name](trace)

    assert text(LOST) == text(trace_of(FOUND, staged=STAGED))
    assert text(LOST).endswith("\n")
    assert str(Path(__file__).resolve().parents[2]) not in text(LOST)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_takes_a_trace_of_one_step(name: str) -> None:
    assert "clock" in FORMATS[name](trace_of(replay("W2", ("clock_rings", ())), staged=STAGED))

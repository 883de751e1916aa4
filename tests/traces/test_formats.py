"""ITF, GraphML, DOT and Mermaid: what goes out can be read back by the tools it is for, or by their rules."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import itf_py
import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.charts import judge_chart
from systems.forms import FORMS
from systems.lossy_queue import COMMITS, LOSES, STAGED, TAKES, TICKS, finishes, replay, replays
from systems.recordings import FILES
from systems.reproducible import reproducible

from offsetproof.lang.reference import Replay
from offsetproof.traces.acting import takers
from offsetproof.traces.dot import LINE_MAX, dot_string, to_dot
from offsetproof.traces.graph import to_graphml
from offsetproof.traces.happens_before import happens_before
from offsetproof.traces.itf import PICKS, TAKEN, itf_text, to_itf
from offsetproof.traces.mermaid import mermaid_text, to_mermaid
from offsetproof.traces.store import read_record_file
from offsetproof.traces.trace import Schedule, Trace, trace_of

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


def test_dot_draws_steps_with_what_they_changed_and_order() -> None:
    drawn = [line.strip() for line in to_dot(LOST, happens_before(FOUND, STAGED)).splitlines()]
    assert drawn[0] == "digraph trace {"
    assert '3 [label="3  consumer[0], timer\\lconsumer_commits(c=0)\\lcommitted: 0 -> 1\\l", tooltip=""];' in drawn
    assert (
        '4 [label="4  network, main\\lnetwork_loses_commit (fault: loss)\\lcommitted: 1 -> 0\\llost: 0 -> 1\\l'
        'claim Q2 is now false\\l", tooltip="", color=red, penwidth=3];'
    ) in drawn
    (first,) = (line for line in drawn if line.startswith("1 ["))
    assert 'tooltip="RebalanceImpl.updateProcessQueueTableInRebalance:393"' in first
    assert '1 -> 2 [style=dashed, constraint=false, label="read"];' in drawn
    assert not [line for line in to_dot(LOST).splitlines() if "dashed" in line]


def boxes_of(drawn: str) -> list[list[str]]:
    """The lines of each box, the first box first."""
    found = re.findall(r"(?m)^  (\d+) \[label=\"((?:[^\"\\]|\\.)*)\"", drawn)
    assert [int(number) for number, _ in found] == list(range(len(found)))
    return [label.removesuffix("\\l").split("\\l") for _, label in found]


def columns_of(drawn: str, boxes: int) -> list[range]:
    """The boxes that stand in each column."""
    tops = [0, *(int(top) for top in re.findall(r"-> (\d+) \[constraint=false\]", drawn))]
    return [range(top, end) for top, end in zip(tops, [*tops[1:], boxes], strict=True)]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_dot_of_a_recorded_story_can_be_read_on_one_page(file: Path) -> None:
    """By letters of 9 points, which Graphviz makes smaller by as much as the drawing is larger than a sheet of A4."""
    trace = read_record_file(file).trace
    drawn = to_dot(trace)
    boxes = boxes_of(drawn)
    columns = columns_of(drawn, len(boxes))
    assert len(boxes) == trace.length + 1
    assert max(len(line) for box in boxes for line in box) <= LINE_MAX
    rows = [[boxes[column[row]] for column in columns if row < len(column)] for row in range(len(columns[0]))]
    height = sum(max(len(box) for box in row) * 11 + 4 + 14 for row in rows)
    width = len(columns) * (LINE_MAX * 5 + 9 + 18)
    least = 5.9 if trace.length <= 28 else 4.5 if trace.length <= 50 else 4
    assert 9 * min(1, 540 / width, 785 / height) >= least


@reproducible(50)
@given(st.integers(1, 3000))
def test_dot_columns_are_of_one_height_and_hold_every_box(length: int) -> None:
    trace = replace(LOST, steps=tuple(replace(LOST.steps[0], number=number) for number in range(1, length + 1)))
    drawn = to_dot(trace)
    columns = columns_of(drawn, length + 1)
    assert [box for column in columns for box in column] == list(range(length + 1))
    assert len({len(column) for column in columns[:-1]}) <= 1
    assert re.findall(r"(?m)^  (\d+) -> (\d+)", drawn) == [(str(i), str(i + 1)) for i in range(length)]


@reproducible(200)
@given(st.text(st.sampled_from('ab"\\\n{}<>')))
def test_dot_strings_end_where_they_should(text: str) -> None:
    assert re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', dot_string(text))


def test_mermaid_has_a_lane_per_thread_and_arrows_between_them() -> None:
    chart = [line.strip() for line in to_mermaid(LOST, takers(FOUND, STAGED)).splitlines()]
    assert chart == [
        "sequenceDiagram",
        "box transparent consumer[0]",
        "participant p0 as rebalance",
        "participant p1 as task",
        "participant p2 as timer",
        "end",
        "participant p3 as network",
        "Note over p0: 1. consumer_takes_queue(c=0)<br/>owner: None -#gt; 0<br/>phase: IDLE -#gt; BUSY",
        "Note over p1: 2. consumer_finishes(c=0, m=0)<br/>ghost_finished: #123;#125; -#gt; #123;0#125;"
        "<br/>done: #123;#125; -#gt; #123;0#125;",
        "p2->>p3: 3. consumer_commits(c=0)",
        "Note over p2: committed: 0 -#gt; 1",
        "Note over p3: 4. network_loses_commit (fault: loss)<br/>committed: 1 -#gt; 0<br/>lost: 0 -#gt; 1",
        "Note over p0,p3: committed_never_falls (Q2) fails here",
    ]


def test_mermaid_arrow_is_open_where_what_was_sent_arrives_later() -> None:
    found = replay("Q2", TAKES, finishes(0), COMMITS, TICKS, LOSES)
    chart = to_mermaid(trace_of(found, staged=STAGED), takers(found, STAGED))
    assert "p2-)p4: 3. consumer_commits(c=0)" in chart
    assert "->>" not in chart


def test_mermaid_and_dot_tell_times_in_their_order() -> None:
    timed = replace(LOST, timing=Schedule(0.0, (), (0.0, 1.0, 2.5, 3.0), (1, 2, 4, 3)))
    times = ["0.0", "1.0", "2.5", "3.0"]
    for text in (to_mermaid(timed), to_dot(timed)):
        assert re.findall(r"\(t = ([\d.]+) s\)", text) == times
        assert text.index("network_loses_commit") < text.index("consumer_commits(c=0)")


@reproducible(50)
@given(replays())
def test_every_mermaid_chart_is_of_forms_that_mermaid_knows(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    for taken in (None, takers(found, STAGED)):
        chart = to_mermaid(trace, taken)
        judge_chart(chart)
        assert [int(number) for number in re.findall(r": (\d+)\. \w", chart)] == [step.number for step in trace.steps]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_mermaid_chart_of_a_recorded_story_is_of_forms_that_mermaid_knows(file: Path) -> None:
    judge_chart(to_mermaid(read_record_file(file).trace))


@reproducible(200)
@given(st.text(st.sampled_from("abend #;%<>{}\n")))
def test_mermaid_text_holds_no_syntax(text: str) -> None:
    rest = re.sub(r"#\w+;|<br/>", "", mermaid_text(text))
    assert not set(rest) & set("#;%<>{}\n")
    assert not re.search(r"\bend\b", mermaid_text(text))


@pytest.mark.parametrize("name", FORMS)
def test_every_format_gives_the_same_text_twice_and_no_machine_path(name: str) -> None:
    def text(trace: Trace) -> str:
        return FORMS[name](trace)

    assert text(LOST) == text(trace_of(FOUND, staged=STAGED))
    assert text(LOST).endswith("\n")
    assert str(Path(__file__).resolve().parents[2]) not in text(LOST)


@pytest.mark.parametrize("name", FORMS)
def test_every_format_takes_a_trace_of_one_step(name: str) -> None:
    assert "clock" in FORMS[name](trace_of(replay("W2", ("clock_rings", ())), staged=STAGED))

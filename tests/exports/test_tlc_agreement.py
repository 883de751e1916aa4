"""TLC, which shares no code with this project, against the explicit engine: counts, verdicts, lengths, traces."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from systems.toys import TOYS, Toy

from offsetproof.check.exporting import export_of
from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.exports.exported import Exported, exported
from offsetproof.exports.tlc import run_tlc
from offsetproof.exports.tlc_traces import read_trace
from offsetproof.lang import always
from offsetproof.lang.model import Model
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Counts

ONE_PER_WORLD = {(toy.model, toy.setting.key): toy for toy in TOYS}.values()
NONE = Reductions(slicing=False, dead=False)


@always()
def anything(model: Model) -> bool:  # noqa: ARG001 - true of every state
    return True


@cache
def whole(toy: Toy) -> Counts:
    """The counts of a complete exploration."""
    return Explicit().decide(Question(toy.model, toy.setting, anything, reductions=NONE)).counts


def unreduced(toy: Toy, fault_cap: int | None = None) -> Exported:
    system = Staged(toy.model, toy.setting).system([toy.prop])
    return exported(toy.name, toy.setting, toy.model, system, (toy.prop,), fault_cap=fault_cap)


@pytest.mark.parametrize("toy", ONE_PER_WORLD, ids=lambda toy: toy.name)
def test_tlc_counts_the_same_states_to_the_same_depth(toy: Toy, tmp_path: Path) -> None:
    outcome = run_tlc(unreduced(toy), folder=tmp_path)
    assert (outcome.states, outcome.depth) == (whole(toy).states, whole(toy).depth)


@pytest.mark.parametrize("toy", [toy for toy in TOYS if toy.reason is None], ids=lambda toy: toy.name)
def test_tlc_gives_the_same_verdict_and_a_trace_that_replays(toy: Toy, tmp_path: Path) -> None:
    export = unreduced(toy, toy.faults if toy.length is not None else None)
    outcome = run_tlc(export, folder=tmp_path, invariants=[toy.prop.id])
    assert (outcome.violated, outcome.length) == (None if toy.length is None else toy.prop.id, toy.length)
    if toy.length is not None:
        trace = read_trace(export, outcome)
        replay = Replay(Reference(toy.model, toy.setting), toy.prop, trace.labels, trace.initial)
        assert (len(replay.labels), replay.faults) == (toy.length, toy.faults)


@pytest.mark.parametrize(("id", "scope", "bounds"), [
    ("I8", "hand-over", {}), ("I17", "calm-reset", {"messages": 1}), ("I1", "come-back", {"messages": 1}),
])  # fmt: skip
def test_tlc_agrees_on_rocketmq(id: str, scope: str, bounds: dict[str, int], tmp_path: Path) -> None:
    (question,) = questions(Request(ROCKETMQ, (id,), scope=scope, bounds=bounds))
    result = Explicit().decide(question)
    faults = result.replay.faults if result.replay else None
    export = export_of("rocketmq", [question], faults)
    outcome = run_tlc(export, folder=tmp_path, invariants=[id])
    if result.replay is None:
        assert (outcome.violated, outcome.states, outcome.depth) == (None, result.counts.states, result.counts.depth)
    else:
        assert (outcome.violated, outcome.length) == (id, len(result.replay.labels))
        trace = read_trace(export, outcome)
        assert Replay(Reference(question.model, question.setting), question.prop, trace.labels, trace.initial)

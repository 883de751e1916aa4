"""What a tool that runs exports has to say: of toys, what was counted by hand; of RocketMQ, what the engine says."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from _pytest.mark import ParameterSet
from exports.rocketmq_cases import Case, answer_of
from exports.samples import exported_toy
from exports.yardsticks import enumerated, explored, replayed

from offsetproof.examples.toys import TOYS, Toy
from offsetproof.exports.exported import MODEL_ERROR, Exported
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.exports.promela.spin import SpinOptions, run_spin
from offsetproof.exports.stateright.cargo import run_stateright
from offsetproof.exports.stateright.crate import crate_name
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.exports.tla.tlc_traces import read_trace
from offsetproof.lang import Property
from offsetproof.lang.reference import Reference, Replay
from offsetproof.verdict.result import Verdict

QUICK_SPIN = SpinOptions(optimize=0, seconds=300)
WRONG = [toy for toy in TOYS if toy.verdict is Verdict.UNKNOWN]
"""The toys that can go wrong."""


@dataclass(frozen=True)
class Tool:
    """Runs an export for one condition, or for all states; and follows the trace that it has found."""

    name: str
    run: Callable[[Exported, str | None, Path], ToolOutcome]
    replay: Callable[[Exported, Property, ToolOutcome], Replay]

    def must_find_states(self, toy: Toy, folder: Path) -> None:
        export = exported_toy(toy)
        outcome = self.run(export, None, folder)
        assert (outcome.states, outcome.depth) == explored(export.system) == enumerated(toy)
        assert (outcome.tool, outcome.violated, outcome.length) == (self.name, None, None)

    def must_judge(self, toy: Toy, folder: Path) -> None:
        export = exported_toy(toy, None if toy.length is None else toy.faults)
        outcome = self.run(export, toy.prop.id, folder)
        assert outcome.length == toy.length
        if toy.length is None:
            assert (outcome.states, outcome.depth, outcome.violated) == (toy.states, toy.depth, None)
            return
        assert outcome.violated == toy.prop.id
        replay = self.replay(export, toy.prop, outcome)
        assert (len(replay.labels), replay.faults) == (toy.length, toy.faults)

    def must_meet_error(self, toy: Toy, folder: Path) -> None:
        outcome = self.run(exported_toy(toy), MODEL_ERROR, folder)
        assert (outcome.violated, outcome.length) == (MODEL_ERROR, 3)

    def must_agree(self, case: Case, folder: Path) -> None:
        judged = self.run(case.export, case.claim, folder)
        assert answer_of(judged) == case.answer
        if case.length is not None:
            replay = self.replay(case.export, case.question.prop, judged)
            assert (len(replay.labels), replay.faults) == (case.length, case.faults)
        whole = judged if case.length is None else self.run(case.export, None, folder)
        assert (whole.states, whole.depth) == case.space


def systems(toys: Sequence[Toy]) -> dict[str, Toy]:
    """One toy of each model in each scope, by what a test with it is called."""
    return {toy.model.__name__ + toy.scope: toy for toy in reversed(toys)}


def quick_of(cases: Sequence[Case], quick: Sequence[Case]) -> list[ParameterSet]:
    """Cases as parameters, slow but for some."""
    return [pytest.param(case, marks=() if case in quick else pytest.mark.slow, id=case.name) for case in cases]


def _spin_run(export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
    return run_spin(export, claim=claim, folder=folder, options=QUICK_SPIN)


def _spin_replay(export: Exported, prop: Property, outcome: ToolOutcome) -> Replay:
    known = {inst.name for inst in export.system.instances}
    return replayed(export, prop, [line.strip() for line in outcome.output.splitlines() if line.strip() in known])


def _tlc_run(java: Sequence[str], export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
    return run_tlc(export, folder=folder, java=java, claims=() if claim is None else [claim])


def _tlc_replay(export: Exported, prop: Property, outcome: ToolOutcome) -> Replay:
    trace = read_trace(export, outcome)
    return Replay(Reference(export.model, export.setting), prop, trace.labels, trace.initial)


def _stateright_replay(export: Exported, prop: Property, outcome: ToolOutcome) -> Replay:
    return replayed(export, prop, json.loads(outcome.output)["path"])


def tlc(java: Sequence[str] = SHORT_RUN) -> Tool:
    return Tool("TLC", partial(_tlc_run, java), _tlc_replay)


def stateright(target: Path) -> Tool:
    """What cargo compiles is kept in `target`; several claims about one system share a program."""

    def run(export: Exported, claim: str | None, folder: Path) -> ToolOutcome:
        return run_stateright(export, claim=claim, folder=folder / crate_name(export), target=target)

    return Tool("stateright", run, _stateright_replay)


SPIN = Tool("spin", _spin_run, _spin_replay)

"""Recorded counterexamples: each replays on the reference semantics, and is still the canonical smallest one."""

from __future__ import annotations

from pathlib import Path

import pytest

from offsetproof.check.answers import answers
from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang.reference import Reference, Replay
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.store import labels_of, read_record_file, write_record
from offsetproof.traces.trace import Trace
from offsetproof.verdict.question import Question

FOLDER = Path(__file__).parents[2] / "traces" / "recorded"
FILES = sorted(FOLDER.glob("*.json"))
ENGINE = Explicit()


def question_of(trace: Trace) -> Question:
    """The question that a recorded trace answers."""
    world = trace.world
    request = Request(
        ROCKETMQ,
        properties=(trace.property.id,),
        releases=(world.release or "",),
        fixes=world.fixes,
        assumptions=world.assumptions,
        listener=world.listener,
        scope=world.scope.name,
        bounds={**world.scope.bounds, **world.scope.faults},
    )
    return questions(request)[0]


def test_there_are_recorded_traces() -> None:
    assert len(FILES) >= 25


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_trace_replays(file: Path) -> None:
    recorded = read_record_file(file)
    question = question_of(recorded.trace)
    replay = Replay(Reference(question.model, question.setting), question.prop, labels_of(recorded))
    assert replay.faults == recorded.trace.faults
    assert len(replay.states) == recorded.trace.length + 1


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_trace_is_what_the_checker_finds_today(file: Path) -> None:
    (answer,) = answers(ROCKETMQ, [ENGINE], [question_of(read_record_file(file).trace)])
    assert answer.trace is not None
    assert write_record(answer.trace) == file.read_text(encoding="utf-8"), "run `make record` if the change is meant"

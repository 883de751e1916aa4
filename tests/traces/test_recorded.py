"""Recorded counterexamples: each replays on the reference semantics, and is still the canonical smallest one."""

from __future__ import annotations

import re
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

ROOT = Path(__file__).parents[2]
FOLDER, PAGE = ROOT / "traces" / "recorded", ROOT / "docs" / "resets.md"
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


CAUSES = re.findall(
    r"(?m)^\| `([\w-]+)` \|.*\| (\d+) \| (\d+) \| (none|\d+ s) \| (\w+) \|", PAGE.read_text(encoding="utf-8")
)


def test_page_on_resets_tells_every_recorded_cause() -> None:
    assert {row[0] for row in CAUSES} == {file.stem for file in FILES if re.match("I5-(?!forward)", file.stem)}


@pytest.mark.parametrize("row", CAUSES, ids=lambda row: row[0])
def test_page_on_resets_has_the_figures_of_the_recorded_trace(row: tuple[str, ...]) -> None:
    name, steps, faults, stall, effect = row
    recorded = read_record_file(FOLDER / f"{name}.json")
    (answer,) = answers(ROCKETMQ, [ENGINE], [question_of(recorded.trace)])
    assert answer.trace is not None
    assert answer.trace.timing is not None
    assert answer.trace.effect is not None
    seconds = answer.trace.timing.stall
    assert (int(steps), int(faults)) == (answer.trace.length, answer.trace.faults)
    assert stall == ("none" if seconds == 0 else f"{seconds:g} s")
    assert effect == answer.trace.effect.kind

"""Recorded counterexamples: each replays on the reference semantics, and is still the canonical smallest one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from systems.answered import Answered
from systems.recordings import FILES, question_of
from systems.sizes import large_are_slow

from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.source_paths import shown_file
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.traces.store import labels_of, read_record_file, write_record
from offsetproof.verdict.result import Verdict

PAGE = Path(__file__).parents[2] / "docs" / "studies" / "resets.md"


def test_there_are_recorded_traces() -> None:
    assert len(FILES) >= 25


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_recorded_trace_replays(file: Path) -> None:
    recorded, question = read_record_file(file), question_of(file)
    labels, cycle_at = labels_of(recorded), recorded.trace.cycle_at
    replay = Replay(Reference(question.model, question.setting), question.prop, labels, cycle_at=cycle_at)
    assert replay.faults == recorded.trace.faults
    assert len(replay.states) == recorded.trace.length + 1
    for step in recorded.trace.steps:
        action = replay.reference.grown.instances[step.label][0]
        told = (step.file, step.line, step.stands_for, step.logs)
        assert told == (shown_file(action.file), action.line, action.stands_for, action.logs), "run `make record`"


CAUSES = {
    row[0]: row[1:]
    for row in re.findall(
        r"(?m)^\| `([\w-]+)` \|.*\| (\d+) \| (\d+) \| (none|\d+ s) \| (\w+) \|", PAGE.read_text(encoding="utf-8")
    )
}
"""What the page on resets says of each: steps, faults, smallest stall, effect."""


@pytest.mark.parametrize("file", large_are_slow(FILES, question_of), ids=lambda file: file.stem)
def test_recorded_trace_is_what_the_checker_finds_today(file: Path, answered: Answered) -> None:
    answer = answered.answer(question_of(file))
    trace = answer.trace
    assert trace is not None
    assert answer.result.expected in (None, Verdict.REFUTED)
    assert write_record(trace) == file.read_text(encoding="utf-8"), "run `make record` if the change is meant"
    if file.stem in CAUSES:
        assert trace.timing is not None
        assert trace.effect is not None
        stall = "none" if trace.timing.stall == 0 else f"{trace.timing.stall:g} s"
        assert CAUSES[file.stem] == (str(trace.length), str(trace.faults), stall, trace.effect.kind)


def test_page_on_resets_tells_every_recorded_cause() -> None:
    of_resets = [file for file in FILES if re.match("I5-(?!forward)", file.stem)]
    at_client = [file for file in of_resets if not question_of(file).setting.behaves(SERVER_SIDE_RESET)]
    assert set(CAUSES) == {file.stem for file in at_client if question_of(file).model is RocketMQ}

"""The recorded counterexamples, and the questions that they answer."""

from __future__ import annotations

from pathlib import Path

from offsetproof.check.request import Request, questions
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.store import read_record_file
from offsetproof.verdict.question import Question

FOLDER = Path(__file__).parents[2] / "traces" / "recorded"
FILES = sorted(FOLDER.glob("*.json"))


def question_of(file: Path) -> Question:
    """The question that a recorded trace answers."""
    trace = read_record_file(file).trace
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

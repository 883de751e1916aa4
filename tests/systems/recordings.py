"""The recorded counterexamples, and the questions that they answer."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from offsetproof.checking.request import question_of as asked
from offsetproof.checking.subject import load_subject
from offsetproof.lang import Subject
from offsetproof.traces.store import read_record_file
from offsetproof.traces.trace import Trace
from offsetproof.verdict.question import Question

FOLDER = Path(__file__).parents[2] / "traces" / "recorded"
FILES = sorted(FOLDER.glob("*.json"))
WITH_AN_END = [file for file in FILES if read_record_file(file).trace.cycle_at is None]
"""Those of a run that ends. No times are told of one that goes on for ever."""


@cache
def question_of(file: Path) -> Question:
    """The question that a recorded trace answers."""
    trace = read_record_file(file).trace
    return asked(subject_of(trace), trace.world.claim(trace.property.id))


def subject_of(trace: Trace) -> Subject:
    """The built-in subject that the trace is of."""
    assert trace.subject is not None
    return load_subject(trace.subject)

"""Answers that tests of one session share: what one of them has asked about RocketMQ is not decided again for another.

An answer is kept as the program sends it from one process to another, in the session's folder, so that the processes
of pytest-xdist share it too. Whoever takes it has the model's own Python follow the steps of its replay once more.
"""

from __future__ import annotations

import fcntl
import hashlib
import pickle
from dataclasses import dataclass
from pathlib import Path

from systems.built_in import BY_MODEL

from offsetproof.checking.answers import Answer, answer_to
from offsetproof.checking.answers_apart import pack_answer, unpack_answer
from offsetproof.checking.engines import explicit_alone
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Result

ENGINES = explicit_alone()
"""Who is asked about RocketMQ in this process: every setting is staged once, for all tests."""


@dataclass(frozen=True)
class Answered:
    """The explicit engine's answers, a file for each question, in a folder that all processes of the session see."""

    folder: Path

    def answer(self, question: Question) -> Answer:
        """The answer to a question about RocketMQ; whoever asks first decides it, and others wait for that."""
        file, subject = self.folder / _name(question), BY_MODEL[question.model]
        with file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not file.exists():
                whole = file.with_suffix(".part")
                whole.write_bytes(pickle.dumps(pack_answer(answer_to(subject, ENGINES, question))))
                whole.replace(file)
        return unpack_answer(subject, question, pickle.loads(file.read_bytes()))

    def result(self, question: Question) -> Result:
        """What the answer says of the verdict, and how it was reached."""
        return self.answer(question).result


def _name(question: Question) -> str:
    """The same for the same question, in every process."""
    world = ClaimInWorld.of(question.prop.id, question.setting)
    needed = tuple(prop.id for prop in question.witnesses)
    text = repr((question.model.__qualname__, world.id, needed, question.limits, question.reductions))
    return hashlib.sha256(text.encode()).hexdigest()

"""Answers that are kept: what this very program has decided once, it need not decide again.

An answer about a built-in subject follows from the question, this program's sources, and what runs them. Where all of
that is as it was, the answer is what it was; it says when it was decided, and `--again` decides it once more. What a
user's own model reads while it is staged is hard to name, so nothing of it is kept. Nor is an answer within limits of
the user's, an UNKNOWN, one whose effect lacks memory, one whose trace may need fewer faults, or one of sources that
changed after they were loaded.

A file counts where it fits its digest, holds nothing but this program's own data, and a counterexample's steps replay.
Otherwise the question is decided, as if there were none.
"""

from __future__ import annotations

import io
import json
import logging
import pickle
import platform
import shutil
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, is_dataclass, replace
from datetime import UTC, datetime
from enum import Enum
from functools import cache
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from offsetproof.cache import cache_folder, read_kept, write_kept
from offsetproof.checking.answers import Answer
from offsetproof.checking.answers_apart import pack_answer, unpack_answer
from offsetproof.lang.reference import ReplayError
from offsetproof.lang.subject import Subject
from offsetproof.sources import is_as_loaded, program
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import UnprovenError, Verdict

_PROGRAMS_MOST = 3
"""Of how many programs answers are kept: this one, and those that were used last."""

_CANNOT_KEEP = (OSError, RuntimeError, PackageNotFoundError)
"""No place or no home to keep answers in; or nobody knows which libraries compute them."""

_LOG = logging.getLogger("offsetproof")

BySubject = Sequence[tuple[Subject, Sequence[Question]]]


@dataclass(frozen=True)
class Recalled:
    """What is kept of a batch of questions, and what is left to decide."""

    by_subject: BySubject
    answers: Mapping[int, Answer]
    keeps: bool

    @property
    def left(self) -> BySubject:
        """The questions without an answer, by subject."""
        return [
            (subject, [question for question in those if id(question) not in self.answers])
            for subject, those in self.by_subject
        ]

    def complete(self, new: Generator[Answer, None, None]) -> Generator[Answer, None, None]:
        """One answer per question, in their order: the kept ones, and `new`, which come in the order of the others.

        What is decided is kept. Where the work is interrupted there are fewer, as there are in `new`.
        """
        with closing(new):
            for subject, those in self.by_subject:
                for question in those:
                    answer = self.answers.get(id(question))
                    if answer is None:
                        answer = next(new, None)
                        if answer is not None and self.keeps:
                            _keep(subject, question, answer)
                    if answer is not None:
                        yield answer


def recall(by_subject: BySubject, *, keeps: bool, believes: bool) -> Recalled:
    """What is kept of these questions. `keeps`: answers to them may be kept; `believes`: those that are, count."""
    if not keeps or not is_as_loaded():
        return Recalled(by_subject, {}, keeps=False)
    program()  # of the sources as they are before anything is decided
    known = {
        id(question): _kept_answer(subject, question) for subject, those in by_subject for question in those if believes
    }
    return Recalled(by_subject, {id: answer for id, answer in known.items() if answer is not None}, keeps=True)


def _kept_answer(subject: Subject, question: Question) -> Answer | None:
    """The answer that is kept of a question, its steps replayed; None where there is none that can be read."""
    try:
        made_of = _made_of(subject, question)
        content = read_kept(_file(made_of), made_of)
        if content is None:
            return None
        decided, packed = _OwnData(io.BytesIO(content)).load()
        answer = unpack_answer(subject, question, packed)
    except (*_CANNOT_KEEP, pickle.UnpicklingError, ReplayError, UnprovenError):
        return None
    return replace(answer, result=replace(answer.result, kept_since=decided))


def _keep(subject: Subject, question: Question, answer: Answer) -> None:
    """Keeps an answer to this very question, if it has a verdict and is whole; says once why nothing can be kept."""
    result = answer.result
    is_its = (result.prop, result.setting) == (question.prop, question.setting)
    is_cut = answer.is_interrupted or answer.lacks_memory or result.fewer_faults_open is not None
    if not is_its or result.verdict is Verdict.UNKNOWN or is_cut or not is_as_loaded():
        return
    decided = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    try:
        made_of = _made_of(subject, question)
        file = _file(made_of)
        write_kept(file, made_of, pickle.dumps((decided, pack_answer(answer))))
        _forget_old_programs(file.parent)
    except _CANNOT_KEEP as error:
        _complain(getattr(error, "strerror", None) or str(error))  # without the file's name, which differs each time


@cache
def _complain(why: str) -> None:
    _LOG.warning("offsetproof: answers cannot be kept, so every run decides them again: %s", why)


def _made_of(subject: Subject, question: Question) -> bytes:
    """All that an answer follows from: the program, what runs it, and the question by names."""
    setting = question.setting
    scope = setting.scope
    asked = {
        "subject": subject.name,
        "claim": (question.prop.id, question.prop.kind),
        "release": setting.release,
        "scope": (scope.name, dict(scope.bounds), dict(scope.faults)),
        "fixes": [fix.name for fix in setting.fixes],
        "assumptions": [assumption.name for assumption in setting.assumptions],
        "listener": (setting.listener_name, setting.other_listener),
        "witnesses": [witness.id for witness in question.witnesses],
        "reductions": (question.reductions.slicing, question.reductions.dead),
        "unasked": question.unasked,
    }
    return json.dumps([program(), _runs_on(), asked], sort_keys=True).encode()


@cache
def _runs_on() -> tuple[str, ...]:
    """What runs the program, and computes for it."""
    return (
        sys.version,
        platform.machine(),
        *(f"{name} {version(name)}" for name in ("llvmlite", "numba", "numpy", "z3-solver")),
    )


def _file(made_of: bytes) -> Path:
    """A file for each question, in a folder for each program. RuntimeError where nobody knows of a home."""
    folder = sha256(program().encode()).hexdigest()[:16]
    return cache_folder("answers") / folder / sha256(made_of).hexdigest()[:32]


def _forget_old_programs(mine: Path) -> None:
    """Deletes what other programs have kept, but for those that kept something last."""
    others = [folder for folder in mine.parent.iterdir() if folder != mine and folder.is_dir()]
    others.sort(key=lambda folder: folder.stat().st_mtime, reverse=True)
    for folder in others[_PROGRAMS_MOST - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)


class _OwnData(pickle.Unpickler):
    """Reads values of this program's own data types, and plain ones; nothing that could run code."""

    def find_class(self, module: str, name: str) -> Any:
        if module.partition(".")[0] == "offsetproof":
            found = super().find_class(module, name)
            if isinstance(found, type) and (is_dataclass(found) or issubclass(found, Enum)):
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is not data of this program")

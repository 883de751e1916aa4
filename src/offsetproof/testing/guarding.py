"""The questions of a user's baseline, each of which can be compared by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from offsetproof.checking.engines import Engines, explicit_alone
from offsetproof.checking.releases import ALL_RELEASES
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.guard.baseline import Baseline, RecheckPolicy, any_baseline_in, of_subject
from offsetproof.guard.comparison import ComparedQuestion, Guard
from offsetproof.guard.deciding import comparisons_of, findings_without_question
from offsetproof.guard.report import guard_text
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.subject import NoSubjectError, Subject
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError
from offsetproof.testing.asserting import name_of
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.question import Question

_COLUMNS = 100
_SUFFIX = ".baseline.json"


class CannotBeAskedError(Exception):
    """The baseline, or the model beside it, cannot be used; the message says why."""


def comparisons_in(file: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """Each question of `NAME.baseline.json` and of `NAME.py` beside it, with what compares it.

    That returns what `offsetproof guard` writes where something is not as it was, and else nothing. Questions whose
    system is unchanged are not decided again, but for the tenth whose turn it is that day. CannotBeAskedError where
    file or model cannot be used.
    """
    try:
        known = any_baseline_in(file, SIZE_MAX)
        subject = _subject_beside(file, known.subject)
        of_subject(subject, known, file)
        releases = (ALL_RELEASES,) if subject.model.releases else ()
        questions = questions_of(Request(subject, releases=releases))
    except UnreadableFileError as error:
        raise CannotBeAskedError(f"{error.file}: {error.place}: {error.wrong}") from error
    except (DeclarationError, NoSubjectError, RefusedError, UnknownNameError) as error:
        raise CannotBeAskedError(str(error)) from error
    engines = explicit_alone()
    for question in questions:
        yield name_of(question), partial(_report_now, subject, engines, known, question)
    for gone in findings_without_question(questions, known.findings):
        yield f"{gone.asked.claim}-{gone.scope.name}-gone", partial(_report_of, subject, gone)


def _subject_beside(file: Path, name: str) -> Subject:
    """The model of that name in the file beside the baseline, which may have several."""
    model = file.with_name(f"{file.name.removesuffix(_SUFFIX)}.py")
    try:
        return load_subject(f"{model}:{name}")
    except NoSubjectError:
        return load_subject(str(model))


def _report_now(subject: Subject, engines: Engines, known: Baseline, question: Question) -> str:
    (found,) = comparisons_of(
        subject, engines, [question], known.findings, RecheckPolicy.of_today(), 1, lambda *_: None
    )
    return _report_of(subject, found)


def _report_of(subject: Subject, compared: ComparedQuestion) -> str:
    guard = Guard(subject, (compared,), whole=False)
    return "" if guard.exit is Exit.AS_EXPECTED else guard_text(guard, _COLUMNS)

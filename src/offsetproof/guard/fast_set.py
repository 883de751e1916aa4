"""The fast set: what `check` asks of a built-in subject where nobody names a claim, a release or a scope.

It takes two minutes on two cores. A question is too large for that where the baseline knows of its system that it has
more than `STATES_MAX` states; one that the baseline does not know is asked. Whoever names what is to be asked gets all
of it: `--release all` asks everything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from offsetproof.checking.catalogue import SINGLES
from offsetproof.guard.baseline import Finding, Key, baseline_file, read_baseline
from offsetproof.guard.comparison import key_of
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import UnreadableFileError
from offsetproof.verdict.question import Question

STATES_MAX = 30_000
"""The most states that the system of a question of the fast set is known to have."""


def fast_and_large(subject: Subject, questions: Sequence[Question]) -> tuple[list[Question], list[Question]]:
    """The questions of the fast set, and those known to be too large for it: none where nobody has a baseline."""
    findings = _findings_of(subject)
    parts: tuple[list[Question], list[Question]] = [], []
    for question in questions:
        parts[_known_states(question, findings) > STATES_MAX].append(question)
    return parts


def _findings_of(subject: Subject) -> Mapping[Key, Finding]:
    if subject.name not in SINGLES or SINGLES[subject.name].subjects != (subject,):
        return {}
    try:
        return read_baseline(baseline_file(subject.name, subject), subject).findings
    except UnreadableFileError:
        return {}


def _known_states(question: Question, findings: Mapping[Key, Finding]) -> int:
    """How many states the baseline knows of, 0 where of none.

    A release that the baseline leaves out has the system of an earlier one: that on which it is based, or one before.
    """
    asked, kind = key_of(question)
    releases = {release.name: release for release in question.model.releases}
    lineage = releases[asked.release].lineage if asked.release in releases else ()
    keys = [(replace(asked, release=release.name), kind) for release in lineage] or [(asked, kind)]
    return next((findings[key].states for key in keys if key in findings), 0)

"""Which report people get of some answers: in full about little, else a page."""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.checking.answers import Answer
from offsetproof.lang.claim import Property
from offsetproof.reports.condensed import condensed_report
from offsetproof.reports.stories import Stories
from offsetproof.reports.text import text_report

FEW = 6
"""Up to this many questions each answer is told in full detail, and about one claim always."""


def is_page(claims: Sequence[Property]) -> bool:
    """Are there more than a few questions, and about several claims, so that their answers are a page?"""
    return not _is_one(claims) and len(claims) > FEW


def _is_one(claims: Sequence[Property]) -> bool:
    """Are these one claim, in however many of its cases?"""
    return len({prop.function for prop in claims}) == 1


def report_for_people(
    name: str,
    answers: Sequence[Answer],
    width: int,
    *,
    claims: Sequence[Property],
    colour: bool = False,
    form: Stories | None = None,
    model: str = "",
) -> str:
    """The report: in full about little, else a page. `claims` are those of all questions, answered or not.

    `model` is what the subject is called on the command line, if it has to be named there.
    """
    if not answers:
        return f"{name}: nothing was decided\n"
    form = form or (Stories.FULL if _is_one(claims) else Stories.BRIEF)
    if not is_page(claims):
        return text_report(name, answers, width, colour=colour, form=form, asked=len(claims))
    return condensed_report(name, answers, width, colour=colour, form=form, model=model, asked=len(claims))

"""What ends a comparison early while one side follows the other: an interrupt, or the time that is over."""

from __future__ import annotations

import time

import pytest

from offsetproof.checking.comparing import Comparison, compare_sides
from offsetproof.checking.sides import Side
from offsetproof.checking.subject import load_subject
from offsetproof.lang import Setting
from offsetproof.verdict import limits as limits_module
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Reason, Verdict


def side() -> Side:
    subject = load_subject("offsetproof.examples.lost_update")
    return Side("two workers", subject, Setting(subject.model.scopes[0]))


def endings(compared: Comparison) -> list[tuple[Verdict, Reason | None]]:
    return [(direction.verdict, direction.reason) for direction in compared.directions]


def test_interrupt_in_one_direction_ends_the_other_too() -> None:
    statuses: list[str] = []

    def interrupt(status: object) -> None:
        statuses.append(str(status))
        if "followed by" in statuses[-1]:
            raise KeyboardInterrupt

    compared = compare_sides((side(), side()), progress=interrupt)
    assert endings(compared) == [(Verdict.UNKNOWN, Reason.INTERRUPTED)] * 2
    assert sum("followed by" in each for each in statuses) == 1


def test_time_is_looked_at_however_few_pairs_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock goes ahead while the first pair is looked at."""
    clock = time.monotonic

    def go_ahead(status: object) -> None:
        if "followed by" in str(status):
            monkeypatch.setattr(limits_module, "monotonic", lambda: clock() + 1000)
            time.sleep(10)

    compared = compare_sides((side(), side()), limits=Limits(seconds=900), progress=go_ahead)
    assert endings(compared) == [(Verdict.UNKNOWN, Reason.TIME)] * 2


def test_time_that_is_over_before_both_sides_are_staged_is_no_answer_and_no_error() -> None:
    compared = compare_sides((side(), side()), limits=Limits(seconds=0))
    assert endings(compared) == [(Verdict.UNKNOWN, Reason.TIME)] * 2
    assert (compared.explored, compared.is_vacuous) == ((None, None), False)

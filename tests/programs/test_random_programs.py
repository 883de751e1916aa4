"""Random programs, right and wrong ones: each is refused with its place, or everybody who runs it agrees.

`programs.writing.program(seed)` is the program with a number; a failure prints it, made smaller, with that number.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest
from contract.mistakes import Mistake
from contract.translations import TRANSLATIONS
from programs.judging import FindingError, Judged, judge
from programs.plain_search import Plain
from programs.shrinking import shrunk
from programs.writing import SNIPPETS, Program, program
from systems.seeded import unread

from offsetproof.ir.kind import Kind


@dataclass
class Tally:
    """What became of many programs."""

    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    forms: set[str] = field(default_factory=set)
    accepted_forms: set[str] = field(default_factory=set)
    refused_offences: set[str] = field(default_factory=set)
    refused_without_offence: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{dict(self.outcomes)}, verdicts {dict(self.verdicts)}"


def judged(seeds: Iterable[int], claims: int) -> Tally:
    """Judges the programs with these numbers; what is found is told with the program, made smaller."""
    tally = Tally()
    for seed in seeds:
        drawn = program(seed)
        found = _judged(drawn, claims)
        tally.outcomes[found.outcome] += 1
        tally.verdicts.update(found.verdicts)
        tally.forms |= drawn.used
        if found.outcome == "accepted":
            tally.accepted_forms |= drawn.used
        elif found.outcome == "refused" and drawn.offence is None:
            tally.refused_without_offence.append(f"{seed}: {found.said}")
        elif found.outcome == "refused" and drawn.offence is not None:
            tally.refused_offences.add(drawn.offence.title)
    return tally


def _judged(drawn: Program, claims: int) -> Judged:
    try:
        found = judge(drawn.source, drawn.seed, claims)
        if drawn.offence is not None and drawn.offence.refused and found.outcome != "refused":
            raise FindingError(f"{drawn.offence.title} is {found.outcome}, and not refused")
    except FindingError as error:
        said = str(error)
        smaller = shrunk(drawn.source, lambda source: _fails(source, drawn.seed, said))
        pytest.fail(f"program({drawn.seed}): {said}\n\nwhich shows in\n\n{smaller}")
    return found


def _fails(source: str, seed: int, said: str) -> bool:
    """Does a smaller program fail with the same first words?"""
    try:
        judge(source, seed)
    except FindingError as error:
        return str(error)[:40] == said[:40]
    return False


def must_be_substantial(tally: Tally, programs: int) -> None:
    """Neither all refused nor all accepted, few that are too large, every verdict met, every form accepted."""
    print(tally)
    assert min(tally.outcomes["refused"], tally.outcomes["accepted"]) >= programs // 5
    assert tally.outcomes["large"] <= programs // 10
    assert {"HOLDS", "REFUTED", "UNKNOWN"} <= tally.verdicts.keys()
    assert len(tally.refused_without_offence) <= programs // 100, tally.refused_without_offence


@pytest.mark.slow
def test_a_hundred_programs_are_refused_or_all_agree() -> None:
    tally = judged(range(100), claims=1)
    must_be_substantial(tally, 100)
    assert len(tally.accepted_forms) >= 0.9 * len(tally.forms)
    tried = {drawn.offence for drawn in map(program, range(100)) if drawn.offence is not None}
    assert {offence.title for offence in tried if offence.refused} <= tally.refused_offences


@pytest.mark.slow
def test_two_thousand_programs_are_refused_or_all_agree() -> None:
    tally = judged(range(int(os.environ.get("OFFSETPROOF_PROGRAMS", "2000"))), claims=2)
    must_be_substantial(tally, sum(tally.outcomes.values()))
    assert tally.forms == tally.accepted_forms
    assert {offence.title for offence in SNIPPETS if offence.refused} <= tally.refused_offences


COUNTERS = """\
from offsetproof.lang import *

COUNTS = {"runs": 0}
LIST = [0]

def counts():
    COUNTS["runs"] = (COUNTS["runs"] + 1) % 3
    return COUNTS["runs"]

def flips():
    LIST[0] = 1 - LIST[0]
    return LIST[0]

class Drawn(Model):
    n: int = integer(0, 2)
    m: int = integer(0, 2)

    @action()
    def moves(self):
        self.n = HERE

    @action()
    def follows(self):
        self.m = HERE

    @always
    def state(self):
        return self.n + self.m < 4
"""


@pytest.mark.parametrize("call", ["counts()", "flips()"])
def test_a_counter_that_is_not_refused_is_found(call: str) -> None:
    source = COUNTERS.replace("HERE", call)
    assert judge(source, 0).outcome == "refused"
    with unread(), pytest.raises(FindingError):
        judge(source, 0)


REMAINDERS = """\
from offsetproof.lang import *

class Drawn(Model):
    n: int = integer(-3, 3)

    @action()
    def moves(self):
        self.n = (self.n * 2 + 1) % 3

    @always
    def state(self):
        return self.n != -2

    @sometimes
    def state_drawn(self):
        return self.n == -2 or self.n == 2
"""

ROUNDED_TO_ZERO = Mistake(
    Kind.MOD,
    "rounds towards zero",
    lambda make, a, b: make(
        Kind.ITE,
        make(Kind.LE, make(Kind.SUB, a, a), a),
        make(Kind.MOD, a, b),
        make(Kind.SUB, make(Kind.SUB, a, a), make(Kind.MOD, make(Kind.SUB, make(Kind.SUB, a, a), a), b)),
    ),
)


@pytest.mark.parametrize("table", [TRANSLATIONS[0], TRANSLATIONS[4]], ids=["machine code", "bit-vectors"])
def test_a_remainder_that_rounds_towards_zero_is_found(table: object) -> None:
    assert judge(REMAINDERS, 0).outcome == "accepted"
    with table.mistaken(ROUNDED_TO_ZERO), pytest.raises(FindingError):  # type: ignore[attr-defined]  # a Translation
        judge(REMAINDERS, 0)


def test_another_order_is_another_graph_where_something_is_kept_outside_of_fields() -> None:
    source = COUNTERS.replace("HERE", "counts()")
    first, second = (Plain(source).explore(300, backwards=backwards) for backwards in (False, True))
    assert first.shown() != second.shown()


def test_a_failing_program_is_made_smaller() -> None:
    small = shrunk("import os\n\ndef f():\n    a = 1\n    b = 2\n    return b\n", lambda source: "b = 2" in source)
    assert small == "def f():\n    b = 2\n"

"""The mutation test: each operator mistranslated in each table in turn, until a toy's answer gives the mistake away.

`python -m contract.mutations`, from the folder `tests`, makes every mistake and prints how many were noticed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from contract.checkers import Checker, kinds, system
from contract.mistakes import MISTAKES, Mistake
from contract.promises import known
from contract.translations import TRANSLATIONS, Translation
from contract.zoo import ZOO

from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.kind import Kind
from offsetproof.verdict.result import DisagreementError


@dataclass(frozen=True)
class Noticed:
    """What gave a mistake away: another answer than the toy's, or (`by_itself`) an engine that contradicts itself."""

    toy: str
    what: str
    by_itself: bool = False


def notice(translation: Translation, mistake: Mistake, folder: Path) -> Noticed | None:
    """The first toy by which the mistake is noticed; None if it is not."""
    for toy in using(mistake.kind, translation.checker):
        must_agree(translation.checker, toy, folder)
        with translation.mistaken(mistake):
            noticed = asked(translation.checker, toy, folder)
        if noticed is not None:
            return noticed
    return None


def asked(checker: Checker, toy: Toy, folder: Path) -> Noticed | None:
    """What is wrong about a checker's answer on a toy, if anything.

    An engine may find out by itself, when it replays a trace or steps some states once more. A tool that gives no
    answer, or none in time, has noticed nothing: its error is this test's.
    """
    try:
        answer = checker.ask(toy, folder)
    except DisagreementError as error:
        return Noticed(toy.name, str(error).partition(". ")[0], by_itself=True)
    broken = list(checker.promise(known(toy, reduced=checker.reduces), answer))
    return Noticed(toy.name, "; ".join(broken)) if broken else None


@cache
def must_agree(checker: Checker, toy: Toy, folder: Path) -> None:
    """Without a mistake, the checker keeps its promise on the toy."""
    noticed = asked(checker, toy, folder)
    assert noticed is None, f"{checker.name}, with no mistake made: {noticed}"


@cache
def using(kind: Kind, checker: Checker) -> tuple[Toy, ...]:
    """The toys with an operator in them: for a slow checker the zoo first, which has them all.

    Then come those of which the checker tells most, the smaller the earlier: who counts tells most where everything is
    seen, the others where there is a trace.
    """
    found = [toy for toy in (*TOYS, *ZOO) if kind in kinds(toy) and checker.takes(toy)]

    def later(toy: Toy) -> tuple[bool, bool, int]:
        return checker.slow and toy not in ZOO, (toy.length is None) is not checker.counts, system(toy).bits

    return tuple(sorted(found, key=later))


@dataclass(frozen=True)
class Score:
    """What came of the mistakes in one table: how many were noticed, how many of these by the engine itself.

    `missed` are those that nobody noticed.
    """

    translation: str
    made: int
    noticed: int
    by_itself: int
    missed: tuple[str, ...]

    def __str__(self) -> str:
        how = f"{self.noticed} noticed, {self.by_itself} of them by the engine's own checks"
        return f"{self.translation}: {self.made} made, {how}" + "".join(f"\n  MISSED {name}" for name in self.missed)


def score(
    translations: Sequence[Translation] = TRANSLATIONS, mistakes: Sequence[Mistake] = MISTAKES
) -> Iterator[Score]:
    """These mistakes in these tables, a row per table."""
    for translation in translations:
        with tempfile.TemporaryDirectory() as folder:
            found = {mistake: notice(translation, mistake, Path(folder)) for mistake in mistakes}
        noticed = [each for each in found.values() if each is not None]
        missed = tuple(str(mistake) for mistake, each in found.items() if each is None)
        by_itself = sum(each.by_itself for each in noticed)
        yield Score(translation.name, len(found), len(noticed), by_itself, missed)


if __name__ == "__main__":
    rows = []
    for row in score():
        print(row, flush=True)
        rows.append(row)
    print(f"{sum(row.made for row in rows)} made, {sum(row.noticed for row in rows)} noticed")
    sys.exit(any(row.missed for row in rows))

"""Each operator mistranslated in each table in turn: the toys notice every mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from contract.checkers import SPIN
from contract.mistakes import MISTAKES, Mistake
from contract.mutations import Score, notice, score
from contract.translations import TRANSLATIONS, Translation

from offsetproof.ir.kind import LEAVES, Kind

ROOT = Path(__file__).parents[2]

NO_TRANSLATION = {
    "intervals": "one may be wider than it need be",
    "the wording of mutants": "only people read it",
    "columns": "it only chooses the states that spot checks look at",
}
"""Tables by kind that no answer depends on, and why."""


def mutation(translation: Translation, mistake: Mistake) -> object:
    """One mutation; slow is what takes a slow tool, but for the first mistake where that takes a second."""
    quick = (not translation.checker.slow and MISTAKES.index(mistake) % 3 == 0) or (
        mistake is MISTAKES[0] and translation.checker is SPIN
    )
    marks = () if quick else pytest.mark.slow
    return pytest.param(translation, mistake, id=f"{translation.name}-{mistake}", marks=marks)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where checkers write; what cargo compiles there serves the tests of exports, too."""
    return tmp_path_factory.getbasetemp()


@pytest.mark.parametrize(("translation", "mistake"), [mutation(t, m) for t in TRANSLATIONS for m in MISTAKES])
def test_mistake_is_noticed(translation: Translation, mistake: Mistake, folder: Path) -> None:
    assert notice(translation, mistake, folder) is not None


@pytest.mark.parametrize("translation", TRANSLATIONS, ids=lambda translation: translation.name)
def test_there_is_a_mistake_for_every_rule_of_the_table(translation: Translation) -> None:
    assert set(translation.table) == {mistake.kind for mistake in MISTAKES} == set(Kind) - LEAVES


def test_every_table_of_the_program_is_tried() -> None:
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py")]
    tables = [name for text in sources for name in re.findall(r'= complete\(\s*"([^"]+)"', text)]
    assert len(tables) == len(set(tables))
    assert len(set(tables) - NO_TRANSLATION.keys()) == len({id(translation.table) for translation in TRANSLATIONS})


def test_mistaken_table_is_right_again_afterwards() -> None:
    for translation in TRANSLATIONS:
        before = dict(translation.table)
        with translation.mistaken(MISTAKES[0]):
            assert [kind for kind in before if translation.table[kind] is not before[kind]] == [MISTAKES[0].kind]
        assert dict(translation.table) == before


def test_score_counts_what_is_noticed_and_names_what_is_missed() -> None:
    none = Mistake(Kind.SINGLE, "is right", lambda make, i: make(Kind.SINGLE, i))
    translation = TRANSLATIONS[0]
    (row,) = score([translation], [*MISTAKES[:2], none])
    assert row == Score(translation.name, 3, 2, row.by_itself, ("single: is right",))
    assert str(row).startswith(f"{translation.name}: 3 made, 2 noticed, ")
    assert str(row).endswith("\n  MISSED single: is right")

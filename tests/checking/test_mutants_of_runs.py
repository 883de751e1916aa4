"""Mutants and claims about runs: one breaks such a claim where a fair run of its own owes it for ever."""

from __future__ import annotations

import pytest
from systems.lively import Mailbox, peterson

from offsetproof.lang import Fairness, Model
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.refuting import refuting_mutant, steps_to_violate
from offsetproof.verdict.question import Question

RUNS = [
    (peterson(Fairness.WEAK), "yields: reads wants[] as false", 1),
    (peterson(Fairness.WEAK), "enters: guard 1 dropped: place[] == 1", 5),
    (peterson(Fairness.WEAK), "leaves: update of wants[] dropped", None),
    (Mailbox, "posts_card: update of posted dropped", 4),
    (Mailbox, "empties: update of full dropped", None),
]
"""Of Peterson's algorithm, and of a box that is full for ever, where a bound of the scope alone is in the way."""


def asked(model: type[Model]) -> Question:
    return Question(model, Setting(model.scopes[0]), model.claims[0])


@pytest.mark.parametrize(("model", "change", "steps"), RUNS, ids=lambda value: getattr(value, "__name__", str(value)))
def test_mutant_breaks_a_claim_where_a_fair_run_owes_it_for_ever(
    model: type[Model], change: str, steps: int | None
) -> None:
    question = asked(model)
    staged = Staged(model, question.setting)
    (mutant,) = (each for each in mutants(staged) if str(each) == change)
    assert steps_to_violate(question, staged, mutant) == steps


def test_claim_gets_a_mutant_where_it_holds() -> None:
    question = asked(peterson(Fairness.WEAK))
    found = refuting_mutant(question)
    assert found is not None
    assert steps_to_violate(question, Staged(question.model, question.setting), found[0]) == found[1]
    with pytest.raises(ValueError, match="who_wants_enters does not hold"):
        refuting_mutant(asked(peterson(Fairness.NONE)))

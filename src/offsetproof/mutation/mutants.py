"""Which mutants are made of a model: small changes of one action each, or of two steps that follow each other."""

from __future__ import annotations

from offsetproof.lang.stage import Staged
from offsetproof.mutation.changes import blind, change_guards, change_updates
from offsetproof.mutation.swaps import swap_steps
from offsetproof.mutation.workshop import Mutant, Workshop


def mutants(staged: Staged) -> list[Mutant]:
    """All mutants of a model in one setting, in the order of its actions."""
    shop = Workshop(staged)
    for places in shop.actions.values():
        change_guards(shop, places)
        change_updates(shop, places)
        blind(shop, places)
    swap_steps(shop)
    return shop.made

"""The cases that a file of claims states, and their order in reports."""

from __future__ import annotations

import re
from math import inf
from types import ModuleType

from offsetproof.lang import Claim, Property


def stated_in(module: ModuleType) -> list[Property]:
    """The cases of a file's claims, in its order."""
    return [prop for value in vars(module).values() if isinstance(value, Claim) for prop in value.cases]


def in_order_of_numbers(*modules: ModuleType) -> list[Property]:
    """The cases of several files' claims, by the number in their ids, 5 of `I5-forward`; ids without one come last."""
    return sorted((prop for module in modules for prop in stated_in(module)), key=_number)


def _number(prop: Property) -> float:
    number = re.match(r"I(\d+)", prop.id)
    return int(number[1]) if number else inf

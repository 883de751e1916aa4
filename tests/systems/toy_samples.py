"""Which toys a tool that takes a second for each is asked about in the fast suite: one of each kind of answer."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from _pytest.mark import ParameterSet

from offsetproof.examples.toys import TOYS, Toy


def _kind(toy: Toy) -> tuple[object, ...]:
    return toy.verdict, toy.prop.kind, bool(toy.faults)


TELLING = tuple({_kind(toy): toy for toy in reversed(TOYS)}.values())
"""The first toy of each verdict on each kind of claim, with and without faults."""


def one_of_each_kind(toys: Iterable[Toy]) -> list[ParameterSet]:
    """Parameters, slow but for the toys of `TELLING`."""
    return [pytest.param(toy, marks=() if toy in TELLING else pytest.mark.slow) for toy in toys]

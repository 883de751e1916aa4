"""Samples of matrices that take long: what is not in the sample is marked slow."""

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


def one_in(count: int, values: Iterable[object]) -> list[ParameterSet]:
    """Parameters, slow but for the first of each so many."""
    return [pytest.param(each, marks=pytest.mark.slow if at % count else ()) for at, each in enumerate(values)]

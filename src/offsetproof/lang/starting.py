"""Where a model starts: `initially`, run once for each combination of what it reads among fields that may be anything.

A combination whose `require` does not hold is not a start. Fields that may start with anything and that `initially`
does not read stay independent of everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, product

from offsetproof.ir.system import Correlation, State
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.run import Disabled, Run, run_guarded
from offsetproof.lang.tree import STARTS_MAX, Tree

COMBINATIONS_MAX = 1 << 16
"""The most combinations that `initially` is run for."""


@dataclass(frozen=True)
class _Started:
    """What one run of `initially` came to: which leaves it read and wrote, and the values (None: no start)."""

    read: frozenset[int]
    written: frozenset[int]
    state: State | None


def settle(tree: Tree, initially: Callable[[], None], place: str) -> Correlation | None:
    """Makes what `initially` leaves the leaves' initial values; what is left to say of those that depend on others.

    DeclarationError where there are too many starts, or none.
    """
    free = frozenset(position for position, leaf in enumerate(tree.leaves) if len(leaf.initial) > 1)
    runs = _runs(tree, initially, place, free)
    touched = sorted(frozenset().union(*(run.read | run.written for run in runs)))
    rows = _all_rows(tree, runs, touched, place)
    if not rows:
        raise DeclarationError(f"{place}: initially() leaves no initial state: its require() never holds")
    for position, column in zip(touched, zip(*rows, strict=True), strict=True):
        tree.leaves[position] = replace(tree.leaves[position], initial=tuple(sorted(set(column))))
    names = tuple(tree.leaves[position].path for position in touched)
    correlation = Correlation(names, tuple(rows)).among(names)
    _refuse_many(tree, correlation, place)
    return correlation


def _runs(tree: Tree, initially: Callable[[], None], place: str, free: frozenset[int]) -> list[_Started]:
    """One run per combination of the free leaves that are read; begun again whenever one more is."""
    read: frozenset[int] = frozenset()
    while True:
        runs: list[_Started] = []
        for combination in _combinations(tree, sorted(read), place):
            runs.append(_run(tree, initially, combination, place))
            more = (runs[-1].read & free) - read
            if more:
                read |= more
                break
        else:
            return runs


def _combinations(tree: Tree, positions: list[int], place: str) -> Iterator[dict[int, int]]:
    count = math.prod(len(tree.leaves[position].initial) for position in positions)
    if count > COMBINATIONS_MAX:
        fields = ", ".join(
            f"{tree.leaves[position].path} ({len(tree.leaves[position].initial):,})" for position in positions
        )
        raise DeclarationError(
            f"{place}: initially() reads fields that may start with anything: {fields}; that is {count:,} "
            f"combinations, and at most {COMBINATIONS_MAX:,} are tried. Use smaller domains, or let an action choose"
        )
    return (
        dict(zip(positions, values, strict=True))
        for values in product(*(tree.leaves[position].initial for position in positions))
    )


def _run(tree: Tree, initially: Callable[[], None], given: dict[int, int], place: str) -> _Started:
    tree.load(tuple(given.get(position, leaf.initial[0]) for position, leaf in enumerate(tree.leaves)))
    tree.written.clear()
    with tree.noting_reads() as read:
        run = Run()
        try:
            run_guarded(run, initially, place)
            state = tree.dump()
        except Disabled:
            state = None
    if run.cut:
        raise DeclarationError(f"{place}: bound() in initially(), where no step is cut off; say require()")
    return _Started(frozenset(read), frozenset(tree.written), state)


def _all_rows(tree: Tree, runs: list[_Started], touched: list[int], place: str) -> list[State]:
    rows: set[State] = set()
    for run in runs:
        if run.state is not None:
            rows.update(islice(_rows(tree, run, touched), STARTS_MAX + 1))
            if len(rows) > STARTS_MAX:
                raise DeclarationError(f"{place}: initially() leaves over {STARTS_MAX:,} states; use smaller domains")
    return sorted(rows)


def _rows(tree: Tree, run: _Started, touched: list[int]) -> Iterator[State]:
    """The values of the touched leaves; those that this run neither read nor wrote may be anything of theirs."""
    assert run.state is not None
    own = run.read | run.written
    return product(
        *((run.state[position],) if position in own else tree.leaves[position].initial for position in touched)
    )


def _refuse_many(tree: Tree, correlation: Correlation | None, place: str) -> None:
    names = correlation.names if correlation else ()
    free = [leaf for leaf in tree.leaves if leaf.path not in names and len(leaf.initial) > 1]
    count = math.prod(len(leaf.initial) for leaf in free) * (len(correlation.rows) if correlation else 1)
    if count > STARTS_MAX:
        fields = ", ".join(f"{leaf.path} ({len(leaf.initial):,})" for leaf in free)
        raise DeclarationError(
            f"{place}: there are {count:,} initial states, and a model has at most {STARTS_MAX:,}; these fields may "
            f"start with anything: {fields}. Use smaller domains, or let a first action choose"
        )

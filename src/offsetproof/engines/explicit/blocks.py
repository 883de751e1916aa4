"""States put together that nobody can tell apart by what is seen, however long they look: strong bisimilarity.

Blocks are split by what is seen, then by the blocks to which their states have steps, until that splits none (Blom and
Orzan, "Distributed state space minimization", 2005). The sets of blocks are compared by a hash of 64 bits; at the end
it is shown exactly, by counting, that the states of each block have steps to the same blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit.components import Targets
from offsetproof.engines.explicit.machine_code import kept_machine_code

Numbers = npt.NDArray[np.int64]
Masks = npt.NDArray[np.uint64]

_SEED = 0


@dataclass(frozen=True)
class Blocks:
    """Blocks of states, numbered by the first state of each.

    `seen[block]` is what is seen in it, `silent[block]` are the blocks to which a step leads that nobody sees,
    `visible[block]` those to which others lead, by what is seen then. `block_of[place]` is the block of a state.
    """

    block_of: Numbers
    initial: tuple[int, ...]
    seen: tuple[int, ...]
    silent: tuple[tuple[int, ...], ...]
    visible: tuple[Mapping[int, tuple[int, ...]], ...]


def blocks_of(starts: Numbers, targets: Targets, seen: Numbers, initial: Sequence[int]) -> Blocks:
    """The blocks of a graph: steps from state i lead to `targets[starts[i]:starts[i + 1]]`, and it shows `seen[i]`.

    >>> made = blocks_of(np.array([0, 2, 3, 4, 4]), np.array([1, 2, 3, 3], np.int32), np.array([7, 7, 7, 8]), [0])
    >>> made.block_of.tolist(), made.silent, made.visible
    ([0, 1, 1, 2], ((1,), (), ()), ({}, {8: (2,)}, {}))
    """
    sources = np.repeat(np.arange(len(seen)), np.diff(starts))
    block = _number(seen)
    while True:
        refined = _number(_with_signatures(block, starts, targets))
        if refined.max() == block.max():
            break
        block = refined
    block = _by_first_state(block)
    steps = _pairs(block[sources], block[targets])
    _must_be_stable(block, _pairs(sources, block[targets]), steps)
    return _quotient(block, steps, seen, initial)


def _number(values: Numbers) -> Numbers:
    numbers: Numbers = np.unique(values, return_inverse=True)[1].reshape(-1)
    return numbers


def _by_first_state(block: Numbers) -> Numbers:
    first = np.unique(block, return_index=True)[1]
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[block]


def _pairs(left: Numbers, right: Numbers) -> Numbers:
    """Each pair once, in ascending order, as one number (`left` in the upper half)."""
    return np.unique(left.astype(np.int64) << 32 | right.astype(np.int64))


def _with_signatures(block: Numbers, starts: Numbers, targets: Targets) -> Numbers:
    """For each state a number of its block and of the set of blocks to which it has steps."""
    own, to = np.random.default_rng(_SEED).integers(0, 1 << 63, size=(2, int(block.max()) + 1), dtype=np.uint64)
    signatures = own[block]
    _add_targets(starts, targets, block, to, np.full(len(to), -1, np.int64), signatures)
    numbers: Numbers = signatures.view(np.int64)
    return numbers


@kept_machine_code
def _add_targets(
    starts: Numbers, targets: Targets, block: Numbers, to: Masks, last: Numbers, signatures: Masks
) -> None:
    """Adds to each state's signature what stands for each block to which it has a step; `last` is room for that."""
    for state in range(len(block)):
        for edge in range(starts[state], starts[state + 1]):
            target = block[targets[edge]]
            if last[target] != state:
                last[target] = state
                signatures[state] += to[target]


def _must_be_stable(block: Numbers, of_states: Numbers, steps: Numbers) -> None:
    """ArithmeticError where a hash has put states together that have steps to different blocks.

    `of_states` are pairs of a state and a block that it has a step to, `steps` the same of blocks.

    A state has steps to some of the blocks to which its block has any: to all where they are as many.
    """
    own = np.bincount(of_states >> 32, minlength=len(block))
    of_block = np.bincount(steps >> 32, minlength=int(block.max()) + 1)
    if (own != of_block[block]).any():
        raise ArithmeticError("two states that differ have the same hash; this is not to be expected in 2**64 states")


def _quotient(block: Numbers, steps: Numbers, seen: Numbers, initial: Sequence[int]) -> Blocks:
    first = np.unique(block, return_index=True)[1]
    seen_in: list[int] = seen[first].tolist()
    silent: list[list[int]] = [[] for _ in seen_in]
    visible: list[dict[int, list[int]]] = [{} for _ in seen_in]
    for pair in steps.tolist():
        source, target = pair >> 32, pair & 0xFFFFFFFF
        if seen_in[source] != seen_in[target]:
            visible[source].setdefault(seen_in[target], []).append(target)
        elif source != target:
            silent[source].append(target)
    return Blocks(
        block,
        tuple(dict.fromkeys(block[list(initial)].tolist())),
        tuple(seen_in),
        tuple(map(tuple, silent)),
        tuple({number: tuple(to) for number, to in each.items()} for each in visible),
    )

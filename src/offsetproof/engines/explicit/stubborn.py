"""Stubborn sets: the instances that are enough to take in a state, so that a search for goals misses none.

A set T of instances is stubborn in a state where no goal is reached, if
1. for each alternative of each goal T has every instance that may make one of its false conditions true,
2. for each member that can be taken here T has every instance that does not accord with it,
3. for each other member T has every instance that may make one false condition of its guard true.
On each path from here to a goal the first member of T that is taken can be moved to the front: by 3 it can be taken
here, by 2 it may go before all that come before it on the path, by 1 there is one. What follows is a path to the same
goal that is one step shorter, so a search that takes only T reaches every goal, after the fewest steps that reach it.
(Valmari; Valmari and Hansen, "Stubborn Set Intuition Explained"; guards as in Laarman et al., "Guard-based
partial-order reduction".) Docs: decision 0060.

Nothing else is promised of the states that it finds: neither deadlocks nor counts are those of the whole system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from offsetproof.compiled.expander import CHUNK, Expander
from offsetproof.compiled.layout import Layout, Words
from offsetproof.compiled.loop_types import ones
from offsetproof.compiled.lower import BITS, words_for
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.machine_code import kept_machine_code
from offsetproof.ir.build import FALSE
from offsetproof.ir.node import Node
from offsetproof.ir.system import System

if TYPE_CHECKING:
    from offsetproof.engines.explicit.relations import Goal, Relations

Int64s = npt.NDArray[np.int64]

_ONE = np.uint64(1)

TURNS = 3
"""So many stubborn sets are made in a state at most, each from other conditions of the goals; the one that takes the
least is used."""


def conditions_to_judge(system: System, relations: Relations) -> list[Node]:
    """The conditions whose truth decides what is stubborn: of each instance whether it can be taken, then, from the
    next whole word on, those of the relations."""
    enabled = [inst.enabled for inst in system.instances]
    room = words_for(len(enabled)) * BITS - len(enabled)
    return [*enabled, *[FALSE] * room, *relations.conditions.nodes]


@dataclass(frozen=True)
class Tables:
    """The relations as arrays: masks of instances in rows, and lists of conditions one after the other.

    `enabling` has a row for each condition, `clashing` one for each instance. The conditions of instance i are
    `guards[guard_ends[i]:guard_ends[i + 1]]`; so are those of each alternative of the goals.
    """

    enabling: Words
    clashing: Words
    guards: Int64s
    guard_ends: Int64s
    goals: Int64s
    goal_ends: Int64s

    @classmethod
    def of(cls, relations: Relations, goals: Sequence[Goal]) -> Tables:
        """The tables of some goals at once. Conditions that the fewest instances may enable come first."""
        words = words_for(len(relations.clashing))
        weight = [mask.bit_count() for mask in relations.enabling]
        guards = [sorted(each, key=weight.__getitem__) for each in relations.conditions.guards]
        clauses = list(
            dict.fromkeys(tuple(sorted(clause, key=weight.__getitem__)) for goal in goals for clause in goal)
        )
        return cls(
            _rows(relations.enabling, words),
            _rows(relations.clashing, words),
            *_join_lists(guards),
            *_join_lists(clauses),
        )

    @property
    def digest(self) -> str:
        """SHA-256 of all tables."""
        return sha256(repr([table.tolist() for table in self.arrays]).encode()).hexdigest()

    @property
    def arrays(self) -> tuple[Words, Words, Int64s, Int64s, Int64s, Int64s]:
        """All of them, in order."""
        return self.enabling, self.clashing, self.guards, self.guard_ends, self.goals, self.goal_ends


@dataclass(frozen=True)
class Reduction:
    """What a search by stubborn sets needs beside its compiled system: the tables of its goals, and the conditions that
    `truths` writes. After the alarms of its claims the system has one for each node that is sought."""

    tables: Tables
    conditions: tuple[Node, ...]
    sought: tuple[Node, ...]

    def expander(self, layout: Layout, native: Native) -> StubbornExpander:
        """An expander of its own."""
        return StubbornExpander(layout, native, self.tables)


def _rows(masks: Sequence[int], words: int) -> Words:
    rows = [[mask >> BITS * word & (1 << BITS) - 1 for word in range(words)] for mask in masks]
    return np.array(rows, np.uint64).reshape(len(masks), words)


def _join_lists(lists: Sequence[Sequence[int]]) -> tuple[Int64s, Int64s]:
    ends = np.cumsum([0, *map(len, lists)], dtype=np.int64)
    return np.array([number for each in lists for number in each], np.int64), ends


class StubbornExpander(Expander):
    """Expands states by a stubborn set of each; `possible` and `taken` count what could be taken, and what was."""

    def __init__(self, layout: Layout, native: Native, tables: Tables) -> None:
        super().__init__(layout, native)
        words = tables.clashing.shape[1]
        self.possible = self.taken = 0
        self._tables = tables.arrays
        self._truths = np.empty((CHUNK, words_for(BITS * words + len(tables.enabling))), np.uint64)
        self._chosen = np.empty((CHUNK, words), np.uint64)
        self._have, self._todo = np.zeros(words, np.uint64), np.zeros(words, np.uint64)

    def expand(self, front: Words) -> int:
        """Expands states; how many successors by the sets they have."""
        self.native.truths(front, self._truths)
        possible, taken = choose(self._truths, len(front), *self._tables, self._have, self._todo, self._chosen, TURNS)
        self.possible += possible
        self.taken += taken
        return self._expand(front, self._chosen)


def _is_true(truths: Words, row: int, first: int, number: int) -> np.uint64:
    truth: np.uint64 = (truths[row, first + (number >> 6)] >> np.uint64(number & 63)) & _ONE
    return truth


def _pick(
    truths: Words, row: int, enabling: Words, listed: Int64s, start: int, end: int, have: Words, todo: Words, turn: int
) -> int:
    """A false condition among some: one that asks for nothing more than is there, else the first one (in turn 0), the
    second one, if there is one (in turn 1), and so on. Returns -1 if all are true, and -2 if nothing more is asked for.
    """
    number, found = -1, 0
    for k in range(start, end):
        each = listed[k]
        if not _is_true(truths, row, enabling.shape[1], each):
            more = np.uint64(0)
            for word in range(enabling.shape[1]):
                more |= enabling[each, word] & ~(have[word] | todo[word])
            if more == np.uint64(0):
                return -2
            if found <= turn:
                number = each
            found += 1
    return number


def _close(
    row: int, truths: Words, enabling: Words, clashing: Words, guards: Int64s, guard_ends: Int64s, have: Words,
    todo: Words, enough: int,
) -> int:  # fmt: skip
    """Adds to `have` what 2 and 3 ask for, beginning with `todo`; how many of the set can be taken here.

    Ends early where these are `enough`: a set that takes as much is known.
    """
    enabled, words = 0, enabling.shape[1]
    is_over = False
    while not is_over:
        is_over = True
        for word in range(words):
            while todo[word]:
                is_over = False
                lowest = todo[word] & (~todo[word] + _ONE)
                todo[word] ^= lowest
                have[word] |= lowest
                i = (word << 6) + ones(lowest - _ONE)
                if truths[row, word] & lowest:
                    enabled += 1
                    if enabled >= enough:
                        return enabled
                    for other in range(words):
                        todo[other] |= clashing[i, other] & ~have[other]
                else:
                    number = _pick(truths, row, enabling, guards, guard_ends[i], guard_ends[i + 1], have, todo, 0)
                    if number >= 0:
                        for other in range(words):
                            todo[other] |= enabling[number, other] & ~have[other]
    return enabled


def _begin(
    row: int, truths: Words, enabling: Words, goals: Int64s, goal_ends: Int64s, have: Words, todo: Words, turn: int
) -> bool:
    """Puts into `todo` what 1 asks for; whether a goal is reached."""
    for word in range(enabling.shape[1]):
        have[word] = todo[word] = 0
    for clause in range(len(goal_ends) - 1):
        number = _pick(truths, row, enabling, goals, goal_ends[clause], goal_ends[clause + 1], have, todo, turn)
        if number == -1:
            return True
        if number >= 0:
            for word in range(enabling.shape[1]):
                todo[word] |= enabling[number, word]
    return False


@kept_machine_code
def choose(
    truths: Words, n: int, enabling: Words, clashing: Words, guards: Int64s, guard_ends: Int64s, goals: Int64s,
    goal_ends: Int64s, have: Words, todo: Words, chosen: Words, turns: int,
) -> tuple[int, int]:  # fmt: skip
    """Writes to `chosen` which instances to take in the first n states; how many could be taken, and how many are.

    `truths` has first which instances can be taken, then the conditions. Where a goal is reached all are taken.
    """
    words = enabling.shape[1]
    possible = taken = 0
    for row in range(n):
        best = 0
        for word in range(words):
            chosen[row, word] = truths[row, word]
            best += ones(truths[row, word])
        possible += best
        for turn in range(turns):
            if best <= 1 or _begin(row, truths, enabling, goals, goal_ends, have, todo, turn):
                break
            size = _close(row, truths, enabling, clashing, guards, guard_ends, have, todo, best)
            if size < best:
                best = size
                for word in range(words):
                    chosen[row, word] = truths[row, word] & have[word]
        taken += best
    return possible, taken

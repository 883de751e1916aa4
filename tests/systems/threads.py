"""Random systems of a few threads that share a little: each has a place and a flag of its own, and all have a number
and a set. Steps may fail or be cut. They are made as expressions, so that many can be searched in little time.
"""

from __future__ import annotations

from random import Random

from offsetproof.ir.build import FALSE, TRUE, add, both, const, disjunction, eq, has, le, minus, negate, single, union
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import Failure, Instance, StagedClaim, System, Variable

PLACES = 3
"""The last place of a thread."""

NUMBER, BAG = Variable("number", Sort.INT, 0, 3, (0, 1)), Variable("bag", Sort.SET, 0, 7, (0,))


class _Making:
    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.threads = self.chance.randint(2, 4)
        self.places = [Variable(f"place{i}", Sort.INT, 0, PLACES, (0,)) for i in range(self.threads)]
        self.flags = [Variable(f"flag{i}", Sort.BOOL, 0, 1, (0,)) for i in range(self.threads)]

    def condition(self, thread: int) -> Node:
        other = self.chance.randrange(self.threads)
        return self.chance.choice(
            [
                self.flags[thread].node,
                self.flags[other].node,
                eq(self.places[other].node, const(self.chance.randint(0, PLACES))),
                le(NUMBER.node, const(self.chance.randint(0, 2))),
                has(BAG.node, const(self.chance.randint(0, 2))),
                eq(NUMBER.node, const(self.chance.randint(0, 3))),
            ]
        )

    def truth(self, thread: int) -> Node:
        node = self.condition(thread)
        for _ in range(self.chance.randint(0, 2)):
            more = self.condition(thread)
            more = negate(more) if self.chance.random() < 0.3 else more
            node = both(node, more) if self.chance.random() < 0.5 else disjunction([node, more])
        return node

    def updates(self, thread: int) -> tuple[dict[str, Node], Node]:
        """What a step writes, and where that would leave a domain."""
        written: dict[str, Node] = {}
        leaving: Node = FALSE
        if self.chance.random() < 0.35:
            written[NUMBER.name] = add(NUMBER.node, const(1))
            leaving = eq(NUMBER.node, const(3))
        elif self.chance.random() < 0.2:
            written[NUMBER.name] = const(self.chance.randint(0, 3))
        if self.chance.random() < 0.3:
            offset = single(const(self.chance.randint(0, 2)))
            written[BAG.name] = union(BAG.node, offset) if self.chance.random() < 0.7 else minus(BAG.node, offset)
        if self.chance.random() < 0.4:
            flag = self.flags[thread if self.chance.random() < 0.7 else self.chance.randrange(self.threads)]
            written[flag.name] = negate(flag.node) if self.chance.random() < 0.5 else TRUE
        return written, leaving

    def instance(self, thread: int, number: int) -> Instance:
        here = self.places[thread].node
        start = number % (PLACES + 1)
        guard = eq(here, const(start))
        if self.chance.random() < 0.5:
            guard = both(guard, self.truth(thread))
        written, leaving = self.updates(thread)
        goes = self.chance.choice([start + 1, start + 1, self.chance.randint(0, PLACES)])
        written[self.places[thread].name] = const(min(goes, PLACES))
        failures: tuple[Failure, ...] = ()
        cut: Node = FALSE
        if leaving is not FALSE and self.chance.random() < 0.4:
            failures = (Failure(both(guard, leaving), "number leaves its domain"),)
        elif leaving is not FALSE:
            cut = both(guard, leaving)
        label = (f"thread{thread}_goes", (("n", number),))
        return Instance(label, both(guard, negate(leaving)), written, cut, failures, f"thread{thread}")

    def claim(self, instances: list[Instance]) -> StagedClaim:
        if self.chance.random() < 0.3:
            steps = tuple(
                negate(both(self.truth(0), self.truth(1))) if self.chance.random() < 0.3 else TRUE for _ in instances
            )
            return StagedClaim("claim", per_step=steps)
        parts = [eq(self.places[i].node, const(PLACES)) for i in range(self.threads) if self.chance.random() < 0.6]
        goal = self.truth(0)
        for part in parts:
            goal = both(goal, part)
        return StagedClaim("claim", on_state=negate(goal))

    def system(self) -> System:
        instances = [
            self.instance(thread, number)
            for thread in range(self.threads)
            for number in range(PLACES + self.chance.randint(0, 2))
        ]
        claim = self.claim(instances)
        return System((*self.places, *self.flags, NUMBER, BAG), tuple(instances), (claim,))


def threads(seed: int) -> System:
    """The system of a seed."""
    return _Making(seed).system()

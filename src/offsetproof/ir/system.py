"""A transition system: variables, initial states, and action instances with guards and simultaneous updates.

What every engine and export starts from. A system knows nothing of RocketMQ, nor of the Python that it was staged
from, except names. States are tuples of integers in the order of `System.variables`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product

from offsetproof.ir.build import FALSE, TRUE, conjunction, const, disjunction, eq, var
from offsetproof.ir.in_the_end import InTheEnd
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node, topological

Label = tuple[str, tuple[tuple[str, int | str], ...]]
"""An action instance's name: the action's name and its arguments, in the order of its parameters."""

State = tuple[int, ...]
"""One value per variable of a system, in its order."""


@dataclass(frozen=True)
class Variable:
    """One leaf field of a model in one scope, as an integer.

    `initial` holds all values that it may start with, ascending. `ghost` says that only claims may read it.
    """

    name: str
    sort: Sort
    lo: int
    hi: int
    initial: tuple[int, ...]
    ghost: bool = False

    @cached_property
    def node(self) -> Node:
        """The node that reads this variable."""
        return var(self.name, self.lo, self.hi, self.sort)

    @property
    def bits(self) -> int:
        """Bits that a packed value takes (a variable with one value takes none)."""
        return (self.hi - self.lo).bit_length()

    def constant(self, value: int) -> Node:
        """One of the variable's values as a node."""
        return const(value, self.sort)


@dataclass(frozen=True)
class Failure:
    """A condition under which taking an instance is an error of the model (a domain left, an exception raised)."""

    condition: Node
    message: str


@dataclass(frozen=True)
class Instance:
    """One action with its arguments: when it may be taken and what it then writes, all at once.

    `enabled`, `cut` and the failures' conditions exclude each other. `cut` is true where only a bound of the scope
    keeps the action from being taken. `fault` names the fault kind whose budget it spends, or None.
    """

    label: Label
    enabled: Node
    updates: Mapping[str, Node]
    cut: Node = FALSE
    failures: tuple[Failure, ...] = ()
    actor: str = ""
    fault: str | None = None

    @property
    def name(self) -> str:
        """The instance as people write it: `consumer_pulls(c=0, l=1)`."""
        return show_label(self.label)

    @property
    def guards(self) -> tuple[Node, ...]:
        """Everything that decides what taking the instance would do, updates aside."""
        return (self.enabled, self.cut, *(f.condition for f in self.failures))


def show_label(label: Label) -> str:
    """A label as text.

    >>> show_label(("produce", (("q", 0),)))
    'produce(q=0)'
    """
    action, args = label
    return f"{action}({', '.join(f'{name}={value}' for name, value in args)})" if args else action


@dataclass(frozen=True)
class StagedClaim:
    """A condition to judge: on each state, or, where `per_step` has nodes, on each step.

    `on_state` is true where the claim holds. `per_step[i]` is over the state before instance i is taken, with the
    state after already substituted; TRUE where the step cannot break the claim. A `deadlock` claim is broken by a
    state from which nothing can be taken, nothing is cut and nothing fails. `premise` is true in the states of which a
    claim says something: where it is false, the claim is true for that alone. That of a claim about steps is true where
    a step can be taken that it speaks of and that could break it; TRUE where it speaks of all that could. A claim that
    is about runs says so `in_the_end`: `on_state` is then what comes, and no state breaks it.
    """

    name: str
    on_state: Node | None = None
    per_step: tuple[Node, ...] = ()
    deadlock: bool = False
    premise: Node = TRUE
    in_the_end: InTheEnd | None = None

    @property
    def judging(self) -> tuple[Node, ...]:
        """What decides between HOLDS and REFUTED: all nodes but the premise of a claim about steps."""
        return self.per_step or self.roots

    @property
    def roots(self) -> tuple[Node, ...]:
        """All nodes of the claim."""
        stated = () if self.on_state is None else (self.on_state,)
        blocked = () if self.in_the_end is None else [thread.blocked for thread in self.in_the_end.threads]
        return (*stated, *(() if self.premise is TRUE else (self.premise,)), *self.per_step, *blocked)


@dataclass(frozen=True)
class Lifetime:
    """An object of the model that ends: in states where the condition holds it is finished.

    `fields` are the variables of the object, some of which nobody reads any more then (see `dead`).
    """

    path: str
    condition: Node
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Correlation:
    """Variables that do not start independently of each other: `rows` are the values that they start with together."""

    names: tuple[str, ...]
    rows: tuple[State, ...]

    def among(self, kept: Collection[str]) -> Correlation | None:
        """The same for some of the variables; None where these start independently of each other."""
        indices = [i for i, name in enumerate(self.names) if name in kept]
        rows = sorted({tuple(row[i] for i in indices) for row in self.rows})
        columns = [{row[i] for row in rows} for i in range(len(indices))]
        if math.prod(map(len, columns)) == len(rows):
            return None
        return Correlation(tuple(self.names[i] for i in indices), tuple(rows))


def starts(choices: Mapping[str, Sequence[int]], correlated: Correlation | None) -> tuple[State, ...]:
    """All states that have one of each variable's values, but for what is correlated; ascending."""
    if correlated is None:
        return tuple(product(*choices.values()))
    states: list[State] = []
    for row in correlated.rows:
        fixed = {name: (value,) for name, value in zip(correlated.names, row, strict=True)}
        states += product(*({**choices, **fixed}[name] for name in choices))
    return tuple(sorted(states))


@dataclass(frozen=True)
class System:
    """Variables, instances, and the claims that are judged on them (the first claim is the question asked).

    Each variable starts with any of its initial values, independently of the others but for what `correlated` says.
    """

    variables: tuple[Variable, ...]
    instances: tuple[Instance, ...]
    claims: tuple[StagedClaim, ...] = ()
    lifetimes: tuple[Lifetime, ...] = ()
    correlated: Correlation | None = None

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        """Variables by name."""
        return {v.name: v for v in self.variables}

    @cached_property
    def initial(self) -> tuple[State, ...]:
        """All initial states, ascending."""
        choices = {v.name: v.initial for v in self.variables}
        return starts(choices, self.correlated)

    @cached_property
    def start(self) -> Node:
        """What is true of the initial states beside each variable's having one of its initial values."""
        if self.correlated is None:
            return TRUE
        starts = [self.by_name[name] for name in self.correlated.names]
        return disjunction(
            [
                conjunction([eq(v.node, v.constant(n)) for v, n in zip(starts, row, strict=True)])
                for row in self.correlated.rows
            ]
        )

    @property
    def bits(self) -> int:
        """Bits of one packed state."""
        return sum(v.bits for v in self.variables)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of everything that decides the system's behaviour, the same in every process.

        The style of a model has no part in it: the names of variables, parameters and claims, and the order of the
        instances, which is that of the model's files. The names of actions have one: findings name them.
        """
        numbers = {v.name: number for number, v in enumerate(self.variables)}
        marks: dict[Node, str] = {}
        roots = [node for inst in self.instances for node in (*inst.guards, *inst.updates.values())]
        roots += [node for claim in self.claims for node in claim.judging]
        for node in topological(roots):
            leaf = numbers[node.name] if node.kind is Kind.VAR else node.leaf
            args = "".join([marks[arg] for arg in node.args])
            marks[node] = _mark(f"{node.kind.label} {leaf} {node.sort} {args}")
        keys = [_digest_key(inst.label) for inst in self.instances]
        in_order = sorted(range(len(keys)), key=keys.__getitem__)
        lines = [f"{v.sort} {v.lo} {v.hi} {v.initial} {v.ghost}" for v in self.variables]
        for inst, key in ((self.instances[index], keys[index]) for index in in_order):
            updates = sorted((numbers[name], marks[node]) for name, node in inst.updates.items())
            lines.append(f"{key} {[marks[g] for g in inst.guards]} {updates} {inst.fault} {inst.actor}")
        for claim in self.claims:
            judging = [claim.per_step[index] for index in in_order] if claim.per_step else claim.judging
            lines.append(f"{claim.deadlock} {[marks[node] for node in judging]}")
            if claim.in_the_end is not None:
                threads = sorted(
                    (sorted(map(_digest_key, each.labels)), each.strong) for each in claim.in_the_end.threads
                )
                lines.append(f"{claim.in_the_end.from_start} {threads}")
        if self.correlated:
            lines.append(f"{[numbers[name] for name in self.correlated.names]} {self.correlated.rows}")
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()

    @cached_property
    def digest_with_premises(self) -> str:
        """The same, and of what claims about steps speak of: where that cannot happen, a claim is vacuous."""
        premises = [claim.premise for claim in self.claims if claim.per_step and claim.premise is not TRUE]
        spoken = tuple(StagedClaim("premise", on_state=premise) for premise in premises)
        return replace(self, claims=(*self.claims, *spoken)).digest if spoken else self.digest


def _digest_key(label: Label) -> str:
    action, args = label
    return f"{action} {[value for _, value in args]}"


def _mark(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()

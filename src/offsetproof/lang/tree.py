"""The leaves of a model in one scope, and the values that they hold at the moment.

A tree is built once per setting. The same component objects then serve every run: `load` puts a state's real values
in, `load_nodes` puts symbolic ones in, and `dump` or `lowered` takes out what an action left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import compress, count
from operator import is_not
from typing import Any

from offsetproof.ir import build
from offsetproof.ir.node import Node
from offsetproof.ir.rewrite import literals, simplify
from offsetproof.ir.system import State, Variable
from offsetproof.lang.asking import SCOPE, Question, note_question
from offsetproof.lang.domain import Domain, Lowered, Members, Optionals
from offsetproof.lang.errors import OutOfDomainError, refuse
from offsetproof.lang.run import note_reading, note_writing
from offsetproof.lang.scope import refuse_too_many
from offsetproof.lang.setting import Setting
from offsetproof.lang.sorts import may_be_equal
from offsetproof.lang.symbolic import Sym, SymBool, SymInt

STARTS_MAX = 1 << 17
"""The most initial states that a model may have, and so the most values that one field may start with."""


@dataclass(frozen=True)
class Leaf:
    """One scalar field in one place of the tree: `consumer[0].cell`.

    `budget` is the bound or the fault of the scope whose spending the field counts, if it does.
    """

    path: str
    domain: Domain
    initial: tuple[int, ...]
    ghost: bool
    budget: str = ""

    @property
    def variable(self) -> Variable:
        """The IR variable that stands for this leaf."""
        return Variable(self.path, self.domain.sort, self.domain.lo, self.domain.hi, self.initial, self.ghost)


class Unread:
    """A node that sits in a leaf and has not been looked at: reading it may ask (optionals), copying it does not."""

    __slots__ = ("lowered", "node")

    def __init__(self, node: Node) -> None:
        self.node, self.lowered = node, Lowered(node, build.TRUE)


class Tree:
    """All leaves of a model in one setting, in declaration order, and their current values.

    `kind_of` says what grows where a component of some class is declared.
    """

    def __init__(self, setting: Setting, kind_of: Callable[[type[Any]], type[Any]] = lambda kind: kind) -> None:
        self.setting, self.kind_of = setting, kind_of
        self.leaves: list[Leaf] = []
        self.values: list[Any] = []
        self._decoders: list[Callable[[int], Any]] = []
        self.written: set[int] = set()
        self._noted: set[int] | None = None
        self.contents: dict[Question, object] = {}

    def grow(self, leaf: Leaf) -> int:
        """Adds a leaf; its position."""
        refuse_too_many("fields", len(self.leaves) + 1, self.setting.scope)
        self.leaves.append(leaf)
        self.values.append(leaf.domain.decode(leaf.initial[0]))
        return len(self.leaves) - 1

    @contextmanager
    def noting_reads(self) -> Iterator[set[int]]:
        """Within this, every leaf that is read is noted in the set."""
        self._noted = read = set[int]()
        yield read
        self._noted = None

    def answers(self) -> dict[Question, object]:
        """What code may ask of the model in its setting (`asking`); what is not in it is not there."""
        scope = self.setting.scope
        answers: dict[Question, object] = {SCOPE: scope.key, **self.contents}
        answers |= {("bound", name): (type(value), value) for name, value in scope.bounds.items()}
        answers |= {("start", leaf.path): leaf.initial[0] for leaf in self.leaves}
        return answers | {("field", leaf.path): (leaf.variable.node, encoding_of(leaf.domain)) for leaf in self.leaves}

    def domain(self, position: int) -> Domain:
        """What a leaf may hold."""
        note_question("field", self.leaves[position].path)
        return self.leaves[position].domain

    def _value(self, position: int) -> Any:
        """What a leaf holds, as it is there."""
        note_question("field", self.leaves[position].path)
        if self._noted is not None and position not in self.written:
            self._noted.add(position)
        return self.values[position]

    def get(self, position: int) -> Any:
        """What model code sees when it reads the leaf."""
        note_reading()
        value = self._value(position)
        return self.leaves[position].domain.read(value.node) if isinstance(value, Unread) else value

    def is_same(self, position: int, other: Tree, there: int) -> bool:
        """Do two leaves, of one make but perhaps of two trees, hold the same value?

        What was not written in this run is compared by number, which asks nothing of an optional.
        """
        here, yonder = self._value(position), other._value(there)
        alike = encoding_of(self.leaves[position].domain) == encoding_of(other.leaves[there].domain)
        if alike and isinstance(here, Unread) and isinstance(yonder, Unread):
            return SymBool(build.eq(here.node, yonder.node))  # type: ignore[return-value]  # a truth value, staged
        a, b = self.get(position), other.get(there)
        return may_be_equal(a, b) and a == b

    def number(self, position: int) -> int:
        """What a leaf that was not written in this run holds, as the number that its domain encodes it with."""
        note_reading()
        value = self._value(position)
        if isinstance(value, Unread):
            return SymInt(value.node)  # type: ignore[return-value]  # an integer, real or staged
        if isinstance(value, Sym):
            raise refuse(
                f"{self.leaves[position].path} was written by this action already", "read it with its own type"
            )
        return self.leaves[position].domain.encode(value)

    def put(self, position: int, value: Any) -> None:
        """What model code assigns; judged against the domain only at the end of the action."""
        note_writing()
        note_question("field", self.leaves[position].path)
        self.values[position] = value
        self.written.add(position)

    def move(self, to: int, source: int) -> None:
        """Copies a leaf to another of the same domain without looking at it."""
        note_writing()
        note_question("field", self.leaves[to].path)
        self.values[to] = self._value(source)
        self.written.add(to)

    def put_where(self, condition: bool, position: int, value: Any) -> None:
        """Assigns only where the condition holds; a staged run splits only if the value may lie outside its domain."""
        note_writing()
        note_question("field", self.leaves[position].path)
        if not isinstance(condition, Sym):
            if condition:
                self.put(position, value)
            return
        new, old = self._certain(position, value, condition.node), self._certain(position, self.values[position])
        if new is not None and old is not None:
            self.values[position] = Unread(build.ite(condition.node, new, old))
        elif condition:
            self.put(position, value)

    def _certain(self, position: int, value: Any, given: Node = build.TRUE) -> Node | None:
        """A value as a node, if it is certain to be in the leaf's domain where `given` is true."""
        try:
            lowered = self._lower(position, value)
        except OutOfDomainError:
            return None
        return lowered.node if simplify([lowered.inside], literals(given))[0] is build.TRUE else None

    def load(self, state: State) -> None:
        """Puts a state's real values into the leaves."""
        if len(self._decoders) != len(self.leaves):
            self._decoders = [leaf.domain.decode for leaf in self.leaves]
        self.values = [decode(number) for decode, number in zip(self._decoders, state, strict=True)]

    def load_nodes(self, nodes: Iterable[Unread]) -> None:
        """Puts symbolic values into the leaves."""
        self.values = list(nodes)

    def dump(self) -> State:
        """The real values as a state; OutOfDomainError names the first leaf that cannot hold its value."""
        state = []
        for leaf, value in zip(self.leaves, self.values, strict=True):
            try:
                state.append(leaf.domain.encode(value))
            except OutOfDomainError as error:
                raise OutOfDomainError(f"field {leaf.path}: {error}") from None
        return tuple(state)

    def lower_changed(self, before: Sequence[Unread]) -> dict[int, Lowered]:
        """The leaves that hold something else than `before`, by position: each as a node, with the condition that it
        is inside its domain."""
        positions = compress(count(), map(is_not, self.values, before))
        return {position: self._lower(position, self.values[position]) for position in positions}

    def _lower(self, position: int, value: Any) -> Lowered:
        if isinstance(value, Unread):
            return value.lowered
        leaf = self.leaves[position]
        try:
            return leaf.domain.lower(value)
        except OutOfDomainError as error:
            raise OutOfDomainError(f"field {leaf.path}: {error}") from None

    def show(self, state: State) -> dict[str, Any]:
        """A state as leaf paths and real values."""
        return {leaf.path: leaf.domain.decode(n) for leaf, n in zip(self.leaves, state, strict=True)}


def encoding_of(domain: Domain) -> tuple[object, ...]:
    """What tells whether two domains give one number to one value, and whether values of theirs may be compared."""
    inner = (domain.inner,) if isinstance(domain, Optionals) else ()
    members = domain.kind if isinstance(domain, Members) else None
    return type(domain), domain.base, members, *map(encoding_of, inner)

"""A system that may only do what lines of a log allow: the product of a model's system and a sequence of lines.

One variable more counts how many of the lines have been written. A step that leaves a line must leave the next one of
the sequence, or one of those that it stands for, as it says the same of a later offset. Free are ordinary lines before
the first, all after the last, as logs go on, those of clients whose logs are not at hand, and those that these logs
would not show. Which client of the log is which of the model, and which of its offsets which, is one of the system's
initial choices. The sequence is of one queue, which is the model's first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement, permutations

from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.explain.observables import COMMITTED, FIRST, LATE, MARKERS, RESETS, SHOWN, Shown, When
from offsetproof.ir.build import FALSE, TRUE, add, both, conjunction, const, disjunction, either, eq, ite, lt, negate
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node
from offsetproof.ir.system import Instance, StagedClaim, System, Variable
from offsetproof.lang.tree import Leaf

HEARD, CLIENTS, OFFSETS = "audit.heard", "audit.clients", "audit.offsets"
"""The variables that are added: lines written so far, and how clients and offsets of the log are read."""

READINGS_MAX = 200
"""How many ways to read clients, or offsets, are tried at once."""


class TooManyReadingsError(Exception):
    """There are more ways to read the lines than are tried: nothing is known of what leaves them."""


@dataclass(frozen=True)
class Line:
    """A line of the sequence: clients and offsets by their ranks, those of the log's that are seen in it.

    `stands_for_more`: others of this kind and client came right before it.
    """

    kind: Kind
    client: int | None = None
    offset: int | None = None
    detail: str | None = None
    stands_for_more: bool = False


@dataclass(frozen=True)
class Reading:
    """The ways in which clients, and offsets, of the log may be those of the model: by rank."""

    clients: tuple[tuple[int, ...], ...]
    offsets: tuple[tuple[int, ...], ...]


def readings(lines: Sequence[Line], consumers: int, offset_max: int) -> Reading | None:
    """All ways to read the lines in a model of so many consumers and offsets; None where there is none.

    Two clients are two. Offsets keep their order; two that follow each other upwards may be one in the model, where
    nothing is consumed in between, and two that follow each other downwards may not. TooManyReadingsError where there
    are more than are tried.
    """
    seen = len({line.client for line in lines if line.client is not None})
    if seen > consumers:
        return None
    clients = tuple(permutations(range(consumers), seen))
    ranks = len({line.offset for line in lines if line.offset is not None})
    falls = [(before.offset, after.offset) for number, before in enumerate(lines) for after in lines[number + 1 :]
             if before.offset is not None and after.offset is not None and after.offset < before.offset]  # fmt: skip
    offsets = tuple(
        chosen
        for chosen in combinations_with_replacement(range(offset_max + 1), ranks)
        if all(chosen[low] < chosen[high] for high, low in falls)
    )
    if not clients or not offsets:
        return None
    if max(len(clients), len(offsets)) > READINGS_MAX:
        raise TooManyReadingsError
    return Reading(clients, offsets)


def kinds_written(system: System) -> frozenset[Kind]:
    """The kinds of lines that any step of a system writes."""
    return frozenset(
        kind for inst in system.instances for shown in SHOWN.get(inst.label[0], ()) for kind in shown.kinds
    )


@dataclass(frozen=True)
class Sequenced:
    """A sequence of lines, how it may be read, the kinds that its logs would show, and how many lines are needed.

    Lines of the kinds of `free` may be left before the first.
    """

    lines: tuple[Line, ...]
    reading: Reading
    visible: frozenset[Kind]
    free: frozenset[Kind]
    least: int


def follow(system: System, leaves: Sequence[Leaf], given: Sequenced) -> System:
    """The product: its first claim is broken where the system's is and the lines that are needed are written."""
    return _Following(system, {leaf.path: leaf for leaf in leaves}, given).product()


class _Following:
    def __init__(self, system: System, leaves: Mapping[str, Leaf], given: Sequenced) -> None:
        lines, reading = given.lines, given.reading
        self.system, self.leaves, self.lines, self.reading = system, leaves, lines, reading
        self.least, self.visible, self.free = given.least, given.visible, given.free
        self.heard = Variable(HEARD, Sort.INT, 0, len(lines), (0,))
        self.clients = Variable(CLIENTS, Sort.INT, 0, len(reading.clients) - 1, tuple(range(len(reading.clients))))
        self.offsets = Variable(OFFSETS, Sort.INT, 0, len(reading.offsets) - 1, tuple(range(len(reading.offsets))))

    def product(self) -> System:
        claim = self.system.claims[0]
        followed = [self._instance(inst) for inst in self.system.instances]
        unheard = lt(self.heard.node, const(self.least))
        if claim.per_step:
            steps = [
                either(ok, lt(heard, const(self.least)))
                for ok, (_, heard) in zip(claim.per_step, followed, strict=True)
            ]
            instances = [
                replace(inst, enabled=both(inst.enabled, either(ok, negate(lt(heard, const(self.least))))))
                for ok, (inst, heard) in zip(claim.per_step, followed, strict=True)
            ]
            made = StagedClaim(claim.name, per_step=tuple(steps))
        else:
            assert claim.on_state is not None
            on_state = claim.on_state
            instances = [replace(inst, enabled=both(inst.enabled, on_state)) for inst, _ in followed]
            made = StagedClaim(claim.name, on_state=either(on_state, unheard))
        variables = (*self.system.variables, self.heard, self.clients, self.offsets)
        return replace(self.system, variables=variables, instances=tuple(instances), claims=(made,))

    def _instance(self, inst: Instance) -> tuple[Instance, Node]:
        """The instance as the lines allow it, and how many lines are written after it."""
        heard: Node = self.heard.node
        allowed: Node = TRUE
        is_other_queue = dict(inst.label[1]).get("q", 0) != 0
        for shown in () if is_other_queue else SHOWN.get(inst.label[0], ()):
            if not {*shown.kinds} & self.visible or {*shown.kinds} <= LATE:
                continue
            written, fits = self._writes(shown, inst), self._fits(shown, inst, heard)
            allowed = both(allowed, disjunction([negate(written), fits, self._is_free(shown, inst, heard)]))
            heard = ite(both(written, fits), add(heard, const(1)), heard)
        if heard is self.heard.node and allowed is TRUE:
            return inst, heard
        updates = {**inst.updates, **({HEARD: heard} if heard is not self.heard.node else {})}
        return replace(inst, enabled=both(inst.enabled, allowed), updates=updates), heard

    def _fits(self, shown: Shown, inst: Instance, heard: Node) -> Node:
        """Is the line the next one of the sequence?"""
        args = dict(inst.label[1])
        client = None if shown.is_of_broker else args.get("c")
        fitting: list[Node] = []
        for number, line in enumerate(self.lines):
            if shown.may_be(line.kind, line.detail):
                by_client = self._is_client(line, client)
                by_offset = self._is_offset(shown, line, inst)
                fitting.append(conjunction([eq(heard, const(number)), by_client, by_offset]))
        return disjunction(fitting)

    def _is_free(self, shown: Shown, inst: Instance, heard: Node) -> Node:
        """May the line be written though it is not the next one?"""
        free = [negate(lt(heard, const(len(self.lines))))]
        if {*shown.kinds} & self.free:
            free.append(eq(heard, const(0)))
        client = None if shown.is_of_broker else dict(inst.label[1]).get("c")
        if isinstance(client, int):
            free.append(
                _is_one_of(self.clients, [n for n, each in enumerate(self.reading.clients) if client not in each])
            )
        for number, line in enumerate(self.lines):
            if line.stands_for_more and line.kind in shown.kinds:
                free.append(both(eq(heard, const(number)), self._is_client(line, client)))
        return disjunction(free)

    def _is_client(self, line: Line, client: int | str | None) -> Node:
        if line.client is None or not isinstance(client, int):
            return TRUE
        chosen = [n for n, each in enumerate(self.reading.clients) if each[line.client] == client]
        return _is_one_of(self.clients, chosen)

    def _is_offset(self, shown: Shown, line: Line, inst: Instance) -> Node:
        leaf = self._leaf(shown.offset, inst)
        if line.offset is None or leaf is None:
            return TRUE
        node = _after(leaf, inst) if shown.after else leaf.variable.node
        by_value: dict[int, list[int]] = {}
        for number, each in enumerate(self.reading.offsets):
            by_value.setdefault(each[line.offset], []).append(number)
        return disjunction(
            [
                both(eq(node, leaf.variable.constant(code)), _is_one_of(self.offsets, numbers))
                for value, numbers in by_value.items()
                if (code := _code(leaf, value)) is not None
            ]
        )

    def _writes(self, shown: Shown, inst: Instance) -> Node:
        """Does the step leave the line?"""
        if shown.kinds == RESETS:
            return disjunction([*self._commands(shown, inst)])
        if shown.when is When.ALWAYS:
            leaf = self._leaf(shown.offset, inst) if shown.kinds == (Kind.COMMIT_SENT,) else None
            return TRUE if leaf is None else _is_set(leaf, leaf.variable.node)
        leaf = self._leaf(shown.field, inst)
        if leaf is None:
            return FALSE
        old, new = leaf.variable.node, _after(leaf, inst)
        match shown.when:
            case When.FALLS:
                return conjunction([_is_set(leaf, old), _is_set(leaf, new), lt(new, old)])
            case When.IS_SET:
                return both(negate(_is_set(leaf, old)), _is_set(leaf, new))
            case When.IS_CLEARED:
                return both(_is_set(leaf, old), negate(_is_set(leaf, new)))
            case _:
                committed = self._leaf(COMMITTED, inst)
                stays = TRUE if committed is None else eq(committed.variable.node, _after(committed, inst))
                return conjunction([_is_set(leaf, old), _is_set(leaf, new), stays])

    def _commands(self, shown: Shown, inst: Instance) -> Iterator[Node]:
        for path in inst.updates:
            if any(f".{name}" in path for name in shown.field):
                leaf = self.leaves[path]
                yield both(negate(_is_set(leaf, leaf.variable.node)), _is_set(leaf, _after(leaf, inst)))

    def _leaf(self, paths: Sequence[str], inst: Instance) -> Leaf | None:
        args = {**(FIRST if paths in (COMMITTED, MARKERS) else {}), **dict(inst.label[1])}
        for path in paths:
            try:
                name = path.format(**args)
            except KeyError:
                continue
            if name in self.leaves:
                return self.leaves[name]
        return None


def _after(leaf: Leaf, inst: Instance) -> Node:
    return inst.updates.get(leaf.path, leaf.variable.node)


def _is_set(leaf: Leaf, node: Node) -> Node:
    """Does a field have a value? One that cannot be without always has."""
    code = _code(leaf, None)
    return TRUE if code is None else negate(eq(node, leaf.variable.constant(code)))


def _code(leaf: Leaf, value: int | None) -> int | None:
    """A value as the field's integer; None where it cannot have it."""
    for number in range(leaf.variable.lo, leaf.variable.hi + 1):
        if leaf.domain.decode(number) is value or (value is not None and leaf.domain.decode(number) == value):
            return number
    return None


def _is_one_of(variable: Variable, numbers: Sequence[int]) -> Node:
    if len(numbers) == variable.hi - variable.lo + 1:
        return TRUE
    return disjunction([eq(variable.node, const(number)) for number in numbers])

"""The other orders of a story's own steps that end in the same state, one of each kind.

Two orders are of one kind where steps that touch nothing in common change places, and no others (Mazurkiewicz 1977):
then all that the story waits for is the same. All orders are paths through the states that some of the steps lead to,
and there are few of these, however many paths. A kind is found as a path that no kind so far allows.

What a step does is worked out anew only behind one that it depends on, by what the staged model says that both may
read and write. So an order counts once it has replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from offsetproof.ir.system import State
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Replay
from offsetproof.severity.remembering import RememberingReference, with_values
from offsetproof.verdict.limits import Deadline

NODES_MAX = 50_000
"""A story whose steps lead to more states than this, in whatever order, has no other orders here."""

Kind = Sequence[int]
"""For each step of the story the steps that come before it, as bits."""

_Node = tuple[int, State]
"""The steps that were taken, as bits, and the state after them."""

_Onward = dict[_Node, list[tuple[int, _Node]]]
"""From each state the steps that lead to the story's end, each with the state after it."""

_Writes = Mapping[int, State | None]
"""For each step that is left what it writes, None where it cannot be taken."""


def other_orders(
    replay: Replay,
    reference: RememberingReference,
    kind_of: Callable[[Replay, Sequence[int]], Kind],
    deadline: Deadline,
) -> Iterator[Replay]:
    """The story in an order of each other kind; `kind_of` has the kind of an order, given by the steps' old places.

    Raises LimitMetError at the deadline.
    """
    onward = _Ways(replay, reference).to_end(deadline)
    kinds = [kind_of(replay, range(len(replay.labels)))]
    while (order := _path_of_no_kind(onward, (0, replay.states[0]), kinds)) is not None:
        deadline.check()
        other = Replay(reference, replay.prop, [replay.labels[i] for i in order], replay.states[0])
        kinds.append(kind_of(other, order))
        yield other


class _Ways:
    """What the steps of a story do in whatever order; of equal steps the first one that is left is taken."""

    def __init__(self, replay: Replay, reference: RememberingReference) -> None:
        self.replay, self.reference = replay, reference
        self.labels, self.end = replay.labels, replay.states[-1]
        self.places = [reference.writes(label) for label in self.labels]
        steps = range(len(self.labels))
        self.dependent = [[reference.depends(self.labels[j], self.labels[i]) for j in steps] for i in steps]
        self.same_before = [sum(1 << j for j in range(i) if self.labels[j] == self.labels[i]) for i in steps]

    def to_end(self, deadline: Deadline) -> _Onward:
        """From each state on the way to the story's end the steps that lead there; nothing where there are too many.

        Most states lead nowhere. So only of the steps that do it is asked whether they show what the last one must.
        """
        onward: _Onward = {}
        start = self.replay.states[0]
        layer: dict[_Node, _Writes] = {(0, start): {i: self._writes(i, start) for i in range(len(self.labels))}}
        for left in reversed(range(len(self.labels))):
            deadline.check()
            after: dict[_Node, _Writes] = {}
            for node, writes in layer.items():
                onward[node] = []
                for i, behind in self._steps(node, writes, is_last=not left):
                    onward[node].append((i, behind))
                    if behind not in after:
                        after[behind] = self._writes_behind(i, behind[1], writes)
            layer = after
            if len(onward) + len(layer) > NODES_MAX:
                return {}
        shown_last = {
            node: [way for way in ways if self._shows(node[1], *way) is (way[1] in layer)]
            for node, ways in _leading_to(onward, layer).items()
        }
        return _leading_to(shown_last, layer)

    def _writes(self, i: int, state: State) -> State | None:
        try:
            after = self.reference.take(state, self.labels[i])
        except ModelError:
            return None
        return None if isinstance(after, NotTaken) else tuple([after[place] for place in self.places[i]])

    def _writes_behind(self, i: int, state: State, writes: _Writes) -> _Writes:
        depends = self.dependent[i]
        return {j: self._writes(j, state) if depends[j] else own for j, own in writes.items() if j != i}

    def _steps(self, node: _Node, writes: _Writes, *, is_last: bool) -> Iterator[tuple[int, _Node]]:
        """The steps that can be taken next."""
        taken, state = node
        for i, written in writes.items():
            if written is None or self.same_before[i] & ~taken:
                continue
            after = with_values(state, self.places[i], written)
            if after == self.end or not is_last:
                yield i, (taken | 1 << i, after)

    def _shows(self, before: State, i: int, node: _Node) -> bool:
        """Does a step show what the story ends with?"""
        prop, (taken, after) = self.replay.prop, node
        if prop.kind is ClaimKind.EACH_STEP:
            return not self.reference.judge_step(prop, before, self.labels[i], after)
        if prop.kind is ClaimKind.NO_DEADLOCK:
            return taken.bit_count() == len(self.labels)
        return self.reference.judge(prop, after) is (prop.kind is ClaimKind.SOMETIMES)


def _leading_to(onward: _Onward, ends: Collection[_Node]) -> _Onward:
    """The steps behind which there is a way to one of these."""
    kept, leading = dict[_Node, list[tuple[int, _Node]]](), {*ends}
    for node in reversed(onward):
        if ways := [way for way in onward[node] if way[1] in leading]:
            kept[node] = ways
            leading.add(node)
    return dict(reversed(kept.items()))


def _path_of_no_kind(onward: _Onward, start: _Node, kinds: Sequence[Kind]) -> list[int] | None:
    """A way to the end that no kind allows; None if there is none."""
    todo: list[tuple[_Node, frozenset[int], tuple[int, ...]]] = [(start, frozenset(range(len(kinds))), ())]
    seen: set[tuple[_Node, frozenset[int]]] = set()
    while todo:
        node, allowed_by, path = todo.pop()
        if not allowed_by:
            return [*path, *_rest(onward, node)]
        if (node, allowed_by) in seen:
            continue
        seen.add((node, allowed_by))
        for i, after in reversed(onward.get(node, [])):
            still = frozenset(number for number in allowed_by if not kinds[number][i] & ~node[0])
            todo.append((after, still, (*path, i)))
    return None


def _rest(onward: _Onward, node: _Node) -> Iterator[int]:
    while onward.get(node):
        i, node = onward[node][0]
        yield i

"""The reference semantics with a memory, for many orders of the same steps: these share most of what happens.

A step does the same wherever what it reads has the same values, and what it reads and writes is told by the staged
model. So nothing that is found here counts before it has replayed without a memory.
"""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.ir.kind import Kind
from offsetproof.ir.node import topological
from offsetproof.ir.system import Instance, Label, State
from offsetproof.lang.claim import Property
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged


class RememberingReference(Reference):
    """What it has taken and judged it knows."""

    def __init__(self, staged: Staged) -> None:
        super().__init__(staged.model, staged.setting)
        places = {leaf.path: place for place, leaf in enumerate(self.grown.tree.leaves)}
        self._touched = {inst.label: _footprint(inst, places) for inst in staged.instances}
        self._taken: dict[tuple[Label, State], NotTaken | State] = {}
        self._judged: dict[tuple[Property, State], bool] = {}

    def take(self, state: State, label: Label) -> State | NotTaken:
        """The state after an instance, or why it cannot be taken; ModelError where the model goes wrong."""
        if label not in self._touched:
            return super().take(state, label)
        reads, writes = self._touched[label]
        key = label, tuple([state[place] for place in reads])
        if key not in self._taken:
            after = super().take(state, label)
            self._taken[key] = after if isinstance(after, NotTaken) else tuple([after[place] for place in writes])
        written = self._taken[key]
        if isinstance(written, NotTaken):
            return written
        return with_values(state, writes, written)

    def writes(self, label: Label) -> Sequence[int]:
        """The places in a state that an instance may write."""
        return self._touched[label][1]

    def depends(self, later: Label, earlier: Label) -> bool:
        """May it matter to an instance whether another was taken before it?"""
        reads, writes = self._touched[later]
        return not {*self._touched[earlier][1]}.isdisjoint([*reads, *writes])

    def judge(self, prop: Property, state: State) -> bool:
        """The truth of a claim about one state."""
        if (prop, state) not in self._judged:
            self._judged[prop, state] = super().judge(prop, state)
        return self._judged[prop, state]


def with_values(state: State, places: Sequence[int], values: Sequence[int]) -> State:
    """A state with other values in some places.

    >>> with_values((0, 1, 2), [2, 0], [5, 6])
    (6, 1, 5)
    """
    changed = [*state]
    for place, value in zip(places, values, strict=True):
        changed[place] = value
    return tuple(changed)


def _footprint(inst: Instance, places: dict[str, int]) -> tuple[Sequence[int], Sequence[int]]:
    """The places in a state that an instance may read, and those that it may write."""
    nodes = topological([*inst.guards, *inst.updates.values()])
    return (
        [places[node.name] for node in nodes if node.kind is Kind.VAR],
        [places[name] for name in inst.updates],
    )

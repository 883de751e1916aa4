"""Small orderly worlds that are stepped by hand: a state is written field by field, and a step's effect read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from offsetproof.ir.system import Label, State
from offsetproof.lang import Assumption, Behaviour, Listener, OffsetSet, Release, Scope, Setting
from offsetproof.lang.model import Model
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.setting import fixes_in
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.orderly.variants import CORRECT

QUEUE = "consumer[0].process_queue[0]"
"""Where the first ProcessQueue of the first client is."""


class World:
    """A model in one setting, and how to write states of it and take steps by hand."""

    def __init__(
        self,
        *,
        bounds: Mapping[str, int] | None = None,
        faults: Mapping[Any, int] | None = None,
        listener: Listener = CORRECT,
        fixes: Iterable[Behaviour] = (),
        assumptions: Iterable[Assumption] = (),
        model: type[Model] = RocketMQOrderly,
        release: Release | None = None,
    ) -> None:
        small = {"process_queues": 2, "messages": 3}
        scope = Scope("by-hand", {**small, **(bounds or {})}, faults=faults or {}).completed(model.bounds)
        releases = dict.fromkeys(model.roles, release or model.releases[0])
        setting = Setting(scope, releases, fixes_in(fixes), tuple(assumptions), listener)
        self.reference = Reference(model, setting)

    def state(self, **values: Any) -> State:
        """The first state, in which some fields have other values; dots and brackets are as in their paths."""
        return self.changed(self.reference.first(), values)

    def changed(self, state: State, values: Mapping[str, Any]) -> State:
        """A state with other values in some fields, by path."""
        leaves = self.reference.grown.tree.leaves
        unknown = values.keys() - {leaf.path for leaf in leaves}
        assert not unknown, unknown
        return tuple(
            leaf.domain.encode(values[leaf.path]) if leaf.path in values else number
            for leaf, number in zip(leaves, state, strict=True)
        )

    def with_queue(self, **values: Any) -> State:
        """A state in which the first client's live ProcessQueue has taken all messages, as far as not said otherwise.

        The fields are those of the ProcessQueue.
        """
        stored = self.reference.setting.scope.messages
        held = {
            "consumer[0].process_queue_table": 0,
            "consumer[0].process_queues_made": 1,
            "broker.max_offset": stored,
            "broker.lock_owner": 0,
            f"{QUEUE}.locked": True,
            f"{QUEUE}.previously_locked": True,
            f"{QUEUE}.next_offset": stored,
        }
        own = {f"{QUEUE}.{name}": value for name, value in values.items()}
        return self.changed(self.reference.first(), {**held, **own})

    def take(self, state: State, action: str, **args: Any) -> State:
        """The state after a step that can be taken."""
        after = self.reference.take(state, self._label(action, args))
        assert not isinstance(after, NotTaken), (action, args, after)
        return after

    def can_take(self, state: State, action: str, **args: Any) -> bool:
        """Is it a step?"""
        return not isinstance(self.reference.take(state, self._label(action, args)), NotTaken)

    def _label(self, action: str, args: Mapping[str, Any]) -> Label:
        (label,) = [
            label
            for label in self.reference.labels
            if label[0] == action and all(dict(label[1]).get(name) == value for name, value in args.items())
        ]
        return label

    def show(self, state: State) -> Mapping[str, Any]:
        """A state's fields by path."""
        return self.reference.show(state)


def offsets(*members: int) -> OffsetSet:
    """A set of offsets."""
    return OffsetSet(*members)

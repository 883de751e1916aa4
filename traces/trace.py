"""A counterexample as plain data: who did what, what it changed, and which claims were true when.

A trace is made from a Replay, so the reference semantics has followed every step of it. It holds names and values
only: no model, no positions, no encoded states; that is why it can be written down, read back and shown where the
model is not at hand. Left out: the spent fault budgets (the steps say which are faults).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from offsetproof.ir.system import Label, State, show_label
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.claim import title_of
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.reference import Replay
from offsetproof.lang.scope import Scope
from offsetproof.lang.setting import Setting
from offsetproof.lang.source_paths import shown_file
from offsetproof.lang.stage import Staged
from offsetproof.lang.world import CHANGED, ClaimInWorld
from offsetproof.traces.cause import cause_of
from offsetproof.traces.reads import budget_fields

if TYPE_CHECKING:
    from offsetproof.traces.graph import Graph

Value = bool | int | str | None | frozenset[int]
"""What a field holds: enum members by their names, offset sets as sets."""

EffectKind = Literal["transient", "permanent", "unknown"]
"""Does what a violation does to messages stay?"""


@dataclass(frozen=True)
class TraceClaim:
    """A claim as the trace knows it: its id, its name and its kind."""

    id: str
    name: str
    kind: str

    @property
    def title(self) -> str:
        """What people read: the name, with the id beside it."""
        return title_of(self.name, self.id)


@dataclass(frozen=True)
class World:
    """The setting of the trace, by names: the scope with its bounds and fault budgets, and what was added to it."""

    scope: Scope
    releases: Mapping[str, str] = field(default_factory=dict)
    fixes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    listener: str | None = None

    @property
    def release(self) -> str | None:
        """The release as users write it, one name or `broker=5.3.3,client=4.9.4`; None where there is none."""
        distinct = set(self.releases.values())
        if len(distinct) <= 1:
            return next(iter(distinct), None)
        return ",".join(f"{role}={name}" for role, name in sorted(self.releases.items()))

    def claim(self, id: str) -> ClaimInWorld:
        """A claim in this world, by names; with all bounds, as the scope may have others by now."""
        scope = self.scope
        named = (self.release, scope.name.removesuffix(CHANGED), self.fixes, self.assumptions, self.listener)
        return ClaimInWorld(id, *named, {**scope.bounds, **scope.faults})


@dataclass(frozen=True)
class Effect:
    """What the violation does to messages, where the subject can say it: `permanent` or not, and how many.

    A number is None where it is not known; `detail` says why, or what else a reader must know. `lacks_memory`: with
    more memory more might have been known, so it is what this run found and not what every run does; not recorded.
    """

    kind: EffectKind
    lost: int | None
    repeated: int | None
    detail: str = ""
    lacks_memory: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        """One line: `permanent, 1 lost, 0 repeated`."""
        counted = [f"{n} {what}" for n, what in ((self.lost, "lost"), (self.repeated, "repeated")) if n is not None]
        return ", ".join([self.kind, *counted]) + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True)
class Schedule:
    """When each step can happen, in seconds, with the smallest stalls and delays that the story needs.

    `stall` is the longest of them, 0 if it needs none; `where` says in words what is late, the longest first. `order`
    has the numbers of the trace's steps in the order in which they are told (empty: as they are listed), `times` those
    of the steps in that order, and `where` counts steps by it. ValueError for times that go back.
    """

    stall: float
    where: tuple[str, ...]
    times: tuple[float, ...]
    order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if any(earlier > later for earlier, later in pairwise(self.times)):
            raise ValueError(f"the times of a story go back: {self.times}")

    def __str__(self) -> str:
        return "; ".join(self.where) or "no stall or delay is needed"


@dataclass(frozen=True)
class TraceStep:
    """One action taken. `changed` maps each field that it changed to the values before and after.

    `fault` is the kind of fault that it is, or None. `file` and `line` are the action's place in the model.
    """

    number: int
    action: str
    args: Mapping[str, int | str]
    actor: str
    thread: str
    fault: str | None
    stands_for: tuple[Anchor, ...]
    logs: str | None
    file: str
    line: int
    changed: Mapping[str, tuple[Value, Value]]
    claims: Mapping[str, bool]

    @property
    def label(self) -> Label:
        """The action with its arguments, as the model's instances are named."""
        return self.action, tuple(self.args.items())

    @property
    def name(self) -> str:
        """The label as people write it: `consumer_pulls(c=0)`."""
        return show_label(self.label)


@dataclass(frozen=True)
class Trace:
    """A counterexample (for a witness: an example). Step 0 is `initial` with `initial_claims`, before any action.

    `effect` and `timing` are there where the subject knows about damage and time.
    `chosen` are the fields that may start with other values, too. Of a run without an end, `cycle_at` is the number of
    the step after which it goes on as before, again and again; where that is the last one, nothing more happens.
    """

    subject: str | None
    property: TraceClaim
    world: World
    digest: str
    cause: tuple[str, ...]
    effect: Effect | None
    initial: Mapping[str, Value]
    initial_claims: Mapping[str, bool]
    steps: tuple[TraceStep, ...]
    timing: Schedule | None = None
    chosen: tuple[str, ...] = ()
    cycle_at: int | None = None

    def __str__(self) -> str:
        from offsetproof.traces.text import to_text  # which is made of traces

        return to_text(self).rstrip("\n")

    def graph(self) -> Graph:
        """The trace as a networkx graph; `traces/graph.py` says which attributes nodes and edges have."""
        from offsetproof.traces.graph import to_graph  # networkx is only loaded where it is needed

        return to_graph(self)

    @cached_property
    def length(self) -> int:
        """How many steps were taken."""
        return len(self.steps)

    @cached_property
    def faults(self) -> int:
        """How many of the steps are faults."""
        return sum(step.fault is not None for step in self.steps)

    @cached_property
    def goes_on(self) -> str:
        """How a run without an end goes on after its last step, in words; empty for any other trace."""
        if self.cycle_at is None:
            return ""
        if self.cycle_at == self.length:
            return "and then nothing more happens"
        if self.cycle_at + 1 == self.length:
            return f"step {self.length} again and again"
        return f"from step {self.cycle_at + 1} on, again and again"

    @cached_property
    def story(self) -> Trace:
        """The trace as it is told: in the order of its schedule, where it has one.

        Only steps that touch nothing in common change places, and the claim is shown by the last one alone. So each
        step changes what it changed, and the claims are as true after as many steps as they were.
        """
        if self.timing is None or not self.timing.order:
            return self
        steps = tuple(
            replace(self.steps[number - 1], number=index, claims=self.steps[index - 1].claims)
            for index, number in enumerate(self.timing.order, 1)
        )
        return replace(self, steps=steps, timing=replace(self.timing, order=()))

    @cached_property
    def states(self) -> tuple[dict[str, Value], ...]:
        """Every state whole, the initial one first."""
        states = [dict(self.initial)]
        for step in self.steps:
            states.append(states[-1] | {path: after for path, (_, after) in step.changed.items()})
        return tuple(states)

    @cached_property
    def truths(self) -> tuple[Mapping[str, bool], ...]:
        """The truth of every judged claim after each step, the initial state first."""
        return (self.initial_claims, *(step.claims for step in self.steps))


def trace_of(
    replay: Replay,
    *,
    subject: str | None = None,
    digest: str = "",
    effect: Effect | None = None,
    staged: Staged | None = None,
) -> Trace:
    """The trace of a replay.

    `digest` identifies the system that was explored. `staged` saves staging the model again (for the cause).
    """
    reference, prop = replay.reference, replay.prop
    staged = staged or Staged(reference.model, reference.setting)
    return Trace(
        subject,
        TraceClaim(prop.id, prop.name, str(prop.kind)),
        world_of(reference.setting),
        digest,
        cause_of(replay, staged),
        effect,
        _values(replay, replay.states[0]),
        dict(replay.truths[0]),
        tuple(_steps(replay)),
        chosen=tuple(leaf.path for leaf in reference.grown.tree.leaves if len(leaf.initial) > 1),
        cycle_at=replay.cycle_at,
    )


def show_value(value: Value) -> str:
    """A value as people read it.

    >>> show_value(frozenset({2, 0}))
    '{0, 2}'
    """
    return f"{{{', '.join(map(str, sorted(value)))}}}" if isinstance(value, frozenset) else str(value)


def world_of(setting: Setting) -> World:
    """A setting by names."""
    scope = setting.scope
    return World(
        Scope(scope.name, dict(scope.bounds), dict(scope.faults)),
        {role: release.name for role, release in setting.releases.items()},
        tuple(fix.name for fix in setting.fixes),
        tuple(assumption.name for assumption in setting.assumptions),
        setting.listener_name,
    )


def _values(replay: Replay, state: State) -> dict[str, Value]:
    budgets = budget_fields(replay.reference.setting)
    shown_state = replay.reference.show(state)
    return {path: plain(value) for path, value in shown_state.items() if path not in budgets}


def plain(value: object) -> Value:
    """What a field of a model holds, as a trace says it."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, OffsetSet):
        return frozenset(value)
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"a field holds {value!r}, which no trace can show; add its type to Value")


def _steps(replay: Replay) -> Iterator[TraceStep]:
    actions = {label: replay.reference.grown.instances[label][0] for label in set(replay.labels)}
    files = {action.file: shown_file(action.file) for action in actions.values()}
    for number, label in enumerate(replay.labels, 1):
        action = actions[label]
        yield TraceStep(
            number,
            action.name,
            dict(label[1]),
            action.actor_of(label[1]),
            action.thread,
            action.fault,
            action.stands_for,
            action.logs,
            files[action.file],
            action.line,
            _changed_values(replay, replay.states[number - 1], replay.states[number]),
            dict(replay.truths[number]),
        )


def _changed_values(replay: Replay, before: State, after: State) -> dict[str, tuple[Value, Value]]:
    changed = {}
    budgets = budget_fields(replay.reference.setting)
    for leaf, old, new in zip(replay.reference.grown.tree.leaves, before, after, strict=True):
        if old != new and leaf.path not in budgets:
            changed[leaf.path] = (plain(leaf.domain.decode(old)), plain(leaf.domain.decode(new)))
    return changed

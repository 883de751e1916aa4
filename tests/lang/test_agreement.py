"""The two kinds of run agree: what staging made of a method computes what the method computes on real values.

States are drawn from the whole domains, unreachable ones too. To hold another model to it, add a line to `WORLDS`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.random_models import Drawn, models
from systems.reproducible import reproducible
from systems.sketch_reset import SketchReset

from offsetproof.examples.toy_queue import ToyQueue
from offsetproof.examples.toys import TOYS
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, StagedClaim, State, System, show_label
from offsetproof.lang import (
    ClaimKind,
    Component,
    Listener,
    Model,
    ModelError,
    Property,
    Scope,
    Setting,
)
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.queues.queues import Queues


def _smaller(scope: Scope) -> Scope:
    """A large scope with fewer of everything: what is tried here is each step, not the size."""
    return scope.with_bounds({"consumers": 2, "process_queues": 2, "messages": 3}) if scope.large else scope


WORLDS: list[tuple[type[Model], Setting]] = [
    *((SketchReset, Setting(scope)) for scope in SketchReset.scopes),
    *((ToyQueue, Setting(scope)) for scope in ToyQueue.scopes),
    *((model, Setting(scope)) for model in dict.fromkeys(toy.model for toy in TOYS) for scope in model.scopes),
]
"""The models that are held to agreement, each in a setting."""

STATES = 25
"""Random states per world."""


@dataclass(frozen=True)
class World:
    """One model in one setting, both ways."""

    reference: Reference
    staged: Staged
    claims: tuple[Property, ...]

    @staticmethod
    def of(model: type[Model], setting: Setting, claims: tuple[Property, ...]) -> World:
        return World(Reference(model, setting), Staged(model, setting), claims)

    @cached_property
    def system(self) -> System:
        return self.staged.system(self.claims)

    def random_state(self, random: Random) -> State:
        return tuple(random.randint(v.lo, v.hi) for v in self.staged.variables)


def concrete(world: World, state: State, instance: Instance | None, label: object) -> tuple[str, State | None]:
    """How the reference semantics answers."""
    try:
        after = world.reference.take(state, instance.label if instance else label)  # type: ignore[arg-type]  # a label
    except ModelError:
        return "error", None
    return (after.value, None) if isinstance(after, NotTaken) else ("taken", after)


def staged(instance: Instance | None, values: dict[str, int]) -> tuple[str, State | None]:
    """How the staged instance answers; AssertionError where two of its guards hold at once."""
    if instance is None:
        return "disabled", None
    enabled, cut, *failing = evaluate(instance.guards, values)
    assert enabled + cut + any(failing) <= 1, "enabled, cut and failures exclude each other"
    if not enabled:
        return "cut" if cut else "error" if any(failing) else "disabled", None
    updates = dict(zip(instance.updates, evaluate(instance.updates.values(), values), strict=True))
    return "taken", tuple(updates.get(name, value) for name, value in values.items())


def must_agree(world: World, state: State) -> list[State]:
    """Holds every instance, every claim and every lifetime to what the reference says in one state; what follows it."""
    system, following = world.system, []
    values = {v.name: value for v, value in zip(system.variables, state, strict=True)}
    by_label = {inst.label: (i, inst) for i, inst in enumerate(system.instances)}
    for label in world.reference.labels:
        number, inst = by_label.get(label, (-1, None))
        expected = concrete(world, state, inst, label)
        assert staged(inst, values) == expected, f"{show_label(label)} in {world.reference.show(state)}"
        if expected[1] is not None:
            following.append(expected[1])
            for prop, claim in zip(world.claims, system.claims, strict=True):
                if prop.kind is ClaimKind.EACH_STEP:
                    truth = world.reference.judge_step(prop, state, label, expected[1])
                    assert evaluate([claim.per_step[number]], values) == [truth], f"{prop.id} of {show_label(label)}"
    must_judge_alike(world, state, system.claims, values)
    return following


def must_judge_alike(world: World, state: State, claims: tuple[StagedClaim, ...], values: dict[str, int]) -> None:
    """Holds claims about states to the reference."""
    for prop, claim in zip(world.claims, claims, strict=True):
        if claim.on_state is not None:
            assert evaluate([claim.on_state], values) == [world.reference.judge(prop, state)], prop.id


def name_of(world: object) -> str:
    """How a parameter is called in reports."""
    if isinstance(world, Setting):
        return world.scope.name
    return world.name if isinstance(world, Scope | Listener) else getattr(world, "__name__", str(world))


def must_agree_everywhere(model: type[Model], setting: Setting) -> None:
    """Holds a world to the reference in its initial states, in random ones, and along a random walk."""
    world = World.of(model, setting, model.claims)
    random = Random(7)
    for state in [*world.reference.initial(), *(world.random_state(random) for _ in range(STATES))]:
        must_agree(world, state)
    state = world.reference.initial()[-1]
    for _ in range(STATES):
        state = random.choice(must_agree(world, state) or world.reference.initial())


@pytest.mark.parametrize(("model", "setting"), WORLDS, ids=name_of)
def test_staged_actions_and_claims_agree_with_the_reference(model: type[Model], setting: Setting) -> None:
    must_agree_everywhere(model, setting)


ASKED: Mapping[type[Model], tuple[int, Sequence[Listener | None]]] = {
    RocketMQ: (37, [None]),
    RocketMQOrderly: (311, RocketMQOrderly.listeners),
    Queues: (11, [None]),
    Broadcasting: (11, Broadcasting.listeners[1:2]),
    OffsetFiles: (11, [None]),
}
"""The models of RocketMQ, each in every scope, as it is and with all fixes or all assumptions, for these listeners; the
fast suite has one world in so many."""


def worlds_of(model: type[Model], listeners: Sequence[Listener | None]) -> Iterator[tuple[str, Setting]]:
    """Worlds of a model of RocketMQ, by their names."""
    released = dict.fromkeys(model.roles, model.releases[0])
    variants = {"as it is": ((), ()), "all fixes": (model.fixes, ()), "all assumptions": ((), model.assumptions)}
    for scope, (name, (fixes, assumptions)), listener in product(model.scopes, variants.items(), listeners):
        world = Setting(_smaller(scope), released, fixes, assumptions, listener)
        yield f"{model.__name__}-{scope.name}-{name}-{world.listener_name}", world


@pytest.mark.parametrize(("model", "setting"), [
    pytest.param(model, setting, marks=() if at % rare == 0 else pytest.mark.slow, id=name)
    for model, (rare, listeners) in ASKED.items() for at, (name, setting) in enumerate(worlds_of(model, listeners))
])  # fmt: skip
def test_staged_rocketmq_agrees_with_the_reference_in_every_world(model: type[Model], setting: Setting) -> None:
    must_agree_everywhere(model, setting)


@reproducible(60)
@given(models(), st.integers(0, 1 << 30))
def test_staged_random_models_agree_with_the_reference(drawn: Drawn, seed: int) -> None:
    world = World.of(drawn.model, drawn.setting, drawn.model.claims)
    random = Random(seed)
    for state in [*world.reference.initial(), *(world.random_state(random) for _ in range(STATES))]:
        must_agree(world, state)


@reproducible(40)
@given(models(), st.integers(0, 1 << 30))
def test_staged_lifetimes_agree_with_finished(drawn: Drawn, seed: int) -> None:
    world = World.of(drawn.model, drawn.setting, ())
    (lifetime,) = world.system.lifetimes
    life: Component = world.reference.grown.root.life  # type: ignore[attr-defined]  # every drawn model has one
    random = Random(seed)
    for _ in range(STATES):
        state = world.random_state(random)
        values = {v.name: value for v, value in zip(world.staged.variables, state, strict=True)}
        world.reference.grown.tree.load(state)
        assert evaluate([lifetime.condition], values) == [life.finished()]

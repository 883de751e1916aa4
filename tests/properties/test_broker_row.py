"""The row at the broker while it is made in two steps: who sent the commit is kept, and a kill leaves nothing of it."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.checking.request import Request, questions_of
from offsetproof.ir.system import Label, State
from offsetproof.lang.reference import Reference
from offsetproof.model.variants import BROKER_KILL
from offsetproof.model.vocabulary import Origin
from offsetproof.properties.catalogue import ROCKETMQ


def _world() -> Reference:
    """A group of two queues on one broker, which may be killed once."""
    (question,) = questions_of(Request(ROCKETMQ, ("I11",), scope="first-commits"))
    scope = replace(question.setting.scope, faults={BROKER_KILL: 1})
    return Reference(question.model, replace(question.setting, scope=scope))


def _taken(world: Reference, state: State, *labels: Label) -> State:
    for label in labels:
        after = world.take(state, label)
        assert isinstance(after, tuple), (label, after)
        state = after
    return state


def _executed(world: Reference, origin: Origin) -> State:
    """A broker with a message, to which the first commit of the group has come."""
    stored = _taken(world, world.first(), ("producer_sends", ()))
    queue = "consumer[0].commits"
    sent = {f"{queue}.count": 1, f"{queue}[0].offset": 1, f"{queue}[0].origin": list(Origin).index(origin)}
    names = [leaf.variable.name for leaf in world.grown.tree.leaves]
    on_its_way = tuple(sent.get(name, value) for name, value in zip(names, stored, strict=True))
    assert world.show(on_its_way)[f"{queue}[0].origin"] is origin
    return _taken(world, on_its_way, ("broker_executes_commit", (("c", 0),)))


def test_commit_of_a_reset_lands_when_its_row_is_published() -> None:
    world = _world()
    for origin in Origin:
        executed = _executed(world, origin)
        assert not world.show(executed)["ghost_landed"]
        published = world.show(_taken(world, executed, ("broker_publishes_row", ())))
        assert published["ghost_landed"] == (origin is Origin.RESET)
        assert published["broker.committed"] == 1
        assert published["broker.row_origin"] is Origin.PROGRESS


def test_killed_broker_has_neither_a_row_that_was_being_made_nor_one_that_was_not_flushed() -> None:
    world = _world()
    made = _taken(world, world.first(), ("neighbour_commits", ()))
    assert world.show(made)["broker.neighbour_row_being_made"]
    killed = world.show(_taken(world, made, ("broker_is_killed", ())))
    assert not killed["broker.neighbour_row_being_made"]
    assert not killed["broker.neighbour_committed"]
    published = _taken(world, made, ("neighbour_publishes_row", ()))
    assert not world.show(_taken(world, published, ("broker_is_killed", ())))["broker.neighbour_committed"]
    flushed = _taken(world, published, ("broker_flushes", ()), ("broker_is_killed", ()))
    assert world.show(flushed)["broker.neighbour_committed"]

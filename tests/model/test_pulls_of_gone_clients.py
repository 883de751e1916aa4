"""A pull whose process is gone: a broker that knows a member of the group executes it, another one refuses it."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World

from offsetproof.ir.system import State
from offsetproof.lang import Behaviour
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.variants import CORRECT, KILL
from offsetproof.model.vocabulary import PullRequestAt

FIRST = {"c": 0, "pq_id": 0}
RELEASES = pytest.mark.parametrize("release", [[], [SERVER_SIDE_RESET]], ids=["no reset at the broker", "with it"])


def killed(world: World, **more: object) -> State:
    """A pull with commit 2 is on its way, and its process is killed; the broker has 1."""
    values = {
        "broker.max_offset": 3, "broker.committed": 1, "consumer[0].process_queue_table": 0,
        "consumer[0].process_queues_made": 1, "consumer[0].cell": 2, f"{QUEUE}.next_offset": 2,
        f"{QUEUE}.pull_request": PullRequestAt.SENT, f"{QUEUE}.piggyback": 2,
    }  # fmt: skip
    return world.take(world.changed(world.reference.first(), {**values, **more}), "consumer_is_killed", c=0)


def world_of(release: list[Behaviour], consumers: int) -> World:
    return World(bounds={"consumers": consumers}, faults={KILL: 1}, listener=CORRECT, model=RocketMQ, fixes=release)


@RELEASES
def test_broker_that_knows_no_member_refuses_a_pull(release: list[Behaviour]) -> None:
    world = world_of(release, consumers=1)
    after = world.show(world.take(killed(world), "broker_receives_pull", **FIRST))
    assert (after["broker.committed"], after[f"{QUEUE}.pull_request"]) == (1, PullRequestAt.NONE)
    assert after[f"{QUEUE}.piggyback"] is None


@RELEASES
def test_broker_executes_the_commit_of_a_gone_client_once_the_group_has_a_member(release: list[Behaviour]) -> None:
    world = world_of(release, consumers=1)
    started = world.take(killed(world), "consumer_starts", c=0)
    assert world.show(world.take(started, "broker_receives_pull", **FIRST))["broker.committed"] == 2
    two = world_of(release, consumers=2)
    assert two.show(two.take(killed(two), "broker_receives_pull", **FIRST))["broker.committed"] == 2


def test_pull_that_is_refused_takes_no_marker_and_is_not_held() -> None:
    alone, two = (world_of([SERVER_SIDE_RESET], consumers) for consumers in (1, 2))
    refused = alone.take(killed(alone, **{"broker.marker": 0}), "broker_receives_pull", **FIRST)
    assert alone.show(refused)["broker.marker"] == 0
    assert not alone.can_take(refused, "poll_of_gone_client_ends", **FIRST)
    taken = two.show(two.take(killed(two, **{"broker.marker": 0}), "broker_receives_pull", **FIRST))
    assert (taken["broker.marker"], taken["broker.committed"]) == (None, 2)
    held = two.take(killed(two), "broker_receives_pull", **FIRST)
    assert two.can_take(held, "poll_of_gone_client_ends", **FIRST)

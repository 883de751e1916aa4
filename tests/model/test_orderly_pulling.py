"""The first pull under a lock asks where to start once more, and what it is told becomes the next offset."""

from __future__ import annotations

import pytest
from systems.stepped import QUEUE, World

from offsetproof.ir.system import State
from offsetproof.model.variants import BROKER_ERROR, ONLY_CODE_22
from offsetproof.model.vocabulary import FixStep, RebalanceStep, Token


def asked(world: World, **life: object) -> State:
    """The pull thread has asked, for a life that was added with start 1."""
    state = world.life(previously_locked=False, token=Token.RUN_QUEUE, next_offset=1, **life)
    return world.take(world.changed(state, {"consumer[0].cell": 1}), "pull_asks_for_start", c=0, life=0)


@pytest.mark.parametrize("committed", [0, 2])
def test_stored_offset_becomes_next_offset_and_cell(committed: int) -> None:
    world = World()
    state = world.changed(asked(world), {"broker.committed": committed})
    sent = world.show(world.take(world.take(state, "broker_answers_pull", c=0), "pull_is_sent_with_new_start", c=0))
    assert sent[f"{QUEUE}.next_offset"] == sent["consumer[0].cell"] == committed
    assert sent[f"{QUEUE}.previously_locked"] is True
    assert sent[f"{QUEUE}.piggyback"] == (committed or None)
    assert sent[f"{QUEUE}.token"] is (Token.SENT if committed else Token.HELD)
    assert sent["consumer[0].pull_start.at"] is RebalanceStep.IDLE


def test_pull_is_sent_even_if_the_queue_was_dropped_while_it_asked() -> None:
    world = World()
    state = world.changed(asked(world), {"broker.committed": 2, f"{QUEUE}.dropped": True})
    assert not world.can_take(state, "consumer_pulls", c=0, life=0)
    sent = world.show(world.take(world.take(state, "broker_answers_pull", c=0), "pull_is_sent_with_new_start", c=0))
    assert sent[f"{QUEUE}.token"] is Token.SENT


def test_what_is_only_computed_does_not_become_the_cell() -> None:
    world = World(bounds={"cold": 1})
    state = world.changed(asked(world), {"broker.cold": True})
    answered = world.take(state, "broker_answers_pull", c=0)
    found = world.take(answered, "pull_finds_start", c=0)
    sent = world.show(world.take(found, "pull_is_sent_with_new_start", c=0))
    assert (sent[f"{QUEUE}.next_offset"], sent["consumer[0].cell"]) == (3, 1)


@pytest.mark.parametrize(("fixes", "at"), [([], RebalanceStep.NOT_FOUND), ([ONLY_CODE_22], RebalanceStep.IDLE)])
def test_error_is_read_as_no_offset_unless_the_code_is_looked_at(fixes: list[object], at: RebalanceStep) -> None:
    world = World(fixes=fixes, faults={BROKER_ERROR: 1})  # type: ignore[arg-type]  # behaviours, as a parameter
    failed = world.show(world.take(asked(world), "broker_answers_pull_with_error", c=0))
    assert failed["consumer[0].pull_start.at"] is at
    assert failed[f"{QUEUE}.previously_locked"] is False


def test_pull_without_an_answer_ends_in_a_repair_with_the_lowest_offset() -> None:
    world = World(faults={BROKER_ERROR: 1}, bounds={"retention": 1})
    state = world.changed(asked(world), {"broker.min_offset": 1})
    after = world.show(world.take(state, "pull_goes_on_without_start", c=0))
    assert (after[f"{QUEUE}.dropped"], after[f"{QUEUE}.next_offset"]) == (True, 1)
    assert after[f"{QUEUE}.fix"] is FixStep.WAITING
    assert after[f"{QUEUE}.token"] is Token.NONE


def test_life_pulls_only_under_a_lock_whose_expiry_it_does_not_look_at() -> None:
    world = World()
    pulls = {"token": Token.RUN_QUEUE}
    assert not world.can_take(world.life(**pulls, locked=False), "consumer_pulls", c=0, life=0)
    assert world.can_take(world.life(**pulls, lock_expired=True), "consumer_pulls", c=0, life=0)
    gone = world.show(world.take(world.life(**pulls, locked=False, dropped=True), "consumer_pulls", c=0, life=0))
    assert gone[f"{QUEUE}.token"] is Token.NONE

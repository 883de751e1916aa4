"""Witnesses: situations that a HOLDS about replicas must have met."""

from __future__ import annotations

from offsetproof.lang import HOLDS, case, every, some, sometimes
from offsetproof.model.files.offset_file import Row
from offsetproof.model.releases import COPIES_VERSION, TAKES_SLAVES_TABLE
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE, Phase


def _slave_is_alone(pair: Pair) -> bool:
    """Is the master down, and the slave registered?"""
    return every([pair.broker[MASTER].phase == Phase.DOWN, pair.broker[SLAVE].is_registered()])


@sometimes(case("W-slave-answers", HOLDS, "take-over", "stop", "slave-reads", "return", "two-queues"))
def slave_answers(pair: Pair) -> bool:
    """The slave alone is there, and has an offset above 0."""
    return every([_slave_is_alone(pair), pair.given_number(0) > 1])


@sometimes(case("W-slave-executes", HOLDS, "new-topic"))
def slave_has_a_commit_on_its_way(pair: Pair) -> bool:
    """The slave alone is there, and a commit is on its way to it."""
    sent = some(consumer.to_slave[0].number_of(Row.offset) > 1 for consumer in pair.consumer)
    return every([_slave_is_alone(pair), sent])


@sometimes(case("W-acting", HOLDS, "acting-stop", "acting-kill", fixes=[TAKES_SLAVES_TABLE, COPIES_VERSION]))
def master_is_about_to_register(pair: Pair) -> bool:
    """The master has looked at its slave's table, and has an offset above 0."""
    return every([pair.broker[MASTER].phase == Phase.READY, pair.broker[MASTER].answer_number(0) > 1])


@sometimes(case("W-consumes-again", HOLDS, "slave-reads", "return", "two-queues", "hand-over"))
def group_has_consumed(pair: Pair) -> bool:
    """The group has consumed a message while the slave alone is there."""
    return every([_slave_is_alone(pair), pair.ghost_done[0].count() > 0])


@sometimes(case("W-reset-landed", HOLDS, "reset-back", "reset-forward", "reset-back-stop", "reset-forward-stop"))
def reset_has_landed(pair: Pair) -> bool:
    """A reset has landed, and the slave alone is there."""
    return every([pair.ghost_landed, _slave_is_alone(pair)])

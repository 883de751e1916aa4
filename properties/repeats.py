"""Witnesses that each cause of a duplicate delivery suffices: what I20 switches off, one at a time."""

from __future__ import annotations

from offsetproof.lang import HOLDS, case, every, sometimes
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import RECONSUME_LATER


def _delivered_again(group: Group) -> bool:
    return group.ghost_repeated.count() > 0


@sometimes(case("W-again-after-kill", HOLDS, "crash"))
def message_is_delivered_again_after_a_kill(group: Group) -> bool:
    """A killed consumer's successor is given a message again."""
    return _delivered_again(group)


@sometimes(case("W-finished-again-after-kill", HOLDS, "crash"))
def finished_message_is_delivered_again_after_a_kill(group: Group) -> bool:
    """A killed consumer's successor is given a message that was finished, and not that which was not."""
    return every([_delivered_again(group), group.ghost_done.count() == group.scope.messages])


@sometimes(case("W-again-after-hand-over", HOLDS, "hand-over"))
def message_is_delivered_again_after_a_hand_over(group: Group) -> bool:
    """A new owner is given a message that the old one has begun."""
    return _delivered_again(group)


@sometimes(case("W-again-after-reset", HOLDS, "calm-reset"))
def message_is_delivered_again_after_a_reset(group: Group) -> bool:
    """A reset makes a message come again."""
    return _delivered_again(group)


@sometimes(case("W-again-after-broker-kill", HOLDS, "broker-restart"))
def message_is_delivered_again_after_the_broker_is_killed(group: Group) -> bool:
    """A ProcessQueue that starts after the broker has reloaded its file is given a message again."""
    return every([_delivered_again(group), group.broker.committed != group.ghost_highest])


@sometimes(case("W-again-after-failed-send-back", HOLDS, "send-back", listener=RECONSUME_LATER))
def message_is_delivered_again_when_it_cannot_be_sent_back(group: Group) -> bool:
    """A message that could not be sent back is tried again by the same consumer."""
    return _delivered_again(group)


@sometimes(case("W-again-after-sweep", HOLDS, "send-back"))
def message_is_delivered_again_after_the_sweep(group: Group) -> bool:
    """The expiry sweep copies a message to %RETRY% although its listener is still busy with it and succeeds."""
    return (group.ghost_retried & group.ghost_delivered).count() > 0


@sometimes(case("W-again-after-expired-pull", HOLDS, "lost-pull-request"))
def message_is_delivered_again_after_the_pull_expired(group: Group) -> bool:
    """A rebalance replaces a ProcessQueue that nobody pulls for, and the new one is given a message again."""
    return _delivered_again(group)


@sometimes(case("W-again-after-repair", HOLDS, "retention-moves"))
def message_is_delivered_again_after_an_illegal_offset(group: Group) -> bool:
    """A ProcessQueue that starts after the repair of an illegal offset is given a message again."""
    return _delivered_again(group)

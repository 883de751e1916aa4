"""Rewinding: the queue's end falls back, and its offsets are given to other messages.

Stands for AdminBrokerProcessor.deleteTopic with DefaultMessageStore.cleanUnusedTopic, and for CommitLog's recovery
after a machine went down. A topic that is deleted and created again has an empty queue; one whose last messages had not
been flushed ends before them. Either way the group's row stays where it was, and so do the cells, the caches and the
tokens of clients that are running: an offset there may now be another message, or none.

What a message is, for claims, changes when the next one is stored at its offset: it is owed anew, and what was done,
skipped or delivered there before says nothing of it (`Group.note_stored`). A task that was made of the former message
goes on, and what comes of it is no longer noted. The group is owed everything that is stored from then on. A reset is
about the messages of its topic: its history ends with the topic. After a loss it goes on, and what was done again
before counts: the reset has had its effect.

Left out: a topic that is deleted on its way to a reset's target (a cut), copies in %RETRY% of messages that are gone,
and an offset file that is lost together with the messages. What the broker's store answers for an offset at the end
(OFFSET_OVERFLOW_ONE), beyond it (OFFSET_OVERFLOW_BADLY), before the beginning (OFFSET_TOO_SMALL) and in an empty queue
(NO_MESSAGE_IN_QUEUE) is in pulling.py.
"""

from __future__ import annotations

from offsetproof.lang import action, at, bound, every, holds, larger, require, smaller
from offsetproof.model.consumer import Consumer
from offsetproof.model.group import Group
from offsetproof.model.variants import (
    BROKER_LOSES_TAIL,
    DELETED_WHILE_DOWN,
    FLUSHED_FIRST,
    ROW_DELETED_WITH_TOPIC,
)
from offsetproof.model.vocabulary import CONSUMERS, LIVES, TAILS, Token

_DELETES = "AdminBrokerProcessor"
_CALLBACK = "DefaultMQPushConsumerImpl.PullCallback"


class Rewinding(Group):
    """What makes the end of the queue fall, and what a pull is told while there is no topic."""

    @action(
        actor="administrator", thread="admin tool",
        stands_for=[
            at(_DELETES, "deleteTopic", "deleteTopicConfig"),
            at("DefaultMessageStore", "cleanUnusedTopic", "destroy"),
        ],
    )  # fmt: skip
    def administrator_deletes_topic(self) -> None:
        """Deletes the topic: its queue is gone, the group's row stays.

        Clients keep the route that they know, and go on. A row that is being made is published later, whatever the
        release does with rows that are there.
        """
        require(self.deletions_left > 0, not self.broker.gone)
        bound(every(holds(consumer, Consumer.reset_command, None) for consumer in self.consumer))
        if self.setting.assumes(DELETED_WHILE_DOWN):
            require(every(consumer.is_down_and_heard() for consumer in self.consumer))
        self.deletions_left = self.deletions_left - 1
        self.broker.lose_queue()
        if self.setting.behaves(ROW_DELETED_WITH_TOPIC):
            self.broker.committed = None
        if self.ghost_owed_from is not None:
            self.ghost_owed_from = 0
        self.forget_reset()

    @action(
        actor="administrator", thread="admin tool",
        stands_for=[at(_DELETES, "updateAndCreateTopic", "updateTopicConfig")],
    )  # fmt: skip
    def administrator_creates_topic(self) -> None:
        """Creates the topic again: its queue is empty."""
        require(self.broker.gone)
        self.broker.gone = False

    @action(
        c=CONSUMERS, life=LIVES, actor="consumer[c]", thread="pull callback",
        stands_for=[
            at("PullMessageProcessor", "processRequest", "selectTopicConfig"),
            at(_CALLBACK, "onException", "executePullRequestLater"),
        ],
    )  # fmt: skip
    def poll_meets_no_topic(self, c: int, life: int) -> None:
        """Is told that there is no such topic; tries again in a second.

        TOPIC_NOT_EXIST: the offset stays, and is pulled from once the topic is there again.
        """
        pq = self.consumer[c].process_queue[life]
        require(self.broker.gone, pq.token == Token.HELD, self.consumer[c].has_free_thread())
        pq.token = Token.RUN_QUEUE

    @action(
        n=TAILS, actor="broker", thread="process", fault=BROKER_LOSES_TAIL,
        stands_for=[
            at("CommitLog", "recoverAbnormally", "truncateDirtyLogicFiles"),
            at("ConfigManager", "load", "decode"),
        ],
    )  # fmt: skip
    def broker_loses_tail(self, n: int) -> None:
        """Loses n + 1 unflushed messages as its machine goes down.

        After the start its offset table is what the file holds, and the next message gets the first offset that was
        lost. A held poll is cut off and sent again.
        """
        broker = self.broker
        require(broker.max_offset > broker.min_offset + n)
        end = broker.max_offset - (n + 1)
        if self.setting.assumes(FLUSHED_FIRST):
            require(every(consumer.knows_nothing_beyond(end) for consumer in self.consumer))
            require(broker.knows_nothing_beyond(end))
        broker.restart()
        broker.max_offset = end
        if self.ghost_owed_from is not None:
            self.ghost_owed_from = smaller(self.ghost_owed_from, larger(end, 0))

"""Rewinding: the queue's end falls back, and its offsets are given to other messages.

Stands for AdminBrokerProcessor.deleteTopic with DefaultMessageStore.cleanUnusedTopic, and for CommitLog's recovery
after a machine went down. A topic that is deleted and created again has an empty queue; one whose last messages had not
been flushed ends before them. Either way the group's row stays where it was, and so do the cells, the caches and the
PullRequests of clients that are running: an offset there may now be another message, or none.

What a message is, for claims, changes when the next one is stored at its offset: it is owed again, and what was done,
skipped or delivered there before says nothing of it (`Group.note_stored`). A task that was made of the former message
goes on, and what comes of it is no longer noted. The group is owed everything that is stored from then on. What a
reset had done again before a loss counts: it has had its effect.

Left out: a topic that is deleted after a reset at the client, which was about its messages (a cut); an end that falls
after the expiry sweep has sent a message back whose listener is still running (a cut); clients that start while there
is no topic, and so know no route; copies in %RETRY% of messages that are gone; an offset file that is lost together
with the messages. What the broker answers for an offset at the end of the queue or beyond it is in pulling.py.
"""

from __future__ import annotations

from offsetproof.lang import at, bound, every, require, smaller
from offsetproof.lang.record import NotInRig, Pause
from offsetproof.model.releases import ROW_DELETED_WITH_TOPIC
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.pulling import PULL_SENT
from offsetproof.model.threads import ADMIN, BROKER, BY_DECISION, CALLBACK
from offsetproof.model.timers import FLUSH_LOG, HOLD_CHECK, ON_ITS_WAY, POLL_HOLD
from offsetproof.model.variants import (
    BROKER_LOSES_TAIL,
    DELETED_WHILE_DOWN,
    FLUSHED_FIRST,
)
from offsetproof.model.vocabulary import ENDS, PullRequestAt

_DELETES = "AdminBrokerProcessor"
_CALLBACK = "DefaultMQPushConsumerImpl.PullCallback"

_HELD = Pause(
    "the broker holds a poll too long", (PULL_SENT,), None, POLL_HOLD + HOLD_CHECK + ON_ITS_WAY,
    "PullMessageProcessor: at once, or when the hold is over; and the answer's way",
)  # fmt: skip
_IN_MEMORY = Pause(
    "a message is long in memory only", ("producer_sends",), most=FLUSH_LOG,
    source="CommitLog.FlushRealTimeService: flushCommitLogThoroughInterval",
)  # fmt: skip
_NO_TOPICS = NotInRig("the rig's topic is always there")


class Rewinding(Group):
    """What makes the end of the queue fall, and what a pull is told while there is no topic."""

    @ADMIN.step(
        at(_DELETES, "deleteTopic", "deleteTopicConfig").or_at("deleteTopicInBroker", "deleteTopicConfig"),
        at("DefaultMessageStore", "cleanUnusedTopic", "destroy")
        .or_at("deleteTopics", "destroy")
        .or_at("deleteTopics", "deleteTopic"),
        any_time=BY_DECISION,
        rig=_NO_TOPICS,
    )
    def administrator_deletes_topic(self) -> None:
        """Deletes the topic, its queue, and since 5.0.0 its groups' rows.

        Clients keep the route that they know, and go on. A row that is being made is published later, whatever the
        release does with rows that are there.
        """
        require(self.deletions_left > 0, not self.broker.gone)
        bound(every([self.may_lose_topic(), self.sweeps_left == self.scope.sweeps]))
        if self.setting.assumes(DELETED_WHILE_DOWN):
            require(every(consumer.is_down_and_heard() for consumer in self.consumer))
        self.deletions_left = self.deletions_left - 1
        self.broker.lose_queue()
        self.ghost_end_fell = True
        self.note_topic_lost()
        if self.setting.behaves(ROW_DELETED_WITH_TOPIC):
            self.broker.committed = None
            self.broker.neighbour_committed = False
        if self.ghost_owed_from is not None:
            self.ghost_owed_from = 0

    def may_lose_topic(self) -> bool:
        """Is the topic's deletion within what is modelled? Not once a client may have been told of a reset."""
        return self.resets_left == self.scope.resets

    def note_topic_lost(self) -> None:
        """History: what was asked of the topic's messages is asked no more; of a reset, where one may have been."""

    @ADMIN.step(at(_DELETES, "updateAndCreateTopic", "updateTopicConfig"), any_time=BY_DECISION, rig=_NO_TOPICS)
    def administrator_creates_topic(self) -> None:
        """Creates the topic again: its queue is empty."""
        require(self.broker.gone)
        self.broker.gone = False

    @CALLBACK.step(
        at("PullMessageProcessor", "processRequest", "selectTopicConfig"),
        at(_CALLBACK, "onException", "executePullRequestLater"),
        waits=_HELD,
        rig=_NO_TOPICS,
    )
    def poll_meets_no_topic(self, c: int, pq_id: int) -> None:
        """Is told that there is no such topic; tries again in a second.

        TOPIC_NOT_EXIST: the offset stays, and is pulled from once the topic is there again.
        """
        pq = self.consumer[c].process_queue[pq_id]
        require(self.broker.gone, pq.pull_request == PullRequestAt.HELD, self.consumer[c].has_free_thread())
        pq.pull_request = PullRequestAt.RUN_QUEUE

    @BROKER.step(
        at("CommitLog", "recoverAbnormally", "truncateDirtyLogicFiles"),
        at("ConfigManager", "load", "decode"),
        waits=_IN_MEMORY,
        rig=NotInRig("the rig's store is two numbers, and loses nothing"),
        fault=BROKER_LOSES_TAIL,
        x=ENDS,
    )
    def broker_loses_tail(self, x: int) -> None:
        """Goes down with its machine; the queue ends at x now.

        What was not flushed is gone. After the start the offset table is what its file holds, and the next message gets
        the first offset that was lost. A held poll is cut off, and sent again.
        """
        broker = self.broker
        require(broker.min_offset <= x, x < broker.max_offset, broker.max_offset <= x + self.scope.tails)
        bound(self.sweeps_left == self.scope.sweeps)
        if self.setting.assumes(FLUSHED_FIRST):
            require(every(consumer.holds_no_offset_beyond(x) for consumer in self.consumer))
            require(broker.holds_no_offset_beyond(x))
        broker.restart()
        broker.max_offset = x
        self.ghost_end_fell = True
        if self.ghost_owed_from is not None:
            self.ghost_owed_from = smaller(self.ghost_owed_from, x)

"""Since 5.2.0 a reset happens at the broker: a marker in its memory, and the target in its table; nobody is told.

Stands for AdminBrokerProcessor.resetOffsetInner and ConsumerOffsetManager.assignResetOffset, and for what looks at the
marker: PullMessageProcessor, ConsumerManageProcessor and queryOffset. While there is a marker, commits that clients
send are answered with success and ignored, and queries give the target. The next pull that gets as far takes the
marker, whoever's it is, then executes the commit that it carries, and is answered with the target; its callback drops
the ProcessQueue, and repairs the queue as after an illegal offset. What a pull is answered is decided at the broker, a
step of its own here: an answer that was on its way before the reset comes without the marker. A pull of a client that
is gone stays at the broker until its hold is over, and takes the marker as well. Left out: cold-data control, which
refuses pulls before they come to the marker; several queues.
"""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from offsetproof.lang import (
    at,
    choose,
    every,
    flag,
    holds,
    negation,
    offset,
    optional,
    require,
    same,
    some,
)
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.rigging import RigChange, ThreadStep
from offsetproof.model.broker_log import MARKER_TAKEN, REFUSED, RESET_LISTED
from offsetproof.model.remote.committing import ON_ITS_WAY_TO_BROKER, Committing
from offsetproof.model.remote.losing import Losing
from offsetproof.model.remote.piggybacking import Piggybacking
from offsetproof.model.remote.querying import Querying
from offsetproof.model.shared.administering import Administering
from offsetproof.model.shared.broker import Broker
from offsetproof.model.shared.consumer import Consumer, RebalanceRun
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.shared.pulling import PULL_SENT, Pulling
from offsetproof.model.threads import BY_DECISION, CALLBACK, COMMITS, PULLS, RESET_TOOL, of_client
from offsetproof.model.timers import HOLD_CHECK, ON_ITS_WAY, POLL_HOLD
from offsetproof.model.variants import (
    COMMITS_IN_ORDER,
    MARKER_KEPT_UNTIL_PULLED,
    MARKER_PULL_COMMITS_NOTHING,
    OVERTAKE,
    RESET_WHILE_DOWN,
    RESET_WRITTEN_THROUGH,
)
from offsetproof.model.vocabulary import (
    PLACES,
    TARGETS,
    PullRequestAt,
    RebalanceStep,
    RepairStep,
    ResetLoop,
)

_MANAGER = "ConsumerOffsetManager"
_PULLED = "PullMessageProcessor"
IGNORES = at("ConsumerManageProcessor", "updateConsumerOffset", "hasOffsetReset")
MARKS = at(_MANAGER, "assignResetOffset", "computeIfAbsent")
WRITES = at(_MANAGER, "assignResetOffset", "computeIfAbsent", 2)
ANSWERS = at(_PULLED, "processRequest", "getMessageAsync")
TAKES = at(_PULLED, "processRequest", "queryThenEraseResetOffset")
_MARKED = at_once("administrator_resets", "administrator_resets_by_time")
HELD = Pause(
    "the broker holds a poll too long", (PULL_SENT,), None, POLL_HOLD + HOLD_CHECK + ON_ITS_WAY,
    "PullRequestHoldService: at once, or when the hold is over",
)  # fmt: skip
_MARK = ThreadStep("mark", lambda moment: ("mark",))
_ANSWERED = Pause(
    "an answer is on its way", (("poll_takes_marker", "broker_receives_pull"),), most=ON_ITS_WAY, source="an answer"
)


def marks(target: str) -> ThreadStep:
    """The broker's thread that the tool has asked."""
    return replace(_MARK, call="mark", values=lambda moment: {"offset": moment.arg(target)})


def _of_pull(change: str) -> RigChange:
    """What the broker does with a pull."""
    return RigChange(change, lambda moment: {**of_client(moment), "pq_id": moment.arg("pq_id")})


class MarkingBroker(Broker):
    """A broker with the marker of a reset, and the target that its table has not got yet."""

    marker: int | None = optional(offset())
    marking: int | None = optional(offset())

    def offset_for_query(self) -> int | None:
        """The marker, or else what is stored (ConsumerOffsetManager.queryOffset)."""
        marker = self.marker
        return super().offset_for_query() if marker is None else marker

    def has_marker(self) -> bool:
        """Is there the marker of a reset?"""
        return negation(holds(self, MarkingBroker.marker, None))

    def forget_reset(self) -> None:
        """The marker was in memory, but for a remedy."""
        if not self.setting.behaves(RESET_WRITTEN_THROUGH):
            self.marker = None
        self.marking = None

    def goes_with(self, pull_offset: int) -> bool:
        """Does the marker go with a pull from this offset?"""
        if not self.setting.behaves(MARKER_KEPT_UNTIL_PULLED):
            return True
        return self.marker == pull_offset

    def lose_marker(self) -> None:
        """The marker is taken; with a remedy the file has the target by then, and the marker no longer."""
        self.marker = None
        if self.setting.behaves(RESET_WRITTEN_THROUGH):
            self.flushed = self.committed


class AnsweredProcessQueue(ProcessQueue):
    """A ProcessQueue whose pull may be `answered` by the broker, or be answered with a reset's target (`reset_to`)."""

    answered: bool = flag()
    reset_to: int | None = optional(offset())

    def is_at_broker(self) -> bool:
        """Is its pull at the broker, and not answered?"""
        return every([self.pull_request == PullRequestAt.HELD, negation(self.is_answered())])

    def is_answered(self) -> bool:
        """Has its pull been answered, be it with the target of a reset?"""
        return every([super().is_answered(), some([self.answered, self.is_answered_with_target()])])

    def is_answered_with_target(self) -> bool:
        """Is the answer the target of a reset?"""
        return negation(holds(self, AnsweredProcessQueue.reset_to, None))

    def discard_pull_request(self) -> None:
        """The PullRequest is gone, and what was answered to it."""
        super().discard_pull_request()
        self.answered, self.reset_to = False, None

    def break_pull(self) -> None:
        """The broker is gone, and what it has answered does not arrive."""
        super().break_pull()
        self.answered, self.reset_to = False, None

    def leave_pull(self) -> None:
        """The process is gone; a pull that the broker holds stays there, and with a remedy the offset it asks for."""
        held, pull_offset = self.is_at_broker(), self.next_offset
        super().leave_pull()
        self.pull_request = choose(held, PullRequestAt.CLIENT_GONE, self.pull_request)
        if self.setting.behaves(MARKER_KEPT_UNTIL_PULLED):
            self.next_offset = choose(self.pull_request == PullRequestAt.CLIENT_GONE, pull_offset, 0)
        self.answered, self.reset_to = False, None


def marking_broker(group: Group) -> MarkingBroker:
    """The group's broker."""
    return cast(MarkingBroker, group.broker)


class MarkedReset(Administering):
    """What the tool and the broker do."""

    @RESET_TOOL.step(MARKS, any_time=BY_DECISION, rig=marks("x"), x=TARGETS)
    def administrator_resets(self, x: int) -> None:
        """Marks the queue with the target; nobody is told."""
        require(x <= self.broker.max_offset, self.scope.equal_times == 0)
        self.tell(x, x)

    def tell(self, x: int, wanted: int) -> None:
        """The broker marks the queue with x, whoever is online and whatever was committed."""
        broker = marking_broker(self)
        require(self.resets_left > 0, negation(broker.gone), broker.marking is None)
        if self.setting.assumes(RESET_WHILE_DOWN):
            require(every(consumer.is_down_and_heard() for consumer in self.consumer))
        if self.scope.resets > 1:
            require(self.is_tool_free())
        self.resets_left = self.resets_left - 1
        self.note_wanted(wanted)
        broker.marker = x
        broker.marking = x

    def starts_after_landing(self) -> bool:
        """History: from the marker on, which is given before the target is in the table."""
        return some([super().starts_after_landing(), self.is_resetting()])

    def is_resetting(self) -> bool:
        """Has the tool no answer yet? The marker is there, and the target not yet in the table."""
        return negation(holds(marking_broker(self), MarkingBroker.marking, None))

    @RESET_TOOL.step(WRITES, waits=_MARKED, rig=_MARK, logs=RESET_LISTED)
    def broker_writes_target(self) -> None:
        """Writes the target into the table, and answers the tool."""
        broker = marking_broker(self)
        target = broker.marking
        require(target is not None)
        if target is not None:
            self.put_offset(target)
        if self.setting.behaves(RESET_WRITTEN_THROUGH):
            broker.flushed = broker.committed
        broker.marking = None
        self.note_target_written()
        self.ghost_answered = True
        if self.scope.brokers > 1:
            self.reset_loop = ResetLoop.FIRST_ANSWERED

    def note_target_written(self) -> None:
        """History: the reset has landed."""
        self.ghost_landed = True


class MarkedCommits(Piggybacking, Committing):
    """What commits do while there is a marker."""

    def execute_sent_commit(self, c: int, place: int) -> None:
        """Executes a commit that a client has sent, where there is no marker."""
        require(holds(marking_broker(self), MarkingBroker.marker, None))
        super().execute_sent_commit(c, place)

    @COMMITS.step(IGNORES, any_time=ON_ITS_WAY_TO_BROKER, rig=RigChange("lose_commit", of_client), logs=REFUSED)
    def broker_ignores_commit(self, c: int) -> None:
        """Ignores a client's oldest commit, and says that all is well."""
        self.ignore_sent_commit(c, 0)

    @COMMITS.step(
        IGNORES,
        any_time=ON_ITS_WAY_TO_BROKER,
        rig=RigChange("lose_commit", lambda moment: {**of_client(moment), "place": moment.arg("p")}),
        logs=REFUSED,
        fault=OVERTAKE,
        p=PLACES,
    )
    def broker_ignores_newer_commit_first(self, c: int, p: int) -> None:
        """Ignores a commit before the client's older ones come."""
        require(p > 0, not self.setting.assumes(COMMITS_IN_ORDER))
        self.ignore_sent_commit(c, p)
        self.ghost_overtaken = True

    def ignore_sent_commit(self, c: int, place: int) -> None:
        """Ignores a commit that a client has sent, as there is a marker."""
        require(negation(holds(marking_broker(self), MarkingBroker.marker, None)))
        self.consumer[c].commits.remove(place)

    @same(Piggybacking.broker_receives_pull)
    def broker_receives_pull(self, c: int, pq_id: int) -> None:
        """Takes the pull, and the marker; then executes the commit that it carries."""
        broker, pq = marking_broker(self), cast(AnsweredProcessQueue, self.consumer[c].process_queue[pq_id])
        is_gone, refuses = pq.pull_request == PullRequestAt.CLIENT_GONE, self.refuses_pulls()
        super().broker_receives_pull(c, pq_id)
        marker = broker.marker
        if marker is None or refuses:
            is_held = every([is_gone, negation(refuses)])
            pq.pull_request = choose(is_held, PullRequestAt.CLIENT_GONE, pq.pull_request)
            return
        if broker.goes_with(pq.next_offset):
            broker.lose_marker()
        if not is_gone:
            pq.reset_to = marker

    def executes_piggyback(self, pq: ProcessQueue) -> bool:
        """Is it executed? With a remedy not while there is a marker, which the pull takes or meets."""
        remedies = (MARKER_PULL_COMMITS_NOTHING, MARKER_KEPT_UNTIL_PULLED)
        if any(self.setting.behaves(remedy) for remedy in remedies):
            return every([super().executes_piggyback(pq), holds(marking_broker(self), MarkingBroker.marker, None)])
        return super().executes_piggyback(pq)


class MarkedQueries(Querying):
    """What queries are answered while there is a marker."""

    def answer_query(self, run: RebalanceRun) -> None:
        """The marker, or else what is answered without one."""
        marker = marking_broker(self).marker
        if marker is None:
            super().answer_query(run)
            return
        require(run.at == RebalanceStep.DIRTY_REMOVED)
        run.ghost_after_landing = self.starts_after_landing()
        run.start = marker
        run.at = RebalanceStep.QUERIED


class LostAnswers(Losing):
    """What is lost with a pull."""

    @same(Losing.pull_fails)
    def pull_fails(self, c: int, pq_id: int) -> None:
        """Loses a pull or its answer, and tries again in a second."""
        super().pull_fails(c, pq_id)
        pq = cast(AnsweredProcessQueue, self.consumer[c].process_queue[pq_id])
        pq.answered = False
        pq.reset_to = None


class MarkedPulls(Pulling):
    """What the broker answers pulls, and what the callback hears."""

    def may_come(self, pq: ProcessQueue) -> bool:
        """May an answer come? One with a target does, whatever has become of the topic."""
        return some([super().may_come(pq), pq.is_answered_with_target()])

    def send_pull(self, consumer: Consumer, pq: ProcessQueue) -> None:
        """The pull is sent; nothing is answered yet."""
        super().send_pull(consumer, pq)
        answered = cast(AnsweredProcessQueue, pq)
        answered.answered, answered.reset_to = False, None

    @PULLS.step(TAKES, waits=HELD, rig=_of_pull("take_marker"), logs=MARKER_TAKEN)
    def poll_takes_marker(self, c: int, pq_id: int) -> None:
        """Takes the marker, and is answered with the target."""
        broker, pq = marking_broker(self), cast(AnsweredProcessQueue, self.consumer[c].process_queue[pq_id])
        marker = broker.marker
        require(pq.is_at_broker(), marker is not None, negation(broker.gone))
        pq.reset_to = marker
        if broker.goes_with(pq.next_offset):
            broker.lose_marker()

    @PULLS.step(TAKES, waits=HELD, rig=RigChange("erase_marker"), logs=MARKER_TAKEN)
    def poll_of_gone_client_ends(self, c: int, pq_id: int) -> None:
        """Ends the hold of a pull whose client is gone; it takes the marker, too, where it is not refused."""
        broker, pq = marking_broker(self), self.consumer[c].process_queue[pq_id]
        require(pq.pull_request == PullRequestAt.CLIENT_GONE, pq.piggyback is None)
        pq.pull_request = PullRequestAt.NONE
        if every([negation(self.refuses_pulls()), broker.goes_with(pq.next_offset)]):
            broker.lose_marker()

    @CALLBACK.step(
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "setDropped"),
        waits=_ANSWERED,
        logs="the pull request offset illegal, {} {}",
        counts_as="poll_is_illegal",
    )
    def poll_hears_of_reset(self, c: int, pq_id: int) -> None:
        """Hears the target: drops the queue, and repairs it."""
        pq = cast(AnsweredProcessQueue, self.consumer[c].process_queue[pq_id])
        target = pq.reset_to
        require(self.gets_answer(c, pq), target is not None)
        if target is not None:
            pq.next_offset = target
        pq.reset_to = None
        pq.pull_request = PullRequestAt.NONE
        pq.dropped = True
        pq.repair = RepairStep.WAITING


def answer_pull(group: Group, c: int, pq_id: int) -> None:
    """The broker answers a pull by what is stored; there is no marker."""
    broker, pq = marking_broker(group), cast(AnsweredProcessQueue, group.consumer[c].process_queue[pq_id])
    require(pq.is_at_broker(), broker.marker is None, negation(broker.gone))
    pq.answered = True


def signs_of_rest(group: Group) -> list[bool]:
    """No answer with a target is on its way, and no marker is left that somebody will take."""
    broker = marking_broker(group)
    nobody = every(negation(consumer.alive) for consumer in group.consumer)
    over = [holds(broker, MarkingBroker.marking, None), some([nobody, holds(broker, MarkingBroker.marker, None)])]
    pqs = [cast(AnsweredProcessQueue, pq) for consumer in group.consumer for pq in consumer.process_queue]
    return [*over, *(negation(pq.is_answered_with_target()) for pq in pqs)]


MARKED = (MarkedCommits, MarkedQueries, MarkedReset, LostAnswers)
"""The steps of any push consumer and its broker, before those of MarkedPulls."""
MARKED_PARTS = (MarkingBroker, AnsweredProcessQueue)
LEFT_OUT = (
    "what of a reset at the broker is about several queues: a topic's queues are marked one after the other; a "
    "reset of one queue (resetOffsetByQueueId)",
    "the resets at the client that a broker still sends where useServerSideResetOffset is false: those are in "
    "5.3.3-client-reset",
    "a hold that cold-data control refuses before it looks at the marker",
    "what comes between a broker's look at the marker and the write of a commit, sent or carried by a pull",
)
"""What is left out of a reset at the broker."""

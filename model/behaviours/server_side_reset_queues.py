"""A reset at the broker of several queues: one command marks all queues of a broker, one after the other.

Stands for AdminBrokerProcessor.resetOffsetInner, which computes all targets before it marks the first queue, and for
what looks at the markers. Each queue's marker is given before its row is written, and the next queue is marked after
that. A reset of one queue (resetOffsetByQueueId) marks that one alone. Nobody is sent a command: the steps of a reset
at the client stay in the model, and cannot be taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from offsetproof.lang import Change, at, bound, choose, every, negation, require, same, some
from offsetproof.lang.record import Pause, at_once
from offsetproof.lang.rigging import RigChange, RigMoment, ThreadStep
from offsetproof.model.behaviours.marked_queues import MarkedClient, MarkedQueue, MarkedShare
from offsetproof.model.behaviours.queue_repair import QueueRepair
from offsetproof.model.behaviours.server_side_reset import IGNORES, MARKS, TAKES, WRITES
from offsetproof.model.broker_log import MARKER_TAKEN, REFUSED, RESET_LISTED
from offsetproof.model.queues.administering import RESETS_AT_BROKER, AdministeringBrokers
from offsetproof.model.queues.consuming import ConsumingShares
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.membership import Membership
from offsetproof.model.queues.persisting import PersistingShares
from offsetproof.model.queues.rebalancing import RebalancingByTopic
from offsetproof.model.queues.threads import CALLBACK, COMMITS, PULLS, RESET_TOOL, of_client, with_pull_request
from offsetproof.model.queues.variants import RESET_WHILE_DOWN, RESETS_APART
from offsetproof.model.queues.vocabulary import BROKERS, Poll, queues_of
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.shared.pulling import DISPATCHED
from offsetproof.model.timers import ON_ITS_WAY
from offsetproof.model.vocabulary import TARGETS, RepairStep

_ROWS_WRITTEN = at_once("administrator_resets_broker", "administrator_asks_for_one_queue", "broker_writes_target")
_DISPATCHED = replace(DISPATCHED, held_at_begin=(("rebalance_adds_queue", "q", "client[{c}].rebalance[{r}].queue"),))
"""No other run adds the queue meanwhile: no thread resumes where resets happen at the broker."""
_TAKEN = ("pull_takes_marker", "new_pull_takes_marker")
_ANSWERED = Pause("an answer is on its way", (_TAKEN,), most=ON_ITS_WAY, source="an answer")
_NEXT_REQUEST = Pause(
    "the tool waits for a broker", ("administrator_writes_queue",), most=ON_ITS_WAY, source="a request"
)
_MARK = ThreadStep("mark", lambda moment: ("mark",), within=(MARKS,))


def _queues_at(moment: RigMoment) -> list[int]:
    """The queues of the broker that the tool asks."""
    brokers = sum(path.startswith("registry[") and path.endswith("].members") for path in moment.before)
    queues = sum(path.endswith("].committed") for path in moment.before)
    return [queue for queue in range(queues) if queue * brokers // queues == moment.arg("b")]


def _marks_all(moment: RigMoment) -> dict[str, Any]:
    return {"named": _queues_at(moment), "offset": moment.arg("x")}


def _marks_one(moment: RigMoment) -> dict[str, Any]:
    asked = {queue: moment.before[f"queue[{queue}].asked"] for queue in _queues_at(moment)}
    ((queue, target),) = [each for each in asked.items() if each[1] is not None]
    return {"named": [queue], "offset": target}


class MarkedGroup(QueueGroup):
    """The group's queues with their markers."""

    def marked_queues(self, b: int | None = None) -> list[MarkedQueue]:
        """The queues, or those of a broker."""
        numbers = range(self.scope.queues) if b is None else queues_of(self.scope, b)
        return [cast(MarkedQueue, self.queue[q]) for q in numbers]

    def is_marking(self) -> bool:
        """Is a broker about to write a target into its table?"""
        return some(queue.is_being_marked() for queue in self.marked_queues())

    def mark_next(self, b: int) -> None:
        """The broker marks the first of its queues whose row is not written yet."""
        for q in queues_of(self.scope, b):
            queue = cast(MarkedQueue, self.queue[q])
            target = queue.marking
            if target is not None:
                queue.marker = target
                if not self.scope.tool_5x:
                    self.note_answered(q, target)
                return

    def is_tool_done(self) -> bool:
        """Has the tool nothing more to ask a broker, and every answer?"""
        return every([super().is_tool_done(), negation(self.is_marking())])

    def is_free_of_resets(self) -> bool:
        """Have all brokers and clients done with what the tool asked for?"""
        return every([super().is_free_of_resets(), negation(self.is_marking()), *self._are_unmarked()])

    def _are_unmarked(self) -> list[bool]:
        return [negation(queue.has_marker()) for queue in self.marked_queues()]

    def rest(self) -> bool:
        """At rest as else, and no marker is left that somebody will take."""
        taken = [some([unmarked, self.owners(q) == 0]) for q, unmarked in enumerate(self._are_unmarked())]
        return every([super().rest(), *taken])


class MarkingBrokers(AdministeringBrokers, MarkedGroup):
    """What the tool and the brokers do."""

    @RESET_TOOL.step(
        MARKS,
        any_time="a decision from outside, and the tool's next request",
        rig=replace(_MARK, call="mark", values=_marks_all),
        b=BROKERS,
        x=TARGETS,
    )
    def administrator_resets_broker(self, b: int, x: int) -> None:
        """Asks the next broker, which marks the first of its queues; nobody is told.

        The first one begins a run of the tool. Whether a client runs is not asked.
        """
        require(self.next_broker == b, self.scope.others == 0, self.scope.tool_5x == 0, negation(self.is_marking()))
        if self.setting.assumes(RESET_WHILE_DOWN):
            require(self.is_stopped())
        if b == 0:
            if self.setting.assumes(RESETS_APART):
                require(self.is_free_of_resets())
            self.begin_run()
        self.next_broker = (b + 1) % self.scope.brokers
        for queue in self.marked_queues(b):
            queue.marking = x
        self.mark_next(b)

    @same(AdministeringBrokers.administrator_fails_at_broker)
    def administrator_fails_at_broker(self, b: int) -> None:
        """Asks the next broker, which fails: the loop ends half-way."""
        require(negation(self.is_marking()))
        super().administrator_fails_at_broker(b)

    @RESET_TOOL.step(WRITES, waits=_ROWS_WRITTEN, rig=_MARK, logs=RESET_LISTED, b=BROKERS)
    def broker_writes_target(self, b: int) -> None:
        """Writes the target of the queue that it has marked into the table, and marks the next; then it answers."""
        require(some(queue.is_being_marked() for queue in self.marked_queues(b)))
        for q in queues_of(self.scope, b):
            queue = cast(MarkedQueue, self.queue[q])
            target = queue.marking
            if target is not None:
                self.commit(q, target, self.resets_begun)
                queue.marking = None
                self.mark_next(b)
                return

    @same(AdministeringBrokers.administrator_writes_queue)
    def administrator_writes_queue(self, q: int, x: int) -> None:
        """Writes the offset of one queue at its broker; a tool of 5.x is then about to ask for a reset of it."""
        queue = cast(MarkedQueue, self.queue[q])
        require(negation(queue.has_marker()))
        super().administrator_writes_queue(q, x)
        if self.asks_after_write():
            queue.asked = x

    @RESET_TOOL.step(MARKS, waits=_NEXT_REQUEST, rig=replace(_MARK, call="mark", values=_marks_one), b=BROKERS)
    def administrator_asks_for_one_queue(self, b: int) -> None:
        """Asks the broker for a reset of the queue that it has written, which marks that queue."""
        require(self.asks_broker == b + 1)
        self.asks_broker = 0
        for queue in self.marked_queues(b):
            queue.marking = queue.asked
            queue.asked = None
        self.mark_next(b)


class MarkedMembership(Membership, MarkedGroup):
    """What ends with a broker's process, and when clients start."""

    @same(Membership.broker_restarts)
    def broker_restarts(self, b: int) -> None:
        """Is shut down and started: it has its offsets, and knows no member of any group, and no marker."""
        require(negation(self.is_marking()))
        super().broker_restarts(b)
        for queue in self.marked_queues(b):
            queue.marker = None

    @same(Membership.client_starts)
    def client_starts(self, c: int) -> None:
        """Is started again, with nothing in its table."""
        if self.setting.assumes(RESET_WHILE_DOWN):
            require(self.is_tool_done())
        super().client_starts(c)


class MarkedQueueCommits(PersistingShares):
    """What commits do while there is a marker."""

    def _has_marker(self, q: int) -> bool:
        return cast(MarkedQueue, self.queue[q]).has_marker()

    @same(PersistingShares.broker_executes_commit)
    def broker_executes_commit(self, c: int, q: int) -> None:
        """Executes a client's oldest commit of a queue, where there is no marker."""
        require(negation(self._has_marker(q)))
        super().broker_executes_commit(c, q)

    @COMMITS.step(
        IGNORES,
        any_time="a commit is a transit: how long it is on its way is counted there",
        rig=RigChange("lose_commit", of_client),
        logs=REFUSED,
    )
    def broker_ignores_commit(self, c: int, q: int) -> None:
        """Ignores a client's oldest commit of a queue with a marker, and says that all is well."""
        require(self._has_marker(q))
        self.client[c].share[q].commits.remove(0)


class MarkedQueuePulls(ConsumingShares, QueueRepair):
    """What pulls do while there is a marker, and what their callbacks hear.

    A pull carries the cell, which matters where it takes the marker: it is executed after that.
    """

    def _at(self, c: int, q: int) -> tuple[MarkedQueue, MarkedShare]:
        return cast(MarkedQueue, self.queue[q]), cast(MarkedShare, self.client[c].share[q])

    def _take_marker(self, c: int, q: int) -> None:
        """The pull takes the marker, and is answered with the target."""
        queue, share = self._at(c, q)
        require(queue.has_marker(), negation(share.is_answered_with_target()))
        bound(share.is_repaired())
        share.reset_to = queue.marker
        queue.marker = None

    @same(ConsumingShares.task_passes_check)
    def task_passes_check(self, c: int, q: int) -> None:
        """Has consumed the next message of a queue that is not dropped, once its messages are cached."""
        require(negation(self._at(c, q)[1].unfetched))
        super().task_passes_check(c, q)

    @PULLS.step(
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "putMessage"),
        waits=_DISPATCHED,
        any_time="the first pull of a ProcessQueue",
        rig=RigChange("fill", lambda moment: of_client(moment, start=_position(moment))),
    )
    def first_pull_finds_messages(self, c: int, q: int) -> None:
        """Caches the messages of a queue that came into the table under a marker which is gone."""
        queue, share = self._at(c, q)
        require(self.client[c].is_live(q), share.unfetched, negation(queue.has_marker()))
        share.unfetched = False

    @PULLS.step(
        TAKES,
        any_time="a pull that the broker holds, which ends within 20 s",
        rig=with_pull_request("take"),
        logs=MARKER_TAKEN,
    )
    def pull_takes_marker(self, c: int, q: int) -> None:
        """Takes the marker at the end of its hold, and is answered with the target."""
        share = self._at(c, q)[1]
        if self.scope.polls > 0:
            require(share.poll != Poll.NONE)
        else:
            require(self.client[c].is_live(q), share.poll == Poll.NONE, negation(share.unfetched))
            share.poll = Poll.HELD
        self._take_marker(c, q)

    @PULLS.step(
        TAKES,
        waits=_DISPATCHED,
        any_time="the next round of a loop",
        rig=with_pull_request("bring_cell"),
        logs=MARKER_TAKEN,
    )
    def new_pull_takes_marker(self, c: int, q: int) -> None:
        """Takes the marker as it arrives, and then executes the commit that the pull carries."""
        share = self._at(c, q)[1]
        require(self.client[c].is_live(q), share.poll == Poll.NONE)
        self._take_marker(c, q)
        share.poll = Poll.HELD
        value = share.cell
        if value is not None and value > 0:
            self.commit(q, value, 0)

    @same(ConsumingShares.broker_holds_poll)
    def broker_holds_poll(self, c: int, q: int) -> None:
        """Holds a pull for the message after the last one, where there is no marker."""
        require(negation(self._at(c, q)[0].has_marker()), negation(self._at(c, q)[1].unfetched))
        super().broker_holds_poll(c, q)

    @same(ConsumingShares.poll_ends)
    def poll_ends(self, c: int, q: int) -> None:
        """Ends without news, and raises the cell to the end of the queue."""
        self._require_no_target(c, q)
        super().poll_ends(c, q)

    @same(ConsumingShares.timely_poll_ends)
    def timely_poll_ends(self, c: int, q: int) -> None:
        """Ends without news while its queue is live, and raises the cell to the end of the queue."""
        self._require_no_target(c, q)
        super().timely_poll_ends(c, q)

    def _require_no_target(self, c: int, q: int) -> None:
        queue, share = self._at(c, q)
        require(negation(queue.has_marker()), negation(share.is_answered_with_target()), negation(share.unfetched))

    @CALLBACK.step(
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "setDropped"),
        waits=_ANSWERED,
        logs="the pull request offset illegal, {} {}",
    )
    def poll_hears_of_reset(self, c: int, q: int) -> None:
        """Hears the target: drops its ProcessQueue, and has the queue repaired."""
        share = self._at(c, q)[1]
        target = share.reset_to
        require(target is not None)
        if share.poll == Poll.HELD:
            self.client[c].drop(q)
        share.poll = Poll.NONE
        share.slept = False
        share.reset_to = None
        share.repair = RepairStep.WAITING
        if target is not None:
            share.repair_to = target


def _position(moment: RigMoment) -> int:
    """Where the queue's ProcessQueue consumes next."""
    position: int = moment.before[f"client[{moment.arg('c')}].share[{moment.arg('q')}].position"]
    return position


class MarkedStarts(RebalancingByTopic):
    """What a queue that comes into the table finds."""

    @same(RebalancingByTopic.rebalance_adds_queue)
    def rebalance_adds_queue(self, c: int, r: int) -> None:
        """Puts the queue into the table, unless it is there already; under a marker nothing is cached yet."""
        client = self.client[c]
        run = client.rebalance[r]
        q, was_listed = run.queue, client.process_queue_table.has(run.queue)
        super().rebalance_adds_queue(c, r)
        share = cast(MarkedShare, client.share[q])
        share.unfetched = choose(was_listed, share.unfetched, cast(MarkedQueue, self.queue[q]).has_marker())


RESETS_QUEUES_BY_MARKER = Change(
    SERVER_SIDE_RESET,
    steps=(
        MarkedGroup,
        MarkingBrokers,
        MarkedMembership,
        MarkedQueueCommits,
        QueueRepair,
        MarkedQueuePulls,
        MarkedStarts,
    ),
    parts=(MarkedQueue, MarkedShare, MarkedClient),
    includes=(RESETS_AT_BROKER,),
    leaves_out=(
        "the commits that pulls carry, but where the pull takes the marker; a pull that is on its way, and an answer "
        "that was on its way before the reset",
        "a pull of a client that is stopped, which takes the marker at the end of its hold",
        "the administrator's write of one queue's offset while that has a marker, which is ignored",
        "a broker that is shut down while it marks its queues, one after the other",
        "a hold that cold-data control refuses before it looks at the marker",
    ),
)
"""What several queues and their brokers are with it."""

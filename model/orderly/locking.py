"""Locking: a client asks the broker for the lock of the queue, again and again, and hears what became of it.

Stands for RebalanceImpl.lockAll and lock, for ConsumeMessageOrderlyService.tryLockLaterAndReconsume, and for the
broker's AdminBrokerProcessor.lockBatchMQ with RebalanceLockManager. That a request is sent and that the broker executes
it is one step, its answer another. Time is here what it means: a client believes in a lock for 30 s after the answer,
the broker for 60 s after the request, and a client with the queue in its table asks every 20 s. So the lease of such a
client expires only where that fails for long, which is a fault. Left out: a request for a lock that is on its way
while the queue is given up (the lock is then kept for nothing until its lease expires), requests that fail and are
repeated in time, and the sixty seconds' edge at which two clients may both be answered OK.
"""

from __future__ import annotations

from offsetproof.lang import at, every, holds, negation, require, some
from offsetproof.lang.record import NotInRig, Pause
from offsetproof.lang.rigging import RigChange
from offsetproof.model.orderly.group import OrderlyGroup
from offsetproof.model.orderly.threads import GIVEN_UP, LEASES, LOCK_REQUESTS, LOCK_TIMER, RENEWALS, TIME, UNLOCKS
from offsetproof.model.orderly.timers import LOCK_AGAIN, LOCK_BELIEVED, LOCK_EVERY
from offsetproof.model.orderly.variants import BATCHES_SHORT, COMMITS_BEFORE_UNLOCKS, RENEWAL, UNLOCKS_IN_ORDER
from offsetproof.model.orderly.vocabulary import RequestStep
from offsetproof.model.releases import DROPPED_NOT_RENEWED, FORCES_UNLOCK
from offsetproof.model.shared.lock_table import LockingBroker
from offsetproof.model.threads import of_client
from offsetproof.model.timers import BELIEF_LEFT, LEASE, LEASE_LEFT, ON_ITS_WAY
from offsetproof.model.variants import OVERTAKE
from offsetproof.model.vocabulary import LockStep, RepairStep, ResetStep, StopStep

_SERVICE = "ConsumeMessageOrderlyService"
_MANAGER = "RebalanceLockManager"

_ASKED = ("broker_answers_renewal", "broker_answers_request")
_HEARD = ("client_hears_of_renewal", "client_hears_of_lock", "rebalance_hears_of_lock")
_RENEWS = Pause(
    "the lock timer", ("broker_answers_renewal",), LOCK_EVERY, any_longer=True,
    source="ConsumeMessageOrderlyService.start: REBALANCE_LOCK_INTERVAL",
)  # fmt: skip
_ANSWERED = Pause("an answer about locks is on its way", (_ASKED,), most=ON_ITS_WAY, source="an answer")
_LOCKS_AGAIN = Pause(
    "a request's lock", ("request_takes_messages",), LOCK_AGAIN, any_longer=True,
    source="ConsumeMessageOrderlyService.tryLockLaterAndReconsume",
)  # fmt: skip
_GROWS_OLD = Pause(
    "a lock grows old", (_HEARD,), LOCK_BELIEVED, any_longer=True, source="ProcessQueue.isLockExpired", same=("c",)
)
_UNLISTED = (
    *("rebalance_removes_queue", "rebalance_truncates_table", "reset_removes_queue", "repair_removes_queue"),
    *("shutdown_ends_renewal", "consumer_is_killed"),
)
_RENEWED = Pause(
    "a lock grows old", (_UNLISTED,), BELIEF_LEFT, any_longer=True, source="RebalanceImpl.lockAll", same=("c",)
)
_LEASE_RENEWED = Pause("a lease", (_UNLISTED,), LEASE_LEFT, any_longer=True, source="RebalanceImpl.lockAll")
_LEASE = Pause(
    "a lease", ((*_ASKED, "broker_answers_lock"),), LEASE, any_longer=True, source="RebalanceLockManager.isExpired"
)
_ON_ITS_WAY = Pause(
    "an unlock is on its way", ((*GIVEN_UP, "delayed_unlock_is_sent"),), most=ON_ITS_WAY, source="a request"
)


class Locking(OrderlyGroup):
    """Who asks for the lock when, and how it is lost."""

    @RENEWALS.step(
        at("RebalanceImpl", "lockAll", "lockBatchMQ"), at(_MANAGER, "tryLockBatch", "lockInterruptibly"), waits=_RENEWS
    )
    def broker_answers_renewal(self, c: int) -> None:
        """Answers a client that asks for the locks of its table (lockAll).

        A client does so every 20 s; a round that changes nothing is left out.
        """
        consumer = self.consumer[c]
        pq_id = consumer.process_queue_table
        require(self._may_ask(c), pq_id is not None)
        if pq_id is not None:
            require(self.renewal_matters(c, pq_id))
            if self.setting.behaves(DROPPED_NOT_RENEWED):
                require(not consumer.process_queue[pq_id].dropped)
        consumer.locking.at = self.lock(c)

    @LOCK_TIMER.step(
        at("RebalanceImpl", "lockAll", "setLocked"), waits=_ANSWERED, logs="the message queue locked OK, Group: {} {}"
    )
    def client_hears_of_renewal(self, c: int) -> None:
        """Marks the ProcessQueue in the table locked, or not locked.

        The table is as it is now; the ProcessQueue may be another than the one that was asked for.
        """
        locking = self.consumer[c].locking
        require(locking.at != LockStep.IDLE, locking.pq_id is None)
        self.receive_lock_reply(c, granted=locking.at == LockStep.GRANTED)
        locking.reset()

    @LOCK_REQUESTS.step(
        at(_SERVICE, "lockOneMQ", "lock"), at(_MANAGER, "tryLockBatch", "lockInterruptibly"), waits=_LOCKS_AGAIN
    )
    def broker_answers_request(self, c: int, pq_id: int) -> None:
        """Answers a consume request that found its queue unlocked.

        It asks 10 or 100 ms later.
        """
        consumer = self.consumer[c]
        require(self._may_ask(c), consumer.process_queue[pq_id].request.at == RequestStep.LOCKING)
        consumer.locking.at = self.lock(c)
        consumer.locking.pq_id = pq_id

    @LOCK_TIMER.step(
        at("RebalanceImpl", "lock", "setLocked"),
        at(_SERVICE, "tryLockLaterAndReconsume", "schedule"),
        waits=_ANSWERED,
        logs="the message queue lock {}, {} {}",
    )
    def client_hears_of_lock(self, c: int) -> None:
        """Submits the request again, and marks the ProcessQueue in the table locked if it is.

        A refused lock leaves the mark as it is, and makes the request wait for 3 s instead of 10 ms.
        """
        consumer = self.consumer[c]
        pq_id = consumer.locking.pq_id
        require(consumer.locking.at != LockStep.IDLE, pq_id is not None)
        if consumer.locking.at == LockStep.GRANTED:
            self.receive_lock_reply(c, granted=True)
        if pq_id is not None:
            consumer.submits_later(consumer.process_queue[pq_id])
        consumer.locking.reset()

    def _may_ask(self, c: int) -> bool:
        """May the scheduled thread ask? It does one thing at a time, and what it sent before has been executed."""
        consumer = self.consumer[c]
        return every([consumer.renews_locks(), consumer.locking.at == LockStep.IDLE, consumer.unlocks == 0])

    @UNLOCKS.step(
        at("RebalanceImpl", "unlock", "unlockBatchMQ"), at(_MANAGER, "unlockBatch", "remove"), waits=_ON_ITS_WAY
    )
    def broker_unlocks(self, c: int) -> None:
        """Executes a client's one-way request to unlock.

        Other threads than these execute commits, so one that was sent before may still be on its way.
        """
        require(self.consumer[c].unlocks > 0)
        if self.setting.assumes(COMMITS_BEFORE_UNLOCKS):
            require(self.consumer[c].commits.count == 0)
        self.consumer[c].unlocks = self.consumer[c].unlocks - 1
        self.unlock(c)

    @UNLOCKS.step(
        at("RebalanceImpl", "unlock", "unlockBatchMQ"),
        waits=_ON_ITS_WAY,
        rig=RigChange("overtake_unlock", of_client),
        fault=OVERTAKE,
    )
    def unlock_is_overtaken(self, c: int) -> None:
        """Leaves a request to unlock to a thread that is slower than the next one's.

        The broker has sixteen.
        """
        consumer = self.consumer[c]
        require(consumer.unlocks > 0, not self.setting.assumes(UNLOCKS_IN_ORDER))
        consumer.unlocks = consumer.unlocks - 1
        consumer.late_unlocks = consumer.late_unlocks + 1

    @UNLOCKS.step(
        at(_MANAGER, "unlockBatch", "remove"),
        any_time="what is on its way to a thread of the broker that is late",
        rig=RigChange("unlock_late", of_client),
    )
    def broker_unlocks_late(self, c: int) -> None:
        """Executes a request to unlock after others that were sent later."""
        require(self.consumer[c].late_unlocks > 0)
        self.consumer[c].late_unlocks = self.consumer[c].late_unlocks - 1
        self.unlock(c)

    @UNLOCKS.step(
        at(_MANAGER, "unlockBatch", "remove"),
        any_time="a request whose sender is gone, on its way",
        rig=NotInRig("what a client that is gone has sent is not in the rig"),
    )
    def broker_unlocks_for_former_process(self, c: int) -> None:
        """Executes a request to unlock whose process is gone by now."""
        consumer = self.consumer[c]
        require(consumer.left_unlock)
        if self.setting.assumes(COMMITS_BEFORE_UNLOCKS):
            require(consumer.commits.count == 0)
        consumer.left_unlock = False
        if every([holds(self.broker, LockingBroker.lock_owner, c), consumer.left_lock]):
            self.broker.lock_owner = None

    @TIME.step(at("ProcessQueue", "isLockExpired"), waits=(_GROWS_OLD, _RENEWED))
    def lock_expires(self, c: int, pq_id: int) -> None:
        """Lets a lock grow older than 30 s that nobody renews.

        Nobody does for a ProcessQueue that is not in the table, or while a shutdown waits for listeners. In later
        releases nobody does for one that is dropped, but it is unlocked before that if somebody is to give it up.
        """
        require(self._is_believed(c, pq_id))
        if self.setting.behaves(FORCES_UNLOCK):
            require(negation(every([self.consumer[c].has_listed(pq_id), self._is_given_up_soon(c)])))
        require(some([negation(self.consumer[c].has_to_lock(pq_id)), self._waits_for_listeners(c)]))
        self.consumer[c].process_queue[pq_id].lock_expired = True

    @TIME.step(at("ProcessQueue", "isLockExpired"), waits=_GROWS_OLD, fault=RENEWAL)
    def lock_expires_for_want_of_renewal(self, c: int, pq_id: int) -> None:
        """Lets a lock grow older than 30 s that should have been renewed."""
        require(self._is_believed(c, pq_id), self._is_renewed(c, pq_id))
        self.consumer[c].process_queue[pq_id].lock_expired = True

    def _is_given_up_soon(self, c: int) -> bool:
        """Does a rebalance, a reset or a repair give the queue up now, or a rebalance that is due within seconds?"""
        consumer = self.consumer[c]
        due = every([negation(consumer.paused), negation(consumer.matches_its_view())])
        resets = every(consumer.reset_run.at != step for step in (ResetStep.IDLE, ResetStep.AWAKE))
        repairs = some(pq.repair != RepairStep.IDLE for pq in consumer.process_queue)
        return some([due, resets, repairs, consumer.is_rebalancing()])

    def _is_believed(self, c: int, pq_id: int) -> bool:
        """Does a ProcessQueue believe in its lock, and is no answer on its way that would tell it so again?"""
        consumer = self.consumer[c]
        return every([consumer.process_queue[pq_id].believes_in_lock(), consumer.locking.at == LockStep.IDLE])

    def _is_renewed(self, c: int, pq_id: int) -> bool:
        """Does lockAll ask for this ProcessQueue's lock?"""
        consumer = self.consumer[c]
        return every([consumer.has_to_lock(pq_id), consumer.renews_locks()])

    @LEASES.step(at(f"{_MANAGER}.LockEntry", "isExpired"), waits=(_LEASE, _LEASE_RENEWED))
    def lease_expires(self, c: int) -> None:
        """Takes a lock for free that was not renewed for 60 s.

        By then the client itself has stopped to believe in it; its listener may still run.
        """
        consumer = self.consumer[c]
        require(holds(self.broker, LockingBroker.lock_owner, c))
        forgotten = some([consumer.left_lock, negation(consumer.alive)])
        require(some([every([forgotten, self._has_nothing_on_its_way(c)]), self._is_unrenewed(c)]))
        if self.setting.assumes(BATCHES_SHORT):
            require(negation(consumer.is_in_batch()))
        self.broker.lock_owner = None

    def _is_unrenewed(self, c: int) -> bool:
        """Has this client not asked for 60 s? Then no ProcessQueue believes in the lock; the listed one did."""
        consumer = self.consumer[c]
        quiet = [negation(consumer.is_rebalancing()), negation(consumer.believes_in_lock())]
        nobody = some([self._waits_for_listeners(c), consumer.has_nothing_to_lock()])
        listed = some(every([consumer.has_to_lock(i), pq.locked]) for i, pq in enumerate(consumer.process_queue))
        failing = every([consumer.renews_locks(), listed])
        return every([*quiet, some([every([nobody, self._has_nothing_on_its_way(c)]), failing])])

    def _waits_for_listeners(self, c: int) -> bool:
        """Has a shutdown begun that goes on only when a listener returns?"""
        consumer = self.consumer[c]
        return every([consumer.stop_begun, consumer.stop == StopStep.RUNNING, consumer.listens()])

    def _has_nothing_on_its_way(self, c: int) -> bool:
        """Has what a client sent before it ceased to renew its lock arrived?"""
        consumer = self.consumer[c]
        sent = [consumer.commits.count > 0, consumer.unlocks > 0, consumer.late_unlocks > 0, consumer.left_unlock]
        return negation(some([*sent, consumer.delayed_unlocks > 0, consumer.has_pull_on_its_way()]))

"""Resetting: the client's resetOffset, for one command after the other, each over the queues of one broker.

Stands for MQClientInstance.resetOffset, which is `synchronized`: commands wait, and get the monitor in any order.
Each pauses the whole consumer, goes over the table, sleeps 10 s, goes over the table as it is then, and rebalances. A
thread that stalls for longer than that sleep is left out (see the model of one queue): what was under way when it
began is done when it ends, but for one held poll.
"""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import OffsetSet, at, every, holds, implies, require, smaller, some
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigMoment
from offsetproof.lang.step import in_rig
from offsetproof.model.places import PERSISTS
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.rebalancing import READS_MEMBERS
from offsetproof.model.queues.threads import RESET, client_at
from offsetproof.model.queues.variants import COMMANDS_IN_ORDER, RESET_WRITES_ALWAYS
from offsetproof.model.queues.vocabulary import COMMANDS, PersistStep, Poll, TableResetStep, TopicRebalanceStep
from offsetproof.model.timers import ON_ITS_WAY, RESET_SLEEP

_RESET = "MQClientInstance"
_SUSPENDS, _SLEEPS = at(_RESET, "resetOffset", "suspend"), at(_RESET, "resetOffset", "sleep")
RESUMES = at("DefaultMQPushConsumerImpl", "resume", "doRebalance")
_COMMAND = Pause(
    "a reset command is on its way",
    (("administrator_resets_broker", "administrator_asks_for_one_queue"), "reset_returns"),
    most=ON_ITS_WAY,
    source="a request; MQClientInstance.resetOffset is synchronized",
)
_SLEEP = Pause(
    "the thread of a reset oversleeps", ("reset_falls_asleep",), RESET_SLEEP,
    source="MQClientInstance.resetOffset: TimeUnit.SECONDS.sleep(10)",
)  # fmt: skip


def _target_of_command(moment: RigMoment) -> int | None:
    """The target of the command that a reset takes."""
    target: int | None = moment.before[f"{client_at(moment)}.command[{moment.arg('k')}].target"]
    return target


def _queues_of_command(moment: RigMoment) -> list[int]:
    """The queues that the command names: those of its broker."""
    brokers = sum(path.startswith("registry[") and path.endswith("].members") for path in moment.before)
    queues = sum(path.endswith("].committed") for path in moment.before)
    return [queue for queue in range(queues) if queue * brokers // queues == moment.arg("k") % brokers]


class ResettingTable(QueueGroup):
    """What the threads that run resetOffset do."""

    @RESET.step(
        at("ClientRemotingProcessor", "resetOffset", "resetOffset"),
        _SUSPENDS,
        waits=_COMMAND,
        rig=in_rig(_SUSPENDS, call="reset", target=_target_of_command, named=_queues_of_command),
        logs="suspend this consumer, {}",
        k=COMMANDS,
    )
    def reset_suspends(self, c: int, k: int) -> None:
        """Takes any command that waits, and pauses the consumer.

        All its queues are paused, those of other brokers, too. A run that goes on makes it wait (synchronized). One
        thread for all executes one broker's commands in their order.
        """
        client = self.client[c]
        target = client.command[k].target
        require(client.reset_run.at == TableResetStep.IDLE, target is not None)
        if self.setting.assumes(COMMANDS_IN_ORDER) or self.scope.callback_threads == 1:
            older = [client.command[number] for number in range(k % self.scope.brokers, k, self.scope.brokers)]
            require(every(command.target is None for command in older))
        client.paused = True
        if target is not None:
            client.reset_run.target = target
        client.command[k].target = None
        client.reset_run.command = k
        client.reset_run.at = TableResetStep.SUSPENDED

    @RESET.step(at(_RESET, "resetOffset", "setDropped"), at(_RESET, "resetOffset", "clear"))
    def reset_drops_next_queue(self, c: int) -> None:
        """Drops and clears the next named queue of the table, and goes on to the one after it.

        This is the first loop. Queues that the command does not name stay as they are. The table's iterator has what
        comes next already: a queue that comes into the table behind that is not dropped.
        """
        client = self.client[c]
        run = client.reset_run
        require(some([run.at == TableResetStep.SUSPENDED, run.at == TableResetStep.DROPPING]))
        if run.at == TableResetStep.SUSPENDED:
            run.next, run.ahead = client.come_to(client.first_listed(0), self.named_by_command(client))
            run.at = TableResetStep.DROPPING
        require(run.next < self.scope.queues)
        if client.process_queue_table.has(run.next):
            client.drop(run.next)
        run.next, run.ahead = client.come_to(run.ahead, self.named_by_command(client))

    @RESET.step(_SLEEPS, rig=in_rig(arrives=True))
    def reset_falls_asleep(self, c: int) -> None:
        """Has been over the table, and sleeps 10 s."""
        client = self.client[c]
        run = client.reset_run
        none_listed = (client.process_queue_table & self.named_by_command(client)).count() == 0
        is_through = every([run.at == TableResetStep.DROPPING, run.next == self.scope.queues])
        require(some([is_through, every([run.at == TableResetStep.SUSPENDED, none_listed])]))
        run.next, run.ahead = 0, 0
        run.at = TableResetStep.SLEEPING
        client.persist.is_older = client.persist.at != PersistStep.IDLE

    @RESET.step(_SLEEPS, waits=_SLEEP, rig=in_rig(interrupt=True))
    def reset_wakes(self, c: int) -> None:
        """Wakes; what was under way when it fell asleep is done, but for a poll.

        That has ended by the second sleep, unless there is one thread for its callback and for resets.
        """
        client = self.client[c]
        require(
            client.reset_run.at == TableResetStep.SLEEPING, client.rebalances_nothing(), not client.persist.is_older
        )
        require(self._writes_no_named_cell(client))
        for share in client.share:
            if self.scope.callback_threads == 0:
                require(not share.slept)
                share.slept = share.poll != Poll.NONE
        if self.run_of(client.reset_run.command) == self.resets_begun:
            client.ghost_pauses = smaller(client.ghost_pauses + 1, 2)
        client.reset_run.at = TableResetStep.AWAKE

    def _writes_no_named_cell(self, client: Client) -> bool:
        """Is no task of a named queue about to write?"""
        named = self.named_by_command(client)
        return every(implies(named.has(q), holds(share, Share.writing, None)) for q, share in enumerate(client.share))

    @RESET.step(at(_RESET, "resetOffset", "updateConsumeOffset"))
    def reset_updates_next_cell(self, c: int) -> None:
        """Sets the cell of the next named queue that is in the table now.

        This is the second loop. Nothing else changes the table meanwhile: the consumer is paused.
        """
        client = self.client[c]
        run = client.reset_run
        found = self._next_to_update(client)
        require(run.at == TableResetStep.AWAKE, found < self.scope.queues)
        client.share[found].set_cell(run.target)
        run.next = found
        run.at = TableResetStep.UPDATED

    def _next_to_update(self, client: Client) -> int:
        """The queue that the second loop comes to next, or the number of queues."""
        named = self.named_by_command(client)
        if not self.setting.behaves(RESET_WRITES_ALWAYS):
            named = named & client.process_queue_table
        return (named - OffsetSet.below(client.reset_run.next)).lowest(default=self.scope.queues)

    @RESET.step(PERSISTS)
    def reset_persists(self, c: int) -> None:
        """Sends that cell, as its own write.

        The commit is one-way, and has whatever the cell now holds.
        """
        client = self.client[c]
        run = client.reset_run
        require(run.at == TableResetStep.UPDATED)
        client.share[run.next].send_commit(self.run_of(run.command))
        run.at = TableResetStep.PERSISTED

    @RESET.step(
        at("RebalancePushImpl", "removeUnnecessaryMessageQueue", "removeOffset"),
        at(_RESET, "resetOffset", "Iterator.remove"),
    )
    def reset_removes_queue(self, c: int) -> None:
        """Removes that cell, and takes the queue out of the table."""
        client = self.client[c]
        run = client.reset_run
        require(run.at == TableResetStep.PERSISTED)
        client.remove_queue(run.next)
        run.next = run.next + 1
        run.at = TableResetStep.AWAKE

    @RESET.step(at("DefaultMQPushConsumerImpl", "resume", "pause="))
    def reset_resumes(self, c: int) -> None:
        """Unpauses the consumer, and rebalances in its own thread."""
        client = self.client[c]
        run = client.reset_run
        require(run.at == TableResetStep.AWAKE, self._next_to_update(client) == self.scope.queues)
        client.paused = False
        run.reset()
        run.at = TableResetStep.RESUMED

    @RESET.step(
        RESUMES,
        any_time="it ends when the rebalance in its thread does",
        rig=replace(RESET.rig, within=(READS_MEMBERS,)),
        logs="resume this consumer, {}",
    )
    def reset_returns(self, c: int) -> None:
        """Has rebalanced, and frees the monitor for the next command."""
        client = self.client[c]
        own = client.rebalance[self.scope.rebalances - 1]
        is_at = client.reset_run.at
        is_over = every([is_at == TableResetStep.RESUMED, self.finds_nothing_to_do(c)])
        require(some([is_at == TableResetStep.REBALANCING, is_over]), own.at == TopicRebalanceStep.IDLE)
        client.reset_run.at = TableResetStep.IDLE

    def finds_nothing_to_do(self, c: int) -> bool:
        """Would the rebalance of resume change no table?"""
        return some(self.is_rebalanced(c, registry) for registry in self.registry)

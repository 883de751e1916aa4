"""Persisting: persistAll goes over the cells by a set of queues that it was given, and the brokers execute its commits.

Stands for DefaultMQPushConsumerImpl.persistConsumerOffset and RemoteBrokerOffsetStore.persistAll. Where the scope is
`fine`, a round takes the set, looks at one cell after the other, and removes at its end those that it found unused;
else each queue is a step of its own. Reading a cell and sending it is one step. One client's commits of a queue are
executed in the order of sending. Left out: the broker's threads that overtake each other (see the model of one
queue).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from offsetproof.lang import at, choose, every, holds, negation, require
from offsetproof.lang.record import Pause
from offsetproof.lang.rigging import RigMoment
from offsetproof.lang.step import in_rig
from offsetproof.model.broker_log import BELOW_STORE
from offsetproof.model.queues.client import Client, Share
from offsetproof.model.queues.group import QueueGroup
from offsetproof.model.queues.threads import COMMITS, PERSIST, client_at, of_client, whole_call
from offsetproof.model.queues.variants import PERSIST_LOOKS_AGAIN
from offsetproof.model.queues.vocabulary import QUEUES, PersistStep
from offsetproof.model.timers import PERSIST_EVERY

_STORE = "RemoteBrokerOffsetStore"
_SENDS_CELL, _NOTES_UNUSED = at(_STORE, "persistAll", "updateConsumeOffsetToBroker"), at(_STORE, "persistAll", "add")
_REMOVES_UNUSED = at(_STORE, "persistAll", "remove")
_SENDS = "[persistAll] Group: {} ClientId: {} updateConsumeOffsetToBroker {} {}"
_ROUND = Pause(
    "the persist timer", ("client_takes_queues",), PERSIST_EVERY, any_longer=True,
    source="MQClientInstance.startScheduledTask: persistConsumerOffsetInterval",
)  # fmt: skip


def _next_cell(moment: RigMoment) -> dict[str, Any]:
    """The loop over the cells comes to the next one, if there is one for that queue."""
    client = client_at(moment)
    queue = moment.before[f"{client}.persist.next"]
    return of_client(moment, skips=moment.before[f"{client}.share[{queue}].cell"] is None)


def _has_removed_cell(moment: RigMoment) -> str:
    """The map's iterator has a cell still that was removed since, and the release sends it; the model does not."""
    client = client_at(moment)
    queue = int(moment.before[f"{client}.persist.next"])
    is_gone = queue > 0 and moment.before[f"{client}.share[{queue}].cell"] is None
    return "leaves out a cell that was removed since the round came to it, which the release sends" if is_gone else ""


class PersistingShares(QueueGroup):
    """What the persist timer and the brokers' consumer-manage threads do."""

    @PERSIST.step(
        _SENDS_CELL,
        any_time="the persist timer sends every five seconds, at any time of that",
        rig=whole_call("persist", "persist_queue"),
        logs=_SENDS,
        q=QUEUES,
    )
    def client_persists_queue(self, c: int, q: int) -> None:
        """Sends the cell of a queue in the table, one-way."""
        client = self.client[c]
        share = client.share[q]
        require(
            self.scope.fine == 0, self.scope.messages > 0, client.process_queue_table.has(q), share.cell is not None
        )
        share.send_commit()

    @PERSIST.step(
        _REMOVES_UNUSED,
        any_time="the persist timer removes every five seconds, at any time of that",
        rig=whole_call("persist", "remove_cell"),
        logs="remove unused mq, {}, {}",
        q=QUEUES,
    )
    def client_removes_unused_cell(self, c: int, q: int) -> None:
        """Removes the cell of a queue that is not in the table.

        An empty table removes nothing: persistAll returns at once.
        """
        client = self.client[c]
        require(self.scope.fine == 0, client.process_queue_table.count() > 0, not client.process_queue_table.has(q))
        require(self.scope.messages > 0, client.share[q].cell is not None)
        client.share[q].remove_cell()

    @PERSIST.step(
        at("DefaultMQPushConsumerImpl", "persistConsumerOffset", "keySet"), waits=_ROUND, rig=in_rig(call="persist")
    )
    def client_takes_queues(self, c: int) -> None:
        """Takes the set of queues that a round of persistAll goes by, which is that of the table now."""
        client = self.client[c]
        require(self.scope.fine > 0, client.persist.at == PersistStep.IDLE, client.process_queue_table.count() > 0)
        client.persist.queues = client.process_queue_table
        client.persist.ghost_listed = client.process_queue_table
        client.persist.at = PersistStep.TAKEN

    @PERSIST.step(
        _SENDS_CELL,
        rig=replace(PERSIST.rig, gates=(_SENDS_CELL, _NOTES_UNUSED), values=_next_cell, unforceable=_has_removed_cell),
        logs=_SENDS,
    )
    def client_persists_next_cell(self, c: int) -> None:
        """Looks at the next cell: sends it, or notes it as unused.

        It goes by the set that it has, whatever the table holds now. The map's iterator has the next cell by then: one
        that comes into the map behind the last one is not looked at.
        """
        client = self.client[c]
        run = client.persist
        require(run.at == PersistStep.TAKEN, run.next < self.scope.queues)
        for q, share in enumerate(client.share):
            if run.next == q:
                if run.queues.has(q):
                    share.send_commit()
                else:
                    run.unused = choose(holds(share, Share.cell, None), run.unused, run.unused.add(q))
        run.next = self._next_cell(client, run.next)

    def _next_cell(self, client: Client, after: int) -> int:
        """The first queue after this one that has a cell now, or their number."""
        found = self.scope.queues
        for q in reversed(range(self.scope.queues)):
            is_next = every([after < q, negation(holds(client.share[q], Share.cell, None))])
            found = choose(is_next, q, found)
        return found

    @PERSIST.step(_REMOVES_UNUSED, rig=replace(PERSIST.rig, within=(_REMOVES_UNUSED,)), logs="remove unused mq, {}, {}")
    def client_removes_unused_cells(self, c: int) -> None:
        """Removes the cells that its round has noted as unused."""
        client = self.client[c]
        run = client.persist
        require(run.at == PersistStep.TAKEN, run.next == self.scope.queues)
        for q, share in enumerate(client.share):
            if run.unused.has(q) and self._may_remove(client, q):
                share.remove_cell()
        run.reset()

    def _may_remove(self, client: Client, q: int) -> bool:
        """With the remedy, only what is not in the table."""
        if not self.setting.behaves(PERSIST_LOOKS_AGAIN):
            return True
        return negation(client.process_queue_table.has(q))

    @COMMITS.step(
        at("ConsumerManageProcessor", "updateConsumerOffset", "commitOffset"),
        any_time="a commit is a transit: how long it is on its way is counted there",
        logs=BELOW_STORE,
    )
    def broker_executes_commit(self, c: int, q: int) -> None:
        """Executes a client's oldest commit of a queue.

        The broker's offset is whatever that says.
        """
        commits = self.client[c].share[q].commits
        value, reset = commits[0].offset, commits[0].ghost_reset
        commits.remove(0)
        self.commit(q, value, reset)

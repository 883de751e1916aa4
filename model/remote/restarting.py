"""Restarting: the broker is shut down in order and started again, as operators do it as a routine.

Stands for BrokerController.shutdown, whose servers stop before ConsumerOffsetManager.persist, and ConfigManager.load at
the start. The table is as it was; what is in memory alone is gone: a row that is being made, the marker of a reset.
Connections break: what clients have sent one-way never arrives, and a pull that is sent or held is tried again
(PullCallback.onException), carrying the cell of that moment. Answers that the broker has sent may still arrive, or not.
Left out: a query for an offset that the restart breaks (it is asked after it), a reset command that it cuts off (as one
that is lost), the members, of whom the broker hears anew within a heartbeat, one of several answers cut off alone.
"""

from __future__ import annotations

from offsetproof.lang import at, integer, require, some
from offsetproof.lang.rigging import RigChange, RigMoment
from offsetproof.model.shared.group import Group
from offsetproof.model.shared.process_queue import ProcessQueue
from offsetproof.model.threads import BROKER, BY_DECISION

_RESTARTS = [
    at("BrokerController", "shutdown", "ConsumerOffsetManager.persist").or_at(
        "shutdownBasicService", "ConsumerOffsetManager.persist"
    ),
    at("ConfigManager", "load", "decode"),
]


def _name_broken_pulls(moment: RigMoment) -> dict[str, list[tuple[int, int]]]:
    """The pulls that the restart breaks, each by its client and its ProcessQueue."""
    suffix = ".pull_request"
    changed = [name for name in moment.before if name.endswith(suffix) and moment.before[name] != moment.after[name]]
    numbers = [name.removesuffix(suffix).replace("]", "").split("[") for name in changed]
    return {"broken": [(int(c.split(".")[0]), int(pq_id)) for _, c, pq_id in numbers]}


_IN_ORDER = RigChange("restart_broker_in_order", _name_broken_pulls)


class Restarting(Group):
    """What a restart in order does to the broker and to what is on its way."""

    broker_restarts_left: int = integer(0, "broker_restarts", "broker_restarts")

    @BROKER.step(*_RESTARTS, any_time=BY_DECISION, rig=_IN_ORDER)
    def broker_restarts(self) -> None:
        """Restarts in order: the file has its table; all pulls break."""
        self._restart_broker()
        for pq in self._process_queues():
            pq.break_pull()

    @BROKER.step(*_RESTARTS, any_time=BY_DECISION, rig=_IN_ORDER)
    def broker_restarts_behind_answers(self) -> None:
        """Restarts in order; the answers that it has sent still arrive."""
        require(some(pq.is_answered() for pq in self._process_queues()))
        self._restart_broker()
        for pq in self._process_queues():
            pq.break_unanswered_pull()

    def _restart_broker(self) -> None:
        require(self.broker_restarts_left > 0)
        self.broker_restarts_left = self.broker_restarts_left - 1
        self.broker.flush()
        self.broker.restart()
        self.break_connections()

    def break_connections(self) -> None:
        """The broker is gone: no commit that was sent one-way arrives."""
        for consumer in self.consumer:
            consumer.commits.reset()

    def _process_queues(self) -> list[ProcessQueue]:
        return [pq for consumer in self.consumer for pq in consumer.process_queue]

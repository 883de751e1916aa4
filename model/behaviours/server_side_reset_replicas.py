"""A reset at the broker where there is a slave: the marker is at the master alone, in memory, and no copy has it.

A slave refuses such a reset. While the marker is there the master ignores commits and answers queries with the target;
the next pull takes it. Marking, writing the target and answering are one step here, and so are the pull that takes the
marker and the client's repair: their own steps are in the models of consumers (`server_side_reset`).
"""

from __future__ import annotations

from typing import cast

from offsetproof.lang import Array, Change, array, at, choose, require, same
from offsetproof.lang.rigging import RigChange
from offsetproof.model.behaviours.server_side_reset import MARKS
from offsetproof.model.broker_log import RESET_LISTED
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.vocabulary import QUEUES
from offsetproof.model.releases import SERVER_SIDE_RESET
from offsetproof.model.replicas.broker import Replica
from offsetproof.model.replicas.committing import Committing
from offsetproof.model.replicas.resetting import Resetting
from offsetproof.model.replicas.rows import forget_rows
from offsetproof.model.replicas.threads import ADMIN, RESET, arguments
from offsetproof.model.replicas.vocabulary import MASTER
from offsetproof.model.threads import BY_DECISION


class MarkedReplica(Replica):
    """A broker with the markers of resets, ConsumerOffsetManager.resetOffsetTable."""

    marker: Array[Row] = array(QUEUES, Row)

    def answer(self, q: int) -> int | None:
        """The marker, or else what is stored."""
        marker = self.marker[q].offset
        return super().answer(q) if marker is None else marker

    def answer_number(self, q: int) -> int:
        """The same as a number."""
        marker = self.marker[q].number_of(Row.offset)
        return choose(marker > 0, marker, super().answer_number(q))

    def stop(self) -> None:
        """The markers were in memory."""
        super().stop()
        forget_rows(self.marker)


class ResettingAtMaster(Resetting):
    """What a reset does at the master."""

    @ADMIN.step(
        at("AdminBrokerProcessor", "resetOffsetInner", "assignResetOffset"),
        MARKS,
        any_time=BY_DECISION,
        rig=RigChange("mark", arguments),
        logs=RESET_LISTED,
    )
    def administrator_resets(self, x: int) -> None:
        """Resets queue 0 at the master: it marks the queue, and has the target in its table."""
        master = cast(MarkedReplica, self.broker[MASTER])
        require(master.is_registered())
        self.require_reset(x)
        master.marker[0].offset = x
        master.put_offset(0, x)
        self.note_reset()
        self.note_landing(True)

    @RESET.step(
        at("PullMessageProcessor", "processRequest", "queryThenEraseResetOffset"),
        at("DefaultMQPushConsumerImpl.PullCallback", "onSuccess", "setDropped"),
        any_time="its pull takes the marker, at the latest when the hold is over",
        rig=RigChange("hear_marker", arguments),
    )
    def client_hears_of_reset(self, c: int) -> None:
        """Pulls from the master, which takes the marker, and goes on from the target."""
        consumer = self.consumer[c]
        master = cast(MarkedReplica, self.broker[MASTER])
        target = master.marker[0].offset
        require(target is not None, consumer.listed[0], consumer.knows_master)
        master.marker[0].offset = None
        if target is not None:
            self.take_target(consumer, target)


class IgnoringCommits(Committing):
    """What a master with a marker does with commits."""

    @same(Committing.broker_executes_commit)
    def broker_executes_commit(self, r: int, c: int, q: int) -> None:
        """Executes a client's commit, or ignores it while a marker is there."""
        super().broker_executes_commit(r, c, q)

    def execute(self, replica: Replica, q: int, value: int) -> None:
        """Nothing while the marker is there."""
        if cast(MarkedReplica, replica).marker[q].offset is None:
            super().execute(replica, q, value)


MASTER_MARKS = Change(SERVER_SIDE_RESET, steps=(ResettingAtMaster, IgnoringCommits), parts=(MarkedReplica,))
"""What the pair is with it."""

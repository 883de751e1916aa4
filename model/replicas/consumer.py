"""A consumer of the group: its cells, how far it has come on each queue, its route, its commits on their way."""

from __future__ import annotations

from offsetproof.lang import Array, Component, array, flag, offset
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.vocabulary import QUEUES
from offsetproof.model.replicas.vocabulary import MASTER


class Consumer(Component):
    """RemoteBrokerOffsetStore, and as much of a push consumer as a commit needs.

    `cell` is its offsetTable, `listed` are the queues that it has, `position` says of each how far it has consumed,
    `pulled` that the rest is cached. `asks_max`: it has heard that nothing is stored, and has yet to ask for the max
    offset. `knows_master`: brokerAddrTable has the master's address under brokerId 0. `to_master` and `to_slave` are
    commits on their way. Left out: a second commit on its way to the same broker; listeners that fail, tasks,
    ProcessQueues.
    """

    cell: Array[Row] = array(QUEUES, Row)
    listed: Array[bool] = array(QUEUES, flag())
    asks_max: Array[bool] = array(QUEUES, flag())
    position: Array[int] = array(QUEUES, offset())
    pulled: Array[bool] = array(QUEUES, flag())
    knows_master: bool = flag(True)
    to_master: Array[Row] = array(QUEUES, Row)
    to_slave: Array[Row] = array(QUEUES, Row)

    def commits_to(self, r: int) -> Array[Row]:
        """The commits on their way to a broker."""
        return self.to_master if r == MASTER else self.to_slave

    def begin(self, q: int, start: int) -> None:
        """Adds a queue, and its cell, where it starts."""
        self.listed[q] = True
        self.set_offset(q, start)

    def set_offset(self, q: int, value: int) -> None:
        """Goes on from this offset."""
        self.position[q] = value
        self.pulled[q] = False
        self.cell[q].offset = value

    def forget(self, q: int) -> None:
        """Has the queue no more."""
        self.listed[q] = False
        self.asks_max[q] = False
        self.position[q] = 0
        self.pulled[q] = False
        self.cell[q].offset = None

"""All parts together: the brokers, the copy, the consumers, what the outside may still do, and history.

Fields that start with `ghost_` are history for claims; nothing that really happens depends on them.
"""

from __future__ import annotations

from offsetproof.lang import (
    Array,
    Model,
    OffsetSet,
    array,
    choose,
    flag,
    integer,
    offset,
    offset_set,
    optional,
    part,
    some,
)
from offsetproof.model.files.offset_file import Row
from offsetproof.model.files.vocabulary import QUEUES
from offsetproof.model.replicas.broker import Copy, Replica
from offsetproof.model.replicas.consumer import Consumer
from offsetproof.model.replicas.vocabulary import MASTER, REPLICAS, SLAVE
from offsetproof.model.vocabulary import CONSUMERS


class Pair(Model):
    """A master and its slave, and the group that consumes from them.

    `clock` counts the changes of a version at either broker, `command` is a reset's command on its way to the client
    that has queue 0. What ends in `_left` are budgets of the scope. History: `ghost_done` and `ghost_repeated` are what
    the group has consumed, once and again; `ghost_left` is what the master's table had
    when it went down last; `ghost_target` is where a reset goes, `ghost_heard` says that its client has
    heard of it, `ghost_landed` that the broker which answers queries has executed it, and `ghost_again` is what was
    consumed of queue 0 from there. All messages are stored at both brokers from the start.
    """

    broker: Array[Replica] = array(REPLICAS, Replica)
    copy: Copy = part(Copy)
    consumer: Array[Consumer] = array(CONSUMERS, Consumer)
    clock: int = integer(0, "version_steps")
    command: int | None = optional(offset())
    starts_left: int = integer(0, "starts", "starts")
    stops_left: int = integer(0, "stops", "stops")
    resets_left: int = integer(0, "resets", "resets")
    hand_overs_left: int = integer(0, "hand_overs", "hand_overs")
    ghost_done: Array[OffsetSet] = array(QUEUES, offset_set())
    ghost_repeated: Array[OffsetSet] = array(QUEUES, offset_set())
    ghost_left: Array[Row] = array(QUEUES, Row)
    ghost_target: int | None = optional(offset())
    ghost_heard: bool = flag()
    ghost_landed: bool = flag()
    ghost_again: OffsetSet = offset_set()

    def initially(self) -> None:
        """The brokers that have the group's rows have offset 0 there; a new topic is not at the slave yet."""
        for replica in list(self.broker)[: self.scope.stored]:
            for row in [*replica.table, *replica.file]:
                row.offset = 0
        self.broker[SLAVE].knows_topic = self.scope.new_topic == 0

    def given_number(self, q: int) -> int:
        """An answer to a query by a client that knows who is there: 0 for none, else counted from 1.

        The master answers it while it is registered, and else the slave. (Nothing splits.)
        """
        master, slave = self.broker[MASTER], self.broker[SLAVE]
        return choose(master.is_registered(), master.answer_number(q), slave.answer_number(q))

    def somebody_answers(self) -> bool:
        """Is one of the brokers registered?"""
        return some(replica.is_registered() for replica in self.broker)

    def move_version(self, replica: Replica) -> None:
        """DataVersion.nextVersion."""
        self.clock = self.clock + 1
        replica.version.counter = replica.version.counter + 1
        replica.version.stamp = self.clock

    def note_consumed(self, q: int, offset: int) -> None:
        """History: the group has consumed this message of the queue."""
        again = choose(self.ghost_done[q].has(offset), self.ghost_repeated[q].add(offset), self.ghost_repeated[q])
        self.ghost_repeated[q] = again
        self.ghost_done[q] = self.ghost_done[q].add(offset)
        if q == 0:
            for m in range(self.scope.messages):
                self.ghost_again = choose(offset == m, self.ghost_again.add(m), self.ghost_again)

    def note_reset(self) -> None:
        """History: what is consumed of queue 0 is consumed again from here on."""
        self.ghost_again = OffsetSet()

    def note_landing(self, lands: bool) -> None:
        """History: a reset lands now, or does not, at the broker that answers queries."""
        self.ghost_landed = some([self.ghost_landed, lands])

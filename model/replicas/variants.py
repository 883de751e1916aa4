"""What varies: remedies, assumptions, and kinds of fault."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Fault

VERSION_EACH_COMMIT = Behaviour(
    "version-each-commit",
    role="broker",
    about="each commit moves the version of the offset table (consumerOffsetUpdateVersionStep=1, where 500 is usual)",
    source="a setting of 5.x: ConsumerOffsetManager.commitOffset",
)
COPY_OF_REGISTERED = Behaviour(
    "copy-of-registered",
    role="broker",
    about="a slave drops a copy where its master is not registered any more",
    source="a remedy for SlaveSynchronize.syncConsumerOffset, which takes what was on its way",
)
COPIED_ROW_BY_ROW = Behaviour(
    "copied-row-by-row",
    role="broker",
    about="a slave takes the queues that a copy has, and keeps those that it has not",
    source="a remedy for putAll, which replaces all queues of a group and topic",
)
MASTER_MERGES = Behaviour(
    "master-merges",
    role="broker",
    about="a master that starts takes from its slave each queue's offset that is higher than its own, and no other",
    source="a remedy for a master that returns with its own file, and for putAll of whole rows",
)

COPIED = Assumption(
    "copied", "the master goes down only when the slave has its whole table: consumers were stopped for one period"
)
ROUTES_KEPT = Assumption(
    "routes-kept", "no client hears that the master is away: it is back before one starts, or looks at the route again"
)

KILL = Fault("kill", "a broker is killed, and what it had only in memory is gone", source="the operating system")
CLIENT_KILL = Fault("client_kill", "a consumer is killed, and started again", source="the operating system")

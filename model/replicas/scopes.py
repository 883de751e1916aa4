"""The small worlds in which the claims about replicas are decided, and what their bounds mean."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
from offsetproof.model.replicas.variants import CLIENT_KILL, KILL
from offsetproof.model.replicas.vocabulary import Stored

_OFF_OR_ON, _FROM_ONE, _ONE_OR_TWO = range(2), range(1, 63), range(1, 3)

BOUNDS: Mapping[str, Default] = {
    "queues": Default(1, "queues of the group", _ONE_OR_TWO),
    "messages": Default(2, "messages of each queue, at both brokers from the start", _FROM_ONE),
    "consumers": Default(1, "consumers of the group", _ONE_OR_TWO),
    "stops": Default(0, "times that a broker is shut down in order"),
    "starts": Default(1, "times that a broker is started again"),
    "hand_overs": Default(0, "times that a consumer gives a queue up in order, for another or for itself"),
    "resets": Default(0, "times that an administrator resets the offset of queue 0", _OFF_OR_ON),
    "forward": Default(0, "1: resets go forward, and not back", _OFF_OR_ON),
    "slave_reads": Default(0, "1: slaveReadEnable=true at the slave", _OFF_OR_ON),
    "acting_master": Default(0, "1: enableSlaveActingMaster=true, and totalReplicas above 1", _OFF_OR_ON),
    "version_steps": Default(0, "times that the version of an offset table moves: once in 500 commits of all groups"),
    "stored": Default(Stored.AT_BOTH, "who has the group's offsets at first"),
    "new_topic": Default(0, "1: the slave has not copied the topic yet", _OFF_OR_ON),
    "cold": Default(0, "1: message 0 is only on the disk, or deleted", _OFF_OR_ON),
}

_ACTING = {"acting_master": 1, "slave_reads": 1}
_READS = {"slave_reads": 1}

SCOPES = (
    Scope("take-over", faults={KILL: 1}, about="a master that may be killed, and its slave"),
    Scope("stop", {"stops": 1}, about="a broker that is shut down in order, and may be started again"),
    Scope("slave-reads", {**_READS, "stops": 1}, about="the same, and consumers may pull from the slave"),
    Scope(
        "return",
        {**_READS, "stops": 1, "starts": 2},
        faults={KILL: 1},
        about="a broker that goes down twice, once killed",
    ),
    Scope(
        "two-queues",
        {**_READS, "queues": 2, "messages": 1, "stored": Stored.NOWHERE, "stops": 1},
        faults={KILL: 1},
        about="a new group with two queues, whose rows the brokers come to know one by one",
    ),
    Scope(
        "new-topic",
        {**_READS, "new_topic": 1, "stored": Stored.AT_MASTER, "starts": 0},
        faults={KILL: 1},
        about="a topic that the slave has not copied when its master is killed",
    ),
    Scope(
        "cold",
        {**_READS, "stored": Stored.AT_MASTER, "cold": 1},
        faults={KILL: 1, CLIENT_KILL: 1},
        about="a group that the slave has not copied, on a queue whose message 0 is not in memory",
    ),
    Scope(
        "hand-over",
        {**_READS, "consumers": 2, "hand_overs": 1, "stops": 1},
        about="two consumers with a route each, and one hands its queue over",
    ),
    Scope("reset-back-stop", {**_READS, "resets": 1, "stops": 1}, about="a backward reset, and a stop in order"),
    Scope(
        "reset-forward-stop",
        {**_READS, "resets": 1, "forward": 1, "stops": 1},
        about="a forward reset, and a stop in order",
    ),
    Scope("reset-back", {**_READS, "resets": 1}, faults={KILL: 1}, about="a backward reset, and a fail-over"),
    Scope(
        "reset-forward",
        {**_READS, "resets": 1, "forward": 1},
        faults={KILL: 1},
        about="a forward reset, and a fail-over",
    ),
    Scope(
        "acting-cold",
        {**_ACTING, "stored": Stored.AT_MASTER, "cold": 1},
        faults={KILL: 1, CLIENT_KILL: 1},
        about="the same, and the slave acts as master",
    ),
    Scope(
        "acting-stop",
        {**_ACTING, "stops": 1, "version_steps": 2},
        about="a slave that acts as master, and a broker that is shut down in order",
    ),
    Scope(
        "acting-kill",
        {**_ACTING, "version_steps": 2},
        faults={KILL: 1},
        about="a slave that acts as master, and a broker that is killed",
    ),
)

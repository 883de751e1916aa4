"""The small worlds in which the claims about offset files are decided, and what their bounds mean."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
from offsetproof.model.files.variants import DISK_FULL, KILL, OTHER_FILE, POWER
from offsetproof.model.files.vocabulary import Beginning, Owner

_OFF_OR_ON, _FROM_ONE, _ONE_OR_TWO = range(2), range(1, 63), range(1, 3)
_ONE_TO_THREE = range(1, 4)
"""A rename takes a text along row by row; with a fourth row it has more paths than can be staged."""

BOUNDS: Mapping[str, Default] = {
    "owner": Default(Owner.BROKER, "whose file it is"),
    "queues": Default(1, "queues in the table", _ONE_TO_THREE),
    "messages": Default(2, "messages of each queue", _FROM_ONE),
    "processes": Default(1, "processes that have the same file", _ONE_OR_TWO),
    "parts": Default(
        0, "1: the text is longer than a buffer of 8,192 characters, and is written in two parts", _OFF_OR_ON
    ),
    "delayed": Default(0, "1: what is written stays in the operating system's memory for a while", _OFF_OR_ON),
    "shutdowns": Default(0, "shutdowns in order"),
    "route_changes": Default(0, "times that a consumer loses a queue: its broker has left the route"),
    "group_stops": Default(0, "1: the group's consumers may stop for good", _OFF_OR_ON),
    "beginning": Default(Beginning.LAST_OFFSET, "where a queue starts for which nothing is stored"),
}

_CLIENT = {"owner": Owner.CLIENT}

SCOPES = (
    Scope("broker-kills", {"messages": 3, "parts": 1}, faults={KILL: 3}, about="a broker that is killed at any point"),
    Scope(
        "broker-full-disk",
        {"messages": 3, "parts": 1},
        faults={KILL: 2, DISK_FULL: 2},
        about="a broker on a disk that may be full",
    ),
    Scope("broker-stop", {"shutdowns": 1}, about="a broker that is shut down in order"),
    Scope(
        "broker-refused",
        {"group_stops": 1, "shutdowns": 1},
        faults={OTHER_FILE: 1, KILL: 1},
        about="a broker whose topics.json cannot be loaded",
    ),
    Scope(
        "broker-twice",
        {"processes": 2},
        faults={KILL: 2},
        about="a second broker is started on the same store, and gives up at its lock",
    ),
    Scope(
        "broker-power",
        {"parts": 1, "delayed": 1, "group_stops": 1},
        faults={POWER: 1},
        about="a broker on a machine that loses power",
    ),
    Scope(
        "client-kills",
        {**_CLIENT, "messages": 3, "parts": 1},
        faults={KILL: 3},
        about="a broadcast consumer that is killed at any point",
    ),
    Scope(
        "client-full-disk",
        {**_CLIENT, "parts": 1},
        faults={KILL: 2, DISK_FULL: 2},
        about="a broadcast consumer on a disk that may be full",
    ),
    Scope(
        "client-stop",
        {**_CLIENT, "shutdowns": 1},
        faults={KILL: 1},
        about="a broadcast consumer is shut down while its timer persists",
    ),
    Scope(
        "client-shared",
        {**_CLIENT, "processes": 2},
        faults={KILL: 2},
        about="two broadcast consumers on one machine with one instance name share a file",
    ),
    Scope(
        "client-routes",
        {**_CLIENT, "queues": 2, "route_changes": 1},
        about="a broadcast consumer loses a queue's broker from its route, and finds it again",
    ),
    Scope(
        "client-route-kills",
        {**_CLIENT, "queues": 2, "messages": 1, "route_changes": 1},
        faults={KILL: 1},
        about="a broadcast consumer that may lose a queue and be killed",
    ),
    Scope(
        "client-two-queues",
        {**_CLIENT, "queues": 2, "messages": 1},
        faults={KILL: 1},
        about="a broadcast consumer with two queues that is killed at any point",
    ),
    Scope(
        "client-idle",
        {**_CLIENT, "shutdowns": 1},
        about="a broadcast consumer is shut down in order and started again",
    ),
    Scope(
        "client-first",
        {**_CLIENT, "queues": 2, "messages": 1, "route_changes": 1, "beginning": Beginning.FIRST_OFFSET},
        faults={KILL: 1},
        about="a broadcast consumer with CONSUME_FROM_FIRST_OFFSET that may lose a queue and be killed",
    ),
    Scope(
        "client-power",
        {**_CLIENT, "delayed": 1},
        faults={POWER: 1},
        about="a broadcast consumer on a machine that loses power",
    ),
)

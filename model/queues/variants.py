"""What varies: the release, ways in which it could be different, assumptions, and kinds of fault."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.lang import Assumption, Behaviour
from offsetproof.model import variants
from offsetproof.model.variants import BROKER_ERROR, EVERY_BROKER_ANSWERS, RESET_WHILE_DOWN, RESET_WRITES_ALWAYS

POLL_CHECKS_DROPPED = replace(variants.POLL_CHECKS_DROPPED, brings=())
"""Here it takes no action of its own."""

PERSIST_LOOKS_AGAIN = Behaviour(
    "persist-looks-again",
    role="client",
    about="persistAll removes an unused cell only if its queue is not in the table at that moment",
    source="a remedy for persistAll, which goes by the set of queues that it was given",
)
NEWER_COMMAND_REPLACES = Behaviour(
    "newer-command-replaces",
    role="client",
    about="a reset command that waits is forgotten when a newer one of the same broker arrives",
    source="a remedy for waiting resets, which take the monitor in any order",
)

COMMANDS_IN_ORDER = Assumption(
    "commands-in-order", "a client executes one broker's reset commands in the order in which they were sent"
)
RESETS_APART = Assumption(
    "resets-apart", "the administrator resets again only when all clients have done with the reset before"
)
GROUP_STOPPED = Assumption(
    "group-stopped",
    "the administrator writes one queue's offset only while no client of the group runs and nothing that they sent is "
    "on its way, and none starts before the tool is done",
)
LEAVES_GROUP = Assumption(
    "leaves-group", "a client that gives the topic up leaves the group as well: its consumer is shut down"
)
OWN_CLIENT_IDS = Assumption(
    "own-client-ids", "each process of the group has a client id of its own (no two have one address and instanceName)"
)

__all__ = ["BROKER_ERROR", "EVERY_BROKER_ANSWERS", "RESET_WHILE_DOWN", "RESET_WRITES_ALWAYS"]

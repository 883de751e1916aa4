"""What a shutdown in order leaves in the file."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, remedy
from offsetproof.model.files.store import Store
from offsetproof.model.files.variants import (
    PERSIST_SYNCHRONIZED,
    SHUTDOWN_WAITS,
    START_WRITTEN,
    STOPS_BEFORE_PERSIST,
)


@each_step(
    case(
        "I16",
        REFUTED,
        "broker-stop",
        why="BrokerController.shutdown persists before it shuts the executor of commits down, and in 5.x after that, "
        "but does not wait for it; a commit that waited there is executed after the last persist",
        symptom="after a restart of the broker in order some groups are set back by a few messages",
        remedies=["I16-fixed"],
    ),
    case(
        "I16-fixed",
        HOLDS,
        "broker-stop",
        fixes=[STOPS_BEFORE_PERSIST],
        needs=["W-stopped"],
        where="with a broker that waits for its commits before it persists, alone on its files, its disk not full",
    ),
    case(
        "I16-client",
        REFUTED,
        "client-stop",
        where="for a broadcast consumer",
        why="listeners that still run raise the cell after the last persist",
        symptom="a broadcast consumer repeats messages after a restart in order",
        remedies=[remedy("client-stop", fixes=[START_WRITTEN, PERSIST_SYNCHRONIZED], assumptions=[SHUTDOWN_WAITS])],
    ),
    case(
        "I16-client-waits",
        REFUTED,
        "client-stop",
        assumptions=[SHUTDOWN_WAITS],
        where="for a broadcast consumer that waits for its listeners",
        why="a queue's first poll may end after the last persist: its cell is new, and the file has no row for it",
        symptom="a broadcast consumer that waits for its listeners skipped messages after a restart, though rarely",
        remedies=[remedy("client-stop", fixes=[START_WRITTEN, PERSIST_SYNCHRONIZED])],
    ),
    case(
        "I16-client-written",
        REFUTED,
        "client-stop",
        fixes=[START_WRITTEN],
        assumptions=[SHUTDOWN_WAITS],
        where="for a broadcast consumer that waits for its listeners, where every start is in the file",
        why="the timer's persistAll has collected its offsets before the shutdown's and writes them after it, or the "
        "two take each other's files away",
        symptom="a broadcast consumer that waits for its listeners repeats or skips messages after a restart in order",
        remedies=[remedy("client-stop", fixes=[PERSIST_SYNCHRONIZED])],
    ),
)
def shutdown_leaves_the_table_in_the_file(before: Store, after: Store, step: Step) -> bool:
    """After a shutdown in order a start would load what the table held."""
    if step.action not in ("broker_exits", "client_exits"):
        return True
    return after.would_load(before.process[step.args["p"]].table)

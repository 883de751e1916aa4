"""Where a ProcessQueue begins: where the file said when the client started, and where a repair has set its offset."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, remedy
from offsetproof.model.broadcasting.group import BroadcastGroup
from offsetproof.model.local.variants import START_PERSISTED
from offsetproof.model.releases import MERGES_INTO_FILE
from offsetproof.model.variants import UPDATE_CHECKS_DROPPED


@each_step(
    case(
        "I4-broadcast-resumes",
        HOLDS,
        *("broadcast-kills", "broadcast-shutdown"),
        needs=["W-later-process-queue-from-file"],
        where="for a client with one queue that may be killed or shut down",
    ),
    case(
        "I4-broadcast-resumes-two-queues",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-two-queues",
        where="for a client with two queues that may be killed",
        why="a persistAll that comes before this queue is in the table takes its row out of the file, though it was "
        "loaded: the table is not asked, but the file again, and its cell of the right value stays unread",
        symptom="a broadcast consumer did not resume at its own offsets.json, which was whole when it started",
        remedies=[remedy("broadcast-two-queues", fixes=[MERGES_INTO_FILE])],
    ),
)
def restart_resumes_where_the_file_said(before: BroadcastGroup, _after: BroadcastGroup, step: Step) -> bool:
    """The first ProcessQueue after a start that loaded an offset begins at that offset."""
    if step.action != "rebalance_adds_queue":
        return True
    consumer = before.consumer[step.args["c"]]
    loaded = consumer.ghost_loaded
    return loaded is None or consumer.rebalance[step.args["r"]].start == loaded


@each_step(
    case(
        "I24-broadcast",
        REFUTED.unless(MERGES_INTO_FILE),
        "broadcast-retention",
        fixes=[START_PERSISTED],
        where="where one message is deleted, nothing is reset, the route stays and the client is neither shut down nor "
        "killed",
        why="the repair sets the cell and persists it, but persist is empty, and the next ProcessQueue is read from "
        "the file, which still has the illegal offset; every 10 to 30 s it begins again (apache/rocketmq #7740)",
        symptom="a broadcast consumer whose offset was deleted never consumes: the pull request offset illegal, again "
        "and again",
        remedies=["I24-broadcast-merged"],
    ),
    case(
        "I24-broadcast-merged",
        HOLDS,
        "broadcast-retention",
        fixes=[MERGES_INTO_FILE, START_PERSISTED],
        needs=["W-later-process-queue-from-file"],
        where="with the fix of 4.9.8 and 5.2.0, whose persist writes, where one message is deleted, nothing is "
        "reset, the route stays and the client is neither shut down nor killed",
    ),
    case(
        "I24-broadcast-merged-stalled",
        REFUTED,
        "broadcast-retention-twice",
        fixes=[MERGES_INTO_FILE, START_PERSISTED],
        where="with the same, where a second message is deleted while the first is being consumed",
        why="a task that stands between its look at `dropped` and updateOffset for as long as the repair waits brings "
        "back the cell that the repair is about to forget, and the repair's second persist writes it",
        symptom="since 4.9.8: the pull request offset illegal, twice for one offset, after a long pause of the client",
        remedies=[remedy("broadcast-retention-twice", fixes=[UPDATE_CHECKS_DROPPED])],
    ),
)
def repaired_offset_stays(before: BroadcastGroup, _after: BroadcastGroup, step: Step) -> bool:
    """After the repair of an illegal offset no ProcessQueue begins below the offset that it has set."""
    if step.action != "rebalance_adds_queue" or not before.has_one_client():
        return True
    repaired = before.ghost_repaired
    return repaired is None or before.consumer[step.args["c"]].rebalance[step.args["r"]].start >= repaired

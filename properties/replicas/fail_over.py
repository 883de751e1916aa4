"""What a query gives, before and after a fail-over and the old master's return, and which commits count."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, Step, case, each_step, every, implies, negation
from offsetproof.model.files.offset_file import Row
from offsetproof.model.releases import COPIES_VERSION, REFUSES_UNKNOWN, TAKES_SLAVES_TABLE
from offsetproof.model.replicas.pair import Pair
from offsetproof.model.replicas.variants import (
    COPIED,
    COPIED_ROW_BY_ROW,
    COPY_OF_REGISTERED,
    MASTER_MERGES,
    ROUTES_KEPT,
    VERSION_EACH_COMMIT,
)
from offsetproof.model.replicas.vocabulary import MASTER, SLAVE

_STOPS = ("stop", "slave-reads")
_ALL = (*_STOPS, "return", "two-queues")
_ACTING = (TAKES_SLAVES_TABLE, COPIES_VERSION)
_WHERE_ACTING = "where the slave acts as master (5.0.0, enableSlaveActingMaster=true)"
_OWN_FILE = (
    "it starts from its own file, and registers; the slave's next copy then overwrites what the slave knew better"
)
_EQUAL_VERSIONS = (
    "the version moves once in 500 commits, so that both brokers often have the same; the master then takes the "
    "slave's rows, which are as old as the last copy"
)


@each_step(
    case(
        "I19",
        REFUTED,
        *("take-over", "stop"),
        why="the slave has what its last copy had; it makes one every 10 s in 4.9.4, and every 60 to 63 s in 5.3.3, "
        "and a shutdown in order waits for none",
        symptom="after a master had gone down its groups consumed again what they had consumed in the last seconds",
        remedies=["I19-copied"],
    ),
    case(
        "I19-copied",
        HOLDS,
        *("take-over", *_ALL),
        assumptions=[COPIED],
        needs=["W-slave-answers"],
        where="where the consumers were stopped for one period before the master goes down",
    ),
)
def fail_over_loses_no_commit(before: Pair, after: Pair, step: Step) -> bool:
    """When the master goes down, the slave gives no lower offset than the master gave."""
    goes = step.action in ("broker_is_killed", "broker_shuts_down")
    return implies(goes, _gives_no_less(before, after))


def _gives_no_less(before: Pair, after: Pair) -> bool:
    """Is the answer to a query as high as it was, where somebody answers before and after? (Nothing splits.)"""
    higher = every(after.given_number(q) >= before.given_number(q) for q in range(before.scope.queues))
    return implies(every([before.somebody_answers(), after.somebody_answers()]), higher)


@each_step(
    case(
        "I19-return",
        REFUTED,
        *_ALL[:3],
        why=_OWN_FILE,
        symptom="when the old master was started again its groups were set back to where they were when it had gone "
        "down",
        remedies=["I19-return-kept", "I19-return-merged"],
    ),
    case(
        "I19-return-kept",
        HOLDS,
        *_STOPS,
        assumptions=[ROUTES_KEPT],
        needs=["W-slave-answers"],
        where="where a broker is shut down in order, and is back before a client looks for its route again",
        why="no commit goes to the slave, and the shutdown has written all of the master's",
    ),
    case(
        "I19-return-merged",
        HOLDS,
        *_ALL,
        fixes=[MASTER_MERGES, COPY_OF_REGISTERED],
        needs=["W-slave-answers"],
        where="with a master that takes what is higher at its slave, and a slave that drops a copy of a master that "
        "is gone",
    ),
    case(
        "I19-return-acting",
        REFUTED,
        *("acting-kill", "acting-stop"),
        fixes=_ACTING,
        where=_WHERE_ACTING,
        why="the master keeps its own rows where its version is higher, which says nothing of the slave's commits "
        "since; commits that the slave takes between its answer and the master's registration are lost, too",
        symptom="with slaveActingMaster groups were set back when the old master had returned",
        no_remedy="a version for the whole table cannot say which row is newer; I19-return-acting-merged has what is "
        "left",
    ),
    case(
        "I19-return-acting-merged",
        REFUTED,
        "acting-stop",
        fixes=(*_ACTING, MASTER_MERGES, COPY_OF_REGISTERED),
        where=f"{_WHERE_ACTING}, and the master takes what is higher",
        why="the slave takes commits between its answer and the master's registration",
        symptom="with slaveActingMaster a few commits were lost at the moment in which the old master returned",
        no_remedy="the slave would have to stop taking commits before it answers the master",
    ),
)
def return_loses_no_commit(before: Pair, after: Pair, step: Step) -> bool:
    """When the old master returns, and when a copy arrives, a query gives no lower offset than before."""
    comes = step.action in ("broker_starts", "master_goes_online", "slave_takes_table")
    return implies(comes, _gives_no_less(before, after))


@each_step(
    case(
        "I15-copy",
        REFUTED,
        "two-queues",
        why="putAll replaces all queues of a group and topic: one that only the slave knows is gone",
        symptom="a new queue's offset was gone after the old master had returned",
        remedies=["I15-copy-row-by-row"],
    ),
    case(
        "I15-copy-row-by-row",
        HOLDS,
        "two-queues",
        fixes=[COPIED_ROW_BY_ROW],
        needs=["W-slave-answers"],
        where="with a slave that keeps the queues that a copy has not",
    ),
)
def copy_keeps_every_queue(before: Pair, after: Pair, step: Step) -> bool:
    """A queue's offset that the slave has, it has after a copy."""
    rows = zip(before.broker[SLAVE].table, after.broker[SLAVE].table, strict=True)
    kept = every(implies(row.number_of(Row.offset) > 0, then.number_of(Row.offset) > 0) for row, then in rows)
    return implies(step.action == "slave_takes_table", kept)


@each_step(
    case(
        "I19-restart",
        HOLDS,
        *_STOPS,
        where="where it is shut down in order",
        why="the shutdown persists the table, and the start loads it",
        needs=["W-slave-answers"],
    ),
    case(
        "I19-restart-killed",
        REFUTED,
        "take-over",
        where="where it is killed",
        why="the file is up to five seconds old, also where the slave has had a copy since",
        symptom="after a master was killed and started again its groups consumed a few messages twice",
        remedies=["I19-restart-copied"],
    ),
    case(
        "I19-restart-copied",
        HOLDS,
        "take-over",
        fixes=[MASTER_MERGES],
        assumptions=[COPIED],
        needs=["W-slave-answers"],
        where="where it is killed after the slave has copied its table, and takes what is higher there",
    ),
    case(
        "I19-restart-acting",
        REFUTED,
        "acting-stop",
        fixes=_ACTING,
        assumptions=[ROUTES_KEPT],
        where=f"where it is shut down in order, {_WHERE_ACTING[6:]}, and no client hears of it",
        why=_EQUAL_VERSIONS,
        symptom="with slaveActingMaster groups were set back by up to a minute when a master was restarted in order",
        remedies=["I19-restart-acting-versions", "I19-restart-acting-merged"],
    ),
    case(
        "I19-restart-acting-versions",
        HOLDS,
        "acting-stop",
        fixes=(*_ACTING, VERSION_EACH_COMMIT),
        assumptions=[ROUTES_KEPT],
        needs=["W-acting"],
        where=f"the same, {_WHERE_ACTING[6:]}, with consumerOffsetUpdateVersionStep=1",
        why="a master that has executed a commit since the last copy has the higher version",
    ),
    case(
        "I19-restart-acting-merged",
        HOLDS,
        "acting-stop",
        fixes=(*_ACTING, MASTER_MERGES),
        needs=["W-acting"],
        where=f"where it is shut down in order, {_WHERE_ACTING[6:]}, and takes what is higher",
    ),
)
def restart_loses_no_commit(before: Pair, after: Pair, step: Step) -> bool:
    """A master that is registered again gives no lower offset than it had when it went down."""
    if step.action not in ("broker_starts", "master_goes_online"):
        return True
    master = after.broker[MASTER]
    registers = every([negation(before.broker[MASTER].is_registered()), master.is_registered()])
    rows = zip(master.table, before.ghost_left, strict=True)
    return implies(registers, every(row.number_of(Row.offset) >= left.number_of(Row.offset) for row, left in rows))


@each_step(
    case(
        "I19-executed",
        REFUTED,
        *_ALL[:3],
        why="a client that knows no master sends its commits to the slave, which executes them also where the master "
        "is "
        "back: in 4.9.4 for the time that a commit is on its way, since 5.0.0 until the client looks for its route "
        "again",
        symptom="a consumer's commits did not show in the progress of its group for up to half a minute",
        remedies=["I19-executed-kept"],
    ),
    case(
        "I19-executed-kept",
        HOLDS,
        *_ALL[:3],
        assumptions=[ROUTES_KEPT],
        needs=["W-slave-answers"],
        where="where no client hears that the master is away",
        why="all commits go to the master, and those on their way to it end with it",
    ),
    case(
        "I19-executed-away",
        HOLDS.unless(REFUSES_UNKNOWN),
        "new-topic",
        needs=["W-slave-executes"],
        where="where the slave has not copied the topic when the master is killed, and the master does not return",
        why="the slave asks for no topic",
    ),
    case(
        "I19-executed-refused",
        REFUTED,
        "new-topic",
        fixes=[REFUSES_UNKNOWN],
        where="where the slave has not copied the topic, and refuses commits for one that it does not know (5.3.0)",
        why="the slave copies topics with the offsets, and the refusal of a one-way request reaches nobody",
        symptom="after a fail-over a new topic's groups had no progress, though they had consumed",
        no_remedy="the refusal is what 5.3.0 is for; wait one period after a topic is created",
    ),
)
def executed_commit_is_what_a_query_gives(before: Pair, after: Pair, step: Step) -> bool:
    """A commit that a broker takes is what a query gives then."""
    if step.action != "broker_executes_commit":
        return True
    c, r, q = step.args["c"], step.args["r"], step.args["q"]
    return after.given_number(q) == before.consumer[c].commits_to(r)[q].number_of(Row.offset)

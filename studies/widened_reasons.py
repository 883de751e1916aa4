"""Why a claim that holds is refuted where one thing is raised by one; docs/widened.md is made of it.

Each reason was written after a look at a story of its kind. It is given for what was raised, and for all claims, for
some, or for single cases of them; what is said of fewer comes first.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from offsetproof.properties.catalogue import ROCKETMQ


class Kind(StrEnum):
    """What a world that refutes a claim tells about it."""

    CASE = "on record"
    EXCLUDED = "excluded"


@dataclass(frozen=True)
class Reason:
    """Why claims are refuted where this is raised.

    `claims` are claims by their names, or cases by their ids. `cases` are those on record that have the same cause.
    `said` are the words of a claim or its case that exclude what is raised; one of them stands in each.
    """

    raised: str
    claims: tuple[str, ...]
    kind: Kind
    words: str
    cases: tuple[str, ...] = ()
    said: tuple[str, ...] = ()


class NoReasonError(Exception):
    """A claim is refuted in a wider world, and nobody has said why."""


def reason_for(claim: str, raised: str) -> Reason:
    """The first reason that is given for the case of this id; NoReasonError where there is none."""
    names = {claim, ROCKETMQ.find(claim).name}
    for reason in REASONS:
        if reason.raised == raised and names & {*reason.claims}:
            return reason
    raise NoReasonError(f"{claim} is refuted where {raised} is one more, and widened_reasons.py does not say why")


def _on_record(raised: str, claims: str, cases: str, words: str) -> Reason:
    return Reason(raised, tuple(claims.split()), Kind.CASE, words, tuple(cases.split()))


def _excluded(raised: str, claims: str, said: str, words: str) -> Reason:
    return Reason(raised, tuple(claims.split()), Kind.EXCLUDED, words, said=tuple(said.split(", ")))


_WRITER, _CELL = "writer-passes-nothing-unfinished-in-its-life", "cell-never-falls-within-a-live-life"
_FALLS, _HEALS = "broker-offset-never-falls", "broker-offset-is-repaired-at-rest"
_DONE = "committed-offset-never-exceeds-min-unacked"
_STAYS, _FORWARD, _TIME = "backward-reset-stays", "forward-reset-stays", "reset-to-a-time-delivers-everything-since"
_LANDS, _TASK = "answered-reset-has-landed", "task-never-undoes-a-reset"
_SHUTDOWN, _TOKEN = "graceful-shutdown-commits-finished-work", "live-life-has-its-pull-token"
_FIRST = "first-commits-of-two-queues-survive"

_CLEARED = (
    "`clear` empties the cache of messages that nobody has finished, and a poll that ends without news then takes the "
    "empty cache for finished work"
)
_STARTS_AGAIN = (
    "until a first commit is stored every start asks again, and where offset 0 is gone by then, it begins at the max "
    "offset"
)
_LOST_FIRST_COMMIT = "the commit that says where the group starts is not there when its second start asks"
_OLD_RUN = (
    "a rebalance that asked the broker before the reset adds its queue while the reset sleeps; the second loop takes "
    "that out of the table undropped, and it commits its own progress"
)
_OLD_ROW = (
    "a broker thread that made the group's row for an earlier commit stands while the reset sleeps, and puts it in the "
    "place of the row that has the target"
)
_OLD_INFO = "the queue has no cell while the reset sleeps, and the running info brings the broker's old offset back"
_UNPULLED = (
    "the application resumes the consumer while the reset sleeps, and the reset's thread stands for two minutes, which "
    "counts as no fault here: a rebalance takes its queue for unpulled, and removes it and its cell around the "
    "reset's write"
)
_RUNNING, _GOES_ON = "goes on running, go on running", "at rest nobody is left who would commit or consume"
_KEPT, _NOT_KEPT = "keeps the queue", "a consumer that stops, or gives its topic up, has no queue when the reset writes"

_BOUNDS = (
    _on_record("resets", _WRITER, "I1-reset", _CLEARED),
    _excluded("resets", _CELL, "no reset", "a reset sets the cell to its target"),
    _on_record("resets", _DONE, "I4-reset", _CLEARED),
    _on_record("resets", "I5-running-info-in-order", "I5-running-info", _OLD_INFO),
    _excluded(
        "resets", _SHUTDOWN, "without a reset", "what listeners finish on the queue that it dropped is thrown away"
    ),
    _excluded(
        "resets",
        "I28-poll-checks",
        "the offset is reset once",
        "the first reset lands when the second one has gone back",
    ),
    _on_record("view_changes", _STAYS, "I5", _OLD_RUN),
    _on_record(
        "sweeps",
        _SHUTDOWN,
        "I16-swept",
        "a message that took over fifteen minutes is sent back while its task ends: removeMessage finds the cache "
        "empty, and nothing is written to the cell until a poll corrects it",
    ),
    _excluded(
        "sweeps", _STAYS, "what was sent back is not done again by that", "a copy in %RETRY% is delivered instead"
    ),
    _excluded("retention", _CELL, "no illegal offset", "a repair writes the cell plainly"),
    _excluded(
        "retention",
        "I28-poll-checks",
        "no message is deleted",
        "the repair of an illegal offset writes the cell between the reset's two writes",
    ),
    _excluded(
        "deletions",
        "I32-hang-swept I32-hang-restarted",
        "its topic is kept",
        "the offsets of the new topic begin at 0, below what was done of the former one",
    ),
    _on_record(
        "deletions",
        _DONE,
        "I4-recreated",
        "the group's row stays, or a commit of the former topic comes late, and the new messages below it are passed",
    ),
    _excluded(
        "deletions", _CELL, "no illegal offset", "the new queue ends below the cell, and the repair sets it back"
    ),
    _excluded(
        "deletions",
        _HEALS,
        "with its topic, with their topic",
        "the offsets of the new topic begin at 0, and what was committed in the former one is out of reach",
    ),
    _on_record("deletions", _STAYS, "I5-recreated", "the repair of an illegal offset overwrites the target"),
    _excluded(
        "deletions",
        _LANDS,
        _KEPT,
        "the repair of an illegal offset has taken the queue out of the table: nobody writes",
    ),
    _excluded(
        "deletions",
        _SHUTDOWN,
        "the topic and its messages are kept",
        "what listeners finish on the queue that an illegal offset has dropped is thrown away",
    ),
    _excluded(
        "retention",
        _SHUTDOWN,
        "the topic and its messages are kept",
        "a repair of the offset removes the cell of the life that came after it",
    ),
    _on_record(
        "retention", "I4-expansion", "I4-expansion-late", "the group first looks at the queue when offset 0 is deleted"
    ),
    _on_record("retention", _DONE, "I4-new-group", _STARTS_AGAIN),
    _on_record(
        "retention",
        _LANDS,
        "I6",
        "the repair of an illegal offset has taken the queue out of the table when the reset wakes: nobody writes",
    ),
    _excluded(
        "updates",
        "I5-forward-calm I5-forward-twice I5-offline-quiet",
        "nobody else writes",
        "an administrator writes another offset",
    ),
    _excluded(
        "group_deletions",
        f"{_FIRST} {_SHUTDOWN}",
        "no administrator removes",
        "the group is deleted with its offsets",
    ),
    _excluded("group_deletions", "I30-monotone", "no administrator changes the offset", "a deletion takes it away"),
    _excluded("group_deletions", _FORWARD, "nobody else writes", "the group is deleted with its offsets"),
    _excluded("updates", "I31-down", "no administrator writes the offset", "an administrator writes an offset anew"),
    _excluded("updates", f"{_FIRST} {_SHUTDOWN}", "no administrator removes", "what was committed is removed"),
    _on_record("updates", "I5-running-info-in-order", "I5-running-info", _OLD_INFO),
    _on_record(
        "updates", _DONE, "I4-new-group", "an administrator has removed the row when the group's second start asks"
    ),
    _on_record("updates", f"{_STAYS} {_TIME}", "I5", _OLD_RUN),
    _on_record(
        "updates",
        _LANDS,
        "I6",
        "an offset is stored before the consumer has its queue: the reset finds none in the table",
    ),
    _on_record(
        "running_infos",
        _CELL,
        "I2-running-info",
        "the running info writes the broker's old answer into the cell plainly",
    ),
    _on_record(
        "running_infos",
        _SHUTDOWN,
        "I2-running-info",
        "the running info writes the broker's old answer into the cell, and the shutdown persists that",
    ),
    _on_record("running_infos", f"{_STAYS} {_FORWARD}", "I5-running-info", _OLD_INFO),
    _on_record("suspends", _TASK, "I2-resume", "a run of rebalance that is late writes its old answer into the cell"),
    _excluded(
        "suspends",
        "I28-poll-checks",
        "the application does not suspend the consumer",
        "a run of rebalance that resume lets in takes the dropped queue for unpulled, and reads the cell",
    ),
    _on_record("suspends", f"{_STAYS} {_FORWARD} {_LANDS}", "I6-expired", _UNPULLED),
    _on_record("shutdowns", "I5-running-info-in-order", "I5-running-info", _OLD_INFO),
    _on_record(
        "shutdowns", _DONE, "I4-new-group-stored", "the first start is shut down before it can say where it begins"
    ),
    _on_record("shutdowns", _STAYS, "I5", _OLD_RUN),
    _excluded("shutdowns", f"{_HEALS} {_TIME}", _RUNNING, _GOES_ON),
    _excluded("shutdowns", _LANDS, _KEPT, _NOT_KEPT),
    _excluded("unsubscribes", f"{_HEALS} {_TIME}", _RUNNING, _GOES_ON),
    _excluded(
        "unsubscribes",
        _SHUTDOWN,
        "the topic and its messages are kept",
        "the queue is dropped with its topic, and what its listener finishes then is thrown away",
    ),
    _excluded("unsubscribes", _LANDS, _KEPT, _NOT_KEPT),
    _on_record(
        "neighbours",
        f"{_FALLS} {_SHUTDOWN} {_DONE}",
        "I11",
        "the first commit of another queue makes a row of its own, and puts it in the place of this one's",
    ),
    _on_record("neighbours", f"{_STAYS} {_FORWARD} {_TIME}", "I11", _OLD_ROW),
    _on_record("cold", "I4-expansion", "I4-expansion-cold", "the group first looks at the queue when offset 0 is cold"),
    _on_record("cold", _DONE, "I4-new-group", _STARTS_AGAIN),
    _on_record(
        "expansion", _DONE, "I4-expansion-late", "the group first looks at the added queue when offset 0 is deleted"
    ),
    _on_record(
        "retry_queue",
        _DONE,
        "I4-retry-timestamp",
        "a retry topic's queue without stored offset starts at the max offset",
    ),
    _on_record(
        "equal_times",
        _FORWARD,
        "I5-forward-by-time",
        "the search for a time after the last message's ends at that message, and not past it",
    ),
    _on_record(
        "fine", _FORWARD, "I5-forward-in-two", "persistAll reads the cell before the reset writes, and sends later"
    ),
    _on_record(
        "fine", _STAYS, "I5-persist-in-two", "persistAll reads the cell before the reset writes, and sends later"
    ),
    _on_record(
        "fine", _TIME, "I5-persist-in-two", "persistAll reads the cell before the reset writes, and sends later"
    ),
    _on_record(
        "fine", _SHUTDOWN, "I16-waits-in-two", "what persistAll removes goes by a set that is older than the life"
    ),
    _on_record(
        "fine",
        _LANDS,
        "I6-expired",
        "a rebalance that has passed the test for pause waits two minutes for the list of members, takes the queue "
        "that the reset dropped for unpulled, and removes it before the reset writes",
    ),
)

_FAULTS = (
    _on_record("overtake", _DONE, "I4-new-group", _LOST_FIRST_COMMIT),
    _on_record("overtake", f"{_STAYS} {_TIME}", "I5", "a commit or a query is executed before an older commit"),
    _on_record("overtake", _FORWARD, "I5-forward", "a commit or a query is executed before an older commit"),
    _on_record(
        "late_pull", f"{_STAYS} {_TIME}", "I5", "a pull from before the reset arrives after it, with the old offset"
    ),
    _excluded(
        "stall",
        "I28-poll-checks",
        "nothing is late, overtaken or stalled",
        "a callback that stood writes its own position between the reset's two writes",
    ),
    _on_record(
        "stall", _FORWARD, "I17", "a callback that stood writes its own position after the reset has removed the cell"
    ),
    _on_record(
        "stall",
        f"{_STAYS} {_TIME}",
        "I5",
        "a thread that stood before updateOffset writes the cell after the reset did",
    ),
    _excluded("kill", f"{_HEALS} {_TIME}", _RUNNING, _GOES_ON),
    _excluded("kill", _LANDS, _KEPT, _NOT_KEPT),
    _excluded("kill", _SHUTDOWN, "graceful", "a consumer that is killed persists nothing"),
    _on_record("kill", "I5-running-info-in-order", "I5-running-info", _OLD_INFO),
    _on_record("kill", _STAYS, "I5", _OLD_RUN),
    _on_record(
        "kill",
        _FORWARD,
        "I18",
        "a rebalance of the second start overlaps the first reset; its life is taken out of the table undropped, and a "
        "poll of it writes its own position after the second reset",
    ),
    _on_record("hang", f"{_HEALS} I32 {_TIME}", "I32-hang", "one message without a result pins the offset"),
    _on_record("broker_kill", f"{_FALLS} {_SHUTDOWN}", "I3", "the broker comes back with a file that is seconds old"),
    _excluded("broker_kill", _FIRST, "no broker is killed", "the file that it comes back with may be seconds old"),
    _on_record("broker_kill", _DONE, "I4-new-group", _LOST_FIRST_COMMIT),
    _on_record(
        "broker_kill", "I31-down", "I31-broker-kill", "the broker comes back with a file from before the deletion"
    ),
    _on_record(
        "broker_kill",
        f"{_STAYS} {_FORWARD} {_TIME}",
        "I5-broker-kill",
        "the broker comes back with a file from before the reset",
    ),
    _on_record("broker_error", _DONE, "I4-query-error", "an error is read as `no offset stored`"),
    _on_record(
        "broker_error", f"{_STAYS} {_TIME}", "I5-query-error", "the queue that is added again asks, and reads an error"
    ),
    _on_record("token_loss", _TOKEN, "I23-lost", "pullMessage throws, and the pull request is gone"),
    _on_record(
        "token_loss",
        _SHUTDOWN,
        "I23-lost",
        "a life that nobody pulls for is replaced after two minutes, and what its listener finishes is thrown away",
    ),
    _on_record("token_loss", "I5-running-info-in-order", "I5-running-info", _OLD_INFO),
    _on_record("token_loss", _STAYS, "I5", _OLD_RUN),
    _on_record(
        "token_loss", _LANDS, "I6", "a life that nobody pulled for is being replaced, and the reset finds no queue"
    ),
    _on_record("loss", _LANDS, "I6-lost-command", "the command to the client is lost, and answered with success"),
    _on_record(
        "loss",
        _STAYS,
        "I5",
        "the query of the run that resume makes times out, so the next reset finds the other run under way, which adds "
        "its queue while the reset sleeps",
    ),
    _on_record("loss", _SHUTDOWN, "I16-lost", "the last persist is one-way: where it is lost nobody sends it again"),
    _on_record("loss", _DONE, "I4-new-group", _LOST_FIRST_COMMIT),
)

REASONS = (*_BOUNDS, *_FAULTS)

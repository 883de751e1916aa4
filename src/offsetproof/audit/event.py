"""An event: what one line of a log, or one row of a snapshot, says about offsets, owners and locks (the silver table).

A line that says nothing of these is no event. What a kind means, and which columns it fills, is at its name; the
templates that it is read from are in `lines/templates.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

SECOND = 1_000_000
"""Times are in microseconds."""


class EventKind(StrEnum):
    """What an event says. `offset` and `other_offset` are in messages; columns that are not named are empty."""

    # A client's log, or what `watch` sees of a client.
    COMMIT_SENT = "commit-sent"
    """A client sent a commit: client, group, queue, offset; `detail` is persistAll or persist, empty before 4.x."""
    COMMIT_FAILED = "commit-failed"
    """A commit could not be sent: queue; `detail` the exception's class, if it is on the record."""
    QUERY_FAILED = "query-failed"
    """The offset could not be queried: queue."""
    OFFSET_QUERIED = "offset-queried"
    """The broker told a client the offset that it has: group, queue, offset, -1 where it has none."""
    CELL_REMOVED = "cell-removed"
    """A client forgot its offset of a queue: group, queue; `detail` is unused or unnecessary."""
    QUEUE_ADDED = "queue-added"
    """A rebalance gave a queue to the client: group, queue."""
    START = "start"
    """A client starts on a queue: group, queue, offset (`add a new pull request` or an orderly first pull)."""
    QUEUE_NOT_ADDED = "queue-not-added"
    """A rebalance could not add a queue: group, queue; `detail` is lock, offset or exists."""
    QUEUE_REMOVED = "queue-removed"
    """A client gave a queue up: group, queue; `detail` is unnecessary, unsubscribed, pull-paused or illegal-offset."""
    ALLOCATED = "allocated"
    """The result of a rebalance: client, group, topic; `detail` is the set of queues, as broker:queue,broker:queue."""
    MEMBERS_CHANGED = "members-changed"
    """The broker told the client that the group has changed: group; `detail` the broker's address."""
    MEMBERS_UNKNOWN = "members-unknown"
    """The client could not read the group's members: group, topic; `detail` is failed or not-a-member."""
    RESULT_DISCARDED = "result-discarded"
    """A listener ended after its queue was dropped, and nothing was committed: queue."""
    SEND_BACK_FAILED = "send-back-failed"
    """A message could not be sent back: group, and the queue where it is said."""
    PULL_ILLEGAL = "pull-illegal"
    """A pull was answered OFFSET_ILLEGAL: group, queue, offset asked, other_offset told; `detail` is min:max."""
    PULL_FIXED = "pull-fixed"
    """The repair after PULL_ILLEGAL ran: group, queue, offset."""
    COMMANDED = "reset-commanded"
    """The broker commanded a reset: group, topic; `detail` the timestamp."""
    SUSPENDED = "suspended"
    RESUMED = "resumed"
    """The consumer was suspended, and resumed: group."""
    CONSUMER_STARTED = "consumer-started"
    CONSUMER_STOPPED = "consumer-stopped"
    """start OK, shutdown OK: group."""
    LOCKED = "locked"
    LOCK_REFUSED = "lock-refused"
    UNLOCKED = "unlocked"
    LOCK_LOST_WHILE_CONSUMING = "lock-lost-while-consuming"
    """Locks of orderly consumers, said by the client or by the broker's lock.log: client, group, queue."""
    LOCAL_LOADED = "local-loaded"
    """A broadcast client loaded its offset file: group, queue, offset."""

    # A broker's log.
    COMMIT_BELOW_STORE = "commit-below-store"
    """[NOTIFYME]: a commit went back: group, topic, queue, offset committed, other_offset before; `detail` ip:port."""
    RESET_STARTED = "reset-started"
    """The broker began a reset that it sends to clients: group, topic; `detail` timestamp:isForce."""
    RESET_SENT = "reset-sent"
    """The reset was sent to a client: client, group, topic."""
    RESET_MARKED = "reset-marked"
    """5.x: the broker marked queues: group, topic, queue, offset; a line is one event for each queue."""
    MARKER_TAKEN = "marker-taken"
    """5.x: a pull took a marker: offset (the line has neither group nor queue)."""
    COMMIT_REFUSED = "commit-refused"
    """5.x: a commit was refused as the queue was reset: group, topic, queue, offset."""
    PULL_BEYOND_END = "pull-beyond-end"
    """A pull asked beyond the end: group or address in `detail`, offset asked, other_offset the max offset."""
    PULL_BELOW_BEGIN = "pull-below-begin"
    """A pull asked below the lowest offset: group, topic, offset asked, other_offset the min offset."""
    PULL_MOVED = "pull-moved"
    """PULL_OFFSET_MOVED: group, topic, offset asked, other_offset given; `detail` is correction or none."""
    SLAVE_SYNCED = "slave-synced"
    GROUP_CLEANED = "group-cleaned"
    TOPIC_CLEANED = "topic-cleaned"
    """Offsets of a group, or of a topic, were removed: group or topic."""
    FILE_LOADED = "file-loaded"
    FILE_FELL_BACK = "file-fell-back"
    FILE_NOT_WRITTEN = "file-not-written"
    """An offset file was loaded, was damaged so that its backup is loaded, was not written: `detail` is its name."""

    # Snapshots.
    OFFSET_STORED = "offset-stored"
    """A row of consumerOffset.json: group, topic, queue, offset; of mqadmin's output other_offset is the max offset."""
    OFFSET_LOCAL = "offset-local"
    """A row of a broadcast client's offsets.json: topic, broker, queue, offset; the group where its folder tells it."""

    # What `watch` is told by running brokers, beside OFFSET_STORED; said again where it changes, and now and then.
    OFFSET_ABSENT = "offset-absent"
    """The broker says that the group has no offset of a queue: group, topic, broker, queue, other_offset the max."""
    MEMBER_SEEN = "member-seen"
    MEMBER_GONE = "member-gone"
    """A broker has the client as a member, or no more: client, group, broker; `detail` address language version."""
    CELL_SEEN = "cell-seen"
    CELL_GONE = "cell-gone"
    """A client has an offset of its own of a queue, or no more: client, group, topic, broker, queue, offset."""
    MESSAGES_GIVEN = "messages-given"
    """A broker gave the group `offset` messages of a topic in the last minute: group, topic, broker; `detail` the
    subscription's expression."""
    BROKER_SILENT = "broker-silent"
    BROKER_ANSWERS = "broker-answers"
    """A broker does not answer, and answers (again): broker; `detail` why, or its release."""


@dataclass(frozen=True, slots=True)
class Event:
    """One row of silver.

    `time_from` (inclusive) and `time_to` (exclusive) are in microseconds since 1970 UTC: the interval that the stamp's
    resolution leaves. `zone_known` is false where the stamp's zone was assumed. `host` is of the machine, `process` of
    one process on it as far as the log tells (its pid, else the log's path without rotation). `file`, `line` (from 1)
    and `byte_offset` are the place of the record; `byte_length` is that of the whole record with its further lines.
    """

    file: str
    line: int
    byte_offset: int
    byte_length: int
    time_from: int
    time_to: int
    zone_known: bool
    host: str
    process: str
    kind: EventKind
    client: str | None = None
    group: str | None = None
    topic: str | None = None
    broker: str | None = None
    queue: int | None = None
    offset: int | None = None
    other_offset: int | None = None
    detail: str | None = None

    @property
    def process_name(self) -> str:
        """Which process wrote it: a pid is one on its host alone, and in containers all have the same."""
        return f"process {self.process} of {self.host}" if self.process.isdigit() and self.host else self.process

"""What the logs show of a story of the model: its steps as the lines that real clients and brokers would write.

A step is observable where it, or the effect that a broker logs, leaves a line. Which steps these are is told here by
the names of actions and fields, once for stories that are recorded and for the search (`searching.py`); a test holds
each name against the models. All other steps are free: nobody hears of them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace, TraceStep, Value

NOT_WRITTEN: Mapping[str, frozenset[Kind]] = {"broadcasting": frozenset({Kind.COMMIT_SENT, Kind.CELL_REMOVED})}
"""Lines that a subject's steps do not leave, under names of actions that leave them elsewhere: a broadcasting consumer
sends no commits, and its store of 4.9 removes no offset (that of 5.x does, and says so)."""

CLIENT = "consumer[{c}]"
SHARE = "client[{c}].share[{q}]"
CELLS = (f"{CLIENT}.cell", f"{SHARE}.cell", f"{CLIENT}.cell[{{q}}].offset")
"""Where the client's offset of a queue stands, by model."""

COMMITTED = ("broker.committed", "queue[{q}].committed", "broker[{r}].table[{q}].offset")
MARKERS = ("broker.marker", "queue[{q}].marker", "broker[{r}].marker[{q}].offset")


FIRST: Mapping[str, int | str] = {"q": 0, "r": 0}
"""Of what stands at a broker: the queue and the broker that are meant where an action names none."""


class When(StrEnum):
    """Of a field: what must have become of it in the step so that there is a line."""

    ALWAYS = "always"
    FALLS = "falls"
    IS_SET = "is set"
    IS_CLEARED = "is cleared"
    STAYS = "stays set"


@dataclass(frozen=True)
class Shown:
    """A line that a step may leave: its kind, and the fields of the model that say what stands in it.

    `offset` is read after the step where `after`, else before it; `other` before it. Of several fields it is the first
    that the model has. `field` and `when` say in which steps there is a line; `detail` is the event's, if it matters.
    """

    kinds: tuple[Kind, ...]
    offset: tuple[str, ...] = ()
    other: tuple[str, ...] = ()
    field: tuple[str, ...] = ()
    when: When = When.ALWAYS
    after: bool = False
    detail: str | None = None

    @property
    def is_of_broker(self) -> bool:
        """Does the broker's log have the line?"""
        return self.kinds[0] in BROKER_KINDS

    def may_be(self, kind: Kind, detail: str | None) -> bool:
        """May a line of this kind be meant? What a log does not detail may be."""
        return kind in self.kinds and (self.detail is None or detail is None or self.detail == detail)


@dataclass(frozen=True)
class Observable:
    """A line that a story leaves. Clients and queues are the story's own numbers, offsets the model's.

    `before` is of a reset alone: what was committed when it began.
    """

    step: int
    kinds: tuple[Kind, ...]
    client: int | None = None
    queue: int | None = None
    offset: int | None = None
    other_offset: int | None = None
    before: int | None = None
    detail: str | None = None

    @property
    def kind(self) -> Kind:
        """The line that is meant first."""
        return self.kinds[0]

    def may_be(self, event: Event) -> bool:
        """May this event be the line, by its kind and detail? What a log does not detail may be."""
        is_detailed = self.detail is None or event.detail is None or self.detail == event.detail
        return event.kind in self.kinds and is_detailed


BROKER_KINDS = frozenset(
    {
        Kind.COMMIT_BELOW_STORE,
        Kind.RESET_STARTED,
        Kind.RESET_SENT,
        Kind.RESET_MARKED,
        Kind.MARKER_TAKEN,
        Kind.COMMIT_REFUSED,
        Kind.PULL_BEYOND_END,
        Kind.PULL_BELOW_BEGIN,
        Kind.PULL_MOVED,
        Kind.SLAVE_SYNCED,
        Kind.GROUP_CLEANED,
        Kind.TOPIC_CLEANED,
        Kind.FILE_LOADED,
        Kind.FILE_FELL_BACK,
        Kind.FILE_NOT_WRITTEN,
    }
)
"""What brokers write; all else is a client's, or of a snapshot."""

LATE = frozenset({Kind.RESUMED, Kind.PULL_FIXED})
"""Lines that are written some time after their step: a client says that it has resumed when it has rebalanced, and that
it has repaired an offset when all is done."""

RESETS = (Kind.RESET_STARTED, Kind.RESET_SENT)

_COMMIT = Shown((Kind.COMMIT_SENT,), CELLS)
_EXECUTED = (
    Shown((Kind.COMMIT_BELOW_STORE,), COMMITTED, COMMITTED, COMMITTED, When.FALLS, after=True),
    Shown((Kind.COMMIT_REFUSED,), field=MARKERS, when=When.STAYS),
)
_ADDS = (Shown((Kind.QUEUE_ADDED,)), Shown((Kind.START,)))
_TAKES_MARKER = Shown((Kind.MARKER_TAKEN,), MARKERS, field=MARKERS, when=When.IS_CLEARED)
_RESET = (
    Shown((Kind.RESET_MARKED,), MARKERS, field=MARKERS, when=When.IS_SET, after=True),
    Shown(RESETS, field=("reset_command", "command", "commands"), when=When.IS_SET),
)
_FORGETS = Shown((Kind.CELL_REMOVED,), detail="unnecessary")

SHOWN: Mapping[str, tuple[Shown, ...]] = {
    **dict.fromkeys(
        (
            "consumer_persists_all",
            "client_persists_queue",
            "client_sends_commit",
            "rebalance_persists",
            "rebalance_persists_again",
            "repair_persists",
            "repair_persists_again",
            "reset_persists",
            "shutdown_persists",
        ),
        (_COMMIT,),
    ),
    "consumer_sends_read_value": (Shown((Kind.COMMIT_SENT,), (f"{CLIENT}.read_value",)),),
    **dict.fromkeys(("broker_executes_commit", "broker_executes_newer_commit_first"), _EXECUTED),
    **dict.fromkeys(
        ("broker_receives_pull", "poll_takes_marker", "new_pull_takes_marker"), (_TAKES_MARKER, _EXECUTED[0])
    ),
    **dict.fromkeys(("rebalance_adds_queue", "client_adds_queue"), _ADDS),
    **dict.fromkeys(
        (
            "administrator_resets",
            "administrator_resets_by_time",
            "administrator_resets_broker",
            "administrator_asks_for_one_queue",
        ),
        _RESET,
    ),
    **{
        action: (Shown((Kind.QUEUE_REMOVED,), detail=why),)
        for action, why in (
            ("rebalance_removes_queue", "unnecessary"),
            ("rebalance_truncates_table", "unsubscribed"),
            ("rebalance_drops_expired_queue", "pull-paused"),
        )
    },
    "consumer_removes_unused_cell": (Shown((Kind.CELL_REMOVED,), detail="unused"),),
    **dict.fromkeys(
        (
            "reset_removes_offset",
            "rebalance_removes_offset",
            "rebalance_removes_dirty_offset",
            "repair_removes_offset",
        ),
        (_FORGETS,),
    ),
    "repair_removes_queue": (
        Shown((Kind.QUEUE_REMOVED,), detail="illegal-offset"),
        Shown((Kind.PULL_FIXED,)),
    ),
    "reset_suspends": (Shown((Kind.SUSPENDED, Kind.COMMANDED)),),
    **dict.fromkeys(("reset_resumes", "reset_returns"), (Shown((Kind.RESUMED,)),)),
    **dict.fromkeys(("poll_hears_of_reset", "poll_is_illegal"), (Shown((Kind.PULL_ILLEGAL,)),)),
    **dict.fromkeys(
        ("broker_restarts", "broker_starts", "broker_is_killed"), (Shown((Kind.FILE_LOADED, Kind.FILE_FELL_BACK)),)
    ),
    "consumer_starts": (Shown((Kind.CONSUMER_STARTED,)),),
    "consumer_is_shut_down": (Shown((Kind.CONSUMER_STOPPED,)),),
    "administrator_deletes_group_with_offsets": (Shown((Kind.GROUP_CLEANED,)),),
    "slave_takes_table": (Shown((Kind.SLAVE_SYNCED,)),),
    "disk_is_full": (Shown((Kind.FILE_NOT_WRITTEN,)),),
    **dict.fromkeys(
        ("rebalance_unlocks_queue", "rebalance_forces_unlock", "delayed_unlock_is_sent", "shutdown_unlocks"),
        (Shown((Kind.UNLOCKED,)),),
    ),
    "client_hears_of_renewal": (Shown((Kind.LOCKED,)),),
}
"""The lines of each action; of an action that is not here there are none."""

SHOWN_KINDS = frozenset(kind for each in SHOWN.values() for shown in each for kind in shown.kinds)
"""The kinds of lines that any step leaves; what others say happens in no model."""

_SAID_TWICE = (
    (Kind.RESET_STARTED, frozenset({Kind.RESET_SENT, Kind.RESET_MARKED})),
    (Kind.COMMANDED, frozenset({Kind.SUSPENDED})),
)


def said_better(kinds: Collection[Kind]) -> frozenset[Kind]:
    """The kinds that say what others of these say better."""
    return frozenset(less for less, more in _SAID_TWICE if more.intersection(kinds))


@cache
def observables_of(story: str) -> tuple[Observable, ...]:
    """What the logs show of a recorded story, in the order in which it is told."""
    return tuple(observables_in(recorded_stories()[story].story))


def observables_in(trace: Trace) -> Iterator[Observable]:
    """What the logs show of a trace, step by step."""
    for step, before, after in zip(trace.steps, trace.states, trace.states[1:], strict=False):
        for shown in SHOWN.get(step.action, ()):
            if NOT_WRITTEN.get(str(trace.subject), frozenset()).issuperset(shown.kinds):
                continue
            found = _observe(shown, step, before, after)
            if found is not None:
                yield found


State = Mapping[str, Value]


def _observe(shown: Shown, step: TraceStep, before: State, after: State) -> Observable | None:
    if not _is_written(shown, step, before, after):
        return None
    args = {**step.args, **_queue_sent(step)} if shown.kinds == (Kind.COMMIT_SENT,) else step.args
    offset = _value(
        shown.offset, {**FIRST, **args} if shown.offset == MARKERS else args, after if shown.after else before
    )
    if shown.kinds == (Kind.COMMIT_SENT,) and offset is None:
        return None  # what has no value is not sent
    if shown.kinds == (Kind.START,):
        offset = _start(step, after)
    is_reset = shown.kinds == RESETS or shown.kinds == (Kind.RESET_MARKED,)
    client, queue = args.get("c"), args.get("q")
    return Observable(
        step.number,
        shown.kinds,
        None if shown.is_of_broker or not isinstance(client, int) else client,
        queue if isinstance(queue, int) else None,
        offset,
        _value(shown.other, args, before),
        _value(COMMITTED, {**FIRST, **step.args}, before) if is_reset else None,
        shown.detail,
    )


def _queue_sent(step: TraceStep) -> Mapping[str, int]:
    """The queue of which a step sends a commit, where its arguments do not say it."""
    sent = (re.search(r"\.share\[(\d+)\]\.commits\.count$", path) for path in step.changed)
    return next(({"q": int(found[1])} for found in sent if found), {})


def _is_written(shown: Shown, step: TraceStep, before: State, after: State) -> bool:
    if shown.when is When.ALWAYS:
        return True
    if shown.kinds == RESETS:
        return any(
            old is None and new is not None and any(f".{name}" in path for name in shown.field)
            for path, (old, new) in step.changed.items()
        )
    args = {**FIRST, **step.args}
    old, new = _value(shown.field, args, before), _value(shown.field, args, after)
    match shown.when:
        case When.FALLS:
            return old is not None and new is not None and new < old
        case When.IS_SET:
            return old is None and new is not None
        case When.IS_CLEARED:
            return old is not None and new is None
        case _:
            committed = (_value(COMMITTED, args, state) for state in (before, after))
            return old is not None and new is not None and len({*committed}) == 1


def _value(paths: tuple[str, ...], args: Mapping[str, int | str], state: State) -> int | None:
    """The first of the fields that the state has, as an offset."""
    for path in paths:
        try:
            name = path.format(**args)
        except KeyError:
            continue
        if name in state:
            value = state[name]
            return value if isinstance(value, int) and not isinstance(value, bool) else None
    return None


def _start(step: TraceStep, after: State) -> int | None:
    """Where a ProcessQueue that has just been put into the table begins to pull."""
    c = step.args.get("c")
    pq_id = after.get(f"consumer[{c}].process_queue_table")
    value = after.get(f"consumer[{c}].process_queue[{pq_id}].next_offset")
    return value if isinstance(value, int) else None

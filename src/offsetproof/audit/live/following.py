"""A reset that is announced: it is seen as a jump of offsets, and each queue is followed until it has stayed or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.live.conditions import ARRIVED, ENDED, Direction
from offsetproof.audit.live.counting import LAST_LOOK_AFTER, Given
from offsetproof.audit.live.series import QueueKey, finding_about, queue_of
from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.causes import trace_happens_in
from offsetproof.model.timers import PERSIST_EVERY
from offsetproof.traces.recorded_stories import recorded_stories

STAYS_FOR = round((ENDED + PERSIST_EVERY.seconds) * SECOND)
"""After so long, with a member that has been there as long, whatever was on its way has come: a held poll has ended,
and the next persistAll has sent what it left. Of a reset backwards something must have been consumed, too."""


_ARRIVED = round(ARRIVED * SECOND)


class Fate(StrEnum):
    """What became of a queue's reset. OPEN: too early to say. WAITS: at its target, nothing was consumed from there.
    A member may not pull yet; one that hangs may still commit what it had.

    UNCLEAR: back where it was, and the broker's counts do not decide whether messages were delivered again.
    """

    OPEN = "open"
    UNCLEAR = "back, and perhaps consumed again"
    WAITS = "waits to be consumed"
    STAYED = "stayed"
    UNDONE = "undone"


_ENDS = (Fate.STAYED, Fate.UNDONE, Fate.UNCLEAR)
_FINAL = (Fate.UNDONE, Fate.UNCLEAR)
"""One that has stayed is looked at on while others are followed."""
_COUNTED = LAST_LOOK_AFTER + 10 * SECOND


@dataclass
class Landed:
    """A queue whose offset has jumped: the events before and after, how many members there were, and what was seen
    since. `low`: the last event below where it was; between the target and that a consumer commits as it comes.
    `consumed`: the messages between are known to have come again."""

    before: Event
    after: Event
    members: int
    fate: Fate = Fate.OPEN
    back: Event | None = None
    last: Event | None = None
    low: Event | None = None
    consumed: bool = False
    undone_by: tuple[str, ...] = ()

    @property
    def works_up(self) -> bool:
        """Were offsets seen between the target and where it was?"""
        return self.low is not None and self.low.offset != self.after.offset

    @property
    def missing(self) -> int:
        """How many messages lie between where it was and where it was seen last below that."""
        return (self.before.offset or 0) - ((self.low or self.after).offset or 0)

    @property
    def is_backward(self) -> bool:
        """Did it fall?"""
        return (self.after.offset or 0) < (self.before.offset or 0)


@dataclass
class Following:
    """The first jump of each queue is the reset; from then on it is followed.

    An offset that falls is one that is set back. One that rises may have been consumed, so a forward reset is seen only
    while the group is down, and its last commits have arrived. `interval` is the time between polls in microseconds.
    """

    direction: Direction
    release: str
    interval: int
    given: Given = field(init=False)
    landed: dict[QueueKey, Landed] = field(default_factory=dict)
    members: dict[tuple[str | None, str | None, str], int] = field(default_factory=dict)
    _last: dict[QueueKey, Event] = field(default_factory=dict)
    _outages: list[int] = field(default_factory=list)
    _silent: set[str | None] = field(default_factory=set)
    _answers: dict[str | None, int] = field(default_factory=dict)
    _changes: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.given = Given(self.interval)

    def look(self, event: Event) -> Iterator[Finding]:
        """A finding where a reset came undone."""
        self.given.look(event)
        match event.kind:
            case EventKind.MEMBER_SEEN:
                self.members[_connection(event)] = event.time_to
                self._changes.append(event.time_from)
            case EventKind.MEMBER_GONE:
                self.members.pop(_connection(event), None)
                self._changes.append(event.time_from)
            case EventKind.BROKER_SILENT:
                self._outages.append(event.time_from)
                self._silent.add(event.broker)
            case EventKind.BROKER_ANSWERS:
                self._answers[event.broker] = event.time_to
                self._silent.discard(event.broker)
            case EventKind.MESSAGES_GIVEN:
                yield from self._look_at_count(event)
            case EventKind.OFFSET_STORED if event.offset is not None:
                yield from self._row(event)

    def settle(self, now: int) -> None:
        """Says of queues what can be said by this time, in microseconds since 1970."""
        for each in self.landed.values():
            if each.fate in _FINAL:
                continue
            if each.back is None:
                each.fate = self._fate_of(each, now)
            elif now < each.after.time_to + _COUNTED:
                each.fate = Fate.OPEN
            else:
                each.fate = self._fate_of(each, now) if each.works_up else Fate.UNCLEAR

    def _fate_of(self, landed: Landed, now: int) -> Fate:
        """The fate of a queue that is not back. Of a broker that is silent nothing is known; then it counts anew."""
        broker = landed.after.broker
        if broker in self._silent:
            return Fate.OPEN
        at_target = (landed.last or landed.after).offset == landed.after.offset
        if at_target and (landed.is_backward or not self.members):
            return Fate.WAITS
        members_since = min(self.members.values(), default=now)
        quiet = now - max(landed.after.time_to, members_since, self._answers.get(broker, 0))
        return Fate.STAYED if quiet >= STAYS_FOR else Fate.OPEN

    def not_reset(self, offsets: Mapping[tuple[str, str, int], int | None]) -> list[str]:
        """The queues of a topic that is reset whose offsets have not jumped, with what they have. They may have had no
        message to go back to; or the reset has left them out."""
        topics = {topic for topic, _, _ in self.landed} if self.direction is not Direction.ONE_QUEUE else set()
        return [
            f"{queue[0]} {queue[1]}:{queue[2]} at {offset}"
            for queue, offset in sorted(offsets.items())
            if queue[0] in topics and queue not in self.landed and offset
        ]

    @property
    def is_over(self) -> bool:
        """Is there a reset, and is it known of each queue what became of it?"""
        return bool(self.landed) and all(each.fate in _ENDS for each in self.landed.values())

    def _row(self, event: Event) -> Iterator[Finding]:
        queue, last = queue_of(event), self._last.get(queue_of(event))
        self._last[queue] = event
        landed = self.landed.get(queue)
        if landed is None:
            if last is not None and self._is_jump(last, event):
                self.landed[queue] = Landed(last, event, len(self.members), last=event)
            return
        landed.last = event
        if landed.fate in _FINAL or landed.back is not None:
            return
        if self._is_another(landed, event):
            yield _another(landed, event)
            self.landed[queue] = Landed(landed.before, event, len(self.members), last=event)
        elif self._is_surely_undone(landed, event):
            yield self._undone(landed, event, ())
        elif landed.is_backward and (event.offset or 0) >= (landed.before.offset or 0):
            landed.back = None if landed.consumed else event
        else:
            landed.low = event

    def _is_another(self, landed: Landed, event: Event) -> bool:
        """Was it set again: below its target, or between that and where it was, where nobody consumes?"""
        offset, target, before = event.offset or 0, landed.after.offset or 0, landed.before.offset or 0
        return landed.is_backward and (offset < target or (target < offset < before and self._is_alone(landed)))

    def _is_alone(self, landed: Landed) -> bool:
        return not self.members and not any(at >= landed.after.time_from for at in self._changes)

    def _is_jump(self, last: Event, event: Event) -> bool:
        assert last.offset is not None
        assert event.offset is not None
        if event.offset < last.offset:
            return self.direction is not Direction.FORWARD
        gone = max(self._changes, default=0)
        quiet = not self.members and event.time_from - gone >= _ARRIVED + self.interval
        return quiet and event.offset > last.offset and self.direction is not Direction.BACKWARD

    def _is_surely_undone(self, landed: Landed, event: Event) -> bool:
        """A forward reset is undone below its target; any is where the offset moves and nobody consumes."""
        offset, target = event.offset or 0, landed.after.offset or 0
        if not landed.is_backward:
            return offset < target
        return offset > target and self._is_alone(landed)

    def _look_at_count(self, count: Event) -> Iterator[Finding]:
        """An offset that is back: were the messages delivered again, or is it the old offset?"""
        for queue, landed in self.landed.items():
            back = landed.back
            if back is None or landed.fate in _FINAL or queue[:2] != (count.topic, count.broker):
                continue
            came = self.given.came_again(count, landed.after.time_from, back.time_to, landed.missing)
            if came is False:
                yield self._undone(landed, back, ((count, "messages given"),))
            elif came:
                landed.back, landed.consumed = None, True

    def _undone(self, landed: Landed, event: Event, more: tuple[tuple[Event, str], ...]) -> Finding:
        landed.fate, landed.back = Fate.UNDONE, event
        landed.undone_by = self.suspects(landed)
        why = ", and the messages between did not come again" if more else ""
        names = f"; it fits {', '.join(landed.undone_by)}" if landed.undone_by else ""
        return finding_about(
            FindingKind.RESET_OVERRIDDEN,
            Certainty.CERTAIN,
            [*more, (landed.before, "before"), (landed.after, "reset"), (event, "undone")],
            f"the reset from {landed.before.offset} to {landed.after.offset} came undone: {event.offset}{why}{names}",
            before=landed.before.offset or 0,
            target=landed.after.offset or 0,
            back=event.offset or 0,
        )

    def suspects(self, landed: Landed) -> tuple[str, ...]:
        """The stories of the release whose reset is of this direction, and that need what was seen, and no more.

        A group that was down has its own. Stories with a fix count: there it only takes other causes away.
        """
        since = landed.before.time_from
        seen = {*["outage"] * any(at >= since for at in self._outages)}
        seen |= {*["change"] * any(at >= since for at in self._changes)}
        seen |= {*["offline"] * (landed.members == 0)}
        fits = {name: _needs(name) for name in self._stories(is_backward=landed.is_backward)}
        fits = {name: needs for name, needs in fits.items() if needs <= seen and needs & _DOWN == seen & _DOWN}
        most = max(map(len, fits.values()), default=0)
        return tuple(name for name, needs in fits.items() if len(needs) == most)[:_NAMED_MAX]

    def _stories(self, *, is_backward: bool) -> list[str]:
        """The recorded stories of a reset that came undone, those without fixes first."""
        stories = recorded_stories()
        subject, claim = _TOLD_IN.get(self.direction, (DEFAULT, "I5"))
        about = [
            name
            for name, trace in stories.items()
            if trace.subject == subject
            and trace.property.id.partition("-")[0] == claim
            and ("-forward" in trace.property.id) != is_backward
            and _is_told_of(name, self.release)
        ]
        return sorted(about, key=lambda name: len(stories[name].world.fixes))


def _connection(event: Event) -> tuple[str | None, str | None, str]:
    """Whose connection, to which broker, from where: a client that connects anew has two for a while."""
    return event.client, event.broker, (event.detail or "").partition(" ")[0]


def _another(landed: Landed, event: Event) -> Finding:
    return finding_about(
        FindingKind.RESET_OVERRIDDEN,
        Certainty.POSSIBLE,
        [(landed.before, "before"), (landed.after, "reset"), (event, "after")],
        f"the reset from {landed.before.offset} to {landed.after.offset} was followed by {event.offset}: another "
        "reset, or an old commit that came late",
        "broker.log: a line of a reset, or `update consumer offset less than store`",
        before=landed.before.offset or 0,
        target=landed.after.offset or 0,
        back=event.offset or 0,
    )


_NAMED_MAX = 4
_TOLD_IN = {Direction.ONE_QUEUE: ("several-queues", "I29")}
_SEEN_BY: Mapping[str, tuple[str, ...]] = {
    "outage": ("broker_is_killed", "broker_restarts"),
    "change": ("view_changes", "membership_changes", "consumer_starts"),
    "offline": ("administrator_resets_offline",),
}
_DOWN = frozenset({"offline"})
"""What a watch sees beside offsets, and the actions of stories that it is seen by."""


@cache
def _is_told_of(story: str, release: str) -> bool:
    """Can a story's steps be taken in a release, with its fixes?"""
    return trace_happens_in(recorded_stories()[story], release, with_fixes=True)


def _needs(story: str) -> set[str]:
    """What of a story a watch would have seen beside offsets."""
    actions = {action for action, _ in (step.label for step in recorded_stories()[story].steps)}
    return {what for what, names in _SEEN_BY.items() if actions & {*names}}

"""Would a reset be safe now? The cases of the catalogue that HOLD say under which assumptions, and this looks at each.

A way to reset is a case. Its expected verdict in the cluster's releases, what it assumes and what is told to do about
that come from the catalogue; here is only how each assumption is seen in what brokers say. An assumption that nobody
here knows how to see is not met.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from offsetproof.audit.event import SECOND
from offsetproof.audit.live.observer import is_of_5, release_of
from offsetproof.audit.live.polling import Poller
from offsetproof.checking.causes import subject_named
from offsetproof.checking.releases import parse_release
from offsetproof.lang.cases import HOLDS, Expectation
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Assumption, Setting
from offsetproof.model.timers import HOLD_CHECK, ON_ITS_WAY, POLL_HOLD
from offsetproof.verdict.phrases import first_few

ARRIVED = ON_ITS_WAY.seconds
ENDED = POLL_HOLD.seconds + HOLD_CHECK.seconds + ON_ITS_WAY.seconds
"""After so many seconds nothing is on its way of what a client sent, and no pull of its is held or on its way."""
AT_CLIENTS = "-client-reset"
"""How the model calls a 5.x whose broker resets by telling its clients."""


class Direction(StrEnum):
    """What an administrator is about to do: set offsets back, or forward, or set one queue's (updateConsumeOffset)."""

    BACKWARD = "backward"
    FORWARD = "forward"
    ONE_QUEUE = "one-queue"


@dataclass(frozen=True)
class Way:
    """A case that says of a reset of this direction that it stays."""

    direction: Direction
    subject: str
    case: str


WAYS = (
    Way(Direction.BACKWARD, "rocketmq", "I5-while-down"),
    Way(Direction.BACKWARD, "rocketmq", "I5-offline-quiet"),
    Way(Direction.FORWARD, "rocketmq", "I5-forward-while-down"),
    Way(Direction.ONE_QUEUE, "several-queues", "I29-stopped"),
)
"""The ways that are asked, whatever the release: a case that says nothing of one is no way there."""


class Met(StrEnum):
    """Is a condition met? YOURS: nobody can see it from here; it is the administrator's to see to."""

    YES = "yes"
    NO = "no"
    YOURS = "yours"


@dataclass(frozen=True)
class Condition:
    """What the case rests on, what was seen of it, and what to do or to wait for where it is not met."""

    name: str
    about: str
    met: Met
    seen: str
    todo: str = ""


@dataclass(frozen=True)
class Safety:
    """Whether a reset would be safe now: the case that holds, and its conditions. Without a case none says so."""

    direction: Direction
    release: str
    way: Way | None
    conditions: tuple[Condition, ...]
    why_not: str = ""

    @property
    def is_safe(self) -> bool:
        """Does a case hold, and is each condition met, as far as that can be seen?"""
        return self.way is not None and all(each.met is not Met.NO for each in self.conditions)


def safety(poller: Poller, direction: Direction, tool: str, now: int, since: int) -> Safety:
    """Looks at what the poller was told last; `tool` is the release of the tool that will reset, `since` when the
    watch began, `now` the time, both in microseconds since 1970."""
    release = model_release(poller)
    world = [*_world(poller, release, tool)]
    for way in WAYS:
        if way.direction is direction and verdict_of(way, release) is HOLDS:
            prop = subject_named(way.subject).find(way.case)
            quiet = Quiet.of(poller, now, since)
            seen = [_condition_of(each, quiet) for each in prop.assumptions]
            return Safety(direction, release, way, (*world, *seen))
    why = f"no case of the catalogue says of {release or 'these releases'} that a {direction} reset stays"
    return Safety(direction, release, None, tuple(world), why)


def verdict_of(way: Way, release: str) -> Expectation | None:
    """What the catalogue expects of the case in all its scopes, in a release as users write it."""
    subject = subject_named(way.subject)
    prop = subject.find(way.case)
    try:
        roles = parse_release(release, subject)
        settings = [Setting(subject.scope(scope), roles) for scope in prop.scopes]
    except (UnknownNameError, DeclarationError):
        return None
    verdicts = {prop.case.expected_in(setting) for setting in settings}
    return verdicts.pop() if len(verdicts) == 1 else None


def model_release(poller: Poller) -> str:
    """The release of the cluster as the model calls it: that of the brokers, and of the clients where it differs.

    Of a group that is down its last clients count. Empty where brokers differ, or none has answered.
    """
    brokers = {
        each.release + ("" if each.resets_at_broker or not is_of_5(each.release) else AT_CLIENTS)
        for each in poller.brokers.values()
        if each.release
    }
    there = {each.version for each in poller.clients.values()}
    clients = {
        release_of(each) for each in there or {each for broker in poller.brokers.values() for each in broker.versions}
    }
    if len(brokers) != 1 or len(clients) > 1:
        return ""
    (broker,) = brokers
    client = clients.pop() if clients else broker.removesuffix(AT_CLIENTS)
    return broker if client == broker.removesuffix(AT_CLIENTS) else f"broker={broker},client={client}"


@dataclass(frozen=True)
class Quiet:
    """Who is a member now; if nobody is, for how many seconds that has been seen.

    `moves`: an offset has moved since nobody was seen, so somebody commits; the seconds count from then. `hung`: who
    has left after not answering: the broker forgets a process that is stopped, and it commits when it goes on.
    """

    clients: tuple[str, ...]
    seconds: float
    silent: tuple[str, ...]
    moves: bool
    hung: tuple[str, ...]

    @classmethod
    def of(cls, poller: Poller, now: int, since: int) -> Quiet:
        """What all brokers say together."""
        began = max([since, poller.moved_alone, *(each.members_since for each in poller.brokers.values())])
        silent = (*(["the name server"] if poller.name_server_silent else []), *poller.silent)
        clients = tuple(sorted(poller.clients))
        seconds = 0.0 if clients or silent else (now - began) / SECOND
        return cls(clients, seconds, silent, began == poller.moved_alone, tuple(sorted(poller.left_hanging)))

    def for_seconds(self, needed: float) -> tuple[Met, str, str]:
        """Has nobody been a member for so long: what was seen of it, and what to do."""
        if self.silent:
            todo = "wait until all brokers and the name server answer"
            return Met.NO, f"{' and '.join(self.silent)}: no answer", todo
        if self.clients:
            return Met.NO, f"{len(self.clients)} running: {first_few(self.clients)}", "stop all consumers of the group"
        if self.hung:
            return Met.NO, f"{first_few(self.hung)} did not answer, and left", "end what hangs, and watch anew"
        seen = (
            f"nobody, but an offset moved {self.seconds:.0f} s ago"
            if self.moves
            else f"nobody for {self.seconds:.0f} s"
        )
        return (Met.YES, seen, "") if self.seconds >= needed else (Met.NO, seen, f"wait until it is {needed:g} s")


SEEN: Mapping[str, Callable[[Quiet], tuple[Met, str, str]]] = {
    "reset-while-down": lambda quiet: quiet.for_seconds(ENDED),
    "commits-timely": lambda quiet: quiet.for_seconds(ARRIVED),
    "last-pulls-timely": lambda quiet: quiet.for_seconds(ENDED),
    "group-stopped": lambda quiet: quiet.for_seconds(ENDED),
    "group-stays-down": lambda quiet: (Met.YOURS, "", "start none before the tool has its answer"),
}
"""How an assumption is seen, by its name in the catalogue."""


def _condition_of(each: Assumption, quiet: Quiet) -> Condition:
    look = SEEN.get(each.name)
    if look is None:
        return Condition(each.name, each.about, Met.NO, "cannot be seen", each.today)
    met, seen, todo = look(quiet)
    return Condition(each.name, each.about, met, seen, todo)


def _world(poller: Poller, release: str, tool: str) -> Iterator[Condition]:
    """What the world of every case has: releases that are modelled, and go together; clustering; an offset to move."""
    brokers = {each.name: each.release or "?" for each in poller.brokers.values()}
    releases = first_few(f"{name} {each}" for name, each in sorted(brokers.items()))
    known = Met.YES if release else Met.NO
    yield Condition("one-release", "all brokers, and all clients, are of one release", known, releases)
    goes = all(is_of_5(tool) == is_of_5(each) for each in brokers.values())
    yield Condition(
        "tool-of-the-line",
        "the tool that resets is of the line of the brokers, 4.9 or 5.x",
        Met.YES if goes else Met.NO,
        f"the tool is taken to be of {tool}",
        "" if goes else "use the tools that came with the brokers",
    )
    models = {each.model for each in poller.brokers.values() if each.model}
    met = Met.NO if models - {"CLUSTERING"} else Met.YES if models and poller.clients else Met.YOURS
    yield Condition("clustering", "the group's offsets are at the broker", met, first_few(sorted(models)))
    yield _offsets_of_all(poller, brokers)


def _offsets_of_all(poller: Poller, brokers: Mapping[str, str]) -> Condition:
    """Has each queue an offset, where that is needed?"""
    old = {name for name, release in brokers.items() if not is_of_5(release)}
    met, seen, todo = _offsets_there(poller, old)
    about = "a broker of 4.9 refuses a reset where one queue has none (Broker2Client.resetOffset)"
    return Condition("every-queue-has-an-offset", about, met, seen, todo)


def _offsets_there(poller: Poller, old: Collection[str]) -> tuple[Met, str, str]:
    """What was seen of the queues' offsets, and what to do. To the `old` brokers, those of 4.9, a 0 may be none."""
    rows = {(f"{topic} {name}:{queue}", name): row.offset for (topic, name, queue), row in poller.rows.items()}
    absent = [queue for (queue, _), offset in rows.items() if offset is None]
    zeros = [queue for (queue, name), offset in rows.items() if offset == 0 and name in old]
    todo = "let the group consume from each queue first, or write the offset of each (updateConsumeOffset)"
    if len(absent) == len(rows):
        return Met.NO, "the group has none", "name a topic of which the group has an offset"
    if absent:
        seen = f"without: {first_few(absent)}"
        return (Met.NO, seen, todo) if old else (Met.YES, seen, "")
    if zeros:
        return Met.YOURS, f"0, which may be none: {first_few(zeros)}", todo
    return Met.YES, f"{len(rows)} queues have one", ""

"""A group on brokers that are played: rows, members and counts as a script sets them, and a clock that is set."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.live.conditions import Direction
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import NO_ANSWER, AnswerError, Clock, Member, Members, Observer, StoredOffset
from offsetproof.audit.live.report import Report, watch_json
from offsetproof.audit.live.watching import Wanted, Watch

START, SECOND = 1_764_300_000_000_000, 1_000_000
GROUP, TOPIC, BROKER, ADDRESS = "shop", "orders", "broker-a", "10.0.0.1:10911"
NEW_BROKER, NEW_ADDRESS = "broker-b", "10.0.0.1:10912"
"""A broker that has the topic, and that no consumer of the group has been at."""
A, B = "10.0.0.2@1", "10.0.0.3@2"


@dataclass
class PlayedClock(Clock):
    """A clock that only `sleep` moves; what is due is done on the way."""

    time: int = START
    due: list[tuple[float, Callable[[], None]]] = field(default_factory=list)

    def now(self) -> int:
        return self.time

    def sleep(self, seconds: float) -> None:
        until = self.time + round(seconds * SECOND)
        while self.due and self.due[0][0] <= (until - START) / SECOND:
            at, act = self.due.pop(0)
            self.time = START + round(at * SECOND)
            act()
        self.time = until


@dataclass
class PlayedGroup:
    """What a broker has of the group: the offset and end of each queue, its members, and what it gave, with times."""

    clock: PlayedClock
    release: str = "5.3.3"
    at_broker: bool = True
    is_spread: bool = False
    hangs: bool = False
    silent: bool = False
    name_server_silent: bool = False
    addresses: Mapping[int, str] = field(default_factory=lambda: {0: ADDRESS})
    rows: dict[int, tuple[int, int]] = field(default_factory=lambda: {0: (100, 100), 1: (100, 100)})
    absent: set[int] = field(default_factory=set)
    members_: dict[str, str] = field(default_factory=lambda: {A: "10.0.0.2:4000"})
    also: tuple[Member, ...] = ()
    model: str = "CLUSTERING"
    expression: str = "*"
    cells_: dict[str, dict[int, int]] = field(default_factory=dict)
    gives: list[tuple[int, int]] = field(default_factory=lambda: [(START - 100 * SECOND, 200)])
    version_: str = "V5_3_3"
    requests: int = 0

    def give(self, count: int) -> None:
        """A pull was answered with so many messages."""
        self.gives.append((self.clock.time, count))

    def _ask(self) -> None:
        self.requests += 1
        if self.silent:
            raise AnswerError(NO_ANSWER, f"connect to {ADDRESS} failed")

    def brokers(self, topic: str) -> Mapping[str, Mapping[int, str]]:
        self.requests += 1
        if self.name_server_silent:
            raise AnswerError(NO_ANSWER, "connect to name-server:9876 failed")
        if topic not in (TOPIC, f"%RETRY%{GROUP}"):
            raise AnswerError(17, f"No topic route info in name server for the topic: {topic}")
        return {BROKER: self.addresses, **({NEW_BROKER: {0: NEW_ADDRESS}} if self.is_spread and topic == TOPIC else {})}

    def version(self, _address: str) -> str:
        self._ask()
        return self.release

    def resets_at_broker(self, _address: str) -> bool:
        self._ask()
        return self.at_broker

    def offsets(self, address: str, _group: str, topic: str | None) -> list[StoredOffset]:
        self._ask()
        if address == NEW_ADDRESS:
            return [StoredOffset(TOPIC, 0, 0, 20)] if topic else []
        if topic is None and self.rows.keys() <= self.absent:
            return []  # a broker tells of the topics that it has an offset of
        return [StoredOffset(TOPIC, queue, offset, end) for queue, (offset, end) in self.rows.items()]

    def members(self, _address: str, _group: str) -> Members:
        self._ask()
        there = tuple(Member(client, address, "JAVA", self.version_) for client, address in self.members_.items())
        return Members(there + self.also, self.model, {TOPIC: self.expression}) if there else Members()

    def cells(self, _address: str, _group: str, _topic: str) -> dict[str, dict[tuple[str, int], int]]:
        self._ask()
        if self.hangs:
            raise AnswerError(NO_ANSWER, "timeout")
        return {client: {(BROKER, queue): at for queue, at in cells.items()} for client, cells in self.cells_.items()}

    def has_row(self, _address: str, _group: str, _topic: str, queue: int) -> bool:
        self._ask()
        return queue not in self.absent

    def messages_given(self, _address: str, _group: str, _topic: str) -> int:
        """The difference of two looks, one every ten seconds, as BrokerStatsManager tells it."""
        self._ask()
        last = self.clock.time - self.clock.time % (10 * SECOND)
        return sum(count for at, count in self.gives if last - 60 * SECOND < at <= last)


@dataclass
class Heard:
    """What was said, with the seconds since the start."""

    clock: PlayedClock
    findings: list[tuple[float, Finding]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)

    def finding(self, finding: Finding) -> None:
        self.findings.append(((self.clock.time - START) / SECOND, finding))

    def note(self, text: str) -> None:
        self.notes.append(text)

    def status(self, text: str) -> None:
        self.statuses.append(text)


@dataclass
class Played:
    """A group with its clock, and the watch of it."""

    clock: PlayedClock
    group: PlayedGroup
    heard: Heard
    watch: Watch

    def at(self, seconds: float, act: Callable[[], None]) -> None:
        """Has something done so many seconds after the start; in the order of times."""
        self.clock.due.append((seconds, act))

    def change(self, seconds: float, rows: Mapping[int, tuple[int, int]] | None = None, **state: Any) -> None:
        """Has these rows, and what else is named, be so from then on."""

        def act() -> None:
            self.group.rows.update(rows or {})
            for name, value in state.items():
                setattr(self.group, name, value)

        self.at(seconds, act)

    @property
    def kinds(self) -> list[tuple[str, str]]:
        """The findings by kind and certainty, as they stand in the end."""
        return [(str(each.kind), str(each.certainty)) for each in self.watch.findings]


def watch_of(
    seconds: float,
    *,
    before_reset: Direction | None = None,
    interval: float = 1.0,
    journal: Journal | None = None,
    topic: str | None = None,
    **state: Any,
) -> Played:
    """A watch of so many seconds, not run yet."""
    clock = PlayedClock()
    group, heard = PlayedGroup(clock, **state), Heard(clock)
    wanted = Wanted("name-server:9876", GROUP, topic, seconds, interval, before_reset, state.get("release", "5.3.3"))
    observer = cast(Observer, group)
    return Played(clock, group, heard, Watch(observer, journal or Journal(None, START), wanted, heard, clock))


def stopping(seconds: float, **state: Any) -> Played:
    """A watch before a reset backward; all clients stop after 5.5 s."""
    group = watch_of(seconds, before_reset=Direction.BACKWARD, **state)
    group.at(5.5, group.group.members_.clear)
    return group


def watches_json() -> list[str]:
    """Documents of a reset that would be safe, one that came undone, and of a group that two clients share."""
    safe = watch_of(40.0, before_reset=Direction.BACKWARD, members_={})
    undone = watch_of(120.0, before_reset=Direction.BACKWARD)
    undone.change(30.5, rows={0: (10, 100)})
    undone.change(31.5, rows={0: (100, 100)})
    shared = watch_of(40.0, also=(Member(A, "10.0.0.9:5000", "JAVA", "V5_3_3"),))
    documents = []
    for each in (safe, undone, shared):
        each.watch.run()
        documents.append(watch_json(Report(each.watch)))
    return documents

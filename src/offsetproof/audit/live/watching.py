"""The watch itself: poll after poll, and what is found in them, until it is over."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Protocol

from offsetproof.audit.event import SECOND, Event, EventKind
from offsetproof.audit.gold.finding import Certainty, Finding, FindingKind
from offsetproof.audit.live.conditions import Direction, Met, Safety, model_release, safety
from offsetproof.audit.live.counting import Given
from offsetproof.audit.live.following import Fate, Following, Landed
from offsetproof.audit.live.journal import Journal
from offsetproof.audit.live.observer import CLOCK, Clock, Observer
from offsetproof.audit.live.owners import SameId, TwoOwners
from offsetproof.audit.live.polling import Poller
from offsetproof.audit.live.series import BeyondEnd, Falls, Pinned, QueueKey, RowsLost, Rule
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.prerequisite import NotStartedError

_CELLS_SECONDS = 5.0
_EVENTS_KEPT = 50_000
_FLUSH_EVERY = 10 * SECOND


@dataclass(frozen=True)
class Wanted:
    """What to watch: a group, one topic of it or all, for how many seconds (None: until it is ended), how often.

    `before_reset` is what the administrator is about to do, None where nothing; `tool` the release of the tool for it.
    """

    name_server: str
    group: str
    topic: str | None = None
    seconds: float | None = None
    interval: float = 2.0
    before_reset: Direction | None = None
    tool: str = ""


class Said(Protocol):
    """Who hears of what happens."""

    def finding(self, finding: Finding) -> None:
        """A finding, as it appears."""

    def note(self, text: str) -> None:
        """What is no finding: a broker that is silent, a reset that would be safe now."""

    def status(self, text: str) -> None:
        """How it stands."""


class Watch:
    """One watch. What it has found so far can be read at any time, also after an interrupt."""

    def __init__(self, observer: Observer, journal: Journal, wanted: Wanted, said: Said, clock: Clock = CLOCK) -> None:
        self.wanted, self.said, self._clock = wanted, said, clock
        self.tool = wanted.tool or observer.release
        self.release = observer.release
        cells_every = max(1, round(_CELLS_SECONDS / wanted.interval))
        self.poller = Poller(observer, journal, wanted.group, wanted.topic, cells_every, clock)
        self.started = self.ended = clock.now()
        self.findings: list[Finding] = []
        self.events: deque[Event] = deque(maxlen=_EVENTS_KEPT)
        self.safety: Safety | None = None
        self.following: Following | None = None
        self.longest_poll = 0.0
        self._fates: dict[QueueKey, Fate] = {}
        self._name_server_silent = False
        self._silent: set[str | None] = set()
        self._journal = journal
        self._flushed = self.started
        self._rules: list[Rule] = [RowsLost(), BeyondEnd(), Pinned(), SameId(), TwoOwners()]
        if wanted.before_reset is None:
            self._rules.append(Falls(Given(round(wanted.interval * SECOND))))

    def run(self) -> None:
        """Polls until the time is over, or the reset's fate is known. NotStartedError where nothing is there."""
        step = round(self.wanted.interval * SECOND)
        until = None if self.wanted.seconds is None else self.started + round(self.wanted.seconds * SECOND)
        while True:
            began = self._clock.now()
            self._poll()
            self.longest_poll = max(self.longest_poll, (self.ended - began) / SECOND)
            self._keep()
            if self.following is not None and self.following.is_over:
                return
            following = max(began + step, self.ended)
            if until is not None and following >= until:
                return
            self._clock.sleep((following - self.ended) / SECOND)

    @property
    def requests_per_second(self) -> float:
        """Over the whole time, the first poll's included, which asks more."""
        return self.poller.requests / max((self.ended - self.started) / SECOND, self.wanted.interval)

    def _poll(self) -> None:
        for event in self.poller.poll():
            self.events.append(event)
            self._tell(event)
            for rule in self._rules:
                for finding in rule.look(event):
                    self._keep_finding(finding)
                    self.said.finding(finding)
        self.ended = self._clock.now()
        self._require_group()
        self._tell_of_name_server()
        if self.wanted.before_reset is not None:
            self._look_before_reset(self.wanted.before_reset)
        self.said.status(self._status())

    def _require_group(self) -> None:
        """NotStartedError where nobody knows the group, or its topic: a name that is misspelled is always well."""
        poller, wanted = self.poller, self.wanted
        if not poller.brokers or not poller.knows_group:
            raise NotStartedError(
                f"no broker of the group {wanted.group} is known; asked {wanted.name_server} for the route "
                f"of {poller.why_nothing}"
            )
        if wanted.topic is not None and poller.polls == 1 and not poller.rows and not poller.silent:
            raise NotStartedError(
                f"no broker tells of a queue of the topic {wanted.topic} for the group {wanted.group}"
            )

    def _tell_of_name_server(self) -> None:
        before, self._name_server_silent = self._name_server_silent, bool(self.poller.name_server_silent)
        if self._name_server_silent and not before:
            self.said.note(f"the name server does not answer ({self.poller.name_server_silent}); it is asked on")
        elif before and not self._name_server_silent:
            self.said.note("the name server answers again")

    def _keep_finding(self, finding: Finding) -> None:
        """Keeps a finding, in place of the possible one that it makes certain."""

        def is_its_beginning(other: Finding) -> bool:
            if _about(other) != _about(finding) or other.certainty is not Certainty.POSSIBLE:
                return False
            if finding.kind is FindingKind.COMMIT_REGRESSION:
                return {*other.evidence} <= {*finding.evidence}
            return other.time_to >= finding.time_from and finding.certainty is Certainty.CERTAIN

        self.findings = [*(each for each in self.findings if not is_its_beginning(each)), finding]

    def _tell(self, event: Event) -> None:
        if event.kind is EventKind.BROKER_SILENT:
            self._silent.add(event.broker)
            self.said.note(f"broker {event.broker} does not answer ({event.detail}); it is asked on")
        elif event.kind is EventKind.BROKER_ANSWERS and self.poller.polls > 1:
            again = "answers again" if event.broker in self._silent else "is asked as well"
            self.said.note(f"broker {event.broker} {again} ({event.detail})")

    def _look_before_reset(self, direction: Direction) -> None:
        if self.following is None:
            self.following = Following(direction, model_release(self.poller), round(self.wanted.interval * SECOND))
            self._rules.append(self.following)
            for event in self.events:
                for finding in self.following.look(event):
                    self._keep_finding(finding)
        self.following.settle(self._clock.now())
        if self.following.landed:
            self._tell_fates(self.following)
            return
        before, now = self.safety, safety(self.poller, direction, self.tool, self._clock.now(), self.started)
        self.safety = now
        self.following.release = now.release or self.following.release
        if before is None or (before.is_safe, _todo(before)) != (now.is_safe, _todo(now)):
            self.said.note(summary_of(now))

    def _tell_fates(self, following: Following) -> None:
        for queue, each in following.landed.items():
            if self._fates.get(queue) is not each.fate:
                self._fates[queue] = each.fate
                self.said.note(f"reset {fate_of(each)}")

    def _status(self) -> str:
        behind = sum(row.end - (row.offset or 0) for row in self.poller.rows.values())
        silent = [quantity(len(self.poller.silent), "broker")] if self.poller.silent else []
        silent += ["name server"] if self.poller.name_server_silent else []
        parts = [
            f"poll {self.poller.polls}",
            *(f"{each} silent" for each in silent),
            quantity(len(self.poller.clients), "client"),
            quantity(len(self.poller.rows), "queue"),
            f"{behind:,} behind",
            f"{self.requests_per_second:.1f} requests/s",
            quantity(len(self.findings), "finding"),
        ]
        return ", ".join(parts)

    def _keep(self) -> None:
        if self.ended - self._flushed >= _FLUSH_EVERY:
            self._flushed = self.ended
            self._journal.flush()


def _about(finding: Finding) -> tuple[object, ...]:
    return finding.kind, finding.topic, finding.broker, finding.queue


def brokers_release(observer: Observer, wanted: Wanted) -> str:
    """The release of the first broker that answers; empty where none does."""
    poller = Poller(observer, Journal(None, 0), wanted.group, wanted.topic, 1)
    return next((event.detail.partition(" ")[0] for event in poller.first_answers() if event.detail), "")


def _todo(safe: Safety) -> tuple[str, ...]:
    return tuple(each.todo for each in safe.conditions if each.met is Met.NO)


def summary_of(safe: Safety) -> str:
    """In one line: safe by which case, or what to do first."""
    if safe.way is None:
        return f"not safe: {safe.why_not}"
    if safe.is_safe:
        return f"a {safe.direction} reset is safe now ({safe.way.case} holds in {safe.release})"
    todo = dict.fromkeys(each.todo or each.about for each in safe.conditions if each.met is Met.NO)
    return f"a {safe.direction} reset is not safe: {'; '.join(todo)}"


def fate_of(landed: Landed) -> str:
    """In one line: which queue, from where to where, and what became of it."""
    before, after = landed.before, landed.after
    where = f"{after.topic} {after.broker}:{after.queue}"
    return f"of {where} from {before.offset} to {after.offset}: {landed.fate}"

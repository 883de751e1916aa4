"""Searches for a story that is not recorded: one that breaks the claim and leaves the lines around a finding.

In each scope of each case that is refuted in the release the system may only do what the lines allow. A violation that
is found is followed by the model's own Python, as any other; where all scopes were searched to their ends and there is
none, no modelled cause leaves these lines within these bounds; where a limit was met, that is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explain.causes import cases_refuted, is_own_claim
from offsetproof.audit.explain.explaining import Explanation, ExplanationOutcome, Told, subjects_at_home
from offsetproof.audit.explain.following import (
    READINGS_MAX,
    Line,
    Reading,
    Sequenced,
    TooManyReadingsError,
    follow,
    kinds_written,
    readings,
)
from offsetproof.audit.explain.matching import ORDINARY, Client, Place, Scene, is_first_pull, place_of
from offsetproof.audit.explain.observables import (
    BROKER_KINDS,
    LATE,
    NOT_WRITTEN,
    SHOWN,
    SHOWN_KINDS,
    observables_in,
    said_better,
)
from offsetproof.audit.gold.finding import Finding
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import cause_of_trace, scopes_refuted, setting_named
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.explicit.shortest_trace import Tracing
from offsetproof.engines.preparing import StagedModels, reduce_system
from offsetproof.ir.faults import fault_budget, initial_with_cap, with_fault_cap
from offsetproof.ir.system import System
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.scope import Scope
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import outline_of
from offsetproof.traces.recorded_stories import recorded_name
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.limits import Deadline, Limits
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question

LINES_MAX = 20
"""How many lines are given to a search; more are more than any scope has steps for."""

LAST_STEPS = 4
"""How many steps a found run is told by."""

DETAILED = frozenset(shown.kinds[0] for each in SHOWN.values() for shown in each if shown.detail)
"""Kinds whose detail says which step left the line."""


@dataclass(frozen=True)
class Bounds:
    """What a search may spend: states and seconds in each scope, scopes for a finding, and findings of other shapes."""

    states: int = 250_000
    seconds: float = 20.0
    scopes: int = 16
    findings: int = 8


@dataclass
class Searching:
    """The searches of a run. `found` are the traces that they found, by the names under which they are told.

    Findings with the same lines around them, but for their offsets and the names of clients, are searched for once.
    """

    bounds: Bounds = Bounds()
    found: dict[str, Trace] = field(default_factory=dict)
    _models: StagedModels = field(default_factory=StagedModels)
    _known: dict[object, tuple[Explanation, tuple[Event, ...]]] = field(default_factory=dict)

    def __call__(self, finding: Finding, scene: Scene, release: str) -> Explanation:
        """The explanation that a search finds."""
        lines, events = lines_of(scene)
        worlds = [*_worlds(finding, scene.events, release)]
        if not worlds:
            detail = f"no case about it is refuted in {release}"
            return Explanation(ExplanationOutcome.NOT_EXPLAINED, release, detail=detail)
        if not lines:
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail="the search was given no lines of it")
        key = (finding.kind, release, lines, scene.seen, free_before(scene, events))
        if key in self._known:
            return _at_other_places(*self._known[key], events)
        if len(lines) > LINES_MAX:
            detail = f"{len(lines)} lines are more than a search takes ({LINES_MAX})"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        if len(self._known) >= self.bounds.findings:
            detail = f"it was not searched: a run searches for {self.bounds.findings} findings, and others came first"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        given = Given(lines, events, scene.seen, free_before(scene, events))
        self._known[key] = (self._in_worlds(worlds, given, release), events)
        return self._known[key][0]

    def _in_worlds(self, worlds: Sequence[_World], given: Given, release: str) -> Explanation:
        open_: list[str] = []
        searched = 0
        for number, world in enumerate(worlds):
            shown = given.in_subject(world.subject.name)
            if searched >= self.bounds.scopes:
                open_.append(f"{len(worlds) - number} more scopes were not searched")
                break
            try:
                prepared = self._prepare(world, shown.lines, release)
            except TooManyReadingsError:
                open_.append(f"{world.prop.id} in {world.scope}: more than {READINGS_MAX} ways to read the offsets")
                continue
            if prepared is None:
                continue
            searched += 1
            found = self._in_world(prepared, shown)
            if isinstance(found, Replay):
                return self._explanation_of(found, world, shown.lines, shown.events, release)
            if found is not None:
                open_.append(f"{world.prop.id} in {world.scope}: {found}")
        if open_:
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail="; ".join(open_))
        if not searched:
            detail = f"none was searched, as no scope of {release} has all of these lines"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        detail = f"no run of {release} in {quantity(searched, 'scope')}, searched whole, leaves these lines"
        return Explanation(ExplanationOutcome.NOT_EXPLAINED, release, detail=detail)

    def _prepare(self, world: _World, lines: Sequence[Line], release: str) -> _Prepared | None:
        """The world's system and how the lines can be read there; None where it can never leave them.

        TooManyReadingsError where it may, and there are more ways to read them than are tried.
        """
        subject, prop = world.subject, world.prop
        setting = setting_named(subject, release, world.scope)
        listener = prop.listener or (subject.model.listeners[0] if subject.model.listeners else None)
        scope = setting.scope.fitted(subject.model.bounds)
        setting = replace(setting, assumptions=prop.assumptions, listener=listener, scope=scope)
        question = Question(subject.model, setting, prop, (), Limits(self.bounds.states, None, self.bounds.seconds))
        reading: Reading | TooManyReadingsError | None
        try:
            reading = readings(lines, *_sizes(scope))
        except TooManyReadingsError as error:
            reading = error
        if reading is None:
            return None
        staged = self._models.of(question)
        system = staged.system((prop,))
        if not {line.kind for line in lines} <= kinds_written(system):
            return None
        if isinstance(reading, TooManyReadingsError):
            raise reading
        return _Prepared(question, staged, system, reading)

    def _in_world(self, prepared: _Prepared, given: Given) -> Replay | str | None:
        """The replay that leaves the most lines before the claim breaks; None where none leaves enough of them.

        What comes behind the break is the log's own: the lines need not all be left by then. A limit that is met is
        said.
        """
        enough = _ends(given.lines)
        best: Replay | None = None
        low, high = 0, len(enough) - 1
        while low <= high:
            middle = (low + high + 1) // 2 if best else high
            sequence = Sequenced(given.lines, prepared.reading, given.visible, given.free, enough[middle])
            found = _search(prepared, sequence)
            if isinstance(found, str):
                return best or found
            if found is None:
                high = middle - 1
            else:
                best, low = found, middle + 1
        return best

    def _explanation_of(
        self, replay: Replay, world: _World, lines: Sequence[Line], events: Sequence[Event], release: str
    ) -> Explanation:
        staged = self._models.of(Question(world.subject.model, replay.reference.setting, world.prop))
        trace = trace_of(replay, subject=world.subject.name, staged=staged)
        name = recorded_name(trace) or f"found-{len(self.found) + 1}-{world.prop.id}"
        self.found[name] = trace
        cause = replace(cause_of_trace(name, trace, release), sentence=_end_in_words(replay, staged))
        places = tuple((step, place_of(event)) for step, event in _lines_heard(trace, lines, events))
        story = Told(cause, len(places), len(lines), places, searched=True)
        is_telling = sum(event.kind not in ORDINARY for _, event in _lines_heard(trace, lines, events)) > 1
        outcome = ExplanationOutcome.EXPLAINED if is_telling else ExplanationOutcome.CONSISTENT
        return Explanation(outcome, release, (story,))


@dataclass(frozen=True)
class Given:
    """What a search takes as given: lines with their events, the kinds that the logs show, those that stand before."""

    lines: tuple[Line, ...]
    events: tuple[Event, ...]
    visible: frozenset[EventKind]
    free: frozenset[EventKind]

    def in_subject(self, subject: str) -> Given:
        """Without the kinds that a subject's steps do not leave: where its consumers do, that says nothing."""
        unwritten = NOT_WRITTEN.get(subject, frozenset())
        kept = [each for each in zip(self.lines, self.events, strict=True) if each[0].kind not in unwritten]
        return Given(
            tuple(line for line, _ in kept),
            tuple(event for _, event in kept),
            self.visible - unwritten,
            self.free,
        )


def free_before(scene: Scene, events: Sequence[Event]) -> frozenset[EventKind]:
    """The kinds of lines that a story may leave before the first of these: those with which consuming begins and goes
    on, and those that do stand before it."""
    begin = min((each.time_from for each in events), default=0)
    return ORDINARY | {event.kind for event in scene.events if event.time_from < begin}


def _at_other_places(explanation: Explanation, then: Sequence[Event], events: Sequence[Event]) -> Explanation:
    """An explanation of the same lines at other places."""
    place = {place_of(old): place_of(new) for old, new in zip(then, events, strict=True)}
    stories = tuple(
        replace(each, lines=tuple((step, place.get(at, at)) for step, at in each.lines)) for each in explanation.stories
    )
    return replace(explanation, stories=stories)


@dataclass(frozen=True)
class _World:
    """A case in one of its scopes."""

    subject: Subject
    prop: Property
    scope: str


@dataclass(frozen=True)
class _Prepared:
    """A world that can leave the lines: its question, its system, and how lines are read there."""

    question: Question
    staged: Staged
    system: System
    reading: Reading


def _worlds(finding: Finding, events: Sequence[Event], release: str) -> Iterator[_World]:
    """Where to search: the cases of the finding's own claim first, small scopes first."""
    order = [*SINGLES]
    found = [
        _World(subject, prop, scope)
        for subject, prop in cases_refuted(finding.kind, release, subjects_at_home(finding, events))
        if prop.kind is not ClaimKind.SOMETIMES and not prop.kind.is_about_runs
        for scope in scopes_refuted(subject, prop, release)
    ]

    def key(each: _World) -> tuple[bool, int, int]:
        own = is_own_claim(finding.kind, each.prop.id)
        return not own, order.index(each.subject.name), _size(each.subject.scope(each.scope))

    return iter(sorted(found, key=key))


def _size(scope: Scope) -> int:
    return sum(scope.bounds.values()) + 2 * sum(scope.faults.values())


def _sizes(scope: Scope) -> tuple[int, int]:
    """Consumers and the highest offset of a scope."""
    consumers = scope.bounds.get("consumers", scope.bounds.get("clients", 1))
    return consumers, scope.bounds.get("messages", 1)


def lines_of(scene: Scene) -> tuple[tuple[Line, ...], tuple[Event, ...]]:
    """The lines that a story must leave, and their events: all from the first to the last of the finding's own.

    Of commits that a client sends one after the other, with nothing between them, the last stands for all.
    """
    decisive = [event for event in scene.events if place_of(event) in scene.decisive]
    if not decisive:
        return (), ()
    first, last = min(each.time_from for each in decisive), max(each.time_to for each in decisive)
    kept = SHOWN_KINDS - LATE - said_better({event.kind for event in scene.events})
    within = [event for event in scene.events if place_of(event) in scene.decisive or first <= event.time_from < last]
    among = [event for event in within if event.kind in kept and not is_first_pull(event)]
    events: list[Event] = []
    standing: set[Place] = set()
    for event in among:
        if events and _goes_on(events[-1], event, scene):
            standing.discard(place_of(events.pop()))
            standing.add(place_of(event))
        events.append(event)
    return tuple(_lines(events, standing, scene)), tuple(events)


def _goes_on(before: Event, event: Event, scene: Scene) -> bool:
    """Does a client send a commit again, of the same offset or a later one? Is a reset sent to one client more?"""
    if before.kind is event.kind is EventKind.RESET_SENT:
        return True
    is_sent = before.kind is event.kind is EventKind.COMMIT_SENT
    is_same = scene.clients[place_of(before)] == scene.clients[place_of(event)]
    return is_sent and is_same and (before.offset or 0) <= (event.offset or 0)


def _lines(events: Sequence[Event], standing: Collection[Place], scene: Scene) -> Iterator[Line]:
    clients: dict[Client, int] = {}
    offsets = sorted({event.offset for event in events if event.offset is not None})
    for event in events:
        client = scene.clients[place_of(event)] if event.kind not in BROKER_KINDS else None
        number = None if client is None else clients.setdefault(client, len(clients))
        offset = None if event.offset is None else offsets.index(event.offset)
        detail = event.detail if event.kind in DETAILED else None
        yield Line(event.kind, number, offset, detail, place_of(event) in standing)


def _ends(lines: Sequence[Line]) -> list[int]:
    """How many lines a story may have left when the claim breaks, ascending: up to and with a telling one, or all.

    Without a telling line it is all but the last, at least.
    """
    telling = [number for number, line in enumerate(lines, 1) if line.kind not in ORDINARY]
    return sorted({*telling, len(lines)}) if telling else sorted({max(1, len(lines) - 1), len(lines)})


def _search(prepared: _Prepared, given: Sequenced) -> Replay | str | None:
    """The replay of a run that leaves the lines, with the fewest faults; None where there is none, or the limit met."""
    question = prepared.question
    system, _ = reduce_system(follow(prepared.system, prepared.staged.leaves, given), question)
    program = Program.of(with_fault_cap(system), [question.prop.kind])
    budget = fault_budget(system)
    for cap in range(budget + 1):
        initial = initial_with_cap(program.system, cap) if budget else program.system.initial
        search = InThisProcess().search(question, program, initial, cap, question.limits)
        alarm = search.run(0)
        if alarm is not None:
            tracing = Tracing(Reference(question.model, question.setting), Deadline.of(Limits(), 0.0))
            return tracing.replay(search, alarm, question.prop)
        if search.stopped is not None:
            return str(search.stopped)
    return None


def _end_in_words(replay: Replay, staged: Staged) -> str:
    """What the run comes to: the last of the steps that the violation needed, by the model's own words."""
    outline = outline_of(replay, staged)
    needed = [label[0] for number, label in enumerate(replay.labels, 1) if number in outline.parts]
    words = "; ".join(outline.words.get(action, action) for action in needed[-LAST_STEPS:])
    return f"{quantity(len(replay.labels), 'step')} of the model that leave these lines, and end: {words}"


def _lines_heard(trace: Trace, lines: Sequence[Line], events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
    """The steps that left the lines, in order."""
    at = 0
    for each in observables_in(trace):
        if at < len(lines) and lines[at].kind in each.kinds:
            yield each.step, events[at]
            at += 1

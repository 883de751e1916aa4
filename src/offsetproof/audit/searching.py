"""Searches for a story that is not recorded: one that breaks the claim and leaves the lines around a finding.

In each scope of each case that is refuted in the release the system may only do what the lines allow. A violation that
is found is followed by the model's own Python, as any other; where all scopes were searched to their ends and there is
none, no modelled cause leaves these lines within these bounds; where a limit was met, that is said.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace

from offsetproof.audit.causes import cases_refuted, cause_of_trace, is_own_claim, scopes_refuted, setting_named
from offsetproof.audit.event import Event, EventKind
from offsetproof.audit.explaining import Explanation, ExplanationOutcome, Told, is_at_home
from offsetproof.audit.finding import Finding
from offsetproof.audit.following import Line, Sequenced, follow, kinds_written, readings
from offsetproof.audit.matching import ORDINARY, Place, Scene, place_of
from offsetproof.audit.observables import BROKER_KINDS, SHOWN, observables_in
from offsetproof.checking.catalogue import SINGLES
from offsetproof.engines.explicit.explorer import InThisProcess
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.explicit.shortest_trace import Tracing
from offsetproof.engines.preparing import StagedModels, reduce_system
from offsetproof.ir.faults import fault_budget, initial_with_cap, with_fault_cap
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.scope import Scope
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.traces.brief import outline_of
from offsetproof.traces.recorded_stories import recorded_name
from offsetproof.traces.trace import Trace, trace_of
from offsetproof.verdict.limits import Deadline, LimitMetError, Limits
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError

LINES_MAX = 12
"""How many lines are given to a search; more are more than any scope has steps for."""

LAST_STEPS = 4
"""How many steps a found run is told by."""

SHOWN_KINDS = frozenset(kind for each in SHOWN.values() for shown in each for kind in shown.kinds)


@dataclass(frozen=True)
class Bounds:
    """What a search may spend: states and seconds in each scope, scopes for a finding, and findings of other shapes."""

    states: int = 250_000
    seconds: float = 20.0
    scopes: int = 6
    findings: int = 8


@dataclass
class Searching:
    """The searches of a run. `found` are the traces that they found, by the names under which they are told."""

    bounds: Bounds = Bounds()
    found: dict[str, Trace] = field(default_factory=dict)
    _models: StagedModels = field(default_factory=StagedModels)
    _asked: int = 0

    def __call__(self, finding: Finding, scene: Scene, release: str) -> Explanation | None:
        """The explanation that a search finds."""
        lines, events = lines_of(scene)
        worlds = [*_worlds(finding, scene.events, release)]
        if not lines or not worlds:
            return None
        if self._asked >= self.bounds.findings:
            detail = f"{self._asked} findings of other shapes were searched for, and no more are"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        if len(lines) > LINES_MAX:
            detail = f"{len(lines)} lines are more than a search takes ({LINES_MAX})"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        self._asked += 1
        return self._in_worlds(worlds, lines, events, scene.seen, release)

    def _in_worlds(
        self,
        worlds: Sequence[_World],
        lines: tuple[Line, ...],
        events: Sequence[Event],
        visible: frozenset[EventKind],
        release: str,
    ) -> Explanation:
        open_, searched = [], 0
        for world in worlds[: self.bounds.scopes]:
            found = self._in_world(world, lines, visible, release)
            if isinstance(found, Replay):
                return self._explained(found, world, lines, events, release)
            searched += 1
            if found is not None:
                open_.append(f"{world.prop.id} in {world.scope}: {found}")
        left = len(worlds) - searched
        if left:
            open_.append(f"{left} more scopes were not searched")
        if open_:
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail="; ".join(open_))
        detail = f"no run of the model in {searched} scopes, searched whole, leaves these lines"
        return Explanation(ExplanationOutcome.NOT_EXPLAINED, release, detail=detail)

    def _in_world(
        self, world: _World, lines: tuple[Line, ...], visible: frozenset[EventKind], release: str
    ) -> Replay | str | None:
        """The replay of what is found, None where the whole scope has nothing, or the limit that was met."""
        subject, prop = world.subject, world.prop
        setting = setting_named(subject, release, world.scope)
        listener = prop.listener or (subject.model.listeners[0] if subject.model.listeners else None)
        setting = replace(setting, assumptions=prop.assumptions, listener=listener,
                          scope=setting.scope.fitted(subject.model.bounds))  # fmt: skip
        limits = Limits(self.bounds.states, None, self.bounds.seconds)
        question = Question(subject.model, setting, prop, (), limits)
        staged = self._models.of(question)
        whole = staged.system((prop,))
        reading = readings(lines, *_sizes(setting.scope))
        if reading is None or not {line.kind for line in lines} <= kinds_written(whole):
            return None
        given = Sequenced(lines, reading, visible, _must_be_heard(lines))
        product = follow(whole, staged.leaves, given)
        system, _ = reduce_system(product, question)
        program = Program.of(with_fault_cap(system), [prop.kind])
        for cap in range(fault_budget(system) + 1):
            has_cap = fault_budget(system) > 0
            initial = initial_with_cap(program.system, cap) if has_cap else program.system.initial
            search = InThisProcess().search(question, program, initial, cap, limits)
            alarm = search.run(0)
            if alarm is not None:
                tracing = Tracing(Reference(subject.model, setting), Deadline.of(Limits(), 0.0))
                try:
                    return tracing.replay(search, alarm, prop)
                except (DisagreementError, LimitMetError) as error:
                    return str(error)
            if search.stopped is not None:
                return str(search.stopped)
        return None

    def _explained(
        self, replay: Replay, world: _World, lines: Sequence[Line], events: Sequence[Event], release: str
    ) -> Explanation:
        staged = self._models.of(Question(world.subject.model, replay.reference.setting, world.prop))
        trace = trace_of(replay, subject=world.subject.name, staged=staged)
        name = recorded_name(trace) or f"found-{len(self.found) + 1}-{world.prop.id}"
        self.found[name] = trace
        cause = replace(cause_of_trace(name, trace, release), sentence=_end_in_words(replay, staged))
        places: tuple[tuple[int, Place], ...] = tuple(
            (step, place_of(event)) for step, event in _heard(trace, lines, events)
        )
        told = Told(cause, len(places), len(lines), places, searched=True)
        is_telling = any(line.kind not in ORDINARY for line in lines)
        outcome = ExplanationOutcome.EXPLAINED if is_telling else ExplanationOutcome.CONSISTENT
        return Explanation(outcome, release, (told,))


@dataclass(frozen=True)
class _World:
    """A case in one of its scopes."""

    subject: Subject
    prop: Property
    scope: str


def _worlds(finding: Finding, events: Sequence[Event], release: str) -> Iterator[_World]:
    """Where to search: the cases of the finding's own claim first, small scopes first."""
    order = [*SINGLES]
    found = [
        _World(subject, prop, scope)
        for subject, prop in cases_refuted(finding.kind, release)
        if prop.kind is not ClaimKind.SOMETIMES and is_at_home(subject.name, finding, events)
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
    among = [
        event
        for event in scene.events
        if event.kind in SHOWN_KINDS and (place_of(event) in scene.decisive or first <= event.time_from < last)
    ]
    events: list[Event] = []
    standing: set[Place] = set()
    for event in among:
        if events and _goes_on(events[-1], event, scene):
            standing.discard(place_of(events.pop()))
            standing.add(place_of(event))
        events.append(event)
    return tuple(_lines(events, standing, scene)), tuple(events)


def _goes_on(before: Event, event: Event, scene: Scene) -> bool:
    """Does a client send a commit again, of the same offset or a later one?"""
    is_sent = before.kind is event.kind is EventKind.COMMIT_SENT
    is_same = scene.clients[place_of(before)] == scene.clients[place_of(event)]
    return is_sent and is_same and (before.offset or 0) <= (event.offset or 0)


def _lines(events: Sequence[Event], standing: Collection[Place], scene: Scene) -> Iterator[Line]:
    clients: dict[str, int] = {}
    offsets = sorted({event.offset for event in events if event.offset is not None})
    for event in events:
        client = scene.clients[place_of(event)] if event.kind not in BROKER_KINDS else None
        number = None if client is None else clients.setdefault(client, len(clients))
        offset = None if event.offset is None else offsets.index(event.offset)
        yield Line(event.kind, number, offset, place_of(event) in standing)


def _must_be_heard(lines: Sequence[Line]) -> int:
    """How many of the lines a story must have left when the claim breaks: all telling ones; the rest may follow it."""
    telling = [number for number, line in enumerate(lines, 1) if line.kind not in ORDINARY]
    return telling[-1] if telling else max(1, len(lines) - 1)


def _end_in_words(replay: Replay, staged: Staged) -> str:
    """What the run comes to: the last of the steps that the violation needed, by the model's own words."""
    outline = outline_of(replay, staged)
    needed = [label[0] for number, label in enumerate(replay.labels, 1) if number in outline.parts]
    words = "; ".join(outline.words.get(action, action) for action in needed[-LAST_STEPS:])
    return f"{quantity(len(replay.labels), 'step')} of the model that leave these lines, and end: {words}"


def _heard(trace: Trace, lines: Sequence[Line], events: Sequence[Event]) -> Iterator[tuple[int, Event]]:
    """The steps that left the lines, in order."""
    at = 0
    for each in observables_in(trace):
        if at < len(lines) and lines[at].kind in each.kinds:
            yield each.step, events[at]
            at += 1

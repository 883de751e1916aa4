"""Is a story what the logs show? Its observables are looked for among the events, in order, with consistent clients.

The events of the story's lines must be there, none of them surely before the one that it follows. Events that are no
line of the story are passed over: logs go on. The first observables of a story may be missing, as logs begin later than
stories. A client of the story is one client of the logs, and two are two. Offsets need not be the model's: where one of
the model is lower than another, so is the real one; where two are equal, the later real one is not lower, as consuming
goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.explain.observables import BROKER_KINDS, LATE, RESETS, SHOWN_KINDS, Observable, said_better

TRIES = 20_000
"""How often an event is put to an observable before it is said to be unknown."""

Place = tuple[str, int]
"""An event by its file and byte offset."""

Client = tuple[str, str]
"""A client's id, and the process that it was: an id comes again with another process, or is used by two at a time."""

Precedes = Callable[[Event, Event], bool]
"""Is the first event surely before the second?"""


@dataclass(frozen=True)
class Match:
    """A story's observables, each with the event that is its line; `of` is how many there are to be seen."""

    pairs: tuple[tuple[Observable, Event], ...]
    of: int

    @property
    def telling(self) -> int:
        """How many of the pairs say more than that a queue was consumed."""
        return sum(event.kind not in ORDINARY for _, event in self.pairs)

    @property
    def rank(self) -> tuple[int, int]:
        """Matches with more telling pairs are better, then those with more pairs from the first reset on, or in all."""
        first = next((number for number, (each, _) in enumerate(self.pairs) if is_reset(each)), 0)
        return self.telling, len(self.pairs) - first


BEGINNINGS = frozenset({Kind.CELL_REMOVED, Kind.QUEUE_ADDED, Kind.START, Kind.LOCKED, Kind.CONSUMER_STARTED})
"""With what consuming of a queue begins; a client forgets what it had of it right before."""

ORDINARY = BEGINNINGS | {Kind.COMMIT_SENT}
"""What every log of a consumer is full of."""


BESIDE = LATE | {Kind.COMMIT_REFUSED}
"""Lines of which a story need not have as many as the logs: that of a persist while a marker stands, by design."""


class TooManyTriesError(Exception):
    """There are more ways to put the events to the observables than are tried."""


@dataclass(frozen=True)
class Scene:
    """What the logs have of a queue around a finding.

    `events` in the order of their stamps; `seen` are the kinds that the logs could show at all; `clients` says who
    wrote an event, by id and process, None where the log does not tell; `decisive` are the places of the finding's own
    evidence; `before` has what was committed when a reset began, by the place of the reset's line.
    """

    events: tuple[Event, ...]
    seen: frozenset[Kind]
    clients: Mapping[Place, Client | None]
    decisive: Collection[Place]
    before: Mapping[Place, int]
    precedes: Precedes


def place_of(event: Event) -> Place:
    """Where an event stands."""
    return event.file, event.byte_offset


def match_story(observables: Sequence[Observable], scene: Scene, *, is_one_id: bool = False) -> Match | None:
    """The match with the fewest observables missing at the start; None where there is none.

    `is_one_id`: two clients of the story are two processes of one id, else two have two ids, whatever processes.
    TooManyTriesError where that was not found out.
    """
    best: Match | None = None
    for queue in dict.fromkeys(each.queue for each in observables if each.queue is not None) or (None,):
        visible = [each for each in observables if _is_visible(each, queue, scene)]
        found = _longest_suffix(visible, scene, is_one_id)
        if found is not None and (best is None or len(found.pairs) > len(best.pairs)):
            best = found
    return best


def _is_visible(each: Observable, queue: int | None, scene: Scene) -> bool:
    return any(kind in scene.seen for kind in each.kinds) and (each.queue in (None, queue))


def _longest_suffix(visible: Sequence[Observable], scene: Scene, is_one_id: bool) -> Match | None:
    for start in range(_missing_at_most(visible) + 1):
        pairs = _Matching(visible[start:], scene, is_one_id).find()
        if pairs:
            return Match(tuple(pairs), len(visible))
    return None


def _missing_at_most(visible: Sequence[Observable]) -> int:
    """How many of the first observables may be missing: all before a reset, else those with which consuming begins.

    Of each client something must be seen, though.
    """
    reset = next((number for number, each in enumerate(visible) if is_reset(each)), None)
    if reset is not None:
        return reset
    begun = next((number for number, each in enumerate(visible) if each.kind not in BEGINNINGS), len(visible) - 1)
    clients = {each.client for each in visible}
    return max((start for start in range(begun + 1) if {each.client for each in visible[start:]} == clients), default=0)


def is_reset(each: Observable) -> bool:
    """Does an administrator's reset begin with it?"""
    return each.kinds in (RESETS, (Kind.RESET_MARKED,))


class _Matching:
    """One search, depth first: the events of each observable, in the order of their stamps."""

    def __init__(self, observables: Sequence[Observable], scene: Scene, is_one_id: bool) -> None:
        self._observables, self._scene, self._tries = observables, scene, 0
        self._is_one_id = is_one_id
        self._candidates = [[event for event in scene.events if each.may_be(event)] for each in observables]
        decisive = [any(self._is_evidence(event) for event in each) for each in self._candidates]
        self._may_be_shown_from = [any(decisive[at:]) for at in range(len(decisive) + 1)]

    def find(self) -> list[tuple[Observable, Event]] | None:
        """The pairs, at least one of which is evidence of the finding itself."""
        return self._go_on(0, [], {}, [], False)

    def _is_evidence(self, event: Event) -> bool:
        return place_of(event) in self._scene.decisive

    def _go_on(
        self,
        at: int,
        pairs: list[tuple[Observable, Event]],
        clients: Mapping[int, Client],
        offsets: list[tuple[int, int]],
        has_evidence: bool,
    ) -> list[tuple[Observable, Event]] | None:
        """The pairs with those from `at` on; what cannot come to the finding's evidence any more is not tried."""
        if at == len(self._observables):
            return pairs if has_evidence else None
        observable = self._observables[at]
        for event in self._candidates[at]:
            is_shown = has_evidence or self._is_evidence(event)
            if not is_shown and not self._may_be_shown_from[at + 1]:
                continue
            self._tries += 1
            if self._tries > TRIES:
                raise TooManyTriesError
            if not self._may_follow(event, pairs):
                continue
            renamed = self._rename(observable, event, clients)
            valued = self._value_by(observable, event, offsets)
            if renamed is None or valued is None:
                continue
            found = self._go_on(at + 1, [*pairs, (observable, event)], renamed, valued, is_shown)
            if found is not None:
                return found
        return None

    def _may_follow(self, event: Event, pairs: Sequence[tuple[Observable, Event]]) -> bool:
        """May an event come after those so far? A line that is late need not have come before what follows its step."""
        last = next((each for _, each in reversed(pairs) if each.kind not in LATE), None)
        return all(each is not event for _, each in pairs) and not (last and self._scene.precedes(event, last))

    def _rename(self, each: Observable, event: Event, clients: Mapping[int, Client]) -> Mapping[int, Client] | None:
        """The clients by the story's numbers, with this one; None where it is another one than before.

        A client that starts again may be another process of its id. Where the clients of a story have one id, those
        of the logs have one.
        """
        real = None if each.client is None else self._scene.clients.get(place_of(event))
        if each.client is None or real is None:
            return clients
        if each.client in clients:
            return {**clients, each.client: real} if clients[each.client][0] == real[0] else None
        taken = clients.values()
        if self._is_one_id:
            is_other = real not in taken and all(real[0] == client_id for client_id, _ in taken)
        else:
            is_other = all(real[0] != client_id for client_id, _ in taken)
        return {**clients, each.client: real} if is_other else None

    def _value_by(self, each: Observable, event: Event, offsets: list[tuple[int, int]]) -> list[tuple[int, int]] | None:
        """The offsets so far, each the model's and the real one, with these; None where their order differs."""
        before = self._scene.before.get(place_of(event))
        known = [
            (model, real)
            for model, real in (
                (each.before, before),
                (each.other_offset, event.other_offset),
                (each.offset, event.offset),
            )
            if model is not None and real is not None
        ]
        for new in known:
            if not all(_agree(old, new) for old in offsets):
                return None
            offsets = [*offsets, new]
        return offsets


def _agree(old: tuple[int, int], new: tuple[int, int]) -> bool:
    """Have two offsets of the model the order of the real ones?"""
    (model_old, real_old), (model_new, real_new) = old, new
    if model_old < model_new:
        return real_old < real_new
    return real_old > real_new if model_old > model_new else real_old <= real_new


def kinds_not_left(match: Match, observables: Sequence[Observable], scene: Scene) -> frozenset[Kind]:
    """The kinds of telling lines that a story does not leave: with them more happened, of which it is a part at most.

    They stand surely between the finding's first line and the story's last, or are the finding's own, and before that
    last by their stamps alone, whatever is known of zones.
    """
    left = {kind for each in observables for kind in each.kinds} | said_better({each.kind for each in scene.events})
    last = next((event for _, event in reversed(match.pairs) if event.kind not in LATE), match.pairs[-1][1])
    first = next(event for event in scene.events if place_of(event) in scene.decisive)
    telling = [event for event in scene.events if event.kind in SHOWN_KINDS - ORDINARY - BESIDE - left]
    between = [event for event in telling if scene.precedes(first, event) and scene.precedes(event, last)]
    own = [event for event in telling if place_of(event) in scene.decisive and event.time_to <= last.time_from]
    return frozenset(event.kind for event in (*between, *own))


def is_first_pull(event: Event) -> bool:
    """Is it how an orderly client says where it starts, in every release? Stories have the line of the rebalance."""
    return event.kind is Kind.START and event.detail == "orderly"


def kinds_that_logs_show(events: Collection[Event], has_broker: bool, has_client: bool) -> frozenset[Kind]:
    """The kinds of which the absence says something: those that the logs at hand would show.

    A client of 5.x does not say where it starts; so that counts only where some client says it.
    """
    kinds: set[Kind] = set()
    if has_broker:
        kinds |= BROKER_KINDS
    if has_client:
        kinds |= {*Kind} - BROKER_KINDS - {Kind.OFFSET_STORED, Kind.OFFSET_LOCAL, Kind.START}
    return frozenset(kinds | {event.kind for event in events if event.kind is Kind.START and not is_first_pull(event)})

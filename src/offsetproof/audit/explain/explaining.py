"""Explains findings by stories of the model: recorded ones, then what a search finds that takes the events as given.

A story explains a finding if what the logs would show of it stands in the logs, around the finding's own lines. Of the
stories that do, those of which most is seen come first. Where several causes are seen equally well, the logs cannot
tell them apart, and all are named. Where none is, that is said: it is a finding about the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from offsetproof.audit.event import Event
from offsetproof.audit.event import EventKind as Kind
from offsetproof.audit.explain.causes import candidates, has_story, is_own_claim
from offsetproof.audit.explain.matching import (
    Client,
    Match,
    Place,
    Precedes,
    Scene,
    TooManyTriesError,
    kinds_not_left,
    kinds_that_logs_show,
    match_story,
    place_of,
)
from offsetproof.audit.explain.member_releases import lines_shown, release_shown
from offsetproof.audit.explain.observables import BROKER_KINDS, observables_of
from offsetproof.audit.gold.finding import CLAIM_OF, Finding, FindingKind
from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.causes import RELEASES, Cause, cause_of_story
from offsetproof.traces.recorded_stories import recorded_stories

BEFORE, AFTER = 120_000_000, 60_000_000
"""How far around a finding its story is looked for, in microseconds: a reset sleeps 10 s, a poll is held for 20 s, a
lease ends after 60 s."""


class ExplanationOutcome(StrEnum):
    """What became of explaining a finding.

    CONSISTENT: the lines agree with what is told, and with other causes as well, or say little. NO_CLAIM: nothing says
    that it must not be.
    """

    EXPLAINED = "explained"
    CONSISTENT = "consistent"
    NOT_EXPLAINED = "not-explained"
    UNKNOWN = "unknown"
    NO_CLAIM = "no-claim"


@dataclass(frozen=True)
class Told:
    """A story that the logs show: what is known of it, and its steps with the places of their lines.

    `matched` of `observable` lines were found; the others stand before the logs begin.
    """

    cause: Cause
    matched: int
    observable: int
    lines: tuple[tuple[int, Place], ...]
    searched: bool = False


@dataclass(frozen=True)
class Explanation:
    """Why a finding happened, as far as the model knows.

    `stories` are those that are seen best, all equally well; `also` the names of those that the lines agree with as
    well, and of which less is seen, or in a larger model. `release` is the one that was asked, None where nothing shows
    it.
    """

    outcome: ExplanationOutcome
    release: str | None
    stories: tuple[Told, ...] = ()
    also: tuple[str, ...] = ()
    detail: str = ""


Around = Callable[[Finding], Sequence[Event]]
"""The events of the finding's queue and group, and those of its broker, around the finding, in the order of stamps."""

Searcher = Callable[[Finding, Scene, str], Explanation]
"""What searches for a story that is not recorded, in a release."""


@dataclass
class Explainer:
    """Explains findings of one run.

    `precedes` is the order that the stamps prove. `has_broker_log` says that brokers' logs were read, though they may
    have nothing around a finding. `release` is what the user says; else it is what the events show, and `versions`,
    which are those of each group's clients.
    """

    around: Around
    precedes: Precedes
    release: str | None = None
    search: Searcher | None = None
    has_broker_log: bool = False
    versions: Mapping[str | None, frozenset[str]] = field(default_factory=dict)

    def explain(self, finding: Finding) -> Explanation:
        """The explanation of a finding."""
        scene = scene_of(finding, self.around(finding), self.precedes, has_broker_log=self.has_broker_log)
        release = self.release or release_shown(scene.events, self.versions.get(finding.group, frozenset()))
        if CLAIM_OF[finding.kind] is None and not has_story(finding.kind):
            return Explanation(ExplanationOutcome.NO_CLAIM, release, detail=_BY_DESIGN.get(finding.kind, ""))
        found = by_recorded_stories(finding, scene, release)
        if found.outcome is ExplanationOutcome.NOT_EXPLAINED and _is_by_design(finding, scene):
            return Explanation(ExplanationOutcome.NO_CLAIM, release, detail=_BY_DESIGN[finding.kind])
        shown = lines_shown(scene.events)
        is_open = found.outcome in (ExplanationOutcome.NOT_EXPLAINED, ExplanationOutcome.UNKNOWN)
        if release and len(shown) == 1 and release[0] != shown[0][0] and (is_open or shown == ["5.3.3"]):
            detail = f"the lines are those of {shown[0]}, and not of {release}"
            return Explanation(ExplanationOutcome.UNKNOWN, release, detail=detail)
        if is_open and self.search is not None:
            return self._search_for(finding, scene, release, found)
        return (
            replace(found, outcome=ExplanationOutcome.UNKNOWN, detail=found.detail + _NOT_SEARCHED)
            if is_open
            else found
        )

    def _search_for(self, finding: Finding, scene: Scene, release: str | None, found: Explanation) -> Explanation:
        assert self.search is not None
        details = [found.detail]
        for each in [release] if release else [RELEASES[0], RELEASES[-2]]:
            searched = self.search(finding, scene, each)
            details.append(searched.detail)
            if searched.outcome is not ExplanationOutcome.NOT_EXPLAINED:
                return searched if searched.stories else replace(searched, detail="; ".join(details))
        return replace(found, detail="; ".join(details))


_NOT_SEARCHED = "; no run of the model was searched for"

_BY_DESIGN: Mapping[FindingKind, str] = {
    FindingKind.COMMIT_REFUSED_AFTER_RESET: "by design: until a pull takes the marker of a reset at the broker, "
    "commits of the queue are answered and ignored",
    FindingKind.CLIENT_ID_TWICE: "it is a cause itself: the group counts the two as one member, so each takes the same "
    "queues (I8-heals-one-id); give each process an instanceName of its own",
    FindingKind.SAME_START_AGAIN: "by design, and no claim is broken: the consumer was started anew in between, and "
    "begins at what it has not finished; its own log says what ended it, such as a message that it cannot handle",
}


def _is_by_design(finding: Finding, scene: Scene) -> bool:
    """Is there a reason that is none of a defect? Of starts again it is that the consumer itself was started."""
    starts = [each for each in scene.events if each.kind is Kind.CONSUMER_STARTED]
    is_started = any(finding.time_from <= each.time_from <= finding.time_to for each in starts)
    return finding.kind in _BY_DESIGN and (finding.kind is not FindingKind.SAME_START_AGAIN or is_started)


def by_recorded_stories(finding: Finding, scene: Scene, release: str | None) -> Explanation:
    """The explanation by the stories that came with the program."""
    asked = [release] if release else [*RELEASES]
    subjects = subjects_at_home(finding, scene.events)
    names = dict.fromkeys(name for each in asked for name in candidates(finding.kind, each, subjects))
    matches: dict[str, Match] = {}
    unknown = []
    parts: dict[str, frozenset[Kind]] = {}
    for name in names:
        try:
            match = match_story(observables_of(name), scene, is_one_id=_is_of_one_id(name))
        except TooManyTriesError:
            unknown.append(name)
            continue
        if match is None or not match.pairs:
            continue
        if not_left := kinds_not_left(match, observables_of(name), scene):
            parts[name] = not_left
        else:
            matches[name] = match
    if not matches:
        if unknown:
            return Explanation(
                ExplanationOutcome.UNKNOWN, release, detail=f"too many ways to read the lines for {', '.join(unknown)}"
            )
        return Explanation(
            ExplanationOutcome.NOT_EXPLAINED, release, detail=_none_of(len(names), release) + _in_part(parts)
        )
    ranks = {name: (_is_own(finding.kind, name), *match.rank) for name, match in matches.items()}
    most = max(ranks.values())
    best = _of_smallest_model([name for name in matches if ranks[name] == most])
    home = release or next(each for each in asked if best[0] in candidates(finding.kind, each, subjects))
    stories = sorted((_story(name, matches[name], home) for name in best), key=_needs_least)
    has_rival = sum(_is_own(finding.kind, name) is most[0] for name in names) > 1
    is_told = len(stories) == 1 and matches[best[0]].telling > 0 and has_rival
    return Explanation(
        ExplanationOutcome.EXPLAINED if is_told else ExplanationOutcome.CONSISTENT,
        release,
        tuple(stories),
        tuple(name for name in matches if name not in best),
    )


def _is_own(kind: FindingKind, story: str) -> bool:
    """Does a story refute the very claim that the finding is about? What shows that is nearer than what may show it."""
    return is_own_claim(kind, recorded_stories()[story].property.id)


def _is_of_one_id(story: str) -> bool:
    """Have two clients of a story one id?"""
    return recorded_stories()[story].world.scope.bounds.get("one_id", 0) > 0


def _of_smallest_model(stories: Sequence[str]) -> list[str]:
    """Those of one model: where that of one queue shows as much as that of several, the one queue is enough."""
    order = [*SINGLES]
    subjects = {name: order.index(str(recorded_stories()[name].subject)) for name in stories}
    return [name for name in stories if subjects[name] == min(subjects.values())]


def _none_of(stories: int, release: str | None) -> str:
    where = f" of {release}" if release else ""
    return f"no recorded story{where} {f'shows these lines, of {stories:,} about it' if stories else 'is about it'}"


def _in_part(parts: Mapping[str, frozenset[Kind]]) -> str:
    """What stories of which the lines have more show of them."""
    return "".join(
        f"; {name} shows a part of them, and not {', '.join(sorted(kinds))}" for name, kinds in parts.items()
    )


def _story(name: str, match: Match, release: str) -> Told:
    lines = tuple((observable.step, place_of(event)) for observable, event in match.pairs)
    return Told(cause_of_story(name, release), len(match.pairs), match.of, lines)


def _needs_least(story: Told) -> tuple[int, float, str]:
    """What needs no fault and no stall comes first: it happens of itself."""
    return story.cause.faults, story.cause.stall or 0.0, story.cause.story


_HOMES: Mapping[str, frozenset[Kind]] = {
    "broadcasting": frozenset({Kind.OFFSET_LOCAL, Kind.LOCAL_LOADED}),
    "orderly": frozenset({Kind.LOCKED, Kind.LOCK_REFUSED, Kind.UNLOCKED, Kind.LOCK_LOST_WHILE_CONSUMING}),
    "replicas": frozenset({Kind.SLAVE_SYNCED, Kind.PULL_BEYOND_END}),
    "offset-files": frozenset({Kind.FILE_LOADED, Kind.FILE_FELL_BACK, Kind.FILE_NOT_WRITTEN, Kind.OFFSET_LOCAL}),
}
"""What must be in the logs for a subject to be meant: a story of an orderly consumer is none of a concurrent one."""


_HOMES_OF: Mapping[FindingKind, frozenset[str]] = {
    FindingKind.FILE_LOST_QUEUE: frozenset({"broadcasting", "offset-files", "replicas"}),
    FindingKind.FILE_FELL_BACK: frozenset({"offset-files"}),
    FindingKind.PULL_BEYOND_END: frozenset({"replicas"}),
    FindingKind.LOCK_LOST: frozenset({"orderly"}),
}
"""The subjects of which a kind of finding tells by itself."""


def subjects_at_home(finding: Finding, events: Sequence[Event]) -> frozenset[str]:
    """The subjects whose stories may be meant."""
    if finding.kind in _HOMES_OF:
        return _HOMES_OF[finding.kind]
    kinds = {event.kind for event in events}
    shown = frozenset(subject for subject, home in _HOMES.items() if kinds & home)
    is_other_mode = shown & {"broadcasting", "orderly"}
    return shown if is_other_mode else shown | (frozenset(SINGLES) - frozenset(_HOMES))


def scene_of(finding: Finding, events: Sequence[Event], precedes: Precedes, *, has_broker_log: bool = False) -> Scene:
    """What the logs have around a finding."""
    clients = clients_of(events)
    of_broker = [event for event in events if event.kind in BROKER_KINDS]
    return Scene(
        tuple(events),
        kinds_that_logs_show(
            events, has_broker=has_broker_log or bool(of_broker), has_client=len(of_broker) < len(events)
        ),
        clients,
        {(each.file, each.byte_offset) for each in finding.evidence},
        dict(_before_resets(events)),
        precedes,
    )


_LOCKS = frozenset({Kind.LOCKED, Kind.LOCK_REFUSED, Kind.UNLOCKED})
_OWN = frozenset({Kind.COMMIT_SENT, Kind.ALLOCATED})


def clients_of(events: Sequence[Event]) -> dict[Place, Client | None]:
    """Who wrote each event: the client that it names, else the one that its process has, if that has one alone.

    A broker's lock.log names clients as well: these are those of the logs with their ids.
    """
    named: dict[tuple[str, str], set[str]] = {}
    homes: dict[str, set[tuple[str, str]]] = {}
    for event in events:
        if event.client and event.kind not in BROKER_KINDS:
            named.setdefault((event.host, event.process), set()).add(event.client)
        if event.client and event.kind in _OWN:
            homes.setdefault(event.client, set()).add((event.host, event.process))
    found: dict[Place, Client | None] = {}
    for event in events:
        of_process = named.get((event.host, event.process), set())
        alone = next(iter(of_process)) if len(of_process) == 1 else None
        unnamed = f"{event.host} {event.process}" if not of_process else None
        name = event.client or alone or unnamed
        places = homes.get(event.client or "", set()) if event.kind in _LOCKS else set()
        host, process = next(iter(places)) if len(places) == 1 else (event.host, event.process)
        found[place_of(event)] = None if name is None else (name, f"{host} {process}")
    return found


_RESETS = frozenset({Kind.RESET_STARTED, Kind.RESET_SENT, Kind.RESET_MARKED})


def _before_resets(events: Sequence[Event]) -> Iterator[tuple[Place, int]]:
    """What the last commit, or the last row of a snapshot, before a reset was."""
    last = None
    for event in events:
        if event.kind in (Kind.COMMIT_SENT, Kind.OFFSET_STORED) and event.offset is not None:
            last = event.offset
        elif event.kind in _RESETS and last is not None:
            yield place_of(event), last

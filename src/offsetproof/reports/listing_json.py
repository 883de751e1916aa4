"""The offers of a subject as JSON: releases, claims, scopes, bounds, faults, fixes, assumptions, parts left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

from msgspec import UNSET, Meta

from offsetproof.lang.action import Action
from offsetproof.lang.cases import Expectation
from offsetproof.lang.changes import left_out_of, with_all_changes
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.model import anchored_actions, faults_of
from offsetproof.lang.scope import ANY_NUMBER, BoundKind, Default, sort_in
from offsetproof.lang.subject import Subject
from offsetproof.lang.timing import TimerChange
from offsetproof.reading.typed_json import (
    TEXT,
    Count,
    JsonObject,
    Name,
    Names,
    Seconds,
    T,
    Unset,
    from_attributes,
    write_json,
)
from offsetproof.reports.json import DocumentJson, envelope, flat_scope, scope_json
from offsetproof.reports.listed_in_full import behaviours_of_releases, timers_of_releases
from offsetproof.reports.listing import left_out


class NamedJson(JsonObject):
    """An assumption or a listener."""

    name: str
    about: str


class WithSourceJson(NamedJson):
    """A fix or a fault."""

    source: Annotated[str, Meta(description="A proof of it; may be empty.")]


class TimerJson(JsonObject):
    """A timer that a release has otherwise."""

    name: str
    timer: str
    role: str
    seconds: Seconds
    before: Annotated[Seconds, Meta(description="The seconds in the first release.")]
    source: Annotated[str, Meta(description="A proof of it; may be empty.")]
    release: Annotated[Name, Meta(description="The first that has it.")]


class BoundJson(JsonObject):
    """A bound: from one number to another, or one of some named values."""

    RULES = ({"oneOf": [{"required": ["least", "most"]}, {"required": ["values"]}]},)
    name: str
    about: str | Unset = UNSET
    default: Annotated[int | Unset, Meta(description="The bound where a scope does not say it.")] = UNSET
    least: Count | Unset = UNSET
    most: Annotated[Count | Unset | None, Meta(description="null: any number.")] = UNSET
    values: dict[str, int] | Unset = UNSET


class PropertyJson(JsonObject):
    """A case of a claim."""

    id: Name
    name: Name
    kind: ClaimKind
    claim: Annotated[str, Meta(description="Its sentence.")]
    expected: Annotated[
        dict[str, Expectation],
        Meta(description="The verdict by release; the release is empty where the model has none."),
    ]
    unless: Annotated[Names, Meta(description="Behaviours that turn the verdict round.")]
    turned_back_by: Annotated[Names, Meta(description="Behaviours that, beside one of these, turn it back.")]
    not_of: Annotated[Names, Meta(description="Behaviours of releases of which the case says nothing.")]
    only_of: Annotated[Names, Meta(description="Behaviours of the releases of which alone the case says something.")]
    scopes: Annotated[Names, Meta(description="Scopes in which it is asked; none: in the first.")]
    needs: Annotated[Names, Meta(description="Witnesses without which it does not hold.")]


class ActionJson(JsonObject):
    """An action of the model."""

    name: Name
    about: str
    actor: str
    thread: str
    fault: Annotated[str | None, Meta(description="The fault that it is.")]
    stands_for: Annotated[Names, Meta(description="Places in the real program.")]


class ListJson(DocumentJson):
    """Version 1 of the offers of a subject."""

    releases: Names
    behaviours: tuple[WithSourceJson, ...]
    timers: tuple[TimerJson, ...]
    fixes: tuple[WithSourceJson, ...]
    assumptions: tuple[NamedJson, ...]
    listeners: tuple[NamedJson, ...]
    scopes: tuple[Annotated[dict[str, Any], flat_scope(about=TEXT)], ...]
    bounds: tuple[BoundJson, ...]
    faults: tuple[WithSourceJson, ...]
    properties: tuple[PropertyJson, ...]
    actions: tuple[ActionJson, ...]
    left_out: Annotated[Names, Meta(description="What is left out of the first release.")]
    left_out_of: Annotated[dict[str, Names], Meta(description="What is left out of each release.")]


class FamilyJson(DocumentJson):
    """Version 1 of the offers of several subjects under one name."""

    subjects: Annotated[tuple[ListJson, ...], Meta(min_length=2)]


def listing_json(name: str, subjects: Sequence[Subject]) -> str:
    """Everything as one JSON document; of several subjects, the documents of all in one.

    Anchors, and what is left out, are those of the first release.
    """
    documents = tuple(map(_document, subjects))
    return write_json(documents[0] if len(documents) == 1 else FamilyJson(**envelope(name), subjects=documents))


def _document(subject: Subject) -> ListJson:
    model = subject.model
    first = {role: model.releases[0].name for role in model.roles if model.releases}
    return ListJson(
        **envelope(subject.name),
        releases=tuple(release.name for release in model.releases),
        behaviours=_objects(behaviours_of_releases(model), WithSourceJson),
        timers=tuple(_timer_json(each, first) for each, first in timers_of_releases(model).items()),
        fixes=_objects(model.fixes, WithSourceJson),
        assumptions=_objects(model.assumptions, NamedJson),
        listeners=_objects(model.listeners, NamedJson),
        scopes=tuple({**scope_json(scope), "about": scope.about} for scope in model.scopes),
        bounds=tuple(_bound_json(name, kind) for name, kind in model.bounds.items()),
        faults=_objects(faults_of(model), WithSourceJson),
        properties=tuple(map(_property_json, subject.properties)),
        actions=tuple(map(_action_json, anchored_actions(with_all_changes(model), first).values())),
        left_out_of={release.name: left_out_of(release, model) for release in model.releases},
        left_out=tuple(text for text, releases in left_out(model) if model.releases[:1] == releases[:1]),
    )


def _objects(sources: Iterable[object], kind: type[T]) -> tuple[T, ...]:
    return tuple(from_attributes(source, kind) for source in sources)


def _timer_json(change: TimerChange, first: str) -> TimerJson:
    return TimerJson(
        name=change.name,
        timer=change.timer.name,
        role=change.timer.role,
        seconds=change.seconds,
        before=change.timer.seconds,
        source=change.source,
        release=first,
    )


def _property_json(prop: Property) -> PropertyJson:
    return PropertyJson(
        id=prop.id,
        name=prop.name,
        kind=prop.kind,
        claim=prop.about,
        expected=dict(prop.expectations),
        unless=tuple(behaviour.name for behaviour in prop.case.unless),
        turned_back_by=tuple(behaviour.name for behaviour in prop.case.turned_back_by),
        not_of=tuple(behaviour.name for behaviour in prop.case.not_of),
        only_of=tuple(behaviour.name for behaviour in prop.case.only_of),
        scopes=tuple(prop.scopes),
        needs=tuple(prop.needs),
    )


def _action_json(action: Action) -> ActionJson:
    return ActionJson(
        name=action.name,
        about=action.about,
        actor=action.actor,
        thread=action.thread,
        fault=action.fault,
        stands_for=tuple(map(str, action.stands_for)),
    )


def _bound_json(name: str, kind: BoundKind) -> BoundJson:
    about, default = (kind.about, kind.value) if isinstance(kind, Default) else (UNSET, UNSET)
    sort = sort_in({name: kind}, name)
    if isinstance(sort, range):
        most = None if sort == ANY_NUMBER else sort[-1]
        return BoundJson(name=name, about=about, default=default, least=sort[0], most=most)
    values = {member.name: int(member) for member in sort}
    return BoundJson(name=name, about=about, default=default, values=values)

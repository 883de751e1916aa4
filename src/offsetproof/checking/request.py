"""From options to questions: which claims, in which settings, within which limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.releases import ALL_RELEASES, as_they_differ, named_releases, release_names, right_for_named
from offsetproof.checking.scopes import ALL_SCOPES, as_scope_of, with_bounds
from offsetproof.checking.siblings import asked_instead
from offsetproof.lang.cases import Remedy
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import usual_releases
from offsetproof.lang.scope import Scope, UnknownNameError, one_named
from offsetproof.lang.setting import Release, Setting
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.phrases import instead_in_words
from offsetproof.verdict.question import Question, Reductions


@dataclass(frozen=True)
class Request:
    """What a user asks to be checked. Empty means: all claims, their own scopes, the usual release.

    With `every_release`, where none is named, a case is asked of each that it speaks of.
    """

    subject: Subject
    properties: tuple[str, ...] = ()
    releases: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    listener: str | None = None
    scope: str | Scope | None = None
    bounds: Mapping[str, int | str] = field(default_factory=dict)
    limits: Limits = Limits()
    reductions: Reductions = Reductions()
    progress: Callable[[object], None] = field(default=lambda status: None, compare=False)
    every_release: bool = False


def questions_of(request: Request) -> list[Question]:
    """One question per claim, release and scope, in the catalogue's order, where the case speaks of the release.

    UnknownNameError for unknown names, and where the cases that are named speak of none of the releases.
    """
    subject = request.subject
    chosen = [prop for name in request.properties for prop in subject.named(name)] or list(subject.properties)
    if not chosen:
        with declared_by(subject.model):
            raise DeclarationError(
                f"{subject.name} claims nothing; mark a function with @always, @each_step or @sometimes"
            )
    questions = [
        _question(request, prop, setting)
        for prop in dict.fromkeys(chosen)
        for releases in _releases_for(request, prop)
        for setting in _settings(request, prop, releases)
        if _is_asked(request, prop, setting)
    ]
    if not questions and request.every_release:
        return questions_of(replace(request, every_release=False))
    if not questions:
        names, texts = ", ".join(request.properties), ", ".join(release_names(subject.model, request.releases))
        roles = _releases(request)[0]
        instead = instead_in_words([id for prop in chosen[:1] for id in asked_instead(subject, prop, roles)])
        why = f"{names} says nothing of {texts}{instead}; name a case to ask it all the same: {chosen[0].id}"
        raise UnknownNameError("claim", "", [], why)
    return questions


def questions_about_states(request: Request) -> list[Question]:
    """The same without those about whole runs; UnknownNameError where no other is left."""
    questions = questions_of(request)
    kept = [question for question in questions if not question.prop.kind.is_about_runs]
    if not kept:
        name = questions[0].prop.id
        raise UnknownNameError(
            "claim",
            "",
            [],
            f"{name} is about whole runs, which only `check`, TLC and SPIN decide (`export`); name another",
        )
    return kept


def _is_asked(request: Request, prop: Property, setting: Setting) -> bool:
    """Does the case speak of the setting, or has somebody named the case, and a release or the usual one with it?"""
    is_named = prop.id in request.properties and not _asks_every_release(request)
    return is_named or prop.case.speaks_of(setting)


def _asks_every_release(request: Request) -> bool:
    return ALL_RELEASES in request.releases or (request.every_release and not request.releases)


def question_of(
    subject: Subject, world: ClaimInWorld, limits: Limits = Limits(), reductions: Reductions = Reductions()
) -> Question:
    """The one question that these names ask.

    Raises UnknownNameError for a name that the subject does not have, and where no release is named or usual.
    """
    releases = () if world.release is None else (world.release,)
    known = [release.name for release in usual_releases(subject.model)]
    if not releases and len(known) > 1:
        raise UnknownNameError("release", "", [], f"name a release: {', '.join(known)}")
    names = (world.fixes, world.assumptions, world.listener, world.scope, world.bounds)
    (question,) = questions_of(Request(subject, (world.claim,), releases, *names, limits, reductions))
    return question


def questions_by_subject(subjects: Sequence[Subject], request: Request) -> list[tuple[Subject, list[Question]]]:
    """The questions about each subject of a family: all of its claims, or those that the request names and it has.

    UnknownNameError for a name that none of them has, as for a single subject.
    """
    if len(subjects) == 1:
        return [(subjects[0], questions_of(replace(request, subject=subjects[0])))]
    named = request.properties
    for name in named:
        if not any(subject.knows(name) for subject in subjects):
            raise UnknownNameError("claim", name, [prop.id for subject in subjects for prop in subject.properties])
    by_subject = []
    for subject in subjects:
        known = tuple(name for name in named if subject.knows(name))
        if known or not named:
            by_subject.append((subject, questions_of(replace(request, subject=subject, properties=known))))
    return by_subject


def question_with_remedy(
    subject: Subject, prop: Property, remedy: Remedy, limits: Limits, release: str | None = None
) -> Question:
    """A refuted case with one of its remedies, with which it should hold; without a release, in that of the remedy."""
    fixes = tuple(fix.name for fix in remedy.fixes)
    assumptions = tuple(assumption.name for assumption in remedy.assumptions)
    listener = None if remedy.listener is None else remedy.listener.name
    scope = remedy.scope or _scopes(Request(subject), prop)[0].name
    world = ClaimInWorld(prop.id, release or remedy.release or None, scope, fixes, assumptions, listener, remedy.bounds)
    return question_of(subject, world, limits)


def _releases(request: Request) -> list[dict[str, Release]]:
    model = request.subject.model
    if not model.releases and set(request.releases) <= {ALL_RELEASES}:
        return [{}]
    if model.releases and not model.roles:
        with declared_by(model):
            raise DeclarationError(f'{model.__name__} has releases but no roles; name them, as in roles = ("client",)')
    wanted = request.releases or ((ALL_RELEASES,) if request.every_release else ())
    return [named_releases(name, request.subject) for name in release_names(model, wanted)]


def _releases_for(request: Request, prop: Property) -> list[dict[str, Release]]:
    """The releases that are asked for.

    Without any, a case that is named and says nothing of the usual ones is asked of the first of which it does.
    """
    releases, model = _releases(request), request.subject.model
    named = request.releases or request.every_release
    if named or prop.id not in request.properties or not prop.case.only_of:
        return releases
    every = [dict.fromkeys(model.roles, release) for release in model.releases]
    own = [each for each in every if prop.case.speaks_of(Setting(model.scopes[0], each))]
    return [each for each in releases if each in own] or own[:1] or releases


def _settings(request: Request, prop: Property, releases: dict[str, Release]) -> list[Setting]:
    model = request.subject.model
    own = right_for_named(prop.fixes, releases, model)
    fixes = (*own, *(one_named("fix", name, {f.name: f for f in model.fixes}) for name in request.fixes))
    named = tuple(one_named("assumption", name, {a.name: a for a in model.assumptions}) for name in request.assumptions)
    usual = model.listeners[0] if model.listeners else None
    listener = prop.listener or usual
    if request.listener is not None:
        listener = one_named("listener", request.listener, {x.name: x for x in model.listeners})
    return [
        Setting(
            with_bounds(scope, request.bounds, model),
            as_they_differ(releases, model),
            tuple(dict.fromkeys(fixes)),
            tuple(dict.fromkeys((*prop.assumptions, *named))),
            listener,
            listener != usual,
        )
        for scope in _scopes(request, prop)
    ]


def _scopes(request: Request, prop: Property) -> list[Scope]:
    subject = request.subject
    if isinstance(request.scope, Scope):
        return [as_scope_of(request.scope, subject.model)]
    if request.scope is not None and request.scope != ALL_SCOPES:
        return [subject.scope(request.scope)]
    with declared_by(subject.model):
        named = [subject.scope(name) for name in prop.scopes]
    usual = [scope for scope in subject.model.scopes if not scope.large] or list(subject.model.scopes)
    return named or (usual if request.scope == ALL_SCOPES else usual[:1])


def _other_scopes(request: Request, prop: Property) -> tuple[str, ...]:
    """The scopes that a claim which names none could have been asked in as well."""
    if request.scope is not None or prop.scopes:
        return ()
    scopes = [scope.name for scope in _scopes(request, prop)]
    return tuple(s.name for s in request.subject.model.scopes if not s.large and s.name not in scopes)


def _question(request: Request, prop: Property, setting: Setting) -> Question:
    with declared_by(request.subject.model):
        witnesses = tuple(request.subject.find(id) for id in prop.needs)
    return Question(
        request.subject.model,
        setting,
        prop,
        witnesses,
        request.limits,
        request.reductions,
        request.progress,
        _other_scopes(request, prop),
        asked_instead(request.subject, prop, setting.releases),
    )

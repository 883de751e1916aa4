"""From options to questions: which claims, in which settings, within which limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from offsetproof.checking.declaration_errors import declared_by
from offsetproof.lang.behaviours import optional_roles
from offsetproof.lang.cases import Remedy
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import Model, faults_of, usual_releases
from offsetproof.lang.scope import Scope, UnknownNameError, sort_in, value_of
from offsetproof.lang.setting import Fix, Release, Setting
from offsetproof.lang.subject import Subject
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question, Reductions

Named = TypeVar("Named")


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
        why = f"{names} says nothing of {texts}; name a case to ask it all the same: {chosen[0].id}"
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
            f"{name} is about whole runs, which only `check` decides and `export --to tla` writes; name another",
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


def release_named(name: str, subject: Subject) -> Release:
    """A release of the subject; one of which it has another configuration alone is refused by that."""
    named = {release.name: release for release in subject.model.releases}
    configured = [release.name for release in named.values() if release.published_as == name]
    if name and name not in named and configured:
        what = f"{subject.name} leaves out what {name} does by default; it has {' and '.join(configured)}, which is"
        raise UnknownNameError("release", "", [], f"{what} {name} in another configuration")
    release: Release = _named_one("release", name, named)
    return release


def parse_release(text: str, subject: Subject) -> dict[str, Release]:
    """`4.9.4` for all roles, or `client=4.9.8,broker=4.9.4` for each; a role that need not be named may be.

    Raises UnknownNameError for an unknown release or role, and when a role has none, or two.
    """
    return _as_they_differ(_named_releases(text, subject), subject.model)


def _named_releases(text: str, subject: Subject) -> dict[str, Release]:
    """The same with each role that is named, also one that has the release which it has anyway."""
    model = subject.model
    optional = optional_roles(model)
    if "=" not in text:
        if "," in text:
            raise UnknownNameError("release", "", [], f"{text} are several releases; name each by itself, or `all`")
        return dict.fromkeys(model.roles, release_named(text, subject))
    roles: dict[str, Release] = {}
    for pair in text.split(","):
        role, _, name = pair.partition("=")
        _named_one("role", role, dict.fromkeys((*model.roles, *optional), role))
        if role in roles:
            raise UnknownNameError("release", "", [], f"{text} names two releases for role {role}; leave one out")
        roles[role] = release_named(name, subject)
    missing = [role for role in model.roles if role not in roles]
    if missing:
        message = f"{text} names no release for role {missing[0]}; add {missing[0]}=..."
        raise UnknownNameError("release", "", [], message)
    return {role: roles[role] for role in sorted(roles)}


def _right_for_named(fixes: Sequence[Fix], releases: Mapping[str, Release], model: type[Model]) -> list[Fix]:
    """A case's fixes but those of a role that need not be named, and is, with a release that does not have them."""
    named = {role: of for role, of in releases.items() if role in optional_roles(model)}
    return [fix for fix in fixes if all(named[each.role].shows(each) for each in fix.adds if each.role in named)]


def _as_they_differ(releases: Mapping[str, Release], model: type[Model]) -> dict[str, Release]:
    """The releases without a role that need not be named, and has that of the role which it follows."""
    followed = optional_roles(model)
    return {role: of for role, of in releases.items() if role not in followed or of is not releases[followed[role]]}


def _releases(request: Request) -> list[dict[str, Release]]:
    model = request.subject.model
    if not model.releases and set(request.releases) <= {ALL_RELEASES}:
        return [{}]
    if model.releases and not model.roles:
        with declared_by(model):
            raise DeclarationError(f'{model.__name__} has releases but no roles; name them, as in roles = ("client",)')
    wanted = request.releases or ((ALL_RELEASES,) if request.every_release else ())
    return [_named_releases(name, request.subject) for name in release_names(model, wanted)]


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


def release_names(model: type[Model], texts: Iterable[str]) -> list[str]:
    """The releases that are named, as users write them; `all` is each of the model, and without any it is the usual."""
    every = [release.name for release in model.releases]
    usual = [release.name for release in usual_releases(model)]
    wanted = [name for text in texts for name in (every if text == ALL_RELEASES else [text])]
    return list(dict.fromkeys(wanted or usual))


def _settings(request: Request, prop: Property, releases: dict[str, Release]) -> list[Setting]:
    model = request.subject.model
    own = _right_for_named(prop.fixes, releases, model)
    fixes = (*own, *(_named_one("fix", name, {f.name: f for f in model.fixes}) for name in request.fixes))
    named = tuple(
        _named_one("assumption", name, {a.name: a for a in model.assumptions}) for name in request.assumptions
    )
    usual = model.listeners[0] if model.listeners else None
    listener = prop.listener or usual
    if request.listener is not None:
        listener = _named_one("listener", request.listener, {x.name: x for x in model.listeners})
    return [
        Setting(
            _with_bounds(scope, request.bounds, model),
            _as_they_differ(releases, model),
            tuple(dict.fromkeys(fixes)),
            tuple(dict.fromkeys((*prop.assumptions, *named))),
            listener,
            listener != usual,
        )
        for scope in _scopes(request, prop)
    ]


def _with_bounds(scope: Scope, bounds: Mapping[str, int | str], model: type[Model]) -> Scope:
    """The scope with these bounds and fault budgets, also of kinds that it does not name.

    UnknownNameError for what neither the scope nor a fault of the model is called, and for a number that cannot be.
    """
    faults = {**{fault.name: 0 for fault in faults_of(model)}, **scope.faults}
    for name in bounds:
        if name not in scope.bounds and name not in faults:
            raise UnknownNameError(f"bound of scope {scope.name}", name, [*scope.bounds, *faults])
    raised = {name: 0 for name in faults if name in bounds and name not in scope.faults}
    numbers = {name: value_of(sort_in(model.bounds, name), name, value) for name, value in bounds.items()}
    return replace(scope, faults={**scope.faults, **raised}).with_bounds(numbers).fitted(model.bounds)


def _own(scope: Scope, model: type[Model]) -> Scope:
    """A scope of the user's own as one of the model's: with its defaults; UnknownNameError for what the model has not.

    A model need not say what its bounds are. Then they are those of its scopes, if these have any.
    """
    known = dict.fromkeys([*model.bounds, *(bound for each in model.scopes for bound in each.bounds)])
    for kind, names, there in (
        ("bound", scope.bounds, known),
        ("fault", scope.faults, [fault.name for fault in faults_of(model)]),
    ):
        odd = next((name for name in names if name not in there), None)
        if odd is not None and (there or kind == "fault"):
            raise UnknownNameError(f"{kind} (in scope {scope.name})", odd, there)
    return scope.completed(model.bounds)


ALL_RELEASES = "all"
"""As the release to ask of: each one that the model has."""

ALL_SCOPES = "all"
"""As the scope to ask in: every scope that a claim names, or all of the model's if it names none."""


def _scopes(request: Request, prop: Property) -> list[Scope]:
    subject = request.subject
    if isinstance(request.scope, Scope):
        return [_own(request.scope, subject.model)]
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
    )


def _named_one(kind: str, name: str, known: Mapping[str, Any]) -> Any:
    if name not in known:
        raise UnknownNameError(kind, name, known)
    return known[name]

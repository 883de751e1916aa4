"""All about one thing that a subject has a name for: a case of a claim, an action, a behaviour, an assumption."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill

from offsetproof.checking.remedies import remedies_in
from offsetproof.checking.siblings import asked_instead
from offsetproof.lang.action import Action
from offsetproof.lang.cases import HOLDS, REFUTED, Expectation, Remedy
from offsetproof.lang.changes import Change, before_change, every_action, left_out_of, with_all_changes, with_change
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.model import Model, faults_of
from offsetproof.lang.scope import Fault, Scope
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Release
from offsetproof.lang.subject import Subject, modules_of
from offsetproof.lang.timing import TimerChange
from offsetproof.lang.uses import declaration_of, users_of
from offsetproof.verdict.phrases import instead_in_words

Thing = Action | Behaviour | Fix | Assumption | Listener | Fault | Scope | Release | TimerChange
"""What has a name beside claims."""

Fact = tuple[str, str]
"""Its kind, and what it says."""


def named_values(model: type[Model]) -> dict[str, Thing]:
    """Everything of a model that has a name, by that name; of two with one name the first."""
    every: list[Thing] = [*every_action(model), *model.fixes, *model.assumptions, *model.listeners]
    every += [*faults_of(model), *model.scopes, *model.releases, *behaviours_of_releases(model)]
    every += timers_of_releases(model)
    return {each.name: each for each in reversed(every)}


def behaviours_of_releases(model: type[Model]) -> list[Behaviour]:
    """What some release of the model has, and no fix adds: each by a change of the model."""
    fixes = {fix.name for fix in model.fixes}
    every = dict.fromkeys(change.when for change in model.changed_by)
    return [each for each in every if each.name not in fixes and first_with([each], model)]


def timers_of_releases(model: type[Model]) -> dict[TimerChange, str]:
    """The timers that some release of the model has otherwise, each with the first one that does."""
    return {change: release.name for release in reversed(model.releases) for change in release.timer_changes}


def lines_of_facts(facts: Iterable[Fact], width: int) -> Iterator[str]:
    """The facts that say something, one below the other."""
    for what, said in facts:
        if said:
            yield from fill(
                f"  {what:<9} {said}", width, subsequent_indent=" " * 12, break_on_hyphens=False
            ).splitlines()


def first_with(behaviours: Iterable[Behaviour], model: type[Model]) -> str:
    """The first release of the model that has all of these; empty where none has."""
    behaviours = [*behaviours]
    return next((each.name for each in model.releases if behaviours and all(map(each.shows, behaviours))), "")


def _with_firsts(behaviours: Iterable[Behaviour], model: type[Model]) -> str:
    firsts = [(each.name, first_with([each], model)) for each in behaviours]
    return " or ".join(f"{name} (in {first})" if first else name for name, first in firsts)


def verdict_words(prop: Property) -> Mapping[Expectation, str]:
    """A witness's words for verdicts; none of its own for what other claims have."""
    return {HOLDS: "reached", REFUTED: "not reached"} if prop.kind is ClaimKind.SOMETIMES else {}


def expectation_in_words(subject: Subject, prop: Property) -> str:
    """What is expected, and which behaviours turn it round, each with the first release that has it."""
    words = verdict_words(prop)
    expected = [f"{name} {words.get(v, v)}".strip() for name, v in prop.expectations.items()]
    unless, without = (_with_firsts(each, subject.model) for each in (prop.case.unless, prop.case.turned_back_by))
    not_of = " or ".join(each.name for each in prop.case.not_of)
    only_of = " and ".join(each.name for each in prop.case.only_of)
    more = [f"unless {unless}" + f" without {without}" * bool(without)] * bool(unless)
    more += [f"not asked of a release with {not_of}"] * bool(not_of)
    more += [f"asked only of a release with {only_of}"] * bool(only_of)
    for scope, behaviours in prop.case.not_in.items():
        more.append(f"not asked in {scope} of a release with {' or '.join(each.name for each in behaviours)}")
    return ", ".join([*expected, *more])


def verdicts_of_release(release: Release, subject: Subject, prop: Property) -> list[str]:
    """The verdicts that are expected of a case in a release, each with its scopes: `REFUTED in reset, reset-two`."""
    words, scopes = verdict_words(prop), subject.expected_in(release, prop)
    return [
        words.get(verdict, str(verdict))
        + f" in {', '.join(name for name in scopes if scopes[name] is verdict)}" * bool(prop.scopes)
        for verdict in dict.fromkeys(scopes.values())
    ]


def claim_lines(
    subject: Subject,
    prop: Property,
    explanation: str,
    stories: Sequence[str],
    width: int,
    release: Release | None = None,
) -> Iterator[str]:
    """All about one case; the explanation is its claim's, and stands at the first case alone.

    Of one release it tells the verdicts that are expected there, and the remedies that are known to be any.
    """
    yield fill(prop.title, width)
    for paragraph in explanation.split("\n\n"):
        if paragraph:
            yield from fill(
                " ".join(paragraph.split()), width, initial_indent="  ", subsequent_indent="  "
            ).splitlines()
    scopes = {scope.name: scope.describe() for scope in subject.model.scopes}
    expected, remedies, none = expectation_in_words(subject, prop), prop.remedies, prop.case.no_remedy
    if release is not None:
        in_release = verdicts_of_release(release, subject, prop)
        roles = dict.fromkeys(subject.model.roles, release)
        instead = instead_in_words(asked_instead(subject, prop, roles))
        expected = "; ".join(in_release) or f"no verdict: the case says nothing of {release.name}{instead}"
        remedies = remedies_in(subject, prop, roles)
        none = none if in_release else ""
    facts = [
        ("case", prop.case.where),
        ("seen as", prop.case.symptom),
        ("kind", str(prop.kind)),
        ("expected", expected),
        *(("asked in", f"{name} ({scopes.get(name, '')})") for name in prop.scopes),
        *(("needs", f"{(needed := subject.find(id)).title}: {needed.about}") for id in prop.needs),
        *(("with fix", f"{fix.name}: {fix.about}") for fix in prop.fixes),
        *(("assuming", f"{a.name}: {a.about}") for a in prop.assumptions),
        ("listener", f"{prop.listener.name}: {prop.listener.about}" if prop.listener else ""),
        ("because", prop.case.why),
        *(("remedy", _remedy(remedy)) for remedy in remedies),
        ("remedy", none and f"none: {none}"),
        ("declared", prop.place),
        ("stories", ", ".join(stories) + " (`offsetproof show NAME`)" if stories else ""),
    ]
    yield from lines_of_facts(facts, width)


def _remedy(remedy: Remedy) -> str:
    parts = [("fix", " and ", [fix.name for fix in remedy.fixes])]
    parts += [("given", ", ", [assumption.name for assumption in remedy.assumptions])]
    parts += [("listener", "", [remedy.listener.name] if remedy.listener else [])]
    return f"{', '.join(f'{what} {between.join(names)}' for what, between, names in parts if names)} ({remedy.world})"


def facts_about(subject: Subject, thing: Thing) -> Iterator[Fact]:
    """What a list of one line has no room for: where it is declared, which steps ask for it, which cases name it."""
    model = subject.model
    if isinstance(thing, Action):
        yield from _facts_about_action(thing, model)
        return
    modules, value = modules_of(with_all_changes(model)), _behaviour_of(thing) or thing
    if isinstance(thing, Fix | Behaviour):
        added = thing.adds if isinstance(thing, Fix) else [thing]
        yield "role", ", ".join(sorted({each.role for each in added}))
        yield "source", thing.source
        yield from _changed_by(value, model)
    if isinstance(thing, Release):
        yield from _facts_about_release(thing, model)
    if isinstance(thing, TimerChange):
        yield from (("role", thing.timer.role), ("source", thing.source), ("at", thing.timer.source))
    yield "declared", declaration_of(value, modules)
    for name, place in users_of(value, modules):
        yield "asked in", f"{name} ({place})"
    yield from _cases_of(thing, subject)


def _behaviour_of(thing: Thing) -> Behaviour | None:
    """A behaviour, or the one that a fix is, where it is one alone: the model asks for that."""
    if isinstance(thing, Behaviour):
        return thing
    only = [each for each in thing.adds if each.name == thing.name] if isinstance(thing, Fix) else []
    return only[0] if only else None


def _facts_about_action(action: Action, model: type[Model]) -> Iterator[Fact]:
    yield "actor", f"{action.actor}, thread {action.thread}"
    yield "fault", action.fault or ""
    yield "logs", action.logs or ""
    yield from (("stands for", str(anchor)) for anchor in action.stands_for)
    for each in {each.method: each for each in every_action(model) if each.name == action.name}.values():
        changes = [change.name for change in model.changed_by if _tells(change, each, model)]
        yield "declared", each.place + (f" (with {', '.join(changes)})" if changes else "")
    for change in model.changed_by:
        if action.name in before_change(model, change).actions.keys() - with_change(model, change).actions.keys():
            yield "gone", f"with {change.name} ({change.place})"


def _tells(change: Change, action: Action, model: type[Model]) -> bool:
    """Is an action one that a change brings, or brings instead of the model's?"""
    mine = with_change(model, change).actions.get(action.name)
    own = before_change(model, change).actions.get(action.name)
    return mine is not None and mine.method is action.method and _differs(mine, own)


def _differs(action: Action, own: Action | None) -> bool:
    return own is None or action.method is not own.method


def _changed_by(value: object, model: type[Model]) -> Iterator[Fact]:
    """The steps that a behaviour with a file of its own brings, does otherwise, and takes away."""
    for change in model.changed_by:
        if change.when is value:
            those, before = with_change(model, change).actions, before_change(model, change).actions
            yield "changes", ", ".join(name for name in those if _differs(those[name], before.get(name)))
            yield "parts", ", ".join(f"{part.__name__} ({part.__module__})" for part in change.parts)
            yield "takes", ", ".join(name for name in before if name not in those)
            yield "in", change.place


def _facts_about_release(release: Release, model: type[Model]) -> Iterator[Fact]:
    """Its behaviours and timers, those of earlier releases with them, and what is left out beside the model's own."""
    shown: Mapping[str, Behaviour] = {each.name: each for base in release.lineage for each in base.behaviours}
    for name in sorted(shown):
        if release.shows(shown[name]):
            yield "has", f"{name}: {shown[name].about} ({shown[name].source})"
    for change in release.timer_changes:
        yield "timer", f"{change.name}: {change.about}{change.source and f' ({change.source})'}"
    if release.jars != release.name:
        yield "is", f"{release.jars} with another configuration"
    yield from (("without", text) for text in left_out_of(release, model) if text not in model.left_out)


def _cases_of(thing: Thing, subject: Subject) -> Iterator[Fact]:
    """The cases that name it: asked with it or in it, turned round by it, not or only asked where it is, and mended."""
    asked = [prop.id for prop in subject.properties if _names(prop, thing)]
    turned = [
        prop.id for prop in subject.properties if _behaviour_of(thing) in (*prop.case.unless, *prop.case.turned_back_by)
    ]
    silent = [prop.id for prop in subject.properties if _behaviour_of(thing) in prop.case.not_of]
    alone = [prop.id for prop in subject.properties if _behaviour_of(thing) in prop.case.only_of]
    mended = [prop.id for prop in subject.properties if any(_is_in(remedy, thing) for remedy in prop.remedies)]
    yield "cases", ", ".join(asked)
    yield "turns", ", ".join(turned)
    yield "not asked", ", ".join(silent)
    yield "asked only", ", ".join(alone)
    yield "mends", ", ".join(mended)


def _names(prop: Property, thing: Thing) -> bool:
    if isinstance(thing, Scope):
        return thing.name in prop.scopes
    return thing in (*prop.fixes, *prop.assumptions, prop.listener)


def _is_in(remedy: Remedy, thing: Thing) -> bool:
    return thing in (*remedy.fixes, *remedy.assumptions, remedy.listener)

"""Subjects: a model with its catalogue of claims, and finding the one that a module declares."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

from offsetproof.lang.behaviours import optional_roles
from offsetproof.lang.cases import Expectation
from offsetproof.lang.changes import model_in, with_all_changes
from offsetproof.lang.claim import NO_DEADLOCK, WALK, ClaimKind, Property, properties_of, with_hyphens
from offsetproof.lang.component import classes_in
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import Model
from offsetproof.lang.naming import refuse_unknown_actions
from offsetproof.lang.picture import Picture
from offsetproof.lang.registry import (
    classes_made_in,
    imported_by_calls,
    note_asked,
    refuse_dropped,
    refuse_dropped_classes,
    take,
)
from offsetproof.lang.rigging import Rigging
from offsetproof.lang.scope import Scope, UnknownNameError
from offsetproof.lang.setting import Release, Setting, mixtures
from offsetproof.lang.source_paths import is_library
from offsetproof.lang.sources import modules_imported_by, modules_imported_whole_by
from offsetproof.lang.step import records_in, rigging_of, waits_in
from offsetproof.lang.timing import Seconds, Timing, Transit

Given = TypeVar("Given", Damage, Timing)

_OWN_NAMES = {
    with_hyphens(WALK.id): "a walk by hand",
    with_hyphens(NO_DEADLOCK.id): "the claim that there is no deadlock",
}
"""What no claim of a model can be called."""


class NoSubjectError(Exception):
    """There is no such file, module or model; the message says what was looked for."""

    def __init__(self, message: str, name: str = "") -> None:
        super().__init__(message)
        self.name = name  # the word that is neither that nor anything else where it stands


@dataclass(frozen=True)
class Subject:
    """What is checked: a model class with its catalogue of claims, under the name that reports show.

    `damage` says what a violation does to messages, where the model has any; `timing` how long its steps take, where
    they do not say so themselves, and `transits` how long things are on their way, where timers take so long; `rigging`
    what a rig is built with and shows, for steps that say how they are done there; `picture` how states are drawn.
    """

    name: str
    model: type[Model]
    properties: tuple[Property, ...]
    damage: Damage | None = None
    timing: Timing | None = None
    rigging: Rigging | None = None
    picture: Picture | None = None
    transits: tuple[Callable[[Seconds], Transit], ...] = ()

    def __post_init__(self) -> None:
        take(self.properties)
        whole = with_all_changes(self.model)
        refuse_unknown_actions(whole, self.properties, self.damage, self._timing_of(whole, lambda timer: timer.seconds))
        self._refuse_confused_ids()
        for prop in self.properties:
            self._refuse_bad_needs(prop)
            self._refuse_unknown_releases(prop)
            if prop.kind is ClaimKind.AT_REST and self.model.rest is Model.rest:
                raise DeclarationError(
                    f"{prop.place}: {prop.id} is about {self.model.__name__} at rest; define rest(self) -> bool there"
                )

    def timing_in(self, setting: Setting) -> Timing | None:
        """How long the steps take in a setting; None where neither they nor the subject say."""
        return self._timing_of(model_in(setting, self.model), setting.seconds)

    def _timing_of(self, model: type[Model], seconds: Seconds) -> Timing | None:
        if self.timing is not None or not records_in(model.actions):
            return self.timing
        return Timing(tuple(waits_in(model.actions, seconds)), tuple(transit(seconds) for transit in self.transits))

    def rigging_in(self, setting: Setting) -> Rigging | None:
        """How the steps that there are in a setting are done on the real program; None where nobody says."""
        if self.rigging is None:
            return None
        return rigging_of(self.rigging.in_scope(setting.scope), model_in(setting, self.model).actions)

    def _refuse_confused_ids(self) -> None:
        """A claim's id is not another claim's id or name: people take either where a claim is meant.

        Names that only differ in hyphens and underscores are the same to who types them.
        """
        for prop in self.properties:
            for name in (prop.id, prop.name):
                if with_hyphens(name) in _OWN_NAMES:
                    what = _OWN_NAMES[with_hyphens(name)]
                    raise DeclarationError(f"{prop.place}: {name} is what {what} is called; rename the claim")
        names = {with_hyphens(prop.name): prop for prop in self.properties}
        ids: dict[str, Property] = {}
        for prop in self.properties:
            other = ids.setdefault(with_hyphens(prop.id), prop)
            if other is not prop:
                both = prop.id if other.id == prop.id else f"{prop.id}, or {other.id}"
                raise DeclarationError(f"{prop.place}: two claims have the id {both}; give each its own with id=")
        for prop in self.properties:
            for what, name in (("id", prop.id), ("name", prop.name)):
                other = names.get(with_hyphens(name), prop)
                if other.function is not prop.function:
                    taken = f"the name of claim {other.id} ({other.place})"
                    raise DeclarationError(f"{prop.place}: the {what} {name} is also {taken}; rename one")

    def _refuse_bad_needs(self, prop: Property) -> None:
        """What a claim needs are witnesses: only of those it can be said that they were reached."""
        for id in prop.needs:
            try:
                needed = self.find(id)
            except UnknownNameError as error:
                raise DeclarationError(f"{prop.place}: {error}") from None
            if needed.kind is not ClaimKind.SOMETIMES:
                raise DeclarationError(
                    f"{prop.place}: {prop.id} needs {id}, which is not a witness; mark it @sometimes"
                )

    def _refuse_unknown_releases(self, prop: Property) -> None:
        """A verdict is expected in releases that there are, as users write them: else nobody would ever look for it."""
        known = [each.name for release in self.model.releases for each in release.lineage]
        if any("=" in str(name) for name in prop.case.elsewhere):
            known += mixtures(self.model.roles, self.model.releases, optional_roles(self.model))
        for name in prop.case.elsewhere:
            if name not in known:
                error = UnknownNameError("release", str(name), [*dict.fromkeys(known)])
                raise DeclarationError(f"{prop.place}: {prop.id} expects a verdict of its own in {name!r}: {error}")

    def find(self, name: str) -> Property:
        """The claim with this id, or the first case of the one with this name; UnknownNameError with the nearest."""
        return self.named(name)[0]

    def named(self, name: str) -> tuple[Property, ...]:
        """The case with this id, or else all cases of the claim with this name; UnknownNameError with the nearest.

        A name may have underscores for its hyphens, or the other way round.
        """
        known = (*self.properties, NO_DEADLOCK)
        props = tuple(prop for prop in known if prop.id == name) or tuple(
            prop for prop in known if with_hyphens(prop.name) == with_hyphens(name)
        )
        if not props:
            names = (name for prop in known for name in (prop.id, prop.name))
            raise UnknownNameError("claim", name, [*dict.fromkeys(names)])
        return props

    def expected_in(self, release: Release, prop: Property) -> dict[str, Expectation]:
        """The verdict that is expected of a case in a release, by the scopes of which it says something there.

        Where a case names no scope, the model's are its own.
        """
        scopes = {scope.name: scope for scope in self.model.scopes}
        roles = dict.fromkeys(self.model.roles, release)
        asked = {
            name: prop.case.expected_in(Setting(scopes[name], roles, prop.fixes)) for name in prop.scopes or scopes
        }
        return {name: expected for name, expected in asked.items() if expected is not None}

    def published_as(self, release: str) -> str:
        """The name under which the classes of a release are published; that of one that the model does not know.

        A role that settings need not name has none of them.
        """
        named = dict(pair.split("=") for pair in release.split(",")) if "=" in release else {"": release}
        of = {name for role, name in named.items() if role not in optional_roles(self.model)}
        return next((each.jars for each in self.model.releases if of == {each.name}), release)

    def knows(self, name: str) -> bool:
        """Is there a claim with this id or name?"""
        try:
            return bool(self.named(name))
        except UnknownNameError:
            return False

    def scope(self, name: str) -> Scope:
        """The scope with this name; UnknownNameError with the nearest otherwise."""
        for scope in self.model.scopes:
            if scope.name == name:
                return scope
        raise UnknownNameError("scope", name, [scope.name for scope in self.model.scopes])


def subject_in(module: ModuleType, place: str, wanted: str = "") -> Subject:
    """The subject that a module declares: its one model, or the one of this name, with the claims in it and beside it.

    `place` is what messages call the module. NoSubjectError where there is no such model, DeclarationError for claims
    that replace each other.
    """
    model = _model(module, wanted, place)
    refuse_dropped([module, *modules_of(model)], claims=True)
    refuse_dropped_classes(module, Model)
    _refuse_unasked_modules(module, model)
    return _with_what_is_beside(model, module)


def subject_of(model: type[Model], *, chosen: bool = False) -> Subject:
    """A model with its claims and what its module has beside it, as if the module had been named.

    One that is made within a function has nothing beside it. Where claims are `chosen`, others may stand anywhere.
    """
    note_asked(model)
    module = sys.modules.get(model.__module__)
    if module is None or getattr(module, model.__name__, None) is not model:
        return Subject(model.__name__, model, model.claims)
    refuse_dropped([module, *modules_of(model)], claims=not chosen)
    return _with_what_is_beside(model, module)


def modules_of(model: type[Model]) -> list[ModuleType]:
    """Those that define the model and what it is made of."""
    names = [kind.__module__ for kind in classes_in(with_all_changes(model)) if kind.__module__ in sys.modules]
    return [sys.modules[name] for name in dict.fromkeys(names)]


def _refuse_unasked_modules(module: ModuleType, model: type[Model]) -> None:
    """A module without a model that the module imports, or has parts from, and none of whose claims it has.

    Of one that it imports whole it has all claims: none begins with `_`, is left out by `__all__`, or loses its name.
    """
    own = [*vars(module).values()]
    _refuse_half_imported(module)
    others = [value for value in own if isinstance(value, ModuleType)]
    for other in dict.fromkeys([*others, *modules_of(model), *_modules_imported(module)]):
        claims = [value for value in vars(other).values() if properties_of(value)]
        if claims and not _own_models(other) and not any(value is claim for value in own for claim in claims):
            prop = properties_of(claims[0])[0]
            raise DeclarationError(
                f"{prop.place}: claim {prop.name} stands in a module of whose claims the model's module has none, so "
                f"none is judged; write `from {other.__name__} import *` there, or import claims by their names"
            )


def _refuse_half_imported(module: ModuleType) -> None:
    """A claim of a module without a model that is imported whole, and that has not come with it."""
    own = {id(value) for value in vars(module).values()}
    for other in modules_imported_whole_by(module):
        if not _is_of_user(other) or _own_models(other):
            continue
        for name, value in vars(other).items():
            if properties_of(value) and id(value) not in own:
                prop = properties_of(value)[0]
                raise DeclarationError(
                    f"{prop.place}: claim {prop.name} is not judged: the module imports * from {other.__name__}, "
                    f"which does not bring {name} (it begins with `_`, is not in `__all__`, or another {name} took its "
                    "name); give it a name of its own, or import the claims that you want by their names"
                )


def _modules_imported(module: ModuleType) -> list[ModuleType]:
    """The modules of the user that a module imports, and what those without a model import in turn."""
    found: dict[ModuleType, None] = {}
    waiting = [module]
    while waiting:
        for other in modules_imported_by(waiting.pop()):
            if other not in found and _is_of_user(other):
                found[other] = None
                waiting += [] if _own_models(other) else [other]
    for other, between in imported_by_calls(module):
        if _is_of_user(other) and not any(_own_models(sys.modules[name]) for name in between if name in sys.modules):
            found[other] = None
    return [*found]


def _is_of_user(module: ModuleType) -> bool:
    file = getattr(module, "__file__", None) or ""
    return file != "" and not is_library(file) and not module.__name__.startswith("offsetproof.")


def _with_what_is_beside(model: type[Model], module: ModuleType) -> Subject:
    loose = [prop for value in vars(module).values() for prop in properties_of(value)]
    properties = tuple(dict.fromkeys([*model.claims, *loose]))
    return Subject(model.__name__, model, properties, _one_value_of(module, Damage), _one_value_of(module, Timing))


def _one_value_of(module: ModuleType, kind: type[Given]) -> Given | None:
    """The one value of this kind that the module holds, if it holds any."""
    values = [value for value in vars(module).values() if isinstance(value, kind)]
    if len(values) > 1:
        raise DeclarationError(f"there are {len(values)} values of {kind.__name__} beside the model; keep one")
    return values[0] if values else None


def _own_models(module: ModuleType) -> list[type[Model]]:
    kinds = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Model)]
    made = classes_made_in(module)
    return [kind for kind in dict.fromkeys(kinds) if kind.__module__ == module.__name__ or kind in made]


def _model(module: ModuleType, wanted: str, place: str) -> type[Model]:
    own = _own_models(module)
    parts = {step for kind in own for change in kind.changed_by for step in change.steps}
    bases = {base for kind in own for base in kind.__mro__[1:]}
    final = [kind for kind in own if kind not in bases | parts]
    names = ", ".join(kind.__name__ for kind in final)
    if wanted:
        chosen = [kind for kind in own if kind.__name__ == wanted]
        if not chosen:
            raise NoSubjectError(f"{place} has no model {wanted}; it has {names or 'none'}")
        return chosen[0]
    if len(final) != 1:
        there = f"has {len(final)} models ({names}); name one as {place}:NAME" if final else "has no Model subclass"
        raise NoSubjectError(f"{place} {there}")
    return final[0]

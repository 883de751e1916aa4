"""Subjects: a model with its catalogue of claims, and finding the one that a module declares."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TypeVar

from offsetproof.lang.claim import NO_DEADLOCK, WALK, ClaimKind, Property, always, properties_of, with_hyphens
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.model import Model
from offsetproof.lang.naming import refuse_unknown_actions
from offsetproof.lang.picture import Picture
from offsetproof.lang.rigging import Rigging
from offsetproof.lang.scope import Scope, UnknownNameError
from offsetproof.lang.setting import mixtures
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.timing import Seconds, Timing

Given = TypeVar("Given", Damage, Timing)

_OWN_NAMES = {
    with_hyphens(WALK.id): "a walk by hand",
    with_hyphens(NO_DEADLOCK.id): "the claim that there is no deadlock",
}
"""What no claim of a model can be called."""


class NoSubjectError(Exception):
    """There is no such file, module or model; the message says what was looked for."""


@dataclass(frozen=True)
class Subject:
    """What is checked: a model class with its catalogue of claims, under the name that reports show.

    `damage` says what a violation does to messages, where the model has any; `timing` how long its steps take, or
    makes that from what the timers are in the releases of a question; `rigging` how its steps are done on the real
    program; `picture` how its states are drawn.
    """

    name: str
    model: type[Model]
    properties: tuple[Property, ...]
    damage: Damage | None = None
    timing: Timing | Callable[[Seconds], Timing] | None = None
    rigging: Rigging | None = None
    picture: Picture | None = None

    def __post_init__(self) -> None:
        refuse_unknown_actions(self.model, self.properties, self.damage, self.timing_where(lambda timer: timer.seconds))
        self._refuse_confused_ids()
        for prop in self.properties:
            self._refuse_bad_needs(prop)
            self._refuse_unknown_releases(prop)
            if prop.kind is ClaimKind.AT_REST and self.model.rest is Model.rest:
                raise DeclarationError(
                    f"{prop.place}: {prop.id} is about {self.model.__name__} at rest; define rest(self) -> bool there"
                )

    def timing_where(self, seconds: Seconds) -> Timing | None:
        """How long the steps take where timers take so long; None where the subject does not say."""
        return self.timing(seconds) if callable(self.timing) else self.timing

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
            known += mixtures(self.model.roles, self.model.releases)
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
    _refuse_replaced_claims(module)
    loose = [prop for value in vars(module).values() for prop in properties_of(value)]
    properties = tuple(dict.fromkeys([*model.claims, *loose]))
    return Subject(model.__name__, model, properties, _one_value_of(module, Damage), _one_value_of(module, Timing))


def _refuse_replaced_claims(module: ModuleType) -> None:
    """A function at the top of a module that replaces a claim of the same name, of which nothing would be left."""
    try:
        tree = ast.parse(inspect.getsource(module))
    except (OSError, TypeError, SyntaxError):
        return
    seen: dict[str, ast.FunctionDef] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            before = seen.get(node.name)
            if before is not None and any(_marks_a_claim(each, module) for each in before.decorator_list):
                place = shown_place(str(module.__file__), node.lineno)
                raise DeclarationError(
                    f"{place}: {node.name} is declared twice, in line {before.lineno} as a claim; only the second "
                    "would be left, so rename one"
                )
            seen[node.name] = node


def _marks_a_claim(decorator: ast.expr, module: ModuleType) -> bool:
    """Is it @always, @each_step...?"""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    value = getattr(module, name.id, None) if isinstance(name, ast.Name) else None
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
        value = getattr(getattr(module, name.value.id, None), name.attr, None)
    return isinstance(value, type(always))


def _one_value_of(module: ModuleType, kind: type[Given]) -> Given | None:
    """The one value of this kind that the module holds, if it holds any."""
    values = [value for value in vars(module).values() if isinstance(value, kind)]
    if len(values) > 1:
        raise DeclarationError(f"there are {len(values)} values of {kind.__name__} beside the model; keep one")
    return values[0] if values else None


def _model(module: ModuleType, wanted: str, place: str) -> type[Model]:
    kinds = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, Model)]
    own = [kind for kind in kinds if kind.__module__ == module.__name__]
    final = [kind for kind in own if not any(other is not kind and issubclass(other, kind) for other in own)]
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

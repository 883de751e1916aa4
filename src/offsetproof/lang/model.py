"""Models: the root component, its actions, and everything that users may name when they check it.

class Lock(Model):
    scopes = (Scope("two", {"processes": 2}),)
    holder: int | None = optional(integer(0, lambda s: s.processes - 1))

    @action(p=Index("process", "processes"), actor="process[p]")
    def process_takes_lock(self, p: int) -> None:
        require(self.holder is None)
        self.holder = p
"""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace
from enum import Enum
from functools import cache, lru_cache
from itertools import product
from math import prod
from types import MappingProxyType
from typing import Any, ClassVar

from offsetproof.ir.faults import CAP, SPENT
from offsetproof.ir.system import Correlation, Label
from offsetproof.lang.action import Action, Elements, Retold, require
from offsetproof.lang.anchor import AnchorLines, with_line
from offsetproof.lang.asking import note_question
from offsetproof.lang.behaviours import refuse_bad_behaviours
from offsetproof.lang.changes import Change, every_action, model_in, standing_in
from offsetproof.lang.claim import Property, properties_of
from offsetproof.lang.component import Component, derive_class, keep
from offsetproof.lang.declaring import ACTION_MARK
from offsetproof.lang.domain import Integers
from offsetproof.lang.errors import (
    DeclarationError,
    RefusedError,
    place_of,
    raised_place,
    refuse_unwritable,
    user_place,
)
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.record import Record
from offsetproof.lang.registry import take
from offsetproof.lang.run import only_judging
from offsetproof.lang.scope import BoundKind, Fault, Scope, UnknownNameError, refuse_too_many, values_of
from offsetproof.lang.setting import Assumption, Behaviour, Fix, Listener, Release, Setting
from offsetproof.lang.sorts import ValueSort, describe_value, sort_of
from offsetproof.lang.starting import settle
from offsetproof.lang.tree import Leaf, Tree
from offsetproof.raised import text_of


class Model(Component):
    """The root of a model. Actions are its methods marked with `@action`; claims may be declared in it, too.

    `anchored` models must say for every action what it stands for; `anchor_lines` tells on which lines that is in each
    release, and must then have every anchor that gives no line itself. `rest` tells in which states claims of kind
    `at_rest` are judged; a model that has such claims must define it. `bounds` says what bounds may be, and what those
    are that a scope does not name. `retold` says otherwise what it has as it was. `usual_release` is the one of its
    `releases` that is asked where none is named; `check` asks each, and so do all without it. `changed_by` has what
    behaviours change in it.
    `wholesale` names fixes and assumptions that go round whatever breaks a claim, or make another thing of what does:
    causes are told apart without them.
    """

    _overridable: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("initially", "rest"), "method"),
        **dict.fromkeys(("scopes", "releases", "roles", "fixes", "assumptions", "listeners"), "constant"),
        **dict.fromkeys(("usual_release", "bounds", "left_out", "retold", "anchored", "anchor_lines"), "constant"),
        **dict.fromkeys(("changed_by", "wholesale"), "constant"),
    }
    scopes: ClassVar[tuple[Scope, ...]] = (Scope("default", {}),)
    bounds: ClassVar[Mapping[str, BoundKind]] = {}
    releases: ClassVar[tuple[Release, ...]] = ()
    usual_release: ClassVar[Release | None] = None
    roles: ClassVar[tuple[str, ...]] = ()
    fixes: ClassVar[tuple[Fix, ...]] = ()
    assumptions: ClassVar[tuple[Assumption, ...]] = ()
    listeners: ClassVar[tuple[Listener, ...]] = ()
    left_out: ClassVar[tuple[str, ...]] = ()
    retold: ClassVar[tuple[Retold, ...]] = ()
    changed_by: ClassVar[tuple[Change, ...]] = ()
    wholesale: ClassVar[tuple[Fix | Behaviour | Assumption, ...]] = ()
    anchored: ClassVar[bool] = False
    anchor_lines: ClassVar[tuple[AnchorLines, ...]] = ()
    actions: ClassVar[Mapping[str, Action]] = MappingProxyType({})
    claims: ClassVar[tuple[Property, ...]] = ()
    _parts: ClassVar[tuple[type[Component], ...]] = ()
    _gone: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        named = {name: value for base in reversed(cls.__mro__) for name, value in vars(base).items()}
        marks = {name: getattr(value, ACTION_MARK, None) for name, value in named.items()}
        actions = {
            name: replace(mark, name=name, record=mark.record or _inherited_record(cls, name))
            for name, mark in marks.items()
            if isinstance(mark, Action) and mark.method is named[name] and name not in cls._gone
        }
        actions |= _retold_in(cls, actions)
        claims = tuple(dict.fromkeys(prop for value in named.values() for prop in properties_of(value)))
        take([*cls.__mro__, *claims, *(action.method for action in actions.values())])
        keep(cls, "actions", MappingProxyType(actions))
        keep(cls, "claims", claims)
        _refuse_bad_lists(cls)
        _refuse_bad_actions(cls)

    def initially(self) -> None:
        """Makes the initial state differ from the fields' own initial values.

        Runs on real values, once for each combination of what it reads of fields that may start with several; those
        for which its `require` does not hold are not starts.
        """

    @classmethod
    def with_classes(
        cls, bases: Iterable[type], parts: Iterable[type[Component]], gone: Collection[str]
    ) -> type[Model]:
        """The model with other classes before it, parts for some of its own, and without some steps: see `changes`."""
        kept = (*(_LISTS.keys() - {"retold"}), "bounds", "usual_release", "anchored")
        own = {name: getattr(cls, name) for name in kept}
        made: type[Model] = derive_class(cls, tuple(bases), {**own, "changed_by": ()})
        keep(made, "_parts", tuple(parts))
        keep(made, "_gone", frozenset(gone))  # models that are derived from it lack them, too
        keep(made, "actions", MappingProxyType({name: made.actions[name] for name in made.actions if name not in gone}))
        return made

    def rest(self) -> bool:
        """Is the system at rest, so that claims of kind `at_rest` apply?"""
        raise DeclarationError(f"{type(self).__name__} has at_rest claims but no rest(); define rest(self) -> bool")


def _retold_in(model: type[Model], actions: Mapping[str, Action]) -> dict[str, Action]:
    """The actions that are as they were, but are told otherwise; DeclarationError for what is not such an action."""
    others: dict[str, Action] = {}
    for each in (each for base in reversed(model.__mro__) for each in vars(base).get("retold", ())):
        name = each.step.__name__
        if name not in actions:
            raise DeclarationError(f"{user_place()}: {model.__name__}.retold has {name}, which is none of its actions")
        if actions[name].method is each.step:
            others[name] = each.of(others.get(name, actions[name]))
    return others


def _inherited_record(model: type[Model], name: str) -> Record | None:
    """What is said of a step by the nearest class that says anything: one that overrides it keeps that."""
    marks = (getattr(vars(base).get(name), ACTION_MARK, None) for base in model.__mro__)
    return next((mark.record for mark in marks if isinstance(mark, Action) and mark.record), None)


_LISTS: dict[str, type] = {
    "scopes": Scope,
    "releases": Release,
    "roles": str,
    "fixes": Fix,
    "assumptions": Assumption,
    "listeners": Listener,
    "left_out": str,
    "retold": Retold,
    "changed_by": Change,
    "anchor_lines": AnchorLines,
}
"""What a model lists, and of what."""


def _refuse_bad_lists(model: type[Model]) -> None:
    """Lists of the wrong things, two things of one name, no scope at all, scopes with bounds that cannot be."""
    for name, kind in _LISTS.items():
        listed = getattr(model, name)
        if not isinstance(listed, tuple | list) or not all(isinstance(item, kind) for item in listed):
            wanted = f"a tuple of {kind.__name__}; a tuple of one has a comma"
            raise DeclarationError(f"{user_place()}: {model.__name__}.{name} must be {wanted}")
        names = [getattr(item, "name", item) for item in listed]
        refuse_unwritable(f"{user_place()}: {model.__name__}.{name}", *names)
        twice = next((each for each in names if names.count(each) > 1), None)
        if twice is not None:
            raise DeclarationError(f"{user_place()}: {model.__name__}.{name} has {twice!r} twice; rename one")
    if not model.scopes:
        raise DeclarationError(f"{user_place()}: {model.__name__}.scopes is empty; a model has at least one scope")
    refuse_bad_behaviours(model)
    if model.usual_release not in (None, *model.releases):
        raise DeclarationError(f"{user_place()}: {model.__name__}.usual_release must be one of its releases")
    completed = tuple(_complete_scope(scope, model.bounds) for scope in model.scopes)
    if completed != tuple(model.scopes):
        keep(model, "scopes", completed)


def _complete_scope(scope: Scope, bounds: Mapping[str, BoundKind]) -> Scope:
    """The scope with the defaults of the bounds that it does not name; DeclarationError for one that cannot be."""
    try:
        completed = scope.completed(bounds)
        completed.fitted(bounds)
    except UnknownNameError as error:
        raise DeclarationError(f"{user_place()}: scope {scope.name}: {error}") from None
    return completed


def _refuse_bad_actions(model: type[Model]) -> None:
    """Parameters without a sort, anchors that are missing, and faults of one name."""
    for action in model.actions.values():
        first, *names = [*inspect.signature(action.method).parameters] or [""]
        sorts = [name for name, _ in action.sorts]
        if not first or [first, *names] == sorts:
            raise DeclarationError(
                f"{action.place}: {action.name} has no self; write def {action.name}({', '.join(['self', *sorts])})"
            )
        if names != [name for name, _ in action.sorts]:
            raise DeclarationError(
                f"{action.place}: {action.name} takes ({', '.join(names)}), but @action gives sorts for "
                f"({', '.join(name for name, _ in action.sorts)}); name each parameter once, in order"
            )
        if model.anchored and not action.stands_for:
            raise DeclarationError(f"{action.place}: {action.name} stands for no Java code; add stands_for=[at(...)]")
    faults_of(model)


def faults_of(model: type[Model]) -> tuple[Fault, ...]:
    """The kinds of fault that the model's actions are, in order, with those that changes bring.

    DeclarationError where one name means two of them.
    """
    kinds: dict[str, Fault] = {}
    for action in every_action(model):
        kind = action.kind_of_fault
        if kind is not None and kinds.setdefault(kind.name, kind) != kind:
            other = kinds[kind.name]
            raise DeclarationError(
                f"{action.place}: fault {kind.name!r} is {kind.about!r} here and {other.about!r} elsewhere; "
                "declare it once, and name that object"
            )
    return tuple(kinds.values())


def anchored_actions(model: type[Model], releases: Mapping[str, str]) -> Mapping[str, Action]:
    """The model's actions with the lines that their anchors have in these releases, by role.

    DeclarationError names an anchor that the model's tables do not have.
    """
    return _anchored_actions(model, frozenset(releases.items())) if model.anchor_lines else model.actions


@lru_cache(maxsize=64)
def _anchored_actions(model: type[Model], releases: Iterable[tuple[str, str]]) -> Mapping[str, Action]:
    """The same, kept: many settings share it."""
    of_role = dict(releases)
    return MappingProxyType({name: _with_anchors(action, model, of_role) for name, action in model.actions.items()})


def _with_anchors(action: Action, model: type[Model], releases: Mapping[str, str]) -> Action:
    try:
        anchors = tuple(with_line(anchor, model.anchor_lines, releases) for anchor in action.stands_for)
    except DeclarationError as error:
        raise DeclarationError(
            f"{action.place}: {action.name} stands for {error}; add it to {model.__name__}.anchor_lines or give line="
        ) from None
    return replace(action, stands_for=anchors)


def usual_releases(model: type[Model]) -> tuple[Release, ...]:
    """The releases that are asked where none is named."""
    return tuple(model.releases) if model.usual_release is None else (model.usual_release,)


class ModelInstance:
    """A model in one setting: its tree of components, and every action instance by label.

    `model` is the model with what the setting changes in it, and `actions` are its own, with their anchors' lines in
    the releases of the setting.
    """

    def __init__(self, model: type[Model], setting: Setting) -> None:
        model = model_in(setting, model)
        self.model, self.setting = model, setting
        self.actions = anchored_actions(model, {role: release.jars for role, release in setting.releases.items()})
        self.tree = Tree(setting, standing_in(model._parts))
        self.root = model(self.tree)
        self.correlated = self._settle_start()
        self._refuse_reserved()
        self._refuse_unknown_faults()
        self._spent = {
            kind: self.tree.grow(Leaf(f"{SPENT}{kind}]", Integers(0, budget), (0,), ghost=False, budget=kind))
            for kind, budget in setting.scope.faults.items()
            if budget > 0
        }
        self.instances: dict[Label, tuple[Action, dict[str, Any]]] = dict(
            _instances(self.actions.values(), setting.scope)
        )

    def _settle_start(self) -> Correlation | None:
        """Runs `initially`; what it says of fields that do not start independently of each other."""
        own = self.model.initially is not Model.initially
        place = place_of(self.model.initially) if own else self.model.__name__
        try:
            return settle(self.tree, self.root.initially, place)
        except (RefusedError, DeclarationError, UnknownNameError):
            raise
        except (Exception, SystemExit) as error:
            raise DeclarationError(
                f"{raised_place(error, place)}: initially() does not fit scope {self.setting.scope.name} "
                f"({self.setting.scope.describe()}): {text_of(error)} ({type(error).__name__})"
            ) from error

    def _refuse_unknown_faults(self) -> None:
        kinds = sorted({kind for scope in (*self.model.scopes, self.setting.scope) for kind in scope.faults})
        for action in self.model.actions.values():
            if action.fault is not None and action.fault not in kinds:
                raise DeclarationError(
                    f"{action.place}: no scope has a budget for fault {action.fault!r} (they have "
                    f"{', '.join(kinds) or 'none'}), so {action.name} could never happen; add it to a scope's faults"
                )

    def _refuse_reserved(self) -> None:
        for leaf in self.tree.leaves:
            if leaf.path.startswith(SPENT) or leaf.path == CAP:
                name = leaf.path.partition("[")[0]
                raise DeclarationError(f"{self.model.__name__}.{name}: this name is the checker's own; choose another")

    def take(self, label: Label) -> None:
        """Runs an action instance on what the tree holds now; Disabled where its guard does not hold."""
        action, args = self.instances[label]
        if action.fault is not None:
            note_question("field", f"{SPENT}{action.fault}]")
            require(action.fault in self._spent)
            position = self._spent[action.fault]
            spent = self.tree.get(position)
            require(spent < self.tree.domain(position).hi)
            self.tree.put(position, spent + 1)
        for name, elements in action.among:
            require(self._elements(action, elements).has(args[name]))
        action.method(self.root, **args)

    def _elements(self, action: Action, elements: Elements) -> OffsetSet:
        """What an argument of an action must be an element of."""
        with only_judging(f"among of {action.name}"):
            names = elements(self.root)
        if sort_of(names) is not ValueSort.OFFSETS:
            what = f"among of {action.name} is {describe_value(names)}"
            raise DeclarationError(f"{place_of(elements)}: {what}, not an offset set")
        return names

    def actor(self, label: Label) -> str:
        """Who takes the instance."""
        return self.instances[label][0].actor_of(label[1])


def _instances(actions: Iterable[Action], scope: Scope) -> Iterable[tuple[Label, tuple[Action, dict[str, Any]]]]:
    """Every action with each combination of its arguments; many parameters have the same sort, resolved once."""
    resolved = cache(lambda sort: values_of(sort, scope))
    for action in actions:
        sorts = [(name, resolved(sort)) for name, sort in action.sorts]
        refuse_too_many(f"instances of {action.name}", prod(len(values) for _, values in sorts), scope)
        shown = ([(name, each.name if isinstance(each, Enum) else each) for each in values] for name, values in sorts)
        args = ([(name, each) for each in values] for name, values in sorts)
        for label, given in zip(product(*shown), product(*args), strict=True):
            yield (action.name, label), (action, dict(given))

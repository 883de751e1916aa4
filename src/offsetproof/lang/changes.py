"""Behaviours that stand in files of their own: a model as it is where a setting has them, and where it does not.

    MERGES = Change(MERGES_INTO_FILE, parts=(MergingConsumer,))

    class Broadcasting(...):
        changed_by = (MERGES,)

The model itself is read without its changes, and costs nothing for them: where a setting has none, it is the very same
class. `model_in` makes the class for one that has some, from the model and the classes of the changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING

from offsetproof.lang.component import Component, classes_in, derive_class
from offsetproof.lang.errors import DeclarationError, user_place
from offsetproof.lang.setting import Behaviour, Release, Setting

if TYPE_CHECKING:
    from offsetproof.lang.action import Action
    from offsetproof.lang.model import Model


@dataclass(frozen=True)
class Change:
    """What a behaviour changes in a model: its steps, its parts, what is left out of it.

    `steps` are classes of actions that derive from classes which the model has, and come before them. `parts` are
    components: each stands in the model for every component of the class that it derives from, and of those that derive
    from that. `gone` are steps of the model that there are not any more. A change that overrides what an earlier change
    of the model overrides derives from it, and is there beside it alone. `includes` is what the model leaves out where
    the behaviour is not, and has with it; `leaves_out` what it leaves out with it alone.
    """

    when: Behaviour
    steps: tuple[type[Model], ...] = ()
    parts: tuple[type[Component], ...] = ()
    gone: tuple[Callable[..., None], ...] = ()
    includes: tuple[str, ...] = ()
    leaves_out: tuple[str, ...] = ()
    place: str = field(default_factory=user_place, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.when, Behaviour):
            raise DeclarationError(f"{self.place}: Change takes the behaviour that brings it, and then what it brings")
        for step in self.steps:
            if step.claims:
                raise DeclarationError(
                    f"{step.claims[0].place}: claim {step.claims[0].name} stands in a change ({self.name}), which may "
                    "not be there; write it in the model, or beside it"
                )

    @property
    def name(self) -> str:
        """The behaviour's name."""
        return self.when.name


def model_in(setting: Setting, model: type[Model]) -> type[Model]:
    """The model with the changes whose behaviours the setting has; itself where it has none of them."""
    present = changes_there(model, setting.behaves)
    return _class_with(model, present) if present else model


def with_all_changes(model: type[Model]) -> type[Model]:
    """The model with everything that it is in some setting, also the steps that a change takes away.

    For lists of what there is, and for reading it whole: no setting has just this model.
    """
    return _whole_class(model, tuple(model.changed_by)) if model.changed_by else model


@lru_cache(maxsize=64)
def _whole_class(model: type[Model], changes: tuple[Change, ...]) -> type[Model]:
    for change in changes:
        _refuse_unfit(model, change, changes)
    return _class_with(model, tuple(replace(change, gone=()) for change in changes))


def model_of(release: Release, model: type[Model]) -> type[Model]:
    """The model with the changes whose behaviours a release has, where it is every role's: for lists of what it has."""
    present = changes_there(model, release.shows)
    return _class_with(model, present) if present else model


def left_out_of(release: Release, model: type[Model]) -> tuple[str, ...]:
    """What the model leaves out of a release, and what no model of that release has."""
    present = changes_there(model, release.shows)
    included = {text for change in present for text in change.includes}
    kept = [text for text in model.left_out if text not in included]
    everywhere = (text for each in reversed(release.lineage) for text in each.leaves_out)
    return (*kept, *(text for change in present for text in change.leaves_out), *everywhere)


def with_change(model: type[Model], change: Change) -> type[Model]:
    """The model with one of its changes, and those that it needs."""
    return _class_with(model, (*_needed_by(change, model), change))


def before_change(model: type[Model], change: Change) -> type[Model]:
    """The model with what one of its changes needs, and without that one."""
    needed = _needed_by(change, model)
    return _class_with(model, needed) if needed else model


def changes_there(model: type[Model], shows: Callable[[Behaviour], bool]) -> tuple[Change, ...]:
    """The changes of a model where these behaviours are; one that derives from others is there beside those alone."""
    there = [change for change in model.changed_by if shows(change.when)]
    return tuple(change for change in there if {*_needed_by(change, model)} <= {*there})


@lru_cache(maxsize=256)
def _needed_by(change: Change, model: type[Model]) -> tuple[Change, ...]:
    """The changes that one derives from."""
    brought = (*change.steps, *change.parts)
    bases = {base for kind in brought for base in kind.__mro__[1:]}
    return tuple(each for each in model.changed_by if each is not change and bases & {*each.steps, *each.parts})


def every_action(model: type[Model]) -> tuple[Action, ...]:
    """The actions of the model as it is, and those that changes bring, or bring instead."""
    return tuple(dict.fromkeys([*model.actions.values(), *with_all_changes(model).actions.values()]))


@lru_cache(maxsize=64)
def _class_with(model: type[Model], changes: tuple[Change, ...]) -> type[Model]:
    for change in changes:
        _refuse_unfit(model, change, changes)
    steps = [step for change in changes for step in change.steps]
    parts = tuple(part for change in changes for part in change.parts)
    for kind in classes_in(model):
        _kind_with(parts, kind)  # refuses parts that do not go together
    gone = {step.__name__ for change in changes for step in change.gone}
    try:
        return model.with_classes((*_latest(steps), model), parts, gone)
    except TypeError as error:  # Python's own, of base classes in contradicting orders
        named = " and ".join(step.__name__ for step in steps)
        raise DeclarationError(
            f"{changes[-1].place}: {named} and {model.__name__} have base classes in contradicting orders; "
            f"list those of {named} as {model.__name__} does"
        ) from error


def _refuse_unfit(model: type[Model], change: Change, changes: Iterable[Change]) -> None:
    """DeclarationError for steps and parts that change nothing of the model."""
    steps = {step for each in changes for step in each.steps}
    parts = tuple(part for each in changes for part in each.parts)
    pairs: list[tuple[type, type]] = [(step, base) for step in change.steps for base in {*step.__bases__} - steps]
    pairs += [(part, _refined_kind(part, parts)) for part in change.parts]
    there = {*classes_in(model)} - {Component}
    for gone in change.gone:
        if all(gone is not action.method for action in model.actions.values()):
            raise DeclarationError(
                f"{change.place}: {change.name} takes {getattr(gone, '__name__', gone)} away, which is no step of "
                f"{model.__name__}; name one as in gone=({model.__name__}.the_step,)"
            )
        for other in (each for each in changes for step in each.steps if _keeps(step, gone, change)):
            raise DeclarationError(
                f"{change.place}: {change.name} takes {gone.__name__} away, which {other.name} overrides; give the "
                f"step of {other.name} another name, or leave it in {change.name}"
            )
    for own, base in pairs:
        if base not in there:
            raise DeclarationError(
                f"{change.place}: {own.__name__} of {change.name} derives from {base.__name__}, which is not in "
                f"{model.__name__}; derive {own.__name__} from what it changes there"
            )


def _keeps(step: type[Model], gone: Callable[..., None], change: Change) -> bool:
    """Would a class bring back, in other words, a step that a change takes away?

    The change may derive from the class: then it takes that one's away as well.
    """
    if step in change.steps:
        return gone.__name__ in vars(step)
    return getattr(step, gone.__name__, gone) is not gone and not any(issubclass(own, step) for own in change.steps)


def _latest(kinds: Iterable[type]) -> list[type]:
    """The classes that are no bases of others, the last one first: it is asked first."""
    kinds = list(dict.fromkeys(kinds))
    bases = {base for kind in kinds for base in kind.__mro__[1:]}
    return [kind for kind in reversed(kinds) if kind not in bases]


def standing_in(parts: Iterable[type[Component]]) -> Callable[[type[Component]], type[Component]]:
    """What a model with these parts has in the place of each class of components."""
    return partial(_kind_with, tuple(parts))


@lru_cache(maxsize=256)
def _kind_with(parts: tuple[type[Component], ...], kind: type[Component]) -> type[Component]:
    fitting = [part for part in parts if issubclass(kind, _refined_kind(part, parts)) and not issubclass(kind, part)]
    bases = _latest([kind, *fitting])
    if len(bases) == 1:
        return bases[0]
    made: type[Component] = derive_class(kind, tuple(bases), {})
    return made


def _refined_kind(part: type[Component], parts: tuple[type[Component], ...]) -> type[Component]:
    """The class that a part stands in for: the nearest of its base classes that is no part itself."""
    return next(base for base in part.__mro__[1:] if base not in parts)

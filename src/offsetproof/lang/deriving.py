"""Models made from another one: with ghost flags that say which actions have happened.

Steps keep their names, so whatever such a model shows replays on the model that it was made from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps
from typing import Any

from offsetproof.lang.action import Action
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.component import derive_class
from offsetproof.lang.declaring import ACTION_MARK
from offsetproof.lang.expression import every, some
from offsetproof.lang.fields import flag
from offsetproof.lang.model import Model


def watch_actions(model: type[Model], actions: Sequence[str]) -> type[Model]:
    """The model with a flag per action that says whether the action has happened."""
    members: dict[str, Any] = {_flag(name): flag(ghost=True) for name in actions}
    members |= {name: _with_flag_set(model.actions[name]) for name in actions}
    return _derive_model(model, members)


def unless_all(prop: Property, groups: Sequence[Sequence[str]]) -> Property:
    """The claim of a watched model, not asked any more once all actions of some group have happened."""

    def left_out(model: Any) -> list[bool]:
        return [every(getattr(model, _flag(name)) for name in group) for group in groups]

    def judge(*models: Any) -> bool:
        last = models[1] if prop.kind is ClaimKind.EACH_STEP else models[0]
        return some([prop.function(*models), *left_out(last)])

    return replace(prop, function=wraps(prop.function)(judge))


def _flag(action: str) -> str:
    return f"ghost_has_happened_{action}"


def _derive_model(model: type[Model], members: dict[str, Any]) -> type[Model]:
    """The model with other members; what it is in its setting is settled, so that no change comes on top of them."""
    derived: type[Model] = derive_class(model, (model,), {"changed_by": (), **members})
    return derived


def _with_flag_set(action: Action) -> Callable[..., None]:
    def method(self: Model, **args: Any) -> None:
        action.method(self, **args)
        setattr(self, _flag(action.name), True)

    return _taken_as(action, method)


def _taken_as(action: Action, method: Callable[..., None]) -> Callable[..., None]:
    """A method in the place of an action's own."""
    made = wraps(action.method)(method)
    setattr(made, ACTION_MARK, replace(action, method=made))
    return made

"""Would the very same have been staged in another release? Often that can be said without staging it there.

It would where the releases show the same of all behaviours that model and claims asked for. A behaviour that brings a
change (`changes`) is always asked for. Where the classes that it brings define nothing but actions that can never be
taken in the scope, where it takes away no others, and where no other code names one of these, the model is the same all
the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.lang.changes import model_in
from offsetproof.lang.claim import Property
from offsetproof.lang.model import Model
from offsetproof.lang.setting import BY_OTHER_MEANS, Setting
from offsetproof.lang.stage import Staged


def is_right_for(staged: Staged, setting: Setting, properties: Sequence[Property]) -> bool:
    """Would the same have been staged, with these claims, in a setting that differs in nothing but its releases?"""
    staged.system(properties)  # a claim may ask for what no step asks for
    if BY_OTHER_MEANS in staged.asked_for:
        return False
    odd = {each for each in staged.asked_for if setting.behaves(each) != staged.setting.behaves(each)}
    if not odd:
        return True
    changes = {change.when for change in staged.model.changed_by}
    return odd <= changes - staged.asked_by_code and _is_never_told(staged, setting)


def _is_never_told(staged: Staged, setting: Setting) -> bool:
    """Can nothing ever get to what the classes of the two models define differently?"""
    names = _names_apart(staged.model_class, model_in(setting, staged.model))
    if names is None or names & staged.attributes or any(inst.label[0] in names for inst in staged.instances):
        return False
    other = Staged(staged.model, setting, asks_long=False, only=names)
    return not other.instances and other.variables == staged.variables and other.correlated == staged.correlated


def _names_apart(one: type[Model], other: type[Model]) -> frozenset[str] | None:
    """What the classes define that only one of the models has, and the steps that are there in only one, or otherwise.

    None where they differ in parts, in an order, or in a method that the checker calls.
    """
    shared = {*one.__mro__} & {*other.__mro__}
    orders = [[kind for kind in each.__mro__ if kind in shared] for each in (one, other)]
    if orders[0] != orders[1] or one._parts != other._parts:
        return None
    apart = {*one.__mro__} ^ {*other.__mro__}
    names = {name for kind in apart for name in vars(kind)}
    steps = {*one.actions, *other.actions}
    names |= {name for name in steps if one.actions.get(name) != other.actions.get(name)}
    return None if names & _CALLED else frozenset(names)


_CALLED = {"rest", "finished"}
"""Methods that no code of a model need name; what `initially` comes to is compared."""

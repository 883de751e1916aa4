"""The behaviours of a model: each of a role that it has, and one of each name."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from offsetproof.lang.errors import DeclarationError, user_place
from offsetproof.lang.setting import Behaviour

if TYPE_CHECKING:
    from offsetproof.lang.model import Model


def refuse_bad_behaviours(model: type[Model]) -> None:
    """Behaviours and timers of no role of the model, two behaviours of one name, and what no base has and is lost."""
    for release in dict.fromkeys(each for last in model.releases for each in last.lineage):
        place = f"{user_place()}: {model.__name__}: release {release.name}"
        changed = sorted(release.behaviours | release.loses, key=lambda behaviour: behaviour.name)
        for what, role in [
            *((f"behaviour {each.name}", each.else_role or each.role) for each in changed),
            *((f"timer {each.name}", each.timer.role) for each in release.timers),
        ]:
            if model.roles and role not in model.roles:
                raise DeclarationError(
                    f"{place} has {what} of role {role!r}, and the model has {' and '.join(model.roles)}, so nobody "
                    "would go by it; name one of these"
                )
        for each in release.loses:
            before = release.based_on is not None and release.based_on.shows(each)
            if each in release.behaviours or not before:
                why = "it has as well" if each in release.behaviours else "its base does not have"
                raise DeclarationError(f"{place} loses {each.name}, which {why}; leave it out")
    for change in model.changed_by:
        for text in set(change.includes) - set(model.left_out):
            raise DeclarationError(
                f"{change.place}: {change.name} includes {text!r}, which {model.__name__} does not leave out; write it "
                "as it is there"
            )
    behaviours_of(model)


def behaviours_of(model: type[Model]) -> dict[str, Behaviour]:
    """The behaviours of the model's releases, fixes and changes by name; DeclarationError for two of one name."""
    brought = [each for release in model.releases for one in release.lineage for each in one.behaviours]
    brought += [each for fix in model.fixes for each in fix.adds] + [change.when for change in model.changed_by]
    named: dict[str, Behaviour] = {}
    for each in brought:
        if named.setdefault(each.name, each) != each:
            what = f"{model.__name__}: two behaviours are named {each.name!r}"
            raise DeclarationError(f"{user_place()}: {what}; declare it once, and name that object")
    return named


def optional_roles(model: type[Model]) -> dict[str, str]:
    """The roles that settings need not name, each with the role whose release it has without that."""
    return {each.role: each.else_role for each in behaviours_of(model).values() if each.else_role}


def refuse_other_behaviours(model: type[Model], asked: Collection[Behaviour]) -> None:
    """DeclarationError for a behaviour that is asked for, and only has the name of one which a release or a fix has."""
    known = behaviours_of(model)
    other = next((each for each in asked if known.get(each.name, each) != each), None)
    if other is not None:
        raise DeclarationError(
            f"{model.__name__} asks for a behaviour {other.name!r} that is another one than that of its releases and "
            "fixes; declare it once, and name that object"
        )

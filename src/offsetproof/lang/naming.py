"""Whatever names an action names one that exists: damage, timing, what behaviours bring, and claims about steps.

An action that is renamed leaves its old name behind in strings, which Python does not know to be names. Where a claim
compares `step.action` with such a string, it would hold from then on because it is about nothing.
"""

from __future__ import annotations

import ast
import difflib
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.setting import Behaviour
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.timing import Timing


def refuse_unknown_actions(
    model: Any, properties: Iterable[Property], damage: Damage | None, timing: Timing | None
) -> None:
    """DeclarationError that says every name of no action, and each file and line where it is written."""
    named = {*(damage.outside if damage else ()), *(timing.actions if timing else ()), *_names_in_behaviours(model)}
    places = {name: sorted(_places_of_text(name, model)) for name in sorted(named - set(model.actions))}
    for prop in properties:
        for name, place in _compared_names(prop, model.actions):
            places.setdefault(name, []).append(place)
    if places:
        faults = "; ".join(_fault_in_words(name, named_at, model.actions) for name, named_at in places.items())
        first = next((place for named_at in places.values() for place in named_at), None)
        raise DeclarationError(f"{first}: {faults}" if first else f"{model.__name__}: {faults}")


def _fault_in_words(name: str, places: Iterable[str], known: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.3)
    hint = f"; did you mean {near[0]}?" if near else ""
    where = ", ".join(dict.fromkeys(places))
    return f"no action is named {name!r}" + (f" ({where})" if where else "") + hint


def _names_in_behaviours(model: Any) -> Iterator[str]:
    """The actions that behaviours of fixes and changes name; those of releases alone may be another model's.

    So may all that one names which a release has: other models share it, and this one says otherwise what it does.
    """
    changes, fixes = (() if name in model.actions else getattr(model, name) for name in ("changed_by", "fixes"))
    behaviours = [change.when for change in changes] + [b for fix in fixes for b in fix.adds]
    return (name for each in behaviours if not _is_of_other_models(each, model) for name in each.brings)


def _is_of_other_models(behaviour: Behaviour, model: Any) -> bool:
    """Does a release of the model have the behaviour, while the model has none of the steps that it brings?"""
    released = any(release.shows(behaviour) for release in model.releases)
    return released and not any(name in model.actions for name in behaviour.brings)


def _places_of_text(name: str, model: Any) -> Iterator[str]:
    """Where a string with this name stands in the model's own modules."""
    home = sys.modules[model.__module__]
    folder = Path(getattr(home, "__file__", None) or ".").parent
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None) or ""
        same_package = module.__name__.partition(".")[0] == home.__name__.partition(".")[0]
        if file.endswith(".py") and (same_package or Path(file).parent == folder):
            yield from (shown_place(file, node.lineno) for node in _texts(Path(file)) if node.value == name)


def _texts(file: Path) -> Iterator[ast.Constant]:
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return
    yield from (node for node in ast.walk(tree) if isinstance(node, ast.Constant))


def _compared_names(prop: Property, actions: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The names of no action that a claim about steps compares `step.action` with, each with its place.

    Only a claim whose strings are not all names of actions is parsed: reading sources takes longer than all else here.
    """
    function = prop.function
    if prop.kind is not ClaimKind.EACH_STEP or "action" not in getattr(function, "__code__", _NOTHING).co_names:
        return
    texts = {text for value in (*function.__code__.co_consts[1:], *_globals(function)) for text in _flat(value)}
    if not texts - set(actions):
        return
    try:
        lines, start = inspect.getsourcelines(function)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError):
        return
    for node in ast.walk(tree):
        for other in _beside_action(node):
            for name in _flat(_value(other, function)):
                if name not in actions:
                    yield name, shown_place(prop.file, start + other.lineno - 1)


def _beside_action(node: ast.AST) -> Iterator[ast.expr]:
    """What an expression compares with the `action` of something."""
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        if any(isinstance(side, ast.Attribute) and side.attr == "action" for side in sides):
            yield from (side for side in sides if not isinstance(side, ast.Attribute))


def _value(node: ast.expr, function: Callable[..., Any]) -> object:
    """What a part of a claim is, where it is written there or is a global of its module."""
    if isinstance(node, ast.Name):
        return function.__globals__.get(node.id)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return None


def _globals(function: Callable[..., Any]) -> Iterator[object]:
    return (function.__globals__.get(name) for name in function.__code__.co_names)


def _flat(value: object) -> Iterator[str]:
    """The strings in a value: itself, or what a collection holds."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, tuple | list | set | frozenset):
        yield from (each for each in value if isinstance(each, str))


_NOTHING = (lambda: None).__code__

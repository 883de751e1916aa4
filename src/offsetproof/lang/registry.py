"""Whatever a decorator makes stands where it is asked: in the class of a model, or under a name of its module.

Each action and claim is noted when it is made, by the class body that runs then, or else by the module. What class or
module do not have in the end (a decorator above hides it, a list holds it, something else took its name) is refused at
its place: nothing would ever take it or judge it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import WRAPPER_ASSIGNMENTS
from inspect import CO_OPTIMIZED
from types import FrameType, FunctionType, ModuleType
from typing import Any
from weakref import WeakSet

from offsetproof.lang.declaring import ACTION_MARK, Body, Made, for_models
from offsetproof.lang.errors import DeclarationError, user_place
from offsetproof.lang.source_paths import shown_place

_RECORD = "__offsetproof_made__"
"""The name under which a module keeps what was made while it ran."""

_TAKEN: WeakSet[Any] = WeakSet()
"""What models and subjects have taken: the methods of actions, claims, and models with their base classes."""

_ASKED: WeakSet[type] = WeakSet()
"""The models that programs have asked by themselves."""


@dataclass(frozen=True)
class _Record:
    """What a module made in one run of it; importlib.reload, and each cell of a notebook, is another run.

    `importers` are the modules that ran around it then, the nearest first.
    """

    run: object
    made: list[Made]
    importers: tuple[str, ...]


def note_action(method: FunctionType) -> None:
    """Notes an action that has been made."""
    problem = (
        f"action {method.__name__} stands in no model, so it would never be taken; write it in the body of a model's "
        "class, under a name of its own, with @action(...) above all other decorators"
    )
    _note((method,), method, problem)


def note_claim(kind: str, function: FunctionType, values: tuple[object, ...]) -> None:
    """Notes a claim that has been made; whoever has one of the values has it."""
    problem = (
        f"claim {function.__name__} stands in no model and in no module that is asked, so it would never be judged; "
        "write it in the body of a model's class or at the top of the module, under a name of its own, with "
        f"@{kind} above all other decorators"
    )
    _note(values, function, problem)


def _note(values: tuple[object, ...], function: FunctionType, problem: str) -> None:
    place = shown_place(function.__code__.co_filename, function.__code__.co_firstlineno)
    in_function = "<locals>" in function.__qualname__
    _home(at_top=not in_function).append(Made(values, place, problem, in_function))


def note_class(cls: type, body: object) -> None:
    """Notes a class that declares what only models have; DeclarationError for what its body made and it has not."""
    home = _home(at_top=False)
    for made in body.made if isinstance(body, Body) else ():
        if made.is_class:
            home.append(made)
        elif not made.is_among({id(value) for value in vars(cls).values()}):
            raise made.error
    for what, place in for_models(cls):
        problem = (
            f"{what} stands in class {cls.__name__}, which is no model at the top of the module and no base class of "
            "one, so models are without it; write it in the model, and give each model a name of its own"
        )
        home.append(Made((cls,), place, problem, "<locals>" in cls.__qualname__))


def function_marked(decorator: str, given: object) -> FunctionType:
    """The function that a decorator marks, a copy where it is an action already; DeclarationError for what is none."""
    if not isinstance(given, FunctionType):
        what = f"{decorator} marks a {type(given).__name__}, which is not a function"
        raise DeclarationError(f"{user_place()}: {what}; write {decorator} directly above a def")
    if ACTION_MARK not in vars(given):
        return given
    other = FunctionType(given.__code__, given.__globals__, given.__name__, given.__defaults__, given.__closure__)
    for name in (*WRAPPER_ASSIGNMENTS, "__kwdefaults__"):
        setattr(other, name, getattr(given, name))
    return other


def take(values: Iterable[object]) -> None:
    """Notes that a model or a subject has these, so that they are asked."""
    _TAKEN.update(values)


def refuse_dropped(modules: Iterable[ModuleType], *, claims: bool) -> None:
    """DeclarationError for the first action, or claim where these are wanted, that nothing has.

    A claim may stand under a name of any of the modules. What functions make while their module still runs is left to
    them: they may be about to ask it.
    """
    reached = list(dict.fromkeys(each for module in modules for each in (module, *_modules_named_in(module))))
    named = {id(value) for module in reached for value in vars(module).values()}
    for module in reached:
        running = _is_running(module)
        for made in _made_in(module):
            if made.is_class or (running and made.in_function) or (made.is_claim and not claims):
                continue
            if not _is_taken(made) and not (made.is_claim and made.is_among(named)):
                raise made.error


def refuse_dropped_classes(module: ModuleType, root: type) -> None:
    """DeclarationError for the first class with declarations that is neither a model in the module nor a base of one.

    `root` is the base class of all models. A model that was asked while the module ran needs no name there.
    """
    models = [value for value in vars(module).values() if isinstance(value, type) and issubclass(value, root)]
    bases = {base for model in (*models, *_ASKED) for base in model.__mro__}
    for made in _made_in(module):
        if made.is_class and not bases.intersection(made.values):
            raise made.error


def note_asked(model: type) -> None:
    """Notes that somebody has asked a model itself, by whatever name he has it."""
    _ASKED.add(model)


def imported_by_calls(module: ModuleType) -> Iterator[tuple[ModuleType, tuple[str, ...]]]:
    """The modules with declarations that ran first while this one did, each with the names of those between them."""
    for other in [*sys.modules.values()]:
        record = getattr(other, "__dict__", {}).get(_RECORD)  # sys.modules may hold anything
        if isinstance(record, _Record) and module.__name__ in record.importers:
            yield other, record.importers[: record.importers.index(module.__name__)]


def classes_made_in(module: ModuleType) -> set[object]:
    """The classes with declarations that were made while the module ran, also by functions of other modules."""
    return {made.values[0] for made in _made_in(module) if made.is_class}


def _is_taken(made: Made) -> bool:
    return any(value in _TAKEN for value in made.values)


def _made_in(module: ModuleType) -> list[Made]:
    record = vars(module).get(_RECORD)
    return record.made if isinstance(record, _Record) else []


def _home(*, at_top: bool) -> list[Made]:
    """Where what is made now belongs: to the innermost class body of a component, or else module, that is running.

    A program keeps only what is made `at_top` of it: its functions may make models without end.
    """
    for frame in _frames():
        names, module = frame.f_locals, frame.f_globals
        if isinstance(names, Body):
            return names.made
        if names is module and "__spec__" in module:
            if module.get("__name__") == "__main__" and not at_top:
                break
            run = module["__spec__"] or module.get("__file__") or frame.f_code
            record = module.get(_RECORD)
            if not isinstance(record, _Record) or record.run is not run:
                importers = tuple(each["__name__"] for each in _running_modules() if each is not module)
                record = module[_RECORD] = _Record(run, [], importers)
            return record.made
    return []


def _is_running(module: ModuleType) -> bool:
    return any(names is vars(module) for names in _running_modules())


def _running_modules() -> Iterator[dict[str, Any]]:
    """The names of the modules that run now, the innermost first."""
    return (frame.f_globals for frame in _frames() if frame.f_locals is frame.f_globals)


def _frames() -> Iterator[FrameType]:
    """The frames that run now and whose names are in a dict: bodies of classes and of modules, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_flags & CO_OPTIMIZED:
            yield frame
        frame = frame.f_back


def _modules_named_in(module: ModuleType) -> Iterator[ModuleType]:
    """The modules that a module names, and those of the functions, classes and claims that it names."""
    for value in vars(module).values():
        owner = getattr(value, "function", value) if hasattr(type(value), "declared_kind") else value
        name = owner.__module__ if isinstance(owner, FunctionType | type) else ""
        found = value if isinstance(value, ModuleType) else sys.modules.get(name or "")
        if found is not None:
            yield found

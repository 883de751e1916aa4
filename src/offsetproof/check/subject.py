"""Finding the subject: the built-in RocketMQ model, or a user's own file or module."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TypeVar

from offsetproof.check.places import declared_by, placed
from offsetproof.lang.claim import Property, always
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError, raised_place
from offsetproof.lang.model import Model, Subject
from offsetproof.lang.places import shown_place
from offsetproof.lang.timing import Timing
from offsetproof.traces.reading import refuse_odd_file

Given = TypeVar("Given", Damage, Timing)

BUILT_IN = "rocketmq"
"""The subject that is meant when none is named."""


class NoSubjectError(Exception):
    """There is no such file, module or model; the message says what was looked for."""


def load_subject(name: str = BUILT_IN) -> Subject:
    """The subject of this name: `rocketmq`, `path/to/file.py[:Name]` or `package.module[:Name]`.

    Its claims are those in the model and those beside it; so are a `Damage` and a `Timing`, which it may have.

    Raises NoSubjectError where there is none, UnreadableFileError where something else than a file has its name, and
    DeclarationError where its code cannot be imported.
    """
    if name == BUILT_IN:
        from offsetproof.properties.catalogue import ROCKETMQ

        return ROCKETMQ
    place, _, wanted = name.partition(":")
    module = _from_file(Path(place)) if place.endswith(".py") else _from_module(place)
    model = _model(module, wanted, place)
    _refuse_replaced_claims(module)
    loose = [value for value in vars(module).values() if isinstance(value, Property)]
    properties = tuple(dict.fromkeys([*model.claims, *loose]))
    ids = [prop.id for prop in properties]
    twice = sorted({id for id in ids if ids.count(id) > 1})
    if twice:
        with declared_by(model):
            raise DeclarationError(f"two claims have the id {twice[0]}; give each its own with id=")
    with declared_by(model):
        return Subject(model.__name__, model, properties, _given(module, Damage), _given(module, Timing))


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
                raise DeclarationError(
                    f"{module.__file__}:{node.lineno}: {node.name} is declared twice, in line {before.lineno} as a "
                    "claim; only the second would be left, so rename one"
                )
            seen[node.name] = node


def _marks_a_claim(decorator: ast.expr, module: ModuleType) -> bool:
    """Is it @always, @each_step...?"""
    name = decorator.func if isinstance(decorator, ast.Call) else decorator
    value = getattr(module, name.id, None) if isinstance(name, ast.Name) else None
    if isinstance(name, ast.Attribute) and isinstance(name.value, ast.Name):
        value = getattr(getattr(module, name.value.id, None), name.attr, None)
    return isinstance(value, type(always))


def _given(module: ModuleType, kind: type[Given]) -> Given | None:
    """The one value of this kind that the module holds, if it holds any."""
    found = [value for value in vars(module).values() if isinstance(value, kind)]
    if len(found) > 1:
        raise DeclarationError(f"there are {len(found)} values of {kind.__name__} beside the model; keep one")
    return found[0] if found else None


def _from_file(path: Path) -> ModuleType:
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where the name is too long
        raise NoSubjectError(f"there is no model file {path}; name a Python file, a module, or {BUILT_IN}")
    refuse_odd_file(path)
    name = f"offsetproof_subject_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NoSubjectError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with _importing(f"{path}:1"):
        spec.loader.exec_module(module)
    return module


def _from_module(name: str) -> ModuleType:
    with _importing(name):
        try:
            found = importlib.util.find_spec(name)
        except (ImportError, ValueError):
            found = None
    if found is None:
        raise NoSubjectError(f"there is no module {name!r}; name a Python file, a module, or {BUILT_IN}")
    with _importing(name):
        return importlib.import_module(name)


@contextmanager
def _importing(place: str) -> Iterator[None]:
    """Within this, whatever a user's code raises, SystemExit included, is a DeclarationError with file and line.

    Only a KeyboardInterrupt that Python's own handler may have raised is let through: under the program's handler a
    Ctrl-C raises none here, so one that comes is the model's.
    """
    try:
        yield
    except DeclarationError as error:
        raise DeclarationError(placed(str(error), raised_place(error, place))) from error
    except SyntaxError as error:
        where = shown_place(error.filename, error.lineno) if error.filename and error.lineno else place
        raise DeclarationError(f"{where}: {error.msg}") from error
    except BaseException as error:
        by_python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if isinstance(error, KeyboardInterrupt) and by_python:
            raise
        where = raised_place(error, place)
        raise DeclarationError(f"{where}: {type(error).__name__} while it was imported{_said(error)}") from error


def _said(error: BaseException) -> str:
    """What an error says, where it says anything: a model's own error may fail at that, too."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return f": {text}" if text else ""


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

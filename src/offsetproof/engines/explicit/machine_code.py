"""Loops on arrays as machine code, kept between runs.

One file holds the code of one function for arrays of some widths, behind a digest of all of it (see `cache`) and of
all that it is made of. So a function is compiled once on a machine, and loaded in two milliseconds afterwards.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import mmap
import sys
from collections.abc import Callable
from functools import cache, update_wrapper
from importlib.util import find_spec
from inspect import isfunction, unwrap
from threading import Lock
from typing import Any, TypeVar, cast

import numpy as np

from offsetproof.cache import cache_folder, read_kept, write_kept
from offsetproof.compiled.loop_types import Sort, returns, takes
from offsetproof.compiled.native import load_object_code, object_code_of, processor

_LOG = logging.getLogger("offsetproof")
_COMPLAINED = mmap.mmap(-1, 1)
"""Whether it has been said why nothing is kept: one byte that forked processes share."""

_LOADING = Lock()
"""One thread at a time makes code: Python's parser keeps a count that two of them spoil for each other (3.11)."""

_WORD = (1 << 64) - 1

Function = TypeVar("Function", bound=Callable[..., Any])
Widths = tuple[int, ...]


def kept_machine_code(function: Function) -> Function:
    """The function as machine code; see `loops` for what it may be made of."""
    return cast(Function, update_wrapper(KeptCode(function), function))


class KeptCode:
    """One function: `python` is what it was written as, `code` is called, by the widths of its arrays."""

    def __init__(self, python: Callable[..., Any]) -> None:
        self.python = python
        self._code: dict[Widths, Callable[..., None]] = {}
        self._engines: list[Any] = []

    def __call__(self, *given: Any) -> Any:
        """Calls the code. TypeError for arrays of other elements than it is for, or not in one piece."""
        arguments: list[int] = []
        widths: list[int] = []
        for (name, kind), each in zip(takes(self.python).items(), given, strict=True):
            if isinstance(kind, Sort):
                arguments.append(int(each) & _WORD)
                continue
            if not isinstance(each, np.ndarray) or each.dtype != kind or not each.flags.c_contiguous:
                raise TypeError(f"{self.python.__name__} takes {name} as an array of {kind.__name__} in one piece")
            arguments += (each.ctypes.data, len(each))
            widths.append(each.shape[1] if each.ndim > 1 else 0)
        code = self._code.get(tuple(widths)) or self._load(tuple(widths))
        sorts = returns(self.python)
        results = (ctypes.c_int64 * max(1, len(sorts)))()
        code(results, *arguments)
        found = [_result(result, sort) for result, sort in zip(results, sorts, strict=False)]
        return tuple(found) if len(found) > 1 else next(iter(found), None)

    def _load(self, widths: Widths) -> Callable[..., None]:
        """The code for arrays of these widths; without a place where it can be kept it is compiled."""
        with _LOADING:
            return self._code.get(widths) or self._make(widths)

    def _make(self, widths: Widths) -> Callable[..., None]:
        engine = load_object_code(self._object_code(widths))
        self._engines.append(engine)
        numbers = sum(1 if isinstance(kind, Sort) else 2 for kind in takes(self.python).values())
        prototype = ctypes.CFUNCTYPE(None, ctypes.c_void_p, *(ctypes.c_uint64,) * numbers)
        code: Callable[..., None] = prototype(engine.get_function_address(self.python.__name__))
        self._code[widths] = code
        return code

    def _object_code(self, widths: Widths) -> bytes:
        """The object file with the code, which is made and kept where it is not there yet."""
        made_of = self._made_of(widths)
        name = f"{self.python.__name__.strip('_')}-{hashlib.sha256(made_of).hexdigest()[:32]}"
        kept = None
        try:
            file = cache_folder("machine-code") / name
            kept = read_kept(file, made_of)
            if kept is None:
                kept = _compile(self.python, widths)
                write_kept(file, made_of, kept)
        except (OSError, RuntimeError) as error:
            _complain(error)
        return kept or _compile(self.python, widths)

    def _made_of(self, widths: Widths) -> bytes:
        """Everything that decides what the code is: sources, constants, widths, the processor, and who compiles."""
        sources = [source_digest(module) for module in (self.python.__module__, *_COMPILERS)]
        constants = sorted(_constants_of(self.python).items())
        return repr((self.python.__qualname__, sources, constants, widths, processor(), sys.version)).encode()


_COMPILERS = tuple(f"offsetproof.compiled.{name}" for name in ("loops", "loop_expressions", "loop_types", "native"))


def _compile(python: Callable[..., Any], widths: Widths) -> bytes:
    """Its object code, made anew; what makes it is loaded only then."""
    from offsetproof.compiled.loops import llvm_of

    return object_code_of(llvm_of(python, widths))


def _constants_of(python: Any) -> dict[str, str]:
    """The numbers that a function, and those of its module that it calls, know by name; they may be other modules'."""
    found, left, seen = dict[str, str](), [python], {python}
    while left:
        function = left.pop()
        for name in function.__code__.co_names:
            known = function.__globals__.get(name)
            known = unwrap(known) if callable(known) else known
            if isinstance(known, int | np.integer):
                found[name] = repr(known)
            elif isfunction(known) and known.__module__ == python.__module__ and known not in seen:
                seen.add(known)
                left.append(known)
    return found


def _result(result: int, sort: Sort) -> int | bool:
    if sort is Sort.TRUTH:
        return bool(result)
    return result & _WORD if sort is Sort.WORD else result


@cache
def source_digest(module: str) -> str:
    """A digest of a module's source, wherever it was loaded from."""
    spec = find_spec(module)
    assert spec is not None
    loader: Any = spec.loader
    return hashlib.sha256(loader.get_data(spec.origin)).hexdigest()


def _complain(error: Exception) -> None:
    """Says once why nothing is kept; on stderr, where logging puts what nobody else takes."""
    if not _COMPLAINED[0]:
        _COMPLAINED[0] = 1
        _LOG.warning(
            "offsetproof: machine code cannot be kept, so every run compiles it first: %s; "
            "make room there, or set OFFSETPROOF_CACHE to a folder that can be written",
            error,
        )

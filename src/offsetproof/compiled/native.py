"""Compiling LLVM IR in this process and calling it on arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from operator import is_not
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any

import llvmlite
import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt

_POINTER = ctypes.c_void_p
_EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, ctypes.c_int64, *(_POINTER,) * 7, ctypes.c_int64)
_EXPAND_CHOSEN = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, *_EXPAND._argtypes_)
_JUDGE = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_int64, _POINTER)

Int64s = npt.NDArray[np.int64]

_LOOK_EVERY = 0.05
"""Seconds between two looks at a compilation."""

_PLAIN, _OPTIMISED = 0, 2
"""LLVM's levels."""


OPTIMISE_AFTER = 500_000
"""After this many expanded states optimised code is worth its time.

To generate it takes a tenth of a second for a system of RocketMQ's, five times as long as plain code does, and saves an
eighth of a microsecond per state. Most questions are answered before.
"""


class Native:
    """A system's compiled functions; see `lower`. The machine code lives as long as this object.

    It is plain code at first. Once `optimise_after` states were expanded, another thread compiles the same again with
    optimisations, and its code takes the place of the plain one when it is there. Both compute the same values.
    """

    def __init__(self, text: str, *, optimise_after: int = OPTIMISE_AFTER) -> None:
        self._text, self._left = text, optimise_after
        self._coming: _Coming | None = None
        self._known: tuple[tuple[npt.NDArray[Any], ...], list[int]] = ((), [])
        self._counting = Lock()
        self._engines: tuple[Any, ...] = ()
        self._use(_Coming(text, _OPTIMISED if optimise_after <= 0 else _PLAIN).waited_for())

    @property
    def is_optimised(self) -> bool:
        """Is the code that is called the optimised one?"""
        return self._coming is None and self._left <= 0

    @property
    def text(self) -> str:
        """The LLVM module of which this is the code: equal texts do the same."""
        return self._text

    def _use(self, engine: Any) -> None:
        """From now on the functions of this engine are called. The code of the one before stays, as an interrupt that
        arrives in here may leave one of its functions in use."""
        self._engines = (*self._engines, engine)
        self._expand_at: int = engine.get_function_address("expand")
        self._expand: Callable[..., int] = _EXPAND(self._expand_at)
        self._judge: Callable[..., Any] = _JUDGE(engine.get_function_address("judge"))
        self._measure: Callable[..., Any] = _JUDGE(engine.get_function_address("measure"))
        self._truths: Callable[..., Any] = _JUDGE(engine.get_function_address("truths"))
        self._expand_chosen: Callable[..., int] = _EXPAND_CHOSEN(engine.get_function_address("expand_chosen"))

    def _optimise_in_time(self, states: int) -> None:
        """Counts the states that were expanded; sees to it that there is optimised code once they are many."""
        if self._coming is not None:
            better = self._coming.if_there()
            if better is not None:
                self._coming = None
                self._use(better)
        elif self._left > 0:
            self._left -= states
            if self._left <= 0:
                self._coming = _Coming(self._text, _OPTIMISED)

    def expand(
        self,
        front: npt.NDArray[np.uint64],
        into: tuple[npt.NDArray[Any], ...],
        chosen: npt.NDArray[np.uint64] | None = None,
        *,
        tells: bool = False,
    ) -> int:
        """Successors of all rows of `front`; how many. With `chosen` those by the instances chosen in each state.

        `into` are the arrays that take them: the successors, their ends, how often each instance was taken and cut, the
        flags of the states, and of each successor the instance that led to it and the bits of the claims it breaks;
        these two have room for all only where it `tells`, else for one.
        """
        with self._counting:
            self._optimise_in_time(len(front))
        addresses, each = self._addresses_of(into), -1 if tells else 0
        if chosen is None:
            return self._expand(front.ctypes.data, len(front), *addresses, each)
        return self._expand_chosen(chosen.ctypes.data, front.ctypes.data, len(front), *addresses, each)

    def address_to_expand(self, states: int) -> int:
        """Where the function `expand` is (see `lower`), for machine code that expands so many states by it."""
        with self._counting:
            self._optimise_in_time(states)
            return self._expand_at

    def _addresses_of(self, arrays: tuple[npt.NDArray[Any], ...]) -> list[int]:
        """Where the arrays are. Asking numpy takes longer than expanding a state, and they are mostly the same ones.

        Of what is known both parts are read at once: another thread may ask for other arrays meanwhile.
        """
        known, addresses = self._known
        if len(arrays) != len(known) or any(map(is_not, arrays, known)):
            addresses = [array.ctypes.data for array in arrays]
            self._known = arrays, addresses
        return addresses

    def judge(self, front: npt.NDArray[np.uint64], flags: Int64s) -> None:
        """Alarms of all rows of `front` into `flags`."""
        self._judge(front.ctypes.data, len(front), flags.ctypes.data)

    def measure(self, front: npt.NDArray[np.uint64], out: Int64s) -> None:
        """The measured nodes of all rows of `front` into `out`, row by row."""
        self._measure(front.ctypes.data, len(front), out.ctypes.data)

    def truths(self, front: npt.NDArray[np.uint64], out: npt.NDArray[np.uint64]) -> None:
        """The truth of the conditions of all rows of `front` into `out`, row by row, 64 in a word."""
        self._truths(front.ctypes.data, len(front), out.ctypes.data)


def _machine_code_of(text: str, level: int) -> Any:
    """An engine with a system's functions. LLVM's passes do nothing for these: each value has its name once already,
    and they would take twice as long as generating the code does."""
    engine = llvm.create_mcjit_compiler(_parse_and_verify(text), _target_machine(level))
    engine.finalize_object()
    return engine


def object_code_of(text: str) -> bytes:
    """The optimised code of an LLVM module, as an object file that can be kept and loaded."""
    module, machine = _parse_and_verify(text), _target_machine(_OPTIMISED)
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=_OPTIMISED))
    builder.getModulePassManager().run(module, builder)
    code: bytes = machine.emit_object(module)
    return code


def load_object_code(code: bytes) -> Any:
    """An engine with the functions of an object file; the code lives as long as it does.

    The file must be one that `object_code_of` has made for a processor of this kind (see `processor`).
    """
    machine = _target_machine(_OPTIMISED)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine


@cache
def processor() -> tuple[str, ...]:
    """What machine code is made for, and what makes it."""
    features = llvm.get_host_cpu_features().flatten()
    return llvm.get_default_triple(), llvm.get_host_cpu_name(), features, llvmlite.__version__, str(_OPTIMISED)


def _parse_and_verify(text: str) -> Any:
    module = llvm.parse_assembly(text)
    module.verify()
    return module


def _target_machine(level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )


class _Coming:
    """Code that a thread of its own compiles, so that signals and limits reach this one meanwhile.

    Where this thread is interrupted the work goes on to its end, and nobody waits for it.
    """

    def __init__(self, text: str, level: int) -> None:
        self._done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()
        Thread(target=self._compile, args=(text, level), daemon=True).start()

    def waited_for(self) -> Any:
        """The engine, once it is there."""
        while True:
            with suppress(Empty):
                return self._engine_or_raise(*self._done.get(timeout=_LOOK_EVERY))

    def if_there(self) -> Any | None:
        """The engine, if it is there."""
        with suppress(Empty):
            return self._engine_or_raise(*self._done.get_nowait())
        return None

    def _compile(self, text: str, level: int) -> None:
        try:
            self._done.put((_machine_code_of(text, level), None))
        except BaseException as error:
            self._done.put((None, error))

    @staticmethod
    def _engine_or_raise(engine: Any, error: BaseException | None) -> Any:
        if error is not None:
            raise error
        return engine

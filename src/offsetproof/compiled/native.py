"""Compiling LLVM IR in this process and calling it on arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from contextlib import suppress
from operator import is_not
from queue import Empty, SimpleQueue
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import numpy.typing as npt

from offsetproof.watch import begin_thread

_POINTER = ctypes.c_void_p
_EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, _POINTER, ctypes.c_int64, *(_POINTER,) * 7, ctypes.c_int64)
_JUDGE = ctypes.CFUNCTYPE(None, _POINTER, ctypes.c_int64, _POINTER)

Int64s = npt.NDArray[np.int64]

Told = tuple[Int64s, Int64s]
"""Room for what `expand` tells of each successor: the instance that led to it, and the bits of the claims it breaks."""

_LOOK_EVERY = 0.05
"""Seconds between two looks at a compilation."""


class Native:
    """A system's compiled functions; see `lower`. The machine code lives as long as this object.

    `quickly` leaves out LLVM's optimisations, for large systems that are only walked through.
    """

    def __init__(self, text: str, *, quickly: bool = False) -> None:
        self._engine = _apart(lambda: _compiled(text, 0 if quickly else 2))
        self._expand: Callable[..., int] = _EXPAND(self._engine.get_function_address("expand"))
        self._untold: Told = (np.zeros(1, np.int64), np.zeros(1, np.int64))
        self._arrays: tuple[npt.NDArray[Any], ...] = ()
        self._addresses: list[int] = []
        self._judge: Callable[..., Any] = _JUDGE(self._engine.get_function_address("judge"))
        self._measure: Callable[..., Any] = _JUDGE(self._engine.get_function_address("measure"))

    def expand(
        self,
        front: npt.NDArray[np.uint64],
        out: npt.NDArray[np.uint64],
        ends: Int64s,
        fired: Int64s,
        cuts: Int64s,
        flags: Int64s,
        told: Told | None = None,
    ) -> int:
        """Successors of all rows of `front` into `out`; how many. `told` is where to tell of each how it came about."""
        which, broken = told or self._untold
        addresses = self._addresses_of((out, ends, fired, cuts, flags, which, broken))
        return self._expand(front.ctypes.data, len(front), *addresses, 0 if told is None else -1)

    def _addresses_of(self, arrays: tuple[npt.NDArray[Any], ...]) -> list[int]:
        """Where the arrays are. Asking numpy takes longer than expanding a state, and they are mostly the same ones."""
        if len(arrays) != len(self._arrays) or any(map(is_not, arrays, self._arrays)):
            self._arrays, self._addresses = arrays, [array.ctypes.data for array in arrays]
        return self._addresses

    def judge(self, front: npt.NDArray[np.uint64], flags: Int64s) -> None:
        """Alarms of all rows of `front` into `flags`."""
        self._judge(front.ctypes.data, len(front), flags.ctypes.data)

    def measure(self, front: npt.NDArray[np.uint64], out: Int64s) -> None:
        """The measured nodes of all rows of `front` into `out`, row by row."""
        self._measure(front.ctypes.data, len(front), out.ctypes.data)


def _compiled(text: str, level: int) -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=level
    )
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    return engine


def _apart(work: Callable[[], Any]) -> Any:
    """Does work that is compiled code in a thread of its own, so that signals and limits reach this one meanwhile.

    Where this thread is interrupted the work goes on to its end, and nobody waits for it.
    """
    done: SimpleQueue[tuple[Any, BaseException | None]] = SimpleQueue()

    def run() -> None:
        try:
            done.put((work(), None))
        except BaseException as error:
            done.put((None, error))

    begin_thread(run, name="compile")
    while True:
        with suppress(Empty):
            result, error = done.get(timeout=_LOOK_EVERY)
            if error is not None:
                raise error
            return result

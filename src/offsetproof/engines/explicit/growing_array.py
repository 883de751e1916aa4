"""An array that grows where it lies, or is moved by the system without being copied."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from offsetproof.engines.explicit.row_memory import OwnMemory

Element = TypeVar("Element", np.uint64, np.uint32)

_MEMORY = OwnMemory()


class GrowingArray(Generic[Element]):
    """`array` has `count` elements, or rows of `width` elements where that is not 0; zero at first.

    Nobody may look at the array while it grows. What nobody has written to is not in memory.
    """

    def __init__(self, element: type[Element], count: int, width: int = 0) -> None:
        self._element: type[Element] = element
        self._width = width
        self._memory = _MEMORY.make(self._size(count))
        self.array: npt.NDArray[Element] = self._view()

    def grow(self, count: int) -> None:
        """Has room for so many, which are not fewer than before. MemoryError where there is none."""
        self.array = np.empty(0, self._element)
        try:
            _MEMORY.grow(self._memory, self._size(count))
        except (OSError, SystemError) as error:
            raise MemoryError(f"no room for {self._size(count):,} bytes: {error}") from error
        finally:  # whatever interrupts it
            self.array = self._view()

    def _size(self, count: int) -> int:
        item: int = np.dtype(self._element).itemsize
        return item * max(1, self._width) * count

    def _view(self) -> npt.NDArray[Element]:
        whole = np.frombuffer(self._memory, self._element)
        return whole.reshape(-1, self._width) if self._width else whole

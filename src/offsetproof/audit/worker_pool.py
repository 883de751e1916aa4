"""Workers of this machine that share what is to be done, where Spark would take longer to start."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from offsetproof.workers import Answered, Died, Tell, Worker, listen

Order = TypeVar("Order")
Answer = TypeVar("Answer")


class WorkerPool:
    """As many workers as are given; without any this process does it all."""

    def __init__(self, workers: Sequence[Worker] = ()) -> None:
        self.workers = list(workers)

    def map(self, function: Callable[[Order], Answer], orders: Sequence[Order]) -> list[Answer]:
        """The answers to orders, in their order; all of it must be of plain data, and the function a module's.

        What a worker fails at, or dies of, is done here: so an error is raised here, with all the memory for one.
        """
        answers = dict(self._ask_workers(function, deque(enumerate(orders)))) if len(orders) > 1 else {}
        return [answers[number] if number in answers else function(order) for number, order in enumerate(orders)]

    def _ask_workers(
        self, function: Callable[[Order], Answer], waiting: deque[tuple[int, Order]]
    ) -> Iterator[tuple[int, Answer]]:
        """What workers answer, with the number of the order."""
        idle, busy = [*self.workers], dict[Worker, int]()
        while busy or (idle and waiting):
            while idle and waiting:
                number, order = waiting.popleft()
                worker = idle.pop()
                busy[worker] = number
                worker.order((function, order))
            for worker, message in listen(busy, None):
                number = busy.pop(worker)
                if isinstance(message, Died):
                    self.workers.remove(worker)
                else:
                    idle.append(worker)
                if isinstance(message, Answered):
                    yield number, message.what


NO_WORKERS = WorkerPool()
"""This process alone."""


@contextmanager
def worker_pool(count: int) -> Iterator[WorkerPool]:
    """So many workers for the time of the block; none for one, as this process is one."""
    pool = WorkerPool([Worker(_call) for _ in range(count)] if count > 1 else ())
    try:
        yield pool
    finally:
        for worker in pool.workers:
            worker.kill()


def _call(order: Any, _tell: Tell) -> object:
    function, what = order
    return function(what)

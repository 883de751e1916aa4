"""Mutants judged by several workers; what is said of each does not show it.

The model itself is explored before they are made. Each may hold its share of the memory; what that was not enough for
is judged again here, at the end, with everything, and so is what a worker failed at or died of.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace

from offsetproof.checking.mutating import judge_mutants
from offsetproof.checking.side_by_side import processes
from offsetproof.mutation.judging import Judged, Notice, judge
from offsetproof.mutation.matrix import Matrix, Mutation
from offsetproof.watch import interrupts_later
from offsetproof.workers import Answered, ProgressReport, Tell, Worker, listen

Tells = Callable[[int, object], None]
"""Takes a mutant's number, and what its search tells."""

_LOOK_EVERY = 0.2
"""Seconds after which an interrupt is heard."""


def judge_apart(
    matrix: Matrix, mutations: Sequence[Mutation], wanted: int | None, tells: Tells
) -> Generator[tuple[int, Judged], None, None]:
    """Each mutant by its number, with what became of it as soon as it is known; `wanted` as in `processes`."""
    count = processes(wanted, [run.question for run in matrix.runs[:1] for _ in mutations])
    numbers: Sequence[int] = range(len(mutations))
    if count > 1:
        apart = _JudgingApart(matrix, mutations, count, tells)
        yield from apart.judge_all()
        numbers = apart.again
    in_turn = _tell_each(numbers, mutations, tells)
    yield from zip(numbers, judge_mutants(matrix, in_turn), strict=False)


def _tell_each(numbers: Sequence[int], mutations: Sequence[Mutation], tells: Tells) -> Iterator[Mutation]:
    for number in numbers:
        tells(number, mutations[number])
        yield mutations[number]


class _JudgingApart:
    """Workers with a mutant each; `again` are those that none of them has judged."""

    def __init__(self, matrix: Matrix, mutations: Sequence[Mutation], count: int, tells: Tells) -> None:
        self.matrix, self.mutations, self.count, self.tells = matrix, mutations, count, tells
        self._tell: Tell = lambda what: None
        self._shared = _with_share(matrix, count, lambda what: self._tell(what))
        self.again: list[int] = []

    def judge_all(self) -> Iterator[tuple[int, Judged]]:
        """Those that they judge, as they come."""
        waiting, busy = deque(range(len(self.mutations))), dict[Worker, int]()
        idle: list[Worker] = []
        try:
            with interrupts_later():
                idle += [Worker(self._judge) for _ in range(self.count)]
            while busy or (idle and waiting):
                found: list[tuple[int, Judged]] = []
                with interrupts_later():
                    while idle and waiting:
                        worker = idle.pop()
                        busy[worker] = waiting.popleft()
                        worker.order(busy[worker])
                    for worker, message in listen(busy, _LOOK_EVERY):
                        if isinstance(message, ProgressReport):
                            self.tells(busy[worker], message.what)
                            continue
                        number = busy.pop(worker)
                        if isinstance(message, Answered):
                            idle.append(worker)
                            found += self._keep_or_ask_again(number, message.what)
                        else:
                            worker.kill()
                            self.again.append(number)
                yield from found
        finally:
            for worker in (*idle, *busy):
                worker.kill()
        self.again += waiting

    def _judge(self, number: int, tell: Tell) -> object:
        """What a worker does with a mutant's number."""
        self._tell = tell
        tell(str(self.mutations[number]))
        judged = judge(self.mutations[number], self._shared)
        return judged.notice, judged.scopes

    def _keep_or_ask_again(self, number: int, said: tuple[Notice, tuple[str, ...]]) -> Iterator[tuple[int, Judged]]:
        notice, scopes = said
        if notice.lacks_memory:
            self.again.append(number)
        else:
            yield number, Judged(self.mutations[number], notice, scopes)


def _with_share(matrix: Matrix, count: int, tell: Tell) -> Matrix:
    """The same runs, with a share of the memory each."""
    runs = []
    for run in matrix.runs:
        limits = run.question.limits
        share = None if limits.bytes is None else limits.bytes // count
        runs.append(replace(run, question=replace(run.question, limits=replace(limits, bytes=share), progress=tell)))
    return replace(matrix, runs=tuple(runs))

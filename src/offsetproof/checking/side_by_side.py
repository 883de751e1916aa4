"""Questions decided by several workers; what is reported does not show it.

Answers come in the order of the questions, whoever decided them and when. Questions of one setting go to one worker,
which has the model staged; when no setting is left over, a worker that is free helps with one that is begun. A worker
that has staged a question keeps those of other releases that will have its answer, if nobody has begun them. What looks
largest comes first: one that comes last keeps all others waiting.

- Cores: where there are fewer questions than workers wanted, each search gets its share of threads.
- Memory: each worker may hold its share of what the run may. A question that its share was not enough for, for its
  answer or for its story, is asked again at the end, alone and with everything. Where that establishes less, because it
  is interrupted or its worker dies, what the share was enough for stands.
- Errors: the questions before the one that failed are answered; then it is asked again here, to fail here.
- A worker that dies makes its question UNKNOWN, and another one takes its place. So does one that is far over its time:
  it is in a call that nothing within Python can end, and is killed.
- An interrupt reaches every worker: what each has established until then is reported.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Reason
from offsetproof.watch import interrupts_later
from offsetproof.workers import Answered, Died, Failed, Message, ProgressReport, Tell, Worker, cpus, listen

SHARE_MIN = 256 << 20
"""No worker is to get along with less memory than this many bytes; there are fewer workers then."""

GRACE = 10.0
"""How many seconds a worker has to say what it has established, once it is interrupted or its time is over."""

_LOOK_EVERY = 0.2
"""Seconds between two looks at the time, and after which an interrupt is heard."""

_OVERDUE = "its process was in one long call, which no limit ends, and was killed"


def _ended_with(how: str) -> str:
    return f"it ended with {how}; where memory is short, --max-memory and --workers=1 let it take less"


Outcome = TypeVar("Outcome")


@dataclass(frozen=True)
class Lost:
    """Why a question has no answer from its process, in words as well, and how many seconds that took."""

    reason: Reason
    detail: str
    seconds: float


@dataclass(frozen=True)
class Job(Generic[Outcome]):
    """How a question is decided: `decide` gives what can be sent, `unpack` makes an outcome of it in this process.

    `lost` is the outcome where a process has died or was killed. `is_decided`: an outcome has a verdict;
    `is_interrupted`: the user stopped the work that it comes from; `lacks_memory`: with more memory it might have said
    more. `size` is a guess at how large a question is. `answers_too` is asked of a question whose model is staged: will
    the other one, which differs from it in its releases alone, have its answer?
    """

    decide: Callable[[Question], Any]
    unpack: Callable[[Question, Any], Outcome]
    lost: Callable[[Question, Lost], Outcome]
    is_decided: Callable[[Outcome], bool]
    is_interrupted: Callable[[Outcome], bool]
    lacks_memory: Callable[[Outcome], bool]
    size: Callable[[Question], int] = lambda _: 0
    answers_too: Callable[[Question, Question], bool] = lambda _, __: False


@dataclass(frozen=True)
class _Kept:
    """Questions, by their numbers, that the worker will have answered with the one that it is at."""

    numbers: frozenset[int]


Tells = Callable[[Question, object, int], None]
"""Takes what a question's search tells, and how many questions are decided."""


def processes(wanted: int | None, questions: Sequence[Question]) -> int:
    """How many processes decide these questions: as many as wanted (None: as this process may use CPUs), or fewer."""
    most = cpus() if wanted is None else wanted
    memory = min((q.limits.bytes for q in questions if q.limits.bytes is not None), default=None)
    shares = most if memory is None else memory // SHARE_MIN
    return max(1, min(most, len(questions), shares))


def side_by_side(
    questions: Sequence[Question], job: Job[Outcome], count: int, tells: Tells
) -> Generator[Outcome, None, None]:
    """The outcomes in the order of the questions, each as soon as all before it are there. An interrupted one, or
    several, end it."""
    run = _ParallelRun(questions, job, count, tells)
    try:
        yield from run.outcomes()
    finally:
        run.end()


class _ParallelRun(Generic[Outcome]):
    """One run in progress."""

    def __init__(self, questions: Sequence[Question], job: Job[Outcome], count: int, tells: Tells) -> None:
        self.questions, self.job, self.count, self.tells = questions, job, count, tells
        self.settings = [(q.model, replace(q.setting, releases={}).key) for q in questions]
        self.waiting = self._by_setting(range(len(questions)))
        self.workers: dict[Worker, Any] = {}
        self.begun: dict[Any, Worker | None] = {}
        self.busy: dict[Worker, tuple[int, float]] = {}
        self.kept: dict[Worker, frozenset[int]] = {}
        self.done: dict[int, Outcome] = {}
        self.short: dict[int, Outcome] = {}
        self.until: float | None = None
        self.limit, self.failed = len(questions), ""

    def outcomes(self) -> Iterator[Outcome]:
        """The outcomes in order."""
        given = 0
        while given < self.limit and (given in self.done or self._proceeds()):
            if given in self.done:
                yield self.done[given]
                given += 1
        if self.until is not None:
            known = {**self.short, **self.done}
            yield from (known[number] for number in sorted(known) if number >= given)
        elif given < len(self.questions):
            yield self._ask_here(given)

    def end(self) -> None:
        """No worker is left."""
        for worker in self.workers:
            worker.kill()
        self.workers.clear()

    def _by_setting(self, numbers: Iterable[int]) -> dict[Any, deque[int]]:
        """Questions by what a worker has to stage for them: each setting's in their order, in all of its releases.

        In several the system of a claim may be the same, and is searched once by a worker that has all of them.
        """
        waiting: dict[Any, deque[int]] = {}
        for number in sorted(numbers, key=lambda number: -self.job.size(self.questions[number])):
            waiting.setdefault(self.settings[number], deque()).append(number)
        return waiting

    def _proceeds(self) -> bool:
        """Gives orders, and takes in what workers say; False where nothing more will be decided."""
        try:
            with interrupts_later():
                if not self._goes_on():
                    return self._begins_again()
                self._give_orders()
                for worker, message in listen(self.workers, _LOOK_EVERY):
                    self._handle(worker, message)
                self._kill_overdue()
        except KeyboardInterrupt:
            self.until = time.monotonic() + GRACE
            for worker in self.busy:
                worker.interrupt()
        return True

    def _goes_on(self) -> bool:
        """Is anything still being decided, or to be?"""
        if self.until is not None:
            return bool(self.busy) and time.monotonic() < self.until
        return any(number < self.limit for number, _ in self.busy.values()) or self._left > 0

    @property
    def _left(self) -> int:
        """How many questions nobody has begun."""
        return sum(number < self.limit for numbers in self.waiting.values() for number in numbers)

    def _begins_again(self) -> bool:
        """Has what a share of the memory was not enough for asked again: nobody else needs any now."""
        if self.until is not None or self.count == 1 or not self.short:
            return False
        self.end()
        self.busy.clear()
        self.count, self.waiting = 1, self._by_setting(sorted(self.short))
        return True

    def _ask_here(self, number: int) -> Outcome:
        """Asks a question once more that has raised an error, so that it is raised here."""
        question = self.questions[number]
        outcome = self.job.unpack(question, self.job.decide(question))
        if self.job.is_interrupted(outcome):
            return outcome
        raise DisagreementError(f"{question.prop.id} was decided, but not at first: {self.failed}")

    def _give_orders(self) -> None:
        if self.until is not None:
            return
        while len(self.workers) < self.count and self._left > len(self.workers) - len(self.busy):
            self.workers[Worker(self._decide)] = None
        for worker in self.workers:
            if worker not in self.busy and (number := self._next(worker)) is not None:
                self.busy[worker] = number, time.monotonic()
                worker.order(number)

    def _next(self, worker: Worker) -> int | None:
        """A question of the setting that the worker is at; else of a new one; else of the longest list.

        Whoever helps takes the last ones, so that the releases of one claim stay with one worker.
        """
        kept = self._kept_by_others(worker)
        left = {
            key: free
            for key, numbers in self.waiting.items()
            if (free := [number for number in numbers if number < self.limit and number not in kept])
        }
        if not left:
            return None
        key = self.workers[worker]
        if key not in left:
            new = [key for key in left if key not in self.workers.values()]
            key = new[0] if new else max(left, key=lambda key: len(left[key]))
        self.workers[worker] = key
        if self.begun.get(key) not in self.workers:
            self.begun[key] = worker
        number = left[key][0 if self.begun[key] is worker else -1]
        self.waiting[key].remove(number)
        return number

    def _kept_by_others(self, worker: Worker) -> set[int]:
        """What another worker that is still there keeps; no two keep the same, or nobody would take it."""
        return {number for other in self.workers if other is not worker for number in self.kept.get(other, ())}

    def _decide(self, number: int, tell: Tell) -> object:
        """What a worker does with a question's number."""
        question = self.questions[number]
        share, threads = question.limits.bytes, max(1, question.limits.threads // self.count)
        limits = replace(question.limits, bytes=None if share is None else share // self.count, threads=threads)

        def keep_releases() -> None:
            later = (
                (n, self.questions[n])
                for n in range(number + 1, len(self.questions))
                if self._differ_in_releases(number, n)
            )
            kept = frozenset(n for n, other in later if self.job.answers_too(question, other))
            if kept:
                tell(_Kept(kept))

        return self.job.decide(replace(question, limits=limits, progress=tell, prepared=keep_releases))

    def _differ_in_releases(self, one: int, other: int) -> bool:
        """Do two questions differ in their releases, and in nothing else?"""
        ids = [self.questions[number].prop.id for number in (one, other)]
        return self.settings[one] == self.settings[other] and ids[0] == ids[1]

    def _handle(self, worker: Worker, message: Message) -> None:
        """What follows from a message."""
        number, began = self.busy.get(worker, (None, 0.0))
        if isinstance(message, Died):
            del self.workers[worker]
        if number is None:
            return
        if isinstance(message, ProgressReport) and isinstance(message.what, _Kept):
            self.kept[worker] = message.what.numbers - self._kept_by_others(worker)
            return
        if isinstance(message, ProgressReport):
            self.tells(self.questions[number], message.what, len(self.done))
            return
        del self.busy[worker]
        if isinstance(message, Answered):
            self._give_orders()  # it goes on while the answer is taken in
            outcome = self.job.unpack(self.questions[number], message.what)
            if not self.job.is_decided(outcome):
                self.kept.pop(worker, None)
            self._keep(number, outcome)
        elif self.until is None and isinstance(message, Failed):
            if number < self.limit:
                self.limit, self.failed = number, message.why
        elif self.until is None and isinstance(message, Died):
            self._lose(number, Reason.DIED, _ended_with(message.how), began)

    def _kill_overdue(self) -> None:
        """Ends the workers whose question should have ended by itself."""
        for worker, (number, began) in list(self.busy.items()):
            limit = self.questions[number].limits.seconds
            if self.until is None and limit is not None and time.monotonic() - began > limit + GRACE:
                worker.kill()
                del self.busy[worker], self.workers[worker]
                self._lose(number, Reason.TIME, _OVERDUE, began)

    def _lose(self, number: int, reason: Reason, detail: str, began: float) -> None:
        lost = Lost(reason, detail, time.monotonic() - began)
        self._keep(number, self.job.lost(self.questions[number], lost))

    def _keep(self, number: int, outcome: Outcome) -> None:
        """Keeps an outcome, unless it lacks memory and will be asked again, or was the better one the first time."""
        first = self.short.get(number)
        if first is None and self.until is None and self.count > 1 and self.job.lacks_memory(outcome):
            self.short[number] = outcome
        elif first is not None and self.job.is_decided(first) and not self.job.is_decided(outcome):
            self.done[number] = first
        else:
            self.done[number] = outcome

"""Questions decided in several processes; what is reported does not show it.

Answers come in the order of the questions, whoever decided them and when. Questions of one setting go to one process,
which has the model staged; when no setting is left over, a process that is free helps with one that is begun.

- Memory: each process may hold its share of what the run may. A question that its share was not enough for, for its
  answer or for its story, is asked again at the end, alone and with everything, as without other processes. Where that
  is interrupted, what the share was enough for stands.
- Errors: the questions before the one that failed are answered; then it is asked again here, to fail here.
- A process that dies makes its question UNKNOWN, and another one takes its place. So does one that is far over its
  time: it is in a call that nothing within Python can end, and is killed.
- An interrupt reaches every process: what each has established until then is reported.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from queue import Empty, SimpleQueue
from typing import Any, Generic, TypeVar

from offsetproof.children.forked import Answered, Child, Died, Failed, Message, ProgressReport, Tell
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Reason

SHARE_MIN = 256 << 20
"""No process is to get along with less memory than this many bytes; there are fewer processes then."""

GRACE = 10.0
"""How many seconds a process has to say what it has established, once it is interrupted or its time is over."""

_LOOK_EVERY = 0.5

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
    more.
    """

    decide: Callable[[Question], Any]
    unpack: Callable[[Question, Any], Outcome]
    lost: Callable[[Question, Lost], Outcome]
    is_decided: Callable[[Outcome], bool]
    is_interrupted: Callable[[Outcome], bool]
    lacks_memory: Callable[[Outcome], bool]


Tells = Callable[[Question, object, int], None]
"""Takes what a question's search tells, and how many questions are decided."""


def processes(wanted: int | None, questions: Sequence[Question]) -> int:
    """How many processes decide these questions: as many as wanted (None: as this process may use CPUs), or fewer."""
    most = _cpus() if wanted is None else wanted
    memory = min((q.limits.bytes for q in questions if q.limits.bytes is not None), default=None)
    shares = most if memory is None else memory // SHARE_MIN
    return max(1, min(most, len(questions), shares))


def _cpus() -> int:
    """How many CPUs this process may use; where the system does not say, how many there are."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


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
    """One run in progress. Messages are kept in the order in which they arrive, and `read` of them have been heeded."""

    def __init__(self, questions: Sequence[Question], job: Job[Outcome], count: int, tells: Tells) -> None:
        self.questions, self.job, self.tells = questions, job, tells
        self.waiting: dict[Any, deque[int]] = {}
        for number, question in enumerate(questions):
            self.waiting.setdefault((question.model, question.setting.key), deque()).append(number)
        self.keys: dict[Child, Any] = {}
        self.busy: dict[Child, int] = {}
        self.began: dict[int, float] = {}
        self.done: dict[int, Outcome] = {}
        self.messages: list[tuple[Child, Message]] = []
        self.read = 0
        self.news: SimpleQueue[None] = SimpleQueue()
        self.until: float | None = None
        self.short: dict[int, Outcome] = {}
        self.failed: dict[int, str] = {}
        self.limit = len(questions)
        self.count = count

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
        elif given in self.failed:
            yield self._ask_again(given)

    def end(self) -> None:
        """No process is left."""
        for child in self.keys:
            child.kill()

    def _proceeds(self) -> bool:
        """Waits for news and heeds them; False where nothing more will be decided."""
        try:
            if not self._goes_on():
                return self._asks_again()
            if self.until is None:
                self._give_orders()
            if self.read == len(self.messages):
                with suppress(Empty):
                    self.news.get(timeout=_LOOK_EVERY)
            while self.read < len(self.messages):
                self._heed(*self.messages[self.read])
                self.read += 1
            self._kill_overdue()
        except KeyboardInterrupt:
            self.until = time.monotonic() + GRACE
            for child in self.busy:
                child.interrupt()
        return True

    def _goes_on(self) -> bool:
        """Is anything still being decided, or to be?"""
        if self.until is not None:
            return bool(self.busy) and time.monotonic() < self.until
        return any(number < self.limit for number in self.busy.values()) or self._left > 0

    @property
    def _left(self) -> int:
        """How many questions nobody has begun."""
        return sum(number < self.limit for numbers in self.waiting.values() for number in numbers)

    def _asks_again(self) -> bool:
        """Asks what needs all of the memory here, one question after the other, when nobody else needs any."""
        if self.until is not None or not self.short:
            return False
        self.end()
        self.keys.clear()
        number = min(self.short)
        question = self.questions[number]
        again = self.job.unpack(question, self.job.decide(question))
        first = self.short.pop(number)
        if self.job.is_interrupted(again):
            self.until = time.monotonic()
        is_worse = self.job.is_decided(first) and not self.job.is_decided(again)
        self.done[number] = first if is_worse else again
        return True

    def _ask_again(self, number: int) -> Outcome:
        """Asks a question once more that has raised an error, so that it is raised here."""
        question = self.questions[number]
        outcome = self.job.unpack(question, self.job.decide(question))
        if self.job.is_interrupted(outcome):
            return outcome
        raise DisagreementError(f"{question.prop.id} was decided, but not at first: {self.failed[number]}")

    def _give_orders(self) -> None:
        while len(self.keys) < self.count and self._left > len(self.keys) - len(self.busy):
            self.keys[Child(self._decide, self._hear)] = None
        for child in self.keys:
            if child not in self.busy:
                number = self._next(child)
                if number is None:
                    return
                self.busy[child] = number
                self.began[number] = time.monotonic()
                child.order(number)

    def _next(self, child: Child) -> int | None:
        """A question of the setting that the process is at; else the first of a new one; else of the longest list."""
        left = {key: numbers for key, numbers in self.waiting.items() if numbers and numbers[0] < self.limit}
        if not left:
            return None
        key = self.keys[child]
        if key not in left:
            new = [key for key in left if key not in self.keys.values()]
            key = new[0] if new else max(left, key=lambda key: len(left[key]))
        self.keys[child] = key
        return left[key].popleft()

    def _kill_overdue(self) -> None:
        """Ends the processes whose question should have ended by itself."""
        for child, number in list(self.busy.items()):
            limit = self.questions[number].limits.seconds
            spent = time.monotonic() - self.began[number]
            if self.until is None and limit is not None and spent > limit + GRACE:
                child.kill()
                self._lose(number, Reason.TIME, _OVERDUE)
                del self.busy[child], self.keys[child]

    def _lose(self, number: int, reason: Reason, detail: str) -> None:
        lost = Lost(reason, detail, time.monotonic() - self.began[number])
        self.done[number] = self.job.lost(self.questions[number], lost)

    def _decide(self, number: int, tell: Tell) -> object:
        """What a process does with a question's number."""
        question = self.questions[number]
        share = question.limits.bytes
        limits = replace(question.limits, bytes=None if share is None else share // self.count)
        return self.job.decide(replace(question, limits=limits, progress=tell))

    def _hear(self, child: Child, message: Message) -> None:
        self.messages.append((child, message))
        self.news.put(None)

    def _heed(self, child: Child, message: Message) -> None:
        """What follows from a message; to heed it twice, after an interrupt, changes nothing."""
        number = self.busy.get(child)
        if isinstance(message, Died):
            self.keys.pop(child, None)
        if number is None:
            return
        question = self.questions[number]
        if isinstance(message, ProgressReport):
            self.tells(question, message.what, len(self.done))
            return
        if isinstance(message, Answered):
            self._keep(number, self.job.unpack(question, message.what))
        elif self.until is None and isinstance(message, Failed):
            self.failed[number] = message.why
            self.limit = min(self.limit, number)
        elif self.until is None and isinstance(message, Died):
            self._lose(number, Reason.DIED, _ended_with(message.how))
        self.busy.pop(child, None)

    def _keep(self, number: int, outcome: Outcome) -> None:
        """Keeps an outcome, but for one that lacks memory."""
        if self.until is None and self.count > 1 and self.job.lacks_memory(outcome):
            self.short[number] = outcome
        else:
            self.done[number] = outcome

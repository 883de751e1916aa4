"""How long things take in the real program: what a model, whose steps only have an order, leaves out about time.

Data beside a subject's claims. From it and the order that a trace needs, the checker computes the smallest stall or
delay with which the trace can really happen (`check.timing`). Seconds everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Timer:
    """A time that the real program waits by itself, or takes, in seconds, and where it says so.

    A release of this `role` may have another number (`TimerChange`).
    """

    name: str
    seconds: float
    role: str = ""
    source: str = ""

    def __add__(self, other: Timer | Span) -> Span:
        return Span((self,)) + other

    def __rmul__(self, times: int) -> Span:
        return Span((self,) * times)


@dataclass(frozen=True)
class TimerChange:
    """Another number of seconds for a timer than in the release before: a story takes more or less time.

    It moves no verdict; `source` is a commit or pull request.
    """

    name: str
    timer: Timer
    seconds: float
    source: str = ""

    @property
    def about(self) -> str:
        """The timer with both numbers.

        >>> TimerChange("idles-longer", Timer("idle pull", 120.0), 180.0).about
        'idle pull: 180 s, not 120 s'
        """
        return f"{self.timer.name}: {self.seconds:g} s, not {self.timer.seconds:g} s"


@dataclass(frozen=True)
class Span:
    """A sum of timers, as it is written: `2 * REQUEST + SLEEP`."""

    timers: tuple[Timer, ...]

    def __add__(self, other: Timer | Span) -> Span:
        return Span((*self.timers, *(other.timers if isinstance(other, Span) else (other,))))

    def seconds_in(self, seconds: Seconds) -> float:
        """How long it is where timers take so long."""
        return sum(seconds(timer) for timer in self.timers)


Seconds = Callable[[Timer], float]
"""How long a timer takes in the releases that a question is about."""


@dataclass(frozen=True)
class Wait:
    """What passes before an action: from `least` to `most` seconds, and no more unless `who` is late.

    `who` says what then happens: "a consume thread stalls". The wait ends with one of the actions `ends`, and begins
    with the last step before it of each group in `begins`, whichever is the latest; `same` are parameters that must be
    equal, where an action has them. `most` is None where any time is normal, and 0 for plain code. From a step in
    `sooner` it takes so many seconds at most: what is over last counts.

    `source` is where the program says so. `held` gives its ends parameters that they lack: a name, and the field with
    the value when the step is taken, as in `("pq_id", "consumer[{c}].current")`; `held_at_begin` does so for steps
    that begin it, named first. `only` are arguments that its steps must have, where they have the parameter. Where
    steps of `idle` follow its end and all is as before, stories leave such rounds out: it may take `idle_least`, or
    longer.
    """

    who: str
    ends: tuple[str, ...]
    begins: tuple[tuple[str, ...], ...]
    same: tuple[str, ...] = ()
    least: float = 0.0
    most: float | None = 0.0
    source: str = ""
    held: tuple[tuple[str, str], ...] = ()
    only: tuple[tuple[str, int | str], ...] = ()
    held_at_begin: tuple[tuple[str, str, str], ...] = ()
    sooner: tuple[tuple[str, float], ...] = ()
    idle: tuple[str, ...] = ()
    idle_least: float = 0.0

    @property
    def says_nothing(self) -> bool:
        """Is any time normal, none at all included?"""
        return self.least == 0 and self.most is None


@dataclass(frozen=True)
class Transit:
    """Something on its way, in a queue whose length is the field `count` (`*` stands for any index).

    A step that makes it longer sends; one that makes it shorter receives the element at the parameter `place`, or the
    oldest one.
    """

    who: str
    count: str
    place: str
    most: float


@dataclass(frozen=True)
class Timing:
    """All that is known about the time that a model's steps take; what is not listed may take any time."""

    waits: tuple[Wait, ...]
    transits: tuple[Transit, ...] = ()

    @property
    def actions(self) -> frozenset[str]:
        """Every action that is named."""
        named = [names for wait in self.waits for names in (wait.ends, *wait.begins)]
        return frozenset(name for names in named for name in names)


def plain_code(who: str, same: tuple[str, ...], *steps: str | tuple[str, ...]) -> tuple[Wait, ...]:
    """Plain code of one thread: each step, one action or another, follows the one before at once.

    >>> [(wait.begins, wait.ends) for wait in plain_code("a thread stalls", ("t",), "reads", ("writes", "gives_up"))]
    [((('reads',),), ('writes', 'gives_up'))]
    """
    named = [(step,) if isinstance(step, str) else step for step in steps]
    return tuple(
        Wait(who, names, (tuple(name for before in named[:i] for name in before),), same, source="plain code")
        for i, names in enumerate(named)
        if i
    )

"""The record of a step: its thread, what passes before it, and how the rig does it, beside its place in the program.

A model declares all of it where the step is defined (`step.Thread.step`); timing and rigging are made of it.
"""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.lang.rigging import RigChange, ThreadStep
from offsetproof.lang.timing import Seconds, Span, Timer, Wait


@dataclass(frozen=True)
class Pause:
    """What passes before a step, in timers; a `Wait` without its ends, which are the steps that have the pause.

    `after` has names of steps, or tuples of them of which the last one counts; the latest of all of them begins it.
    Without `most` it is over as soon as `least` is; `any_longer` says that any time beyond is normal. `same` are the
    parameters that must be equal, where these are not all of the thread's. `held`, `held_at_begin`, `only`, `idle` and
    `idle_least` are those of `Wait`. From the steps `soon_after` it takes no more than `soon`, where that is less than
    `most`.
    """

    who: str
    after: tuple[str | tuple[str, ...], ...]
    least: Timer | Span | None = None
    most: Timer | Span | None = None
    source: str = ""
    any_longer: bool = False
    same: tuple[str, ...] | None = None
    held: tuple[tuple[str, str], ...] = ()
    only: tuple[tuple[str, int | str], ...] = ()
    held_at_begin: tuple[tuple[str, str, str], ...] = ()
    soon_after: tuple[str, ...] = ()
    soon: Timer | Span | None = None
    idle: tuple[str, ...] = ()
    idle_least: Timer | Span | None = None

    def wait(self, ends: tuple[str, ...], late: str, same: tuple[str, ...], seconds: Seconds) -> Wait:
        """The wait that ends with these steps, of a thread that is `late` and has these parameters."""
        begins = tuple(group if isinstance(group, tuple) else (group,) for group in self.after)
        least, most = _in_seconds(self.least, seconds), _in_seconds(self.most or self.least, seconds)
        kept = same if self.same is None else self.same
        longest = None if self.any_longer else most
        soon = _in_seconds(self.soon, seconds)
        return Wait(
            self.who or late,
            ends,
            begins,
            kept,
            least,
            longest,
            self.source,
            self.held,
            self.only,
            self.held_at_begin,
            tuple((name, soon) for name in self.soon_after) if soon < most else (),
            self.idle,
            _in_seconds(self.idle_least, seconds),
        )


def at_once(*after: str) -> Pause:
    """Plain code that follows the last of these steps, where that is not just the step above."""
    return Pause("", (after,), source="plain code")


@dataclass(frozen=True)
class NotInRig:
    """A step that the rig cannot do, and why."""

    why: str


@dataclass(frozen=True)
class Record:
    """All that is said of a step beside its places: `late` is what happens when its thread is late.

    `same` are the thread's parameters. A step that has neither `pauses` nor may come at `any_time`, for this reason,
    follows the one above it at once. `any_time` is also the reason where a model has none of the steps that it waits
    for. Whatever waits for a step that it `counts_as` waits for it as well.
    """

    thread: str
    late: str
    same: tuple[str, ...]
    pauses: tuple[Pause, ...]
    any_time: str
    rig: ThreadStep | RigChange | NotInRig
    counts_as: str = ""

    @property
    def is_plain_code(self) -> bool:
        """Does the step follow the one above it in its thread at once?"""
        return not self.pauses and not self.any_time


def _in_seconds(span: Timer | Span | None, seconds: Seconds) -> float:
    if span is None:
        return 0.0
    return span.seconds_in(seconds) if isinstance(span, Span) else seconds(span)

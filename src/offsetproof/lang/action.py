"""Actions: what can happen, who does it, what it stands for in the real program, and what keeps it from happening.

@action(c=CONSUMERS, actor="consumer[c]", thread="persist", stands_for=[at("RemoteBrokerOffsetStore", "persistAll")])
def consumer_persists_all(self, c: int) -> None:
    require(self.consumer[c].cell is not None)
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.places import shown_place
from offsetproof.lang.run import Disabled, current
from offsetproof.lang.scope import SortOfParameter

Method = TypeVar("Method", bound=Callable[..., None])


@dataclass(frozen=True)
class Anchor:
    """A place in the real program: class, method and, where it helps, the call site within it.

    `line` is the line at release 4.9.4, or None where the place is known only by name.
    """

    java_class: str
    method: str
    site: str = ""
    line: int | None = None

    def __str__(self) -> str:
        place = f"{self.java_class}.{self.method}" + (f":{self.line}" if self.line else "")
        return f"{place} ({self.site})" if self.site else place


def at(java_class: str, method: str, line: int | None = None, site: str = "") -> Anchor:
    """An anchor, in the order in which people say it."""
    return Anchor(java_class, method, site, line)


@dataclass(frozen=True)
class Action:
    """The declaration of one action: its method, its parameters' sorts, and what it stands for."""

    name: str
    method: Callable[..., None]
    sorts: tuple[tuple[str, SortOfParameter], ...]
    actor: str
    thread: str
    fault: str | None
    stands_for: tuple[Anchor, ...]
    logs: str | None
    file: str
    line: int

    @property
    def place(self) -> str:
        """`file:line` of the method."""
        return shown_place(self.file, self.line)

    @property
    def about(self) -> str:
        """The first line of the method's docstring."""
        return (self.method.__doc__ or "").strip().splitlines()[0] if self.method.__doc__ else ""

    def actor_of(self, args: Iterable[tuple[str, Any]]) -> str:
        """Who takes an instance: the actor with its parameters filled in, `consumer[0]`."""
        actor = self.actor
        for name, value in args:
            actor = actor.replace(f"[{name}]", f"[{value}]")
        return actor


def action(
    *bare: object,
    actor: str = "system",
    thread: str = "main",
    fault: str | None = None,
    stands_for: Iterable[Anchor] = (),
    logs: str | None = None,
    **sorts: SortOfParameter,
) -> Callable[[Method], Method]:
    """Marks a method as an action.

    `actor` may name parameters in brackets (`consumer[c]`); `fault` names the fault kind whose budget in the scope it
    spends (without a budget it cannot happen); `logs` is the template of a line that it may leave. The other keywords
    give the parameters' sorts.
    """

    if bare:
        raise DeclarationError("@action needs parentheses: write @action(), and what it takes as keywords in them")

    def mark(method: Method) -> Method:
        code = method.__code__
        made = Action(
            method.__name__,
            method,
            tuple(sorts.items()),
            actor,
            thread,
            fault,
            tuple(stands_for),
            logs,
            code.co_filename,
            code.co_firstlineno,
        )
        method.__offsetproof_action__ = made  # type: ignore[attr-defined]  # the mark that Model collects
        return method

    return mark


def require(*conditions: bool) -> None:
    """The guard: all conditions must hold, else the action cannot be taken (which is not a step)."""
    for condition in conditions:
        if not condition:
            raise Disabled


def bound(condition: bool) -> None:
    """A guard that exists only because the scope is finite; where it alone is in the way, a cut is counted."""
    run = current()
    if not condition:
        run.cut = True

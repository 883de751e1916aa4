"""Actions: what can happen, who does it, what it stands for in the real program, and what keeps it from happening.

@action(c=CONSUMERS, actor="consumer[c]", thread="persist", stands_for=[at("RemoteBrokerOffsetStore", "persistAll")])
def consumer_persists_all(self, c: int) -> None:
    require(self.consumer[c].cell is not None)
    ...
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from inspect import signature
from typing import Any, TypeVar

from offsetproof.lang.anchor import Anchor
from offsetproof.lang.declaring import ACTION_MARK
from offsetproof.lang.errors import DeclarationError, refuse_unwritable, user_place
from offsetproof.lang.fairness import Fairness
from offsetproof.lang.offsets import OffsetSet
from offsetproof.lang.record import Record
from offsetproof.lang.registry import function_marked, note_action
from offsetproof.lang.run import Disabled, acting
from offsetproof.lang.scope import Fault, Index, SortOfParameter, is_sort
from offsetproof.lang.source_paths import shown_place

Elements = Callable[[Any], OffsetSet]
"""A set of offsets, in one state of the model."""

Method = TypeVar("Method", bound=Callable[..., None])


@dataclass(frozen=True)
class Action:
    """The declaration of one action: its method, its parameters' sorts, and what it stands for.

    `among` has, for some parameters, a set that the argument must be an element of; `record` what else is said of a
    step of a thread.
    """

    name: str
    method: Callable[..., None]
    sorts: tuple[tuple[str, SortOfParameter], ...]
    actor: str
    thread: str
    kind_of_fault: Fault | None
    stands_for: tuple[Anchor, ...]
    logs: str | None
    file: str
    line: int
    among: tuple[tuple[str, Elements], ...] = ()
    record: Record | None = None
    words: str = ""
    fair: Fairness = Fairness.WEAK

    @property
    def place(self) -> str:
        """`file:line` of the method."""
        return shown_place(self.file, self.line)

    @property
    def fault(self) -> str | None:
        """The name of the kind of fault that it is, if it is one."""
        return None if self.kind_of_fault is None else self.kind_of_fault.name

    @property
    def about(self) -> str:
        """The first line of the method's docstring, or what a mode says instead."""
        if self.words:
            return self.words
        return (self.method.__doc__ or "").strip().splitlines()[0] if self.method.__doc__ else ""

    def actor_of(self, args: Iterable[tuple[str, Any]]) -> str:
        """Who takes an instance: the actor with its parameters filled in, `consumer[0]`."""
        actor = self.actor
        for name, value in args:
            actor = actor.replace(f"[{name}]", f"[{value}]")
        return actor


def _refuse_bad_sorts(place: str, sorts: Mapping[str, object]) -> None:
    """DeclarationError for a parameter that is given something else than a sort."""
    for name, sort in sorts.items():
        if not is_sort(sort):
            raise DeclarationError(f'{place}: {name}={sort!r} is not a sort; give an enum or Index("{name}", 2)')


def _refuse_bad_fairness(place: str, fair: object, fault: Fault | None) -> None:
    """DeclarationError for a fairness that is none, or of a fault."""
    if not isinstance(fair, Fairness | None):
        raise DeclarationError(f"{place}: fair={fair!r} is no fairness; write fair=Fairness.STRONG, WEAK or NONE")
    if fault is not None and fair not in (None, Fairness.NONE):
        raise DeclarationError(
            f"{place}: fault {fault.name} may never happen, so no run is fair to it; leave out fair="
        )


def _refuse_bad_among(place: str, among: object, sorts: Mapping[str, SortOfParameter]) -> None:
    """DeclarationError for what is not a table of functions that give a set of offsets."""
    if among is None:
        return
    if not isinstance(among, Mapping):
        raise DeclarationError(f"{place}: among={among!r}; write among={{'w': lambda model: model.waiting}}")
    odd = next((name for name, elements in among.items() if not callable(elements)), None)
    if odd is not None:
        raise DeclarationError(f"{place}: among[{odd!r}] is {among[odd]!r}; write lambda model: model.waiting")
    odd = next((name for name, elements in among.items() if len(signature(elements).parameters) != 1), None)
    if odd is not None:
        raise DeclarationError(f"{place}: the function of among[{odd!r}] takes the model alone; lambda model: ...")
    odd = next((name for name in among if not isinstance(sorts.get(name), Index)), None)
    if odd is not None:
        raise DeclarationError(f"{place}: among has {odd!r}, which is not a parameter over an index sort")


def action(
    *bare: object,
    actor: str = "system",
    thread: str = "main",
    fault: Fault | str | None = None,
    stands_for: Iterable[Anchor] = (),
    logs: str | None = None,
    among: Mapping[str, Elements] | None = None,
    record: Record | None = None,
    fair: Fairness | None = None,
    **sorts: SortOfParameter,
) -> Callable[[Method], Method]:
    """Marks a method as an action.

    `actor` may name parameters in brackets (`consumer[c]`); `fault` is the kind of fault, or its name, whose budget in
    the scope it spends (without a budget it cannot happen); `logs` is the template of a line that it may leave. The
    other keywords give the parameters' sorts. `among` says of a parameter that the action is taken for elements of a
    set only: with `w=WORKERS, among={"w": lambda model: model.waiting}` for any one of those who wait. `record` is what
    `Thread.step` says of it. `fair` says how fair runs are to the actor's thread; a fault is never fair.
    DeclarationError where it is not called, or where a sort is none.
    """
    if bare:
        raise DeclarationError(f"{user_place()}: @action needs parentheses; write @action() or @action(actor=...)")
    for word, text in (("actor", actor), ("thread", thread)):
        if not isinstance(text, str):
            raise DeclarationError(f"{user_place()}: {word}={text!r} is not a string; write {word}='worker'")
    anchors = tuple(stands_for)
    if not isinstance(fault, Fault | str | None):
        raise DeclarationError(
            f"{user_place()}: fault={fault!r} is not a fault; write fault=Fault('loss', 'what is lost')"
        )
    kind = Fault(fault) if isinstance(fault, str) else fault
    refuse_unwritable(user_place(), actor, thread, kind and kind.name, logs, *anchors)
    _refuse_bad_fairness(user_place(), fair, kind)
    _refuse_bad_sorts(user_place(), sorts)
    _refuse_bad_among(user_place(), among, sorts)

    def mark(given: Method) -> Method:
        method = function_marked("@action()", given)
        code = method.__code__
        made = Action(
            method.__name__,
            method,
            tuple(sorts.items()),
            actor,
            thread,
            kind,
            anchors,
            logs,
            code.co_filename,
            code.co_firstlineno,
            tuple((among or {}).items()),
            record,
            fair=fair or (Fairness.WEAK if kind is None else Fairness.NONE),
        )
        note_action(method)
        setattr(method, ACTION_MARK, made)
        return method  # type: ignore[return-value]  # what was given, or a copy of it

    return mark


def same(step: Callable[..., None]) -> Callable[[Method], Method]:
    """Marks a method that overrides a step of a base class as the same action, of which all that was said holds.

    DeclarationError where there is no such step, or the method has another name.
    """
    declared = getattr(step, ACTION_MARK, None)
    if not isinstance(declared, Action):
        raise DeclarationError(f"{user_place()}: @same takes a step of a base class; write @same(Base.the_step)")

    def mark(given: Method) -> Method:
        method = function_marked("@same()", given)
        if method.__name__ != declared.name:
            what = f"{method.__name__} is marked as the same as {declared.name}, which it does not override"
            raise DeclarationError(f"{user_place()}: {what}; give it that name")
        code = method.__code__
        made = replace(declared, method=method, file=code.co_filename, line=code.co_firstlineno, words="")
        note_action(method)
        setattr(method, ACTION_MARK, made)
        return method  # type: ignore[return-value]  # what was given, or a copy of it

    return mark


@dataclass(frozen=True)
class Retold:
    """What a mode says of a step that it takes as it is: in other words, by somebody else, at other places.

    `places` and `logs` stand instead of the step's own; a `silent` one logs nothing.
    """

    step: Callable[..., None]
    words: str = ""
    places: tuple[Anchor, ...] = ()
    actor: str = ""
    thread: str = ""
    logs: str = ""
    silent: bool = False

    def of(self, action: Action) -> Action:
        """The action with that."""
        return replace(
            action,
            words=self.words or action.words,
            stands_for=self.places or action.stands_for,
            actor=self.actor or action.actor,
            thread=self.thread or action.thread,
            logs=None if self.silent else self.logs or action.logs,
        )


def require(*conditions: bool) -> None:
    """The guard: all conditions must hold, else the action cannot be taken (which is not a step)."""
    acting("require")
    for condition in conditions:
        if not condition:
            raise Disabled


def bound(condition: bool) -> None:
    """A guard that exists only because the scope is finite; where it alone is in the way, a cut is counted."""
    run = acting("bound")
    if not condition:
        run.cut = True

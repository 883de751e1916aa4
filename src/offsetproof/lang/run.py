"""One run of a piece of model code, and its decisions: what a condition on a symbolic value answers, and why.

A concrete run decides nothing: its values are real. A staged run (`Path`) is asked for the truth of symbolic
conditions; `explore` runs the code again and again until every combination of answers that the domains allow has been
seen (as in symbolic execution by re-running, without any rewriting of the code).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar

from offsetproof.ir.build import const, is_const, ite, negate
from offsetproof.ir.kind import RANGE, Interval, Kind, TooWideError
from offsetproof.ir.node import Node, topological
from offsetproof.ir.rewrite import literals, simplify
from offsetproof.lang.errors import EndlessError, RefusedError, raised_place, refuse
from offsetproof.watch import run_watched

PATHS_MAX = 4096
"""The most paths that one instance may have; more is refused, with advice."""

STEPS_MAX = 200_000
"""The most questions that one run may ask of fields and conditions; a loop that asks more is taken for endless."""

PATIENCE = 5.0
"""Seconds that one run may go on without asking anything."""

_SPREAD_MAX = 64
"""Values of a node are tracked one by one up to this many."""


class Disabled(BaseException):
    """A guard did not hold: the action cannot be taken here. Not an Exception, so that model code cannot catch it."""


class Impossible(Disabled):
    """The answers given so far contradict each other: no state takes this path, whatever it would do."""


@dataclass
class Run:
    """What a run of model code notes on its way: was a bound of the scope in its way, and how much has it asked?

    `judging` names what only reads: a claim, `rest`, `finished`.
    """

    cut: bool = False
    judging: str = ""
    steps: int = 0

    def count_step(self) -> None:
        """Notes one more question; RefusedError where there is no end to them."""
        self.steps += 1
        if self.steps > STEPS_MAX:
            raise refuse(
                f"a loop that has not ended after {STEPS_MAX:,} steps",
                "let the loop end, or make an action of its body",
            )


_running: list[Run] = []


@contextmanager
def running(run: Run) -> Iterator[Run]:
    """Makes `run` the one that guards and symbolic values talk to."""
    _running.append(run)
    try:
        yield run
    finally:
        _running.pop()


@contextmanager
def only_judging(what: str) -> Iterator[None]:
    """Within this, the run that is going on only reads."""
    run, before = _running[-1], _running[-1].judging
    run.judging = what
    try:
        yield
    finally:
        run.judging = before


def is_running() -> bool:
    """Is a run of a model's code going on?"""
    return bool(_running)


def acting(what: str) -> Run:
    """The run of an action that is going on; RefusedError outside of any, and in what only reads."""
    if not _running:
        raise refuse(f"{what}() outside of an action", "call require and bound only from actions")
    if _running[-1].judging:
        raise refuse(f"{what}() in {_running[-1].judging}", "guards are for actions; say implies(condition, ...)")
    return _running[-1]


def note_reading() -> None:
    """Notes that a field is read, in the run that is going on, if one is."""
    if _running:
        _running[-1].count_step()


def note_writing() -> None:
    """Notes that a field is written; RefusedError in what only reads."""
    if _running:
        _running[-1].count_step()
        if _running[-1].judging:
            raise refuse(f"writing a field in {_running[-1].judging}", "only actions write; keep the value in a name")


@dataclass
class Path(Run):
    """One staged run: answers given so far, and what they say about nodes.

    `_narrowed` are the facts that `spread` knows of already, `_order` the nodes below all decisions, arguments first.
    """

    script: list[bool] = field(default_factory=list)
    earlier: list[Node] = field(default_factory=list)
    decisions: list[tuple[Node, bool]] = field(default_factory=list)
    facts: dict[Node, Node] = field(default_factory=dict)
    spread: dict[Node, frozenset[int]] = field(default_factory=dict)
    _narrowed: dict[Node, Node] = field(default_factory=dict)
    _order: dict[Node, None] = field(default_factory=dict)

    def decide(self, condition: Node) -> bool:
        """The answer to a condition on this path: what follows from earlier answers, else as the script says."""
        node = simplify([condition], self.facts)[0] if self.facts else condition
        if is_const(node):
            return bool(node.value)
        implied = self._implied_answer(node)
        if implied is not None:
            return implied
        answer = self._next_answer(node)
        self.decisions.append((node, answer))
        self._learn(node, answer)
        return answer

    def _next_answer(self, node: Node) -> bool:
        index = len(self.decisions)
        if index < len(self.earlier) and self.earlier[index] is not node:
            raise refuse(
                "code that meets other conditions when it runs again",
                "keep all state in fields; no globals, counters or iteration over changing things",
            )
        return self.script[index] if index < len(self.script) else True

    def _learn(self, node: Node, answer: bool) -> None:
        self.facts.update(literals(node if answer else negate(node)))
        for fact, value in [item for item in self.facts.items() if self._narrowed.get(item[0]) is not item[1]]:
            self._narrowed[fact] = value
            subject = _subject(fact)
            if subject is not None and is_const(value):
                self._narrow(fact, subject, bool(value.value))
        self._order.update(dict.fromkeys(topological([node])))
        self._intervals(self._order)

    def _narrow(self, comparison: Node, subject: Node, answer: bool) -> None:
        left = self._possible(subject)
        if left is None:
            return
        kept = frozenset(v for v in left if _compare(comparison, v) == answer)
        if not kept:
            raise Impossible
        self.spread[subject] = kept
        if len(kept) == 1:
            self.facts[subject] = const(next(iter(kept)), subject.sort)

    def _possible(self, subject: Node) -> frozenset[int] | None:
        known = self.spread.get(subject)
        if known is None and subject.hi - subject.lo < _SPREAD_MAX:
            known = frozenset(range(subject.lo, subject.hi + 1))
        return known

    def _implied_answer(self, node: Node) -> bool | None:
        positive, turned = (node.args[0], True) if node.kind is Kind.NOT else (node, False)
        subject = _subject(positive)
        left = self._possible(subject) if subject is not None else None
        if left is None:
            return None
        answers = {_compare(positive, value) for value in left}
        return (answers.pop() != turned) if len(answers) == 1 else None

    def certain(self, condition: Node) -> bool:
        """Is the condition true on every state that takes this path?"""
        node = simplify([condition], self.facts)[0]
        return self._intervals(topological([node]))[node] == (1, 1)

    def _intervals(self, nodes: Iterable[Node]) -> dict[Node, Interval]:
        """Intervals on this path, narrower where the answers say so; raises Impossible where one is empty.

        Arguments must come before their users.
        """
        spans: dict[Node, Interval] = {}
        facts, spread = self.facts, self.spread
        for node in nodes:
            lo, hi = RANGE[node.kind](*[spans[arg] for arg in node.args]) if node.args else (node.lo, node.hi)
            fact = facts.get(node)
            if fact is not None and is_const(fact):
                lo, hi = max(lo, fact.lo), min(hi, fact.hi)
            elif node in spread:
                lo, hi = max(lo, min(spread[node])), min(hi, max(spread[node]))
            if lo > hi:
                raise Impossible
            spans[node] = lo, hi
        return spans


def _subject(comparison: Node) -> Node | None:
    """The node that a comparison with a constant is about."""
    if comparison.kind in (Kind.EQ, Kind.LE) and is_const(comparison.args[1]) and not is_const(comparison.args[0]):
        return comparison.args[0]
    return None


def _compare(comparison: Node, value: int) -> bool:
    bound = comparison.args[1].value
    return value == bound if comparison.kind is Kind.EQ else value <= bound


def decide(condition: Node) -> bool:
    """The truth of a symbolic condition in the run that is going on."""
    if is_const(condition):
        return bool(condition.value)
    run = _running[-1] if _running else None
    if not isinstance(run, Path):
        raise refuse("a symbolic value outside of staging", "use it only inside actions and claims")
    run.count_step()
    return run.decide(condition)


Outcome = TypeVar("Outcome")
Value = TypeVar("Value")

Paths = tuple[tuple[tuple[Node, bool], ...], ...]
"""The paths of a piece of code: the conditions that each met, in order, and the answers."""


@dataclass(frozen=True)
class PathTree(Generic[Outcome]):
    """All paths of one piece of code, as a binary tree of decisions in the order of the runs."""

    paths: tuple[tuple[tuple[tuple[Node, bool], ...], Outcome], ...]

    @property
    def ways(self) -> Paths:
        """The paths without what they come to."""
        return tuple(decisions for decisions, _ in self.paths)

    def fold(self, leaf: Callable[[Outcome], Node], choose: Callable[[Node, Node, Node], Node]) -> Node:
        """One node out of all outcomes: the choice at each decision between what its two sides give."""
        return self._fold((0, len(self.paths)), 0, leaf, choose)

    def fold_partial(self, leaf: Callable[[Outcome], Node | None]) -> Node | None:
        """The same, where outcomes may have no value: the other side of their decision then stands for both."""

        def choose(condition: Node, yes: Node | None, no: Node | None) -> Node | None:
            return ite(condition, yes, no) if yes is not None and no is not None else yes or no

        return self._fold((0, len(self.paths)), 0, leaf, choose)

    def _fold(
        self,
        span: Interval,
        depth: int,
        leaf: Callable[[Outcome], Value],
        choose: Callable[[Node, Value, Value], Value],
    ) -> Value:
        lo, hi = span
        decisions, outcome = self.paths[lo]
        if len(decisions) == depth:
            return leaf(outcome)
        middle = lo
        while middle < hi and self.paths[middle][0][depth][1]:
            middle += 1
        yes = self._fold((lo, middle), depth + 1, leaf, choose)
        no = self._fold((middle, hi), depth + 1, leaf, choose)
        return choose(decisions[depth][0], yes, no)


def explore(code: Callable[[Path], Outcome], what: str, judging: str = "") -> PathTree[Outcome]:
    """Runs the code once per path: every answer is first True, then, in a later run, False.

    RefusedError for code with too many paths, or one that does not end.
    """
    progress = _RunWatch()
    return run_watched(progress.check, lambda: _all_paths(code, what, judging, progress))


def _all_paths(code: Callable[[Path], Outcome], what: str, judging: str, progress: _RunWatch) -> PathTree[Outcome]:
    paths: list[tuple[tuple[tuple[Node, bool], ...], Outcome]] = []
    script: list[bool] = []
    earlier: list[Node] = []
    while True:
        path = progress.run = Path(judging=judging, script=script, earlier=earlier)
        outcome = _ran(path, partial(code, path), what)
        if len(path.decisions) < len(script):
            raise RefusedError("code that meets fewer conditions when it runs again", "keep all state in fields", what)
        paths.append((tuple(path.decisions), outcome))
        if len(paths) > PATHS_MAX:
            raise RefusedError(
                f"an instance with more than {PATHS_MAX} paths",
                "use smaller, larger, choose, every, some and set operations: they are expressions and do not split",
                what,
            )
        script = [answer for _, answer in path.decisions]
        while script and not script[-1]:
            script.pop()
        if not script:
            return PathTree(tuple(paths))
        script[-1] = False
        earlier = [node for node, _ in path.decisions[: len(script)]]


def run_guarded(run: Run, code: Callable[[], Outcome], what: str) -> Outcome:
    """Runs code of a model; RefusedError where it goes on for ever, or calls itself for ever."""
    progress = _RunWatch()
    progress.run = run
    return run_watched(progress.check, lambda: _ran(run, code, what))


def _ran(run: Run, code: Callable[[], Outcome], what: str) -> Outcome:
    try:
        with running(run):
            return code()
    except EndlessError as error:
        raise RefusedError(
            f"a loop that has not ended after {PATIENCE:.0f} seconds without asking anything of a field",
            "let the loop end",
            raised_place(error, what),
        ) from None
    except RecursionError as error:
        raise RefusedError(
            "a function that calls itself without end", "write a loop that ends", raised_place(error, what)
        ) from None
    except TooWideError as error:
        place = raised_place(error, what)
        raise RefusedError(f"a value that is too large ({error})", "use smaller domains", place) from None


class _RunWatch:
    """Tells from its steps whether the run that is going on still gets somewhere."""

    def __init__(self) -> None:
        self.run: Run | None = None
        self._seen: tuple[Run | None, int] = (None, 0)
        self._since = time.monotonic()

    def check(self) -> type[BaseException] | None:
        """What ends a run that has asked nothing for too long."""
        now = self.run, self.run.steps if self.run else 0
        if now[0] is not self._seen[0] or now[1] != self._seen[1]:
            self._seen, self._since = now, time.monotonic()
        return EndlessError if time.monotonic() - self._since > PATIENCE else None

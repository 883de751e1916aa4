"""Claims about whole runs in Promela: never claims about fair runs, and who has had a turn in a run.

A formula that says the fairness of each thread is too much for SPIN, whose automaton grows with the power of them. So
the model itself goes round its fair threads. A turn is over when the thread takes a step, or cannot go on; of a
strongly fair one, when somebody guesses that it never can again. A run is fair if it goes round again and again, and no
guess was wrong: the formula is of one size, however many threads there are. It stands above its automaton, as `ltl`
would have it: `ltl` itself reads the arrow of a conditional value as an implication.

Where a bound, a spent budget or an error of the model alone keeps a thread from going on, it counts as able to: a run
that only the scope ends is no violation. With BOUNDS_END_RUNS it is one, and what is not violated then holds.
docs/decisions, 0059, has both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from offsetproof.exports.exported import Ending, Exported
from offsetproof.exports.promela.comments import comment
from offsetproof.exports.promela.expressions import expression
from offsetproof.exports.wrapping import WIDTH, break_expression, in_brackets
from offsetproof.ir.build import FALSE, disjunction
from offsetproof.ir.in_the_end import FairThread
from offsetproof.ir.node import Node
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.prerequisite import NotStartedError

ALL_MACRO = "RUNS"
"""The macro that is there where a claim about runs is checked."""

BOUNDS_MACRO = "BOUNDS_END_RUNS"
"""The macro that makes a run that only the scope ends one that ends."""

GUESSES_MAX = 16
"""Of so many threads it may have to be guessed that they never can go on again; each doubles what SPIN visits."""

TURNS_MAX = 255
"""Whose turn it is is a byte."""

_DUE, _CHOSEN, _GUESS = "due", "chosen", "gave_up_"
_WRONG = "WRONG"


def is_of_runs(name: str) -> bool:
    """Is it a name that claims about runs need for themselves?"""
    return name in {_DUE, _CHOSEN} or name.startswith(_GUESS)


@dataclass(frozen=True)
class _Turn:
    """A fair thread, its number in the round, and where it can go on."""

    number: int
    thread: FairThread
    ready: Node

    @property
    def is_held(self) -> bool:
        """Does the scope, or an error of the model, alone keep it from going on somewhere?"""
        return self.thread.blocked is not FALSE

    @property
    def guessed_wrong(self) -> str:
        """It was given up, and can go on."""
        return f"{_GUESS}{self.number} && CAN_{self.number}"


class RunsWriter:
    """What a model has for its claims about runs; nothing where there are none."""

    def __init__(self, export: Exported, names: Mapping[str, str], macro_of: Mapping[str, str]) -> None:
        self._names, self._macro_of, self.endings = names, macro_of, export.endings
        self._turns = _turns(export) if export.endings else []
        self._number_of = {label: turn.number for turn in self._turns for label in turn.thread.labels}
        self._last = max(1, len(self._turns))
        self._is_chosen = len(export.system.initial) > 1
        if self._last > TURNS_MAX:
            raise NotStartedError(
                f"{quantity(self._last, 'thread')} of the model are fair, and the export goes round {TURNS_MAX} at "
                "most; use a smaller scope, or export to TLA+"
            )
        guesses = sum(turn.thread.strong for turn in self._turns)
        if guesses > GUESSES_MAX:
            raise NotStartedError(
                f"{quantity(guesses, 'thread')} of the model are strongly fair, and SPIN guesses of each that it never "
                f"can go on again, which it does of {GUESSES_MAX} at most; use a smaller scope, or export to TLA+"
            )

    def declarations(self) -> Iterator[str]:
        """The variables of a run, and where each fair thread can go on."""
        if not self.endings:
            return
        defined = " || ".join(f"defined({self._macro_of[ending.claim]})" for ending in self.endings)
        yield f"#if {defined}\n#define {ALL_MACRO}\n#endif"
        about = f"whose turn it is, of the fair threads; {self._last}: all of them have had theirs"
        lines = [f"#ifdef {ALL_MACRO}", comment([about]), f"byte {_DUE} = {self._last};"]
        lines += [f"bit {_CHOSEN}; /* an initial state was chosen */"] if self._is_chosen else []
        for turn in self._turns:
            if turn.thread.strong or turn.is_held:
                lines += self._within(not turn.thread.strong, [f"bit {_GUESS}{turn.number}; /* it never can go on */"])
        lines += [
            f"#define TOOK(n) {_DUE} = ({_DUE} == n -> n + 1 : {_DUE})",
            "#else",
            "#define TOOK(n) skip",
            "#endif",
        ]
        yield "\n".join(lines)
        for turn in self._turns:
            yield "\n".join(self._can_go_on(turn))
        yield "\n".join(self._wrong())

    def notes_choice(self) -> Iterator[str]:
        """What follows on the choice of an initial state."""
        if self.endings and self._is_chosen:
            yield f"#ifdef {ALL_MACRO}\n  {_CHOSEN} = 1;\n#endif"

    def took(self, label: object) -> Iterator[str]:
        """The statement of a step that says whose it is."""
        if label in self._number_of:
            yield f"TOOK({self._number_of[label]})"

    def options(self) -> Iterator[str]:
        """The options that end the turns of threads that cannot go on, and begin a round."""
        if not self.endings:
            return
        yield f"#ifdef {ALL_MACRO}"
        yield comment(["A turn is over: the thread cannot go on, or never can again. Then the round is."], "  ")
        for turn in self._turns:
            n, thread = turn.number, turn.thread
            guess = f"  :: d_step {{ {_DUE} == {n} && !CAN_{n} -> {_GUESS}{n} = 1; {_DUE} = {n + 1} }}"
            if not thread.strong:
                yield f"  :: d_step {{ {_DUE} == {n} && !WAITS_{n} -> {_DUE} = {n + 1} }}"
            if thread.strong or turn.is_held:
                yield from self._within(not thread.strong, [guess])
        if not self._turns:
            yield f"  :: d_step {{ {_DUE} == 0 -> {_DUE} = 1 }}"
        yield f"  :: d_step {{ {_DUE} == {self._last} -> {_DUE} = 0 }}\n#endif"

    def claims(self) -> Iterator[str]:
        """The never claim of each, under its macro."""
        for ending in self.endings:
            about = f"{ending.claim}: {ending.about}".strip().removesuffix(":")
            macro = self._macro_of[ending.claim]
            body = "\n".join(self._never(ending, macro))
            yield f"#ifdef {macro}\n{comment([about])}\n{body}\n#endif"

    def _never(self, ending: Ending, macro: str) -> Iterator[str]:
        """The automaton of the runs that break a claim: what is owed then never comes, from round to round.

        Before it is owed nobody's turn has begun, so that SPIN looks at each state once there.
        """
        chosen = f"{_CHOSEN} && " if self._is_chosen else ""
        yield from _macro(f"COMES_{macro}", f"({chosen}{expression(ending.comes, self._names)})")
        claimed, last = f"<> COMES_{macro}", f"{_DUE} == {self._last}"
        owed = f"!COMES_{macro} && !{_WRONG}"
        if ending.premise is not None:
            yield from _macro(f"OWES_{macro}", f"({chosen}{expression(ending.premise, self._names)})")
            claimed = f"[] (OWES_{macro} -> {claimed})"
        fair = f"[] <> ({_DUE} == 0) && [] <> ({last}) && [] !{_WRONG}"
        yield f"never {{ /* !(({fair}) -> {claimed}) */"
        if ending.premise is not None:
            yield f"before:\n  do\n  :: {last}\n  :: {last} && OWES_{macro} && {owed} -> goto over\n  od;"
        for state, on_last in (("over", "over"), ("lap", "accept_lap"), ("accept_lap", "over")):
            yield f"{state}:\n  do\n  :: {owed} && {_DUE} < {self._last} -> goto lap"
            yield f"  :: {owed} && {last} -> goto {on_last}\n  od;"
        yield "}"

    def _can_go_on(self, turn: _Turn) -> Iterator[str]:
        n, kind = turn.number, "strongly" if turn.thread.strong else "weakly"
        yield comment([f"{n}: {turn.thread.name}, {kind} fair"])
        yield from _macro(f"READY_{n}", expression(turn.ready, self._names))
        if not turn.is_held:
            yield f"#define WAITS_{n} READY_{n}\n#define CAN_{n} READY_{n}"
            return
        yield from _macro(f"HELD_{n}", expression(turn.thread.blocked, self._names))
        yield f"#define WAITS_{n} (READY_{n} || HELD_{n})"
        yield f"#ifdef {BOUNDS_MACRO}\n#define CAN_{n} READY_{n}\n#else\n#define CAN_{n} WAITS_{n}\n#endif"

    def _wrong(self) -> Iterator[str]:
        """The macro for a guess that was wrong: who was given up can go on."""
        strong = _any_of([turn.guessed_wrong for turn in self._turns if turn.thread.strong])
        every = _any_of([turn.guessed_wrong for turn in self._turns if turn.thread.strong or turn.is_held])
        if every == strong:
            yield from _macro(_WRONG, strong)
            return
        yield from (f"#ifdef {BOUNDS_MACRO}", *_macro(_WRONG, every), "#else", *_macro(_WRONG, strong), "#endif")

    @staticmethod
    def _within(is_for_bounds: bool, lines: list[str]) -> list[str]:
        return [f"#ifdef {BOUNDS_MACRO}", *lines, "#endif"] if is_for_bounds else lines


def _turns(export: Exported) -> list[_Turn]:
    """The fair threads that are waited for somewhere."""
    ready = {
        thread: disjunction([inst.enabled for inst in export.system.instances if inst.label in thread.labels])
        for thread in export.fair_threads
    }
    able = [thread for thread, node in ready.items() if node is not FALSE or thread.blocked is not FALSE]
    return [_Turn(number, thread, ready[thread]) for number, thread in enumerate(able)]


def _any_of(parts: list[str]) -> str:
    return " || ".join(f"({part})" for part in parts) or "false"


def _macro(name: str, text: str) -> list[str]:
    """A macro's definition, over several lines where it is long."""
    first, *others = break_expression(in_brackets(text), WIDTH - len(f"#define {name}  \\"))
    lines = [f"#define {name} {first}", *(f"  {line}" for line in others)]
    return [*(f"{line} \\" for line in lines[:-1]), lines[-1]]

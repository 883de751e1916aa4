"""A system in Promela, for SPIN: one process that takes one step at a time, for ever.

Each action instance is an option of the process's loop and indivisible (`d_step`), and nothing but the variables ever
differs between two visits of the loop: SPIN stores as many states as the system has. A system with several initial
states has one more, before one of them is chosen. Claims are options that fail an assertion, each under a macro of its
own, so that the model without macros is the full exploration. What claims about whole runs need is in `runs`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from offsetproof.exports.c_expressions import constant
from offsetproof.exports.exported import Condition, Exported
from offsetproof.exports.identifiers import PROCESS, Identifiers, is_promelas_own, spell
from offsetproof.exports.legend import by_action, heading, meaning, stands_for
from offsetproof.exports.promela.comments import comment, remark
from offsetproof.exports.promela.expressions import expression, refuse_wide
from offsetproof.exports.promela.runs import BOUNDS_MACRO, RunsWriter, is_of_runs
from offsetproof.exports.wrapping import WIDTH, assignment_lines, bare, break_expression, in_brackets
from offsetproof.ir.build import negate
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node, variables
from offsetproof.ir.system import Instance, Label, Variable

FAULTS_MACRO = "MAX_FAULTS"
"""The macro that says how many faults a run may spend."""

TYPES = (("bit", 0, 1), ("byte", 0, 255), ("short", -(1 << 15), (1 << 15) - 1), ("int", -(1 << 31), (1 << 31) - 1))
"""Promela's types with their intervals, smallest first."""


def promela(export: Exported) -> dict[str, str]:
    """The files of the export: one model, `<subject>.pml`.

    Raises TooWideError where a value needs more than 31 bits, NotStartedError where an expression cannot be written.
    """
    return {file_name(export): _PromelaWriter(export).text()}


def file_name(export: Exported) -> str:
    """The model's file."""
    return f"{spell(export.subject)}.pml"


def macros(export: Exported) -> dict[str, str]:
    """For each claim the macro that makes SPIN check it.

    >>> spell("CHECK_I5-forward")
    'CHECK_I5_forward'
    """
    names = Identifiers(spell)
    claims = [*(stated.claim for stated in export.conditions), *(ending.claim for ending in export.endings)]
    return {claim: names.fresh(f"CHECK_{claim}") for claim in claims}


def type_of(variable: Variable) -> str:
    """The smallest type of Promela that holds a variable; TooWideError if none does."""
    refuse_wide(variable.lo, variable.hi, f"field {variable.name}")
    if variable.sort is Sort.BOOL:
        return "bool"
    return next(name for name, lo, hi in TYPES if lo <= variable.lo and variable.hi <= hi)


INDENT = " " * 7
"""Where the statements of an indivisible step stand."""


def _is_own(name: str) -> bool:
    return is_promelas_own(name) or name.startswith(held_name(0)[:-1]) or is_of_runs(name)


class _PromelaWriter:
    """One export on its way into text."""

    def __init__(self, export: Exported) -> None:
        self.export = export
        self.variables = [v for v in export.system.variables if v.name != CAP]
        names = Identifiers(lambda path: spell(path, _is_own))
        self.names = {variable.name: names.fresh(variable.name) for variable in self.variables}
        self.names[CAP] = FAULTS_MACRO
        self.runs = RunsWriter(export, self.names, macros(export))

    def text(self) -> str:
        """The whole model."""
        parts = (comment(self.head()), *self.declarations(), "\n".join(self.process()), *self.runs.claims())
        return "\n\n".join(part for part in parts if part) + "\n"

    @cached_property
    def steps(self) -> dict[Label, Sequence]:
        """What each instance does, as statements."""
        return {inst.label: in_sequence(inst.updates, self.names) for inst in self.export.system.instances}

    def head(self) -> list[str]:
        """What the model is, and how SPIN is run on it."""
        file = file_name(self.export)
        lines = [
            *heading(self.export),
            "",
            "Explore everything (-o2 keeps variables that only claims read):",
            f"  spin -o2 -a {file}",
        ]
        lines += ["  gcc -O2 -w -DBFS -DSAFETY -DNOREDUCE -o pan pan.c", "  ./pan -E -n -m10000000"]
        for macro in list(macros(self.export).values())[:1]:
            lines += ["Check a claim, with the shortest trace: the same with its macro. Then name the trace's steps:"]
            lines += [f"  spin -o2 -a -D{macro} {file}", f"  spin -t -D{macro} {file}"]
        for ending in self.export.endings[:1]:
            macro = macros(self.export)[ending.claim]
            lines += ["Check a claim about whole runs:"]
            lines += [f"  spin -o2 -a -D{macro} {file}", "  gcc -O2 -w -DNOREDUCE -DNOFAIR -o pan pan.c"]
            lines += ["  ./pan -a -E -n -m10000000", f"  spin -t -D{macro} {file}"]
            lines += [f"The same with -D{BOUNDS_MACRO}: runs that the scope alone ends are runs that end."]
        if len(self.export.system.initial) > 1:
            lines += ["", "SPIN stores one state more than the system has: the one before an initial state is chosen."]
        return lines

    def declarations(self) -> Iterator[str]:
        """The cap on faults, and the variables with what their numbers stand for."""
        cap = self.export.system.by_name.get(CAP)
        if cap is not None:
            yield f"#ifndef {FAULTS_MACRO}\n#define {FAULTS_MACRO} {cap.initial[0]}\n#endif"
        lines = [f"{comment([meaning(self.export, v)])}\n{self.declaration(v)}" for v in self.variables]
        held = max((sequence.held for sequence in self.steps.values()), default=0)
        lines += [f"{remark('an old value within a step, else 0')}\nint {held_name(n)};" for n in range(held)]
        yield "\n".join(lines)
        yield from self.runs.declarations()

    def declaration(self, variable: Variable) -> str:
        """A variable's declaration, with its first initial value."""
        initial = constant(variable.initial[0], variable.sort)
        return f"{type_of(variable)} {self.names[variable.name]} = {initial};"

    def process(self) -> Iterator[str]:
        """The one process: an initial state, then claims and steps."""
        yield f"active proctype {PROCESS}()\n{{"
        yield from self.starts()
        yield from self.runs.notes_choice()
        yield "  do"
        yield from self.runs.options()
        for condition in self.export.conditions:
            yield from self.check(condition)
        for action, instances in by_action(self.export):
            yield comment(stands_for(action), "  ")
            for inst in instances:
                yield from self.option(inst)
        if not self.export.system.instances:
            yield "  :: false"
        yield "  od\n}"

    def starts(self) -> Iterator[str]:
        """The choice of an initial state, where there are several."""
        chosen = [i for i, variable in enumerate(self.variables) if len(variable.initial) > 1]
        if not chosen:
            return
        yield "  if"
        for state in self.export.system.initial:
            pairs = [(self.variables[i], state[i]) for i in chosen]
            yield f"  :: d_step {{ {'; '.join(f'{self.names[v.name]} = {constant(n, v.sort)}' for v, n in pairs)} }}"
        yield "  fi;"

    def check(self, condition: Condition) -> Iterator[str]:
        """The option that fails where the claim does, in the state in which the loop is."""
        later = [f"violated by the next step: {condition.steps_after} more than SPIN's trace has"]
        yield f"#ifdef {macros(self.export)[condition.claim]}"
        about = f"{condition.claim}: {condition.about}".strip().removesuffix(":")
        yield comment([about, *(later if condition.steps_after else [])], "  ")
        yield "  :: d_step {"
        yield from self.guard(negate(condition.node))
        yield f'       printf("{_string_text(condition.claim)} is violated\\n");'
        yield "       assert(false)\n     }\n#endif"

    def option(self, inst: Instance) -> Iterator[str]:
        """One action instance."""
        yield f"  :: d_step {{ {remark(f'{inst.name}, by {inst.actor}')}"
        yield from self.guard(inst.enabled)
        for statement in self.steps[inst.label].statements:
            yield from _statement(statement)
        yield from (f"{INDENT}{statement};" for statement in self.runs.took(inst.label))
        yield f'       printf("{_string_text(inst.name)}\\n")\n     }}'

    def guard(self, node: Node) -> Iterator[str]:
        """A condition for what follows."""
        text = bare(expression(node, self.names))
        width = WIDTH - len(f"{INDENT} ->")
        *lines, last = [text] if len(text) <= width else break_expression(in_brackets(text), width)
        yield from (INDENT + line for line in [*lines, f"{last} ->"])


def _statement(text: str) -> list[str]:
    """An assignment; a value of several lines stands in brackets, outside of which SPIN takes a line's end for `;`."""
    name, _, value = text.partition(" = ")
    return assignment_lines(text if len(f"{INDENT}{text};") <= WIDTH else f"{name} = {in_brackets(value)}", INDENT)


def _string_text(text: str) -> str:
    """Text within a string of Promela."""
    return text.replace("\\", "/").replace('"', "'").replace("%", "%%")


@dataclass(frozen=True)
class Sequence:
    """Statements that together do what simultaneous updates do.

    `held` counts the auxiliary variables that they use for old values, and leave at 0.
    """

    statements: tuple[str, ...]
    held: int = 0


def held_name(number: int) -> str:
    """The auxiliary variable of this number."""
    return f"held_{number}"


def in_sequence(updates: Mapping[str, Node], names: Mapping[str, str]) -> Sequence:
    """The updates in an order in which each still reads old values; where they go round in a circle, one is held.

    >>> from offsetproof.ir.build import var
    >>> x, y = var("x", 0, 3), var("y", 0, 3)
    >>> in_sequence({"x": y, "y": x}, {"x": "x", "y": "y"}).statements
    ('held_0 = x', 'x = y', 'y = held_0', 'held_0 = 0')
    """
    reads = {name: variables([node]) for name, node in updates.items()}
    known, waiting, statements, held = dict(names), list(updates), [], 0
    while waiting:
        free = [name for name in waiting if not _is_read(name, waiting, reads, known, names)]
        if not free:
            known[waiting[0]] = held_name(held)
            statements.append(f"{known[waiting[0]]} = {names[waiting[0]]}")
            held += 1
            free = waiting[:1]
        statements.append(f"{names[free[0]]} = {bare(expression(updates[free[0]], known))}")
        waiting.remove(free[0])
    statements += [f"{held_name(number)} = 0" for number in range(held)]
    return Sequence(tuple(statements), held)


def _is_read(
    name: str,
    waiting: list[str],
    reads: Mapping[str, frozenset[str]],
    known: Mapping[str, str],
    names: Mapping[str, str],
) -> bool:
    """Does an update that is still to come need the old value from the variable itself?"""
    return known[name] == names[name] and any(name in reads[other] for other in waiting if other != name)

"""A system as a Rust program for Stateright: a crate that explores it, breadth-first, and judges its claims.

Stateright 0.31.0 keeps the last violation of an `always` property that it meets, not the first, unless that property is
its only one: then it stops there. So the program judges one claim at a time, and its traces are shortest.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from functools import cached_property
from textwrap import indent, wrap

from offsetproof.exports.c_expressions import constant
from offsetproof.exports.exported import Exported
from offsetproof.exports.identifiers import RUST_WORDS, Identifiers, spell
from offsetproof.exports.legend import by_action, heading, meaning, stands_for
from offsetproof.exports.stateright.expressions import FUNCTIONS, TYPES, expressions
from offsetproof.exports.stateright.program import MAIN, MODEL
from offsetproof.exports.wrapping import WIDTH, assignment_lines, bare, break_expression
from offsetproof.ir.faults import CAP
from offsetproof.ir.system import Instance, Label

VERSION = "0.31.0"
"""The release of Stateright that the crate is written for."""

ARM_WIDTH = WIDTH - 12
"""The longest line of what a function does for one action."""


def stateright(export: Exported) -> dict[str, str]:
    """The files of the crate: `Cargo.toml` and `src/main.rs`."""
    return {"Cargo.toml": _manifest(export), "src/main.rs": _CrateWriter(export).text()}


def crate_name(export: Exported) -> str:
    """The crate's name, and so its program's: no two systems share one, because they may share a target folder."""
    return f"{spell(export.subject).lower()}_{export.system.digest[:12]}"


def _manifest(export: Exported) -> str:
    lines = [
        "[package]",
        f'name = "{crate_name(export)}"',
        'version = "0.0.0"',
        'edition = "2021"',
        "publish = false",
        "",
        "[dependencies]",
        f'stateright = "={VERSION}"',
        "",
        "[workspace]",
    ]
    return "\n".join(lines) + "\n"


class _CrateWriter:
    """One export on its way into text."""

    def __init__(self, export: Exported) -> None:
        self.export = export
        self.variables = [v for v in export.system.variables if v.name != CAP]
        names = Identifiers(lambda path: spell(path, RUST_WORDS.__contains__))
        self.names = {variable.name: names.fresh(variable.name) for variable in self.variables}

    def text(self) -> str:
        """The whole program."""
        head = [*heading(self.export), "", "cargo run --release               explores everything"]
        head += ["cargo run --release -- CLAIM...   judges claims, each with a shortest trace"]
        parts = [
            _doc(head, "//!"),
            "#![allow(dead_code, unused_parens, unused_variables)]\n\nuse stateright::{Checker, Model, Property};",
            *self.cap(),
            self.state(),
            self.actions(),
            FUNCTIONS.rstrip(),
            self.initial(),
            *self.guards(),
            *self.updates(),
            *self.claims(),
            MODEL.rstrip(),
            MAIN.rstrip(),
        ]
        return "\n\n".join(parts) + "\n"

    @cached_property
    def reads(self) -> dict[str, str]:
        """How each variable is read in a state `s`."""
        return {CAP: "MAX_FAULTS"} | {name: f"s.{field}" for name, field in self.names.items()}

    @cached_property
    def variants(self) -> dict[Label, str]:
        """The name of each instance among the program's actions."""
        names = Identifiers(lambda name: spell(name, lambda each: each == "Self"))
        return {inst.label: names.fresh(_variant(inst.name)) for inst in self.export.system.instances}

    def cap(self) -> Iterator[str]:
        """The cap on faults."""
        cap = self.export.system.by_name.get(CAP)
        if cap is not None:
            yield f"/// How many faults a run may spend.\nconst MAX_FAULTS: i64 = {cap.initial[0]};"

    def state(self) -> str:
        """The struct of a state."""
        fields = [
            indent(f"{_doc([meaning(self.export, v)], '///')}\n{self.names[v.name]}: {TYPES[v.sort]},", "    ")
            for v in self.variables
        ]
        return _block(
            "/// One state: every field of the model.\n#[derive(Clone, Debug, PartialEq, Eq, Hash)]\nstruct State",
            fields,
        )

    def actions(self) -> str:
        """The enum of action instances, and their names."""
        lines = []
        for action, instances in by_action(self.export):
            lines.append(indent(_doc(stands_for(action), "///"), "    "))
            lines += [f"    {self.variants[inst.label]}," for inst in instances]
        named = [f"    (Action::{self.variants[i.label]}, {_string(i.name)})," for i in self.export.system.instances]
        enum = _block("/// Everything that can happen.\n#[derive(Clone, Copy, Debug, PartialEq)]\nenum Action", lines)
        table = "\n".join(["/// Every action with its name.", "const ACTIONS: &[(Action, &str)] = &[", *named, "];"])
        return f"{enum}\n\n{table}"

    def initial(self) -> str:
        """The function that gives all initial states."""
        together = self.export.system.correlated
        rows = [dict(zip(together.names, row, strict=True)) for row in together.rows] if together else [{}]
        lines = ["let states = vec!["]
        for row in rows:
            values = [constant(row.get(v.name, v.initial[0]), v.sort) for v in self.variables]
            fields = [f"{self.names[v.name]}: {value}" for v, value in zip(self.variables, values, strict=True)]
            lines += [f"    {line}" for line in _literal(fields)]
            lines[-1] += ","
        lines.append("];")
        for variable in self.variables:
            if len(variable.initial) > 1 and variable.name not in rows[0]:
                values = [constant(value, variable.sort) for value in variable.initial]
                name = self.names[variable.name]
                each = f"[{', '.join(values)}].map(|{name}| State {{ {name}, ..s.clone() }})"
                lines.append(f"let states: Vec<State> = states.iter().flat_map(|s| {each}).collect();")
        body = [f"    {line}" for line in [*lines, "states"]]
        return _block("/// The states that a run may start in.\nfn initial() -> Vec<State>", body)

    def guards(self) -> Iterator[str]:
        """The guards."""
        arms = []
        for inst in self.export.system.instances:
            lets, (text,) = expressions([inst.enabled], self.reads)
            arms.append(self.arm(inst, lets, break_expression(bare(text), ARM_WIDTH)))
        yield self.choice("/// Can the action be taken?", "enabled", "bool", arms)

    def updates(self) -> Iterator[str]:
        """The updates: fields that an action leaves alone come from the state before."""
        arms = []
        for inst in self.export.system.instances:
            lets, texts = expressions(inst.updates.values(), self.reads)
            fields = [f"{self.names[name]}: {bare(text)}" for name, text in zip(inst.updates, texts, strict=True)]
            rest = "..s.clone()" if len(fields) < len(self.variables) else ""
            arms.append(self.arm(inst, lets, _literal(fields, rest)))
        yield self.choice("/// The state after the action.", "taken", "State", arms)

    def choice(self, about: str, name: str, gives: str, arms: list[str]) -> str:
        """A function that does something else for each action."""
        body = ["    match action {", *arms, "    }"]
        return _block(f"{about}\nfn {name}(s: &State, action: Action) -> {gives}", body)

    def arm(self, inst: Instance, lets: list[str], lines: list[str]) -> str:
        """What a function does for one action."""
        head = f"Action::{self.variants[inst.label]} => "
        is_short = len(lines) == 1 and len(head + lines[0]) < ARM_WIDTH
        if not lets and (is_short or lines[0] == "State {"):
            return indent(head + "\n".join(lines) + ",", "        ")
        body = indent("\n".join([*_lets(lets), *lines]), "    ")
        return indent(f"{head}{{\n{body}\n}}", "        ")

    def claims(self) -> Iterator[str]:
        """One function per claim, and the table of them."""
        table = []
        for number, condition in enumerate(self.export.conditions):
            about = [f"{condition.claim}: {condition.about}".strip().removesuffix(":")]
            if condition.steps_after:
                about.append(f"Violated by the next step: {condition.steps_after} more than the trace has.")
            lets, (text,) = expressions([condition.node], self.reads)
            body = [f"    {line}" for line in [*_lets(lets), *break_expression(bare(text), ARM_WIDTH)]]
            yield _block(f"{_doc(about, '///')}\nfn claim_{number}(s: &State) -> bool", body)
            table.append(f"    ({_string(condition.claim)}, |_, s| claim_{number}(s)),")
        kind = "(&'static str, fn(&System, &State) -> bool)"
        yield "\n".join(["/// Every claim with its condition.", f"const CLAIMS: &[{kind}] = &[", *table, "];"])


def _variant(text: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in "".join(c if c.isalnum() else " " for c in text).split())


def _lets(lets: Iterable[str]) -> list[str]:
    return [line for let in lets for line in assignment_lines(let.removesuffix(";"), width=ARM_WIDTH)]


def _literal(fields: list[str], rest: str = "") -> list[str]:
    """A state with these fields, and the others from `rest`."""
    flat = f"State {{ {', '.join(filter(None, [*fields, rest]))} }}"
    if len(flat) <= ARM_WIDTH:
        return [flat]
    lines = [line for field in fields for line in assignment_lines(field, "    ", ":", ",", ARM_WIDTH)]
    return ["State {", *lines, *([f"    {rest}"] if rest else []), "}"]


def _block(head: str, lines: Iterable[str]) -> str:
    return "\n".join([f"{head} {{", *lines, "}"])


def _doc(lines: Iterable[str], mark: str) -> str:
    wrapped = [part for line in lines for part in wrap(line, WIDTH - 5 - len(mark), break_on_hyphens=False) or [""]]
    return "\n".join(f"{mark} {line}".rstrip() for line in wrapped)


def _string(text: str) -> str:
    """A string literal, of Rust and of JSON."""
    return json.dumps(text, ensure_ascii=False)

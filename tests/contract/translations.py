"""Every table from node kinds to another language, who reads it, and how a mistake is made in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from contract.checkers import EXPLICIT, REDUCED, SEARCH, SMT, SPIN, STATEFUL, STATERIGHT, TLC, Checker
from contract.mistakes import Mistake

from offsetproof.compiled.instructions import WRITERS, Block
from offsetproof.exports.promela import expressions as promela_expressions
from offsetproof.exports.stateright import expressions as rust_expressions
from offsetproof.exports.tla.expressions import TLA, Writer
from offsetproof.exports.tla.families import Flavour
from offsetproof.exports.tla.layout import Text
from offsetproof.exports.tla.terms import Apply, Term
from offsetproof.ir.kind import MEANING, Kind, Sort
from offsetproof.ir.node import Node, intern
from offsetproof.ir.rewrite import REBUILD
from offsetproof.solving.bitvectors import ENCODERS, fit, width

Rules = Mapping[Kind, Callable[..., Any]]
Spoil = Callable[[Rules, Mistake], Callable[..., Any]]
"""Makes the wrong rule, given the right ones and the mistake."""


@dataclass(frozen=True)
class Translation:
    """A table as one checker reads it."""

    name: str
    table: Rules
    spoil: Spoil
    checker: Checker

    @contextmanager
    def mistaken(self, mistake: Mistake) -> Iterator[None]:
        """The table with one wrong rule, for as long as this lasts."""
        with patch.dict(self.table, {mistake.kind: self.spoil(dict(self.table), mistake)}):
            yield


def _composed(node: Node, given: tuple[Any, ...], rules: Rules, mistake: Mistake) -> tuple[Node, Any]:
    """The wrong expression: its node, and how the right rules write it over the arguments as these are written."""
    written = dict(zip(node.args, given, strict=True))

    def text(part: Node) -> Any:
        return written[part] if part in written else rules[part.kind](part, *map(text, part.args))

    root = mistake.wrong(lambda kind, *args: intern(kind, args), *node.args)
    return root, text(root)


def _in_values(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    return lambda node, *given: _composed(node, given, rules, mistake)[1]


def _in_texts(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    """In parentheses, as whoever uses a text expects of it."""
    return lambda node, *given: f"({_composed(node, given, rules, mistake)[1]})"


def _in_instructions(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    def rule(block: Block, node: Node, names: list[str]) -> Any:
        bound = {kind: _with(block, writer) for kind, writer in rules.items()}
        return _composed(node, tuple(names), bound, mistake)[1]

    return rule


def _with(block: Block, writer: Callable[..., Any]) -> Callable[..., Any]:
    return lambda node, *names: writer(block, node, list(names))


def _in_bitvectors(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    def rule(node: Node, *terms: Any) -> Any:
        root, term = _composed(node, terms, rules, mistake)
        return term if root.sort is Sort.BOOL else fit(root, term, width(node))

    return rule


def _in_nodes(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    return lambda *nodes: mistake.wrong(lambda kind, *args: rules[kind](*args), *nodes)


class _Meant(Apply):
    """An expression that a mistake consists of: written by the right rule."""


def _in_tla(rules: Rules, mistake: Mistake) -> Callable[..., Any]:
    def rule(writer: Writer, term: Apply, flavour: Flavour | None) -> Text:
        if isinstance(term, _Meant):
            return rules[term.kind](writer, term, flavour)  # type: ignore[no-any-return]  # a rule of TLA gives Text

        def make(kind: Kind, *args: Term) -> Term:
            return _Meant(kind, args, kind.gives or term.sort)

        return writer.text(mistake.wrong(make, *term.args), flavour)

    return rule


TRANSLATIONS: tuple[Translation, ...] = (
    Translation("machine code, searched by the explicit engine without spot checks", WRITERS, _in_instructions, SEARCH),
    Translation("machine code, walked by the stateful engine", WRITERS, _in_instructions, STATEFUL),
    Translation("evaluation, as the explicit engine's spot checks use it", MEANING, _in_values, EXPLICIT),
    Translation("rewriting, as reductions use it", REBUILD, _in_nodes, REDUCED),
    Translation("Z3 bit-vectors, for the smt engine", ENCODERS, _in_bitvectors, SMT),
    Translation("TLA+, for TLC", TLA, _in_tla, TLC),
    Translation("Promela, for SPIN", promela_expressions.RULES, _in_texts, SPIN),
    Translation("Rust, for Stateright", rust_expressions.RULES, _in_texts, STATERIGHT),
)

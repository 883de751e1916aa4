"""LET: expressions that an operator's body needs more than once get a name and are written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from offsetproof.exports.tla.expressions import Writer
from offsetproof.exports.tla.layout import Row, Text, stack_rows
from offsetproof.exports.tla.terms import Apply, Term, below
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.kind import Sort

SIZE_MIN = 8
"""An expression with fewer nodes than this is repeated, unless it is known by a name."""

WORDS = {Sort.BOOL: "condition", Sort.INT: "number", Sort.SET: "offsets"}
"""What shared expressions are called, with a number behind it."""


def with_lets(
    vocabulary: Vocabulary, roots: Sequence[Term], known: Mapping[Term, str], body: Callable[[Writer], Text]
) -> Text:
    """The body, which writes the roots, below definitions of what they share; `known` terms have names already."""
    writer = Writer(vocabulary.words)
    rows: list[Row] = []
    used: Counter[str] = Counter()
    for term in worth_names(tuple(roots), known):
        base = known.get(term, WORDS[term.sort])
        used[base] += 1
        name = vocabulary.local(base if used[base] == 1 else f"{base}_{used[base]}", "let")
        rows.append(Row(f"{'    ' if rows else 'LET '}{name} == ", writer.text(term)))
        writer.named[term] = name
    inner = body(writer)
    return stack_rows([*rows, Row("IN  ", inner)]) if rows else inner


def worth_names(roots: tuple[Term, ...], known: Mapping[Term, str]) -> list[Apply]:
    """Terms that are used more than once and are long, or have names already; parts before wholes."""
    order = list(below(roots))
    uses: Counter[Term] = Counter(part for term in order for part in term.parts)
    uses.update(roots)
    size: dict[Term, int] = {}
    for term in order:
        size[term] = 1 + sum(size[part] for part in term.parts)
    return [
        term
        for term in order
        if isinstance(term, Apply) and uses[term] > 1 and (term in known or size[term] >= SIZE_MIN)
    ]

"""Values of two sorts meet in both kinds of run alike: refused in both, or the same value in every state.

What real values do with each other by Python's own operators no concrete run can watch; staging meets them with
symbolic values and refuses, before anything is decided. What the language itself offers is refused in both.
"""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lang.mixed_sorts import FIELDS, RESULTS, answers
from systems.reproducible import reproducible
from systems.samples import one_in

CONSTANTS = ("True", "False", "0", "1", "2", "-1", "None", "Colour.RED", "Shape.SQUARE", "OffsetSet(1)")
LEAVES = st.sampled_from((*FIELDS.values(), *FIELDS.values(), *CONSTANTS))
BINARY = ("+", "-", "*", "//", "%", "<", "<=", ">", ">=", "==", "!=", "&", "|", "and", "or")
UNARY = ("-{0}", "+{0}", "abs({0})", "not {0}", "len({0})", "negation({0})", "{0}.count()", "{0}.lowest()")
OFFERED = (
    "choose({0}, {1}, {2})", "smaller({0}, {1})", "larger({0}, {1})", "every([{0}, {1}])", "some([{0}, {1}])",
    "implies({0}, {1})", "among({0}, {1}, {2})", "negation({0})", "self.s.has({0})", "self.s.add({0}).count()",
    "self.s.lowest({0})", "OffsetSet.below({0})",
)  # fmt: skip
"""What the language offers for values."""
PLAIN = ("({0} if {1} else {2})", "({0} in ({1}, {2}))", "({0} in {1})", "({0} == {1} == {2})")


def _filled(patterns: tuple[str, ...], parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda pattern, a, b, c: pattern.format(a, b, c), st.sampled_from(patterns), parts, parts, parts)


def _larger(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = tuple(f"({{0}} {operator} {{1}})" for operator in BINARY)
    unary = tuple(f"({pattern})" for pattern in UNARY)
    return _filled((*operators, *operators, *unary, *OFFERED, *PLAIN), parts)


ANYTHING = st.recursive(LEAVES, _larger, max_leaves=6)
OFFERED_ALONE = st.recursive(LEAVES, lambda parts: _filled(OFFERED, parts), max_leaves=6)
RESULT = st.sampled_from((*RESULTS,))


@reproducible(120)
@given(ANYTHING, RESULT)
@example("choose(self.b, self.b, 2)", "number")
@example("choose(True, self.b, self.x)", "truth")
@example("(self.x == 1) + 1", "number")
@example("self.x // self.x", "number")
@example("self.o + 1", "number")
def test_staging_refuses_or_computes_what_python_does_in_every_state(expression: str, result: str) -> None:
    found = answers(expression, result)
    if found.staging_refuses:
        return
    assert found.staged == found.concrete


@reproducible(120)
@given(OFFERED_ALONE, RESULT)
@example("choose(self.b, self.x, self.b)", "number")
@example("smaller(True, 1)", "number")
@example("among(self.x, Colour.RED, 1)", "truth")
def test_what_the_language_offers_is_refused_by_both_kinds_of_run_or_by_none(expression: str, result: str) -> None:
    found = answers(expression, result)
    assert found.staging_refuses == found.reference_refuses
    assert found.staging_refuses or found.staged == found.concrete


_ARITHMETIC = {("number", "number")}
_ALIKE = {(sort, sort) for sort in FIELDS} | {("number", "optional"), ("optional", "number")}
_TRUTHS, _SETS = {("truth", "truth")}, {("offsets", "offsets")}
_WITH_NONE = {("number", "optional"), ("optional", "number"), ("optional", "optional")}
MEET = {
    **dict.fromkeys(("+", "*", "//", "%", "<", ">"), _ARITHMETIC | _WITH_NONE),
    "-": _ARITHMETIC | _WITH_NONE | _SETS,
    **dict.fromkeys(("<=", ">="), _ARITHMETIC | _WITH_NONE | _SETS),
    **dict.fromkeys(("==", "!="), _ALIKE),
    **dict.fromkeys(("&", "|"), _TRUTHS | _SETS),
    **dict.fromkeys(("and", "or"), frozenset(product(FIELDS, FIELDS))),
}
"""Which sorts may meet in each operator; an optional that is None then goes wrong, or is unequal."""


@pytest.mark.parametrize("operator", one_in(3, BINARY))
def test_operator_takes_the_sorts_of_its_row_and_no_others(operator: str) -> None:
    taken = set()
    for a, b in product(FIELDS, FIELDS):
        found = answers(f"{FIELDS[a]} {operator} {FIELDS[b]}")
        if not found.staging_refuses:
            assert found.staged == found.concrete
            taken.add((a, b))
    assert taken == MEET[operator]

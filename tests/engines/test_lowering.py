"""The compiled code of every node kind computes what `evaluate` says, over every value of small and of wide domains."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from ir.expressions import VARIABLES, Expression, expressions
from systems.reproducible import reproducible

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import CLAIMS, DEAD, FAILED, lower
from offsetproof.compiled.native import OPTIMISE_AFTER, Native
from offsetproof.ir import build
from offsetproof.ir.kind import LEAVES, Kind, Sort
from offsetproof.ir.node import Node, evaluate, intern
from offsetproof.ir.system import Failure, Instance, StagedClaim, State, System, Variable

BOOLS = tuple(Variable(name, Sort.BOOL, 0, 1, (0, 1)) for name in "bcd")
INTS = tuple(Variable(name, Sort.INT, lo, hi, tuple(range(lo, hi + 1))) for name, lo, hi in (("i", -3, 4), ("j", 0, 5)))
SETS = tuple(Variable(name, Sort.SET, 0, hi, tuple(range(hi + 1))) for name, hi in (("s", 15), ("t", 7)))
HIGH = 1 << 61
WIDE = tuple(Variable(name, Sort.SET, 0, (1 << 62) - 1, (0, 1, HIGH, HIGH | 1, (1 << 62) - 1)) for name in "st")
FEW = Variable("k", Sort.INT, 0, 4, (0, 1, 2, 3, 4))
FAR = Variable("i", Sort.INT, 0, 61, (0, 1, 31, 32, 60, 61))
HUGE = tuple(Variable(name, Sort.INT, -(1 << 60), 1 << 60, (-(1 << 60), -1, 0, 1, 1 << 60)) for name in "ij")

CASES: list[tuple[Kind, tuple[Variable, ...]]] = [
    *((kind, INTS) for kind in (Kind.ADD, Kind.SUB, Kind.MUL, Kind.DIV, Kind.MOD, Kind.EQ, Kind.LE)),
    *((kind, BOOLS[:2]) for kind in (Kind.EQ, Kind.AND, Kind.OR)),
    *((Kind.ITE, (BOOLS[0], *branches)) for branches in (BOOLS[1:], INTS, SETS)),
    *((kind, SETS) for kind in (Kind.EQ, Kind.UNION, Kind.MEET, Kind.MINUS)),
    *((kind, SETS[:1]) for kind in (Kind.LOWEST, Kind.HIGHEST, Kind.COUNT)),
    *((kind, HUGE) for kind in (Kind.ADD, Kind.SUB, Kind.DIV, Kind.MOD, Kind.EQ, Kind.LE)),
    *((kind, (pair[0], pair[1])) for kind in (Kind.DIV, Kind.MOD) for pair in ((FEW, INTS[1]), (HUGE[0], INTS[1]))),
    *((kind, WIDE) for kind in (Kind.EQ, Kind.UNION, Kind.MEET, Kind.MINUS)),
    *((kind, WIDE[:1]) for kind in (Kind.LOWEST, Kind.HIGHEST, Kind.COUNT)),
    *((Kind.HAS, pair) for pair in ((SETS[0], INTS[0]), (WIDE[0], FAR), (WIDE[0], HUGE[0]))),
    (Kind.NOT, BOOLS[:1]),
    (Kind.SINGLE, INTS[1:]),
    (Kind.SINGLE, (FAR,)),
]


def writing(variables: tuple[Variable, ...], node: Node) -> System:
    """A system whose only instance writes the node's value."""
    result = Variable("result", node.sort, node.lo, node.hi, (node.lo,))
    inst = Instance(("writes", ()), build.TRUE, {"result": node})
    return System((*variables, result), (inst,))


def expanded(system: System) -> list[tuple[State, list[State], int]]:
    """For every initial state: its successors and its flags, from plain and from optimised code, which must agree."""
    plain, optimised = (_expanded(system, optimise_after) for optimise_after in (OPTIMISE_AFTER, 0))
    assert plain == optimised
    return plain


def _expanded(system: System, optimise_after: int) -> list[tuple[State, list[State], int]]:
    layout = Layout(system)
    native = Native(lower(system, layout, [None] * len(system.claims)), optimise_after=optimise_after)
    front = np.array([layout.pack(state) for state in system.initial], np.uint64)
    n, instances = len(front), max(1, len(system.instances))
    out = np.zeros((n * instances, layout.words), np.uint64)
    ends, flags = np.zeros(n, np.int64), np.zeros(n, np.int64)
    fired, cuts = np.zeros(instances, np.int64), np.zeros(instances, np.int64)
    which, broken = np.zeros(1, np.int64), np.zeros(1, np.int64)
    count = native.expand(front, (out, ends, fired, cuts, flags, which, broken))
    assert count == fired.sum() == ends[-1]
    starts = [0, *map(int, ends[:-1])]
    after = [[layout.unpack(out[k]) for k in range(start, int(end))] for start, end in zip(starts, ends, strict=True)]
    return list(zip(system.initial, after, map(int, flags), strict=True))


def must_compute(variables: tuple[Variable, ...], node: Node) -> None:
    """Holds the compiled node to `evaluate` in every initial state."""
    system = writing(variables, node)
    names = [v.name for v in system.variables]
    for before, after, flags in expanded(system):
        values = dict(zip(names, before, strict=True))
        assert after == [(*before[:-1], evaluate([node], values)[0])], f"{node!r} in {values}"
        assert flags == 0


def test_every_kind_has_a_case() -> None:
    assert {kind for kind, _ in CASES} == set(Kind) - LEAVES


@pytest.mark.parametrize(
    ("kind", "arguments"),
    CASES,
    ids=lambda v: v.label if isinstance(v, Kind) else ",".join(f"{a.sort}{a.bits}" for a in v),
)
def test_compiled_kind_agrees_with_evaluation(kind: Kind, arguments: tuple[Variable, ...]) -> None:
    node = intern(kind, tuple(v.node for v in arguments))
    assert node.kind is kind
    must_compute(arguments, node)


@reproducible(30)
@given(expressions())
def test_compiled_expressions_agree_with_their_plain_meaning(expression: Expression) -> None:
    variables = tuple(Variable(v.name, v.sort, v.lo, v.hi, tuple(range(v.lo, v.hi + 1))) for v in VARIABLES)
    must_compute(variables, expression.node)
    names = [v.name for v in variables]
    for before, after, _ in expanded(writing(variables, expression.node)):
        assert after[0][-1] == expression.expected(dict(zip(names, before, strict=False)))


def test_updates_are_simultaneous() -> None:
    i, j = (Variable(name, Sort.INT, 0, 3, tuple(range(4))) for name in "ij")
    swap = Instance(("swaps", ()), build.TRUE, {"i": j.node, "j": i.node})
    found = [after for _, after, _ in expanded(System((i, j), (swap,)))]
    assert found == [[(b, a)] for a, b in product(range(4), repeat=2)]


def test_flags_say_failure_deadlock_and_broken_step_claims() -> None:
    x = Variable("x", Sort.INT, 0, 3, (0, 1, 2, 3))
    at = [build.eq(x.node, build.const(value)) for value in range(4)]
    failing = Instance(("fails", ()), build.FALSE, {}, failures=(Failure(at[1], "no"),))
    cut = Instance(("is_cut", ()), build.FALSE, {}, cut=at[2])
    goes = Instance(("goes", ()), at[3], {"x": build.const(0)})
    holds, breaks = (build.TRUE,) * 3, (build.TRUE, build.TRUE, build.FALSE)
    claims = (StagedClaim("holds", per_step=holds), StagedClaim("breaks", per_step=breaks))
    flags = [flags for _, _, flags in expanded(System((x,), (failing, cut, goes), claims))]
    assert flags == [DEAD, FAILED, 0, 1 << (CLAIMS + 1)]


def test_an_update_of_one_word_leaves_the_others_alone() -> None:
    wide = tuple(Variable(f"w{k}", Sort.INT, -5, (1 << 40) - 6, (-5, 7 * k, (1 << 40) - 6)) for k in range(4))
    one = Instance(("writes", ()), build.TRUE, {"w2": build.const(-5)})
    for before, after, _ in expanded(System(wide, (one,))):
        assert after == [(before[0], before[1], -5, before[3])]

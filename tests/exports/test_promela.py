"""The Promela text: names, types, order of assignments, comments, and every kind of expression as SPIN computes it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from exports.samples import (
    FAR,
    MASK,
    NAMES,
    ROUNDS,
    WIDE,
    Quoting,
    at_round,
    exported_model,
    exported_toy,
    one_of_each,
    sampled,
    sums,
)
from hypothesis import given
from hypothesis import strategies as st
from ir.expressions import VARIABLES
from systems.reproducible import reproducible

from offsetproof.examples.toys import TOYS, Farmer, Holder, Slips, WideSets
from offsetproof.exports.identifiers import Identifiers, is_promelas_own, spell
from offsetproof.exports.promela.comments import comment
from offsetproof.exports.promela.expressions import RULES, expression
from offsetproof.exports.promela.model import in_sequence, macros, promela, type_of
from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort, TooWideError
from offsetproof.ir.node import Node, evaluate, intern, topological
from offsetproof.ir.system import Variable
from offsetproof.verdict.prerequisite import NotStartedError


def printed_by_spin(nodes: Sequence[Node], folder: Path) -> list[int]:
    """The same numbers, computed by the program that SPIN generates."""
    decode = ["p = n % 2", "q = n / 2 % 2", "i = n / 4 % 3", "j = n / 12 % 4 - 1", "s = n / 48 % 8", "t = n / 384 % 4"]
    decode += [*(f"{v.name} = (n * 1398101) & {v.hi}" for v in WIDE), "far = n % 44 - 3"]
    steps = [f"sum_{at} = (sum_{at} * 31 + {expression(node, NAMES)}) & {MASK}" for at, node in enumerate(nodes)]
    body = ";\n    ".join([*decode, *steps, "n = n + 1"])
    shown = "; ".join(f'printf("sum %d\\n", sum_{at})' for at in range(len(nodes)))
    declared = "\n".join(f"{type_of(v)} {v.name};" for v in (*VARIABLES, *WIDE, FAR))
    totals = "\n".join(f"int sum_{at};" for at in range(len(nodes)))
    loop = f"do\n  :: n < {ROUNDS} ->\n    {body}\n  :: else -> break\n  od"
    text = f"{declared}\nint n;\n{totals}\nactive proctype judge()\n{{ d_step {{\n  {loop};\n  {shown}\n}} }}\n"
    (folder / "judge.pml").write_text(text, encoding="utf-8")
    kept = ["-DPRINTF", "-DSAFETY", f"-DVECTORSZ={4 * len(nodes) + 1000}"]
    for command in (["spin", "-o2", "-a", "judge.pml"], ["gcc", "-w", *kept, "-o", "pan", "pan.c"]):
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    ran = subprocess.run(["./pan", "-n", "-E"], cwd=folder, check=True, capture_output=True, text=True)
    return [int(number) for number in re.findall(r"^\s*sum (-?\d+)$", ran.stdout, re.MULTILINE)]


def test_spin_computes_every_kind_as_the_ir_means_it(tmp_path: Path) -> None:
    nodes = [node for node in sampled() if node.lo >= -(2**31) and node.hi < 2**31]
    used = {node.kind for node in topological(nodes)}
    assert used | {Kind.SINGLE} == set(Kind)
    assert printed_by_spin(nodes, tmp_path) == sums(nodes, [at_round(n) for n in range(ROUNDS)])


@pytest.mark.parametrize("node", one_of_each(), ids=lambda node: node.kind.label)
def test_each_rule_decides_the_text_of_its_kind(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = expression(
        build.negate(node)
        if node.sort is Sort.BOOL
        else build.ite(build.eq(node, node), build.const(1), build.const(0)),
        NAMES,
    )
    before = expression(node, NAMES)
    monkeypatch.setitem(RULES, node.kind, lambda node, *texts: "changed")
    assert expression(node, NAMES) == "changed" != before
    assert plain != "changed"


def test_expressions_read_as_people_write_them() -> None:
    p, _, i, _, s, _ = (variable.node for variable in VARIABLES)
    assert expression(build.add(i, build.const(-1)), NAMES) == "(i - 1)"
    assert expression(build.both(build.negate(p), build.eq(i, build.const(2))), NAMES) == "(!p && (i == 2))"
    assert expression(intern(Kind.LOWEST, (s,)), NAMES) == "((s & 1) -> 0 : ((s & 2) -> 1 : 2))"
    assert expression(intern(Kind.HIGHEST, (s,)), NAMES) == "((s & 4) -> 2 : ((s & 2) -> 1 : 0))"


@pytest.mark.parametrize(("lo", "hi", "expected"), [
    (0, 1, "bit"), (0, 2, "byte"), (0, 255, "byte"), (0, 256, "short"), (-1, 1, "short"), (-32768, 32767, "short"),
    (0, 32768, "int"), (-32769, 0, "int"), (0, 2**31 - 1, "int"),
])  # fmt: skip
def test_type_is_the_smallest_that_holds_the_interval(lo: int, hi: int, expected: str) -> None:
    assert type_of(Variable("x", Sort.INT, lo, hi, (lo,))) == expected


def test_truth_values_are_bool_and_sets_are_masks() -> None:
    assert type_of(Variable("x", Sort.BOOL, 0, 1, (0,))) == "bool"
    assert type_of(Variable("x", Sort.SET, 0, 7, (0,))) == "byte"
    assert type_of(Variable("x", Sort.SET, 0, (1 << 31) - 1, (0,))) == "int"


def test_wider_values_than_spin_has_are_refused() -> None:
    with pytest.raises(TooWideError, match=r"field x ranges from 0 to 2147483648.*31 bits"):
        type_of(Variable("x", Sort.INT, 0, 2**31, (0,)))
    with pytest.raises(TooWideError, match="first"):
        promela(exported_model(WideSets))
    i = build.var("i", 0, 31)
    with pytest.raises(TooWideError, match="single"):
        expression(build.single(i), {"i": "i"})


def test_an_expression_that_would_fill_a_book_is_refused() -> None:
    node = build.var("x", 0, 1)
    for _ in range(22):
        node = intern(Kind.ADD, (node, node))
    with pytest.raises(NotStartedError, match="export to TLA"):
        expression(node, {"x": "x"})


def test_names_never_clash_nor_are_they_words() -> None:
    names = Identifiers(lambda path: spell(path, is_promelas_own))
    paths = [
        "a[0].b",
        "a.0.b",
        "a_0_b",
        "a_0_b_2",
        "do",
        "n_do",
        "bit",
        "linux",
        "Cell",
        "_x",
        "x",
        "9",
        "st_mode",
        "größe",
    ]
    given_out = [names.fresh(path) for path in paths]
    assert len(set(given_out)) == len(paths)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) for name in given_out)
    assert not any(is_promelas_own(name) for name in given_out)
    assert given_out[:5] == ["a_0_b", "a_0_b_2", "a_0_b_3", "a_0_b_2_2", "n_do"]


def test_every_macro_of_spins_program_is_avoided(tmp_path: Path) -> None:
    (tmp_path / "x.pml").write_text(next(iter(promela(exported_model(Slips)).values())), encoding="utf-8")
    subprocess.run(["spin", "-o2", "-a", "x.pml"], cwd=tmp_path, check=True, capture_output=True)
    command = ["gcc", "-dM", "-E", "-DBFS", "-DSAFETY", "-DNOREDUCE", "pan.c"]
    listed = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^#define ([A-Za-z]\w*)(?= |$)", listed, re.MULTILINE)
    assert len(names) > 100
    assert [name for name in names if not is_promelas_own(name)] == []


@st.composite
def updates(draw: st.DrawFn) -> dict[str, Node]:
    """Simultaneous updates of up to six variables, each a sum of some of them."""
    nodes = {name: build.var(name, 0, 9) for name in "abcdef"}
    made = {}
    for name in draw(st.lists(st.sampled_from("abcdef"), unique=True, min_size=1)):
        node = build.const(draw(st.integers(0, 3)))
        for read in draw(st.lists(st.sampled_from("abcdef"), max_size=3)):
            node = build.add(node, nodes[read])
        made[name] = node
    return made


@reproducible(300)
@given(updates())
def test_assignments_in_sequence_do_what_updates_do_at_once(made: dict[str, Node]) -> None:
    before = {name: at + 1 for at, name in enumerate("abcdef")}
    expected = before | dict(zip(made, evaluate(made.values(), before), strict=True))
    sequence = in_sequence(made, {name: name for name in "abcdef"})
    now = before | {f"held_{number}": 0 for number in range(sequence.held)}
    for statement in sequence.statements:
        exec(statement, {}, now)
    assert {name: now[name] for name in "abcdef"} == expected
    assert all(now[f"held_{number}"] == 0 for number in range(sequence.held))


def test_nothing_is_held_where_an_order_is_enough() -> None:
    a, b, c = (build.var(name, 0, 9) for name in "abc")
    chain = in_sequence({"a": b, "b": c, "c": build.add(c, build.const(1))}, {name: name for name in "abc"})
    assert (chain.statements, chain.held) == (("a = b", "b = c", "c = c + 1"), 0)
    circle = in_sequence({"a": b, "b": a}, {"a": "a", "b": "b"})
    assert circle.held == 1


def test_text_says_subject_scope_and_how_to_run() -> None:
    (text,) = promela(exported_model(Slips)).values()
    assert text.startswith("/* Slips, as offsetproof explores it.\n   Scope slippery: faults slip<=3\n")
    assert "spin -o2 -a -DCHECK_never_arrives Slips.pml" in text
    assert "#define MAX_FAULTS 3" in text
    assert "fault_cap" not in text
    assert "a fault of kind slip" in text


def test_numbers_of_enums_and_optionals_are_explained() -> None:
    (farmer,), (holder,) = promela(exported_model(Farmer)).values(), promela(exported_model(Holder)).values()
    assert "/* goat: 0 NEAR, 1 FAR */\nbit goat = 0;\n" in farmer
    assert "/* holder: 0 None, n for n - 1, which is 0 to 2 */" in holder
    assert "takes(p=2), by process[2]" in holder


def test_no_text_of_a_model_gets_out_of_its_comment() -> None:
    (text,) = promela(exported_model(Quoting)).values()
    strings = re.sub(r'"[^"\n]*"', "", text)
    code = re.sub(r"/\*.*?\*/", "", strings, flags=re.DOTALL)
    assert code.count("assert") == len(exported_model(Quoting).conditions)
    assert "*/" not in code
    assert "only claims read it" in text
    assert comment(["a */ b"]) == "/* a * / b */"


def test_text_is_the_same_every_time_and_each_claim_has_its_own_macro() -> None:
    first, again = (exported_toy(TOYS[0]) for _ in range(2))
    assert promela(first) == promela(again)
    found = macros(first)
    assert len(set(found.values())) == len(found) == len(first.conditions)
    (text,) = promela(first).values()
    assert all(f"#ifdef {macro}\n" in text for macro in found.values())

"""The Rust text, and what Stateright finds in the exported toys. What needs cargo is slow: it compiles a crate each."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from exports.samples import (
    NAMES,
    ROUNDS,
    WIDE,
    Awkward,
    Quoting,
    at_round,
    exported_model,
    exported_toy,
    one_of_each,
    sampled,
    sums,
)
from exports.tools import WRONG, systems
from exports.tools import stateright as stateright_tool
from ir.expressions import VARIABLES

from offsetproof.examples.toys import TOYS, Descent, Farmer, Jugs, Slips, Toy
from offsetproof.exports.stateright.cargo import run_stateright
from offsetproof.exports.stateright.crate import crate_name, stateright
from offsetproof.exports.stateright.expressions import FUNCTIONS, RULES, TYPES, expressions
from offsetproof.ir import build
from offsetproof.ir.kind import Kind, Sort
from offsetproof.ir.node import Node, intern
from offsetproof.ir.system import Variable
from offsetproof.lang.scope import UnknownNameError
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.prerequisite import PrerequisiteError

VERY_WIDE = Variable("w62", Sort.SET, 0, (1 << 62) - 1, (0,))

each_toy = pytest.mark.parametrize("toy", TOYS, ids=lambda toy: toy.name)
each_system = pytest.mark.parametrize("toy", systems(TOYS).values(), ids=systems(TOYS))


@pytest.fixture(scope="session")
def crates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a crate per system, so that several claims about one share a program."""
    return tmp_path_factory.mktemp("crates")


def rust(nodes: Sequence[Node]) -> str:
    """A program that prints for each node the number of `sums`."""
    lets, texts = expressions(nodes, NAMES | {VERY_WIDE.name: VERY_WIDE.name})
    state = {"p": "n % 2 == 1", "q": "n / 2 % 2 == 1", "i": "n / 4 % 3", "j": "n / 12 % 4 - 1", "far": "n % 44 - 3"}
    state |= {"s": "(n / 48 % 8) as u64", "t": "(n / 384 % 4) as u64"}
    state |= {v.name: f"(n as u64 * 1398101) & {v.hi}" for v in WIDE}
    state |= {VERY_WIDE.name: f"(n as u64).wrapping_mul(3002399751580331) & {VERY_WIDE.hi}"}
    sorts = {v.name: v.sort for v in (*VARIABLES, *WIDE, VERY_WIDE)} | {"far": Sort.INT}
    body = [f"let {name}: {TYPES[sorts[name]]} = {value};" for name, value in state.items()]
    body += [*lets, *(f"sum[{at}] = (sum[{at}] * 31 + ({text}) as i64) & 16777215;" for at, text in enumerate(texts))]
    loop = "\n".join(["for n in 0..ROUNDS {", *body, "}"])
    head = f"#![allow(unused)]\n{FUNCTIONS}\nconst ROUNDS: i64 = {ROUNDS};\n"
    return head + f'fn main() {{ let mut sum = vec![0i64; {len(texts)}];\n{loop}\nprintln!("{{sum:?}}"); }}\n'


@pytest.mark.slow
def test_rust_computes_every_kind_as_the_ir_means_it(tmp_path: Path) -> None:
    wide = VERY_WIDE.node
    ends = [made(wide) for made in (build.lowest, build.highest, build.count)]
    members = [build.has(wide, build.var("far", -3, 40)), build.minus(wide, build.single(build.var("i", 0, 2)))]
    nodes = [*sampled(), *ends, *members]
    (tmp_path / "judge.rs").write_text(rust(nodes), encoding="utf-8")
    subprocess.run(["rustc", "-C", "debug-assertions", "judge.rs"], cwd=tmp_path, check=True, capture_output=True)
    printed = subprocess.run(["./judge"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    rounds = [at_round(n) | {VERY_WIDE.name: n * 3002399751580331 & VERY_WIDE.hi} for n in range(ROUNDS)]
    assert json.loads(printed) == sums(nodes, rounds)


@pytest.mark.parametrize("node", one_of_each(), ids=lambda node: node.kind.label)
def test_each_rule_decides_the_text_of_its_kind(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    before = expressions([node], NAMES)
    monkeypatch.setitem(RULES, node.kind, lambda node, *texts: "changed")
    assert expressions([node], NAMES) == ([], ["changed"]) != before


def test_parts_that_are_used_twice_are_named_once() -> None:
    node = build.var("x", 0, 1)
    for _ in range(20):
        node = intern(Kind.ADD, (node, node))
    lets, (text,) = expressions([node], {"x": "s.x"})
    assert (len(lets), lets[0], text) == (19, "let v0: i64 = s.x + s.x;", "(v18 + v18)")


def test_crate_pins_stateright_and_is_named_for_its_system() -> None:
    files = stateright(exported_model(Slips))
    assert sorted(files) == ["Cargo.toml", "src/main.rs"]
    assert 'stateright = "=0.31.0"' in files["Cargo.toml"]
    assert files == stateright(exported_model(Slips))
    capped, whole = (exported_toy(next(t for t in TOYS if t.model is Slips), cap) for cap in (1, None))
    assert crate_name(capped) != crate_name(whole)


def test_program_says_what_its_names_and_numbers_stand_for() -> None:
    text = stateright(exported_model(Farmer))["src/main.rs"]
    assert text.startswith("//! Farmer, as offsetproof explores it.\n")
    assert "    /// goat: 0 NEAR, 1 FAR\n    goat: i64," in text
    assert '(Action::TakesCabbage, "takes_cabbage"),' in text
    assert "const MAX_FAULTS: i64 = 3;" in stateright(exported_model(Slips))["src/main.rs"]


def test_fields_and_actions_have_names_that_rust_allows() -> None:
    text = stateright(exported_model(Awkward))["src/main.rs"]
    assert "    /// do[0]\n    do_0: bool," in text
    assert "    /// do_0\n    do_0_2: bool," in text
    assert "    Printf," not in text
    assert all(f"    PrintfI{i}," in text for i in range(3))


@pytest.mark.slow
@each_system
def test_stateright_finds_the_states_of_each_toy(toy: Toy, tmp_path: Path, target: Path) -> None:
    stateright_tool(target).must_find_states(toy, tmp_path)


@pytest.mark.slow
@each_toy
def test_stateright_gives_the_hand_counted_verdict_and_length(toy: Toy, crates: Path, target: Path) -> None:
    stateright_tool(target).must_judge(toy, crates)


@pytest.mark.slow
@pytest.mark.parametrize("toy", WRONG, ids=lambda toy: toy.name)
def test_model_error_is_a_condition_of_its_own(toy: Toy, crates: Path, target: Path) -> None:
    stateright_tool(target).must_meet_error(toy, crates)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "states"), [(Awkward, 64), (Quoting, 3), (Descent, 10)])
def test_odd_names_texts_and_starts_do_no_harm(model: type, states: int, tmp_path: Path, target: Path) -> None:
    assert run_stateright(exported_model(model), folder=tmp_path, target=target).states == states


@pytest.mark.slow
def test_time_limit_is_no_outcome(tmp_path: Path, target: Path) -> None:
    with pytest.raises(ProgramFailedError, match="cargo: not finished after"):
        run_stateright(exported_model(Jugs), folder=tmp_path, target=target, seconds=0.01)


def test_missing_cargo_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match=r"^cargo was not found; install it, .*apt-get"):
        run_stateright(exported_model(Jugs), folder=tmp_path)


def test_unknown_claim_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean never_four_litres"):
        run_stateright(exported_model(Jugs), claim="never_four_liters", folder=tmp_path)

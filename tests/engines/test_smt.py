"""The smt engine: hand-computed answers of the toys, the encoding compared with evaluation, time-outs, induction."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from queue import SimpleQueue
from random import Random

import pytest
import z3
from ir.expressions import VARIABLES, Maker, states

from offsetproof.engines.smt import process
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.smt.process import run_session
from offsetproof.engines.smt.session import Bounds
from offsetproof.examples import toys
from offsetproof.examples.toys import TOYS, Toy
from offsetproof.ir.faults import with_fault_cap
from offsetproof.ir.kind import Sort
from offsetproof.ir.node import Node, evaluate
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.stage import Staged
from offsetproof.solving.bitvectors import encode, read, value, variable
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.progress import Unrolled
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Reason, Result, Verdict

DEPTH = 12
FAR = "TokenRing-token_reaches_the_last_place"
"""The one toy whose answer lies beyond the depth: 130 steps."""


@cache
def answer(toy: Toy) -> Result:
    return Smt(depth=DEPTH).decide(Question(toy.model, toy.setting, toy.prop))


def test_session_that_is_given_up_ends_its_reader_without_an_error(tmp_path: Path) -> None:
    """Its stream is closed, maybe before the reader has begun."""
    file, lines = tmp_path / "said", SimpleQueue[bytes | None]()
    file.write_bytes(b"a line")
    with file.open("rb") as stream:
        pass
    process._read(stream, lines)
    assert lines.get(timeout=1) is None


def test_bounded_depth_is_unknown_and_shows_where_induction_fails() -> None:
    result = answer(next(toy for toy in TOYS if toy.name == FAR))
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.DEPTH)
    assert result.detail == f"no violation within {DEPTH} steps"
    assert result.notes[0].startswith(
        "counterexample to induction of 4 steps (perhaps from no reachable state): from {"
    )


@pytest.mark.slow
def test_proofs_say_by_which_method() -> None:
    proved = {toy.name: answer(toy).method for toy in TOYS if answer(toy).exhaustive}
    by_induction = {name for name, method in proved.items() if "by k-induction" in method}
    assert by_induction == {
        "Jugs-one_jug_is_empty_or_full", "TokenRing-there_is_a_token_once_started", "WideSets-holds_only_ends",
    }  # fmt: skip
    others = [method for name, method in proved.items() if name not in by_induction]
    assert len(others) > 15
    assert all(method.startswith("every path, by bounded model checking to the longest") for method in others)


def test_all_claims_of_a_setting_share_one_unrolling() -> None:
    asked = [Question(t.model, t.setting, t.prop) for t in TOYS if t.model is toys.Counter]
    engine = Smt(asked, depth=6)
    together = [engine.decide(question) for question in asked]
    assert len({result.digest for result in together}) == 1
    assert [r.verdict for r in together] == [answer(t).verdict for t in TOYS if t.model is toys.Counter]


def test_encoded_expressions_compute_what_their_nodes_say() -> None:
    """Two hundred random expressions, each in eight of the states, as Z3 computes them."""
    every, random = list(states()), Random(7)
    for seed in range(200):
        node = Maker(Random(seed)).of(random.choice(tuple(Sort)), 4).node
        for state in random.sample(every, 8):
            known: dict[Node, object] = {v.node: value(v.node, state[v.name]) for v in VARIABLES}
            term = z3.simplify(encode(node, known))
            assert read(_empty_model(), node, term) == evaluate([node], state)[0], (seed, node, state)


def _empty_model() -> z3.ModelRef:
    solver = z3.Solver()
    solver.check()
    return solver.model()


def test_variables_keep_to_their_intervals() -> None:
    v = next(v for v in VARIABLES if v.lo < 0)
    term = variable(v.node, "v")
    assert (v.lo, v.hi, term.size()) == (-1, 2, 3)


def test_time_limit_stops_the_child_and_says_how_far_it_came() -> None:
    toy = next(toy for toy in TOYS if toy.name == FAR)
    question = Question(toy.model, toy.setting, toy.prop, limits=Limits(seconds=0.6), reductions=Reductions())
    result = Smt(depth=200).decide(question)
    assert (result.verdict, result.reason) == (Verdict.UNKNOWN, Reason.TIME)
    assert result.seconds < 10


def test_progress_names_the_depth() -> None:
    told: list[object] = []
    toy = next(t for t in TOYS if t.model is toys.Jugs and t.length)
    Smt().decide(Question(toy.model, toy.setting, toy.prop, progress=told.append))
    assert [each.depth for each in told if isinstance(each, Unrolled)] == list(range(7))
    assert str(told[0]).startswith("looked at every path of 0 steps, ")


def test_an_interrupt_leaves_no_child_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> bool:
        raise KeyboardInterrupt

    monkeypatch.setattr("offsetproof.engines.smt.engine.run_session", interrupted)
    toy = TOYS[0]
    result = Smt().decide(Question(toy.model, toy.setting, toys.Counter.never_falls))
    assert (result.reason, result.interrupted) == (Reason.INTERRUPTED, True)


def test_the_child_tells_depths_and_findings_in_order() -> None:
    toy = next(t for t in TOYS if t.model is toys.Jugs and t.length)
    system = with_fault_cap(Staged(toy.model, toy.setting).system([toy.prop]))
    events: list[dict[str, object]] = []
    assert run_session(system, [toy.prop.kind is ClaimKind.SOMETIMES], Bounds(8), 60.0, events.append)
    assert [e["event"] for e in events] == ["depth"] * 6 + ["found", "depth"]

"""TLC on claims about runs: its verdict on the exported toys, with fairness and property written by hand in TLA+, and
as they are exported."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from engines.test_lively import TABLE as BY_HAND
from systems.lively import Mailbox, Spins, channel, peterson, ring, table

from offsetproof.checking.exporting import to_export
from offsetproof.checking.request import Request
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.exports.exported import export_system
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import LONG_RUN, SHORT_RUN, find_jar, find_java, run_tlc, tlc_arguments
from offsetproof.lang import Fairness, Model, Setting
from offsetproof.lang.stage import Staged
from offsetproof.programs import run_to_end
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict

WEAK, STRONG = Fairness.WEAK, Fairness.STRONG
_EATING = "TakesForks({p}) \\/ PutsForksBack({p})"
_INSIDE = "Yields({p}) \\/ Enters({p}) \\/ Leaves({p})"


@dataclass(frozen=True)
class Written:
    """A toy, one of its claims, and both as somebody would write them in TLA+."""

    model: type[Model]
    claim: str
    fairness: str
    property: str
    verdict: Verdict

    def __repr__(self) -> str:
        return f"{self.claim}-{self.fairness[:2] or 'none'}"


def of_each(kind: str, steps: str, count: int) -> str:
    return " /\\ ".join(f"{kind}_vars({steps.format(p=p)})" for p in range(count))


TABLE = [
    Written(table(WEAK), "hungry_eats", of_each("WF", _EATING, 2), "hungry[0] ~> eats[0]", Verdict.REFUTED),
    Written(table(STRONG), "hungry_eats", of_each("SF", _EATING, 2), "hungry[0] ~> eats[0]", Verdict.HOLDS),
    Written(peterson(WEAK), "who_wants_enters", of_each("WF", _INSIDE, 2), "wants[0] ~> place[0] = 2", Verdict.HOLDS),
    Written(channel(WEAK), "is_received", "WF_vars(Sends) /\\ WF_vars(Delivers)", "<>received", Verdict.REFUTED),
    Written(channel(STRONG), "is_received", "WF_vars(Sends) /\\ SF_vars(Delivers)", "<>received", Verdict.HOLDS),
    Written(ring(WEAK), "token_comes_back", of_each("WF", "Passes({p})", 3), "TRUE ~> at = 0", Verdict.HOLDS),
    Written(ring(Fairness.NONE), "token_comes_back", "TRUE", "TRUE ~> at = 0", Verdict.REFUTED),
]
QUICK = (0, 4)


def tlc_refutes(written: Written, folder: Path) -> bool:
    """Does TLC find a run that breaks the property?"""
    setting = Setting(written.model.scopes[0])
    system = Staged(written.model, setting).system(())
    name = written.model.__name__
    for file, text in tla(export_system(name, setting, written.model, system, ())).items():
        (folder / file).write_text(text, encoding="ascii")
    body = f"Fair == Spec /\\ {written.fairness}\nComes == {written.property}\n"
    (folder / "Lively.tla").write_text(f"---- MODULE Lively ----\nEXTENDS {name}\n{body}====\n", encoding="ascii")
    (folder / "Lively.cfg").write_text("SPECIFICATION Fair\nPROPERTY Comes\n", encoding="ascii")
    with tempfile.TemporaryDirectory() as scratch:
        command = [find_java(), *tlc_arguments(find_jar(), "Lively", scratch, 1, SHORT_RUN)]
        status, output = run_to_end(command, folder, seconds=300)
    is_broken = "Temporal properties were violated" in output
    assert status == (13 if is_broken else 0), output
    return is_broken


@pytest.mark.parametrize(
    "written",
    [pytest.param(each, marks=() if i in QUICK else pytest.mark.slow) for i, each in enumerate(TABLE)],
    ids=repr,
)
def test_tlc_gives_the_same_verdict(written: Written, tmp_path: Path) -> None:
    setting = Setting(written.model.scopes[0])
    prop = next(prop for prop in written.model.claims if prop.id == written.claim)
    assert Explicit().decide(Question(written.model, setting, prop)).verdict is written.verdict
    assert tlc_refutes(written, tmp_path) is (written.verdict is Verdict.REFUTED)


def refuted_in_tla(model: type[Model], claim: str, verdict: Verdict) -> bool:
    """Is a claim false in TLA+? It is where only a bound is in the way; a step that changes nothing is none there."""
    if (model, claim) == (Mailbox, "card_is_posted"):
        return True  # the friend waits now for the bound, and now for the turn
    return verdict is not Verdict.HOLDS and model is not Spins


@pytest.mark.parametrize(
    ("model", "claim", "verdict"),
    [pytest.param(*each, marks=() if i in QUICK else pytest.mark.slow) for i, each in enumerate(BY_HAND)],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_exported_claim_about_runs_is_judged_alike(
    model: type[Model], claim: str, verdict: Verdict, tmp_path: Path
) -> None:
    setting = Setting(model.scopes[0])
    prop = next(prop for prop in model.claims if prop.id == claim)
    export = export_system(model.__name__, setting, model, Staged(model, setting).system((prop,)), (prop,))
    outcome = run_tlc(export, folder=tmp_path, claims=[claim], java=SHORT_RUN)
    assert (outcome.violated == claim) is refuted_in_tla(model, claim, verdict)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "is_false_in_tla"),
    [
        ("I37", False),
        ("I40", False),
        ("I40-hang", True),
        ("I38", True),  # a rebalance waits now for a place among the commits on their way, and now for its turn
    ],
)
def test_claim_about_runs_of_rocketmq_is_judged_alike(claim: str, is_false_in_tla: bool, tmp_path: Path) -> None:
    export = to_export(Request(ROCKETMQ, (claim,), ("4.9.4",)), about_runs=True)
    outcome = run_tlc(export, folder=tmp_path, claims=[claim], java=LONG_RUN)
    assert (outcome.violated == claim) is is_false_in_tla

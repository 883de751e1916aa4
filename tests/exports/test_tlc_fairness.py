"""TLC on claims about runs: its verdict on the exported toys, with fairness and property written by hand in TLA+."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from systems.lively import channel, peterson, ring, table

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.exports.exported import export_system
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import SHORT_RUN, find_jar, find_java, tlc_arguments
from offsetproof.lang import Fairness, Model, Setting
from offsetproof.lang.stage import Staged
from offsetproof.programs import run_to_end
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

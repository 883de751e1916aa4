"""Who is under the contract: the engines of this project, and the tools that its exports are for, each asked of a toy.

But for `REDUCED`, the systems are not reduced, so that every operator of a toy is there to be translated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from unittest.mock import patch

from contract.promises import Promise, Told, bounded, exact, sampled, told

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.smt.engine import Smt
from offsetproof.engines.smt.session import Bounds, Session
from offsetproof.engines.stateful.engine import Effort, Stateful
from offsetproof.examples.toys import Toy
from offsetproof.exports.exported import Exported, export_system
from offsetproof.exports.other_tool import ToolOutcome
from offsetproof.exports.promela.expressions import INT_MAX
from offsetproof.exports.promela.spin import SpinOptions, run_spin
from offsetproof.exports.stateright.cargo import build_program, run_stateright
from offsetproof.exports.stateright.crate import crate_name
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.ir.kind import LEAVES, Kind
from offsetproof.ir.node import topological
from offsetproof.ir.system import System
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question, Reductions
from offsetproof.verdict.result import Verdict

DEPTH = 12
"""How far the smt engine looks."""

SECONDS = 120.0
"""How long anybody may take for one toy."""


@dataclass(frozen=True)
class Checker:
    """Somebody who is asked about a toy, with a folder to write to.

    `promise` says what the answer must be, `counts` whether it has states and depth where everything is seen, `reduces`
    whether they are those of the reduced system, `slow` whether a toy takes a second or more, `takes` which toys can be
    asked about.
    """

    name: str
    ask: Callable[[Toy, Path], Told]
    promise: Promise
    counts: bool = True
    reduces: bool = False
    slow: bool = False
    takes: Callable[[Toy], bool] = lambda toy: True


def question(toy: Toy) -> Question:
    """A toy's question, unreduced, with limits that only a wrong translation meets."""
    limits = Limits(states=20_000, seconds=SECONDS)
    return Question(toy.model, toy.setting, toy.prop, limits=limits, reductions=Reductions(slicing=False, dead=False))


@cache
def system(toy: Toy) -> System:
    """The system that is asked about."""
    return Staged(toy.model, toy.setting).system([toy.prop])


@cache
def kinds(toy: Toy) -> frozenset[Kind]:
    """The operators in a toy's steps and claim."""
    staged = system(toy)
    roots = [node for inst in staged.instances for node in (*inst.guards, *inst.updates.values())]
    roots += [node for claim in staged.claims for node in claim.roots]
    return frozenset(node.kind for node in topological(roots)) - LEAVES


def _explicit(toy: Toy, _folder: Path) -> Told:
    return told(Explicit().decide(question(toy)))


def _reduced(toy: Toy, _folder: Path) -> Told:
    return told(Explicit().decide(replace(question(toy), reductions=Reductions())))


def _search(toy: Toy, folder: Path) -> Told:
    with patch("offsetproof.engines.explicit.results.spot_check", lambda *_: 0):
        return _explicit(toy, folder)


def _stateful(toy: Toy, _folder: Path) -> Told:
    effort = Effort(walk_steps=20_000, walk_length=150, examples=5, example_steps=10)
    return told(Stateful(effort).decide(question(toy)))


def _smt(toy: Toy, _folder: Path) -> Told:
    """In this process, where its table can be changed, instead of a child."""
    with patch("offsetproof.engines.smt.engine.run_session", _session):
        return told(Smt(depth=DEPTH, query_seconds=10).decide(question(toy)))


def _session(asked: System, sought: list[bool], bounds: Bounds, _seconds: float, tell: Callable[..., None]) -> bool:
    Session(asked, sought, bounds, tell).run()
    return True


def _tlc(toy: Toy, folder: Path) -> Told:
    module = folder / "tla"
    module.mkdir(exist_ok=True)
    invariants = [toy.prop.id]
    return _told(toy, run_tlc(_exported(toy), folder=module, claims=invariants, timeout=SECONDS, java=SHORT_RUN))


def _spin(toy: Toy, folder: Path) -> Told:
    options = SpinOptions(optimize=0, megabytes=2000, seconds=SECONDS)
    return _told(toy, run_spin(_exported(toy), claim=toy.prop.id, folder=folder / "promela", options=options))


def _stateright(toy: Toy, folder: Path) -> Told:
    """Crates of a folder share what cargo compiled of Stateright. What never ends is broken off before it is big."""
    export = _exported(toy)
    crate, target = folder / crate_name(export), folder / "cargo-target"
    build_program(export, crate, target)
    return _told(toy, run_stateright(export, claim=toy.prop.id, folder=crate, target=target, seconds=30))


def _exported(toy: Toy) -> Exported:
    """With as many faults as the smallest trace has: other tools minimise steps alone."""
    cap = None if toy.length is None else toy.faults
    return export_system(toy.name, toy.setting, toy.model, system(toy), (toy.prop,), fault_cap=cap)


def _told(toy: Toy, outcome: ToolOutcome) -> Told:
    """A violated condition ends another tool's search: it then counts what this project does not."""
    shows, other = Verdict.REFUTED, Verdict.HOLDS
    if toy.prop.kind is ClaimKind.SOMETIMES:
        shows, other = other, shows
    if outcome.violated is None or outcome.length is None:
        return Told(other, states=outcome.states, depth=outcome.depth)
    return Told(shows, trace=(toy.faults, outcome.length))


def _is_sound(toy: Toy) -> bool:
    """Does the model never go wrong? Other tools have no third verdict."""
    return toy.reason is None


def _fits_spin(toy: Toy) -> bool:
    return _is_sound(toy) and all(variable.hi <= INT_MAX for variable in system(toy).variables)


SEARCH = Checker("explicit without its spot checks", _search, exact)
REDUCED = Checker("explicit, after reductions", _reduced, exact, reduces=True)
EXPLICIT = Checker("explicit", _explicit, exact)
STATEFUL = Checker("stateful", _stateful, sampled, counts=False)
SMT = Checker("smt", _smt, bounded(DEPTH), counts=False)
TLC = Checker("TLC", _tlc, exact, slow=True, takes=_is_sound)
SPIN = Checker("SPIN", _spin, exact, slow=True, takes=_fits_spin)
STATERIGHT = Checker("Stateright", _stateright, exact, slow=True, takes=_is_sound)

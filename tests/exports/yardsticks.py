"""What the answers of other tools are compared with: the explicit engine's counts, brute force, and the reference."""

from __future__ import annotations

from engines.naive import Naive

from offsetproof.compiled.layout import Layout
from offsetproof.compiled.lower import lower
from offsetproof.compiled.native import Native
from offsetproof.engines.explicit.search import Program, Search
from offsetproof.engines.preparing import whole_state
from offsetproof.examples.toys import Toy
from offsetproof.exports.exported import Exported
from offsetproof.ir.system import System
from offsetproof.lang.cases import case
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.reference import Reference, Replay, ReplayError
from offsetproof.verdict.limits import Limits

NEVER = Property("never", ClaimKind.SOMETIMES, lambda model: False, case("never", None), __file__, 0)
"""A witness that no state is, so that whoever looks for it sees every state."""


def explored(system: System) -> tuple[int, int]:
    """Distinct states and depth of a whole system, by the explicit engine's search without a question."""
    layout = Layout(system)
    native = Native(lower(system, layout, [None] * len(system.claims)))
    search = Search(Program(system, layout, native), system.initial, Limits(), lambda layer: None)
    assert search.run(None) is None
    return search.snapshot.states, search.depth


def enumerated(toy: Toy) -> tuple[int, int]:
    """The same by brute force, which shares nothing with staging."""
    naive = Naive(toy.model, toy.setting)
    levels = naive.levels(NEVER, naive.budget)
    return sum(len(level.states) for level in levels), len(levels) - 1


def replayed(export: Exported, prop: Property, names: list[str]) -> Replay:
    """The first replay of a trace that a tool named step by step; the step that breaks a claim about steps is found."""
    reference = Reference(export.model, export.setting)
    by_name = {inst.name: inst.label for inst in export.system.instances}
    labels = [by_name[name] for name in names]
    last = [(label,) for label in reference.labels] if prop.kind is ClaimKind.EACH_STEP else [()]
    for initial in export.system.initial:
        for end in last:
            try:
                return Replay(reference, prop, [*labels, *end], whole_state(reference, export.system, initial))
            except ReplayError as error:
                why = error
    raise why

"""Which actions a violation cannot do without: the claim holds if they never happen.

One compiled system serves all of them: each action gets a variable that nothing writes and that allows it, so a search
without an action differs only in its initial state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from offsetproof.engines.explicit.search import Program, Search
from offsetproof.ir.build import both
from offsetproof.ir.faults import deadlock_on_states
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import Instance, System, Variable
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.limits import Limits


def necessary_actions(system: System, actions: Sequence[str], limits: Limits) -> frozenset[str]:
    """Those of the actions without which the system's first claim holds; what the limits leave open is not among them.

    Model errors do not count as violations here.
    """
    allowed = {name: Variable(f"allowed[{name}]", Sort.BOOL, 0, 1, (1,)) for name in actions}
    guarded = replace(
        system,
        variables=(*system.variables, *allowed.values()),
        instances=tuple(_guard_by(inst, allowed.get(inst.label[0])) for inst in system.instances),
        claims=tuple(deadlock_on_states(claim, system) for claim in system.claims),
    )
    program = Program.of(guarded, [ClaimKind.ALWAYS])
    return frozenset(name for name in actions if _holds_without(program, name, len(system.variables), actions, limits))


def _guard_by(inst: Instance, allowed: Variable | None) -> Instance:
    """The instance, taken only where it is allowed. Where it fails or is cut nobody asks here, so that stays."""
    return inst if allowed is None else replace(inst, enabled=both(inst.enabled, allowed.node))


def _holds_without(program: Program, name: str, own: int, actions: Sequence[str], limits: Limits) -> bool:
    switches = tuple(int(other != name) for other in actions)
    initial = [(*state[:own], *switches) for state in program.system.initial]
    search = Search(program, initial, limits, lambda status: None)
    return search.run(0) is None and search.stopped is None

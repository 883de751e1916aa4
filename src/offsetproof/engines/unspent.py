"""What a scope is about and nothing happened of: faults that it allows and nobody took, bounds that no step used.

A field that starts at a bound of the scope and counts down is that bound's budget (`integer(0, "resets", "resets")`),
and the count of a fault is one, too. Where no budget of a fault or bound ever moves, a HOLDS says nothing of it. Of a
budget that slicing left out nothing is said: the claim does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from offsetproof.ir.system import Label, System
from offsetproof.lang.model import faults_of
from offsetproof.lang.scope import Default
from offsetproof.lang.stage import Staged


def unspent_budgets(staged: Staged, system: System, taken: Mapping[Label, int] | None = None) -> tuple[str, ...]:
    """The faults and bounds that no step spent, in words; `taken` says how often each instance of the system was taken,
    in a search that saw all of it. Without, those that no step can ever spend.
    """
    still = {variable.name for variable in staged.variables if variable.node in staged.constants}
    moving = {name for inst in system.instances if taken is None or taken[inst.label] for name in inst.updates}
    still |= system.by_name.keys() - moving
    paths: dict[str, list[str]] = {}
    for leaf in staged.leaves:
        paths.setdefault(leaf.budget, []).append(leaf.path)
    return tuple(words for name, words in _budgets_in_words(staged) if name in paths and still.issuperset(paths[name]))


def _budgets_in_words(staged: Staged) -> Iterator[tuple[str, str]]:
    """The faults that the scope allows, and the bounds that it raises, each with what is said where none is spent."""
    model, scope = staged.model, staged.setting.scope
    for fault in faults_of(model):
        if scope.faults.get(fault.name):
            actions = ", ".join(sorted(name for name, action in staged.actions.items() if action.fault == fault.name))
            about = f" ({fault.about})" if fault.about else ""
            yield fault.name, f"no fault {fault.name}{about} happened in this scope: {actions} never taken"
    for name, value in scope.bounds.items():
        kind = model.bounds.get(name)
        if value and isinstance(kind, Default) and value != kind.value:
            yield name, f"no step used {name}={value} of this scope ({kind.about})"

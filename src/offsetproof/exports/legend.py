"""What the names and numbers of an export stand for, in words: the comments of Promela models and Rust programs."""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.exports.exported import Exported
from offsetproof.ir.faults import CAP
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import Instance, Variable
from offsetproof.lang.action import Action
from offsetproof.lang.domain import Domain, Members, Optionals
from offsetproof.verdict.phrases import quantity


def heading(export: Exported) -> list[str]:
    """What the exported system is: its subject, and everything that its verdicts are stated under."""
    setting, budget = export.setting, export.system.by_name.get(CAP)
    scope = f"Scope {setting.scope.name}: {setting.scope.describe()}".rstrip(": ")
    lines = [f"{export.subject}, as offsetproof explores it.", scope]
    if setting.release is not None:
        lines.append(f"Release {setting.release}")
    lines += [f"Fix {fix.name}: {fix.about}" for fix in setting.fixes]
    lines += [f"Assumption {assumption.name}: {assumption.about}" for assumption in setting.assumptions]
    if setting.listener is not None:
        lines.append(f"Listener {setting.listener.name}: {setting.listener.about}")
    if budget is not None:
        (most,) = budget.initial
        lines.append(f"At most {quantity(most, 'fault')} in a run (MAX_FAULTS)")
    lines += [f"Reduction: {note}" for note in export.reductions]
    return [" ".join(line.split()) for line in lines]


def meaning(export: Exported, variable: Variable) -> str:
    """What a variable's numbers stand for, with the path of the field that it is.

    Example: `goat: 0 NEAR, 1 FAR`.
    """
    domain = export.domains.get(variable.name)
    values = _numbers(domain) if domain is not None else f"{variable.lo} to {variable.hi}"
    if variable.sort is Sort.SET:
        values = f"{values}, as a mask (bit i: offset i is in)"
    if variable.sort is Sort.BOOL:
        values = ""
    ghost = "only claims read it" if variable.ghost else ""
    return f"{variable.name}: {'; '.join(part for part in (values, ghost) if part)}".removesuffix(": ")


def _numbers(domain: Domain) -> str:
    if isinstance(domain, Members):
        return ", ".join(f"{number} {member.name}" for number, member in enumerate(domain.members))
    if isinstance(domain, Optionals):
        if isinstance(domain.inner, Members):
            return ", ".join(["0 None", *(f"{n} {m.name}" for n, m in enumerate(domain.inner.members, 1))])
        return f"0 None, n for {_shift_in_words(domain.inner.lo - 1)}, which is {domain.inner.describe()}"
    return domain.describe()


def _shift_in_words(by: int) -> str:
    return "n" if by == 0 else f"n {'+' if by > 0 else '-'} {abs(by)}"


def stands_for(action: Action) -> list[str]:
    """What an action is, who takes it, and which places of the real program it stands for."""
    lines = [f"{action.name}: {' '.join(action.about.split())}".removesuffix(": ")]
    lines += [f"stands for {anchor}" for anchor in action.stands_for]
    return lines + ([f"a fault of kind {action.fault}"] if action.fault else [])


def by_action(export: Exported) -> Iterator[tuple[Action, list[Instance]]]:
    """The instances of each action together, in the order of the system."""
    grouped: dict[str, list[Instance]] = {}
    for inst in export.system.instances:
        grouped.setdefault(inst.label[0], []).append(inst)
    for name, instances in grouped.items():
        yield export.actions[name], instances

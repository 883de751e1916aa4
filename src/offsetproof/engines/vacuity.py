"""Vacuity: why a HOLDS means nothing, or says nothing of a fault or bound, for every engine that exhausts a scope.

A claim has a premise by its kind (`at_rest`: the model rests) or by its words (`implies`). A claim about steps has one
as well: that some step is taken which could break it. Where no reachable state or step meets the premise, nothing could
have broken the claim.

Whether that is so does not depend on which reductions are on: the claim is looked at with the constants of the whole
model in their places, as slicing has it.

A field that starts at a bound of the scope and counts down is that bound's budget (`integer(0, "resets", "resets")`),
and the count of a fault is one, too. Where no budget of a fault or bound ever moves, a HOLDS says nothing of it. Of a
budget that slicing left out nothing is said: the claim does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from offsetproof.ir.build import TRUE, disjunction
from offsetproof.ir.constants import claims_without_constants
from offsetproof.ir.node import Node
from offsetproof.ir.system import Label, StagedClaim, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.model import faults_of
from offsetproof.lang.scope import Default
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts


def vacuity(question: Question, staged: Staged, claim: StagedClaim, counts: Counts) -> str:
    """Why a verdict that a scope was exhausted for means nothing; empty where it does mean something.

    `claim` is without the constants of the model (`claims_in_scope`).
    """
    kind = question.prop.kind
    if not question.model.actions:
        return "the model has no actions"
    if kind is ClaimKind.EACH_STEP:
        proved = staged.can_step(question.prop) and all(node is TRUE for node in claim.per_step)
        return "" if counts.judged != 0 or proved else "no step that it speaks of is ever taken"
    if claim.on_state is TRUE:
        return "true whatever its fields hold in this scope; no step could break it"
    if counts.judged == 0:
        return "the system is never at rest" if kind is ClaimKind.AT_REST else "its premise is never true"
    stands_still = len(staged.constants) == len(staged.variables)
    return "there is one state: nothing that it depends on ever changes" if stands_still else ""


def claims_in_scope(staged: Staged, system: System) -> tuple[StagedClaim, ...]:
    """The claims with what never changes in its place, whatever reductions are on; no step that can never be taken
    breaks one."""
    return claims_without_constants(system, staged.constants)


def premise_of(claim: StagedClaim, system: System) -> Node:
    """Where a claim says something, as a condition on states: TRUE where it does so everywhere, or nowhere."""
    if not claim.per_step or claim.premise is not TRUE:
        return claim.premise
    could_break = [
        inst.enabled for inst, node in zip(system.instances, claim.per_step, strict=True) if node is not TRUE
    ]
    return disjunction(could_break) if could_break else TRUE


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

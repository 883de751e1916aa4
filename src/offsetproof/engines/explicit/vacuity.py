"""Vacuity: of how much a claim that holds has said something, and why that may be nothing at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from offsetproof.ir.build import TRUE
from offsetproof.ir.system import Claim, System
from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts

if TYPE_CHECKING:
    from offsetproof.engines.explicit.engine import Searched


def judged_by(claim: Claim, search: Searched) -> int | None:
    """The states, or steps, of which a claim says something; None where the search has not counted them."""
    fired, states = search.snapshot.fired, search.snapshot.states
    if claim.per_step:
        return sum(int(n) for node, n in zip(claim.per_step, fired, strict=False) if node is not TRUE)
    if claim.on_state is TRUE:
        return 0
    return states if claim.deadlock or claim.premise is TRUE else search.judged


def vacuity(question: Question, system: System, counts: Counts) -> str:
    """Why a verdict that a scope was exhausted for means nothing; empty where it does mean something."""
    claim, kind = system.claims[0], question.prop.kind
    if kind is ClaimKind.SOMETIMES:
        return ""
    if not question.model.actions:
        return "the model has no actions"
    if claim.on_state is TRUE or (claim.per_step and all(node is TRUE for node in claim.per_step)):
        return "it folds to true in this scope, where nothing can break it"
    if kind is ClaimKind.EACH_STEP and not counts.judged:
        return "no step that could break it is ever taken"
    if counts.judged == 0:
        at_rest = "no state at rest is one that it says something of" if kind is ClaimKind.AT_REST else ""
        return at_rest or "its premise is never true"
    if counts.states == 1:
        return "there is one state: nothing that it depends on ever changes"
    return ""

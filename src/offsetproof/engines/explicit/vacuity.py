"""Vacuity: of how much a claim that holds has said something, and why that may be nothing at all."""

from __future__ import annotations

from offsetproof.engines.explicit.explored import Searched
from offsetproof.ir.build import TRUE
from offsetproof.ir.system import StagedClaim
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.stage import Staged
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts


def judged_by(claim: StagedClaim, search: Searched) -> int | None:
    """The states, or steps, of which a claim says something; None where the search has not counted them."""
    fired, states = search.snapshot.fired, search.snapshot.states
    if claim.on_state is None and not claim.deadlock:
        return sum(int(n) for node, n in zip(claim.per_step, fired, strict=False) if node is not TRUE)
    if claim.on_state is TRUE:
        return 0
    return states if claim.deadlock or claim.premise is TRUE else search.judged


def vacuity(question: Question, staged: Staged, claim: StagedClaim, counts: Counts) -> str:
    """Why a verdict that a scope was exhausted for means nothing; empty where it does mean something."""
    kind = question.prop.kind
    if kind is ClaimKind.SOMETIMES:
        return ""
    if not question.model.actions:
        return "the model has no actions"
    if kind is ClaimKind.EACH_STEP:
        possible = {label for label in staged.speaks_of(question.prop) if label[0] not in staged.impossible_actions}
        proved = possible and all(node is TRUE for node in claim.per_step)
        return "" if counts.judged or proved else "no step that it speaks of is ever taken"
    if claim.on_state is TRUE:
        return "true whatever its fields hold in this scope; no step could break it"
    if counts.judged == 0:
        return "the system is never at rest" if kind is ClaimKind.AT_REST else "its premise is never true"
    return "there is one state: nothing that it depends on ever changes" if counts.states == 1 else ""

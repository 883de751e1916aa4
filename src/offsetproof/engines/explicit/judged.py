"""What an exhausted search says of its claim: of how many states or steps, and whether a HOLDS means anything."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.engines.explicit.explorer import Searched
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.vacuity import unspent_budgets, vacuity
from offsetproof.ir.build import TRUE
from offsetproof.ir.system import StagedClaim
from offsetproof.verdict.result import Result


def count_judged(claim: StagedClaim, search: Searched) -> int | None:
    """The states, or steps, of which a claim says something; None where the search has not counted them."""
    fired, states = search.snapshot.fired, search.snapshot.states
    if claim.on_state is None and not claim.deadlock:
        steps = sum(int(n) for node, n in zip(claim.per_step, fired, strict=False) if node is not TRUE)
        return 0 if claim.premise is not TRUE and search.judged == 0 else steps
    if claim.on_state is TRUE:
        return 0
    return states if claim.deadlock or claim.premise is TRUE else search.judged


def with_what_it_means(holds: Result, prepared: PreparedQuestion, search: Searched) -> Result:
    """A HOLDS that says why it is vacuous, if it is, and what of its scope never happened."""
    taken = zip(search.system.instances, search.snapshot.fired, strict=False)
    return replace(
        holds,
        vacuous=vacuity(prepared.question, prepared.staged, prepared.claim, holds.counts),
        unspent=unspent_budgets(prepared.staged, search.system, {inst.label: int(count) for inst, count in taken}),
    )

"""How bad a violation is: whether it repairs itself, and what becomes of the messages.

From the last state of the replayed trace everything is explored that can follow without further faults and without
anything new from outside (`Damage` names those actions). A fair continuation ends in a component of states that no step
leaves, and visits all of it. If in every end the claim is true again and no message is lost, the violation is
*transient*; else it is *permanent*. Lost and repeated are the largest numbers in any end.

A claim about steps is about a moment, so it is permanent where steps break it in an end again and again, or messages
are lost. A claim that there is no deadlock is permanent by itself. What cannot be decided within the limits, or only
by looking past a bound of the scope, is `unknown`, with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from offsetproof.engines.explicit.ends import Ends, fair_ends
from offsetproof.engines.preparing import reduce_system
from offsetproof.ir.continuing import system_from
from offsetproof.ir.faults import deadlock_on_states
from offsetproof.ir.system import StagedClaim, System
from offsetproof.lang.damage import Damage
from offsetproof.lang.errors import DeclarationError, OutOfDomainError, place_of
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.trace import Effect
from offsetproof.verdict.limits import Deadline
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason

STATES_MAX = 2_000_000
"""More continuations than this are not explored."""

PERMANENT: Final = "permanent"
TRANSIENT: Final = "transient"
UNKNOWN: Final = "unknown"


def effect_of(
    replay: Replay,
    question: Question,
    staged: Staged,
    damage: Damage,
    states_max: int = STATES_MAX,
    deadline: Deadline = Deadline(),
) -> Effect:
    """The effect of a violation that was replayed; in a scope that is too large to be explored it is not known.

    LimitMetError where the deadline comes before anything is known.
    """
    if question.setting.scope.large:
        return Effect(UNKNOWN, None, None, "the scope is too large to explore all that can follow")
    system = _system_after(replay, staged, damage)
    system, _ = reduce_system(system, question, keeps_cuts=True)
    claim, *amounts = system.claims
    measured = [amount.on_state for amount in amounts if amount.on_state is not None]
    limits = replace(question.limits, states=states_max)
    deadline.check()
    ends = fair_ends(replace(system, claims=(claim,)), measured, limits, deadline)
    return _effect_of(ends, repeats=damage.repeated is not None, states_max=states_max)


def _system_after(replay: Replay, staged: Staged, damage: Damage) -> System:
    """What can follow the trace; the amounts are carried through the reductions as if they were claims."""
    system = staged.system([replay.prop])
    claims = [deadlock_on_states(system.claims[0], system)]
    claims += [StagedClaim(name, on_state=staged.amount(amount)) for name, amount in _amounts(damage)]
    state = replay.states[-1]
    return system_from(
        replace(system, claims=tuple(claims)),
        state,
        lambda inst: inst.fault is None and inst.label[0] not in damage.outside,
        _ways(replay, damage),
    )


def _amounts(damage: Damage) -> list[tuple[str, Any]]:
    repeated = [] if damage.repeated is None else [("repeated", damage.repeated)]
    return [("lost", damage.lost), *repeated]


def _ways(replay: Replay, damage: Damage) -> Sequence[dict[str, int]]:
    """The ways in which the outside may settle, as numbers."""
    if damage.settled is None:
        return ()
    leaves = {leaf.path: leaf for leaf in replay.reference.grown.tree.leaves}
    ways = damage.settled(replay.reference.setting.scope)
    try:
        return [{path: leaves[path].domain.encode(value) for path, value in way.items()} for way in ways]
    except (KeyError, OutOfDomainError) as error:
        raise DeclarationError(
            f"{place_of(damage.settled)}: what settles is not a field of the model, or cannot hold the value: {error}"
        ) from error


def _effect_of(ends: Ends, *, repeats: bool, states_max: int) -> Effect:
    lost, repeated = ends.most[0], ends.most[1] if repeats else None
    why = _why_open(ends, states_max)
    if ends.failed:
        return Effect(UNKNOWN, None, None, "a continuation meets a model error")
    lacks_memory = not ends.final and ends.limit is Reason.MEMORY
    if ends.broken or lost:
        return Effect(PERMANENT, lost, repeated, f"at least: {why}" if why else "", lacks_memory)
    return Effect(UNKNOWN, None, None, why, lacks_memory) if why else Effect(TRANSIENT, 0, repeated)


def _why_open(ends: Ends, states_max: int) -> str:
    """Why there may be more than was found; empty if there is not."""
    if ends.final:
        return ""
    if ends.limit is Reason.MEMORY:
        return f"the memory is used up; {quantity(ends.count, 'end')} of what can follow were looked at"
    if ends.blocked:
        return f"a continuation ends where only a bound of the scope forbids {', '.join(sorted(ends.blocked))}"
    if ends.limit is Reason.TIME:
        return f"the time is over; {quantity(ends.count, 'end')} of what can follow were looked at"
    return f"more than {states_max:,} states can follow; {ends.count} of their ends were looked at"

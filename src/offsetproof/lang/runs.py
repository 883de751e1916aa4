"""Runs without an end, judged by the reference semantics: what came in them, and whether they are fair.

Such a run is a trace and the number of the state from which it goes on as before, again and again: a lasso. Each state
after that one comes again without an end, and no other does. So it is fair to a thread that takes a step there; to a
weakly fair one as well if it cannot go on in one of these states, to a strongly fair one if it cannot in any.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from offsetproof.ir.system import Label, State
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import ReplayError
from offsetproof.lang.fair_threads import ThreadOfActor, threads_of, with_full_budgets
from offsetproof.lang.fairness import Fairness

if TYPE_CHECKING:
    from offsetproof.lang.reference import Reference


def truths_of_run(reference: Reference, prop: Property, states: Sequence[State]) -> list[bool]:
    """For each state of a trace: is nothing of the claim still to come?"""
    given, owes = [], prop.kind is ClaimKind.EVENTUALLY
    for state in states:
        asks = prop.kind is ClaimKind.LEADS_TO and reference.asks(prop, state)
        owes = (owes or asks) and not reference.judge(prop, state)
        given.append(not owes)
    return given


def must_be_fair_cycle(
    reference: Reference, prop: Property, labels: Sequence[Label], states: Sequence[State], cycle_at: int | None
) -> None:
    """ReplayError unless the trace, going on as from state `cycle_at` for ever, is a fair run that breaks a claim."""
    end = len(labels)
    if cycle_at is None or not 0 <= cycle_at <= end:
        raise ReplayError(end, f"{prop.id} is about runs without an end; the trace does not say which steps come again")
    if states[cycle_at] != states[end]:
        raise ReplayError(end, f"the last step does not lead back to the state after step {cycle_at}")
    if truths_of_run(reference, prop, states)[end]:
        raise ReplayError(end, f"{prop.id} has nothing left to come here")
    again = states[cycle_at:end] or states[end:]
    came = next((i for i, state in enumerate(again, cycle_at) if reference.judge(prop, state)), None)
    if came is not None:
        raise ReplayError(came, f"what {prop.id} waits for comes here, again and again")
    for thread in threads_of(reference.grown):
        if not any(label in thread.labels for label in labels[cycle_at:]):
            _must_be_fair_to(reference, thread, again, end)


def _must_be_fair_to(reference: Reference, thread: ThreadOfActor, again: Sequence[State], end: int) -> None:
    """ReplayError where a thread that takes no step in these states, which come again and again, would have to."""
    ready = [_can_go_on(reference, thread, state) for state in again]
    if all(ready) if thread.fair is Fairness.WEAK else any(ready):
        raise ReplayError(end, f"the run is not fair: {thread.name} could go on from there, and never does")


def _can_go_on(reference: Reference, thread: ThreadOfActor, state: State) -> bool:
    """Could a thread take a step from a state, but for a bound or a budget of the scope, or an error of the model?"""
    states = {state, with_full_budgets(reference.grown, state)}
    return any(reference.tries(each, label) for label in thread.labels for each in states)

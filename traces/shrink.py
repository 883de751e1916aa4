"""Shortening a trace that a random run found: steps that the violation does not need are left out.

Chunks are left out, large ones first, as in delta debugging; steps that can then no longer be taken are left out, too,
and the trace ends where the claim is first shown. The result is a run of the model like any other; `order.canonical`
then puts its steps into the smallest order.
"""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.ir.system import Label, State
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference, Replay


def shorten_replay(replay: Replay) -> Replay:
    """A trace of the same claim that has no step which could be left out, replayed."""
    labels = list(replay.labels)
    chunk = max(1, len(labels) // 2)
    while labels:
        labels, smaller = _without_chunks(replay, labels, chunk)
        if chunk > 1:
            chunk //= 2
        elif not smaller:
            break
    return Replay(replay.reference, replay.prop, labels, replay.states[0])


def _without_chunks(replay: Replay, labels: list[Label], chunk: int) -> tuple[list[Label], bool]:
    """The labels after leaving out every chunk of this size that is not needed; was there any?"""
    start, smaller, state = 0, False, replay.states[0]
    while start < len(labels):
        kept = _steps_to_violation(replay, state, labels[start + chunk :])
        if kept is None:
            for label in labels[start : start + chunk]:
                state = _state_after(replay.reference, state, label) or state
            start += chunk
        else:
            labels, smaller = [*labels[:start], *kept], True
    return labels, smaller


def _steps_to_violation(replay: Replay, state: State, labels: Sequence[Label]) -> list[Label] | None:
    """The steps among these that can be taken from a state, up to the first that shows the claim; None if none does."""
    reference, taken = replay.reference, list[Label]()
    for label in labels:
        after = _state_after(reference, state, label)
        if after is None:
            continue
        taken.append(label)
        if _shows(replay, state, label, after):
            return taken
        state = after
    return None


def _state_after(reference: Reference, state: State, label: Label) -> State | None:
    try:
        after = reference.take(state, label)
    except ModelError:
        return None
    return None if isinstance(after, NotTaken) else after


def _shows(replay: Replay, before: State, label: Label, after: State) -> bool:
    prop, reference = replay.prop, replay.reference
    if prop.kind is ClaimKind.EACH_STEP:
        return not reference.judge_step(prop, before, label, after)
    return reference.judge(prop, after) is (prop.kind is ClaimKind.SOMETIMES)

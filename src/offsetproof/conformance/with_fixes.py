"""Does a story happen where the program has some fixes? So the model says; what it says must be so on fixed classes.

Conformance shows that classes do what the model with a fix does, never that they do no more. What they must do no more
are the recorded stories that the model with the fix cannot do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from offsetproof.conformance.on_release import Prepared
from offsetproof.ir.system import Label, State
from offsetproof.lang.reference import Reference
from offsetproof.lang.setting import Fix
from offsetproof.traces.trace import plain


def happens_with(story: Prepared, fixes: Sequence[Fix]) -> bool:
    """Does the model with these fixes as well do the story's steps, and leave what both sides show after each?

    Where a fix brings actions, they are taken before the steps that wait for them.
    """
    setting = story.question.setting
    fixed = replace(setting, fixes=tuple(dict.fromkeys((*setting.fixes, *fixes))))
    reference, now = Reference(story.question.model, fixed), story.replay.states[0]
    brought = {name for fix in fixes for behaviour in fix.adds for name in behaviour.brings}
    for label, recorded in zip(story.replay.labels, story.trace.states[1:], strict=True):
        after = _after(reference, now, label, brought)
        if after is None:
            return False
        shown = {path: plain(value) for path, value in reference.show(after).items()}
        if story.rigging.fields_in_rig(shown) != story.rigging.fields_in_rig(recorded):
            return False
        now = after
    return True


def _after(reference: Reference, state: State, label: Label, brought: set[str]) -> State | None:
    """The state after a step, if need be with one that a fix brings before it; None where that cannot be."""
    if label not in reference.grown.instances:
        return None
    for before in (state, *_states_after_fixed_actions(reference, state, label, brought)):
        after = reference.take(before, label)
        if isinstance(after, tuple):
            return after
    return None


def _states_after_fixed_actions(reference: Reference, state: State, label: Label, brought: set[str]) -> Iterator[State]:
    """The states after an action that a fix brings, about the same as the step."""
    for other in reference.labels:
        if other[0] in brought and set(other[1]) <= set(label[1]):
            after = reference.take(state, other)
            if isinstance(after, tuple):
                yield after

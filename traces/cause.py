"""Why a claim failed: the steps that its failure needed, and the actions that these steps are.

From the fields that the claim read where it failed, back to the step that wrote each last, to the fields that let that
step be taken and that it computed the value from, and so on. Where a step of the past might have written over a needed
field and did not, what kept it from that is needed too. So the past stands for itself: its steps alone, in their order,
lead to the violation. Followed field by field: what a step wrote besides (history for other claims, say) brings in
nothing. For a claim at rest the state of rest is part of what it reads.

Two traces with the same cause are one finding: the arguments and the number of repetitions are left out on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import Steps, budget_fields, named, reason


def cause_of(replay: Replay, staged: Staged) -> tuple[str, ...]:
    """The actions in the causal past of the violation, faults included, sorted by first occurrence there."""
    return tuple(dict.fromkeys(replay.labels[number - 1][0] for number in causal_past(replay, staged)))


def causal_past(replay: Replay, staged: Staged) -> tuple[int, ...]:
    """The numbers of the steps that the violation needed, ascending, from 1."""
    steps = Steps(replay, staged)
    last, fields = _violation(replay, staged)
    past = []
    if replay.labels and last < len(replay.labels):
        past.append(len(replay.labels))
        fields |= steps[len(replay.labels) - 1].guard
    return tuple([*past, *_writers(steps, last, fields)][::-1])


def _violation(replay: Replay, staged: Staged) -> tuple[int, frozenset[str]]:
    """After how many steps the claim read, and which fields."""
    claim = staged.system([replay.prop]).claims[0]
    end = len(replay.labels)
    if claim.per_step:
        at = next(i for i, inst in enumerate(staged.instances) if inst.label == replay.labels[-1])
        end, roots = end - 1, [claim.per_step[at]]
    elif claim.on_state is not None:
        roots = [claim.on_state]
    else:
        roots = [guard for inst in staged.instances for guard in inst.guards]
    return end, reason(roots, named(replay, replay.states[end])) - budget_fields(staged.setting)


def _writers(steps: Steps, last: int, fields: frozenset[str]) -> Iterator[int]:
    """The steps up to `last` that the values of these fields come from, directly or through others; the last one first.

    What is needed of a state is needed from earlier ones only, so one look at each step, backwards, finds all.
    """
    needed = set(fields)
    for number in range(last, 0, -1):
        step = steps[number - 1]
        written = needed & step.sources.keys()
        if written:
            yield number
            needed -= written
            spared = needed & step.kept.keys()
            needed.update(step.guard, *(step.sources[name] for name in written), *(step.kept[name] for name in spared))

"""Why a claim failed: the steps that its failure needed, and the actions that these steps are.

From the fields that the claim read where it failed, back to the step that wrote each last, to the fields that let that
step be taken and that it computed the value from, and so on. Where a step of the past might have written over a needed
field and did not, what kept it from that is needed too. So the past stands for itself: its steps alone, in their order,
lead to the violation. Followed field by field: what a step wrote besides (history for other claims, say) brings in
nothing. For a claim at rest the state of rest is part of what it reads.

Two traces with the same cause are one finding: the arguments and the number of repetitions are left out on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import Touched, budget_fields, reason, states_by_name, touched


def cause_of(replay: Replay, staged: Staged) -> tuple[str, ...]:
    """The actions in the causal past of the violation, faults included, sorted by first occurrence there."""
    return tuple(dict.fromkeys(replay.labels[number - 1][0] for number in causal_past(replay, staged)))


def causal_past(replay: Replay, staged: Staged) -> tuple[int, ...]:
    """The numbers of the steps that the violation needed, ascending, from 1."""
    steps = touched(replay, staged)
    last, fields = _violation(replay, staged)
    past: set[int] = set()
    if replay.labels and last < len(replay.labels):
        past.add(len(replay.labels))
        fields |= steps[-1].guard
    return tuple(sorted(past | _writers(steps, last, fields)))


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
    return end, reason(roots, states_by_name(replay)[end]) - budget_fields(staged.setting)


def _writers(steps: Sequence[Touched], last: int, fields: Iterable[str]) -> set[int]:
    """The steps up to `last` that the values of these fields come from, directly or through others."""
    past: set[int] = set()
    needs = {(last, name) for name in fields}
    grown = True
    while grown:
        size = len(needs), len(past)
        for upto, name in list(needs):
            writer = next((i for i in range(upto, 0, -1) if name in steps[i - 1].sources), 0)
            if writer:
                past.add(writer)
                step = steps[writer - 1]
                needs |= {(writer - 1, source) for source in step.guard | step.sources[name]}
            for i in past & set(range(writer + 1, upto + 1)):
                needs |= {(i - 1, source) for source in steps[i - 1].kept.get(name, frozenset())}
        grown = (len(needs), len(past)) > size
    return past

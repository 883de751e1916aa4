"""Why a claim failed: the steps that its failure needed, and the actions that these steps are.

From the fields that the claim read where it failed, back to the step that wrote each last, to the fields that let that
step be taken and that it computed the value from, and so on. Where a step of the past might have written over a needed
field and did not, what kept it from that is needed too. So the past stands for itself: its steps alone, in their order,
lead to the violation. Followed field by field: what a step wrote besides (history for other claims, say) brings in
nothing. For a claim at rest the state of rest is part of what it reads; a deadlock needs the faults that could still
happen if they had not happened so often.

Two traces with the same cause are one finding: the arguments and the number of repetitions are left out on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from offsetproof.ir.node import evaluate
from offsetproof.lang.claim import WALK
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.reads import TouchedSteps, budget_fields, reason, values_by_name


@dataclass(frozen=True)
class Part:
    """What one step has to do with a violation.

    `fields` maps each field that it wrote, and the violation needed, to how far that value is from what the claim read:
    0 if the claim read it, 1 if such a value was computed from it, and so on. None: it only let other steps be taken.
    """

    number: int
    fields: Mapping[str, int | None]

    @property
    def distance(self) -> int | None:
        """The smallest of its fields' distances; None if it only let other steps be taken."""
        return min((far for far in self.fields.values() if far is not None), default=None)


def cause_of(replay: Replay, staged: Staged) -> tuple[str, ...]:
    """The actions in the causal past of the violation, faults included, sorted by first occurrence there."""
    return tuple(dict.fromkeys(replay.labels[number - 1][0] for number in causal_past(replay, staged)))


def causal_past(replay: Replay, staged: Staged) -> tuple[int, ...]:
    """The numbers of the steps that the violation needed, ascending, from 1."""
    return tuple(part.number for part in parts_of(replay, staged))


def parts_of(replay: Replay, staged: Staged, steps: TouchedSteps | None = None) -> tuple[Part, ...]:
    """The steps that the violation needed, in their order, each with what it gave to it; of a walk by hand all."""
    if replay.prop is WALK:
        return tuple(Part(number, {}) for number in range(1, len(replay.labels) + 1))
    steps = steps or TouchedSteps(replay, staged)
    last, fields = _violation(replay, staged)
    needed: dict[str, int | None] = dict.fromkeys(fields, 0)
    parts = []
    if replay.labels and last < len(replay.labels):
        step = steps[len(replay.labels) - 1]
        parts.append(Part(len(replay.labels), dict.fromkeys(step.writes, 0)))
        _need(needed, step.guard, None)
    return tuple([*parts, *_writers(steps, last, needed)][::-1])


def _violation(replay: Replay, staged: Staged) -> tuple[int, frozenset[str]]:
    """After how many steps the claim read, and which fields."""
    claim = staged.system([replay.prop]).claims[0]
    end = len(replay.labels)
    if claim.per_step:
        index = next(i for i, inst in enumerate(staged.instances) if inst.label == replay.labels[-1])
        end, roots = end - 1, [claim.per_step[index]]
    elif claim.on_state is not None:
        roots = [claim.on_state]
    else:
        roots = [guard for inst in staged.instances for guard in inst.guards]
    values = values_by_name(replay, replay.states[end])
    budgets = budget_fields(staged.setting)
    read = reason(roots, values) - budgets
    return end, read | _exhausted_budgets(staged, values, budgets) if claim.deadlock else read


def _exhausted_budgets(staged: Staged, values: Mapping[str, int], budgets: frozenset[str]) -> frozenset[str]:
    """The budgets of faults that could be taken in a state if their kind had not happened before."""
    fresh = {**values, **dict.fromkeys(budgets, 0)}
    faults = [inst for inst in staged.instances if inst.fault]
    enabled = evaluate([inst.enabled for inst in faults], fresh)
    return frozenset(
        name for inst, can in zip(faults, enabled, strict=True) if can for name in inst.updates.keys() & budgets
    )


def _writers(steps: TouchedSteps, last: int, needed: dict[str, int | None]) -> Iterator[Part]:
    """The steps up to `last` that the values of these fields come from, directly or through others; the last one first.

    What is needed of a state is needed from earlier ones only, so one look at each step, backwards, finds all.
    """
    for number in range(last, 0, -1):
        step = steps[number - 1]
        written = needed.keys() & step.sources.keys()
        spent = needed.keys() & step.spends
        if written or spent:
            fields = {name: needed.pop(name) for name in sorted(written)}
            yield Part(number, {**fields, **{name: needed[name] for name in sorted(spent)}})
            spared = needed.keys() & step.kept.keys()
            _need(needed, step.guard, None)
            for name, far in fields.items():
                _need(needed, step.sources[name], None if far is None else far + 1)
            for name in spared:
                _need(needed, step.kept[name], None)


def _need(needed: dict[str, int | None], fields: Iterable[str], distance: int | None) -> None:
    """Fields are needed, at this distance or the smaller one that is known."""
    for name in fields:
        known = needed.get(name)
        needed[name] = known if distance is None or (known is not None and known < distance) else distance

"""Spot checks as they were: eight states, evenly spread over the visited set, and every instance stepped on each.

The compiled code was compared with the evaluation of the same expressions, and the staged model against the model's own
Python. No claim was judged, and an instance that was cut was none that could be taken.
"""

from __future__ import annotations

from collections.abc import Sequence

from offsetproof.compiled.expander import Expander
from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.explorer import Exploration
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, Label, State, Variable, show_label
from offsetproof.lang.claim import Property
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.result import DisagreementError

STATES = 8

Steps = dict[Label, State]


def eight_states(
    search: Exploration, staged: Staged, reference: Reference, _asked: Sequence[Property], _: object
) -> str:
    """What was looked at; DisagreementError at the first step that differs."""
    rows, expander = search.samples(STATES), Expander(search.layout, search.native, 1, tells=True)
    for row in rows:
        state = search.layout.unpack(row)
        _must_agree(
            _compiled_steps(search, expander, row),
            _evaluated_steps(search.system.variables, state, search.system.instances),
        )
        known = {v.name: value for v, value in zip(search.system.variables, state, strict=True)}
        whole = tuple(known.get(leaf.path, leaf.initial[0]) for leaf in reference.grown.tree.leaves)
        _must_agree(_evaluated_steps(staged.variables, whole, staged.instances), _reference_steps(reference, whole))
    return f"{len(rows)} states"


def _compiled_steps(search: Exploration, expander: Expander, row: Words) -> Steps:
    unpack = search.layout.unpack
    return {search.system.instances[i].label: unpack(after) for i, after in expander.steps_from(row)}


def _evaluated_steps(variables: Sequence[Variable], state: State, instances: Sequence[Instance]) -> Steps:
    values = {v.name: value for v, value in zip(variables, state, strict=True)}
    enabled = evaluate([inst.enabled for inst in instances], values)
    steps: Steps = {}
    for inst, taken in zip(instances, enabled, strict=True):
        if taken:
            after = dict(zip(inst.updates, evaluate(inst.updates.values(), values), strict=True))
            steps[inst.label] = tuple(after.get(v.name, values[v.name]) for v in variables)
    return steps


def _reference_steps(reference: Reference, state: State) -> Steps:
    steps: Steps = {}
    for label in reference.labels:
        try:
            after = reference.take(state, label)
        except ModelError:
            continue
        if not isinstance(after, NotTaken):
            steps[label] = after
    return steps


def _must_agree(compiled: Steps, expected: Steps) -> None:
    for label in {**compiled, **expected}:
        if compiled.get(label) != expected.get(label):
            raise DisagreementError(f"the two disagree on {show_label(label)}")

"""Spot checks: a few of the states that a search reached, stepped once more by those who must agree with it.

The compiled code is held against the evaluation of the same expressions, and the staged model against the model's own
Python. No proof, but a fault in the lowering, or a model that staging misunderstood, shows on nearly every state.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from offsetproof.compiled.layout import Words
from offsetproof.engines.explicit.shortest import Explored, steps_from
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, Label, State, Variable, show_label
from offsetproof.lang.errors import ModelError
from offsetproof.lang.reference import NotTaken, Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.result import DisagreementError

STATES = 8
"""How many states are looked at."""

Steps = dict[Label, State]
"""The steps from one state: where each instance leads."""


def spot_check(search: Explored, staged: Staged, reference: Reference) -> int:
    """How many states were looked at; DisagreementError at the first step that differs."""
    rows = search.samples(STATES)
    for row in rows:
        state = search.layout.unpack(row)
        _must_agree(
            "the compiled code",
            _compiled(search, row),
            _evaluated(search.system.variables, state, search.system.instances),
        )
        known = {v.name: value for v, value in zip(search.system.variables, state, strict=True)}
        whole = tuple(known.get(leaf.path, leaf.initial[0]) for leaf in reference.grown.tree.leaves)
        _must_agree(
            "the staged model", _evaluated(staged.variables, whole, staged.instances), _referred(reference, whole)
        )
    return len(rows)


def _compiled(search: Explored, row: Words) -> Steps:
    steps = steps_from(search, row.tobytes())
    unpack = search.layout.unpack
    return {search.system.instances[i].label: unpack(np.frombuffer(key, np.uint64)) for i, key in steps}


def _evaluated(variables: Sequence[Variable], state: State, instances: Sequence[Instance]) -> Steps:
    values = {v.name: value for v, value in zip(variables, state, strict=True)}
    enabled = evaluate([inst.enabled for inst in instances], values)
    steps: Steps = {}
    for inst, taken in zip(instances, enabled, strict=True):
        if taken:
            after = dict(zip(inst.updates, evaluate(inst.updates.values(), values), strict=True))
            steps[inst.label] = tuple(after.get(v.name, values[v.name]) for v in variables)
    return steps


def _referred(reference: Reference, state: State) -> Steps:
    steps: Steps = {}
    for label in reference.labels:
        try:
            after = reference.take(state, label)
        except ModelError:
            continue
        if not isinstance(after, NotTaken):
            steps[label] = after
    return steps


def _must_agree(who: str, found: Steps, expected: Steps) -> None:
    for label in {**found, **expected}:
        if found.get(label) != expected.get(label):
            raise DisagreementError(f"{who} and its reference disagree on {show_label(label)}")

"""Scopes as users want them: with other bounds and faults, or of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from offsetproof.lang.model import Model, faults_of
from offsetproof.lang.scope import Scope, UnknownNameError, sort_in, value_of

ALL_SCOPES = "all"
"""As the scope to ask in: every scope that a claim names, or all of the model's if it names none."""


def with_bounds(scope: Scope, bounds: Mapping[str, int | str], model: type[Model]) -> Scope:
    """The scope with these bounds and fault budgets, also of kinds that it does not name.

    UnknownNameError for what neither the scope nor a fault of the model is called, and for a number that cannot be.
    """
    faults = {**{fault.name: 0 for fault in faults_of(model)}, **scope.faults}
    for name in bounds:
        if name not in scope.bounds and name not in faults:
            raise UnknownNameError(f"bound of scope {scope.name}", name, [*scope.bounds, *faults])
    raised = {name: 0 for name in faults if name in bounds and name not in scope.faults}
    numbers = {name: value_of(sort_in(model.bounds, name), name, value) for name, value in bounds.items()}
    return replace(scope, faults={**scope.faults, **raised}).with_bounds(numbers).fitted(model.bounds)


def as_scope_of(scope: Scope, model: type[Model]) -> Scope:
    """A scope of the user's own as one of the model's: with its defaults; UnknownNameError for what the model has not.

    A model need not say what its bounds are. Then they are those of its scopes, if these have any.
    """
    known = dict.fromkeys([*model.bounds, *(bound for each in model.scopes for bound in each.bounds)])
    for kind, names, there in (
        ("bound", scope.bounds, known),
        ("fault", scope.faults, [fault.name for fault in faults_of(model)]),
    ):
        odd = next((name for name in names if name not in there), None)
        if odd is not None and (there or kind == "fault"):
            raise UnknownNameError(f"{kind} (in scope {scope.name})", odd, there)
    return scope.completed(model.bounds)

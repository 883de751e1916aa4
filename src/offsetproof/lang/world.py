"""A claim in a world, by names: what grids, baselines, traces and studies all speak of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

from offsetproof.lang.setting import Setting

CHANGED = "*"
"""What the name of a scope ends with where some of its bounds were changed."""


@dataclass(frozen=True)
class ClaimInWorld:
    """What can be written down of a question, and asked again of any subject that has these names.

    `release` is as users write it, one name or `broker=5.3.3,client=4.9.4`; None for a model without releases.
    `fixes`, `assumptions` and `listener` come on top of what the claim's case has. `bounds` are those of the scope's
    bounds and fault budgets that are other than the scope says. `checking.request.question_of` makes the question.
    """

    claim: str
    release: str | None
    scope: str
    fixes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    listener: str | None = None
    bounds: Mapping[str, int] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, claim: str, setting: Setting) -> ClaimInWorld:
        """The names of a claim and of the setting that it is asked in."""
        scope = setting.scope
        return cls(
            claim,
            setting.release,
            scope.name.removesuffix(CHANGED),
            tuple(fix.name for fix in setting.fixes),
            tuple(assumption.name for assumption in setting.assumptions),
            setting.listener_name,
            {**scope.bounds, **scope.faults} if scope.name.endswith(CHANGED) else {},
        )

    @property
    def id(self) -> str:
        """The same for the same claim and world, whenever it is asked."""
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()[:16]

    @property
    def order(self) -> tuple[object, ...]:
        """What lists are sorted by."""
        listener, bounds = self.listener or "", tuple(sorted(self.bounds.items()))
        return (self.claim, self.release or "", self.scope, self.fixes, self.assumptions, listener, bounds)

"""A question that can be searched: staged, reduced, and compiled when somebody asks for the program."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from offsetproof.engines.explicit.explorer import Explorer
from offsetproof.engines.explicit.search import Program
from offsetproof.engines.explicit.shortest_trace import Tracing
from offsetproof.engines.explicit.spot import WHOLE, SpotLimits
from offsetproof.engines.vacuity import claims_in_scope
from offsetproof.ir.faults import with_fault_cap
from offsetproof.ir.system import StagedClaim, System
from offsetproof.lang.reference import Reference
from offsetproof.lang.stage import Staged
from offsetproof.verdict.limits import Deadline
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class PreparedQuestion:
    """The question, who explores, the reduced system with what was left out of it, and since when it is decided.

    `spot_limits` is how much spot checks look at.
    """

    question: Question
    explore: Explorer
    staged: Staged
    system: System
    reductions: tuple[str, ...]
    started: float
    spot_limits: SpotLimits = WHOLE

    @cached_property
    def deadline(self) -> Deadline:
        """By when it is to be decided."""
        return Deadline.of(self.question.limits, self.started)

    @cached_property
    def program(self) -> Program:
        """The compiled system."""
        kinds = [prop.kind for prop in (self.question.prop, *self.question.witnesses)]
        system = with_fault_cap(self.system)
        in_the_end = system.claims[0].in_the_end
        blocked = () if in_the_end is None else [thread.blocked for thread in in_the_end.threads]
        layout = self.explore.layout(self.question, system)
        return Program.of(system, kinds, with_premise=True, measured=blocked, layout=layout)

    def compile(self) -> None:
        """Compiles the system now, and not when the first search asks for it."""
        _ = self.program

    @cached_property
    def claim(self) -> StagedClaim:
        """The claim, with what never changes in its place."""
        return claims_in_scope(self.staged, self.system)[0]

    @cached_property
    def reference(self) -> Reference:
        """The model's own Python, which has the last word."""
        return Reference(self.question.model, self.question.setting)

    @property
    def tracing(self) -> Tracing:
        """What finds the way to an alarm."""
        return Tracing(self.reference, self.deadline)

"""The explicit engine: exhaustive breadth-first search over the compiled system.

`fewest_faults.py` says which searches decide a question, `results.py` what is known after one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from offsetproof.engines.explicit.explorer import Explorer, InThisProcess
from offsetproof.engines.explicit.fewest_faults import Decision
from offsetproof.engines.explicit.outgrown import lacks_memory, result_of_both
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.reducing_plan import ReducingPlan
from offsetproof.engines.explicit.same_system import SearchesOfOneSystem
from offsetproof.engines.explicit.spot import WHOLE, SpotLimits
from offsetproof.engines.preparing import PreparingEngine, StagedModels
from offsetproof.verdict.limits import LimitMetError, Limits, run_limited
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Reason, Result, Verdict
from offsetproof.watch import interrupts_later

if TYPE_CHECKING:
    from offsetproof.engines.explicit.in_the_end import RunDecision


class Explicit(PreparingEngine["Decision | RunDecision"]):
    """The engine. `explore` is where it has states explored, `plan` when it uses stubborn sets, where they are on.

    `spot_limits` is how much spot checks look at before a scope counts as exhausted.
    """

    def __init__(
        self,
        models: StagedModels | None = None,
        explore: Explorer = InThisProcess(),
        plan: ReducingPlan = ReducingPlan(),
        spot_limits: SpotLimits = WHOLE,
    ) -> None:
        super().__init__(models)
        self.name, self.explore, self.plan, self.spot_limits = explore.name, explore, plan, spot_limits
        self.decides_runs = explore.is_here
        self._known = SearchesOfOneSystem()

    def limits_to_prepare(self, question: Question) -> Limits:
        """What whoever explores says."""
        return self.explore.limits_to_prepare(question.limits)

    def prepare(self, question: Question, started: float) -> Decision | RunDecision:
        staged, system, reductions = self._models.reduced_system(question)
        prepared = PreparedQuestion(question, self.explore, staged, system, reductions, started, self.spot_limits)
        if question.prop.kind.is_about_runs:
            with interrupts_later():  # loaded where it is needed
                from offsetproof.engines.explicit.in_the_end import RunDecision
            return RunDecision(prepared)
        return Decision(prepared, self._known, self.plan)

    def decide_prepared(self, prepared: Decision | RunDecision, question: Question) -> Result:
        is_decided = False
        try:
            result = _result_at_end(prepared, prepared.decide)
            if lacks_memory(result) and isinstance(prepared, Decision):
                result = self._ask_smaller(prepared, question, result)
            is_decided = result.verdict is not Verdict.UNKNOWN
            return result
        finally:
            self.explore.end(is_decided=is_decided)

    def _ask_smaller(self, decision: Decision, question: Question, first: Result) -> Result:
        """Asks again whoever takes fewer bytes, in the time that is left; the result says so."""
        smaller = self.explore.smaller(question)
        if smaller is None:
            return first

        def decide() -> Result:
            limits, started = self.limits_to_prepare(question), decision.prepared.started
            run_limited(limits, started, lambda: decision.begin_again(smaller))
            return decision.decide()

        return result_of_both(first, _result_at_end(decision, decide))


def _result_at_end(decision: Decision | RunDecision, decide: Callable[[], Result]) -> Result:
    """The result; where a limit or an interrupt ends it, UNKNOWN with what is known by then."""
    try:
        return decide()
    except KeyboardInterrupt:
        return decision.unknown(Reason.INTERRUPTED)
    except LimitMetError as error:
        return decision.unknown(error.reason)
    except MemoryError:
        return decision.unknown(Reason.MEMORY)

"""The one result type: a verdict with its evidence. What has no evidence cannot be constructed.

A REFUTED claim about states or steps carries a Replay: a trace that the reference semantics has followed to the
violation. For a witness it is the other way round: HOLDS carries the Replay, REFUTED the exhausted scope. A HOLDS
without trace must have exhausted its scope with every needed witness reached. UNKNOWN always says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.errors import DisagreementError as DisagreementError
from offsetproof.lang.reference import Replay
from offsetproof.lang.setting import Setting


class Verdict(StrEnum):
    """What was found out about a claim."""

    HOLDS = "HOLDS"
    REFUTED = "REFUTED"
    UNKNOWN = "UNKNOWN"


class Reason(StrEnum):
    """Why a verdict is UNKNOWN."""

    STATES = "state limit"
    MEMORY = "memory limit"
    TIME = "time limit"
    OVERFLOW = "model error"
    WITNESS = "needed witness not reached"
    INTERRUPTED = "interrupted"
    SAMPLED = "not found by sampling"
    DEPTH = "depth limit"
    SOLVER = "solver limit"
    DIED = "its process died"
    ENGINE = "beyond this engine"
    BOUND = "a bound of the scope in the way"


FEWER_FAULTS_OPEN = "whether fewer faults suffice was not established"
"""What is said of a trace of which it is not known."""


@dataclass(frozen=True)
class Counts:
    """What a search visited: `states` and `transitions` of the slice, `depth` of the deepest complete level.

    For a violated claim they cover the complete levels before the violation, and `depth` is the trace's length. A
    method that does not count distinct states or transitions gives None for them. `judged` counts the states (of a
    claim about steps: the steps) of which the claim says something, because its premise is true there. `levels` has the
    states of each complete level, from the initial ones, where levels were searched. `reduced`: steps that decide
    nothing were left out (stubborn sets), and all of this is of the reduced search.
    """

    initial: int
    states: int | None
    transitions: int | None
    depth: int
    bound_cuts: int = 0
    fired: Mapping[str, int] = field(default_factory=dict)
    peak_bytes: int = 0
    bytes_per_state: float = 0.0
    judged: int | None = None
    levels: tuple[int, ...] = field(default=(), compare=False)
    reduced: bool = False


@dataclass(frozen=True)
class Result:
    """The answer to one question.

    `witnesses` says of each needed witness whether it was reached. `digest` identifies the system that was explored;
    `reductions` says what was left out soundly; `notes` is for readers. `interrupted`: the user stopped the work, which
    may have established something. `within` is the number of steps within which a bounded method's trace is the
    smallest (None: it makes no such promise, or an unbounded one). `vacuous` says why a HOLDS means nothing: nothing
    happened that could have broken it; `allows_vacuous`: whoever asked accepts that. `unspent` are faults and bounds
    that no step spent. `fewer_faults_open` says why it was not established whether the claim is also broken with fewer
    faults than the trace has (None: it was, or the method promises nothing of it). `asked_instead` are the cases that
    speak of the setting where this one does not, `idle_fixes` added fixes that change nothing.
    """

    prop: Property
    setting: Setting
    engine: str
    method: str
    verdict: Verdict
    counts: Counts
    seconds: float
    exhaustive: bool
    replay: Replay | None = None
    reason: Reason | None = None
    detail: str = ""
    witnesses: Mapping[str, bool] = field(default_factory=dict)
    digest: str = ""
    reductions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    interrupted: bool = False
    within: int | None = None
    vacuous: str = ""
    allows_vacuous: bool = False
    unspent: tuple[str, ...] = ()
    fewer_faults_open: Reason | None = None
    asked_instead: tuple[str, ...] = ()
    idle_fixes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """AssertionError for a verdict without the evidence that it needs."""
        shows_trace = Verdict.HOLDS if self.prop.kind is ClaimKind.SOMETIMES else Verdict.REFUTED
        if self.verdict is Verdict.UNKNOWN:
            if self.reason is None:
                raise AssertionError(f"{self.prop.id} is UNKNOWN without a reason")
        elif self.verdict is shows_trace:
            if self.replay is None or self.replay.prop != self.prop:
                raise AssertionError(f"{self.prop.id} is {self.verdict} without a trace that replayed")
        elif not self.exhaustive or not all(self.witnesses.values()):
            raise AssertionError(f"{self.prop.id} is {self.verdict} without having exhausted its scope and witnesses")

    @property
    def other_listener(self) -> str:
        """The listener's name where it is not the one that the claim, or most claims, are stated for; else empty."""
        is_other = self.setting.other_listener or self.prop.listener not in (None, self.setting.listener)
        return (self.setting.listener_name or "") if is_other else ""

    @property
    def expected(self) -> Expectation | None:
        """The verdict that the claim's author expects in this setting."""
        return self.prop.expects(self.setting)

    @property
    def expects_nothing(self) -> bool:
        """Does the case say nothing of this setting? Then a HOLDS is no surprise, but nobody has expected it."""
        return not self.prop.case.speaks_of(self.setting)

    @property
    def as_expected(self) -> bool:
        """Is the verdict the expected one? Without an expectation: does the claim hold?

        A vacuous HOLDS is what nobody expects, unless it is allowed.
        """
        is_required = str(self.verdict) == str(self.prop.required(self.setting))
        return is_required and (self.allows_vacuous or not self.vacuous)

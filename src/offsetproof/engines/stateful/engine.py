"""The stateful engine: sampling, which finds violations and proves nothing.

Steered walks run first, because they take a million steps while Hypothesis takes a few thousand; then the Hypothesis
machine tries what is still open, and shrinks what it finds. Either way the trace is shortened to what the violation
needs, put into the smallest order, and replayed by the reference semantics.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from offsetproof.engines.preparing import PreparingEngine, StagedModels
from offsetproof.engines.stateful.machine import run, state_machine_of, wrong_after
from offsetproof.engines.stateful.stepper import Stepper
from offsetproof.engines.stateful.walks import WALKERS, Walks
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.shrink import shorten_replay
from offsetproof.traces.trace_order import canonical
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Counts, Reason, Result, Verdict

NAME = "stateful"


@dataclass(frozen=True)
class Effort:
    """How much is tried: steps and longest run for the walks, examples and steps per example for Hypothesis."""

    walk_steps: int = 2_000_000
    walk_length: int = 120
    examples: int = 50
    example_steps: int = 40
    seed: int = 0


@dataclass
class Tried:
    """What one sampling did. `inside` are the seconds of Hypothesis's run that the model itself took."""

    walk_steps: int = 0
    walks: int = 0
    longest: int = 0
    walk_seconds: float = 0.0
    hypothesis_steps: int = 0
    hypothesis_seconds: float = 0.0
    inside: float = 0.0
    interrupted: bool = False
    fired: Counter[str] = field(default_factory=Counter)

    @property
    def rate(self) -> float:
        """Steps per second of the walks."""
        return self.walk_steps / self.walk_seconds if self.walk_seconds > 0 else 0.0

    @property
    def overhead(self) -> float | None:
        """The share of Hypothesis's run that is Hypothesis itself; None where it did not run."""
        return 1 - self.inside / self.hypothesis_seconds if self.hypothesis_seconds > 0 else None

    def __str__(self) -> str:
        walked = f"{quantity(self.walk_steps, 'step')} in {quantity(self.walks, 'steered walk')}"
        driven = f" and {quantity(self.hypothesis_steps, 'step')} by Hypothesis" if self.hypothesis_seconds else ""
        return walked + driven


class Sampling:
    """One sampling of a setting for several claims at once."""

    def __init__(self, staged: Staged, questions: Sequence[Question], effort: Effort) -> None:
        self.staged, self.questions, self.effort = staged, tuple(questions), effort
        self.tried = Tried()
        self.replays: dict[str, Replay] = {}
        self.wrong = ""
        self.started = time.monotonic()
        self.stepper = Stepper(staged, [question.prop for question in questions], WALKERS)

    def run(self) -> list[Result]:
        """Walks, then lets Hypothesis drive; one result per question. An interrupt keeps what was found."""
        try:
            self._walk()
            self._drive()
        except KeyboardInterrupt:
            self.tried.interrupted = True
        for inst, count in zip(self.stepper.system.instances, self.stepper.fired, strict=False):
            self.tried.fired[inst.label[0]] += int(count)
        return [self._result(question) for question in self.questions]

    @property
    def _seconds(self) -> float | None:
        limit = self.questions[0].limits.seconds
        return None if limit is None else limit - (time.monotonic() - self.started)

    def _walk(self) -> None:
        walks = Walks(self.stepper, self.effort.seed, self.effort.walk_length)
        started = time.monotonic()
        met = []
        try:
            met = walks.go(self.effort.walk_steps, self._seconds, self.questions[0].progress)
        finally:
            self.tried.walk_steps, self.tried.walks, self.tried.longest = walks.steps, walks.runs, walks.longest
            self.tried.walk_seconds = time.monotonic() - started
            self._note_wrong(walks.failing)
        for alarm in met:
            self._keep(self.stepper.replay(alarm.claim, alarm.start, alarm.instances))

    def _note_wrong(self, taken: Sequence[int] | None) -> None:
        """Remembers how a run came to a state from which the model goes wrong."""
        if taken is not None and not self.wrong:
            self.wrong = wrong_after([self.stepper.system.instances[i].label for i in taken])

    def _keep(self, replay: Replay) -> None:
        self.replays[replay.prop.id] = canonical(shorten_replay(replay))

    def _drive(self) -> None:
        left = [question.prop for question in self.questions if question.prop.id not in self.replays]
        seconds = self._seconds
        if not left or not self.effort.examples or (seconds is not None and seconds <= 0):
            return
        kind = state_machine_of(self.staged, left)
        started = time.monotonic()
        try:
            sizes = {"examples": self.effort.examples, "steps": self.effort.example_steps}
            met = run(kind, self.effort.seed, **sizes, seconds=seconds)
        finally:
            self._note_wrong(kind.failing)
            self.tried.fired.update(kind.fired)
            self.tried.hypothesis_steps, self.tried.inside = kind.steps, kind.inside
            self.tried.hypothesis_seconds = time.monotonic() - started
        self.replays |= {replay.prop.id: replay for replay in met}

    def _result(self, question: Question) -> Result:
        replay = self.replays.get(question.prop.id)
        shows = Verdict.HOLDS if question.prop.kind is ClaimKind.SOMETIMES else Verdict.REFUTED
        reason = Reason.INTERRUPTED if self.tried.interrupted else Reason.SAMPLED
        reason = Reason.OVERFLOW if self.wrong else reason
        tried = f"{self.tried}, seed {self.effort.seed}"
        depth = len(replay.labels) if replay else self.tried.longest
        return Result(
            question.prop,
            question.setting,
            NAME,
            f"sampling ({tried})",
            Verdict.UNKNOWN if replay is None else shows,
            Counts(len(self.stepper.system.initial), None, None, depth, fired=dict(self.tried.fired)),
            time.monotonic() - self.started,
            False,
            replay,
            reason if replay is None else None,
            self.wrong if replay is None else "",
            digest=self.stepper.system.digest,
            interrupted=self.tried.interrupted,
        )


class Stateful(PreparingEngine[Sampling]):
    """The engine."""

    name = NAME

    def __init__(self, effort: Effort = Effort(), models: StagedModels | None = None) -> None:
        super().__init__(models)
        self.effort = effort

    def prepare(self, question: Question, started: float) -> Sampling:
        del started
        return self.sample([question])

    def decide_prepared(self, prepared: Sampling, question: Question) -> Result:
        """Looks for a violation of one claim (for a witness: for a state that shows it)."""
        del question
        return prepared.run()[0]

    def sample(self, questions: Sequence[Question]) -> Sampling:
        """A sampling for several questions about one setting."""
        return Sampling(self._models.of(questions[0]), questions, self.effort)

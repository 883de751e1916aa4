"""Simulating a subject: sampling setting by setting, all claims of one at once, in scopes too large to exhaust.

Walks end, so they say nothing of claims about whole runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from offsetproof.checking.answers import Answer, with_trace
from offsetproof.checking.declaration_errors import declared_by
from offsetproof.checking.request import Request, questions_about_states
from offsetproof.compiled.lower import CLAIMS_MAX
from offsetproof.engines.preparing import StagedModels
from offsetproof.engines.stateful.engine import Effort, Stateful, Tried
from offsetproof.lang.setting import Setting
from offsetproof.verdict.question import Question


@dataclass(frozen=True)
class Simulated:
    """What was tried in one setting, how many action instances there are, and the answers to its claims."""

    setting: Setting
    instances: int
    bits: int
    tried: Tried
    answers: tuple[Answer, ...]

    @property
    def never_taken(self) -> tuple[str, ...]:
        """Actions that no walk took."""
        return tuple(sorted(name for name, count in self.tried.fired.items() if not count))


def simulate_settings(request: Request, effort: Effort) -> Iterator[Simulated]:
    """One simulation per setting; an interrupted one is the last. UnknownNameError for unknown names."""
    large = next((scope.name for scope in request.subject.model.scopes if scope.large), None)
    request = replace(request, scope=request.scope or large)
    models = StagedModels()
    engine = Stateful(effort, models)
    for questions in _by_setting(questions_about_states(request)):
        with declared_by(request.subject.model):
            sampling = engine.sample(questions)
        results = sampling.run()
        staged = models.of(questions[0])
        pairs = zip(questions, results, strict=True)
        answers = tuple(Answer(*with_trace(request.subject, each, result, staged)) for each, result in pairs)
        system = sampling.stepper.system
        yield Simulated(questions[0].setting, len(system.instances), system.bits, sampling.tried, answers)
        if sampling.tried.interrupted or any(answer.is_interrupted for answer in answers):
            return


def _by_setting(questions: Sequence[Question]) -> list[list[Question]]:
    groups: dict[object, list[Question]] = {}
    for question in questions:
        groups.setdefault(question.setting.key, []).append(question)
    return [
        group[start : start + CLAIMS_MAX] for group in groups.values() for start in range(0, len(group), CLAIMS_MAX)
    ]

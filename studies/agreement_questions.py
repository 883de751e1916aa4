"""What the agreement page asks: every claim of each subject about RocketMQ in its own scopes, and every toy."""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.checking.exporting import export_of
from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.preparing import StagedModels
from offsetproof.examples.toys import TOYS
from offsetproof.exports.exported import Exported
from offsetproof.verdict.question import Question, Reductions
from studies.subjects import ABOUT_ROCKETMQ

MODELS = StagedModels()


@dataclass(frozen=True)
class Asked:
    """One question of the page, with the name of its subject. `whole_only`: the model goes wrong, so no verdict."""

    subject: str
    question: Question
    whole_only: bool = False

    @property
    def name(self) -> str:
        """The key of its record."""
        return " ".join([self.subject, self.question.prop.id, self.question.setting.scope.name])

    @property
    def stated(self) -> list[str]:
        """What the question's setting has beside its scope, in words."""
        setting = self.question.setting
        listener = [f"listener {setting.listener.name}"] if setting.listener and setting.other_listener else []
        return [
            *(f"fix {fix.name}" for fix in setting.fixes),
            *(f"assuming {each.name}" for each in setting.assumptions),
            *listener,
        ]

    def export(self, fault_cap: int | None = None) -> Exported:
        """The system that the other tools are given."""
        return export_of(self.subject, [self.question], MODELS.of(self.question), fault_cap)


def about_rocketmq() -> list[Asked]:
    """Claims and witnesses by subject, in their own scopes, reduced as `check` reduces them.

    Claims about runs are not among them: walks, bounded queries and Stateright cannot decide any. TLC and SPIN are
    asked about those by the tests of fairness (tests/exports).
    """
    asked = ((subject.name, question) for subject in ABOUT_ROCKETMQ for question in questions_of(Request(subject)))
    return [Asked(subject, question) for subject, question in asked if not question.prop.kind.is_about_runs]


def toys() -> list[Asked]:
    """The toys whose counts were worked out by hand, unreduced."""
    plain = Reductions(slicing=False, dead=False)
    return [
        Asked(toy.model.__name__, Question(toy.model, toy.setting, toy.prop, reductions=plain), toy.reason is not None)
        for toy in TOYS
    ]

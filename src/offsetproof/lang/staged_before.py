"""Instances that were staged in another setting: what is made of the same is not made again.

An instance is made of what is asked for while it is staged: fields, bounds, how many are in an array (`asking`),
behaviours and assumptions; and of the code that its action can get to (`reached`), with the listener where this asks
for it. Where fields stand is nowhere in it; their order is that of the classes that declare them, which code has.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from offsetproof.ir.system import Instance, Label
from offsetproof.lang.asking import Question, collect_questions
from offsetproof.lang.model import Model, ModelInstance
from offsetproof.lang.reached import code_in
from offsetproof.lang.run import Paths
from offsetproof.lang.setting import (
    BY_OTHER_MEANS,
    Assumption,
    Behaviour,
    Setting,
    collect_assumptions,
    collect_behaviours,
    shows,
)


@dataclass(frozen=True)
class StagedInstance:
    """An instance, the paths of its code, and what was asked while they were staged.

    `setting` answered about behaviours and assumptions, its tree gave the `answers`; what is `absent` was not there.
    """

    instance: Instance
    ways: Paths
    setting: Setting
    behaviours: frozenset[Behaviour]
    assumptions: frozenset[Assumption]
    answers: Mapping[Question, object]
    absent: frozenset[Question]

    def fits(self, setting: Setting, answers: Mapping[Question, object]) -> bool:
        """Are the answers in another setting the same?"""
        return (
            self.answers.items() <= answers.items()
            and self.absent.isdisjoint(answers)
            and all(shows(setting, each) == shows(self.setting, each) for each in self.behaviours)
            and all((each in setting.assumptions) == (each in self.setting.assumptions) for each in self.assumptions)
        )


Stage = Callable[[], tuple[Instance, Paths]]
"""Stages an instance."""

Known = dict[object, list[StagedInstance]]
"""Instances by label and reached code: several where the code asks for anything."""


class StagedBefore:
    """The instances that were staged so far, by what they are made of."""

    def __init__(self) -> None:
        self._known: Known = {}
        self._models: list[type[Model]] = []

    def among(self, grown: ModelInstance) -> StagedElsewhere:
        """Those that may serve a model in a setting."""
        self._models.append(grown.model)  # what is told apart by identity stays there
        return StagedElsewhere(grown, self._known)


class StagedElsewhere:
    """The instances that were staged so far, for a model in a setting."""

    def __init__(self, grown: ModelInstance, known: Known) -> None:
        self._grown, self._known, self._code = grown, known, code_in(grown.root)
        self._answers = grown.tree.answers()

    def stage(self, label: Label, stage: Stage) -> tuple[Instance, Paths]:
        """An instance with its paths: one that was staged before, or else what `stage` gives."""
        code, setting = self._code.code_behind(self._grown.instances[label][0]), self._grown.setting
        if code is None:
            return stage()
        listener = (setting.listener, setting.other_listener) if code.asks_listener else ()
        known = self._known.setdefault((label, code, listener), [])
        for each in known:
            if each.fits(setting, self._answers):
                for behaviour in each.behaviours:
                    setting.behaves(behaviour)  # the code that is not run again would ask for it
                return each.instance, each.ways
        staged = self._staged_now(stage)
        if BY_OTHER_MEANS not in staged.behaviours:
            known.append(staged)
        return staged.instance, staged.ways

    def _staged_now(self, stage: Stage) -> StagedInstance:
        behaviours, assumptions, asked = set[Behaviour](), set[Assumption](), set[Question]()
        with collect_behaviours(behaviours), collect_assumptions(assumptions), collect_questions(asked):
            instance, ways = stage()
        return StagedInstance(
            instance,
            ways,
            self._grown.setting,
            frozenset(behaviours),
            frozenset(assumptions),
            {each: self._answers[each] for each in asked & self._answers.keys()},
            frozenset(asked - self._answers.keys()),
        )

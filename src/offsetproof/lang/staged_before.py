"""Instances that were staged in another setting of the same scope: what is made of the same is not made again.

An instance is made of the fields, the bounds, the behaviours and assumptions that are asked for while it is staged, and
of the code that its action can get to (`reached`), with the listener where this asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from offsetproof.ir.system import Instance, Label
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
from offsetproof.lang.tree import encoding_of


@dataclass(frozen=True)
class StagedInstance:
    """An instance, the paths of its code, and the setting with what was asked of it while they were staged."""

    instance: Instance
    ways: Paths
    setting: Setting
    behaviours: frozenset[Behaviour]
    assumptions: frozenset[Assumption]

    def fits(self, setting: Setting) -> bool:
        """Does another setting answer the same?"""
        return all(shows(setting, each) == shows(self.setting, each) for each in self.behaviours) and all(
            (each in setting.assumptions) == (each in self.setting.assumptions) for each in self.assumptions
        )


Known = dict[object, list[StagedInstance]]
"""Instances by label and reached code: several where the code asks the setting for anything."""


class StagedBefore:
    """The instances that were staged so far, by what they are made of."""

    def __init__(self) -> None:
        self._worlds: dict[object, Known] = {}
        self._models: list[type[Model]] = []

    def among(self, grown: ModelInstance) -> SameWorld:
        """Those that may serve a model in a setting."""
        self._models.append(grown.model)  # what is told apart by identity stays there
        fields = tuple((leaf.variable, encoding_of(leaf.domain), leaf.budget) for leaf in grown.tree.leaves)
        return SameWorld(grown, self._worlds.setdefault((grown.setting.scope.key, fields), {}))


class SameWorld:
    """The instances that have scope and fields in common with a model in a setting."""

    def __init__(self, grown: ModelInstance, known: Known) -> None:
        self._grown, self._known, self._code = grown, known, code_in(grown.root)

    def stage(self, label: Label, stage: Callable[[], tuple[Instance, Paths]]) -> tuple[Instance, Paths]:
        """An instance with its paths: one that was staged before, or else what `stage` gives."""
        code, setting = self._code.code_behind(self._grown.instances[label][0]), self._grown.setting
        if code is None:
            return stage()
        listener = (setting.listener, setting.other_listener) if code.asks_listener else ()
        known = self._known.setdefault((label, code, listener), [])
        for each in known:
            if each.fits(setting):
                for behaviour in each.behaviours:
                    setting.behaves(behaviour)  # the code that is not run again would ask for it
                return each.instance, each.ways
        behaviours, assumptions = set[Behaviour](), set[Assumption]()
        with collect_behaviours(behaviours), collect_assumptions(assumptions):
            instance, ways = stage()
        if BY_OTHER_MEANS not in behaviours:
            made_of = setting, frozenset(behaviours), frozenset(assumptions)
            known.append(StagedInstance(instance, ways, *made_of))
        return instance, ways

"""Does conformance bite? Wrong models, each the subject's own with one small change, walked beside the real classes.

The changes are those of `offsetproof mutate`, drawn by a seed. A wrong model that no walk tells from the real classes
survives; why is looked up in its walks: where they differ from the model's own, if anywhere, and in what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from offsetproof.conformance.walks import component_of, schedule_of
from offsetproof.ir.node import evaluate
from offsetproof.ir.system import Instance, Label, State
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.mutation.mutants import mutants
from offsetproof.mutation.wording import family
from offsetproof.mutation.workshop import Mutant
from offsetproof.real.conform import Conformance, Conformer, Disagreement, States
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Sidecar


class Survival(StrEnum):
    """Why no walk told a wrong model from the real classes; MISSED is a defect of the comparison."""

    UNMET = "no walk meets a state in which it behaves differently"
    HIDDEN = "what it does otherwise is in fields that the classes do not have"
    FORBIDS = "it only forbids steps, and a walk does what its model allows"
    ALLOWS = "it allows steps that the classes do as well"
    PLAYED = "it allows more of what the rig plays"
    MISSED = "it leaves compared fields otherwise, and nothing differed"


@dataclass(frozen=True)
class WrongModel:
    """One wrong model: its change, after how many compared steps it was caught, and by what; or why it survived.

    `detail` are the fields that it wrote otherwise, or how often it did something that the model does not. `own` is
    what the model itself differs in on the steps that caught it, if it allows them: then nothing wrong was caught.
    """

    component: str
    mutant: Mutant
    steps: int
    caught: Disagreement | None
    survival: Survival | None = None
    detail: str = ""
    own: Disagreement | None = None


@dataclass(frozen=True)
class WrongModels:
    """The wrong models of one component, and how the model itself did on as many steps with the same seed."""

    own: Conformance
    component: str
    models: tuple[WrongModel, ...]


def walk_wrong_models(
    sidecar: Sidecar, release: str, subject: Subject, setting: Setting, *, count: int, steps: int, seed: int
) -> WrongModels:
    """Walks that many drawn mutants of a setting, each up to its first disagreement or that many steps."""
    staged = Staged(subject.model, setting)
    replayer = Replayer(sidecar, schedule_of(subject, staged, release))
    own = Conformer(staged, replayer, seed)
    result = own.go(steps)
    drawn = drawn_mutants(staged, result.taken, count, seed)
    models = tuple(walk_wrong_model(own, staged, each, steps, seed) for each in drawn)
    return WrongModels(result, component_of(setting), models)


def drawn_mutants(staged: Staged, taken: Collection[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants of the actions that were taken, each equally likely, in the order of the model's actions."""
    made = [mutant for mutant in mutants(staged) if mutant.action in taken]
    places = np.random.Generator(np.random.PCG64(seed)).choice(len(made), min(count, len(made)), replace=False)
    return [made[place] for place in sorted(places)]


def walk_wrong_model(own: Conformer, staged: Staged, mutant: Mutant, steps: int, seed: int) -> WrongModel:
    """Walks one mutant of a setting up to its first disagreement, or that many steps; `own` walks the model itself."""
    replayer = own.replayer
    result = Conformer(staged, replayer, seed, mutant.changed).go(steps)
    component = component_of(staged.setting)
    if result.disagreements:
        caught = result.disagreements[0]
        return WrongModel(component, mutant, result.steps, caught, own=own.difference_along(caught.steps))
    met = _Met(staged, replayer, mutant)
    met.walk(steps, seed)
    return WrongModel(component, mutant, result.steps, None, met.survival, met.detail)


class _Met:
    """What the walks of a mutant came to, walked again without the real classes."""

    def __init__(self, staged: Staged, replayer: Replayer, mutant: Mutant) -> None:
        self._staged, self._replayer, self._mutant = staged, replayer, mutant
        self._states = States(staged)
        self._pairs: dict[Label, tuple[Instance, Instance]] = {
            staged.instances[place].label: (staged.instances[place], wrong) for place, wrong in mutant.changed.items()
        }
        self._forbids = 0
        self._allows = 0
        self._shown: set[str] = set()
        self._hidden: set[str] = set()

    def walk(self, steps: int, seed: int) -> None:
        """The walks of this seed."""
        conformer, done = Conformer(self._staged, self._replayer, seed, self._mutant.changed), Conformance()
        for labels, states in conformer.walks(done, steps):
            done.count(labels)
            for label, state in zip(labels, states, strict=False):
                self._look(label, state)

    def _look(self, taken: Label, state: State) -> None:
        """How the mutant differs in a state, and in the step that is taken from it."""
        values = dict(zip((variable.name for variable in self._staged.variables), state, strict=True))
        for label, (model, wrong) in self._pairs.items():
            able, allowed = evaluate([model.enabled, wrong.enabled], values)
            self._forbids += bool(able and not allowed)
            self._allows += label == taken and not able
        if taken not in self._pairs:
            return
        one, other = (_after(each, values) for each in self._pairs[taken])
        differ = {family(name) for name in values if one[name] != other[name]}
        if self._fields_in_rig(one) == self._fields_in_rig(other):
            self._hidden |= differ
        else:
            self._shown |= differ

    def _fields_in_rig(self, values: Mapping[str, int]) -> Mapping[str, object]:
        return self._replayer.fields_in_rig(self._states.of(tuple(values.values())))

    @property
    def survival(self) -> Survival:
        """Why it was not told from the model, by what the walks met."""
        if self._shown:
            return Survival.MISSED
        if self._allows:
            return Survival.PLAYED if self._replayer.plays(self._mutant.action) else Survival.ALLOWS
        if self._hidden:
            return Survival.HIDDEN
        return Survival.FORBIDS if self._forbids else Survival.UNMET

    @property
    def detail(self) -> str:
        """The fields, or how often."""
        if self._allows:
            return f"{self._allows} of them"
        fields = self._shown or self._hidden
        return ", ".join(sorted(fields)) if fields else f"{self._forbids} times" if self._forbids else ""


def _after(instance: Instance, values: Mapping[str, int]) -> dict[str, int]:
    after = evaluate(instance.updates.values(), values)
    return {**values, **dict(zip(instance.updates, after, strict=True))}

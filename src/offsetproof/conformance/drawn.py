"""Steps that Hypothesis draws, done on the real classes as well: each run at its end, by the comparison of `walks`.

It draws otherwise than the walks do (some actions left out for a whole run), and shrinks what differs by its own way.
"""

from __future__ import annotations

from typing import ClassVar

from offsetproof.engines.stateful.machine import Driven, run, state_machine_of
from offsetproof.real.conform import Conformance, Conformer, Disagreement

LENGTH = 40
"""The most steps of a run."""

_STEPS_OF_A_RUN = 30
"""A round has runs enough if each comes to so many; where they do not, another round follows."""


class DiffersError(AssertionError):
    """A run after which model and real classes differ."""

    def __init__(self, found: Disagreement) -> None:
        super().__init__(str(found))
        self.found = found


class Beside(Driven):
    """What all such machines share. Of a run that comes to a dead end and begins again, the last part is compared."""

    walker: ClassVar[Conformer]
    compared: ClassVar[Conformance]

    def teardown(self) -> None:
        labels = [self.stepper.system.instances[number].label for number in self._taken]
        able = next((n for n, label in enumerate(labels) if not self.walker.replayer.can_do(label[0])), len(labels))
        if found := self.walker.compare(labels[:able], self.compared):
            raise DiffersError(found)


def compare_drawn(walker: Conformer, steps_min: int, seed: int) -> Conformance:
    """Lets Hypothesis draw runs of a walker's setting until that many steps are compared, or a run differs.

    It ends with fewer where no step of a round of runs can be enforced. Each round has a seed of its own, one higher.
    What a run that differs is shrunk to counts as well.
    """
    compared = Conformance()
    made = type(
        "Drawn", (Beside, state_machine_of(walker.stepper.staged, ())), {"walker": walker, "compared": compared}
    )
    while compared.steps < steps_min:
        before = compared.steps
        runs = -(-(steps_min - before) // _STEPS_OF_A_RUN)
        try:
            run(made, seed, examples=runs, steps=LENGTH)
        except DiffersError as error:
            compared.disagreements.append(error.found)
            break
        if compared.steps == before:
            break
        seed += 1
    return compared

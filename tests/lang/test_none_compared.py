"""None equals None, on real values as well as on symbolic ones."""

from __future__ import annotations

from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import Array, Component, Index, Model, Setting, action, always, among, array, integer, optional
from offsetproof.lang.reference import Reference
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import Verdict


class Twin(Component):
    k: int | None = optional(integer(0, 1))


class Twins(Model):
    twins: Array[Twin] = array(Index("twin", 2), Twin)
    n: int = integer(0, 1)

    @action()
    def compares(self) -> None:
        self.n = 1 if self.twins[0] == self.twins[1] and among(self.twins[0].k, None, 1) else 0

    @always
    def stays(self) -> bool:
        return self.n == 0


def test_components_whose_optionals_are_none_are_equal_in_both_kinds_of_run() -> None:
    setting = Setting(Twins.scopes[0])
    reference = Reference(Twins, setting)
    assert reference.take((0, 0, 0), reference.labels[0]) == (0, 0, 1)
    assert Explicit().decide(Question(Twins, setting, Twins.claims[0])).verdict is Verdict.REFUTED

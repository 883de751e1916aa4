"""Releases, behaviours and fixes: each declared once, and a release says only what differs from the one before."""

from __future__ import annotations

from types import ModuleType

from offsetproof.lang import HOLDS, REFUTED, Assumption, Behaviour, Fix, case, declared_in, remedy

KEEPS = Behaviour("keeps", role="server", about="keeps the higher value", source="a pull request")
ASKS = Behaviour("asks", role="client", about="asks first")
BOTH = Fix("both", "keeps and asks", adds=frozenset({KEEPS, ASKS}))


def test_behaviour_is_its_own_fix_wherever_fixes_are_named() -> None:
    assert KEEPS.fix == Fix("keeps", "keeps the higher value", adds=frozenset({KEEPS}), source="a pull request")
    mended = case("falls", REFUTED, remedies=[remedy("small", fixes=[KEEPS, BOTH])])
    assert mended.remedies[0].fixes == (KEEPS.fix, BOTH)
    assert case("falls-never", HOLDS, fixes=[KEEPS]).fixes == (KEEPS.fix,)


def test_module_is_asked_for_what_it_declares_once_each_and_in_its_order() -> None:
    module = ModuleType("variants")
    vars(module).update(B=KEEPS, A=ASKS, AGAIN=KEEPS, CALM=Assumption("calm", "nothing happens"), number=3)
    assert declared_in(module, Behaviour) == (KEEPS, ASKS)
    assert [each.name for each in declared_in(module, Assumption)] == ["calm"]
    assert declared_in(module, Fix) == ()

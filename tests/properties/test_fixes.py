"""Every refuted claim has something that makes it hold: a fix, an assumption, or a listener that does it right."""

from __future__ import annotations

import pytest

from bench.remedies import BY_DESIGN, MENDED, Mended
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import REFUTED, ClaimKind
from offsetproof.properties.catalogue import PROPERTIES
from offsetproof.verdict.question import Limits
from offsetproof.verdict.result import Verdict


@pytest.mark.parametrize("mended", MENDED, ids=str)
def test_claim_holds_with(mended: Mended) -> None:
    assert Explicit().decide(mended.question(Limits())).verdict is Verdict.HOLDS


def test_every_refuted_claim_is_mended_or_says_why_not() -> None:
    refuted = {p.id for p in PROPERTIES if REFUTED in p.expected.values() and p.kind is not ClaimKind.SOMETIMES}
    without_its_fix = {"I4-expansion-fixed": "it holds without the fix, see I4-expansion"}
    assert refuted == {mended.claim for mended in MENDED} | set(BY_DESIGN) | set(without_its_fix)

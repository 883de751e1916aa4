"""Every refuted claim has something that makes it hold: a fix, an assumption, or a listener that does it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pytest

from offsetproof.check.request import Request, questions
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.lang import REFUTED, ClaimKind
from offsetproof.model.variants import ASSUMPTIONS
from offsetproof.properties.catalogue import PROPERTIES, ROCKETMQ
from offsetproof.verdict.result import Verdict

BY_DESIGN = {
    "I8": "clients allocate by views of their own; the effect is transient, and I8-heals says what they come to"
}
"""Refuted claims that nothing among fixes and assumptions makes true, and why."""

RESET = tuple(a.name for a in ASSUMPTIONS if a.name.startswith(("commits-", "queries-", "pulls-", "no-stalled-")))


@dataclass(frozen=True)
class Mended:
    """A refuted claim in one of its scopes, and what makes it hold there."""

    claim: str
    scope: str
    fixes: tuple[str, ...] = ()
    assumptions: tuple[str, ...] = ()
    listener: str | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return "-".join([self.claim, self.scope, *self.fixes])


MENDED = (
    Mended("I1-group", "calm-reset", ("update-checks-dropped",)),
    Mended("I1-reset", "calm-reset", ("update-checks-dropped",)),
    Mended("I2-resume", "resume", ("rebalance-synchronized",)),
    Mended("I3", "come-back", ("monotone-commits",)),
    Mended("I3", "hand-over", ("monotone-commits",), bounds={"messages": 1}),
    Mended("I3-calm", "come-back", ("monotone-commits",)),
    Mended("I3-heals-query-error", "take-over-two", ("only-code-22",), bounds={"messages": 1}),
    Mended("I4-query-error", "take-over", ("only-code-22",)),
    Mended("I4-new-group", "new-group", ("start-stored",)),
    Mended("I4-retry-timestamp", "retry-timestamp", ("retry-from-first",)),
    Mended("I4-ack-at-failure", "batch", listener="ack-before-failure"),
    Mended("I4-ack-first", "batch", listener="ack-none"),
    Mended("I5", "reset", ("poll-checks-dropped",), RESET),
    Mended("I5-persist-in-two", "fine-reset", (), ("persist-in-one",)),
    Mended("I5-forward", "reset", ("monotone-commits",), bounds={"messages": 1}),
    Mended("I6", "moving-reset", ("reset-writes-always",), ("no-stalled-rebalance",)),
    Mended("I5-forward-in-two", "fine-reset", ("monotone-commits",), bounds={"messages": 1}),
    Mended("I6-lost-command", "lost-reset", (), ("nothing-lost",)),
    Mended("I6-time", "equal-times", ("first-of-equal-times", "poll-checks-dropped")),
    Mended("I6-time-fixed", "equal-times", ("poll-checks-dropped",)),
    Mended("I7", "reset", ("update-checks-dropped",), bounds={"messages": 1}),
    Mended("I8-heals-reset", "moving-reset", ("reset-drops-again",)),
    Mended("I11", "first-commits", ("row-made-atomically",)),
    Mended("I13", "warm-start", ("no-zero-answer",)),
    Mended("I16", "shutdown", ("monotone-commits",), ("shutdown-waits",)),
    Mended("I16-waits", "shutdown", ("monotone-commits",)),
    Mended("I17", "calm-reset", ("update-checks-dropped",)),
    Mended("I18", "moving-reset", ("reset-drops-again",)),
    Mended("I21", "two-brokers", (), ("every-broker-answers",)),
    Mended("I23-lost", "lost-token", ("pull-request-kept",)),
)


@pytest.mark.parametrize("mended", MENDED, ids=str)
def test_claim_holds_with(mended: Mended) -> None:
    request = Request(
        ROCKETMQ,
        (mended.claim,),
        fixes=mended.fixes,
        assumptions=mended.assumptions,
        listener=mended.listener,
        scope=mended.scope,
        bounds=mended.bounds,
    )
    assert Explicit().decide(questions(request)[0]).verdict is Verdict.HOLDS


def test_every_refuted_claim_is_mended_or_says_why_not() -> None:
    refuted = {p.id for p in PROPERTIES if REFUTED in p.expected.values() and p.kind is not ClaimKind.SOMETIMES}
    without_its_fix = {"I4-expansion-fixed": "it holds without the fix, see I4-expansion"}
    assert refuted == {mended.claim for mended in MENDED} | set(BY_DESIGN) | set(without_its_fix)

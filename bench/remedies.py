"""What makes each refuted claim hold: a fix, an assumption, or a listener that does it right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from offsetproof.check.request import Request, questions
from offsetproof.model.variants import ASSUMPTIONS
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.question import Limits, Question

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

    def question(self, limits: Limits) -> Question:
        """The claim with what makes it hold."""
        return questions(
            Request(
                ROCKETMQ,
                (self.claim,),
                fixes=self.fixes,
                assumptions=self.assumptions,
                listener=self.listener,
                scope=self.scope,
                bounds=self.bounds,
                limits=limits,
            )
        )[0]

    @property
    def is_more(self) -> bool:
        """Is it more than one fix or assumption, or stated in a smaller world?"""
        several = len(self.fixes) + len(self.assumptions) > 1
        return several or bool(self.bounds) or self.listener is not None

    @property
    def options(self) -> str:
        """The options of `offsetproof check` that ask it."""
        told = [f"--property {self.claim}", f"--scope {self.scope}"]
        told += [f"--fix {name}" for name in self.fixes]
        told += [f"--assume {name}" for name in self.assumptions]
        told += [f"--bound {name}={value}" for name, value in self.bounds.items()]
        told += [f"--listener {self.listener}"] if self.listener else []
        return " ".join(told)


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

"""How modes declare the actions of a rebalance run where these are not the concurrent model's."""

from __future__ import annotations

from collections.abc import Callable

from offsetproof.lang import Anchor, Fault, action
from offsetproof.lang.action import Method
from offsetproof.model.vocabulary import CONSUMERS, RUNS


def rebalance_action(
    *stands_for: Anchor, logs: str | None = None, actor: str = "consumer[c]", fault: Fault | None = None
) -> Callable[[Method], Method]:
    """An action of one run of rebalance, or of the broker for it."""
    thread = "rebalance" if actor != "broker" else "consumer manage"
    return action(c=CONSUMERS, r=RUNS, actor=actor, thread=thread, fault=fault, stands_for=stands_for, logs=logs)

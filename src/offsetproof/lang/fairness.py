"""How fair runs are to a thread: what `fair=` says where its actions are declared."""

from __future__ import annotations

from enum import StrEnum


class Fairness(StrEnum):
    """Does a thread go on in the end? `WEAK`: if it could all the time. `STRONG`: if it could again and again.

    `NONE` asks nothing of it. `EACH` is said of a pool of threads, which takes what waits in the end, whatever comes in
    between: each step of it is strongly fair by itself. Baier and Katoen, Principles of Model Checking, 3.5; WF and SF
    of TLA (Lamport, The temporal logic of actions, 1994).
    """

    NONE = "none"
    WEAK = "weak"
    STRONG = "strong"
    EACH = "each"

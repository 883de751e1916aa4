"""Exit codes: what verdicts mean for a script. Several at once: the first of PRECEDENCE that occurs."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from offsetproof.lang.claim import ClaimKind
from offsetproof.verdict.result import Reason, Result, Verdict


class Exit(IntEnum):
    """The exit codes of the contract; they agree with TLC and Apalache where those agree."""

    AS_EXPECTED = 0
    USAGE = 2
    DEADLOCK = 11
    VIOLATION = 12
    LIVENESS = 13
    DIFFERS = 20
    UNKNOWN = 30
    PREREQUISITE = 69
    MODEL_ERROR = 75
    DECLARATION = 120
    UNREADABLE = 150
    REFUSED = 152
    INTERNAL = 255
    HUNG_UP = 129
    INTERRUPTED = 130
    TERMINATED = 143


PRECEDENCE = (
    Exit.INTERNAL,
    Exit.DECLARATION,
    Exit.MODEL_ERROR,
    Exit.UNREADABLE,
    Exit.REFUSED,
    Exit.PREREQUISITE,
    Exit.VIOLATION,
    Exit.DEADLOCK,
    Exit.LIVENESS,
    Exit.DIFFERS,
    Exit.UNKNOWN,
    Exit.AS_EXPECTED,
)

_BROKEN = {
    ClaimKind.NO_DEADLOCK: Exit.DEADLOCK,
    **dict.fromkeys((ClaimKind.SOMETIMES, ClaimKind.EVENTUALLY, ClaimKind.LEADS_TO), Exit.LIVENESS),
}


def exit_of_broken(kind: ClaimKind) -> Exit:
    """The code of a claim of this kind that is refuted and should not be.

    >>> exit_of_broken(ClaimKind.SOMETIMES)
    <Exit.LIVENESS: 13>
    """
    return _BROKEN.get(kind, Exit.VIOLATION)


def exit_of(result: Result) -> Exit:
    """The code of one result."""
    if result.verdict is Verdict.UNKNOWN:
        return Exit.MODEL_ERROR if result.reason is Reason.OVERFLOW else Exit.UNKNOWN
    if result.as_expected:
        return Exit.AS_EXPECTED
    if result.vacuous and not result.allows_vacuous:
        return Exit.LIVENESS
    return exit_of_broken(result.prop.kind) if result.verdict is Verdict.REFUTED else Exit.DIFFERS


def found_nothing(result: Result) -> bool:
    """Has sampling taken steps and met no violation? It is not asked for a proof, so that is as good as it gets."""
    return result.reason is Reason.SAMPLED and result.counts.depth > 0


def worst(codes: Iterable[Exit]) -> Exit:
    """The code of a whole run.

    >>> worst([Exit.AS_EXPECTED, Exit.UNKNOWN, Exit.VIOLATION])
    <Exit.VIOLATION: 12>
    """
    known = set(codes)
    return next((code for code in PRECEDENCE if code in known), Exit.AS_EXPECTED)

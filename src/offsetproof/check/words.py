"""The words of reports: how a verdict was reached, in one sentence that names method, scope and bounds."""

from __future__ import annotations

from offsetproof.check.answers import Answer
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.setting import Setting
from offsetproof.verdict.result import Result, Verdict

_MANY_STATES = 100_000
"""Below this, memory is that of empty tables and says nothing."""


def how(result: Result) -> str:
    """How the verdict was reached.

    `exhaustive in scope calm-reset (1 consumers, ...): 802,662 states, ... depth 61; 378,138 bound cuts`
    """
    counts = result.counts
    sizes = f"{counts.states:,} states, {counts.transitions:,} transitions, depth {counts.depth}"
    where = f"scope {result.setting.scope.name} ({result.setting.scope.describe() or 'no bounds'})"
    if result.verdict is Verdict.UNKNOWN:
        detail = f": {result.detail}" if result.detail else ""
        return f"{result.reason}{detail}; {result.method} in {where} got as far as {sizes}"
    if result.replay is not None:
        faults = ("no fault", "1 of them a fault")[n] if (n := result.replay.faults) < 2 else f"{n} of them faults"
        shortest = f"a shortest trace, {counts.depth} steps, {faults}, replayed"
        return f"{shortest}; found in {where} after {counts.states:,} states and {counts.transitions:,} transitions"
    return f"{result.method} in {where}: {sizes}; {counts.bound_cuts:,} bound cuts"


def extras(result: Result) -> list[str]:
    """What a careful reader wants besides: witnesses, memory, what was left out soundly, what never happened."""
    lines = []
    if result.witnesses and result.replay is None:
        lines.append("; ".join(f"{id} {'reached' if seen else 'NOT reached'}" for id, seen in result.witnesses.items()))
    counts = result.counts
    if counts.states >= _MANY_STATES:
        lines.append(f"{counts.bytes_per_state:.0f} bytes per state, {counts.peak_bytes / 2**20:.0f} MiB at most")
    return [*lines, *result.reductions, *result.notes]


def added(setting: Setting) -> str:
    """What was named besides the release: fixes and assumptions."""
    parts = [f"fix {fix.name}" for fix in setting.fixes] + [f"assuming {a.name}" for a in setting.assumptions]
    return ", ".join(parts)


def mark(result: Result) -> str:
    """How the verdict compares with what is expected."""
    if result.verdict is Verdict.UNKNOWN:
        return "?"
    if result.expected is None:
        return "" if result.as_expected else "!"
    return "as expected" if result.as_expected else f"expected {result.expected}"


def is_refutation(answer: Answer) -> bool:
    """Does the answer carry a counterexample (and not a witness's example)?"""
    return answer.trace is not None and answer.result.prop.kind is not ClaimKind.SOMETIMES

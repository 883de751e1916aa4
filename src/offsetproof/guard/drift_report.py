"""What is different in somebody's own classes, and how the model's components were compared with them, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from offsetproof.conformance.drift import Drift
from offsetproof.conformance.walks import Conformed
from offsetproof.guard.comparison import Guard
from offsetproof.guard.drift import Drifted, DriftGuard
from offsetproof.real.own_classes import classes_of
from offsetproof.reports.conformance import conformed_json


def drift_lines(guard: Guard) -> Iterator[str]:
    """The drift of a guarded run, and the conformance of what it affects; nothing without classes of one's own."""
    drifted = _drifted_of(guard)
    if drifted is None:
        return
    yield from drift_words(drifted.drift)
    resting = sum(bool(each.rests_on) for each in guard.compared)
    if resting:
        yield f"  {resting} of {len(guard.compared)} questions rest on what changed"
    for each in drifted.conformed:
        yield f"  conformance of {each.component}: {conformance_in_words(each)}"
    if drifted.conformed and drifted.never_ran:
        named = ", ".join(map(str, drifted.never_ran))
        yield f"  changed, and not run by any step of conformance: {named}; nothing is known of it"
    if drifted.tried:
        happening = ", ".join(each.name for each in drifted.contradicting) or "none"
        yield f"  stories that the model with these fixes cannot do: {len(drifted.tried)}, of which happen: {happening}"
        if drifted.not_done:
            yield f"  of these could not be enforced: {', '.join(each.name for each in drifted.not_done)}"


def drift_words(drift: Drift) -> Iterator[str]:
    """What is different, a line each."""
    none = "" if drift.is_any else " no method differs"
    yield f"{classes_of(drift.release, drift.own)}:{none}"
    yield from (f"  changed: {method}" for method in drift.changed)
    yield from (f"  missing: {anchor} ({why})" for anchor, why in drift.missing)
    yield from (f"  new: {anchor}, which the release does not have" for anchor in drift.new)
    if drift.beside:
        named = ", ".join(map(str, drift.beside))
        yield f"  changed, but no action stands for it: {named}; any claim may rest on it"
    if drift.elsewhere:
        named = ", ".join(map(str, drift.elsewhere))
        yield f"  changed, and of no concern here: {named}; other subjects have actions for it"


def conformance_in_words(each: Conformed) -> str:
    """How a component was held, in one line."""
    if each.not_held:
        return f"not possible, {each.not_held}"
    if each.result.disagreements:
        return f"DIFFERS, {each.result.disagreements[0]}"
    steps = f"{each.result.steps:,} steps"
    return f"not passed, {steps} without {', '.join(each.lacking)}" if each.lacking else f"passed, {steps}"


def guard_drift_json(guard: Guard) -> dict[str, Any] | None:
    """The same for programs; None without classes of one's own."""
    drifted = _drifted_of(guard)
    if drifted is None:
        return None
    return {
        **drift_json(drifted.drift),
        "conformance": [conformed_json(each) for each in drifted.conformed],
        "never_ran": list(map(str, drifted.never_ran)) if drifted.conformed else [],
        "tried": [each.name for each in drifted.done],
        "contradicting": [each.name for each in drifted.contradicting],
    }


def drift_json(drift: Drift) -> dict[str, Any]:
    """What is different, for programs."""
    return {
        "release": drift.release,
        "classpath": list(drift.own.paths),
        "changed": list(map(str, drift.changed)),
        "missing": [{"place": str(anchor), "reason": why} for anchor, why in drift.missing],
        "new": list(map(str, drift.new)),
        "changed_without_action": list(map(str, drift.beside)),
        "changed_elsewhere": list(map(str, drift.elsewhere)),
    }


def _drifted_of(guard: Guard) -> Drifted | None:
    return guard.drifted if isinstance(guard, DriftGuard) else None

"""What is told of a question whose rows outgrew their memory, and that was asked again in fewer bytes a state."""

from __future__ import annotations

from dataclasses import replace

from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.result import DisagreementError, Reason, Result, Verdict


def lacks_memory(result: Result) -> bool:
    """Might more memory have given a verdict, or a trace with fewer faults?"""
    return Reason.MEMORY in (result.reason, result.fewer_faults_open)


def result_of_both(first: Result, second: Result) -> Result:
    """What both establish; DisagreementError where that are two verdicts. The second has the last word on why nothing
    is established, and leaves what the first has."""
    verdicts = {first.verdict, second.verdict} - {Verdict.UNKNOWN}
    if len(verdicts) > 1:
        what = f"rows and fewer bytes a state disagree on {first.prop.id}: {first.verdict} and {second.verdict}"
        raise DisagreementError(what)
    note = f"rows did not fit in memory: {_took(first)}; asked again in fewer bytes a state"
    if _says_more(second, first):
        result = second
    else:
        result = replace(first, reason=second.reason, detail=second.detail) if first.reason else first
    if lacks_memory(second):
        note = f"{note}, which did not fit either: {_took(second)}"
    return replace(
        result,
        counts=replace(result.counts, peak_bytes=max(first.counts.peak_bytes, second.counts.peak_bytes)),
        seconds=second.seconds,
        notes=(*result.notes, note),
        interrupted=first.interrupted or second.interrupted,
    )


def _says_more(second: Result, first: Result) -> bool:
    """Has it a verdict, or has seen more; of two traces, has it the one with fewer faults, or is sure that none has?"""
    if first.verdict is Verdict.UNKNOWN:
        return second.verdict is not Verdict.UNKNOWN or (second.counts.states or 0) >= (first.counts.states or 0)
    if first.replay is None or second.replay is None:
        return False
    return second.fewer_faults_open is None or second.replay.faults < first.replay.faults


def _took(result: Result) -> str:
    states, mebibytes = quantity(result.counts.states or 0, "state"), result.counts.peak_bytes / 2**20
    of_which = " of the reduced search" if result.counts.reduced else ""
    return f"{states}{of_which} took {mebibytes:,.0f} MiB"

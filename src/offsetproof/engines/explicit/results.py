"""The result of a search: what it established, with its evidence."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING

from offsetproof.engines.explicit.explorer import Searched
from offsetproof.engines.explicit.judged import count_judged, with_what_it_means
from offsetproof.engines.explicit.prepared import PreparedQuestion
from offsetproof.engines.explicit.search import Alarm
from offsetproof.engines.explicit.spot import spot_check
from offsetproof.engines.vacuity import unspent_budgets, vacuity
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.reference import Replay
from offsetproof.verdict.limits import LimitMetError
from offsetproof.verdict.result import Counts, Reason, Result, Verdict

if TYPE_CHECKING:
    from offsetproof.engines.explicit.reduced_search import Proof

METHOD, METHOD_REDUCED = "exhaustive", "exhaustive by stubborn sets"


def result_of_alarm(prepared: PreparedQuestion, search: Searched, alarm: Alarm) -> Result:
    """The result of a violated claim (or a witness that was found): with its canonical trace, replayed.

    Where there is no time for that, nothing has been shown yet: UNKNOWN, which says what was found.
    """
    is_witness = prepared.question.prop.kind is ClaimKind.SOMETIMES
    try:
        replay = prepared.tracing.replay(search, alarm, prepared.question.prop)
    except (LimitMetError, KeyboardInterrupt) as error:
        what = "what shows it" if is_witness else "an alarm"
        detail = f"{what} was found at depth {alarm.length:,}, but the trace to it was not completed"
        return unknown(prepared, search, _reason_of(error), detail)
    verdict = Verdict.HOLDS if is_witness else Verdict.REFUTED
    return _result(prepared, verdict, search, alarm.length, replay=replay)


def result_of_replay(prepared: PreparedQuestion, search: Searched, replay: Replay) -> Result:
    """The result of a search that has seen everything, of which a run without an end breaks a claim."""
    return _result(prepared, Verdict.REFUTED, search, search.depth, replay=replay)


def result_without_alarm(prepared: PreparedQuestion, search: Searched) -> Result:
    """The result of a search that saw everything, or met a limit, a model error, or too little."""
    if search.stopped is not None:
        return unknown(prepared, search, search.stopped)
    failure = search.failure()
    if failure is not None:
        return _result_of_error(prepared, search, failure)
    missing = [id for id, reached in _reached_witnesses(prepared, search).items() if not reached]
    if missing:
        return unknown(prepared, search, Reason.WITNESS, ", ".join(missing))
    props = (prepared.question.prop, *prepared.question.witnesses)
    looked = spot_check(search, prepared.staged, prepared.reference, props, prepared.spot_limits)
    notes = (str(looked), *_idle(prepared, search))
    verdict = Verdict.REFUTED if prepared.question.prop.kind is ClaimKind.SOMETIMES else Verdict.HOLDS
    result = _result(prepared, verdict, search, search.depth, exhaustive=True, notes=notes)
    return result if verdict is Verdict.REFUTED else with_what_it_means(result, prepared, search)


def result_of_proof(prepared: PreparedQuestion, proof: Proof) -> Result:
    """The result of a search by stubborn sets that proves the claim; its counts are of that search."""
    props = (prepared.question.prop, *prepared.question.witnesses)
    beginning = spot_check(proof.whole, prepared.staged, prepared.reference, props, prepared.spot_limits)
    looked = spot_check(proof.search, prepared.staged, prepared.reference, props, prepared.spot_limits)
    notes = (proof.note, f"{beginning}, at the beginning of the whole search", str(looked))
    result = _result(prepared, Verdict.HOLDS, None, proof.search.depth, exhaustive=True, notes=notes)
    counts = _counts(prepared, proof.search, proof.search.depth)
    counts = replace(counts, judged=proof.judged, reduced=True, peak_bytes=counts.peak_bytes + proof.beside)
    return replace(
        result,
        method=METHOD_REDUCED,
        counts=counts,
        witnesses={witness.id: True for witness in prepared.question.witnesses},
        vacuous=vacuity(prepared.question, prepared.staged, prepared.claim, counts),
        unspent=unspent_budgets(prepared.staged, prepared.system, proof.taken),
    )


def unknown_of_reduced(prepared: PreparedQuestion, search: Searched, reason: Reason) -> Result:
    """UNKNOWN, with what a search by stubborn sets established."""
    result = unknown(prepared, search, reason)
    return replace(result, method=METHOD_REDUCED, counts=replace(result.counts, reduced=True))


def unknown(
    prepared: PreparedQuestion, search: Searched | None, reason: Reason, detail: str = "", *, interrupted: bool = False
) -> Result:
    """UNKNOWN, with what the search established, if there was one."""
    interrupted |= reason is Reason.INTERRUPTED
    depth = search.depth if search else 0
    return _result(prepared, Verdict.UNKNOWN, search, depth, reason=reason, detail=detail, interrupted=interrupted)


def _result_of_error(prepared: PreparedQuestion, search: Searched, failure: Alarm) -> Result:
    """UNKNOWN with the first model error in words, as far as there is time for them."""
    try:
        return unknown(prepared, search, Reason.OVERFLOW, prepared.tracing.error(search, failure))
    except (LimitMetError, KeyboardInterrupt) as error:
        why = f"one was found at depth {failure.length:,}, but the steps to it were not traced: {_reason_of(error)}"
        is_interrupted = isinstance(error, KeyboardInterrupt)
        return unknown(prepared, search, Reason.OVERFLOW, why, interrupted=is_interrupted)


def _reason_of(error: LimitMetError | KeyboardInterrupt) -> Reason:
    return error.reason if isinstance(error, LimitMetError) else Reason.INTERRUPTED


def _result(
    prepared: PreparedQuestion,
    verdict: Verdict,
    search: Searched | None,
    depth: int,
    *,
    exhaustive: bool = False,
    replay: Replay | None = None,
    reason: Reason | None = None,
    detail: str = "",
    notes: tuple[str, ...] = (),
    interrupted: bool = False,
) -> Result:
    question = prepared.question
    return Result(
        question.prop,
        question.setting,
        prepared.explore.name,
        METHOD,
        verdict,
        Counts(0, 0, 0, 0) if search is None else _counts(prepared, search, depth),
        time.monotonic() - prepared.started,
        exhaustive,
        replay,
        reason,
        detail,
        _reached_witnesses(prepared, search) if search else {},
        prepared.system.digest,
        prepared.reductions,
        (*notes, *prepared.explore.notes(question)),
        interrupted,
    )


def _counts(prepared: PreparedQuestion, search: Searched, depth: int) -> Counts:
    return Counts(
        len(search.initial),
        search.snapshot.states,
        search.snapshot.transitions,
        depth,
        int(search.snapshot.cuts.sum()),
        _steps_by_action(search),
        search.peak_bytes,
        search.held_bytes / max(1, search.count),
        count_judged(prepared.claim, search),
        _complete_levels(search.level_states, search.snapshot.states),
    )


def _steps_by_action(search: Searched) -> dict[str, int]:
    fired: Counter[str] = Counter()
    for inst, count in zip(search.system.instances, search.snapshot.fired, strict=False):
        fired[inst.label[0]] += int(count)
    return dict(fired)


def _complete_levels(levels: Sequence[int], states: int) -> tuple[int, ...]:
    """The levels that have these states together."""
    return tuple(size for size, total in zip(levels, accumulate(levels), strict=True) if total <= states)


def _reached_witnesses(prepared: PreparedQuestion, search: Searched) -> dict[str, bool]:
    return {w.id: bool(search.seen_claims >> i & 1) for i, w in enumerate(prepared.question.witnesses, 1)}


def _idle(prepared: PreparedQuestion, search: Searched) -> list[str]:
    """The actions that were never taken, and those that cannot be."""
    fired = _steps_by_action(search)
    idle = [name for name, count in fired.items() if not count]
    named = (("never taken", idle), ("cannot be taken", prepared.staged.impossible_actions - fired.keys()))
    return [f"{what} in this scope: {', '.join(sorted(names))}" for what, names in named if names]

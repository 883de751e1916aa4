"""The words of reports: how a verdict was reached, in one sentence that names method, scope and bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from offsetproof.lang.cases import Expectation
from offsetproof.lang.claim import ClaimKind
from offsetproof.lang.setting import shows
from offsetproof.verdict.result import FEWER_FAULTS_OPEN, Result, Verdict

VACUOUS = "VACUOUS"
"""The word for a HOLDS of a claim that nothing could have broken."""

_MANY_STATES = 100_000
"""Below this, memory is that of empty tables and says nothing."""


def describe_method(result: Result) -> str:
    """How the verdict was reached.

    `exhaustive in scope calm-reset (1 consumers, ...): 802,662 states, ... depth 61; 378,138 bound cuts`
    """
    counts = result.counts
    where = f"scope {result.setting.scope.name} ({result.setting.scope.describe() or 'no bounds'})"
    counted = counts.states is not None and counts.transitions is not None
    starts = f" ({counts.initial:,} of them initial)" if counts.initial > 1 else ""
    states, transitions = quantity(counts.states or 0, "state"), quantity(counts.transitions or 0, "transition")
    of_reduced = " of the reduced search" if counts.reduced else ""
    sizes = f"{states}{of_reduced}{starts}, {transitions}, depth {counts.depth}" if counted else ""
    if result.verdict is Verdict.UNKNOWN:
        detail = f": {result.detail}" if result.detail else ""
        if not result.counts.initial:
            return f"{result.reason}{detail}; {where}"
        far = f", stopped after {sizes}" if counted else ""
        return f"{result.reason}{detail}; {where}{far}, method: {result.method}"
    if result.replay is not None:
        is_run = result.replay.cycle_at is not None
        is_smallest = counted and result.fewer_faults_open is None and not is_run
        length = length_in_words(len(result.replay.labels), result.replay.faults)
        what = "run without an end" if is_run else "trace"
        trace = f"{'a smallest' if is_smallest else 'a'} {what}, {length}, replayed"
        after = f" after {states} and {transitions}" if counted else ""
        return f"{trace}; found in {where}{after or f' by {result.method}'}"
    far = f": {sizes}; {quantity(counts.bound_cuts, 'bound cut')}" if counted else ""
    return f"{result.method} in {where}{far}"


def quantity(count: int, noun: str) -> str:
    """So many of something.

    >>> quantity(12345, "state"), quantity(1, "bound cut")
    ('12,345 states', '1 bound cut')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


def first_few(names: Iterable[str], most: int = 3) -> str:
    """The first so many names, and how many more there are.

    >>> first_few("abcde"), first_few("ab")
    ('a, b, c and 2 more', 'a, b')
    """
    known = [*names]
    more = f" and {len(known) - most:,} more" if len(known) > most else ""
    return ", ".join(known[:most]) + more


def length_in_words(steps: int, faults: int) -> str:
    """How long a trace is, and how many of its steps are faults.

    >>> length_in_words(24, 0), length_in_words(25, 1)
    ('24 steps, no fault', '25 steps, 1 of them a fault')
    """
    of_them = ("no fault", "1 of them a fault")[faults] if faults < 2 else f"{faults:,} of them faults"
    return f"{quantity(steps, 'step')}, {of_them}"


def thousands(count: int | None) -> str:
    """A count as people read it; a dash where the method does not count.

    >>> thousands(12345), thousands(None)
    ('12,345', '-')
    """
    return "-" if count is None else f"{count:,}"


def details(result: Result) -> list[str]:
    """What a careful reader wants besides: witnesses, memory, what was left out soundly, what never happened."""
    lines = [*unspent_in_words(result), *nothing_expected_in_words(result), *idle_fixes_in_words(result)]
    if result.witnesses and result.replay is None:
        lines.append("; ".join(f"{id} {'reached' if seen else 'NOT reached'}" for id, seen in result.witnesses.items()))
    counts = result.counts
    if result.vacuous:
        lines.append(f"VACUOUS: {result.vacuous}")
    elif result.verdict is Verdict.HOLDS and result.replay is None:
        lines += what_claim_says(result)
    if (counts.states or 0) >= _MANY_STATES:
        lines.append(f"{counts.bytes_per_state:.0f} bytes per state, {counts.peak_bytes / 2**20:.0f} MiB at most")
    return [*lines, *result.reductions, *result.notes]


def unspent_in_words(result: Result) -> list[str]:
    """What the scope is about and nothing happened of, a sentence each, beside a HOLDS that says nothing of it."""
    return [f"EMPTY: {each}" for each in result.unspent]


def nothing_expected_in_words(result: Result) -> list[str]:
    """That no verdict is expected, in a sentence, where the case says nothing of the release."""
    if not result.expects_nothing:
        return []
    must = "" if result.verdict is not Verdict.REFUTED else " (a refuted one counts as unexpected)"
    return [silence_in_words(result.setting.release or "", result.asked_instead, must)]


def silence_in_words(release: str, instead: Sequence[str] = (), must: str = "") -> str:
    """That a case expects no verdict in a release, and who does.

    >>> silence_in_words("2.0", ["T2"])
    'the case says nothing of 2.0, and expects no verdict there; asked there instead: T2'
    """
    whose = "" if "=" in release else f"; `list --release {release}` has those that speak of it"
    return f"the case says nothing of {release}, and expects no verdict there{must}{instead_in_words(instead) or whose}"


def instead_in_words(ids: Sequence[str]) -> str:
    """Which cases are asked where one says nothing of a release, to follow that; empty where there are none.

    >>> instead_in_words(["T2", "T3", "T4", "T5"])
    '; asked there instead: T2, T3, T4 and 1 more'
    """
    return f"; asked there instead: {first_few(ids)}" if ids else ""


def idle_fixes_in_words(result: Result) -> list[str]:
    """The fixes that a user has added and that change nothing, a sentence each: the release has them, or no use."""
    setting, plain = result.setting, replace(result.setting, fixes=())
    added = [fix for fix in setting.fixes if fix not in result.prop.fixes]
    there = [fix.name for fix in added if fix.adds and all(shows(plain, each) for each in fix.adds)]
    idle = [name for name in result.idle_fixes if name not in there]
    where = f"{result.prop.id} in {setting.scope.name}{f' of {setting.release}' if setting.release else ''}"
    return [
        *(f"{setting.release} has {name} without the fix, which changes nothing there" for name in there),
        *(f"fix {name} changes nothing here: without it the system of {where} is the same" for name in idle),
    ]


def what_claim_says(result: Result) -> list[str]:
    """Of how many states, or steps, the claim says something, if not of all."""
    counts = result.counts
    steps = result.prop.kind is ClaimKind.EACH_STEP
    whole = counts.transitions if steps else counts.states
    if counts.judged is None or whole is None:
        return []
    if steps and not counts.judged and not result.vacuous:
        return ["proved while it was staged: no step that it speaks of can break it"]
    if counts.judged == whole:
        return []
    what = {ClaimKind.EACH_STEP: "steps could have broken it"}.get(result.prop.kind, "states meet its premise")
    if result.prop.kind is ClaimKind.AT_REST:
        what = "states are at rest"
    return [f"{counts.judged:,} of {whole:,} {what}"]


def describe_in_full(result: Result) -> str:
    """How the verdict was reached, with what, and why it means little, if so: for reports that say it nowhere else."""
    method = (describe_method(result), open_in_words(result), additions_in_words(result))
    parts = (result.vacuous, *unspent_in_words(result), *nothing_expected_in_words(result), *method)
    return "; ".join(filter(None, parts))


def open_in_words(result: Result) -> str:
    """What is not known of a trace, and why; empty where it is the smallest, or its method promises no such thing."""
    return "" if result.fewer_faults_open is None else f"{FEWER_FAULTS_OPEN}: {result.fewer_faults_open}"


def additions_in_words(result: Result) -> str:
    """What the setting has beside its scope and release: `fix a, b; assuming c; listener d`."""
    setting = result.setting
    fixes, assumptions = (", ".join(each.name for each in some) for some in (setting.fixes, setting.assumptions))
    named = (("fix", fixes), ("assuming", assumptions), ("listener", result.other_listener))
    return "; ".join(f"{what} {names}" for what, names in named if names)


def expectation_mark(result: Result) -> str:
    """How the verdict compares with what is expected."""
    if result.verdict is Verdict.UNKNOWN:
        return "?"
    if result.vacuous:
        return "allowed" if result.as_expected else f"expected {result.prop.required(result.setting)}"
    if result.expects_nothing and result.as_expected:
        return "nothing expected"
    if result.expected is None:
        return "" if result.as_expected else "!"
    return "as expected" if result.as_expected else f"expected {result.expected}"


def size_in_words(result: Result) -> str:
    """How far the search went, or how long its story is, in a few words; or why nothing was decided.

    `802,662 states, depth 61`, or `16 steps, 1 fault`, or `state limit; 1,000 states, depth 7`.
    """
    counts = result.counts
    states = "" if counts.states is None else quantity(counts.states, "state")
    of_reduced = " of the reduced search" if counts.reduced else ""
    sizes = f"{states}{of_reduced}, depth {counts.depth}" if states else ""
    if result.verdict is Verdict.UNKNOWN:
        return "; ".join(filter(None, (": ".join(filter(None, (str(result.reason), result.detail))), sizes)))
    if result.replay is not None:
        steps, faults = quantity(len(result.replay.labels), "step"), result.replay.faults
        return f"{steps}, {quantity(faults, 'fault')}" if faults else steps
    return sizes or f"to depth {counts.depth}"


def first_sentence(text: str) -> str:
    """The first sentence of a text, or all of it if it is one.

    >>> first_sentence("No offset falls, e.g. in 4.9.4. That is enough."), first_sentence("It is so")
    ('No offset falls, e.g. in 4.9.4.', 'It is so')
    """
    return re.split(r"(?<=[.!?])\s+(?=[A-Z])", text, maxsplit=1)[0]


def verdict_in_words(result: Result) -> str:
    """The verdict as people read it: what holds is true, unless it is vacuous, but a witness is reached."""
    if result.vacuous:
        return VACUOUS
    if result.prop.kind is not ClaimKind.SOMETIMES or result.verdict is Verdict.UNKNOWN:
        return str(result.verdict)
    return "reached" if result.verdict is Verdict.HOLDS else "not reached"


def verdict_of_release(result: Result) -> str:
    """The same with the release, where there is one, for reports with no other place for it: `REFUTED in 5.3.3`."""
    release = result.setting.release
    return f"{verdict_in_words(result)} in {release}" if release else verdict_in_words(result)


def required_in_words(result: Result) -> str:
    """The verdict that is as expected, as people read it."""
    required = result.prop.required(result.setting)
    if result.prop.kind is not ClaimKind.SOMETIMES:
        return str(required)
    return "reached" if required is Expectation.HOLDS else "not reached"


def expectation_in_words(result: Result) -> str:
    """How the verdict compares with what is expected; of a witness in words of its own.

    A witness for which nothing else is said is expected to be reached.
    """
    if result.prop.kind is not ClaimKind.SOMETIMES or result.as_expected or result.expected is None:
        return expectation_mark(result)
    return f"expected {required_in_words(result)}"

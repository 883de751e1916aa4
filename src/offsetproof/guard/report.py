"""What guarding found, as text for people and as one JSON document: every question, and what changed in it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Annotated

from msgspec import Meta
from rich import box
from rich.table import Table

from offsetproof.guard.baseline import TURNS, Finding
from offsetproof.guard.comparison import Change, ComparedQuestion, Guard
from offsetproof.guard.wider_report import WorldAgainJson, stories_of_worlds, world_again_json
from offsetproof.lang.cases import Expectation
from offsetproof.lang.changes import model_in
from offsetproof.lang.claim import ClaimKind
from offsetproof.reading.typed_json import (
    NULL,
    OBJECT,
    TEXT,
    Count,
    JsonObject,
    Name,
    Names,
    rule,
    write_json,
)
from offsetproof.reports.json import DocumentJson, FlatScope, ReportedTraceJson, envelope, scope_json, trace_json
from offsetproof.reports.page import Hyphenated, Page
from offsetproof.traces.text import in_report
from offsetproof.verdict.phrases import (
    describe_in_full,
    length_in_words,
    open_in_words,
    quantity,
    silence_in_words,
    thousands,
)
from offsetproof.verdict.result import Reason

_SKIPPED = "none (digest)"


class FindingJson(JsonObject):
    """The finding of a question."""

    verdict: Expectation
    states: Count
    transitions: Count
    depth: Count
    faults: Annotated[Count | None, Meta(description="Of its trace, if it has one.")]
    steps: Annotated[Count | None, Meta(description="Of its trace, if it has one.")]
    cause: Names
    judged: Annotated[Count | None, Meta(description="States, or steps, of which the claim says something.")]
    vacuous: Annotated[str | None, Meta(description="Why it says something of none.")]
    accepted: Annotated[bool, Meta(description="Somebody accepted it against the claim's expectation.")]
    digest: Annotated[str, Meta(description="Of the system that was explored.")]


_UNKNOWN, _NEW = {"const": Change.UNKNOWN}, {"const": Change.NEW}


class CellJson(JsonObject):
    """One question: the baseline's finding, and the one of now."""

    RULES = (
        rule({"change": {"enum": [Change.UNKNOWN, Change.GONE]}}, {"now": NULL}, {"now": OBJECT}),
        rule({"change": _UNKNOWN}, {"reason": TEXT, "decided": {"const": True}}, {"reason": NULL}),
        rule({"change": _NEW}, {"before": NULL}),
        rule({"change": {"enum": [Change.UNKNOWN, Change.NEW]}}, {}, {"before": OBJECT}),
    )
    property: Name
    kind: ClaimKind
    release: str | None
    scope: FlatScope
    fixes: Names
    assumptions: Names
    listener: str | None
    change: Change
    expected: Expectation | None
    unexpected: Annotated[bool, Meta(description="Not as the claim expects, and accepted by nobody.")]
    edited: Annotated[bool, Meta(description="The same was found of another system.")]
    decided: Annotated[bool, Meta(description="Was it decided again?")]
    before: FindingJson | None
    now: FindingJson | None
    reason: Reason | None
    renamed: Annotated[dict[str, str], Meta(description="Old names of actions, with their new ones.")]
    trace: ReportedTraceJson | None


class GuardJson(DocumentJson):
    """Version 1 of the findings of a guarded run."""

    decided: Count
    skipped: Annotated[Count, Meta(description="Questions whose digest is the baseline's.")]
    missing: Annotated[Count, Meta(description="Questions that were left when somebody ended the run.")]
    same: Annotated[Count, Meta(description="Questions about the system that an earlier release gives.")]
    turn: Annotated[
        Annotated[int, Meta(ge=0, lt=TURNS)] | None,
        Meta(description="The tenth of the questions that was decided in any case."),
    ]
    cells: tuple[CellJson, ...]
    never_fired: Annotated[
        Names | None, Meta(description="Actions that no search took; null: not all questions were asked.")
    ]
    never_possible: Annotated[
        Names | None, Meta(description="Actions that can never be taken; null: not all questions were asked.")
    ]
    vacuous: Annotated[Names, Meta(description="Claims that hold because nothing happens.")]
    scopes_not_asked: Names
    unreached: Annotated[Names, Meta(description="Witnesses that no state shows.")]
    wider: Annotated[
        tuple[WorldAgainJson, ...] | None, Meta(description="Recorded wider worlds; null: they were not asked.")
    ]


def guard_text(guard: Guard, width: int, *, colour: bool = False) -> str:
    """The table of all questions, what changed in which, and the smallest stories of claims that held."""
    page = Page(width, colour=colour)
    page.put(fill(summary(guard), width))
    page.put(_table(guard))
    for each in guard.compared:
        if each.change not in (Change.NONE, Change.NEW, Change.GONE):
            for line in changed_lines(each):
                page.put(fill(line, width, subsequent_indent="    " if line.startswith(" ") else "  "))
            page.put("")
    for line in (*labelled_gaps(guard), *ways_out(guard), *remarks(guard), *_turn(guard)):
        page.put(fill(line, width, subsequent_indent="  "))
    for each in guard.compared:
        if has_story(each) and each.answer is not None and each.answer.trace is not None:
            page.put(in_report(each.answer.trace, width))
    for trace in stories_of_worlds(guard.wider):
        page.put(in_report(trace, width))
    return page.text


def guard_json(guard: Guard) -> str:
    """One document in the shape of the contract."""
    document = GuardJson(
        **envelope(guard.subject.name),
        decided=guard.decided,
        skipped=guard.skipped,
        missing=guard.missing,
        same=guard.same,
        turn=guard.again.turn,
        cells=tuple(map(_cell_json, guard.compared)),
        never_fired=tuple(guard.never_fired) if guard.whole else None,
        never_possible=tuple(guard.never_possible) if guard.whole else None,
        vacuous=tuple(each.asked.claim for each in guard.vacuous),
        scopes_not_asked=tuple(guard.unasked),
        unreached=tuple(each.asked.claim for each in guard.unreached),
        wider=None if guard.wider is None else tuple(map(world_again_json, guard.wider.worlds)),
    )
    return write_json(document)


def summary(guard: Guard) -> str:
    """The whole run in one line, with how many gaps the matrix has: they make a run red in which nothing changed."""
    releases = sorted({*(guard.releases or (each.release for each in guard.compared))} - {""})
    title = f"{guard.subject.name} {', '.join(releases)}".strip()
    counts = {change: sum(each.change is change for each in guard.compared) for change in Change}
    parts = [f"{n} {change}" for change, n in counts.items() if n and change is not Change.NONE]
    changed = ", ".join(parts) or "nothing changed"
    wrong = sum(1 for _ in gaps(guard))
    if wrong:
        changed += f"; {quantity(wrong, 'gap')} in the whole matrix, at the end"
    asked, skipped = quantity(len(guard.compared), "question"), f"{guard.skipped} not decided again"
    same = f"; {guard.same} more ask the systems of an earlier release" if guard.same else ""
    earlier = sorted({each.asked.release or "" for each in guard.compared if each.asked_of})
    same += f"; compared as {', '.join(earlier)} where the systems are the same" if earlier else ""
    wider = "" if guard.wider is None else f"; {guard.wider.in_words}"
    return (
        f"{title}: {asked}, {guard.decided} decided, {skipped} because their digests are equal{same}; {changed}{wider}"
    )


def changed_lines(each: ComparedQuestion) -> Iterator[str]:
    """A changed question in lines: what it is, what the baseline says, what is so now."""
    release = f" of {each.release}" if each.release else ""
    yield f"{each.title}{release}: {each.change}"
    if each.before is not None:
        yield f"  was {_verdict_in_words(each.before)}"
    if each.now is not None:
        yield f"  is {_verdict_in_words(each.now)}"
    elif each.change is Change.UNKNOWN and each.answer is not None:
        yield f"  is UNKNOWN: {describe_in_full(each.answer.result)}"
    if each.is_open and each.answer is not None:
        yield f"  {open_in_words(each.answer.result)}"
    if each.before is not None and each.now is not None:
        yield from _apart(each.before, each.now, _renamed_in(each))


def _renamed_in(each: ComparedQuestion) -> Mapping[str, str]:
    """Which actions have only been renamed, where the causes differ in nothing else."""
    if each.before is None or each.now is None or each.question is None:
        return {}
    return renamed_actions(
        each.before.cause, each.now.cause, model_in(each.question.setting, each.question.model).actions
    )


def renamed_actions(before: Sequence[str], now: Sequence[str], actions: Collection[str]) -> Mapping[str, str]:
    """Old names to new ones, where two causes differ in nothing else; empty where they are different causes.

    A name is taken for renamed only if the model no longer has it, and if its place in the cause has one that the old
    cause did not know.

    >>> renamed_actions(["reads", "writes"], ["reads", "stores"], {"reads", "stores"})
    {'writes': 'stores'}
    """
    if len(before) != len(now):
        return {}
    pairs = {old: new for old, new in zip(before, now, strict=True) if old != new}
    is_one_to_one = len(set(pairs.values())) == len(pairs)
    is_known = all(old not in actions and new in actions and new not in before for old, new in pairs.items())
    return pairs if is_one_to_one and is_known else {}


def _apart(before: Finding, now: Finding, names: Mapping[str, str]) -> Iterator[str]:
    """What else differs: the bounds of the scope, the causes."""
    if before.scope.describe() != now.scope.describe():
        yield f"  the scope was {before.scope.describe()}"
        yield f"  the scope is {now.scope.describe()}"
    yield from (f"  renamed: {old} -> {new}" for old, new in names.items())
    if before.cause != now.cause and not names:
        yield from (f"  the cause {word} {', '.join(c)}" for word, c in (("was", before.cause), ("is", now.cause)) if c)


def gaps_of(each: ComparedQuestion) -> Iterator[str]:
    """What is wrong with what was found of one question, whatever the baseline says."""
    if each.question is None or each.now is None:
        return
    if each.is_unexpected and each.change is not Change.HOLDS_TO_REFUTED:  # which is told as such
        yield f"{each.now.verdict}, but the claim expects {each.expected}"
    if each.is_unreached:
        yield "the witness is not reached"
    if each.now.vacuous:
        yield f"vacuous, {each.now.vacuous}"


def gaps(guard: Guard) -> Iterator[str]:
    """What is wrong with the matrix as a whole, whatever the baseline says."""
    if guard.missing:
        yield f"ended before {guard.missing} of {len(guard.compared) + guard.missing} questions were asked"
    for each in guard.compared:
        yield from (f"{each.title}: {gap}" for gap in gaps_of(each))
    if guard.never_fired:
        yield f"never taken in any search: {', '.join(guard.never_fired)}"
    if guard.never_possible:
        yield f"can never be taken, in any scope that was asked: {', '.join(guard.never_possible)}"
    if guard.wider is not None:
        yield from (each.in_words for each in guard.wider.wrong)


def labelled_gaps(guard: Guard) -> Iterator[str]:
    """The same, each called what the summary calls and counts it."""
    return (f"gap: {line}" for line in gaps(guard))


def ways_out(guard: Guard) -> Iterator[str]:
    """What to do about questions that the baseline does not have."""
    odd = guard.never_kept
    count = len(guard.new) - len(odd)
    if count:
        yield f"not in the baseline yet, which `--update` writes: {quantity(count, 'question')}"
    if odd:
        kinds = " and ".join(dict.fromkeys(map(_kind, odd)))
        yield (
            f"not in the baseline, and not for it: {quantity(len(odd), 'question')}; `guard` alone asks no {kinds}, "
            "and would call them gone. With `--update --baseline FILE` they are kept in a file of your own, and with "
            "`--baseline FILE` compared with it"
        )


def _kind(each: ComparedQuestion) -> str:
    """Why a question is not asked where nothing is named."""
    if "=" in each.release:
        return "releases that differ from role to role"
    return "release of which the case says nothing" if each.says_nothing else "scope that the case does not name"


def remarks(guard: Guard) -> Iterator[str]:
    """What a reader should know besides: what was accepted against expectation, and what was not asked."""
    silent = [each for each in guard.compared if each.says_nothing]
    for each in silent:
        instead = each.question.asked_instead if each.question is not None else ()
        yield f"{each.title}: {silence_in_words(each.release, instead)}"
    for each in guard.compared:
        if each.differs_from_expected and not each.is_unexpected:
            yield f"{each.title}: {each.found.verdict}, accepted although the claim expects {each.expected}"
    edited = [each for each in guard.compared if each.is_edited]
    if edited:
        named = ", ".join(each.title for each in edited)
        yield f"the claim or the model differs from the baseline's, with the same verdict and counts: {named}"
    if guard.wider is not None and guard.wider.other:
        named = ", ".join(guard.wider.other)
        yield f"wider worlds were recorded that are not there now, and not asked: {named}; see `widen --update`"
    if guard.unasked:
        yield f"not asked in scope {', '.join(guard.unasked)}; `--scope all` asks in every scope"


def _turn(guard: Guard) -> Iterator[str]:
    """Which questions were decided in any case, and how to have the same ones decided again."""
    turn = guard.again.turn
    if guard.skipped and turn is not None:
        yield (
            f"decided whatever their digests: the questions of turn {turn} of {TURNS}, another one each day; "
            f"--turn {turn} repeats this run, --all decides every one"
        )


def has_story(each: ComparedQuestion) -> bool:
    """Is there a counterexample to tell, because the claim held before?"""
    changed = each.change is Change.HOLDS_TO_REFUTED or each.is_unexpected
    return changed and each.answer is not None and each.answer.is_refutation


def verdicts(each: ComparedQuestion) -> str:
    """The verdict, or both where it changed."""
    before = each.before.verdict if each.before else None
    now = "gone" if each.change is Change.GONE else each.now.verdict if each.now else "UNKNOWN"
    return str(now) if before in (None, now) else f"{before} -> {now}"


def _table(guard: Guard) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    several = len({each.release for each in guard.compared}) > 1
    for name in ("claim", "scope", *(["release"] if several else [])):
        table.add_column(name, overflow="fold")
    table.add_column("verdict", overflow="fold")
    table.add_column("states", justify="right", no_wrap=True)
    table.add_column("steps", justify="right", no_wrap=True)
    table.add_column("change", overflow="fold")
    for each in guard.compared:
        counts = (thousands(each.now.states), thousands(each.now.steps)) if each.now else ("-", "-")
        change = _SKIPPED if each.answer is None and each.question is not None else str(each.change)
        release = [each.release] if several else []
        table.add_row(Hyphenated(each.claim), Hyphenated(each.scope.name), *release, verdicts(each), *counts, change)
    return table


def _verdict_in_words(finding: Finding) -> str:
    states, transitions = quantity(finding.states, "state"), quantity(finding.transitions, "transition")
    counts = f"{states}, {transitions}, depth {finding.depth}"
    if finding.steps is None:
        return f"{finding.verdict}: {counts}"
    return f"{finding.verdict}: {length_in_words(finding.steps, finding.faults or 0)}, after {counts}"


def _cell_json(each: ComparedQuestion) -> CellJson:
    asked, story = each.asked, each.answer.trace if each.answer is not None and has_story(each) else None
    return CellJson(
        property=asked.claim,
        kind=each.kind,
        release=asked.release,
        scope=scope_json(each.scope),
        fixes=asked.fixes,
        assumptions=asked.assumptions,
        listener=asked.listener,
        change=each.change,
        expected=each.expected,
        unexpected=each.is_unexpected,
        edited=each.is_edited,
        decided=each.answer is not None,
        before=_finding_json(each.before),
        now=_finding_json(each.now),
        reason=_reason(each),
        renamed=dict(_renamed_in(each)),
        trace=trace_json(story) if story else None,
    )


def _reason(each: ComparedQuestion) -> Reason | None:
    """Why nothing, or nothing but the verdict, could be compared."""
    result = None if each.answer is None else each.answer.result
    return None if result is None else result.reason or result.fewer_faults_open


def _finding_json(finding: Finding | None) -> FindingJson | None:
    if finding is None:
        return None
    return FindingJson(
        verdict=finding.verdict,
        states=finding.states,
        transitions=finding.transitions,
        depth=finding.depth,
        faults=finding.faults,
        steps=finding.steps,
        cause=finding.cause,
        judged=finding.judged,
        vacuous=finding.vacuous or None,
        accepted=finding.accepted,
        digest=finding.digest,
    )

"""What judging a patch found, as text for people and as one JSON document."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from offsetproof.conformance.drift import CauseFate, Drift
from offsetproof.conformance.walks import Conformed
from offsetproof.escaping import visible
from offsetproof.guard.comparison import ComparedQuestion
from offsetproof.guard.judging import JudgedCause, Judgement
from offsetproof.reading.typed_json import Count, JsonObject, Name, Names, write_json
from offsetproof.real.own_classes import classes_of
from offsetproof.real.replay import OutcomeKind
from offsetproof.reports.conformance import ComponentJson, conformed_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.reports.markdown import row
from offsetproof.reports.on_release import ReplayJson, differs, replay_json
from offsetproof.traces.text import wrap_lines
from offsetproof.verdict.phrases import quantity

_NOT_DECIDED = "not decided"


class MissingJson(JsonObject):
    """A place that is not there any more."""

    place: str
    reason: str


class DriftJson(JsonObject):
    """The differences in classes of one's own."""

    release: str
    classpath: Names
    changed: Annotated[Names, Meta(description="Methods that do something else.")]
    missing: tuple[MissingJson, ...]
    new: Annotated[Names, Meta(description="Places that only these classes have.")]
    changed_without_action: Annotated[Names, Meta(description="Any claim may rest on these methods.")]
    changed_elsewhere: Annotated[Names, Meta(description="Only other subjects have actions for these.")]


class JudgedCauseJson(JsonObject):
    """The fate of a recorded cause."""

    trace: Name
    property: Name
    verdict: CauseFate
    why: Annotated[str | None, Meta(description="Why it is not known.")]
    base: ReplayJson
    patch: ReplayJson


class CaseJson(JsonObject):
    """A claim's case in a scope."""

    property: str
    scope: str


class JudgeJson(DocumentJson):
    """Version 1 of how a patch was judged."""

    claim: Name
    base: Annotated[str, Meta(description="The release that the patch is of.")]
    fixes: Annotated[Names, Meta(description="The fixes that the patch is said to be.")]
    contradicting: Annotated[
        Names, Meta(description="Causes that are left, although the model with the fixes does not have them.")
    ]
    judged: tuple[JudgedCauseJson, ...]
    drift: DriftJson
    never_ran: Annotated[
        Names, Meta(description="Methods that changed, and that no story and no step of conformance ran.")
    ]
    conformance: tuple[ComponentJson, ...]
    breaks: tuple[CaseJson, ...]
    repairs: tuple[CaseJson, ...]
    unknown: tuple[CaseJson, ...]
    asked: Annotated[Count, Meta(description="Questions that were asked again with the fixes.")]


def judge_text(judged: Judgement, width: int) -> str:
    """A line for each cause, below it how the patched classes part from the story; then what else was found."""
    room = max((len(each.name) for each in judged.causes), default=0)
    lines = [*wrap_lines(iter([summary(judged)]), width), ""]
    for each in judged.causes:
        lines.append(f"{each.name:<{room}}  {each.cause}")
        lines += wrap_lines((f"    {line}" for line in why(each)), width)
    lines += ["", *wrap_lines(drift_words(judged.drift), width), *wrap_lines(_rest(judged), width)]
    return visible("\n".join(lines)) + "\n"


def judge_json(judged: Judgement) -> str:
    """One document in the shape of the contract."""
    document = JudgeJson(
        **envelope(judged.drift.subject.name),
        claim=judged.claim,
        base=judged.release,
        fixes=judged.fixes,
        contradicting=tuple(each.name for each in judged.contradicting),
        judged=tuple(map(_cause_json, judged.causes)),
        drift=drift_json(judged.drift),
        never_ran=tuple(map(str, judged.never_ran)),
        conformance=tuple(map(conformed_json, judged.conformed)),
        breaks=_cases_json(judged.broken),
        repairs=_cases_json(judged.repaired),
        unknown=_cases_json(judged.undecided),
        asked=len(judged.claims),
    )
    return write_json(document)


def judge_markdown(judged: Judgement) -> str:
    """A table for a pull request."""
    lines = [summary(judged), "", "| recorded cause | with the patch | |", "|---|---|---|"]
    lines += [row(each.name, str(each.cause), "; ".join(why(each))) for each in judged.causes]
    return "\n".join([*lines, "", *(line.strip() for line in (*drift_words(judged.drift), *_rest(judged)))]) + "\n"


def summary(judged: Judgement) -> str:
    """The whole judgement in one line."""
    counts = {cause: len(judged.causes_that_are(cause)) for cause in CauseFate}
    parts = [f"{count} {cause}" for cause, count in counts.items() if count]
    recorded = quantity(len(judged.causes), "recorded cause")
    return f"{judged.claim} on {classes_of(judged.release, judged.drift.own)}: {recorded}, {', '.join(parts)}"


def why(each: JudgedCause) -> Iterator[str]:
    """How the two replays went, where that says more than the verdict."""
    if each.base.outcome.kind is not OutcomeKind.REPRODUCED:
        yield f"{each.base.outcome.kind} on the release itself: {'; '.join(differs(each.base))}"
        return
    if each.patch.outcome.kind is not OutcomeKind.REPRODUCED:
        yield from differs(each.patch)
    if each.why:
        yield each.why


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


def _rest(judged: Judgement) -> Iterator[str]:
    said = f"with {' and '.join(judged.fixes)}" if judged.fixes else "as the release has it"
    for each in judged.conformed:
        yield f"  conformance of {each.component}, {said}: {conformance_in_words(each)}"
    if judged.never_ran:
        named = ", ".join(map(str, judged.never_ran))
        yield f"  changed, and run by no story and no step of conformance: {named}; nothing is known of it"
    if not judged.fixes:
        yield "what else it breaks: say with --fix what the patch is in the model (`offsetproof list fixes`)"
        return
    if judged.is_unproven:
        yield f"whether the patch is {' and '.join(judged.fixes)} is not known: conformance took no step (--steps 0)"
    for cause in judged.contradicting:
        yield f"{cause.name} is left, and the model {said} does not do it: the patch is not that fix"
    for word, found in (("breaks", judged.broken), ("repairs", judged.repaired), (_NOT_DECIDED, judged.undecided)):
        if found or word != _NOT_DECIDED:
            yield f"{word}: {', '.join(each.title for each in found) or 'nothing'}"
    asked = "1 question was" if len(judged.claims) == 1 else f"{len(judged.claims)} questions were"
    yield f"{asked} asked of the model {said}"


def _cause_json(each: JudgedCause) -> JudgedCauseJson:
    return JudgedCauseJson(
        trace=each.name,
        property=each.base.trace.property.id,
        verdict=each.cause,
        why=each.why or None,
        base=replay_json(each.base),
        patch=replay_json(each.patch),
    )


def _cases_json(cases: Sequence[ComparedQuestion]) -> tuple[CaseJson, ...]:
    return tuple(CaseJson(property=each.asked.claim, scope=each.scope.name) for each in cases)


def drift_json(drift: Drift) -> DriftJson:
    """What is different, for programs."""
    return DriftJson(
        release=drift.release,
        classpath=drift.own.paths,
        changed=tuple(map(str, drift.changed)),
        missing=tuple(MissingJson(place=str(anchor), reason=why) for anchor, why in drift.missing),
        new=tuple(map(str, drift.new)),
        changed_without_action=tuple(map(str, drift.beside)),
        changed_elsewhere=tuple(map(str, drift.elsewhere)),
    )

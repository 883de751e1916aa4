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
    sentence: Annotated[str | None, Meta(description="What happens in it, or what is seen of it.")]
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
    unproven: Annotated[
        str | None, Meta(description="Why what the model with the fixes says is not known of these classes.")
    ]
    expected: Annotated[Names, Meta(description="The causes that have to be removed; where there is none, all have.")]
    asked: Annotated[Count, Meta(description="Questions that were asked again with the fixes.")]


def judge_text(judged: Judgement, width: int) -> str:
    """What it comes to; each cause, with its sentence and how the patched classes part from it; then the rest."""
    room = max((len(each.name) for each in judged.causes), default=0)
    lines = [*wrap_lines(_first(judged), width), ""]
    for each in judged.causes:
        lines.append(f"{each.name:<{room}}  {each.cause}")
        words = (each.sentence, *why(each))
        lines += wrap_lines((f"    {line}" for line in words if line), width)
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
        unproven=judged.why_unproven or None,
        expected=judged.expected,
        asked=len(judged.claims),
    )
    return write_json(document)


def judge_markdown(judged: Judgement) -> str:
    """A table for a pull request."""
    lines = [
        *_paragraphs(_first(judged)),
        "| recorded cause | with the patch | what happens in it | |",
        "|---|---|---|---|",
    ]
    lines += [row(each.name, str(each.cause), each.sentence, "; ".join(why(each))) for each in judged.causes]
    return "\n".join([*lines, "", *map(_item, (*drift_words(judged.drift), *_rest(judged)))]) + "\n"


def _item(line: str) -> str:
    """A line as an item of a list, as far in as it was: without a mark Markdown runs lines together."""
    text = line.lstrip()
    return f"{line.removesuffix(text)}- {text}"


def summary(judged: Judgement) -> str:
    """The whole judgement in one line."""
    counts = {cause: len(judged.causes_that_are(cause)) for cause in CauseFate}
    parts = [f"{count} {cause}" for cause, count in counts.items() if count]
    recorded = quantity(len(judged.causes), "recorded cause")
    return f"{judged.claim} on {classes_of(judged.release, judged.drift.own)}: {recorded}, {', '.join(parts)}"


def _first(judged: Judgement) -> Iterator[str]:
    """What is to be read first: whether anything differs, what became of the causes, and of those that are expected."""
    if not judged.drift.is_any:
        yield f"Your classes are the release's: no method of {classes_of(judged.release, None)} differs in them."
    yield summary(judged)
    if judged.expected:
        missed = [f"{each.name} is {each.cause}" for each in judged.wanted if each.cause is not CauseFate.REMOVED]
        named = ", ".join(judged.expected)
        yield f"NOT AS EXPECTED: {'; '.join(missed)}" if missed else f"as expected: {named} removed"


def _paragraphs(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        yield from (line, "")


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
    steps = quantity(each.result.steps, "step")
    return f"not passed, {steps} without {', '.join(each.lacking)}" if each.lacking else f"passed, {steps}"


def _rest(judged: Judgement) -> Iterator[str]:
    yield from _conformance(judged)
    if judged.never_ran:
        named = ", ".join(map(str, judged.never_ran))
        yield f"  changed, and run by no story and no step of conformance: {named}; nothing is known of it"
    if not judged.fixes:
        yield "what else it breaks: say with --fix what the patch is in the model (`offsetproof list fixes`)"
        return
    said = f"the model with {' and '.join(judged.fixes)}"
    asked = quantity(len(judged.claims), "question")
    if judged.why_unproven:
        yield f"UNKNOWN what else they break or repair: nobody knows that they do what {said} does"
        yield f"  {judged.why_unproven}"
        asked += "; it speaks of the model alone"
    found_in_model = (
        ("breaks", judged.broken_in_model),
        ("repairs", judged.repaired_in_model),
        (_NOT_DECIDED, judged.undecided_in_model),
    )
    of = " of the model" if judged.why_unproven else ""
    for word, found in found_in_model:
        if found or word != _NOT_DECIDED:
            yield f"{word}{of}: {', '.join(each.title for each in found) or 'nothing'}"
    yield f"{said} was asked {asked}"


def _conformance(judged: Judgement) -> Iterator[str]:
    """How far the classes do what the model does; without a fix that is the release's, which a patch is to leave."""
    if judged.fixes:
        said = f"with {' and '.join(judged.fixes)}"
        for each in judged.conformed:
            yield f"  conformance of {each.component}, {said}: {conformance_in_words(each)}"
        return
    alike = [each for each in judged.conformed if each.agrees]
    if alike:
        steps = sum(each.result.steps for each in alike)
        yield f"  as the release's model: {'; '.join(each.component for each in alike)} ({quantity(steps, 'step')})"
    for each in judged.conformed:
        if not each.agrees:
            yield f"  other than the release's model: {each.component}: {conformance_in_words(each)}"


def _cause_json(each: JudgedCause) -> JudgedCauseJson:
    return JudgedCauseJson(
        trace=each.name,
        property=each.base.trace.property.id,
        verdict=each.cause,
        sentence=each.sentence or None,
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

"""What judging a patch found, as text for people and as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from offsetproof.conformance.drift import CauseFate
from offsetproof.escaping import visible
from offsetproof.guard.comparison import ComparedQuestion
from offsetproof.guard.drift_report import conformance_in_words, drift_json, drift_words
from offsetproof.guard.judging import JudgedCause, Judgement
from offsetproof.real.own_classes import classes_of
from offsetproof.real.replay import OutcomeKind
from offsetproof.reports.conformance import conformed_json
from offsetproof.reports.json import envelope
from offsetproof.reports.markdown import row
from offsetproof.reports.on_release import differs, replay_json
from offsetproof.traces.text import wrap_lines
from offsetproof.verdict.phrases import quantity

_NOT_DECIDED = "not decided"


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
    document = {
        **envelope(judged.drift.subject.name),
        "claim": judged.claim,
        "base": judged.release,
        "fixes": list(judged.fixes),
        "contradicting": [each.name for each in judged.contradicting],
        "judged": [_cause_json(each) for each in judged.causes],
        "drift": drift_json(judged.drift),
        "conformance": [conformed_json(each) for each in judged.conformed],
        "breaks": _cases_json(judged.broken),
        "repairs": _cases_json(judged.repaired),
        "unknown": _cases_json(judged.undecided),
        "asked": len(judged.claims),
    }
    return json.dumps(document, indent=2) + "\n"


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


def _rest(judged: Judgement) -> Iterator[str]:
    said = f"with {' and '.join(judged.fixes)}" if judged.fixes else "as the release has it"
    for each in judged.conformed:
        yield f"  conformance of {each.component}, {said}: {conformance_in_words(each)}"
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


def _cause_json(each: JudgedCause) -> dict[str, Any]:
    return {
        "trace": each.name,
        "property": each.base.trace.property.id,
        "verdict": str(each.cause),
        "why": each.why or None,
        "base": replay_json(each.base),
        "patch": replay_json(each.patch),
    }


def _cases_json(cases: Sequence[ComparedQuestion]) -> list[dict[str, Any]]:
    return [{"property": each.asked.claim, "scope": each.scope.name} for each in cases]

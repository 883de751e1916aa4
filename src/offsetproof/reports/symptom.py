"""What `offsetproof symptom` says: for each answer why, where, what it costs, what to do now, and the story."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import fill
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.causes import RELEASES
from offsetproof.escaping import visible
from offsetproof.reading.typed_json import JsonObject, Names, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.symptoms.answering import Advice, Answer, Answered, Reason
from offsetproof.symptoms.named_release import versions_named_in
from offsetproof.verdict.phrases import quantity

_INDENT = 10
_FEW = 3


class WritingStepJson(JsonObject):
    """A step of a model that writes the text as a line of a log."""

    subject: str
    action: str
    about: str


class AdviceJson(JsonObject):
    """What to do now, or what has to be so."""

    words: str
    releases: Names
    rests_on: Annotated[str, Meta(description="The cases that hold where it is done, and their worlds.")]
    procedure: Annotated[bool, Meta(description="false: it is no procedure, but only what has to be so.")]


class BecauseJson(JsonObject):
    """Why something is as it is."""

    words: str
    releases: Names
    rests_on: Annotated[str, Meta(description="The verdicts that say it.")]


class AnswerJson(JsonObject):
    """A symptom, with one of its cases."""

    symptom: str
    says: str
    nearness: Annotated[float, Meta(ge=0, le=1)]
    matched: Annotated[str, Meta(description="The phrase, or the log line, by which it was found.")]
    subject: str
    property: str
    cause: Annotated[str, Meta(description="Empty: it is told of other releases than the one that is asked.")]
    story: Annotated[str | None, Meta(description="null: none is recorded.")]
    stories: Annotated[Names, Meta(description="The other recorded stories of the symptom.")]
    same_steps: Annotated[Names, Meta(description="The releases in which the very steps of the story happen.")]
    seen_in: Annotated[Names, Meta(description="The releases in which it can happen, perhaps by other steps.")]
    unseen_in: Annotated[Names, Meta(description="The releases that are asked, and in which it cannot happen.")]
    otherwise_in: Annotated[Names, Meta(description="The releases in which only another case of the symptom can.")]
    fixes: Annotated[Names, Meta(description="The changes of RocketMQ with which the case is stated.")]
    effect: str
    now: tuple[AdviceJson, ...]
    unchecked: Annotated[str, Meta(description="What the claim says of a remedy that no case states; or empty.")]
    because: tuple[BecauseJson, ...]


class NearJson(JsonObject):
    """A symptom that is near, and not near enough; or that the release has none of."""

    symptom: str
    says: str
    nearness: Annotated[float, Meta(ge=0, le=1)]


class NotModelledJson(JsonObject):
    """What a model leaves out."""

    subject: str
    words: str


class SymptomJson(DocumentJson):
    """Version 1 of what is known of something that somebody sees, the nearest answer first."""

    text: str
    release: str | None
    log_steps: tuple[WritingStepJson, ...]
    answers: tuple[AnswerJson, ...]
    near: tuple[NearJson, ...]
    left_out: tuple[NotModelledJson, ...]


def symptom_text(answered: Answered, width: int) -> str:
    """The answers, each below its number; where there is none, what is near, and what the models leave out."""
    lines = [*_of_releases(answered, width), *_steps(answered, width)]
    left_out = [*_left_out(answered, width)]
    is_left_out = left_out and answered.found.left_out[0].nearness >= max(answered.nearness.values(), default=0)
    lines += left_out if is_left_out else []
    for number, answer in enumerate(answered.answers, 1):
        lines += [*([""] if lines else []), *_answer(number, answer, answered.release, width)]
    if not answered.answers:
        lines += [*([""] if lines else []), *_nothing(answered, width)]
    absent = [*_absent(answered, width)]
    lines += ["", *absent] if answered.answers and absent else []
    lines += [] if is_left_out else ["", *left_out] if left_out else []
    if answered.more:
        lines += ["", f"{quantity(answered.more, 'answer')} more: `--all`"]
    return visible("\n".join(lines)) + "\n"


def symptom_json(answered: Answered) -> str:
    """One document with all answers that were asked for."""
    matched = {match.symptom.id: match.by for match in answered.found.matches}
    answer_ids = {answer.symptom.id for answer in answered.answers}
    return write_json(
        SymptomJson(
            **envelope(DEFAULT),
            text=answered.found.text,
            release=answered.release or None,
            log_steps=tuple(
                WritingStepJson(subject=each.subject, action=each.action, about=each.about)
                for each in answered.found.steps
            ),
            answers=tuple(
                _answer_json(each, answered.nearness[each.symptom.id], matched[each.symptom.id])
                for each in answered.answers
            ),
            near=tuple(
                NearJson(symptom=match.symptom.id, says=match.symptom.says, nearness=match.nearness)
                for match in answered.found.matches
                if match.symptom.id not in answer_ids
            ),
            left_out=tuple(NotModelledJson(subject=each.subject, words=each.words) for each in answered.found.left_out),
        )
    )


def releases_in_words(releases: Sequence[str]) -> str:
    """Releases with `to` between the first and the last of those that follow each other.

    >>> releases_in_words(("4.9.4", "4.9.8", "5.3.3-client-reset", "5.5.0")), releases_in_words(RELEASES)
    ('4.9.4 to 5.3.3-client-reset, 5.5.0', 'all releases')
    """
    if tuple(releases) == RELEASES:
        return "all releases"
    runs: list[list[str]] = []
    for release in releases:
        follows = runs and RELEASES.index(release) == RELEASES.index(runs[-1][-1]) + 1
        runs[-1].append(release) if follows else runs.append([release])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(run) for run in runs)


def where_seen(answer: Answer, hint: str = "") -> str:
    """The releases: those of the steps that are told, those of other steps, and with the hint those of another case."""
    if not answer.seen_in and answer.because:
        return f"so in {releases_in_words(answer.because[0].releases)}"
    others = [each for each in answer.seen_in if each not in answer.same_steps]
    steps = releases_in_words(answer.same_steps)
    parts = [steps] if steps else []
    if others:
        parts.append(f"by other steps in {releases_in_words(others)}" if steps else releases_in_words(others))
    if answer.otherwise_in:
        parts.append(f"in another way in {releases_in_words(answer.otherwise_in)}{hint}")
    if answer.unseen_in:
        parts.append(f"not in {releases_in_words(answer.unseen_in)}")
    fixes = " and ".join(fix.name for fix in answer.case.patches)
    return "; ".join([*parts, *([f"the case has the fix {fixes}"] if fixes else [])])


def costs(answer: Answer, release: str) -> str:
    """The effect, with the releases of its story where the one that is asked has other steps."""
    is_of_release = not release or not answer.same_steps or release in answer.same_steps
    return ("" if is_of_release else f"in {releases_in_words(answer.same_steps)}: ") + answer.effect


def no_procedure(answer: Answer) -> str:
    """What stands where no checked case says what an operator can do: why, and what the claim says beside."""
    why = f": {answer.none}" if answer.none else ""
    return f"no procedure is known{why}" + (f"; not checked: {answer.unchecked}" if answer.unchecked else "")


def _answer(number: int, answer: Answer, release: str, width: int) -> Iterator[str]:
    yield from fill(f"{number}. {answer.says}", width, subsequent_indent="   ").splitlines()
    facts = [
        *(("why", text) for text in _why(answer, release)),
        ("where", where_seen(answer, " (`--release` tells it)")),
        ("costs", costs(answer, release)),
        *(("now", text) for text in _now(answer, release)),
        ("story", _story(answer)),
    ]
    for label, said in facts:
        yield from fill(
            f"   {label:<7}{said}", width, subsequent_indent=" " * _INDENT, break_on_hyphens=False
        ).splitlines()


def _why(answer: Answer, release: str) -> Iterator[str]:
    """Why it is so by design; else what happens, if need be in the releases of the story."""
    for each in answer.because:
        yield f"it is so: {each.words} ({each.rests_on})"
    if not answer.because:
        known = answer.known_cause
        how = f"`offsetproof check {answer.case.name} --release {release}` tells how it happens in {release}"
        yield answer.cause or f"in {releases_in_words(known.releases)}: {known.words.rstrip('.')}; {how}"


def _now(answer: Answer, release: str) -> Iterator[str]:
    """What to do, with the releases where it is not for all in question."""
    procedures = [each for each in answer.now if each.is_procedure]
    if not procedures:
        given = "; or ".join(f"{each.words.removeprefix('see to it that ')} ({each.rests_on})" for each in answer.now)
        yield no_procedure(answer) + (f"; it does not happen where {given}" if given else "")
    for each in procedures:
        everywhere = release or set(answer.seen_in) <= set(each.releases)
        yield f"{'' if everywhere else f'{releases_in_words(each.releases)}: '}{each.words} ({each.rests_on})"


def _story(answer: Answer) -> str:
    """The story's name and how to have it told, and those of its case beside it."""
    case = answer.case
    of = "" if case.subject.name == DEFAULT else f" --subject {case.subject.name}"
    if not answer.story:
        return f"none is recorded; `offsetproof list {case.name}` has the case"
    more = f" ({len(answer.of_case)} more: `offsetproof show {case.prop.id}{of}`)" if answer.of_case else ""
    return f"`offsetproof show {answer.story}`{more}"


def _of_releases(answered: Answered, width: int) -> Iterator[str]:
    """Which releases the answers are told of, where the text names a version."""
    unknown = [each for each in versions_named_in(answered.found.text) if each not in RELEASES]
    if answered.is_release_of_text:
        words = f"told of {answered.release}, which the text names; of all releases: `--release all`"
        yield from fill(words, width, subsequent_indent="  ").splitlines()
    elif unknown and not answered.release:
        words = f"{' and '.join(unknown)}: not modelled, so told of all releases that are: {', '.join(RELEASES)}"
        yield from fill(words, width, subsequent_indent="  ").splitlines()


def _steps(answered: Answered, width: int) -> Iterator[str]:
    """Which steps write the line, each sentence once."""
    sentences = [*dict.fromkeys(each.about.rstrip(".") for each in answered.found.steps)]
    if sentences:
        more = f", and {len(sentences) - _FEW} more" if len(sentences) > _FEW else ""
        text = f"steps that write this line: {'; '.join(sentences[:_FEW])}{more}"
        yield from fill(text, width, subsequent_indent="  ").splitlines()


def _nothing(answered: Answered, width: int) -> Iterator[str]:
    in_release = f" in {answered.release}" if answered.release else ""
    yield f"no answer{in_release}"
    yield from (f"  {line}" for line in _absent(answered, width - 2))
    near = [match.symptom for match in answered.found.matches if match.symptom not in answered.absent]
    for says in (symptom.says for symptom in near[:_FEW]):
        yield from fill(f"  near: {says}", width, subsequent_indent="    ").splitlines()
    yield "  `offsetproof list left-out` has what the models leave out"
    yield "  `offsetproof list --about TEXT` looks in all claims, actions and log lines"


def _absent(answered: Answered, width: int) -> Iterator[str]:
    """What the release does not have, though the text says it."""
    for symptom in answered.absent[:_FEW]:
        yield from fill(f"not in {answered.release}: {symptom.says}", width, subsequent_indent="  ").splitlines()


def _left_out(answered: Answered, width: int) -> Iterator[str]:
    """What the models leave out that is as near as an answer."""
    for each in answered.found.left_out[:_FEW]:
        text = f"left out of {each.subject}: {each.words}"
        yield from fill(text, width, subsequent_indent="  ").splitlines()


def _answer_json(answer: Answer, nearness: float, matched: str) -> AnswerJson:
    return AnswerJson(
        symptom=answer.symptom.id,
        says=answer.says,
        nearness=nearness,
        matched=matched,
        subject=answer.case.subject.name,
        property=answer.case.prop.id,
        cause=answer.cause,
        story=answer.story or None,
        stories=answer.others,
        same_steps=answer.same_steps,
        seen_in=answer.seen_in,
        unseen_in=answer.unseen_in,
        otherwise_in=answer.otherwise_in,
        fixes=tuple(fix.name for fix in answer.case.prop.fixes),
        effect=answer.effect,
        now=tuple(map(_advice_json, answer.now)),
        unchecked=answer.unchecked,
        because=tuple(map(_because_json, answer.because)),
    )


def _advice_json(each: Advice) -> AdviceJson:
    return AdviceJson(words=each.words, releases=each.releases, rests_on=each.rests_on, procedure=each.is_procedure)


def _because_json(each: Reason) -> BecauseJson:
    return BecauseJson(words=each.words, releases=each.releases, rests_on=each.rests_on)

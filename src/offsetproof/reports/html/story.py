"""The data of a story's page: lanes, steps with their words, places and changes, arrows, truths, and pictures."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any

from msgspec import UNSET, UnsetType

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.remedies import remedies_in
from offsetproof.checking.replaying import Replayed
from offsetproof.conformance.reproduced import Found, found_of
from offsetproof.lang.anchor import Anchor
from offsetproof.lang.cases import Remedy
from offsetproof.lang.changes import with_all_changes
from offsetproof.lang.claim import Property
from offsetproof.lang.model import Model
from offsetproof.lang.picture import ABOUT_MARKS, QueueRow
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.source_paths import shown_file
from offsetproof.lang.subject import Subject
from offsetproof.reading.typed_json import from_attributes
from offsetproof.reports.html.data import (
    LaneJson,
    LinkJson,
    PageActionJson,
    PageClaimJson,
    PageScopeJson,
    PageStepJson,
    PageWorldJson,
    PictureJson,
    QueueRowJson,
    RemedyJson,
    RemedyPartJson,
    ReproducedJson,
    StallJson,
    StoryPageJson,
    WithWordsJson,
)
from offsetproof.reports.json import envelope
from offsetproof.reports.stories import brief_story
from offsetproof.traces.acting import Lane, arrows, lane_of, takers_by_changes
from offsetproof.traces.brief import GHOST, Outline, telling_values
from offsetproof.traces.recorded_stories import mechanism_of, recorded_stories
from offsetproof.traces.store import write_record
from offsetproof.traces.trace import Trace, TraceStep, show_value

_BRIEF_WIDTH = 100
"""How wide the brief text is that can be copied, in columns."""


@dataclass(frozen=True)
class NamedStory:
    """A trace with what a page tells besides: its file's name; subject and outline where they are known.

    `outcome` is what became of replaying it; None for a trace that was just found, which is what the model does.
    """

    name: str
    trace: Trace
    subject: Subject | None = None
    outline: Outline | None = None
    outcome: Replayed | None = None

    @property
    def prop(self) -> Property | None:
        """The claim's case, where the subject still has it."""
        try:
            return self.subject.find(self.trace.property.id) if self.subject else None
        except UnknownNameError:
            return None

    @property
    def remedies(self) -> tuple[Remedy, ...]:
        """What prevents it in the releases of its world; nothing where the subject does not have them any more."""
        if self.subject is None or self.prop is None:
            return ()
        known = {release.name: release for release in self.subject.model.releases}
        named = self.trace.world.releases
        if not {*named.values()} <= known.keys():
            return ()
        return remedies_in(self.subject, self.prop, {role: known[name] for role, name in named.items()})

    @property
    def found(self) -> Found | None:
        """What became of it on the real classes."""
        return found_of(self.subject, self.trace)


def story_json(named_story: NamedStory) -> StoryPageJson:
    """All that a story's page shows."""
    trace, story, prop = named_story.trace, named_story.trace.story, named_story.prop
    lanes = _lanes(story)
    outline = _as_told(named_story.outline, trace)
    brief_text, in_brief = brief_story(trace, named_story.outline, _BRIEF_WIDTH)
    changing = {path for step in story.steps for path in step.changed} | {*story.chosen}
    explore, saved = _explore(named_story)
    return StoryPageJson(
        **envelope(trace.subject or ""),
        page="story",
        name=named_story.name,
        claim=_claim(trace, prop),
        lede=_lede(named_story),
        shown=trace.property.kind == "sometimes",
        world=world_json(trace, named_story.subject),
        effect=str(trace.effect) if trace.effect else None,
        timing=StallJson(stall=story.timing.stall, words=str(story.timing)) if story.timing else None,
        remedies=remedies_json(named_story.remedies),
        reproduced=from_attributes(named_story.found, ReproducedJson) if named_story.found else None,
        replayed=str(named_story.outcome) if named_story.outcome else None,
        agrees=named_story.outcome.agrees if named_story.outcome else UNSET,
        explore=explore,
        saved=saved,
        cycle_at=UNSET if story.cycle_at is None else story.cycle_at,
        brief=brief_text,
        lanes=tuple(LaneJson(actor=actor, thread=thread) for actor, thread in lanes),
        claims=tuple(story.initial_claims),
        truths=tuple(story.initial_claims.values()),
        initial={path: show_value(value) for path, value in story.initial.items() if path in changing},
        still={path: show_value(value) for path, value in story.initial.items() if path not in changing},
        words=dict(named_story.subject.picture.words) if named_story.subject and named_story.subject.picture else {},
        actions={step.action: _action(step, named_story) for step in story.steps},
        steps=tuple(_steps(story, outline, lanes, in_brief)),
        picture=_picture(named_story),
    )


def _lede(named_story: NamedStory) -> str:
    """What happens, in a sentence, where somebody has written one: of the very story, else of its case.

    Of a run without an end it says how that goes on.
    """
    prop, trace = named_story.prop, named_story.trace
    written = mechanism_of(trace) or (prop.case.why if prop and trace.property.kind != "sometimes" else "")
    if not trace.goes_on:
        return written
    goes_on = f"The run has no end: {trace.goes_on}"
    return f"{written.rstrip('.')}. {goes_on}" if written else goes_on


def _explore(named_story: NamedStory) -> tuple[str | UnsetType, str | UnsetType]:
    """The command that walks along it, and the trace to save first where `explore` has none of the name.

    Neither where it does not replay, and where the model is in no file that could be named.
    """
    name, outcome, model = named_story.name, named_story.outcome, _model_word(named_story)
    if outcome is not None and outcome.agrees is not True:
        return UNSET, UNSET
    if name in recorded_stories():
        return f"offsetproof explore --trace {name} --step", UNSET
    if model is None:
        return UNSET, UNSET
    words = " ".join(filter(None, ("offsetproof explore", model, f"--trace {name}.json --step")))
    return words, write_record(named_story.trace)


def _model_word(named_story: NamedStory) -> str | None:
    """What names the story's model on a command line: nothing where the trace itself does; None where nothing can."""
    replay = named_story.outcome.replay if named_story.outcome else None
    model = named_story.subject.model if named_story.subject else replay.reference.model if replay else None
    if model is None:
        return None
    for entry in BUILT_INS.values():
        for subject in entry.subjects if model.__module__.startswith("offsetproof.") else ():
            if subject.model is model:
                return f"{entry.name}:{subject.name}" if entry.is_family else ""
    file = getattr(sys.modules.get(model.__module__), "__file__", None)
    return f"{shlex.quote(shown_file(file))}:{model.__name__}" if file else None


def _as_told(outline: Outline | None, trace: Trace) -> Outline | None:
    """The outline with steps counted as they are told; those that change places touch nothing in common."""
    if outline is None or trace.timing is None or not trace.timing.order:
        return outline
    place = {number: position for position, number in enumerate(trace.timing.order, 1)}
    return Outline(
        outline.words,
        {place[number]: part for number, part in outline.parts.items()},
        {place[number]: tuple(sorted(place[each] for each in later)) for number, later in outline.taken.items()},
        {place[number]: tuple(sorted(place[each] for each in before)) for number, before in outline.rests_on.items()},
    )


def _lanes(story: Trace) -> list[Lane]:
    """The threads, those of an actor together, in the order in which they are met."""
    by_actor: dict[str, list[Lane]] = {}
    for lane in dict.fromkeys(map(lane_of, story.steps)):
        by_actor.setdefault(lane[0], []).append(lane)
    return [lane for lanes in by_actor.values() for lane in lanes]


def _claim(trace: Trace, prop: Property | None) -> PageClaimJson:
    claim = trace.property
    case = prop.case if prop else None
    return PageClaimJson(
        id=claim.id,
        name=claim.name,
        title=claim.title,
        kind=claim.kind,
        about=prop.about_in(trace.world.scope.name, trace.world.listener) if prop else "",
        more=tuple(_paragraphs(prop.function.__doc__)[1:]) if prop else (),
        why=case.why if case else "",
        symptom=case.symptom if case else "",
        no_remedy=case.no_remedy if case else "",
    )


def _paragraphs(text: str | None) -> list[str]:
    return [" ".join(part.split()) for part in cleandoc(text or "").split("\n\n")]


def world_json(trace: Trace, subject: Subject | None) -> PageWorldJson:
    """The setting of a story, each fix, assumption and listener with its sentence."""
    model, world = subject.model if subject else None, trace.world
    return PageWorldJson(
        release=world.release,
        fixes=_with_words(world.fixes, model.fixes if model else ()),
        assumptions=_with_words(world.assumptions, model.assumptions if model else ()),
        listener=_with_words([world.listener], model.listeners if model else ())[0] if world.listener else None,
        scope=PageScopeJson(name=world.scope.name, bounds=world.scope.describe()),
    )


def _with_words(names: Sequence[str], known: Sequence[Any]) -> tuple[WithWordsJson, ...]:
    about = {each.name: each.about for each in known}
    return tuple(WithWordsJson(name=name, about=about.get(name, "")) for name in names)


def remedies_json(remedies: Iterable[Remedy]) -> tuple[RemedyJson, ...]:
    """The changes with which a refuted case holds, each once with its sentence, and where that was decided."""
    worlds: dict[tuple[RemedyPartJson, ...], list[str]] = {}
    for remedy in remedies:
        worlds.setdefault(tuple(_parts(remedy)), []).append(remedy.world)
    return tuple(RemedyJson(parts=parts, where="; ".join(where)) for parts, where in worlds.items())


def _parts(remedy: Remedy) -> Iterator[RemedyPartJson]:
    yield from (RemedyPartJson(kind="fix", name=each.name, about=each.about) for each in remedy.fixes)
    yield from (RemedyPartJson(kind="given", name=each.name, about=each.about) for each in remedy.assumptions)
    if remedy.listener:
        yield RemedyPartJson(kind="listener", name=remedy.listener.name, about=remedy.listener.about)


def _action(step: TraceStep, named_story: NamedStory) -> PageActionJson:
    """All that steps of one action have in common."""
    words = named_story.outline.words if named_story.outline else {}
    return PageActionJson(
        words=words.get(step.action, ""),
        more=_rest_of_docstring(step.action, named_story.subject),
        place=f"{step.file}:{step.line}",
        anchors=tuple(_anchor(each, named_story) for each in step.stands_for),
        logs=step.logs,
        fault=step.fault,
    )


def _rest_of_docstring(action: str, subject: Subject | None) -> str:
    """What the model says of an action behind the sentence that tells it."""
    declared = with_all_changes(subject.model).actions.get(action) if subject else None
    lines = cleandoc(declared.method.__doc__ or "").splitlines()[1:] if declared else []
    return " ".join(" ".join(lines).split())


def _anchor(anchor: Anchor, named_story: NamedStory) -> LinkJson:
    model = named_story.subject.model if named_story.subject else None
    return LinkJson(text=str(anchor), url=address_of(anchor, model, named_story.trace))


def address_of(anchor: Anchor, model: type[Model] | None, trace: Trace) -> str | None:
    """The address of an anchor's line in the sources of its release; None where that is not known."""
    for table in model.anchor_lines if model and anchor.line else ():
        if trace.world.releases.get(table.role) == table.release and anchor.unplaced in table.source_of:
            return f"{table.source_of[anchor.unplaced]}#L{anchor.line}"
    return None


def _steps(story: Trace, outline: Outline | None, lanes: list[Lane], in_brief: Sequence[int]) -> Iterator[PageStepJson]:
    place = {lane: number for number, lane in enumerate(lanes)}
    taken = outline.taken if outline else takers_by_changes(story)
    times = story.timing.times if story.timing else [None] * story.length
    for step, targets, time in zip(story.steps, arrows(story, taken), times, strict=True):
        yield PageStepJson(
            lane=place[lane_of(step)],
            action=step.action,
            args=", ".join(f"{name}={value}" for name, value in step.args.items()),
            time=time,
            changed=tuple((path, show_value(old), show_value(new)) for path, (old, new) in step.changed.items()),
            truths=tuple(step.claims.get(claim) for claim in story.initial_claims),
            needed=step.number in outline.parts if outline else None,
            in_brief=step.number in in_brief if outline else None,
            values=tuple(_values(step, outline)) if outline else (),
            rests_on=tuple(outline.rests_on.get(step.number, ())) if outline else (),
            to=tuple((place[arrow.lane], arrow.step) for arrow in targets),
        )


def _values(step: TraceStep, outline: Outline) -> list[str]:
    """What the violation was made of; history only where there is nothing else."""
    values = telling_values(step, outline.parts.get(step.number))
    return [value for value in values if not value.startswith(GHOST)] or values


def _picture(named_story: NamedStory) -> PictureJson | None:
    """The queues of each state; those that look the same are listed once."""
    picture = named_story.subject.picture if named_story.subject else None
    if picture is None:
        return None
    story = named_story.trace.story
    drawn = [tuple(map(row_json, picture.queues(story.world.scope, state))) for state in story.states]
    place = {frame: number for number, frame in enumerate(dict.fromkeys(drawn))}
    used = {cell for frame in place for row in frame for cell in row.cells}
    legend = {mark.value: words for mark, words in ABOUT_MARKS.items() if mark in used}
    return PictureJson(legend=legend, frames=tuple(place), at=tuple(place[frame] for frame in drawn))


def row_json(row: QueueRow) -> QueueRowJson:
    """A queue at one moment, as pages draw it."""
    cells = tuple(map(row.mark_of, range(row.first, row.end)))
    return QueueRowJson(name=row.name, first=row.first, cells=cells, pointers=tuple(row.pointers))

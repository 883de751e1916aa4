"""The data of the pages of a report, as the programs beside them read it: the block of JSON with id data."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import UNSET, Meta, field

from offsetproof.conformance.reproduced import OutcomeName
from offsetproof.lang.picture import Mark
from offsetproof.reading.typed_json import Count, JsonObject, Names, Seconds, ToolJson, Unset

Depends = Annotated[bool | None, Meta(description="Does the end depend on it? null: the model was not asked.")]
Number = Annotated[int, Meta(ge=1)]


class WithWordsJson(JsonObject):
    """A fix, an assumption or a listener."""

    name: str
    about: str


class RemedyPartJson(JsonObject):
    """A part of a remedy."""

    kind: Literal["fix", "given", "listener"]
    name: str
    about: str


class RemedyJson(JsonObject):
    """The changes with which a refuted case holds."""

    parts: Annotated[tuple[RemedyPartJson, ...], Meta(min_length=1)]
    where: str


class PageClaimJson(JsonObject):
    """The claim of a story."""

    id: str
    name: str
    title: str
    kind: str
    about: str
    more: Names
    why: str
    symptom: str
    no_remedy: str


class PageScopeJson(JsonObject):
    """A scope with its bounds in words."""

    name: str
    bounds: str


class PageWorldJson(JsonObject):
    """The setting of a story."""

    release: str | None
    fixes: tuple[WithWordsJson, ...]
    assumptions: tuple[WithWordsJson, ...]
    listener: WithWordsJson | None
    scope: PageScopeJson


class StallJson(JsonObject):
    """The longest stall that a story needs."""

    stall: Seconds
    words: str


class ReproducedJson(JsonObject):
    """The outcome on the real classes."""

    release: str
    outcome: OutcomeName
    silent: tuple[Count, ...]
    reason: str | None
    step: Count | None


class LaneJson(JsonObject):
    """A thread of an actor."""

    actor: str
    thread: str


class LinkJson(JsonObject):
    """A place in the real program."""

    text: str
    url: Annotated[str, Meta(pattern="^https://")] | None


class PageActionJson(JsonObject):
    """An action of which a story has steps."""

    words: str
    more: str
    place: str
    anchors: tuple[LinkJson, ...]
    logs: str | None
    fault: str | None


class PageStepJson(JsonObject):
    """A step of a story."""

    lane: Count
    action: str
    args: str
    time: Seconds | None
    changed: Annotated[tuple[tuple[str, str, str], ...], Meta(description="A field with its values before and after.")]
    truths: tuple[bool | None, ...]
    needed: Depends
    in_brief: Annotated[bool | None, Meta(description="Is it in the brief story? null: the model was not asked.")] = (
        field(name="told")
    )
    values: Names
    rests_on: Annotated[tuple[Number, ...], Meta(description="The steps that wrote last what it read.")]
    to: Annotated[
        tuple[tuple[Count, Count | None], ...],
        Meta(description="The lanes that it acts on, each with the step that takes it up, if there is one."),
    ]


class QueueRowJson(JsonObject):
    """A queue at one moment."""

    name: str
    first: Count
    cells: tuple[Mark, ...]
    pointers: tuple[tuple[str, Count], ...]


class PictureJson(JsonObject):
    """The queues of each state; those that look the same are listed once."""

    legend: dict[str, str]
    frames: tuple[tuple[QueueRowJson, ...], ...]
    at: Annotated[tuple[Count, ...], Meta(description="The frame of each state, the initial one first.")]


class PageJson(JsonObject):
    """The head of the data of each page."""

    schema: Literal[1]
    tool: ToolJson
    subject: str


class StoryPageJson(PageJson):
    """Version 1 of the data of a story's page."""

    page: Literal["story"]
    name: str
    claim: PageClaimJson
    lede: str
    shown: bool
    world: PageWorldJson
    effect: str | None
    timing: StallJson | None
    remedies: tuple[RemedyJson, ...]
    reproduced: ReproducedJson | None
    replayed: str | None
    agrees: Annotated[
        bool | Unset | None,
        Meta(description="Of a recorded trace: is it what the model does? null: it was not replayed."),
    ] = UNSET
    explore: Annotated[
        str | Unset,
        Meta(description="The command that walks on from a step; its number is to follow."),
    ] = UNSET
    saved: Annotated[
        str | Unset,
        Meta(description="The trace that it reads, if not recorded."),
    ] = UNSET
    cycle_at: Annotated[
        Count | Unset,
        Meta(
            description="Of a run without an end: the step after which it goes on as before, again and again; "
            "where that is the last one, nothing more happens."
        ),
    ] = UNSET
    brief: str
    lanes: tuple[LaneJson, ...]
    claims: Names
    truths: tuple[bool | None, ...]
    initial: dict[str, str]
    still: dict[str, str]
    words: dict[str, str]
    actions: dict[str, PageActionJson]
    steps: tuple[PageStepJson, ...]
    picture: PictureJson | None


class WitnessJson(JsonObject):
    """A witness of an answer."""

    id: str
    reached: bool
    page: str | None


class IndexAnswerJson(JsonObject):
    """The answer to one case in one setting."""

    case: str
    where: str
    scope: str
    bounds: str
    release: str | None
    fixes: Names
    additions: str
    verdict: Literal["holds", "refuted", "unknown"]
    word: str
    expectation: str
    as_expected: bool
    disagreement: str | None
    size: str
    unspent: Names
    states: Count | None
    levels: tuple[Number, ...]
    method: str
    seconds: Seconds
    details: Names
    effect: str | None
    page: str | None
    witnesses: tuple[WitnessJson, ...]
    why: str
    symptom: str
    remedies: tuple[RemedyJson, ...]
    no_remedy: str


class IndexClaimJson(JsonObject):
    """A claim with its answers."""

    subject: str
    name: str
    sentence: str
    kind: str
    about: str
    answers: Annotated[tuple[IndexAnswerJson, ...], Meta(min_length=1)]


class SymptomNowJson(JsonObject):
    """What somebody can do now, where, and the verdicts on which that rests; `where` is empty: wherever it is seen."""

    words: str
    where: str
    rests_on: str


class SymptomRowJson(JsonObject):
    """What somebody sees, with what is known of it."""

    kind: Annotated[str, Meta(description="What it is about; empty: it is of a model that is not built in.")]
    says: str
    phrases: Annotated[Names, Meta(description="Other words for it, and the models that have it.")]
    why: Names
    where: str
    seen_in: Names
    effect: str
    now: tuple[SymptomNowJson, ...]
    no_procedure: Annotated[str, Meta(description="What stands where nobody knows what to do.")]
    story: Annotated[str | None, Meta(description="The recorded story; null: none is recorded.")]
    pages: Annotated[Names, Meta(description="The stories of this report that show it.")]


class IndexPageJson(PageJson):
    """Version 1 of the data of a report's index."""

    page: Literal["index"]
    headline: str
    missing: Names
    symptoms: tuple[SymptomRowJson, ...]
    symptoms_not_asked: Count
    claims: tuple[IndexClaimJson, ...]
    witnesses: tuple[IndexClaimJson, ...]


class ComparedJson(JsonObject):
    """A story that can be compared."""

    name: str
    title: str
    scope: str
    steps: Count


class ComparePageJson(PageJson):
    """Version 1 of the data of the page that shows two stories."""

    page: Literal["compare"]
    stories: Annotated[tuple[ComparedJson, ...], Meta(min_length=1)]

"""The tools that assistants are offered: what each may be asked, with types, and the command line that this means.

A tool is a verb. What an assistant gives becomes `--option=value` and words behind `--`, so that no value can become
an option. Whatever else is wrong with it, the verb says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, ValidationError, convert, field
from msgspec.json import schema_components

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT
from offsetproof.reading.typed_json import JsonObject, Name


class WrongArgumentsError(Exception):
    """A tool was given what it does not take, or what the server may not do; the message says what to give."""


Subject = Annotated[
    str,
    Meta(
        description=f"The model: {', '.join(BUILT_INS)}; where the server was started with --allow-models also "
        "path/to/file.py[:Name] or package.module[:Name]."
    ),
]
Claims = Annotated[
    tuple[Name, ...], Meta(description="Claims by id (I5: one case) or by name (backward-reset-stays: all its cases).")
]
Releases = Annotated[
    tuple[Name, ...],
    Meta(description="Releases, as 5.3.3; `all`; or one for each role, as client=4.9.8,broker=4.9.4."),
]
Fixes = Annotated[tuple[Name, ...], Meta(description="Fixes that the model is given; `list` with `fixes` has them.")]
Assumptions = Annotated[
    tuple[Name, ...], Meta(description="Assumptions that are made; `list` with `assumptions` has them.")
]
Bounds = Annotated[
    dict[str, int | str],
    Meta(description='Bounds and fault budgets that are changed, as {"messages": 2, "kill": 1}; they widen the claim.'),
]
AtLeastOne = Annotated[int, Meta(ge=1)]
Positive = Annotated[float, Meta(gt=0)]
Limit = Annotated[
    Positive | None,
    Meta(description="End the call after so many seconds, with what is known by then. Never above the server's."),
]
Full = Annotated[
    bool,
    Meta(description="All members of the verb's JSON document, Java lines of the steps included; else the chief ones."),
]


class Asked(JsonObject):
    """What an assistant gives to a tool."""

    @property
    def words(self) -> Sequence[str]:
        """What stands on the command line beside options."""
        return ()

    def options(self) -> Iterator[tuple[str, Any]]:
        """The options with their values: a text, a number, several, or True for one without a value."""
        yield from ()

    @property
    def own_code(self) -> str:
        """What of it is somebody's own code, which would be run; empty where nothing is."""
        return ""

    @property
    def seconds(self) -> float | None:
        """How long it may take, where the tool takes a time and the assistant says it."""
        seconds: float | None = getattr(self, "timeout", None)
        return seconds

    @property
    def is_full(self) -> bool:
        """Is everything wanted that the verb's document has, where the tool can be asked that?"""
        return bool(getattr(self, "full", False))

    def command(self, verb: str) -> list[str]:
        """The arguments of the program."""
        given = [text for name, value in self.options() for text in _option(name, value)]
        return [verb, *given, "--", *self.words]


class SymptomAsked(Asked):
    """What `symptom` is asked."""

    text: Annotated[Name, Meta(description="What somebody sees, in English or Chinese, or a line of a log.")]
    release: Annotated[str, Meta(description="Only what happens in this release.")] = ""
    every: Annotated[bool, Meta(description="All answers, and not only the five nearest.")] = False

    @property
    def words(self) -> Sequence[str]:
        return (self.text,)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield from (("format", "json"), ("release", self.release), ("all", self.every))


class ListAsked(Asked):
    """What `list` is asked."""

    subject: Subject = DEFAULT
    names: Annotated[
        tuple[Name, ...],
        Meta(
            description="Sections (claims, fixes, scopes, releases, left-out...), or one claim, fix, scope or action."
        ),
    ] = ()
    about: Annotated[str, Meta(description="Only what has this text in name, sentence or symptom.")] = ""
    release: Annotated[str, Meta(description="Only what this release has and is asked.")] = ""

    @property
    def words(self) -> Sequence[str]:
        return (self.subject, *self.names)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield from (("about", self.about), ("release", self.release))

    @property
    def own_code(self) -> str:
        return _own_code(self.subject, self.names)


class ShowAsked(Asked):
    """What `show` is asked."""

    story: Annotated[Name, Meta(description="A recorded story, as I5-late-poll; a claim that has one; a trace's file.")]
    full: Full = False

    @property
    def words(self) -> Sequence[str]:
        return (self.story,)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield "format", "json"


class Deciding(Asked):
    """What tools that decide have in common."""

    subject: Subject = DEFAULT
    releases: Releases = ()
    fixes: Fixes = ()
    assumptions: Assumptions = ()
    listener: Annotated[str, Meta(description="How the application's listener behaves.")] = ""
    bounds: Bounds = field(default_factory=dict)
    max_states: Annotated[AtLeastOne | None, Meta(description="Give up beyond this many states.")] = None
    timeout: Limit = None
    full: Full = False

    def options(self) -> Iterator[tuple[str, Any]]:
        yield "format", "json"
        yield from (("release", self.releases), ("fix", self.fixes), ("assume", self.assumptions))
        yield from (("listener", self.listener), ("max-states", self.max_states))
        yield "bound", tuple(f"{name}={value}" for name, value in self.bounds.items())


class CheckAsked(Deciding):
    """What `check` is asked."""

    claims: Annotated[Claims, Meta(min_length=1)]
    scope: Annotated[str, Meta(description="In this scope, or in `all`, instead of the claims' own.")] = ""
    engine: Annotated[
        Literal["explicit", "smt", "stateful"], Meta(description="Which engine decides; `explicit` is exhaustive.")
    ] = "explicit"

    @property
    def words(self) -> Sequence[str]:
        return (self.subject, *self.claims)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield from super().options()
        yield from (("scope", self.scope), ("engine", self.engine))

    @property
    def own_code(self) -> str:
        return _own_code(self.subject, self.claims)


class ExplainAsked(Deciding):
    """What `explain` is asked."""

    claim: Annotated[Name, Meta(description="One claim, by id or name.")]
    scopes: Annotated[tuple[Name, ...], Meta(description="In these scopes instead of the claim's own.")] = ()
    max_causes: Annotated[AtLeastOne | None, Meta(description="Stop a scope after this many causes.")] = None

    @property
    def words(self) -> Sequence[str]:
        return (self.subject, self.claim)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield from super().options()
        yield from (("scope", self.scopes), ("max-causes", self.max_causes))

    @property
    def own_code(self) -> str:
        return _own_code(self.subject, (self.claim,))


class JudgeAsked(Asked):
    """What `judge` is asked."""

    claim: Annotated[Name, Meta(description="The claim by whose recorded causes the classes are judged, as I5.")]
    classpath: Annotated[Name, Meta(description="The patched classes: folders or jars, with `:` between.")]
    subject: Subject = DEFAULT
    base: Annotated[str, Meta(description="The release that was patched, as 4.9.4.")] = ""
    fixes: Annotated[tuple[Name, ...], Meta(description="Fixes that the classes are said to have.")] = ()
    expect: Annotated[str, Meta(description="removed=STORY[,STORY...]: the causes that have to be removed.")] = ""
    timeout: Limit = None
    full: Full = False

    @property
    def words(self) -> Sequence[str]:
        return (self.subject, self.claim)

    def options(self) -> Iterator[tuple[str, Any]]:
        yield from (("format", "json"), ("classpath", self.classpath), ("base", self.base))
        yield from (("fix", self.fixes), ("expect", self.expect))

    @property
    def own_code(self) -> str:
        return f"{self.classpath} has classes of your own"


class Tool(JsonObject):
    """A tool: the verb that it is, what it is for, and the type of what it may be asked."""

    verb: str
    about: str
    asked: type[Asked]
    decides: bool = False
    """Does it search, so that only one runs at a time?"""


_ANSWER = (
    " The answer begins with `established`: each verdict with its release, its bounds (the scope) and its method. "
    "HOLDS is exhaustive within these bounds, and no proof beyond them; UNKNOWN is never success."
)

TOOLS: Mapping[str, Tool] = {
    tool.verb: tool
    for tool in (
        Tool(
            verb="symptom",
            about="From what an operator sees of Apache RocketMQ's consumer offsets (a reset that did not stick, "
            "messages skipped, repeated or stuck), or from a line of a log: the mechanism, the releases, what is lost "
            "or repeated, what to do now, and the recorded story that shows it. Begin here." + _ANSWER,
            asked=SymptomAsked,
        ),
        Tool(
            verb="list",
            about="What a model has: claims, scopes, releases, fixes, assumptions, actions, and what it leaves out. "
            "With a name: all about that one claim, fix, scope or action, with its expected verdict and its bounds.",
            asked=ListAsked,
        ),
        Tool(
            verb="show",
            about="A recorded counterexample step by step: who did what, what it changed, and in which world; it is "
            "replayed on the model." + _ANSWER,
            asked=ShowAsked,
        ),
        Tool(
            verb="check",
            about="Decide claims by visiting every state within the bounds of their scopes; a refuted one comes with "
            "its shortest counterexample. Seconds to minutes." + _ANSWER,
            asked=CheckAsked,
            decides=True,
        ),
        Tool(
            verb="explain",
            about="Find the distinct causes of a refuted claim, and the fixes and assumptions that remove each. "
            "Minutes; name one scope to be quick." + _ANSWER,
            asked=ExplainAsked,
            decides=True,
        ),
        Tool(
            verb="judge",
            about="Replay the recorded causes of a claim on patched classes of RocketMQ: which are removed, which are "
            "left. It runs those classes, so the server must have been started with --allow-models; it needs a JDK, "
            "and Maven once." + _ANSWER,
            asked=JudgeAsked,
            decides=True,
        ),
    )
}
"""The tools by name."""


def input_schema(kind: type[Asked]) -> dict[str, Any]:
    """The JSON Schema of what a tool may be asked.

    >>> input_schema(ShowAsked)["required"], input_schema(ShowAsked)["additionalProperties"]
    (['story'], False)
    """
    _, parts = schema_components([kind])
    schema: dict[str, Any] = parts[kind.__name__]
    return {name: value for name, value in schema.items() if name not in ("title", "description")}


def read_arguments(tool: Tool, given: Mapping[str, Any], *, allows_code: bool) -> Asked:
    """What an assistant asks; WrongArgumentsError for what the tool does not take, or would run."""
    try:
        asked = convert(given, tool.asked)
    except ValidationError as error:
        raise WrongArgumentsError(f"{tool.verb}: {_wrong(str(error), tool.asked)}") from None
    if not allows_code and asked.own_code:
        raise WrongArgumentsError(
            f"{tool.verb}: {asked.own_code}, and this would run it; start the server as `offsetproof mcp "
            "--allow-models` if that is meant"
        )
    return asked


def _wrong(complaint: str, kind: type[Asked]) -> str:
    """What is wrong with an argument, and which there are."""
    wrong, _, place = complaint.partition(" - at `$.")
    name, known = place.rstrip("`"), ", ".join(input_schema(kind)["properties"])
    return f"{name}: {wrong}" if name else f"{wrong}; it takes {known}"


def _own_code(subject: str, names: Sequence[str]) -> str:
    """Why a model's code would be run. Only built-in words, and names that no module or file could have, run none."""
    if subject.partition(":")[0] not in BUILT_INS:
        return f"{subject} is a model of your own"
    odd = next((name for name in names if not re.fullmatch(r"[\w-]+", name)), None)
    return "" if odd is None else f"{odd} may be a module of your own"


def _option(name: str, value: Any) -> Iterator[str]:
    """One option as arguments; nothing where it has no value."""
    if value is True:
        yield f"--{name}"
    elif isinstance(value, tuple):
        yield from (f"--{name}={each}" for each in value)
    elif value not in ("", None, False):
        yield f"--{name}={value}"

"""`offsetproof explore`: the model walked by hand, on a page that this machine serves, or in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.replaying import question_of_trace
from offsetproof.checking.request import questions_of
from offsetproof.checking.subject import NamedSubjects, load_subject
from offsetproof.cli import options
from offsetproof.cli.graph_verb import GraphSelection
from offsetproof.cli.named_traces import only_trace, traces_named
from offsetproof.cli.output import width, write
from offsetproof.cli.signals import STOP, Working
from offsetproof.cli.streams import STDOUT, put
from offsetproof.explore.terminal import Terminal
from offsetproof.explore.walking import CannotBeDoneError, Walk, Walker
from offsetproof.lang.claim import NO_DEADLOCK, WALK, Property
from offsetproof.lang.subject import Subject
from offsetproof.reading.files import SIZE_MAX
from offsetproof.traces.trace import Trace
from offsetproof.verdict.exits import Exit


@dataclass(frozen=True)
class _Beginning:
    """What is explored, the trace that lies ahead, if one was named, and at which of its steps the walk begins."""

    walker: Walker
    trace: Trace | None = None
    at: int = 0

    @property
    def walk(self) -> Walk:
        return self.walker.walk_of(self.trace) if self.trace else Walk()


def explore(
    claims: options.Claims = options.Claims(),
    selected: GraphSelection = GraphSelection(),
    trace: Annotated[
        str | None,
        typer.Option(
            "--trace", metavar="TRACE", help="Along this trace: a file, a recorded story, or a claim that has one."
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option("--step", metavar="N", min=0, help="Begin at this step of the trace, as `show` counts."),
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Here in the terminal; h says how.")] = False,
    max_input: options.MaxInput = None,
) -> int:
    """Walk the model by hand, in a browser or a terminal."""
    size_max = options.parse_size(max_input, "--max-input") if max_input else SIZE_MAX
    named = claims.load()
    try:
        begins = _along(named, selected, trace, size_max) if trace else _beginning_of_claims(named, selected)
        walk = begins.walk
        begins.walker.follow(walk)
    except CannotBeDoneError as error:
        raise typer.BadParameter(str(error), param_hint="--trace") from error
    if step is not None:
        begins = replace(begins, at=_step_of(begins.trace, step))
    return _in_terminal(begins, walk, size_max) if text else _on_page(begins)


def _beginning_of_claims(named: NamedSubjects, selected: GraphSelection) -> _Beginning:
    """The world of the first claim that is named, else the model's first; with the claims that are named."""
    subject = named.only
    selected.must_be_of_one_world()
    request = options.request(subject, selected, claims=named.words or [NO_DEADLOCK.id])
    return _Beginning(Walker(subject, questions_of(request)[0].setting, _claims(subject, named.words)))


def _along(named: NamedSubjects, selected: GraphSelection, name: str, size_max: int) -> _Beginning:
    if selected != GraphSelection():
        raise typer.BadParameter(
            "the trace says in which world it happens; leave out what chooses another", param_hint="--trace"
        )
    trace = only_trace(name, traces_named(name, named.word or None, size_max), "--trace")
    own = trace.subject if trace.subject in SINGLES and not named.word else None
    subject = load_subject(own) if own else named.only
    if trace.subject not in (None, subject.name):
        raise typer.BadParameter(f"the trace is of {trace.subject}, not of {subject.name}", param_hint="--trace")
    return _Beginning(_walker_of(subject, _claims(subject, named.words))(trace), trace)


def _step_of(trace: Trace | None, step: int) -> int:
    """The step, where a trace that has it was named."""
    if trace is None:
        raise typer.BadParameter("this is a step of a trace; name it with --trace", param_hint="--step")
    if step > trace.length:
        raise typer.BadParameter(f"the trace has the steps 0 to {trace.length}", param_hint="--step")
    return step


def _claims(subject: Subject, words: tuple[str, ...]) -> tuple[Property, ...]:
    return tuple(prop for word in words for prop in subject.named(word))


def _walker_of(subject: Subject, claims: tuple[Property, ...]) -> Callable[[Trace], Walker]:
    """What makes the walker of a trace's world; the trace's own claim comes first."""

    def walker_of(trace: Trace) -> Walker:
        own = subject.named(trace.property.id) if trace.property.id != WALK.id else ()
        return Walker(subject, question_of_trace(subject, trace).setting, (*own, *(claims or subject.properties)))

    return walker_of


def _on_page(begins: _Beginning) -> int:
    """Serves the page until somebody stops it."""
    from offsetproof.explore.answers import Worlds  # these are only loaded where they are needed
    from offsetproof.explore.server import PageServer
    from offsetproof.reports.html.pages import explorer_page

    walker = begins.walker
    walker_of = _walker_of(walker.subject, walker.claims)
    with PageServer(Worlds(walker, walker_of, begins.trace, begins.at), explorer_page) as server:
        put(f"for a browser on this machine, until Ctrl-C: {server.address}\n")
        with Working(options.Destination(no_progress=True).progress()) as stop:
            server.serve_forever()
    return stop.code or Exit.AS_EXPECTED


def _in_terminal(begins: _Beginning, walk: Walk, size_max: int) -> int:
    def find(name: str) -> Trace:
        return only_trace(name, traces_named(name, begins.walker.subject.name, size_max), "t")

    with suppress(BrokenPipeError):  # who reads has left
        for answer in Terminal(begins.walker, walk, width(), find, _save, begins.at).answers(sys.stdin):
            STDOUT.write(answer)
        STDOUT.write("\n")
    return STOP.code or Exit.AS_EXPECTED


def _save(text: str, file: str) -> None:
    if Path(file).exists():
        raise CannotBeDoneError(f"there is a file {file} already; name another")
    write(text, Path(file), "o")

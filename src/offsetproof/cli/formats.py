"""Every form in which a verb writes its result: a new one is a function and a line here, and `--format` offers it.

Functions are named and not imported, as most bring libraries that no other form needs. All of one verb take the same,
what the verb has found, and return the whole text. Text for people has none here: it depends on the terminal, and the
verb makes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import typer

TEXT = "text"

_FOR_PEOPLE = ""

FORMATS: Mapping[str, Mapping[str, str]] = {
    "symptom": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.symptom:symptom_json",
    },
    "list": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.listing_json:listing_json",
    },
    "check": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.json:json_report",
        "junit": "reports.junit:junit_report",
        "sarif": "reports.sarif:sarif_report",
        "github": "reports.markdown:github_report",
        "markdown": "reports.markdown:markdown_report",
    },
    "explain": {
        TEXT: _FOR_PEOPLE,
        "json": "explain.report:explain_json",
    },
    "simulate": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.simulation:simulation_json",
    },
    "show": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.shown:shown_json",
        "itf": "reports.shown:shown_itf",
        "dot": "reports.shown:shown_dot",
        "graphml": "reports.shown:shown_graphml",
        "mermaid": "reports.shown:shown_mermaid",
        "junit4": "reports.junit4.writing:shown_junit4",
        "junit5": "reports.regression:shown_junit5",
        "pytest": "reports.regression:shown_pytest",
        "html": "reports.html.folder:shown_html",
    },
    "graph": {
        "dot": "reports.graph:graph_dot",
        "graphml": "reports.graph:graph_graphml",
        "json": "reports.graph:graph_json",
    },
    "guard": {
        TEXT: _FOR_PEOPLE,
        "json": "guard.report:guard_json",
        "junit": "guard.formats:guard_junit",
        "sarif": "guard.formats:guard_sarif",
        "github": "guard.formats:guard_github",
        "markdown": "guard.formats:guard_markdown",
    },
    "compare": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.comparison:comparison_json",
    },
    "audit": {
        TEXT: _FOR_PEOPLE,
        "json": "audit.reports.audit:audit_json",
        "sarif": "audit.reports.sarif:audit_sarif",
    },
    "mutate": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.mutation:mutation_json",
    },
    "widen": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.widening:widening_json",
    },
    "sweep": {
        TEXT: _FOR_PEOPLE,
        "json": "sweep.report:sweep_json",
    },
    "rocketmq": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.fetched:fetched_json",
    },
    "replay": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.on_release:replays_json",
        "markdown": "reports.on_release:replays_markdown",
    },
    "conform": {
        TEXT: _FOR_PEOPLE,
        "json": "reports.conformance:conformance_json",
    },
    "judge": {
        TEXT: _FOR_PEOPLE,
        "json": "guard.judge_report:judge_json",
        "sarif": "guard.judge_formats:judge_sarif",
        "github": "guard.judge_formats:judge_github",
        "markdown": "guard.judge_report:judge_markdown",
    },
    "watch": {
        TEXT: _FOR_PEOPLE,
        "json": "audit.live.report:watch_json",
    },
    "doctor": {
        TEXT: _FOR_PEOPLE,
        "json": "doctor:doctor_json",
    },
}
"""For each verb the forms by name, with the module and the function that write them."""


def format_option(verb: str, about: str = "How to write the report.") -> Any:
    """`--format` of a verb, which takes the forms that the verb has."""
    known = tuple(FORMATS[verb])

    def known_format(given: str) -> str:
        if given not in known:
            raise typer.BadParameter(f"{given!r} is not one of {', '.join(map(repr, known))}")
        return given

    return typer.Option("--format", metavar=f"<{'|'.join(known)}>", callback=known_format, help=about)


def writer_of(verb: str, format: str) -> Callable[..., str]:
    """What writes a verb's result in a form for programs."""
    module, _, function = FORMATS[verb][format].partition(":")
    writer: Callable[..., str] = getattr(import_module(f"offsetproof.{module}"), function)
    return writer

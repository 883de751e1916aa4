"""`offsetproof schema`: the JSON Schema of each document that the program writes, made of its types."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Annotated, Any, NamedTuple

import typer

from offsetproof.cli import options
from offsetproof.cli.output import deliver, writable
from offsetproof.lang.scope import UnknownNameError
from offsetproof.reading.json_schema import json_schema
from offsetproof.reading.typed_json import write_json


class Document(NamedTuple):
    """A kind of documents: the command that writes it, and its type as `module:type`."""

    command: str
    kind: str


DOCUMENTS: Mapping[str, Document] = {
    "audit": Document("audit --format json", "audit.reports.audit:AuditJson"),
    "audit-page": Document("audit --html, index.html", "audit.reports.page:AuditPageJson"),
    "check": Document("check --format json", "reports.json:CheckJson"),
    "compare": Document("compare --format json", "reports.comparison:CompareJson"),
    "compare-page": Document("check --html, compare.html", "reports.html.data:ComparePageJson"),
    "conform": Document("conform --format json", "reports.conformance:ConformJson"),
    "doctor": Document("doctor --format json", "doctor:DoctorJson"),
    "explain": Document("explain --format json", "explain.report:ExplainJson"),
    "family": Document("list FAMILY --format json", "reports.listing_json:FamilyJson"),
    "guard": Document("guard --format json", "guard.report:GuardJson"),
    "index-page": Document("check --html, index.html", "reports.html.data:IndexPageJson"),
    "judge": Document("judge --format json", "guard.judge_report:JudgeJson"),
    "list": Document("list --format json", "reports.listing_json:ListJson"),
    "mutate": Document("mutate --format json", "reports.mutation:MutateJson"),
    "widen": Document("widen --format json", "reports.widening:WidenJson"),
    "repairs": Document("explain --repairs --format json", "explain.repairs_report:RepairsJson"),
    "replay": Document("replay --format json", "reports.on_release:ReplaysJson"),
    "rocketmq": Document("rocketmq fetch --format json", "reports.fetched:FetchJson"),
    "show": Document("show --format json", "reports.recorded:ShowJson"),
    "simulate": Document("simulate --format json", "reports.simulation:SimulateJson"),
    "story-page": Document("check --html, the page of a story", "reports.html.data:StoryPageJson"),
    "sweep": Document("sweep --format json", "sweep.report:SweepJson"),
    "symptom": Document("symptom --format json", "reports.symptom:SymptomJson"),
    "watch": Document("watch --format json", "audit.live.report:WatchJson"),
    "trace": Document("show NAME --format json", "traces.store:RecordJson"),
}
"""The documents by name: the verb's; `family` for several subjects, `trace` for a recorded story; data in pages."""


def schema(
    document: Annotated[
        str | None, typer.Argument(metavar="DOCUMENT", help="A name of the list that there is without one.")
    ] = None,
    output: options.Output = None,
) -> int:
    """List the documents that are written as JSON. Or write the JSON Schema of one."""
    writable(output)
    if document is None:
        lines = (f"{name:<14}offsetproof {each.command}\n" for name, each in DOCUMENTS.items())
        return deliver("".join(lines), output)
    return deliver(write_json(schema_of(document)), output)


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a kind of documents; UnknownNameError where there is none of this name."""
    if name not in DOCUMENTS:
        raise UnknownNameError("document", name, DOCUMENTS)
    command, kind = DOCUMENTS[name]
    module, _, type_name = kind.partition(":")
    return json_schema(f"offsetproof {command}", getattr(import_module(f"offsetproof.{module}"), type_name))

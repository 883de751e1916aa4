"""What a subject offers: releases, fixes, assumptions, listeners, scopes, claims, and what its model leaves out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from textwrap import fill
from typing import Any

from offsetproof.check.json_report import envelope, scope_json
from offsetproof.lang.model import anchored_actions
from offsetproof.lang.subject import Subject
from offsetproof.traces.visible import visible


def listing_json(subject: Subject) -> str:
    """Everything as one JSON document; anchors have their lines in the first release."""
    model = subject.model
    first = {role: model.releases[0].name for role in model.roles if model.releases}
    document: dict[str, Any] = {
        **envelope(subject.name),
        "releases": [release.name for release in model.releases],
        "fixes": [{"name": fix.name, "about": fix.about, "source": fix.source} for fix in model.fixes],
        "assumptions": [{"name": a.name, "about": a.about} for a in model.assumptions],
        "listeners": [{"name": x.name, "about": x.about} for x in model.listeners],
        "scopes": [{**scope_json(scope), "about": scope.about} for scope in model.scopes],
        "properties": [
            {
                "id": prop.id,
                "name": prop.name,
                "kind": str(prop.kind),
                "claim": prop.about,
                "expected": {release: str(verdict) for release, verdict in prop.expectations.items()},
                "scopes": list(prop.scopes),
                "needs": list(prop.needs),
            }
            for prop in subject.properties
        ],
        "actions": [
            {
                "name": a.name,
                "about": a.about,
                "actor": a.actor,
                "thread": a.thread,
                "fault": a.fault,
                "stands_for": [str(anchor) for anchor in a.stands_for],
            }
            for a in anchored_actions(model, first).values()
        ],
        "left_out": list(model.left_out),
    }
    return json.dumps(document, indent=2) + "\n"


def listing_text(subject: Subject, width: int) -> str:
    """Everything as text, section by section; empty sections are left away."""
    return visible("\n".join(_lines(subject, width))) + "\n"


def _lines(subject: Subject, width: int) -> Iterator[str]:
    model = subject.model
    yield fill(f"{subject.name}: {(model.__doc__ or '').strip().splitlines()[0] if model.__doc__ else ''}", width)
    named = [
        ("releases", [(release.name, "") for release in model.releases]),
        ("fixes", [(fix.name, fix.about) for fix in model.fixes]),
        ("assumptions", [(a.name, a.about) for a in model.assumptions]),
        ("listeners", [(x.name, x.about) for x in model.listeners]),
        ("scopes", [(s.name, f"{s.about + ': ' if s.about else ''}{s.describe()}") for s in model.scopes]),
        ("properties", [(p.id, _claim(subject, p.id)) for p in subject.properties]),
        ("actions", [(a.name, a.about) for a in model.actions.values()]),
        ("left out", [("-", text) for text in model.left_out]),
    ]
    for title, rows in named:
        if rows:
            yield ""
            yield title
            for name, about in rows:
                yield fill(f"{name}  {about}".rstrip(), width, initial_indent="  ", subsequent_indent="      ")


def _claim(subject: Subject, id: str) -> str:
    prop = subject.find(id)
    expected = ", ".join(f"{release} {verdict}".strip() for release, verdict in prop.expectations.items())
    where = ", ".join(prop.scopes)
    known = "; ".join(part for part in (expected and f"expected {expected}", where and f"in {where}") if part)
    return f"({prop.kind}{'; ' + known if known else ''}) {prop.about}"

"""The part of docs/formats.md about JSON: each document that the program writes, from its schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from offsetproof.cli.schema_verb import DOCUMENTS, schema_of
from offsetproof.reading.json_schema import PROMISE

Schema = Mapping[str, Any]


def documents() -> str:
    """A heading for each document, by name, with its members; the page itself says once what all promise."""
    return "\n\n".join("\n".join(_section(name, schema_of(name))) for name in DOCUMENTS)


def _section(name: str, schema: Schema) -> Iterator[str]:
    yield from (
        f"### {schema['title']}",
        "",
        f"{schema['description'].removesuffix(PROMISE)}The schema is that of `offsetproof schema {name}`.",
        "",
    )
    yield from _members(schema)


def _members(schema: Schema) -> Iterator[str]:
    """A line for each member: its kind, and whether it may be missing."""
    for name, inner in schema["properties"].items():
        optional = "" if name in schema.get("required", ()) else ", may be missing"
        said = inner.get("description", "")
        yield f"- `{name}`: {kind_of(inner)}{optional}" + (f". {said}" if said else "")


def kind_of(schema: Schema) -> str:
    """What a value is, in words.

    >>> kind_of({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}})
    'array of (string or null)'
    >>> kind_of({"$ref": "#/$defs/step"})
    '*step*'
    """
    if "$ref" in schema:
        return f"*{schema['$ref'].rpartition('/')[2]}*"
    if "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema["enum"])
    if either := schema.get("anyOf"):
        return " or ".join(map(kind_of, either))
    if schema.get("maximum", 0) > 2**60:
        return "count"
    kind: str = schema.get("type", "anything")
    inside = schema.get("items" if kind == "array" else "additionalProperties")
    if not isinstance(inside, Mapping):
        return _with_limits(kind, schema)
    inner = kind_of(inside)
    of = f"({inner})" if " or " in inner else inner
    return f"array of {of}" if kind == "array" else f"object whose values are {of}"


def _with_limits(kind: str, schema: Schema) -> str:
    limits = [f"{words} {schema[key]}" for key, words in _LIMITS.items() if key in schema]
    return f"{kind} ({', '.join(limits)})" if limits else kind


_LIMITS = {"minimum": "at least", "maximum": "at most", "minLength": "length at least"}

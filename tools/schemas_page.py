"""The part of docs/formats.md about JSON: each document that the program writes, from the schemas that come with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]

Schema = Mapping[str, Any]


def schemas() -> list[Path]:
    """The schemas that come with the program; also in folders that are linked into the package."""
    package = ROOT / "src" / "offsetproof"
    return sorted(path for folders in ("*", "*/*") for path in package.glob(f"{folders}/*.schema.json"))


def documents() -> str:
    """A heading for each document, in the order of their titles, with its members."""
    found = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in schemas()]
    sections = (_section(path, schema) for path, schema in sorted(found, key=lambda pair: str(pair[1]["title"])))
    return "\n\n".join("\n".join(section) for section in sections)


def _section(path: Path, schema: Schema) -> Iterator[str]:
    name = path.relative_to(ROOT / "src").as_posix()
    yield from (f"### {schema['title']}", "", f"{schema['description']} The schema is `{name}`.", "")
    yield from _members(schema)


def _members(schema: Schema) -> Iterator[str]:
    """A line for each member: what it is, and whether it may be missing; a document that has none is a plain value."""
    if "properties" not in schema:
        kind = kind_of(schema)
        yield f"{kind[0].upper()}{kind[1:]}."
        return
    for name in {**schema["properties"], **dict.fromkeys(schema.get("required", ()))}:
        inner = schema["properties"].get(name, {})
        optional = "" if name in schema.get("required", ()) else ", may be missing"
        said = inner.get("description", "")
        yield f"- `{name}`: {kind_of(inner)}{optional}" + (f". {said}" if said else "")
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield f"- any other name: {kind_of(schema['additionalProperties'])}"


def kind_of(schema: Schema) -> str:
    """What a value is, in words.

    >>> kind_of({"type": "array", "items": {"type": ["string", "null"]}})
    'array of (string or null)'
    >>> kind_of({"$ref": "#/$defs/step"})
    '*step*'
    """
    if "$ref" in schema:
        return f"*{schema['$ref'].rpartition('/')[2]}*"
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema.get("enum", [schema.get("const")]))
    if either := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(map(kind_of, either))
    kind = schema.get("type", "anything")
    inside = schema.get("items" if kind == "array" else "additionalProperties")
    if not isinstance(inside, Mapping):
        return _with_limits(" or ".join([kind] if isinstance(kind, str) else kind), schema)
    inner = kind_of(inside)
    of = f"({inner})" if " or " in inner else inner
    return f"array of {of}" if kind == "array" else f"object whose values are {of}"


def _with_limits(kind: str, schema: Schema) -> str:
    limits = [f"{words} {schema[key]}" for key, words in _LIMITS.items() if key in schema]
    return f"{kind} ({', '.join(limits)})" if limits else kind


_LIMITS = {"minimum": "at least", "maximum": "at most", "minLength": "length at least"}

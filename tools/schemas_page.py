"""The page docs/schemas.md: what the program writes as JSON, from the schemas that come with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "schemas.md"

_HEAD = """# JSON that the program writes

Written by `make reference` from the schemas in the package (JSON Schema, draft 2020-12), which tests hold the program's
answers against. `schema` in a document is the version of its form. Members may be added to a version, so readers should
pass over those that they do not know; none is renamed or taken away.

What other verbs write begins in the same way, with `schema`, `tool` and `subject`, and then has a list: `replay` has
`replays`, `conform` has `conformance`, `guard` has `cells`, `explain` has `causes`. These have no schema yet, nor does
the file of a trace ([formats.md](formats.md)).
"""

Schema = Mapping[str, Any]


def schemas() -> list[Path]:
    """The schemas that come with the program."""
    return sorted((ROOT / "src").rglob("*.schema.json"))


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
    for path in schemas():
        lines += _document(path.relative_to(ROOT / "src").as_posix(), json.loads(path.read_text(encoding="utf-8")))
    return "\n".join(lines).rstrip("\n") + "\n"


def _document(name: str, schema: Schema) -> Iterator[str]:
    yield from [f"## {schema['title']}", "", f"{schema['description']} The schema is `{name}`.", ""]
    yield from [*_about({**schema, "description": ""}), ""]
    for each, inner in schema.get("$defs", {}).items():
        yield from [f"### {each}", "", *_about(inner), ""]


def _about(schema: Schema) -> Iterator[str]:
    """A part of a document that has a name: an object with members, or a plain value."""
    said = schema.get("description", "")
    if "properties" not in schema:
        kind = _kind(schema)
        yield f"{kind[0].upper()}{kind[1:]}." + (f" {said}" if said else "")
        return
    yield from [said, ""] if said else []
    yield from _members(schema)
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield f"- any other name: {_kind(schema['additionalProperties'])}"


def _members(schema: Schema) -> Iterator[str]:
    """A line for each member: what it is, and whether it may be missing."""
    for name in {**schema["properties"], **dict.fromkeys(schema.get("required", ()))}:
        inner = schema["properties"].get(name, {})
        optional = "" if name in schema.get("required", ()) else ", may be missing"
        said = inner.get("description", "")
        yield f"- `{name}`: {_kind(inner)}{optional}" + (f". {said}" if said else "")


def _kind(schema: Schema) -> str:
    """What a value is, in words.

    >>> _kind({"type": "array", "items": {"type": ["string", "null"]}})
    'array of (string or null)'
    """
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema.get("enum", [schema.get("const")]))
    if either := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(_kind(each) for each in either)
    kind = schema.get("type", "anything")
    inside = schema.get("items" if kind == "array" else "additionalProperties")
    if not isinstance(inside, Mapping):
        return _with_limits(" or ".join([kind] if isinstance(kind, str) else kind), schema)
    inner = _kind(inside)
    of = f"({inner})" if " or " in inner else inner
    return f"array of {of}" if kind == "array" else f"object whose values are {of}"


def _with_limits(kind: str, schema: Schema) -> str:
    limits = [f"{words} {schema[key]}" for key, words in _LIMITS.items() if key in schema]
    return f"{kind} ({', '.join(limits)})" if limits else kind


_LIMITS = {"minimum": "at least", "minLength": "length at least"}


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()

"""The page docs/schemas.md: what the program writes as JSON, from the schemas that come with it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "schemas.md"

_HEAD = """# JSON that the program writes

Written by `make reference` from the schemas in the package (JSON Schema, draft 2020-12), which tests hold the program's
answers against. `schema` in a document is the version of its form. Members may be added to a version, so readers should
pass over those that they do not know; none is renamed or taken away. A part that is the same in several documents is
told once.

Of what verbs write with `--format json`, that of `graph` alone has no schema: it is what networkx reads. The file of a
trace ([formats.md](formats.md)) is what `show NAME` writes, without `replay`.
"""

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Document:
    """A schema; `heading_of` has under which heading each of its parts is told, which may be another document's."""

    path: Path
    schema: Schema
    heading_of: Mapping[str, str]


def schemas() -> list[Path]:
    """The schemas that come with the program; also in folders that are linked into the package."""
    package = ROOT / "src" / "offsetproof"
    return sorted(path for folders in ("*", "*/*") for path in package.glob(f"{folders}/*.schema.json"))


def page() -> str:
    """The text of the page."""
    lines = [_HEAD]
    for document in _documents():
        lines += _section_of(document)
    return "\n".join(lines).rstrip("\n") + "\n"


def _documents() -> Iterator[_Document]:
    """The documents in the order of their titles."""
    headings: dict[str, str] = {}
    found = [(path, json.loads(path.read_text(encoding="utf-8"))) for path in schemas()]
    for path, schema in sorted(found, key=lambda pair: str(pair[1]["title"])):
        short = path.name.partition(".")[0]
        heading_of = {}
        for name in schema["$defs"]:
            whole = json.dumps([name, _whole(schema["$defs"][name], schema["$defs"])])
            heading_of[name] = headings.setdefault(whole, f"{short} {name}")
        yield _Document(path, schema, heading_of)


def _whole(part: Any, parts: Schema) -> Any:
    """A part of a schema with all that it refers to in place."""
    if isinstance(part, list):
        return [_whole(each, parts) for each in part]
    if not isinstance(part, Mapping):
        return part
    inside = {key: _whole(value, parts) for key, value in part.items() if key != "$ref"}
    return {**inside, "$ref": _whole(parts[_name(part["$ref"])], parts)} if "$ref" in part else inside


def _name(reference: str) -> str:
    return reference.rpartition("/")[2]


def _section_of(document: _Document) -> Iterator[str]:
    schema, heading_of = document.schema, document.heading_of
    name = document.path.relative_to(ROOT / "src").as_posix()
    yield from [f"## {schema['title']}", "", f"{schema['description']} The schema is `{name}`.", ""]
    yield from [*_about({**schema, "description": ""}, heading_of), ""]
    short = document.path.name.partition(".")[0]
    for each, inner in schema["$defs"].items():
        if heading_of[each] == f"{short} {each}":
            yield from [f"### {heading_of[each]}", "", *_about(inner, heading_of), ""]


def _about(schema: Schema, heading_of: Mapping[str, str]) -> Iterator[str]:
    """A part of a document that has a name: an object with members, or a plain value."""
    said = schema.get("description", "")
    if "properties" not in schema:
        kind = _kind(schema, heading_of)
        yield f"{kind[0].upper()}{kind[1:]}." + (f" {said}" if said else "")
        return
    yield from [said, ""] if said else []
    yield from _members(schema, heading_of)
    if isinstance(schema.get("additionalProperties"), Mapping):
        yield f"- any other name: {_kind(schema['additionalProperties'], heading_of)}"


def _members(schema: Schema, heading_of: Mapping[str, str]) -> Iterator[str]:
    """A line for each member: what it is, and whether it may be missing."""
    for name in {**schema["properties"], **dict.fromkeys(schema.get("required", ()))}:
        inner = schema["properties"].get(name, {})
        optional = "" if name in schema.get("required", ()) else ", may be missing"
        said = inner.get("description", "")
        yield f"- `{name}`: {_kind(inner, heading_of)}{optional}" + (f". {said}" if said else "")


def _kind(schema: Schema, heading_of: Mapping[str, str]) -> str:
    """What a value is, in words.

    >>> _kind({"type": "array", "items": {"type": ["string", "null"]}}, {})
    'array of (string or null)'
    >>> _kind({"$ref": "#/$defs/step"}, {"step": "report step"})
    '[step](#report-step)'
    """
    if "$ref" in schema:
        name = _name(schema["$ref"])
        return f"[{name}](#{heading_of[name].replace(' ', '-')})"
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{json.dumps(value)}`" for value in schema.get("enum", [schema.get("const")]))
    if either := schema.get("anyOf", schema.get("oneOf")):
        return " or ".join(_kind(each, heading_of) for each in either)
    kind = schema.get("type", "anything")
    inside = schema.get("items" if kind == "array" else "additionalProperties")
    if not isinstance(inside, Mapping):
        return _with_limits(" or ".join([kind] if isinstance(kind, str) else kind), schema)
    inner = _kind(inside, heading_of)
    of = f"({inner})" if " or " in inner else inner
    return f"array of {of}" if kind == "array" else f"object whose values are {of}"


def _with_limits(kind: str, schema: Schema) -> str:
    limits = [f"{words} {schema[key]}" for key, words in _LIMITS.items() if key in schema]
    return f"{kind} ({', '.join(limits)})" if limits else kind


_LIMITS = {"minimum": "at least", "maximum": "at most", "minLength": "length at least"}


def main() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}")


if __name__ == "__main__":
    main()

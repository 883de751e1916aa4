"""JSON Schemas of the documents that the program writes, made of their types."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec.json import schema_components

from offsetproof.reading.typed_json import JsonObject

PROMISE = "Members may be added; none is renamed or taken away without a new version."
"""What the schema of every document says."""


def json_schema(title: str, document: Any) -> dict[str, Any]:
    """The schema of a type of documents, with a part for each object; it lets members be added, as later versions may.

    A part is called as its type, without `Json`: `on_release` of `OnReleaseJson`.
    """
    (top,), parts = schema_components([document], ref_template="#/$defs/{name}")
    rules = {kind.__name__: kind.RULES for kind in _kinds(JsonObject)}
    for name, part in parts.items():
        part.pop("title")
        part.pop("additionalProperties", None)
        if rules.get(name):
            part["allOf"] = rules[name]
    own = parts.pop(top["$ref"].rpartition("/")[2]) if "$ref" in top else top
    about = f"{own.get('description', '')} {PROMISE}".strip()
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": title}
    found = {**head, **own, "description": about, "$defs": {_part_name(name): part for name, part in parts.items()}}
    text = re.sub(r"#/\$defs/(\w+)", lambda match: f"#/$defs/{_part_name(match[1])}", json.dumps(found))
    schema: dict[str, Any] = json.loads(text)
    return schema


def _kinds(kind: type[JsonObject]) -> Iterator[type[JsonObject]]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)


def _part_name(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name.removesuffix("Json")).lower()

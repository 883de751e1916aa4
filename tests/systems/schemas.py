"""The schemas that come with the program, and documents that are compared with them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from tools import schemas_page

FILES = {path.name.partition(".")[0]: path for path in schemas_page.schemas()}
"""The file of each schema, by the schema's name."""


@cache
def schema(name: str) -> dict[str, Any]:
    """A schema by its name."""
    found: dict[str, Any] = json.loads(FILES[name].read_text(encoding="utf-8"))
    return found


@cache
def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(schema(name))


def complaints(name: str, document: Any) -> list[str]:
    """What a schema has against a document."""
    return [f"{error.json_path}: {error.message[:300]}" for error in _validator(name).iter_errors(document)]


def is_valid(name: str, document: Any) -> bool:
    """Has a schema nothing against a document?"""
    return _validator(name).is_valid(document)


def read_valid(name: str, text: str) -> Any:
    """The document in a text, which a schema must have nothing against."""
    document = json.loads(text)
    assert complaints(name, document) == []
    return document

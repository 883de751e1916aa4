"""The schemas that the program writes, and documents that are compared with them."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from offsetproof.cli.schema_verb import schema_of

schema = cache(schema_of)
"""A schema by its name."""


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

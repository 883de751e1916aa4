"""JSON with types: each document that the program reads or writes is a struct, and its JSON Schema comes from there.

JSON is read strictly: every complaint names file, place, reason and way out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal, NoReturn, TypeVar, dataclass_transform

from msgspec import Meta, Struct, StructMeta, UnsetType, ValidationError, convert, field, to_builtins

from offsetproof.reading.files import UnreadableFileError
from offsetproof.version import __version__

T = TypeVar("T")

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Count = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Name = Annotated[str, Meta(min_length=1)]
Names = tuple[str, ...]
Seconds = Annotated[float, Meta(ge=0, le=1e15)]  # the limit refuses Infinity, as which Python reads 1e999
Unset = UnsetType
"""A member that is left out where it is UNSET."""


class _Frozen(StructMeta):
    """What makes structs that are frozen, named by keywords, and take no member that they do not have."""

    def __new__(cls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **options: Any) -> Any:
        options |= {"frozen": True, "kw_only": True, "forbid_unknown_fields": True}
        return super().__new__(cls, name, bases, namespace, **options)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class JsonObject(Struct, metaclass=_Frozen, frozen=True):
    """An object of a document: its fields are the members, in this order. `RULES` are for its schema alone."""

    RULES: ClassVar[Sequence[Mapping[str, object]]] = ()


class ToolJson(JsonObject):
    """What wrote the document."""

    name: Literal["offsetproof"]
    version: Annotated[str, Meta(pattern=r"^\d+\.\d+\.\d+")]


def rule(when: JsonSchemas, then: JsonSchemas, otherwise: JsonSchemas | None = None) -> dict[str, Any]:
    """A condition on an object's members, for the `RULES` of its type: where some are so, others are so."""
    parts = {"if": when, "then": then} | ({} if otherwise is None else {"else": otherwise})
    return {key: {"properties": members} for key, members in parts.items()}


JsonSchemas = Mapping[str, Mapping[str, object]]
NULL, TEXT, OBJECT = {"type": "null"}, {"type": "string"}, {"type": "object"}

THIS_TOOL = ToolJson(name="offsetproof", version=__version__)


def write_json(document: object, indent: int | None = 2) -> str:
    """A document as text, ending in a newline."""
    return json.dumps(to_builtins(document), indent=indent) + "\n"


def from_attributes(source: object, kind: type[T]) -> T:
    """An object of this kind, whose fields are the source's attributes."""
    return convert(source, kind, from_attributes=True)


def read_json(text: str, kind: type[T], file: str, again: str) -> T:
    """The document in a text; UnreadableFileError for what is not JSON, is ambiguous, or is not of this kind.

    `again` says how to make such a file.
    """
    document = _parse(text, file)
    try:
        return convert(document, kind)
    except ValidationError as error:
        wrong, _, place = str(error).partition(" - at `$")
        place = _with_key(document, kind, place.rstrip("`"), str(error)).lstrip(".")
        if place == "schema":
            wrong = f"is {document['schema']!r}, which this version does not read"
        raise UnreadableFileError(file, place or "the document", f"{wrong}; {again}") from None


def _with_key(document: Any, kind: type[object], place: str, complaint: str) -> str:
    """The place with the key of an entry, for which msgspec has dots: the one that alone gives the same complaint."""
    way, dots, rest = place.partition("[...]")
    inside = document
    for number, name in re.findall(r"\[(\d+)\]|(\w+)", way):
        inside = inside[int(number) if number else name]
    for key, value in [*inside.items()] if dots else []:
        inside.clear()
        inside[key] = value
        try:
            convert(document, kind)
        except ValidationError as error:
            if str(error) == complaint:
                return f"{way}[{key!r}]{rest}"
    return place


def _parse(text: str, file: str) -> Any:
    """What is JSON, has no key twice, and no value that could be neither kept nor shown."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        inside = dict(pairs)
        if len(inside) < len(pairs):
            keys = [key for key, _ in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise UnreadableFileError(file, f"an object with the key {twice!r}", "has this key twice; keep one")
        return inside

    def no_constant(name: str) -> NoReturn:
        raise UnreadableFileError(file, f"the value {name}", "is not JSON; write a number")

    odd = _UNWRITABLE.search(text) if "\\u" in text else None
    if odd:
        place = f"line {text.count(chr(10), 0, odd.start()) + 1}"
        raise UnreadableFileError(file, place, f"has a string with {odd[1]} in it, which nothing could show")
    try:
        return json.loads(text, object_pairs_hook=unique, parse_constant=no_constant)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise UnreadableFileError(file, place, f"is not JSON: {error.msg}") from None
    except RecursionError:
        raise UnreadableFileError(file, "the document", "is nested too deeply") from None
    except ValueError:
        raise UnreadableFileError(file, "a number", "has thousands of digits; 64 bits hold the numbers here") from None


_UNWRITABLE = re.compile(
    r"(?<!\\)(?:\\\\)*"  # after an even number of backslashes the next one begins an escape
    r"(\\u0000|\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]..)"
)
"""NUL, and halves of surrogate pairs."""

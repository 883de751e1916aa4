"""The columns of the tables, defined once: what Parquet files have, and what docs/formats.md says of them."""

from __future__ import annotations

from dataclasses import dataclass

from offsetproof.audit.event import Event

SCHEMA_NUMBER = 1
"""Rises with every change that a reader of the tables would notice."""


@dataclass(frozen=True)
class Column:
    """A column: `type` in the words of Arrow; `dictionary` is a string that few values repeat in."""

    name: str
    type: str
    says: str
    may_be_empty: bool = False


SILVER = (
    Column("file", "dictionary", "path of the file, as it was when it was read"),
    Column("line", "int64", "the record's first line, from 1"),
    Column("byte_offset", "int64", "where the record begins; of a .gz, in what it holds"),
    Column("byte_length", "int32", "length of the record with its further lines, without the last line end"),
    Column("time_from", "int64", "begin of the interval that the stamp leaves, in microseconds since 1970 UTC"),
    Column("time_to", "int64", "end of the interval, exclusive"),
    Column("zone_known", "bool", "false: the stamp's zone was assumed"),
    Column("host", "dictionary", "host of the file"),
    Column("process", "dictionary", "process id, else the log's path without rotation"),
    Column("kind", "dictionary", "what the event says: a name of EventKind"),
    Column("client", "dictionary", "client id", may_be_empty=True),
    Column("group", "dictionary", "consumer group", may_be_empty=True),
    Column("topic", "dictionary", "topic", may_be_empty=True),
    Column("broker", "dictionary", "broker name", may_be_empty=True),
    Column("queue", "int32", "queue id", may_be_empty=True),
    Column("offset", "int64", "offset in messages; what it is depends on the kind", may_be_empty=True),
    Column("other_offset", "int64", "a second offset; what it is depends on the kind", may_be_empty=True),
    Column("detail", "dictionary", "what else the kind says", may_be_empty=True),
)
"""One row for each event."""

assert tuple(column.name for column in SILVER) == tuple(Event.__dataclass_fields__)

FILES = (
    Column("source", "string", "names the folder of its rows in silver"),
    Column("file", "string", "path"),
    Column("host", "string", "host"),
    Column("kind", "string", "log, consumerOffset.json, offsets.json, consumerProgress or watch"),
    Column("layout", "string", "layout of its lines"),
    Column("zone", "string", "zone of its stamps"),
    Column("zone_known", "bool", "false: the zone was assumed"),
    Column("size", "int64", "bytes, when the run began; of a .gz, of what it holds"),
    Column("read_to", "int64", "bytes that have been read: to the end of the last whole line"),
    Column("lines", "int64", "lines that have been read"),
    Column("event_lines", "int64", "lines that begin records with events"),
    Column("unknown_lines", "int64", "lines that begin records without"),
    Column("malformed_lines", "int64", "lines that begin known records that cannot be read"),
    Column("further_lines", "int64", "further lines of records"),
    Column("events", "int64", "events; a line may say several"),
    Column("unfinished", "bool", "the last line has no end yet, and is left for the next run"),
    Column("problem", "string", "why the file was not read, or not to its end", may_be_empty=True),
)
"""One row for each file; a file that was left out has its problem and no lines."""

UNKNOWN = (
    Column("source", "string", "source of the lines"),
    Column("begin", "int64", "byte at which the piece of the file begins that was read"),
    Column("shape", "string", "begin of the message, with N for numbers and * for names"),
    Column("lines", "int64", "how many there are in the piece"),
)
"""Messages that say nothing of offsets, by shape."""

MALFORMED = (
    Column("line", "int64", "line, from 1"),
    Column("byte_offset", "int64", "where the record begins"),
    Column("byte_length", "int32", "length of its first line"),
    Column("reason", "string", "why it cannot be read"),
    Column("template", "string", "the message that it was to be"),
)
"""Known messages that cannot be read; the text is in the file, at that place."""

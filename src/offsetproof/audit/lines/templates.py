"""Templates: the messages of clients and brokers that say something of offsets, owners and locks, and what they fill.

A template is written as in the source: `{}` stands for a value. `places` names what each value is, in order:

    group, client, topic, broker, queue, offset, other   the column of that name (`other` is other_offset)
    mq          MessageQueue [topic=, brokerName=, queueId=]: topic, broker and queue
    queues      a set of those: `detail`, as broker:queue,broker:queue
    pull        PullRequest [consumerGroup=, messageQueue=, nextOffset=]: group, topic, broker, queue and offset
    first       the same without the offset
    result      PullResult [...]: other is its nextBeginOffset, detail its min:max
    key         topic@group, as brokers name rows
    marks       the JSON of queues with their offsets in which 5.x writes a reset: an event for each
    channel     ClientChannelInfo [...]: client, and detail its address, language and version
    detail      `detail`
    detail2     two values and what stands between them: `detail`, joined by a colon
    debug       a group as Rust's debug output has it, such as Some("G")
    name        a topic that stands where others have a whole queue
    =WORD       this word and no other
    _           anything

A message of Go has its values as fields behind it, or around it, in an order that the logger chooses. Its `text` has no
`{}`, and a place is `NAME=KEY`: the value of that key anywhere in the line. `lockOK:true` stands for this value alone.

`kind` None is of a message that the model's steps write and that is no event. The tables are in `client.py`,
`broker.py` and `other_clients.py`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from offsetproof.audit.event import EventKind

RELEASES_3 = ("3.2.6",)
RELEASES_4 = ("4.9.4", "4.9.8")
RELEASES_5 = ("5.3.3", "5.5.0")
FROM_4 = RELEASES_4 + RELEASES_5
EVERY = RELEASES_3 + FROM_4


class Role(StrEnum):
    """Who writes a message."""

    CLIENT = "client"
    BROKER = "broker"
    GO = "client of Go"
    CPP = "client of C++"
    RUST = "client of Rust"


@dataclass(frozen=True, slots=True)
class Template:
    """A message: `text` with `{}` for values, and what the values are (see the module).

    `detail` is what the event's `detail` says where no value does. `written_by` is the class and method of a message
    that no step of the model writes; of others it is empty: a step's `logs` has the text. `releases` are those in
    which the text is known to be written so. `with_exception`: the exception that follows on the next lines becomes
    `detail`. `has_fields`: its values are fields, as in Go.
    `instead_of`: these releases write it where the model's step has the text of others.
    """

    text: str
    kind: EventKind | None
    places: str
    role: Role = Role.CLIENT
    releases: tuple[str, ...] = EVERY
    detail: str | None = None
    written_by: str = ""
    with_exception: bool = False
    has_fields: bool = False
    instead_of: str = ""

    @property
    def start(self) -> str:
        """What a message begins with: what stands in front of the first value, and what each such value begins with."""
        text, value, _ = self.text.partition("{}")
        return text + _BEGINS.get(self.places.partition(" ")[0], "") if value else text


_BEGINS = {
    "mq": "MessageQueue [topic=",
    "pull": "PullRequest [consumerGroup=",
    "first": "PullRequest [consumerGroup=",
    "channel": "ClientChannelInfo [channel=",
}

_ENDS_NAME = rb"(?=[|]?(?:[\s,\[\]\"'\\<>(){};@]|$))"
_NAME = rb"([%|\w-]*[%\w-])" + _ENDS_NAME
"""A group or a topic has these characters alone (TopicValidator, Validators); a `|` at its end is the layout's."""

_BROKER = rb"([%|\w.:-]*[\w-])" + _ENDS_NAME
_ID = rb"(\S+(?: (?!MessageQueue \[)\S+)*?)"
"""An id may have blanks; with a queue in it, it would be all that stands between two records in one line."""

_NUMBER = rb"(-?\d{1,18})"
_MQ = rb"MessageQueue \[topic=([^,\]]+), brokerName=([^,\]]+), queueId=(\d{1,9})\]"

_GROUPS: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "group": (_NAME, ("group",)),
    "client": (_ID, ("client",)),
    "topic": (_NAME, ("topic",)),
    "broker": (_BROKER, ("broker",)),
    "queue": (rb"(\d{1,9})", ("queue",)),
    "offset": (_NUMBER, ("offset",)),
    "other": (_NUMBER, ("other",)),
    "mq": (_MQ, ("topic", "broker", "queue")),
    "pull": (
        rb"PullRequest \[consumerGroup=([^,]+), messageQueue=" + _MQ + rb", nextOffset=" + _NUMBER + rb"\]",
        ("group", "topic", "broker", "queue", "offset"),
    ),
    "result": (
        rb"PullResult \[pullStatus=\w+, nextBeginOffset="
        + _NUMBER
        + rb", minOffset=(-?\d+, maxOffset=-?\d+), msgFoundList=[^\r\n]*?\]",
        ("other", "detail"),
    ),
    "queues": (rb"(\[[^\r\n]*\])", ("detail",)),
    "marks": (rb"(\{(?:[^{}\r\n]|\{(?:[^{}\r\n]|\{[^{}\r\n]*\})*\})*\})", ("detail",)),
    "key": (rb"([^\s,]*)@([^\s@,\[\]\"'\\]+)", ("topic", "group")),
    "first": (
        rb"PullRequest \[consumerGroup=([^,]+), messageQueue=" + _MQ + rb", nextOffset=-?\d+\]",
        ("group", "topic", "broker", "queue"),
    ),
    "channel": (
        rb"ClientChannelInfo \[channel=\[[^\]\r\n]*?/?([^\s/\]]+\], clientId=([^\r\n]+?), language=\w+, version=\d+)"
        rb"[^\]\r\n]*\]",
        ("detail", "client"),
    ),
    "detail": (_ID, ("detail",)),
    "name": (rb"(?!MessageQueue)([\w%|-]+)(?=[\s\"\[]|$)", ("topic",)),
    "debug": (rb"(?:Some\()?\"?([^\s,\"()\]]+)\"?\)?", ("group",)),
    "_": (rb"[^\r\n]*?", ()),
}
"""The pattern of each place, and the columns of its groups."""

COLUMNS = ("group", "client", "topic", "broker", "queue", "offset", "other", "detail")
"""The columns that a pattern fills, in the order in which `Pattern.fields` has their groups."""

Finish = Callable[[bytes], bytes]
Key = tuple[tuple[re.Pattern[bytes], ...], tuple[str, ...]]
"""The ways in which a field is written, and the columns that it fills."""


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A template as it is looked for: `fields` are numbers of groups, one for each of COLUMNS.

    A column that the template does not fill has the number of a group that never takes part. `loose` is the same text
    with anything for values: a message that fits it, and not `exact`, is malformed. `finish` makes `detail` of the
    text that was found.
    """

    template: Template
    exact: re.Pattern[bytes]
    loose: re.Pattern[bytes]
    fields: tuple[int, ...]
    finish: Finish | None = None
    keys: tuple[Key, ...] = ()

    @property
    def is_plain(self) -> bool:
        """Are its values what its groups have?"""
        return self.finish is None and not self.keys

    @property
    def has_one_event(self) -> bool:
        """Is the message always one event?"""
        return self.template.kind not in (None, EventKind.RESET_MARKED)

    def values(self, found: re.Match[bytes]) -> tuple[bytes | None, ...] | None:
        """A value for each of COLUMNS; None where a field is missing that the message has."""
        if self.keys:
            return _values_of_fields(self.keys, found.string, self.finish)
        *values, detail = found.group(*self.fields)
        return *values, self.finish(detail) if self.finish is not None and detail is not None else detail


def pattern_of(template: Template) -> Pattern:
    """The pattern of a template.

    >>> text = "doRebalance, {}, add a new mq, {}"
    >>> pattern = pattern_of(Template(text, EventKind.QUEUE_ADDED, "group mq"))
    >>> line = b"doRebalance, g, add a new mq, MessageQueue [topic=t, brokerName=b, queueId=3]"
    >>> pattern.exact.match(line).group(*pattern.fields)[:5]
    (b'g', None, b't', b'b', b'3')
    """
    if template.has_fields:
        return _pattern_with_fields(template)
    first, *literals = [re.escape(part.encode()) for part in template.text.split("{}")]
    exact, loose = [first], [first]
    columns: list[str] = []
    finish: Finish | None = None
    places = template.places.split()
    for number, place in enumerate(places):
        if not literals:
            raise ValueError(f"{template.text}: too many places")
        between = literals.pop(0) if place == "detail2" else b""
        literal = literals.pop(0)
        text, filled = _pattern_of(place, between)
        finish = _finish_of(place, between) or finish
        last = number == len(places) - 1 and not literal
        exact += [*_at_end(place, text)] if last else [text, literal]
        loose += [rb"[^\r\n]*?", literal]
        columns += filled
    if literals:
        raise ValueError(f"{template.text}: too few places")
    never = len(columns) + 1
    return Pattern(
        template,
        re.compile(b"".join(exact) + rb"(?:(?!)())?"),
        re.compile(b"".join(loose)),
        tuple(columns.index(column) + 1 if column in columns else never for column in COLUMNS),
        finish,
    )


_ENDS_NUMBER = rb"(?![\w.]|[-/:]\d| \d\d:\d\d)"
"""What cannot follow a value that ends a message; the rest of a stamp does where two lines have become one, and the
number then is no offset, but some of its digits and the stamp's."""

_ENDS_TEXT = rb"(?=\\?[\"'][,}\s]|[|]|\s+ex:|[\s\"'\]]*(?:\[[^\[\]\s]*:\d+\]\s*)?$)"


def _at_end(place: str, text: bytes) -> tuple[bytes, ...]:
    """A value that ends the message: a number with a letter behind it is none, and a text goes on to the end."""
    if place in ("offset", "other", "queue"):
        return text, _ENDS_NUMBER
    return (rb"(\S[^\r\n]*?)", _ENDS_TEXT) if place in ("client", "detail") else (text,)


def _pattern_of(place: str, between: bytes) -> tuple[bytes, tuple[str, ...]]:
    if place.startswith("="):
        return re.escape(place[1:].encode()), ()
    if place == "detail2":
        return rb"(\S+?" + between + rb"[^\s,\[\]\"'\\}]+)", ("detail",)
    return _GROUPS[place]


def _finish_of(place: str, between: bytes) -> Finish | None:
    if place == "result":
        return lambda found: found.replace(b", maxOffset=", b":")
    if place == "channel":
        return lambda found: re.sub(rb"\], clientId=.*, language=(\w+), version=", rb" \1 ", found)
    if place == "queues":
        return _broker_queues
    if place == "detail2":
        plain = re.sub(rb"\\(.)", rb"\1", between)
        return lambda found: found.replace(plain, b":")
    return None


_QUEUE = re.compile(rb"brokerName\\?\"?[=:]\s?\\?\"?([^,\]\"\\]+)\\?\"?,\s?\\?\"?queueId\\?\"?[=:]\s?(\d+)")


def _broker_queues(found: bytes) -> bytes:
    """A set of queues as broker:queue,broker:queue."""
    return b",".join(broker + b":" + queue for broker, queue in _QUEUE.findall(found))


def _pattern_with_fields(template: Template) -> Pattern:
    text = re.escape(template.text.encode())
    return Pattern(
        template,
        re.compile(text + rb"(?=[\s\"'\\|]|$)"),
        re.compile(text),
        (),
        _broker_queues if "queues=" in template.places else None,
        keys=tuple(_key_of(*place.split("=", 1)) for place in template.places.split() if "=" in place)
        + tuple(_key_of_word(*place.split(":")) for place in template.places.split() if ":" in place),
    )


_VALUES = {
    "group": (rb"([^\s,\"\\\]})]+)",),
    "topic": (rb"([^\s,\"\\\]})]+)",),
    "client": (rb"([^\s,\"\\\]})]+)",),
    "offset": (_NUMBER + _ENDS_NUMBER,),
    "detail": (rb"\"([^\"\\]*)", rb"([^\s,\"\\\]})]+)"),
    "queues": (rb"\"?(\[.*?\](?=[^,\]]*(?:[,}]\s*\"|\"|$|\s\w+=)))",),
    "mq": (
        _MQ,
        rb"\{\\?\"topic\\?\":\s?\\?\"([^\"\\]+)\\?\",\s?\\?\"brokerName\\?\":\s?\\?\"([^\"\\]+)\\?\",\s?"
        rb"\\?\"queueId\\?\":\s?(\d{1,9})",
    ),
}
"""How values of fields are written: as text, in quotes, or, of a queue, as an object."""


def _key_of(place: str, key: str) -> Key:
    begins = rb"(?<![\w])" + key.encode() + rb"\\?\"?\s?[=:]\s?\\?"
    quote = rb"" if place == "detail" else rb"\"?"
    columns = ("topic", "broker", "queue") if place == "mq" else ("detail",) if place == "queues" else (place,)
    return tuple(re.compile(begins + quote + value) for value in _VALUES[place]), columns


def _key_of_word(key: str, word: str) -> Key:
    return (re.compile(rb"(?<![\w])" + key.encode() + rb"\\?\"?\s?[=:]\s?\"?" + word.encode() + rb"\b"),), ()


def _values_of_fields(keys: tuple[Key, ...], line: bytes, finish: Finish | None) -> tuple[bytes | None, ...] | None:
    values: dict[str, bytes] = {}
    for patterns, columns in keys:
        found = next((match for pattern in patterns if (match := pattern.search(line))), None)
        if found is None and columns != ("detail",):
            return None
        if found is not None:
            values |= zip(columns, found.groups(), strict=True)
    if finish is not None and "detail" in values:
        values["detail"] = finish(values["detail"])
    return tuple(values.get(column) for column in COLUMNS)

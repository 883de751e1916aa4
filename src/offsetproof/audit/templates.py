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
    =WORD       this word and no other
    _           anything

`kind` None is of a message that the model's steps write and that is no event. The tables are in `client_lines.py`,
`broker_lines.py` and `other_client_lines.py`.
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
    `detail`.
    """

    text: str
    kind: EventKind | None
    places: str
    role: Role = Role.CLIENT
    releases: tuple[str, ...] = EVERY
    detail: str | None = None
    written_by: str = ""
    with_exception: bool = False

    @property
    def start(self) -> str:
        """What stands in front of the first value."""
        return self.text.partition("{}")[0]


_NAME = rb"([^\s,\]]+)"
_ID = rb"(\S+(?: \S+)*?)"
_NUMBER = rb"(-?\d{1,18})"
_MQ = rb"MessageQueue \[topic=([^,\]]+), brokerName=([^,\]]+), queueId=(\d{1,9})\]"

_GROUPS: dict[str, tuple[bytes, tuple[str, ...]]] = {
    "group": (_NAME, ("group",)),
    "client": (_ID, ("client",)),
    "topic": (_NAME, ("topic",)),
    "broker": (_NAME, ("broker",)),
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
    "marks": (rb"(\{[^\r\n]*\})", ("detail",)),
    "key": (rb"([^\s,]*)@([^\s@,\]]+)", ("topic", "group")),
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
    "_": (rb"[^\r\n]*?", ()),
}
"""The pattern of each place, and the columns of its groups."""

COLUMNS = ("group", "client", "topic", "broker", "queue", "offset", "other", "detail")
"""The columns that a pattern fills, in the order in which `Pattern.fields` has their groups."""

Finish = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
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
    finish: Finish | None


def pattern_of(template: Template) -> Pattern:
    """The pattern of a template.

    >>> text = "doRebalance, {}, add a new mq, {}"
    >>> pattern = pattern_of(Template(text, EventKind.QUEUE_ADDED, "group mq"))
    >>> line = b"doRebalance, g, add a new mq, MessageQueue [topic=t, brokerName=b, queueId=3]"
    >>> pattern.exact.match(line).group(*pattern.fields)[:5]
    (b'g', None, b't', b'b', b'3')
    """
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
        exact += [text, _ENDS.get(place, b"") if last else b"", literal]
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


_ENDS_NUMBER = rb"(?![\w.])"
_ENDS_TEXT = rb"(?=[\s\"'|\]]*$)"
_ENDS = {
    "offset": _ENDS_NUMBER,
    "other": _ENDS_NUMBER,
    "queue": _ENDS_NUMBER,
    "client": _ENDS_TEXT,
    "detail": _ENDS_TEXT,
}
"""What follows a value at the end of a message: a number with a letter in it is none, and a text goes on to the end."""


def _pattern_of(place: str, between: bytes) -> tuple[bytes, tuple[str, ...]]:
    if place.startswith("="):
        return re.escape(place[1:].encode()), ()
    if place == "detail2":
        return rb"(\S+?" + between + rb"\S+)", ("detail",)
    return _GROUPS[place]


def _finish_of(place: str, between: bytes) -> Finish | None:
    if place == "result":
        return lambda found: found.replace(b", maxOffset=", b":")
    if place == "channel":
        return lambda found: re.sub(rb"\], clientId=.*, language=(\w+), version=", rb" \1 ", found)
    if place == "queues":
        return lambda found: b",".join(broker + b":" + queue for broker, queue in _QUEUE.findall(found))
    if place == "detail2":
        plain = re.sub(rb"\\(.)", rb"\1", between)
        return lambda found: found.replace(plain, b":")
    return None


_QUEUE = re.compile(rb"brokerName=([^,\]]+), queueId=(\d+)")

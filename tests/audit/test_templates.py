"""Templates: the messages that the audit knows are those that the model's steps write, and each is read as it says."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from offsetproof.audit.event import EventKind
from offsetproof.audit.lines.layouts import CLIENT_4
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.lines.rows import Reading
from offsetproof.audit.lines.tables import PATTERNS, TEMPLATES
from offsetproof.audit.lines.templates import EVERY, Role, Template, pattern_of
from offsetproof.checking.catalogue import SINGLES
from offsetproof.lang.changes import model_of

_FLAG_OFF = "-client-reset"
"""Ends the name of a release that is another by its configuration alone."""


@cache
def _texts_of_model() -> frozenset[tuple[str, str]]:
    """Every text that a step of a model may log, with the release in which it does."""
    return frozenset(_each_of_model())


def _each_of_model() -> Iterator[tuple[str, str]]:
    for entry in SINGLES.values():
        for subject in entry.subjects:
            for release in subject.model.releases:
                for action in model_of(release, subject.model).actions.values():
                    if action.logs:
                        yield action.logs, release.name.removesuffix(_FLAG_OFF)


def _of_java() -> list[Template]:
    return [template for template in TEMPLATES if template.role in (Role.CLIENT, Role.BROKER)]


def test_every_message_of_the_model_is_known_in_its_release() -> None:
    """A step's `logs` is a template, or one is written instead of it in that release."""
    known = {
        (text, release) for each in _of_java() for text in (each.text, each.instead_of) for release in each.releases
    }
    assert _texts_of_model() - known == set()


def test_every_template_that_a_step_writes_is_in_the_model() -> None:
    """A template without `written_by` is some step's `logs`, in each of its releases that the model has."""
    modelled = {release for _, release in _texts_of_model()}
    missing = {
        (each.text, release)
        for each in _of_java()
        if not each.written_by
        for release in modelled & set(each.releases)
        if (each.instead_of or each.text, release) not in _texts_of_model()
    }
    assert missing == set()


def test_a_template_says_who_writes_it_only_where_no_step_does() -> None:
    """`written_by` stands for what the model leaves out; where a step has the text, the step says it."""
    twice = {
        (each.text, release)
        for each in _of_java()
        if each.written_by
        for release in each.releases
        if (each.text, release) in _texts_of_model()
    }
    assert twice == set()


def test_releases_are_those_of_the_models_and_the_last_before_them() -> None:
    """3.2.6 stands for all before 4.x, which no model has."""
    assert {release for _, release in _texts_of_model()} == set(EVERY) - {"3.2.6"}


def _example(template: Template) -> str:
    """The message with a value for each place."""
    text = template.text
    for place in () if template.has_fields else template.places.split():
        text = text.replace("{}", place.removeprefix("=") if place.startswith("=") else _VALUES[place], 1)
        if place == "detail2":
            text = text.replace("{}", "true", 1)
    if template.has_fields:
        named = (place.replace("=", ":").split(":") for place in template.places.split())
        text += " " + " ".join(
            f'{key}="{_VALUES[place]}"' if place in _VALUES else f"{place}={key}" for place, key in named
        )
    return text


_QUEUE = "MessageQueue [topic=orders, brokerName=broker-a, queueId=3]"
_VALUES = {
    "group": "billing",
    "client": "10.0.0.7@47#11",
    "topic": "orders",
    "broker": "broker-a",
    "queue": "3",
    "offset": "55",
    "other": "77",
    "mq": _QUEUE,
    "queues": f"[{_QUEUE}, {_QUEUE}]",
    "pull": f"PullRequest [consumerGroup=billing, messageQueue={_QUEUE}, nextOffset=55]",
    "first": f"PullRequest [consumerGroup=billing, messageQueue={_QUEUE}, nextOffset=9]",
    "result": "PullResult [pullStatus=OFFSET_ILLEGAL, nextBeginOffset=77, minOffset=1, maxOffset=99, msgFoundList=0]",
    "key": "orders@billing",
    "marks": '{"offsetTable":{{"brokerName":"broker-a","queueId":3,"topic":"orders"}:55}}',
    "channel": (
        "ClientChannelInfo [channel=[id: 0x1, L:/10.0.0.9:10911 - R:/10.0.0.7:5934], clientId=10.0.0.7@47#11, "
        "language=JAVA, version=401, lastUpdateTimestamp=1795876904457]"
    ),
    "detail": "/10.0.0.9:10911",
    "detail2": "1795876924243",
    "debug": 'Some("billing")',
    "name": "orders",
    "_": "anything, [at all] 4",
}
_COLUMNS = ("group", "client", "topic", "broker", "queue", "offset", "other", "detail")
_FILLS = {
    "mq": {"topic": "orders", "broker": "broker-a", "queue": "3"},
    "pull": {"group": "billing", "topic": "orders", "broker": "broker-a", "queue": "3", "offset": "55"},
    "first": {"group": "billing", "topic": "orders", "broker": "broker-a", "queue": "3"},
    "result": {"other": "77", "detail": "1:99"},
    "queues": {"detail": "broker-a:3,broker-a:3"},
    "key": {"topic": "orders", "group": "billing"},
    "marks": {"detail": _VALUES["marks"]},
    "channel": {"client": "10.0.0.7@47#11", "detail": "10.0.0.7:5934 JAVA 401"},
    "detail2": {"detail": "1795876924243:true"},
    "debug": {"group": "billing"},
    "name": {"topic": "orders"},
    "_": {},
}


def _fills(template: Template) -> dict[str, str]:
    filled: dict[str, str] = {}
    for place in template.places.split():
        name = place.split("=")[0] if template.has_fields else place
        if name.startswith("=") or ":" in name or not name:
            continue
        filled |= _FILLS.get(name, {name: _VALUES[name]} if name in _VALUES else {})
    return filled


@pytest.mark.parametrize("end", ["", "\r", '"}', "[run:12]"], ids=["end", "CR", "JSON", "function"])
@pytest.mark.parametrize("template", TEMPLATES, ids=lambda each: f"{each.role}: {each.text}"[:70])
def test_each_template_fills_its_columns(template: Template, end: str) -> None:
    """A message with a value at each place gives these values, whatever the layout has behind it."""
    if end == "[run:12]" and template.places.endswith("_"):
        end = ""
    pattern = pattern_of(template)
    line = (_example(template) + end).encode()
    found = pattern.exact.match(line)
    assert found is not None
    values = pattern.values(found)
    assert values is not None
    told = {name: value.decode() for name, value in zip(_COLUMNS, values, strict=True) if value is not None}
    assert told == _fills(template)


def test_each_message_is_read_as_its_own_template() -> None:
    """No other template of another kind takes it before; those of one text differ by a value."""
    for template in TEMPLATES:
        line = _example(template).encode()
        taken = next(
            (each for each in PATTERNS if (found := each.exact.match(line)) and each.values(found) is not None), None
        )
        assert taken is not None
        assert (taken.template.kind, taken.template.detail) == (template.kind, template.detail), template.text


@pytest.mark.parametrize("number", ["12x", "", "1.5", "-", "9" * 19])
def test_what_is_no_number_is_no_offset(number: str) -> None:
    """A cut or damaged number is not read as a smaller one."""
    text = "[persist] Group: g ClientId: c updateConsumeOffsetToBroker {} {}"
    pattern = next(each for each in PATTERNS if each.template.text.startswith("[persist] "))
    line = text.replace("{}", _QUEUE, 1).replace("{}", number).encode()
    assert pattern.exact.match(line) is None
    assert pattern.loose.match(line)


def test_a_template_with_too_few_or_too_many_places_is_refused() -> None:
    """The table is checked where it is made."""
    for places in ("group", "group mq offset"):
        with pytest.raises(ValueError, match=r"too (few|many) places"):
            pattern_of(Template("doRebalance, {}, add a new mq, {}", EventKind.QUEUE_ADDED, places))


def test_other_messages_of_a_known_start_are_unknown_and_cut_ones_malformed() -> None:
    """What is said of a group in other words is nobody's damage; a known message that ends early is."""
    others = (
        "doRebalance, billing, but the topic[orders] not exist.",
        "the consumer [billing] start beginning. messageModel=CLUSTERING, isUnitMode=false",
        "Fix Offset, billing, something else",
    )
    cut = (
        "doRebalance, billing, add a ne",
        f"doRebalance, billing, add a new mq, {_QUEUE[:30]}",
        "[persistAll] Group: billing Cli",
        f"[persist] Group: billing ClientId: 1@2 updateConsumeOffsetToBroker {_QUEUE}",
        "suspend this consumer, ",
    )
    for texts, told in ((others, (len(others), 0)), (cut, (0, len(cut)))):
        data = "".join(f"2024-06-01 08:00:00,125 INFO RocketmqClient - {text}\n" for text in texts).encode()
        parsed = parse(data, Reading("client.log", CLIENT_4))
        assert (parsed.unknown_lines, parsed.malformed_lines) == told, parsed.malformed

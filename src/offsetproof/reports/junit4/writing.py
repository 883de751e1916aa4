"""`show --format junit4`: a story as one test that brings all along, in the form of Apache RocketMQ's own unit tests.

The client's classes are real, and their threads' calls are the test's: a call runs in a thread of its own only where it
has to stop for another, and it stops at a semaphore. The test plays the broker: what is stored, and which offset is
committed. It needs JUnit 4, Mockito, and commons-lang3, as RocketMQ's own tests do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from importlib.resources import files
from itertools import takewhile
from textwrap import wrap
from typing import Any

from offsetproof.checking.replaying import Replayed
from offsetproof.checking.subject import load_subject
from offsetproof.conformance.on_release import OtherModelError, Prepared, prepare
from offsetproof.conformance.reproduced import found_of
from offsetproof.lang.changes import every_action
from offsetproof.reports.junit4.accepted import Expected, expected_at_end
from offsetproof.reports.junit4.turns import Turn, turns_of
from offsetproof.reports.regression import class_name
from offsetproof.traces.recorded_stories import recorded_name
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.prerequisite import NotForceableError

COVERED = "rocketmq"
"""The subject whose stories are written."""

_COLUMNS = 118
_BODY = " " * 8

CALLS: Mapping[str, tuple[str, frozenset[str]]] = {
    "rebalance": ("consumer{client}.impl.doRebalance()", frozenset({"answer_query", "with_error"})),
    "pull": ("consumer{client}.pull({pq_id})", frozenset()),
    "answer": ("consumer{client}.answerPull({pq_id}, {size})", frozenset({"size", "late"})),
    "task": ("consumer{client}.consume({pq_id}, {m})", frozenset({"listener", "ack_index", "throws", "fails"})),
    "persist": ("consumer{client}.impl.persistConsumerOffset()", frozenset()),
    "reset": ("consumer{client}.reset({target})", frozenset({"target", "interrupt", "answer_query"})),
    "running_info": ("consumer{client}.impl.consumerRunningInfo()", frozenset({"answer_query"})),
    "suspend": ("consumer{client}.impl.suspend()", frozenset()),
    "resume": ("consumer{client}.impl.resume()", frozenset({"answer_query"})),
    "shutdown": ("consumer{client}.impl.shutdown(0)", frozenset({"leaves"})),
    "repair": ("consumer{client}.repair({pq_id})", frozenset()),
    "execute_commit": ("executeCommit(consumer{client}, {place})", frozenset({"place"})),
    "receive_pull": ("receivePull(consumer{client}, {pq_id})", frozenset()),
}
"""What a test calls for a call of the rig, and what else it may be told."""

CHANGES: Mapping[str, str] = {
    "store": "maxOffset++",
    "retire": "minOffset++",
    "cool": "isCold = true",
    "allocate": "consumer{client}.allocated = {allocated}",
    "leave": "consumer{client}.die()",
    "start": 'consumer{client} = new Consumer("consumer{client}", consumer{client}.allocated, consumer{client})',
    "write_offset": "committedOffset = {offset}",
    "end_poll": "",
    "nothing": "",
}
"""What a test does for a change outside of threads."""

_ALWAYS = frozenset({"client", "pq_id", "m"})
_BROKERS = {
    "broker_executes_commit": "its own code makes a row",
    "flush": "the broker writes its file",
    "restart_broker": "the broker starts again",
    "restart_broker_in_order": "the broker starts again",
    "mark": "the broker marks a reset",
    "take_marker": "the broker answers a pull with a reset",
    "remove_offset": "the broker deletes a group",
    "neighbour_commit": "the broker makes a group's row",
}


def shown_junit4(trace: Trace, _outcome: Replayed) -> str:
    """The test class. NotForceableError where the story cannot be written so, with the reason."""
    try:
        story = prepare(trace.property.id, trace)
    except OtherModelError as error:
        raise NotForceableError(str(error)) from error
    if story.subject.name != COVERED:
        raise NotForceableError(
            f"the test plays no part of {story.subject.name}, only of {COVERED} (one group, one queue)"
            f"{_what_it_plays_not(story)}"
        )
    return _Writing(trace, story).text()


def _what_it_plays_not(story: Prepared) -> str:
    """The first step of a story of another subject that no story of the covered one has."""
    covered = {action.name for action in every_action(load_subject(COVERED).model)}
    actions = story.replay.reference.grown.actions
    odd = next((step for step in story.trace.steps if step.action not in covered), None)
    if odd is None:
        return f": its steps are called as some of {COVERED}'s, and done on another rig"
    return f": step {odd.number}, {odd.action}: {actions[odd.action].about.rstrip('.')}"


class _Writing:
    """One story's text."""

    def __init__(self, trace: Trace, story: Prepared) -> None:
        self._story = story
        self._name = _class_name(trace)
        self._settings = story.rigging.settings(story.question.setting.scope, story.trace.states[0])
        self._refuse_settings()
        self._refuse_fixes()
        self._turns = turns_of(story)
        self._expected = _deliveries_at_end(story) or expected_at_end(story)

    def _refuse_fixes(self) -> None:
        """The release's classes have no fix: what a story with one does there must have been seen on them."""
        found, fixes = found_of(self._story.subject, self._story.trace), self._story.trace.world.fixes
        if fixes and (found is None or not found.is_reproduced):
            why = f": {found.reason}" if found and found.reason else ""
            raise NotForceableError(
                f"the story has the fix {' and '.join(fixes)}, without which it may not happen{why}"
            )

    def _refuse_settings(self) -> None:
        for name in ("unmatched", "time_offset"):
            if self._settings[name]:
                raise NotForceableError(f"the test plays no broker with {name.replace('_', ' ')}")

    def text(self) -> str:
        """The whole file."""
        major = (self._story.trace.world.release or "")[0]
        body = "".join(self._body())
        place = {
            "ABOUT": "\n".join(f" * {line}".rstrip() for line in self._about()),
            "NAME": self._name,
            "TEST": "test" + self._name.removesuffix("Test"),
            "PROTOCOL": "common.protocol" if major == "4" else "remoting.protocol",
            "RUN_QUEUE": "pullRequestQueue" if major == "4" else "messageRequestQueue",
            "NOT_FOUND": "MQBrokerException" if major == "4" else "OffsetNotFoundException",
            "TOPIC": f'"{"%RETRY%FooBarGroup" if self._settings["retry_queue"] else "FooBar"}"',
            "COMMITTED": _java(self._settings["committed"]),
            "MIN": str(self._settings["min_offset"]),
            "MAX": str(self._settings["max_offset"]),
            "FIELDS": "".join(self._fields()),
            "INIT": "".join(self._init()),
            "BODY": body,
            "BATCH": str(self._settings["batch"]),
            "CONSUME_FROM": self._settings["consume_from"],
            "COLD": (" && maxOffset > 0" if major == "5" else "") + (" && !isCold" if self._is_cold else ""),
            "STORE": self._store(),
            "TABLE": _TABLE if "putIfAbsent" in self._stops else "",
            "STOP_MAX": self._stop_at("getMaxOffset"),
            "STOP_UNREGISTER": self._stop_at("unregisterClient"),
            "STOP_QUERY": self._stop_at("queryConsumerOffset"),
            "STOP_QUERIED": self._stop_at("queryConsumerOffset answered"),
            "STOP_MEMBERS": self._stop_at("getConsumerIdListByGroup"),
            "STATS": _STATS if "incConsumeFailedTPS" in self._stops else "",
            "STOP_LISTENER": self._stop_at("consumeMessage"),
        }
        text = re.sub("@([A-Z_]+)@", lambda match: place[match[1]], _template())
        return _with_imports_used(_with_members_used(text))

    @property
    def _stops(self) -> frozenset[str]:
        return frozenset(turn.stop for turn in self._turns if turn.stop is not None)

    @property
    def _is_cold(self) -> bool:
        return bool(self._settings["cold"]) or any(step.call == "cool" for turn in self._turns for step in turn.steps)

    def _stop_at(self, place: str) -> str:
        return f'stopAt("{place}");\n{_BODY}        ' if place in self._stops else ""

    def _store(self) -> str:
        real = "new RemoteBrokerOffsetStore(mQClientFactory, GROUP)"
        return _HELD_STORE if any(stop.startswith("OffsetStore.") for stop in self._stops) else real

    def _about(self) -> Iterator[str]:
        trace = self._story.trace
        yield from wrap(
            f"{trace.property.name} ({trace.property.id}) in RocketMQ {trace.world.release}: a story of "
            f"{quantity(trace.length, 'step')} that offsetproof has found. Fails as long as the client does what the "
            "story says. Numbers are those of the story's steps.",
            _COLUMNS,
        )

    def _fields(self) -> Iterator[str]:
        if self._is_cold:
            yield f"    private boolean isCold = {_java(self._settings['cold'])};\n"
        for client in range(self._settings["clients"]):
            yield f"    private Consumer consumer{client};\n"
        yield "\n"

    def _init(self) -> Iterator[str]:
        for client in range(self._settings["clients"]):
            own = _java(self._settings["allocated"][client])
            yield f'{_BODY}consumer{client} = new Consumer("consumer{client}", {own}, null);\n'

    def _body(self) -> Iterator[str]:
        held = {turn.thread for turn in self._turns if turn.thread is not None and self._is_held(turn)}
        for turn in self._turns:
            yield from self._comments(turn)
            for line in self._lines(turn, turn.thread in held):
                yield f"{_BODY}{line};\n"
        yield f"\n{_BODY}Long actual = {_as_long(self._expected.java)};\n"
        expected = self._expected
        said = f"{self._story.trace.property.name}: {expected.java} is to be {expected.words}, and is "
        yield f'{_BODY}assertTrue("{said}" + actual, {expected.condition});\n'

    def _is_held(self, turn: Turn) -> bool:
        return turn.stop is not None or turn.steps[0].call == "reset"

    def _comments(self, turn: Turn) -> Iterator[str]:
        actions = self._story.replay.reference.grown.actions
        for step in turn.steps:
            yield from (
                f"{_BODY}// {line}\n"
                for line in wrap(f"{step.number}. {step.action}: {actions[step.action].about}", _COLUMNS - 11)
            )

    def _lines(self, turn: Turn, is_held: bool) -> Iterator[str]:
        if turn.thread is None:
            (step,) = turn.steps
            if step.call not in CHANGES:
                raise NotForceableError(f"step {step.number}, {step.action}: {_why_not(step.call)}")
            if step.values.get("ends"):
                raise NotForceableError(
                    f"step {step.number}, {step.action}: rests on a fix, which the client does not have"
                )
            values = {name: value if name == "client" else _java(value) for name, value in step.values.items()}
            line = CHANGES[step.call or ""].format(**values)
            yield from [line] if line else []
            return
        yield from self._instructions(turn)
        call = self._call(turn)
        name = f"call{turn.thread}"
        if not is_held:
            yield call
            return
        if turn.begins:
            yield f"Held {name} = new Held(() -> {call})"
        yield f'{name}.runTo("{turn.stop}")' if turn.stop else f"{name}.finish()"
        if "with_error" in turn.values:
            yield f"consumer{turn.values['client']}.fails = false"

    def _call(self, turn: Turn) -> str:
        """The call that the turn's thread runs."""
        first = next(each for each in self._turns if each.thread == turn.thread).steps[0]
        if first.call not in CALLS:
            raise NotForceableError(f"step {first.number}, {first.action}: {_why_not(first.call)}")
        return CALLS[first.call or ""][0].format(**{"place": 0, "size": 1, **first.values})

    def _instructions(self, turn: Turn) -> Iterator[str]:
        """What the listener, or the broker, is told before a turn."""
        first = next(each for each in self._turns if each.thread == turn.thread).steps[0]
        known = _ALWAYS | CALLS.get(first.call or "", ("", _ALWAYS))[1]
        for step in turn.steps:
            if "offset" in step.values or step.call in _BROKERS:
                raise NotForceableError(f"step {step.number}, {step.action}: {_why_not(step.call)}")
            strange = [name for name, value in step.values.items() if name not in known and value]
            if strange:
                raise NotForceableError(
                    f"step {step.number}, {step.action}: the test plays no {strange[0].replace('_', ' ')}"
                )
            if step.values.get("throws"):
                raise NotForceableError(f"step {step.number}, {step.action}: the test's listener throws nothing")
        consumer, values = f"consumer{turn.values.get('client')}", turn.values
        if values.get("with_error") or values.get("fails"):
            yield f"{consumer}.fails = true"
        if values.get("listener", "CONSUME_SUCCESS") != "CONSUME_SUCCESS":
            yield f"{consumer}.status = ConsumeConcurrentlyStatus.{values['listener']}"
        if values.get("ack_index") is not None:
            yield f"{consumer}.ackIndex = {values['ack_index']}"


_TABLE = """            FieldUtils.writeField(rebalanceImpl, "processQueueTable",
                new ConcurrentHashMap<MessageQueue, ProcessQueue>() {
                    @Override
                    public ProcessQueue putIfAbsent(MessageQueue key, ProcessQueue value) {
                        stopAt("putIfAbsent");
                        return super.putIfAbsent(key, value);
                    }
                }, true);
"""
_STATS = """            ConsumerStatsManager consumerStatsManager =
                mock(ConsumerStatsManager.class, withSettings().defaultAnswer(call -> {
                    stopAt(call.getMethod().getName());
                    return RETURNS_DEFAULTS.answer(call);
                }).stubOnly());
            FieldUtils.writeDeclaredField(mQClientFactory, "consumerStatsManager", consumerStatsManager, true);
"""
_HELD_STORE = """mock(RemoteBrokerOffsetStore.class, withSettings()
                .useConstructor(mQClientFactory, GROUP)
                .defaultAnswer(call -> {
                    if (!Arrays.asList(call.getArguments()).contains(OTHER_QUEUE)) {
                        stopAt("OffsetStore." + call.getMethod().getName());
                    }
                    return call.callRealMethod();
                })
                .stubOnly())"""


def _class_name(trace: Trace) -> str:
    """The test class, with the story's name where it is a recorded one: `BackwardResetStaysI5LatePollTest`."""
    story = (recorded_name(trace) or "").removeprefix(trace.property.id)
    return class_name(trace).removesuffix("Test") + "".join(map(str.capitalize, story.split("-"))) + "Test"


def _deliveries_at_end(story: Prepared) -> Expected | None:
    """How often the last step's message is to be delivered, where that step delivers it; else None."""
    last = story.trace.steps[-1]
    if last.action != "task_starts":
        return None
    if story.question.setting.scope.batch != 1:
        raise NotForceableError("the claim is about how often a message of a larger batch is delivered")
    c, m = last.args["c"], last.args["m"]
    before = takewhile(lambda step: step.label != ("consumer_starts", (("c", c),)), reversed(story.trace.steps))
    times = sum(step.action == "task_starts" and (step.args["c"], step.args["m"]) == (c, m) for step in before)
    java = f"Collections.frequency(consumer{c}.delivered, {m}L)"
    return Expected("delivered", java, times, tuple(range(times)))


def _why_not(call: str | None) -> str:
    return (
        f"{_BROKERS[call]}, and the test plays the broker" if call in _BROKERS else f"the test has nothing for {call}"
    )


def _as_long(java: str) -> str:
    return f"(long) {java}" if java.startswith("Collections.") else java


def _java(value: Any) -> str:
    if value is None:
        return "null"
    return str(value).lower() if isinstance(value, bool) else f"{value}L" if isinstance(value, int) else str(value)


def _template() -> str:
    return (files("offsetproof.reports.junit4") / "Story.java").read_text(encoding="utf-8")


def _with_members_used(text: str) -> str:
    """The text with those of its members, marked `//% name` or `//%% name`, that something in it names."""
    first, *rest = re.split(r"^(//%%? ?\w*)\n", text, flags=re.MULTILINE)
    parts = [("", first), *((mark.lstrip("/% "), part) for mark, part in zip(rest[::2], rest[1::2], strict=True))]
    used = {""}
    while True:
        there = "".join(part for name, part in parts if name in used)
        more = {name for name, _ in parts if name and re.search(rf"\b{name}\b", there)} - used
        if not more:
            return there
        used |= more


def _with_imports_used(text: str) -> str:
    """The text without imports of what it does not name."""

    def is_used(line: str) -> bool:
        match = re.fullmatch(r"import (?:static )?[\w.]+\.(\w+);\n", line)
        return match is None or len(re.findall(rf"\b{match[1]}\b", text)) > 1

    return re.sub(r"\n{3,}", "\n\n", "".join(line for line in text.splitlines(keepends=True) if is_used(line)))

"""Anybody's OffsetStore against the contract: RocketMQ's two agree, one of a test's own agrees until it is broken."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from offsetproof.conformance.stores import conform_store, store_components
from offsetproof.lang.subject import NoSubjectError
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformance
from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START, find_jdk

STORE = Path(__file__).parent / "java" / "TableOffsetStore.java"
CLASS = "com.acme.TableOffsetStore"

Compiled = Callable[..., str]


@pytest.fixture
def compiled(published: Callable[[str], JarSet], tmp_path: Path) -> Compiled:
    """Compiles the test's own store with something else in its text; the class path for it."""

    def compile_with(*changes: tuple[str, str]) -> str:
        text = STORE.read_text(encoding="utf-8")
        for before, after in changes:
            assert text.count(before) == 1, before
            text = text.replace(before, after)
        source = tmp_path / STORE.name
        source.write_text(text, encoding="utf-8")
        command = [
            find_jdk().javac,
            f"-J{QUICK_START}",
            "-nowarn",
            "-d",
            str(tmp_path),
            "-cp",
            published("4.9.4").class_path,
            str(source),
        ]
        subprocess.run(command, check=True, capture_output=True)
        return str(tmp_path)

    return compile_with


def conformed(rig: CompiledRig, steps: int, class_path: str, component: str = "offset-store") -> Conformance:
    return conform_store(rig, component, CLASS, class_path, steps=steps, seed=1).result


@pytest.mark.parametrize("component", ["offset-store", "broadcast-offset-store"])
def test_rocketmq_s_own_stores_agree(rig: CompiledRig, component: str) -> None:
    done = conform_store(rig, component, steps=300, seed=2)
    assert (done.component, done.result.steps, done.result.disagreements) == (
        store_components()[component],
        300,
        [],
    )
    assert len(done.result.taken) == 9


@pytest.mark.slow
@pytest.mark.parametrize("component", ["offset-store", "broadcast-offset-store"])
def test_rocketmq_s_own_stores_agree_for_long(rig: CompiledRig, component: str) -> None:
    done = conform_store(rig, component, steps=5_000, seed=3)
    assert (done.result.steps, done.result.disagreements) == (5_000, [])


def test_store_of_one_kind_is_none_of_the_other(rig: CompiledRig) -> None:
    remote = store_components()["offset-store"]
    done = conform_store(rig, "broadcast-offset-store", remote, steps=300, seed=2)
    assert len(done.result.disagreements) == 1


@pytest.mark.slow
def test_store_in_a_table_of_one_s_own_agrees(rig: CompiledRig, compiled: Compiled) -> None:
    result = conformed(rig, 400, compiled())
    assert (result.steps, result.disagreements) == (400, [])


_RAISES = "increaseOnly ? Math.max(held, offset) : offset"
_MERGES = f"cells.merge(queue, offset, (held, given) -> {_RAISES});"
_LOSES = (
    "Long held = cells.get(queue); Thread.yield(); "
    "cells.put(queue, increaseOnly && held != null ? Math.max(held, offset) : offset);"
)
_CLEARS = "    cells.clear();"
_PERSISTS = "      DATABASE.put(key(queue), cells.get(queue));"
_REMOVES = "    cells.remove(queue);"
BROKEN = {
    "increase-only is ignored": (_RAISES, "offset"),
    "a plain update only raises": (_RAISES, "Math.max(held, offset)"),
    "raises of several threads are lost": (_MERGES, _LOSES),
    "persistAll keeps unlisted cells": ("cells.keySet().retainAll(queues);", ""),
    "persistAll persists unlisted cells": ("if (queues.contains(queue)) {", "if (true) {"),
    "persistAll of none clears all": ("if (queues == null || queues.isEmpty()) {", "if (queues == null) {"),
    "persist does nothing": (_PERSISTS, ""),
    "removeOffset deletes what is stored": (_REMOVES, f"{_REMOVES} DATABASE.remove(key(queue));"),
    "memory first never asks the store": ("held == null ? readStored(queue) : held", "held == null ? -1 : held"),
    "a read from the store leaves memory": ("      cells.put(queue, stored);", ""),
    "the key has no broker": (
        'return group + "/" + queue;',
        'return group + "/" + queue.getTopic() + queue.getQueueId();',
    ),
    "the key has no topic": (
        'return group + "/" + queue;',
        "return group + queue.getBrokerName() + queue.getQueueId();",
    ),
    "what is stored has 32 bits": (_PERSISTS, "      DATABASE.put(key(queue), (long) cells.get(queue).intValue());"),
    "the clone has all topics": ("topic != null && !topic.equals(queue.getTopic())", "topic == null"),
    "the clone is the table": (
        "Map<MessageQueue, Long> table = new HashMap<>(cells);",
        "Map<MessageQueue, Long> table = cells;",
    ),
    "load makes a cell": (_CLEARS, 'cells.put(new MessageQueue("topic", "broker", 0), 2L);'),
}
"""What is broken, as a change of the store's text."""

RACES = ("raises of several threads are lost",)
"""What threads do at once is not always seen where steps are left out, so these are caught by more steps at times."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", BROKEN)
def test_broken_store_is_caught(rig: CompiledRig, compiled: Compiled, fault: str) -> None:
    (found,) = conformed(rig, 2_000, compiled(BROKEN[fault])).disagreements
    assert len(found.steps) <= 6 or fault in RACES


def test_store_that_ignores_increase_only_is_caught_at_a_raise(rig: CompiledRig, compiled: Compiled) -> None:
    (found,) = conformed(rig, 400, compiled(BROKEN["increase-only is ignored"])).disagreements
    assert len(found.steps) <= 2
    if found.steps[-1][0] == "consumer_raises_offset":
        assert found.field is not None
        assert found.field.endswith(".cell")
    else:  # which thread of several comes last is not ours to say
        assert found.steps[-1][0] == "threads_raise_offsets"
        assert "threads raised a queue to" in found.reason


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("com.acme.NoSuchStore", "there is no class com.acme.NoSuchStore on the class path"),
        ("java.lang.String", "java.lang.String is not an OffsetStore"),
    ],
)
def test_class_that_cannot_be_tried_is_refused(rig: CompiledRig, name: str, why: str) -> None:
    with pytest.raises(NoSubjectError, match=why):
        conform_store(rig, "offset-store", name, steps=10, seed=1)

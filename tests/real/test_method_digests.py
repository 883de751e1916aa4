"""Digests of methods: the same for what the compiler numbers otherwise, others for what does something else."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from real.patched import Patched
from real.stories import RELEASE, story

from offsetproof.conformance.drift import Drift, drift_of
from offsetproof.lang.anchor import at
from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START, find_jdk
from offsetproof.real.method_digests import AnchoredMethod, changed_bodies, digest_of
from offsetproof.real.own_classes import read_class_path
from offsetproof.real.program import ClassFolder, JavaProgram

BEFORE = """
class Queue {
  private final java.util.List<Integer> held = new java.util.ArrayList<>();
  Runnable filler(int n) { return () -> held.add(n); }
  void clear() { held.clear(); }
  int kind(String name) { switch (name.length()) { case 1: return 5; case 70: return 6; default: return 7; } }
  class Inner { int count() { return held.size(); } }
}
"""
RENUMBERED = """
// A line more, a constant and a lambda before, another accessor's number.
class Queue {
  private static final String NAME = "q" + System.nanoTime();
  private final java.util.List<Integer> held = new java.util.ArrayList<>();
  private int hidden() { return 1; }
  Runnable other() { return () -> System.out.println(NAME); }
  Runnable filler(int n) { return () -> held.add(n); }
  void clear() { held.clear(); }

  int kind(String name) { switch (name.length()) { case 1: return 5; case 70: return 6; default: return 7; } }
  class Inner { int more() { return hidden(); } int count() { return held.size(); } }
}
"""
SUMS = """
class Queue {
  int sum(java.util.List<Integer> held) {
    int all = 0;
    for (int each : held) {
      if (each > 3)
        all += each;
    }
    Runnable shown = () -> {
      System.out.println("first");
      System.out.println("second");
    };
    shown.run();
    return all;
  }
}
"""
METHODS = ("Queue.filler", "Queue.clear", "Queue.kind", "Queue.Inner.count")


def digests(folder: Path, source: str) -> dict[str, str]:
    """The digests of the methods of a source, as Java 8 has them."""
    program = compiled(folder, source)
    return {each: digest_of(AnchoredMethod(*each.rsplit(".", 1)), program) for each in METHODS}


def compiled(folder: Path, source: str) -> JavaProgram:
    """The classes of a source, as Java 8 has them."""
    folder.mkdir()
    (folder / "Queue.java").write_text(source)
    subprocess.run(
        [find_jdk().javac, f"-J{QUICK_START}", "-g", "--release=8", "-Xlint:-options", "Queue.java"],
        cwd=folder,
        check=True,
    )
    return JavaProgram([ClassFolder("it", folder)])


@pytest.mark.parametrize(("old", "new", "changed"), [
    ("held.add(n)", "held.remove(n)", ["Queue.filler"]),
    pytest.param("void clear", "synchronized void clear", ["Queue.clear"], marks=pytest.mark.slow),
    pytest.param("case 70", "case 71", ["Queue.kind"], marks=pytest.mark.slow),
    pytest.param("return 5", "return 4", ["Queue.kind"], marks=pytest.mark.slow),
    pytest.param("held.size()", "held.size() - 1", ["Queue.Inner.count"], marks=pytest.mark.slow),
])  # fmt: skip
def test_digest_is_of_what_the_method_does(tmp_path: Path, old: str, new: str, changed: list[str]) -> None:
    before, after = digests(tmp_path / "before", BEFORE), digests(tmp_path / "after", RENUMBERED.replace(old, new))
    assert digests(tmp_path / "moved", RENUMBERED) == before
    assert [method for method in METHODS if before[method] != after[method]] == changed


@pytest.mark.parametrize(("old", "new", "lines"), [
    ("each > 3", "each >= 3", [6]),
    ("    int all = 0;", "    int all = 0;\n    all += 1;", [5]),
    ("        all += each;", "        if (each > 7) all += each;", [7]),
    ('"second"', '"third"', [None, 11]),
    ('      System.out.println("second");\n', "", [None, 11]),
    ("int sum", "synchronized int sum", [4]),
    ("int sum(java.util.List<Integer> held)", "int sum(java.util.Set<Integer> held)", [4]),
])  # fmt: skip
def test_line_of_a_change_is_that_of_the_first_operation_that_differs(
    tmp_path: Path, old: str, new: str, lines: list[int | None]
) -> None:
    """Jumps over what has changed differ before it. A body in which only a lambda does something else has no line."""
    assert old in SUMS
    before, after = compiled(tmp_path / "before", SUMS), compiled(tmp_path / "after", SUMS.replace(old, new))
    assert [line for _, line in changed_bodies(AnchoredMethod("Queue", "sum"), after, before)] == lines


@pytest.fixture
def drift(published: Callable[[str], JarSet], patched: Patched) -> Callable[..., Drift]:
    """The drift of changed classes from 4.9.4."""
    subject = story("I5-late-poll").subject
    return lambda *changes: drift_of(subject, RELEASE, read_class_path(str(patched(*changes)), published(RELEASE)))


@pytest.mark.slow
def test_class_that_does_the_same_on_other_lines_has_not_drifted(drift: Callable[..., Drift]) -> None:
    found = drift("moved-lines")
    assert (found.is_any, found.by_action, found.places) == (False, {}, ())


def test_changed_method_is_told_with_the_actions_that_stand_for_it(drift: Callable[..., Drift]) -> None:
    found = drift("callback-checks-dropped", "commit-makes-row-atomically")
    assert list(map(str, found.changed)) == [
        "ConsumerOffsetManager.commitOffset", "DefaultMQPushConsumerImpl.PullCallback.onSuccess",
    ]  # fmt: skip
    assert (found.missing, found.new, found.beside) == ((), (), ())
    assert {"poll_finds_messages", "broker_executes_commit"} <= found.by_action.keys()
    assert "rebalance_drops_queue" not in found.by_action
    (called_back,) = found.by_action["poll_is_illegal"]
    assert str(called_back) == "DefaultMQPushConsumerImpl.PullCallback.onSuccess"
    (begins,) = (place for place in found.places if place.java_class.endswith("DefaultMQPushConsumerImpl$1"))
    assert [line.line for line, _ in found.lines] == [129, 312]
    assert found.ran([begins], []) == {called_back}
    assert found.ran([], [begins]) == frozenset()


def test_method_that_is_gone_is_missing_and_what_no_action_stands_for_is_told_apart(
    drift: Callable[..., Drift],
) -> None:
    found = drift("no-remove")
    assert [(str(anchor), why) for anchor, why in found.missing] == [
        ("ProcessQueue.removeMessage", "ProcessQueue has no method removeMessage"),
    ]
    assert (at("ProcessQueue", "removeMessage").method, found.changed) == ("removeMessage", ())
    assert list(map(str, found.beside)) == ["ProcessQueue.removeMessageNow"]
    assert list(map(str, found.by_action["task_removes_message"])) == ["ProcessQueue.removeMessage"]
    assert list(map(str, found.ran(found.places, []))) == ["ProcessQueue.removeMessageNow"]

"""`judge` as users run it: which causes a patch removes, which it leaves, and what the model says of other claims."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.program import run
from real.patched import patch
from systems.schemas import read_valid

from offsetproof.real.jars import JarSet
from offsetproof.traces.recorded_stories import recorded_traces

FIX = "--fix=row-made-atomically"


@pytest.fixture(scope="module")
def patched(published: Callable[[str], JarSet], tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Folders with changed classes of 4.9.4."""
    return lambda *changes: patch(published("4.9.4"), tmp_path_factory.mktemp("classes"), *changes)


def judge(classes: Path, claim: str, *args: str) -> tuple[int, dict[str, Any]]:
    """The code and the document."""
    ran = run("judge", claim, f"--classpath={classes}", "--format=json", "--no-progress", *args)
    assert ran.err == ""
    return ran.code, read_valid("judge", ran.out)


def causes(document: dict[str, Any]) -> dict[str, str]:
    """What became of each recorded cause."""
    return {row["trace"]: row["verdict"] for row in document["judged"]}


@pytest.mark.slow
def test_patch_that_makes_the_row_atomically_removes_the_cause_and_breaks_nothing(
    patched: Callable[[str], Path],
) -> None:
    code, document = judge(
        patched("commit-makes-row-atomically"), "I11", FIX, "--keep=I11", "--keep=I13", "--steps=200"
    )
    assert (code, causes(document), document["claim"]) == (
        0, {"I11-row-put-twice": "removed"}, "first-commits-of-two-queues-survive",
    )  # fmt: skip
    (row,) = document["judged"]
    assert (row["base"]["outcome"], row["patch"]["outcome"], row["patch"]["step"]) == ("reproduced", "diverged", 7)
    assert row["patch"]["end"] == {"field": "broker.committed", "model": None, "real": 0}
    assert [held["disagreements"] for held in document["conformance"]] == [0]
    assert (document["breaks"], document["repairs"]) == ([], [{"property": "I11", "scope": "first-commits"}])
    assert (document["asked"], document["contradicting"]) == (2, [])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code", "becomes", "why"),
    [
        ("commit-puts-in-helper", 20, "left", ""),
        ("commit-is-locked", 0, "removed", ""),
        ("commit-asks-otherwise", 30, "unknown", "ConsumerOffsetManager.commitOffset (get) is gone"),
        ("commit-on-one-line", 30, "unknown", "are on one line, so no thread can be held between them"),
        ("unused-overload", 30, "unknown", "(put) there are 5 where the release has 3, so it is not known where"),
        ("commit-and-query-are-locked", 30, "unknown", "an error was thrown where they part"),
        ("processor-is-locked", 30, "unknown", "updateConsumerOffset has changed, but the rig does not run it"),
    ],
)
def test_refactoring_removes_nothing_and_a_lock_does(
    patched: Callable[[str], Path], change: str, code: int, becomes: str, why: str
) -> None:
    """The get and the put of a row are two steps, between which the story holds a thread."""
    found, document = judge(patched(change), "I11", "--steps=0")
    assert (found, causes(document)) == (code, {"I11-row-put-twice": becomes})
    assert why in (document["judged"][0]["why"] or "")


@pytest.mark.slow
def test_story_that_ends_with_a_listener_does_not_happen_where_none_starts(patched: Callable[[str], Path]) -> None:
    """What a listener does is in no field."""
    ran = run("judge", "orderly", "I9", f"--classpath={patched('listener-never-starts')}",
              "--steps=0", "--format=json", "--no-progress")  # fmt: skip
    assert (ran.code, ran.err) == (30, "")
    document = read_valid("judge", ran.out)
    assert {*causes(document).values()} == {"unknown"}
    assert all("the story's last step changes nothing that both sides show" in row["why"] for row in document["judged"])


@pytest.mark.slow
def test_patch_that_is_not_the_fix_it_is_said_to_be_is_found_out_by_the_story(patched: Callable[[str], Path]) -> None:
    """Conformance does not see that: classes that are not fixed do what the fixed model does as well."""
    code, document = judge(patched("moved-lines"), "I11", FIX, "--keep=I11", "--steps=200")
    assert (code, causes(document)) == (20, {"I11-row-put-twice": "left"})
    assert document["contradicting"] == ["I11-row-put-twice"]
    assert [held["disagreements"] for held in document["conformance"]] == [0]


@pytest.mark.slow
def test_patch_of_which_nobody_tried_whether_it_is_the_fix_is_unknown(patched: Callable[[str], Path]) -> None:
    code, document = judge(patched("commit-makes-row-atomically"), "I11", FIX, "--keep=I11", "--steps=0")
    assert (code, causes(document), document["conformance"]) == (30, {"I11-row-put-twice": "removed"}, [])
    assert (document["repairs"], document["unknown"]) == ([], [{"property": "I11", "scope": "first-commits"}])
    assert document["unproven"] == "conformance took no step (--steps 0)"


@pytest.mark.slow
def test_method_that_changed_and_never_ran_leaves_the_rest_unknown(patched: Callable[..., Path]) -> None:
    """The rig plays the broker's processor: nobody knows what its patch does to a claim."""
    classes = patched(
        "commit-makes-row-atomically", "org/apache/rocketmq/broker/processor/PullMessageProcessor.processRequest"
    )
    code, document = judge(classes, "I11", FIX, "--keep=I11", "--steps=200")
    assert (code, document["never_ran"]) == (30, ["PullMessageProcessor.processRequest"])
    assert causes(document) == {"I11-row-put-twice": "removed"}


@pytest.mark.parametrize(
    ("change", "never_ran"),
    [
        ("pulls-never-expire", ["ProcessQueue.isPullExpired"]),
        ("dropped-is-not-volatile", ["ProcessQueue.<fields>"]),
        pytest.param("query-of-all-clears", ["ConsumerOffsetManager.queryOffset"], marks=pytest.mark.slow),
    ],
)
def test_method_that_changed_is_told_where_another_overload_ran_or_none_is_another_one(
    patched: Callable[..., Path], change: str, never_ran: list[str]
) -> None:
    ran = run(
        "judge",
        "--trace=I11-row-put-twice",
        f"--classpath={patched(change)}",
        "--steps=0",
        "--format=json",
        "--no-progress",
    )
    document = read_valid("judge", ran.out)
    assert (ran.code, causes(document), document["never_ran"]) == (20, {"I11-row-put-twice": "left"}, never_ran)


def test_trace_that_its_model_no_longer_does_is_unknown(tmp_path: Path) -> None:
    """20 would say that the story happens."""
    document = json.loads(recorded_traces()["I3-overtaken-by-pull"].read_text(encoding="utf-8"))
    document["trace"]["steps"][-1]["changed"]["broker.committed"][1] += 1
    file = tmp_path / "trace.json"
    file.write_text(json.dumps(document))
    ran = run("judge", "--trace", file, "--classpath=x", "--steps=0", "--no-progress")
    assert (ran.code, ran.out) == (30, "")
    assert "trace.json: DOES NOT REPLAY on the model: after step 16 broker.committed is 0, not 1" in ran.complaint


@pytest.mark.slow
def test_difference_that_nothing_changed_explains_is_unknown(patched: Callable[[str], Path]) -> None:
    """The rig calls a method that is gone: nobody knows what the story would be."""
    code, document = judge(patched("no-remove"), "I7", "--steps=0")
    assert (code, causes(document)) == (30, {"I7-stalled-task": "unknown"})
    assert document["drift"]["missing"] == [
        {"place": "ProcessQueue.removeMessage", "reason": "ProcessQueue has no method removeMessage"},
    ]  # fmt: skip


@pytest.mark.slow
def test_callback_that_checks_dropped_removes_two_causes_of_a_lost_reset(patched: Callable[[str], Path]) -> None:
    classes = patched("callback-checks-dropped")
    expected = "--expect=removed=I5-late-poll,I5-one-cpu"
    code, document = judge(classes, "I5", "--fix=poll-checks-dropped", "--keep=I5", "--steps=300", expected)
    found = causes(document)
    removed = [name for name, cause in found.items() if cause == "removed"]
    assert (code, removed, {*found.values()}) == (0, ["I5-late-poll", "I5-one-cpu"], {"removed", "left"})
    assert len(found) == 14
    assert [held["disagreements"] for held in document["conformance"]] == [0] * 7
    assert [row["scope"] for row in document["repairs"]] == ["calm-reset", "one-cpu"]
    assert (document["breaks"], document["contradicting"]) == ([], [])


@pytest.mark.slow
def test_what_a_rename_instead_of_a_delete_does_is_not_known(
    patched: Callable[[str], Path],
) -> None:
    """string2File does not delete before it renames: steps behind the one that is gone begin where they did.

    What a power failure leaves is not the classes' doing: the rig does not know what the patch forces to the disk.
    """
    ran = run("judge", "offset-files", "I12-loads-two-threads", f"--classpath={patched('renames-over')}",
              "--steps=0", "--format=json", "--no-progress")  # fmt: skip
    document = read_valid("judge", ran.out)
    assert (ran.code, ran.err) == (30, "")
    assert document["drift"]["missing"] == [
        {"place": "MixAll.string2File (delete)", "reason": "MixAll.string2File has no delete"}
    ]
    told = {
        row["trace"]: (row["verdict"], row["patch"]["step"], row["why"].partition(",")[0]) for row in document["judged"]
    }
    assert told == {
        "I12-loads-power-neither-file": (
            "unknown", None, "the rig plays power_fails as the release's MixAll.string2File has it"
        ),
        "I12-loads-two-threads-torn-file": ("unknown", 17, "MixAll.string2File (delete) is gone"),
    }  # fmt: skip


@pytest.mark.slow
def test_classes_that_are_the_releases_are_told_first_and_remove_nothing(patched: Callable[[str], Path]) -> None:
    ran = run("judge", "--trace=I11-row-put-twice", f"--classpath={patched('moved-lines')}", "--steps=0",
              "--expect=removed=I11-row-put-twice", "--no-progress")  # fmt: skip
    assert (ran.code, ran.err) == (20, "")
    first, _, then = ran.out.partition("\n")
    assert first == "Your classes are the release's: no method of RocketMQ 4.9.4 differs in them."
    assert "NOT AS EXPECTED: I11-row-put-twice is left" in then


@pytest.mark.slow
def test_text_tells_each_cause_and_what_else_is_to_be_asked(patched: Callable[[str], Path]) -> None:
    ran = run("judge", "I11", f"--classpath={patched('commit-makes-row-atomically')}", "--steps=0", "--no-progress")
    assert (ran.code, ran.err) == (0, "")
    said = " ".join(ran.out.split())
    assert "in front: 1 recorded cause, 1 removed I11-row-put-twice removed seen as: " in said
    assert "step 7, broker_executes_commit" in said
    assert "in the end broker.committed is 0, and None in the story" in said
    assert "changed: ConsumerOffsetManager.commitOffset what else it breaks: say with --fix" in said


@pytest.mark.parametrize(("args", "code", "said"), [
    (("I5", "--classpath=x", "--trace=I5-late-poll"), 2, "name the one claim by which the patch is judged, or --trace"),
    (("--trace=I5", "--classpath=x"), 2, "stories; name one of them"),
    (("--trace=I5-late-poll", "--base=4.9.8", "--classpath=x"), 2, "I5-late-poll is a story of 4.9.4"),
    (("I5",), 2, "say where the patched classes are"),
    (("--classpath=x",), 2, "name the one claim by which the patch is judged"),
    (("I5", "--classpath=x", "--keep=I1"), 2, "say with --fix what the patch is in the model"),
    (("I5", "--classpath=x", "--base=4.9.5"), 2, "no release named '4.9.5'"),
    (("I5", "--classpath=x", "--expect=removed=I5-late-pol"), 2, "did you mean I5-late-poll?"),
    (("I5", "--classpath=x", "--expect=removed=I5-late-poll,I11-row-put-twice"), 2, "no recorded cause of it named"),
    (("I5", "--classpath=x", "--expect=I5-late-poll"), 2, "write removed=STORY,STORY"),
    (("I5", "--classpath=x", "--expect=removed="), 2, "write removed=STORY,STORY"),
    (("I5", "--classpath=x", "--also=text=x.txt"), 2, "write FORMAT=FILE, once for each of json, sarif, github"),
    (("I5", "--classpath=x", "--also=sarif"), 2, "write FORMAT=FILE"),
    (("I5", "--classpath=x", "--also=sarif=nowhere/judge.sarif"), 150, "there is no folder nowhere"),
    (("I4-retry", "--classpath=x"), 2, "no claim named 'I4-retry'"),
    (("I5", "--classpath=nowhere"), 150, "there is no folder or jar nowhere"),
    (("toys:Counter", "stays_below_two", "--classpath=x"), 152, "says nothing of how its actions are done"),
])  # fmt: skip
def test_what_cannot_be_judged_is_refused(args: tuple[str, ...], code: int, said: str) -> None:
    ran = run("judge", *args, "--no-progress")
    assert (ran.code, ran.out) == (code, "")
    assert said in " ".join(ran.err.replace("│", " ").split())

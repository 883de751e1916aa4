"""`guard --classpath` as users run it: drift, conformance of what it affects, and the verdicts that rest on it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cli.program import run
from real.patched import patch
from systems.schemas import read_valid

from offsetproof.real.jars import JarSet

EXAMPLES = Path(__file__).parents[2] / "examples"

METHOD = "DefaultMQPushConsumerImpl.PullCallback.onSuccess"


@pytest.fixture(scope="module")
def classes(published: Callable[[str], JarSet], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A callback that checks `dropped`."""
    return patch(published("4.9.4"), tmp_path_factory.mktemp("classes"), "callback-checks-dropped")


def guard(classes: Path, *args: str) -> tuple[int, dict[str, Any]]:
    """The code and the document of a run in which no question is decided for its turn alone."""
    options = ("--scope=calm-reset", "--turn=0", "--format=json", "--no-progress", f"--classpath={classes}")
    ran = run("guard", "I23", "I5", *options, *args)
    assert ran.err == ""
    return ran.code, read_valid("guard", ran.out)


def verdicts(document: dict[str, Any]) -> dict[str, tuple[str, str | None, str]]:
    """Of each claim the verdict in the baseline and now, and the change."""
    return {
        cell["property"]: (
            cell["before"] and cell["before"]["verdict"],
            cell["now"] and cell["now"]["verdict"],
            cell["change"],
        )
        for cell in document["cells"]
    }


def test_holds_is_unknown_as_long_as_conformance_has_not_passed(classes: Path) -> None:
    code, document = guard(classes, "--steps=0")
    assert (code, document["drift"]["changed"], document["drift"]["conformance"]) == (30, [METHOD], [])
    assert verdicts(document) == {"I5": ("REFUTED", "REFUTED", "none"), "I23": (None, None, "unknown")}
    assert [cell["rests_on"] for cell in document["cells"]] == [[METHOD], [METHOD]]
    assert document["cells"][0]["reason"] == "rests on a method that changed"


@pytest.mark.slow
def test_holds_is_unknown_too_where_what_changed_is_no_actions(
    published: Callable[[str], JarSet], tmp_path: Path
) -> None:
    code, document = guard(patch(published("4.9.4"), tmp_path, "pulls-never-expire"), "--steps=0")
    assert (code, document["drift"]["changed"]) == (30, [])
    assert document["drift"]["changed_without_action"] == ["ProcessQueue.isPullExpired"]
    assert verdicts(document) == {"I5": ("REFUTED", "REFUTED", "none"), "I23": (None, None, "unknown")}


@pytest.mark.parametrize(
    ("change", "never_ran"),
    [
        ("broker/processor/PullMessageProcessor.processRequest", "PullMessageProcessor.processRequest"),
        pytest.param(
            "client/impl/ClientRemotingProcessor.resetOffset",
            "ClientRemotingProcessor.resetOffset",
            marks=pytest.mark.slow,
        ),
        pytest.param("client/impl/consumer/ProcessQueue.putMessage", "", marks=pytest.mark.slow),
    ],
)
def test_holds_is_unknown_where_conformance_never_ran_what_changed(
    published: Callable[[str], JarSet], tmp_path: Path, change: str, never_ran: str
) -> None:
    """The rig plays the first two of these methods, and runs the third."""
    classes = patch(published("4.9.4"), tmp_path, f"org/apache/rocketmq/{change}")
    code, document = guard(classes, "--steps=300")
    assert document["drift"]["never_ran"] == ([never_ran] if never_ran else [])
    (held,) = document["drift"]["conformance"]
    assert (held["steps"], held["disagreements"]) == (300, 0)
    known = (None, None, "unknown") if never_ran else (None, "HOLDS", "new")
    assert (code, verdicts(document)["I23"]) == (30 if never_ran else 20, known)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "never_ran"),
    [
        ("dropped-is-not-volatile", "ProcessQueue.<fields>"),
        ("query-of-all-clears", "ConsumerOffsetManager.queryOffset"),
    ],
)
def test_holds_is_unknown_where_another_overload_ran_or_no_method_is_another_one(
    published: Callable[[str], JarSet], tmp_path: Path, change: str, never_ran: str
) -> None:
    code, document = guard(patch(published("4.9.4"), tmp_path, change), "--steps=300")
    assert (document["drift"]["never_ran"], code) == ([never_ran], 30)
    assert verdicts(document)["I23"] == (None, None, "unknown")


@pytest.mark.slow
def test_patch_differs_from_the_old_model_and_agrees_with_the_one_that_has_the_fix(classes: Path) -> None:
    code, document = guard(classes, "--steps=1000")
    (held,) = document["drift"]["conformance"]
    assert (code, held["component"], held["disagreements"]) == (20, "calm-reset, correct", 1)
    assert held["found"][0]["steps"][-1] == "poll_ends_without_news(c=0, life=0)"
    assert verdicts(document)["I23"] == (None, None, "unknown")
    code, document = guard(classes, "--steps=1000", "--fix=poll-checks-dropped")
    (held,) = document["drift"]["conformance"]
    assert (held["steps"], held["disagreements"], held["fixes"]) == (1000, 0, ["poll-checks-dropped"])
    assert (code, verdicts(document)) == (
        20, {"I23": (None, "HOLDS", "new"), "I5": ("REFUTED", "HOLDS", "refuted-to-holds")},
    )  # fmt: skip


@pytest.mark.parametrize(("args", "code", "said"), [
    (("--fix=poll-checks-dropped",), 2, "it is for --classpath"),
    (("--classpath=nowhere", "--update", "--baseline=here.json"), 2, "the baseline is of the release"),
    (("--classpath=nowhere",), 150, "--classpath: there is no folder or jar nowhere"),
])  # fmt: skip
def test_what_makes_no_sense_is_refused(tmp_path: Path, args: tuple[str, ...], code: int, said: str) -> None:
    ran = run("guard", "I5", "--no-progress", *args, cwd=tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert said in " ".join(ran.err.replace("│", " ").split())


def test_subject_without_a_rigging_is_refused(tmp_path: Path) -> None:
    model = shutil.copy(EXAMPLES / "lease.py", tmp_path)
    assert run("guard", model, "--update", "--no-progress").code == 0
    ran = run("guard", model, "--classpath=nowhere", "--no-progress")
    assert (ran.code, ran.out) == (152, "")
    assert "says nothing of how its actions are done on the real classes" in ran.complaint

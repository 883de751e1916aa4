"""`conform` as users run it: a store of one's own, another release, and what is refused."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from cli.program import run
from systems.schemas import read_valid

from offsetproof.real.jars import JarSet


@pytest.fixture(autouse=True)
def jars(published: Callable[[str], JarSet]) -> JarSet:
    """The jars of 4.9.4, which are there before any of these runs."""
    return published("4.9.4")


def test_store_that_agrees_is_a_line_and_code_0() -> None:
    ran = run("conform", "--component=offset-store", "--steps=60", "--format=json", "--no-progress")
    (row,) = read_valid("conform", ran.out)["conformance"]
    assert (ran.code, row["component"]) == (0, "org.apache.rocketmq.client.consumer.store.RemoteBrokerOffsetStore")
    assert (row["steps"], row["disagreements"], row["lacking"]) == (60, 0, {})


def test_class_that_is_nowhere_is_refused_with_2() -> None:
    ran = run("conform", "--component=offset-store", "--class=com.acme.NoStore", "--no-progress")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "offsetproof: --class com.acme.NoStore: there is no class com.acme.NoStore on the class path\n"


def test_store_without_its_component_is_refused() -> None:
    ran = run("conform", "--component=batch", "--class=com.acme.NoStore", "--no-progress")
    assert ran.code == 2
    assert "--component offset-store" in ran.err


def test_store_with_a_fix_is_refused() -> None:
    ran = run("conform", "--component=offset-store", "--fix=poll-checks-dropped", "--no-progress")
    assert ran.code == 2
    assert "--fix" in ran.err
    assert "an OffsetStore is checked against its contract" in " ".join(ran.err.replace("│", " ").split())


def test_class_path_without_the_class_that_is_tried_is_refused() -> None:
    ran = run("conform", "--component=offset-store", "--classpath=/nowhere", "--no-progress")
    assert (ran.code, ran.out) == (2, "")
    assert "--class" in ran.err


@pytest.mark.slow
def test_release_that_lacks_a_place_of_a_fix_ends_with_20_and_names_it() -> None:
    ran = run("conform", "--fix=skips-absent", "--component=batch", "--steps=30", "--no-progress")
    assert ran.code == 20
    assert "DIFFERS" in ran.out
    assert "task_skips_absent_message is not done" in " ".join(ran.out.split())

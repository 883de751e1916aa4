"""Which story a page tells: pages are shared, named and explained only where it is the very same story."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from cli.program import run
from reports.stories_told import block_of

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.replaying import replay_trace
from offsetproof.lang import Scope
from offsetproof.reports.html.folder import recorded_or_free
from offsetproof.reports.html.story import NamedStory, story_json
from offsetproof.traces.recorded_stories import mechanism_of, mechanisms, recorded_name, recorded_stories
from offsetproof.traces.trace import Trace, trace_of

NAME = "I5-late-poll"

SETS = '''
from offsetproof.lang import *


class Sets(Model):
    """A value that is set once, to what the scope says."""

    scopes = (Scope("a", {"k": 2}), Scope("b", {"k": 3}))
    x: int = integer(0, "k")

    @action()
    def sets(self) -> None:
        """Sets it."""
        require(self.x == 0)
        self.x = self.scope.k

    @always(id="zero", scopes=["a", "b"], expected=REFUTED)
    def stays_zero(self) -> bool:
        """It stays zero."""
        return self.x == 0
'''

OF_ANOTHER = SETS.replace('"a"', '"late-poll"').replace('"zero"', '"I5"')
"""A model whose claim and scope are called such that its page would have the name of a story of RocketMQ."""


def pages_of(model: str, folder: Path) -> dict[str, Any]:
    """The data of each page of a report about a user's model."""
    (folder / "model.py").write_text(model, encoding="utf-8")
    assert run("check", "model.py", "--html=report", "--quiet", cwd=folder).code == 0
    return {file.stem: block_of(file.read_text(encoding="utf-8")) for file in (folder / "report").iterdir()}


def test_stories_with_equal_steps_and_other_values_have_pages_of_their_own(tmp_path: Path) -> None:
    pages = pages_of(SETS, tmp_path)
    (claim,) = pages["index"]["claims"]
    links = {answer["scope"]: answer["page"] for answer in claim["answers"]}
    assert links == {"a": "zero-a", "b": "zero-b"}
    changed = {scope: [step["changed"] for step in pages[page]["steps"]] for scope, page in links.items()}
    assert changed == {"a": [[["x", "0", "2"]]], "b": [[["x", "0", "3"]]]}
    scopes = {scope: pages[page]["world"]["scope"] for scope, page in links.items()}
    assert scopes == {"a": {"name": "a", "bounds": "k=2"}, "b": {"name": "b", "bounds": "k=3"}}


def test_story_of_a_users_model_has_neither_name_nor_explanation_of_a_recorded_one(tmp_path: Path) -> None:
    pages = pages_of(OF_ANOTHER, tmp_path)
    assert {*pages} == {"index", "compare", "I5-late-poll-2", "I5-b"}
    assert (pages["I5-late-poll-2"]["subject"], pages["I5-late-poll-2"]["lede"]) == ("Sets", "")


def test_page_explains_what_its_story_is_and_not_what_it_is_called() -> None:
    stories = recorded_stories()
    told = story_json(NamedStory("I5-another", stories[NAME]))
    assert told.lede == mechanisms()[NAME] != ""
    assert story_json(NamedStory(NAME, stories["I5-one-cpu"])).lede == mechanisms()["I5-one-cpu"]
    assert story_json(NamedStory(NAME, replace(stories[NAME], subject="mine"))).lede == ""


def test_every_recorded_story_is_found_by_what_happens_in_it() -> None:
    stories = recorded_stories()
    assert {name: recorded_name(story) for name, story in stories.items()} == {name: name for name in stories}


@pytest.mark.parametrize("name", sorted(recorded_stories()))
def test_every_recorded_story_says_what_happens_or_its_case_says_what_is_seen_and_why(name: str) -> None:
    told = NamedStory(name, trace := recorded_stories()[name], SINGLES[str(trace.subject)].subjects[0])
    case = told.prop.case if told.prop else None
    assert mechanisms().get(name) or (case and case.why and case.symptom)


def test_stories_of_one_case_are_told_apart_by_what_happens() -> None:
    told: dict[tuple[str | None, str, str], list[str]] = {}
    for name, story in recorded_stories().items():
        prop = SINGLES[str(story.subject)].subjects[0].find(story.property.id)
        told.setdefault((story.subject, prop.id, mechanisms().get(name) or prop.case.why), []).append(name)
    assert [names for names in told.values() if len(names) > 1] == []


def test_story_that_was_just_found_is_known_also_under_fewer_assumptions() -> None:
    recorded = recorded_stories()["I8-two-owners"]
    replay = replay_trace(recorded).replay
    assert replay is not None
    found = trace_of(replay, subject="rocketmq", digest="another")
    assert recorded_name(found) == "I8-two-owners"
    bounds = recorded.world.scope.bounds
    calm = replace(found, world=replace(found.world, scope=Scope("calm", bounds), assumptions=()))
    assert recorded_name(calm) == "I8-two-owners"


def with_change(trace: Trace, path: str, after: bool | int) -> Trace:
    """The trace with another value after the first step that changes a field."""
    place = next(number for number, step in enumerate(trace.steps) if path in step.changed)
    step = trace.steps[place]
    changed = replace(step, changed={**step.changed, path: (step.changed[path][0], after)})
    return replace(trace, steps=(*trace.steps[:place], changed, *trace.steps[place + 1 :]))


def others() -> dict[str, Trace]:
    """Stories that have the claim and the steps of a recorded one, and are not it."""
    trace = recorded_stories()[NAME]
    world, scope, initial = trace.world, trace.world.scope, trace.initial
    number = next(path for path, value in initial.items() if type(value) is int)
    truth = next(path for path, value in initial.items() if value is False)
    wider = Scope(scope.name, {**scope.bounds, "messages": scope.bounds["messages"] + 1}, scope.faults)
    first = trace.steps[0]
    return {
        "bounds": replace(trace, world=replace(world, scope=wider)),
        "release": replace(trace, world=replace(world, releases=dict.fromkeys(world.releases, "9"))),
        "fix": replace(trace, world=replace(world, fixes=("monotone-commits",))),
        "listener": replace(trace, world=replace(world, listener="another")),
        "initial value": replace(trace, initial={**initial, number: 7}),
        "0 in place of False": replace(trace, initial={**initial, truth: 0}),
        "change": with_change(trace, "broker.committed", 0),
        "True in place of 1": with_change(trace, "broker.committed", True),
        "actor": replace(trace, steps=(replace(first, actor="nobody"), *trace.steps[1:])),
        "step": replace(trace, steps=trace.steps[:-1]),
        "claim": replace(trace, property=replace(trace.property, id="I4")),
        "subject": replace(trace, subject=None),
    }


@pytest.mark.parametrize("what", [*others()])
def test_story_that_differs_is_not_the_recorded_one(what: str) -> None:
    assert recorded_name(others()[what]) is None
    assert mechanism_of(others()[what]) == ""


WORLDS = """
from offsetproof.lang import *

QUICK, SLOW = Listener("quick", "It is quick."), Listener("slow", "It is slow.")
CALM = Assumption("calm", "Nobody pushes.")
SOFT = Fix("soft", "It is soft.")


class Sets(Model):
    "A value that is set once."

    scopes = (Scope("a", {"k": 2}, {"push": 1}),)
    releases = (Release("1"),)
    roles = ("setter",)
    fixes, assumptions, listeners = (SOFT,), (CALM,), (QUICK, SLOW)
    x: int = integer(0, "k")

    @action()
    def sets(self) -> None:
        "Sets it."
        require(self.x == 0)
        self.x = self.scope.k

    @always(id="zero", scopes=["a"], expected=REFUTED)
    def stays_zero(self) -> bool:
        "It stays zero."
        return self.x == 0
"""


@pytest.mark.parametrize("option", ["--html=there", "--out-dir=there"])
def test_story_in_another_world_replaces_no_earlier_one(option: str, tmp_path: Path) -> None:
    (tmp_path / "sets.py").write_text(WORLDS, encoding="utf-8")
    asked = ("--fix=soft", "--assume=calm", "--listener=slow", "--bound=k=3", "--bound=push=0")
    for more in ([], *([each] for each in asked), asked):
        assert run("check", "sets.py", option, "--quiet", *more, cwd=tmp_path).code in (0, 12)
    names = {file.stem for file in (tmp_path / "there").iterdir()} - {"index", "compare"}
    assert names == {
        "zero-a", "zero-a-fix=soft", "zero-a-assume=calm", "zero-a-listener=slow", "zero-a-k=3", "zero-a-push=0",
        "zero-a-fix=soft-assume=calm-listener=slow-k=3-push=0",
    }  # fmt: skip


@pytest.mark.parametrize(
    "twins",
    [
        (("zero", "a-b"), ("zero-a", "b")),
        (("zero", "S"), ("zero", "s")),
        (("zero-fix=soft", "a"), ("zero", "fix=soft-a")),
    ],
)
def test_claims_and_scopes_that_read_the_same_together_have_names_of_their_own_in_any_run(
    twins: tuple[tuple[str, str], tuple[str, str]], tmp_path: Path
) -> None:
    ids, scopes = dict.fromkeys(id for id, _ in twins), dict.fromkeys(scope for _, scope in twins)
    declared = "".join(f"Scope({scope!r}, {{'k': 2}})," for scope in scopes)
    head, claim = WORLDS.replace('Scope("a", {"k": 2}, {"push": 1}),', declared).split("    @always")
    for number, id in enumerate(ids):
        own = f"id={id!r}, scopes={[scope for each, scope in twins if each == id]}"
        judged = claim.replace('id="zero", scopes=["a"]', own).replace("stays_zero", f"stays_zero_{number}")
        head += f"    @always{judged}"
    (tmp_path / "twins.py").write_text(head, encoding="utf-8")
    for id, scope in (*twins, *twins):
        run("check", "twins.py", id, f"--scope={scope}", "--out-dir=there", "--quiet", cwd=tmp_path)
    apart = {file.name: file.read_bytes() for file in (tmp_path / "there").iterdir()}
    assert len({name.lower() for name in apart}) == len(apart) == 2
    run("check", "twins.py", "--out-dir=there", "--quiet", cwd=tmp_path)
    assert {file.name: file.read_bytes() for file in (tmp_path / "there").iterdir()} == apart


def test_own_name_of_a_story_is_never_that_of_a_recorded_one() -> None:
    assert recorded_or_free(NAME, "I5-calm-reset") == NAME
    assert recorded_or_free(NAME, "I5-calm-reset", {NAME}) == "I5-calm-reset"
    assert recorded_or_free(None, NAME) == f"{NAME}-2"
    assert recorded_or_free(None, "mine-small", {"Mine-Small"}) == "mine-small-2"


def test_report_about_a_built_in_model_names_a_story_as_it_is_recorded(tmp_path: Path) -> None:
    assert (
        run("check", "I5", "--scope=calm-reset", "--release=4.9.4", "--html=report", "--quiet", cwd=tmp_path).code == 0
    )
    assert {file.name for file in (tmp_path / "report").iterdir()} == {"index.html", "compare.html", f"{NAME}.html"}
    data = block_of((tmp_path / "report" / f"{NAME}.html").read_text(encoding="utf-8"))
    assert (data["world"]["scope"]["name"], data["lede"]) == ("calm-reset", mechanisms()[NAME])

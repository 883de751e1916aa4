"""Walks by hand: where they lead is what the reference semantics says, and what is saved replays."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from systems.samples import one_in

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.reachable import reachable_graph
from offsetproof.checking.replaying import question_of_trace, replay_trace
from offsetproof.checking.subject import load_subject
from offsetproof.explore.walking import STEPS_MAX, CannotBeDoneError, Walk, Walker
from offsetproof.lang.errors import DeclarationError
from offsetproof.lang.setting import Setting
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.store import read_record, write_record
from offsetproof.traces.trace import Trace


def walker_of(name: str) -> Walker:
    """In a toy's first scope."""
    subject = load_subject(f"toys:{name}")
    return Walker(subject, Setting(subject.model.scopes[0]))


def shown(walker: Walker, walk: Walk) -> dict[str, list[str]]:
    """What each choice shows."""
    return {each.name: [prop.id for prop in each.shows] for each in walker.moment(walk).choices}


def saved_and_read(walker: Walker, walk: Walk) -> Trace:
    return read_record(write_record(walker.trace(walk))).trace


def test_choices_say_what_they_would_break_and_the_step_says_what_it_broke() -> None:
    walker = walker_of("Slips")
    walk = Walk(("walks", "walks", "slips"))
    assert shown(walker, Walk(("walks",))) == {"walks": [], "slips": []}
    assert shown(walker, walk) == {"walks": [], "slips": ["never_arrives"]}
    broken = Walk((*walk.steps, "slips"))
    assert [[prop.id for prop in step.shows] for step in walker.steps_along(broken)] == [[], [], [], ["never_arrives"]]
    assert walker.moment(broken).truths == {"never_arrives": False, "stays_on_the_way": True}
    assert walker.moment(broken).changed == {"place": (4, 6)}
    assert walker.moment(broken).choices == ()


def test_what_is_left_of_a_faults_budget_is_told() -> None:
    walker = walker_of("Slips")
    budget = walker.setting.scope.faults["slip"]
    left = [walker.moment(Walk(("slips",) * number)).faults_left for number in range(budget + 1)]
    assert left == [{"slip": budget - number} for number in range(budget + 1)]
    assert walker_of("Descent").moment(Walk()).faults_left == {}


def test_bound_of_the_scope_is_told_from_a_guard() -> None:
    assert walker_of("Bounded").moment(Walk(("grows", "grows"))).cut == ("grows",)
    assert walker_of("Stairs").moment(Walk(("climbs_two",) * 3)).cut == ()


def test_walk_that_the_model_does_not_take_is_refused_with_its_step() -> None:
    walker = walker_of("Slips")
    with pytest.raises(CannotBeDoneError, match=r"^step 4: slips is disabled$"):
        walker.moment(Walk(("slips", "slips", "slips", "slips")))
    with pytest.raises(CannotBeDoneError, match=r"^step 2: the model has no action flies in this scope$"):
        walker.moment(Walk(("walks", "flies")))
    with pytest.raises(CannotBeDoneError, match="there is no beginning 1; there are 1, from 0"):
        walker.moment(Walk((), 1))
    with pytest.raises(CannotBeDoneError, match=f"a walk has up to {STEPS_MAX} steps"):
        walker_of("Counter").moment(Walk(("steps",) * (STEPS_MAX + 1)))
    assert walker.moment(Walk(("walks",))).values["place"] == 1


def test_each_beginning_can_be_chosen() -> None:
    walker = walker_of("Descent")
    assert walker.beginnings_in_words() == ["x=0", "x=1", "x=2", "x=3"]
    assert [walker.moment(Walk((), place)).values["x"] for place in range(4)] == [0, 1, 2, 3]
    assert walker_of("Slips").beginnings_in_words() == ["the beginning"]


@pytest.mark.parametrize("name", ["Slips", "Jugs", "Ordered", "Wakes", "Queue"])
def test_walks_at_random_stay_in_the_reachable_graph(name: str) -> None:
    walker, chance = walker_of(name), random.Random(7)
    graph = reachable_graph(walker.subject.model, walker.setting)
    edges = {(one, edge["action"]): other for one, other, edge in graph.edges(data=True)}
    for begins in range(len(walker.beginnings)):
        place, walk = begins, Walk((), begins)
        for _ in range(12):
            names = [choice.name for choice in walker.moment(walk).choices]
            assert sorted(names) == sorted(action for one, action in edges if one == place)
            if not names:
                break
            walk = Walk((*walk.steps, chance.choice(names)), begins)
            place = edges[place, walk.steps[-1]]


def test_saved_walk_that_breaks_a_claim_is_its_counterexample_and_replays() -> None:
    walker = walker_of("Slips")
    trace = saved_and_read(walker, Walk(("walks", "walks", "slips", "slips")))
    assert (trace.property.id, trace.length, trace.truths[-1]) == ("never_arrives", 4, {"never_arrives": False})
    assert replay_trace(trace, load_subject("toys:Slips")).agrees is True


def test_saved_walk_that_shows_nothing_at_its_end_is_a_walk_by_hand_and_replays() -> None:
    walker = walker_of("Slips")
    for steps in [(), ("walks",), ("walks", "walks", "slips")]:
        trace = saved_and_read(walker, Walk(steps))
        assert (trace.property.id, trace.length) == ("walk-by-hand", len(steps))
        assert trace.cause == tuple(dict.fromkeys(steps))
        assert replay_trace(trace, load_subject("toys:Slips")).agrees is True
    moved = Walk(("walks", "walks"))
    text = write_record(walker.trace(moved))
    assert text.count('"place": [\n') == 2
    damaged = read_record(text.replace("            2\n", "            3\n")).trace
    assert replay_trace(damaged, load_subject("toys:Slips")).agrees is False


def test_recorded_story_is_walked_as_it_is_told() -> None:
    story = recorded_stories()["I5-late-poll"]
    subject = load_subject("rocketmq")
    walker = Walker(subject, question_of_trace(subject, story).setting)
    walk = walker.walk_of(story)
    told = story.story
    assert [dict(walker.moment(Walk(walk.steps[:n])).values) for n in (0, 9, story.length)] == [
        {**told.initial},
        told.states[9],
        told.states[-1],
    ]
    last = walker.steps_along(walk)[-1]
    assert "I5" in [prop.id for prop in last.shows]
    assert walker.moment(walk).queues == subject.picture.queues(walker.setting.scope, told.states[-1])  # type: ignore[union-attr]  # rocketmq has a picture


SUBJECTS = [name for name, entry in reversed(SINGLES.items()) if not entry.is_family]


@pytest.mark.parametrize("subject", one_in(len(SUBJECTS), SUBJECTS))
def test_every_recorded_story_is_walked_and_breaks_its_own_claim(subject: str) -> None:
    """Also where claims that are made for other scopes cannot be asked."""
    loaded, stories = load_subject(subject), recorded_stories().about(subject)
    assert stories
    for number, (name, story) in enumerate(stories.items()):
        if number % 5:
            continue
        own = loaded.named(story.property.id)
        walker = Walker(loaded, question_of_trace(loaded, story).setting, (*own, *loaded.properties))
        walk = walker.walk_of(story)
        walked, shows = walker.trace(walk).property.name, walker.steps_along(walk)[-1].shows
        if story.cycle_at is None:
            assert (walked, shows[0].name) == (story.property.name, story.property.name), name
        else:  # a walk has an end, and what the claim says is about a run without one
            assert (walked, shows) == ("walk-by-hand", ()), name


def test_claim_that_goes_wrong_here_is_neither_true_nor_broken(tmp_path: Path) -> None:
    """The program's own claims are not staged before a walk, so one of them may go wrong in a state."""
    (tmp_path / "divides.py").write_text(DIVIDES, encoding="utf-8")
    subject = replace(load_subject(str(tmp_path / "divides.py")), name="rocketmq")
    walker = Walker(subject, Setting(subject.model.scopes[0]))
    assert walker.moment(Walk()).truths == {"divides": None}
    assert [each.shows for each in walker.moment(Walk()).choices] == [()]
    assert walker.moment(Walk(("rises",))).truths == {"divides": True}


def test_claim_that_check_refuses_is_not_watched_and_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(ODD, encoding="utf-8")
    subject = load_subject(str(tmp_path / "odd.py"))
    walker = Walker(subject, Setting(subject.model.scopes[0]))
    assert [prop.id for prop in walker.claims] == ["is_small"]
    assert [*walker.unwatched.values()] == [["is_odd"]]
    assert walker.unwatched_in_words()[0].startswith("is_odd is not watched: ")
    assert walker.trace(Walk(("rises",))).length == 1


def test_claim_about_steps_is_said_to_be_broken_by_each_step_that_breaks_it(tmp_path: Path) -> None:
    (tmp_path / "up.py").write_text(UP, encoding="utf-8")
    subject = load_subject(str(tmp_path / "up.py"))
    walker = Walker(subject, Setting(subject.model.scopes[0]))
    assert shown(walker, Walk(("rises",))) == {"rises": ["never_rises"]}
    told = [[prop.id for prop in step.shows] for step in walker.steps_along(Walk(("rises", "rises")))]
    assert told == [["never_rises"], ["never_rises"]]


def test_beginnings_are_those_that_there_are_however_many_combinations(tmp_path: Path) -> None:
    (tmp_path / "many.py").write_text(MANY, encoding="utf-8")
    subject = load_subject(str(tmp_path / "many.py"))
    walker = Walker(subject, Setting(subject.model.scopes[0]))
    assert len(walker.beginnings) == 20
    graph = reachable_graph(subject.model, walker.setting)
    assert sum(node["initial"] for _, node in graph.nodes(data=True)) == 20


def test_walk_by_hand_is_no_name_for_a_claim(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(UP.replace("@each_step()", '@each_step(id="walk-by-hand")'), encoding="utf-8")
    with pytest.raises(DeclarationError, match="walk-by-hand is what a walk by hand is called; rename the claim"):
        load_subject(str(tmp_path / "own.py"))


_COUNTS = """
from offsetproof.lang import *


class Counts(Model):
    scopes = (Scope("small", {}),)
    x: int = integer(0, 3)

    @action()
    def rises(self) -> None:
        require(self.x < 3)
        self.x = self.x + 1
"""
ODD = (
    _COUNTS
    + """
    @always()
    def is_small(self) -> bool:
        return self.x < 3


@always()
def is_odd(model: Counts) -> bool:
    return str(model.x) != "2"
"""
)
DIVIDES = (
    _COUNTS
    + """
    @always()
    def divides(self) -> bool:
        return 3 // self.x > 0
"""
)
UP = (
    _COUNTS
    + """
    @each_step()
    def never_rises(before: Model, after: Model, step: Step) -> bool:
        return after.x <= before.x
"""
)
MANY = """
from offsetproof.lang import *


class Many(Model):
    scopes = (Scope("many", {}),)
    x: int = integer(0, 19, ANYTHING)
    y: int = integer(0, 19, ANYTHING)

    def initially(self) -> None:
        require(self.x == self.y)

    @action()
    def falls(self) -> None:
        require(self.x > 0)
        self.x = self.x - 1

    @always()
    def is_small(self) -> bool:
        return self.x <= 19
"""

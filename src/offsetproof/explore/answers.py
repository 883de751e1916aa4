"""What an explorer's page asks and is answered, as JSON: walks by the names of their steps, moments, graphs, traces."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import UNSET, to_builtins

from offsetproof.checking.reachable import reachable_graph
from offsetproof.explore.walking import CannotBeDoneError, Choice, Moment, Walk, Walker
from offsetproof.lang.claim import ClaimKind, Property
from offsetproof.lang.picture import ABOUT_MARKS
from offsetproof.reading.typed_json import Int64, JsonObject, Names, Unset
from offsetproof.reports.html.pages import visible_data
from offsetproof.reports.html.story import row_json
from offsetproof.reports.json import envelope
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.store import record
from offsetproof.traces.trace import Trace, show_value

GRAPH_MAX = 400
"""More states than this make no drawing that anybody can look at."""

_WORLDS_MAX = 8
"""How many recorded stories have their worlds kept ready."""


class Question(JsonObject):
    """A question of the page's: in which world, after which steps of a walk, and at which of them."""

    world: str = ""
    steps: Names = ()
    begins: Int64 = 0
    at: Int64 | Unset = UNSET

    @property
    def walk(self) -> Walk:
        """The walk that it is about."""
        return Walk(self.steps, self.begins)


class Worlds:
    """The world that was asked for, and those of recorded stories, each made when it is entered.

    `walker_of` makes the walker of a story's world. `first` is the story to begin with, if one was named; its world
    is the one that was asked for; the page begins `at` so many of its steps. A story is named as it is recorded, the
    world that was asked for is `""`.
    """

    def __init__(
        self, walker: Walker, walker_of: Callable[[Trace], Walker], first: Trace | None = None, at: int = 0
    ) -> None:
        self.walker, self.first, self.at = walker, first, at
        self.stories = recorded_stories().about(walker.subject.name)
        self._walker_of = walker_of
        self._worlds: dict[str, Walker] = {}

    def page(self) -> dict[str, Any]:
        """What the page knows from the beginning."""
        walker = self.walker
        return {
            **envelope(walker.subject.name),
            "page": "explore",
            "world": _world_json(walker),
            "walk": _walk_of(walker, self.first) if self.first else {"begins": 0, "steps": []},
            "at": self.at,
            "marks": {str(mark): words for mark, words in ABOUT_MARKS.items()} if walker.subject.picture else {},
            "words": dict(walker.subject.picture.words) if walker.subject.picture else {},
            "stories": [
                {"name": name, "claim": story.property.title, "scope": story.world.scope.name, "steps": story.length}
                for name, story in self.stories.items()
            ],
        }

    def answer(self, question: str, asked: Question) -> dict[str, Any]:
        """The answer to a question of the page's: `moment`, `world`, `graph` or `trace`.

        Raises CannotBeDoneError for what is none, and for a walk that the model does not take.
        """
        answers = {"moment": self._moment, "world": self._world, "graph": self._graph, "trace": self._trace}
        if question not in answers:
            raise CannotBeDoneError(f"no such question: {question}")
        answer = answers[question](asked)
        return answer if question == "trace" else dict(visible_data(to_builtins(answer)))

    def _moment(self, asked: Question) -> dict[str, Any]:
        """The steps of the walk, and what there is to see after `at` of them."""
        walker, walk = self._enter(asked), asked.walk
        at = len(walk.steps) if asked.at is UNSET else asked.at
        if not 0 <= at <= len(walk.steps):
            raise CannotBeDoneError(f"the walk has the steps 0 to {len(walk.steps)}")
        return {
            "steps": [_choice_json(step) for step in walker.steps_along(walk)],
            **_moment_json(walker.moment(walk.up_to(at))),
        }

    def _world(self, asked: Question) -> dict[str, Any]:
        walker = self._enter(asked)
        story = self.stories.get(asked.world) if asked.world else self.first
        walk = _walk_of(walker, story) if story else {"begins": 0, "steps": []}
        return {"world": _world_json(walker), "walk": walk}

    def _graph(self, asked: Question) -> dict[str, Any]:
        """The reachable states as nodes with their depth, and the steps as edges by name."""
        walker = self._enter(asked)
        graph = reachable_graph(walker.subject.model, walker.setting, GRAPH_MAX, walker.breaks)
        if graph is None:
            return {"too_large": GRAPH_MAX}
        return {
            "nodes": [
                {"depth": node["depth"], "state": node["state"], "breaks": [prop.title for prop in node["breaks"]]}
                for _, node in graph.nodes(data=True)
            ],
            "edges": [[one, other, edge["action"]] for one, other, edge in graph.edges(data=True)],
        }

    def _trace(self, asked: Question) -> dict[str, Any]:
        trace: dict[str, Any] = to_builtins(record(self._enter(asked).trace(asked.walk)))
        return trace

    def _enter(self, asked: Question) -> Walker:
        name = asked.world
        if name == "":
            return self.walker
        if name not in self.stories:
            raise CannotBeDoneError(f"no story of {self.walker.subject.name} is called {name!r}")
        if name not in self._worlds:
            while len(self._worlds) >= _WORLDS_MAX:
                del self._worlds[next(iter(self._worlds))]
            self._worlds[name] = self._walker_of(self.stories[name])
        return self._worlds[name]


def _walk_of(walker: Walker, story: Trace) -> dict[str, Any]:
    walk = walker.walk_of(story)
    return {"begins": walk.begins, "steps": list(walk.steps)}


def _world_json(walker: Walker) -> dict[str, Any]:
    setting, beginnings = walker.setting, walker.beginnings_in_words()
    return {
        "release": setting.release,
        "scope": setting.scope.name,
        "bounds": setting.scope.describe(),
        "fixes": [fix.name for fix in setting.fixes],
        "assumptions": [each.name for each in setting.assumptions],
        "listener": setting.listener_name,
        "beginnings": beginnings,
        "beginnings_left_out": len(walker.beginnings) - len(beginnings),
        "claims": {prop.id: _claim_json(prop) for prop in walker.claims},
        "unwatched": walker.unwatched_in_words(),
    }


def _claim_json(prop: Property) -> dict[str, Any]:
    return {"title": prop.title, "about": prop.sentence, "witness": prop.kind is ClaimKind.SOMETIMES}


def _choice_json(choice: Choice) -> dict[str, Any]:
    return {
        "name": choice.name,
        "actor": choice.actor,
        "thread": choice.thread,
        "words": choice.words,
        "fault": choice.fault,
        "shows": [prop.id for prop in choice.shows],
        "error": choice.error,
    }


def _moment_json(moment: Moment) -> dict[str, Any]:
    return {
        "values": {path: show_value(value) for path, value in moment.values.items()},
        "changed": [[path, show_value(old), show_value(new)] for path, (old, new) in moment.changed.items()],
        "truths": dict(moment.truths),
        "choices": [_choice_json(each) for each in moment.choices],
        "cut": list(moment.cut),
        "queues": None if moment.queues is None else [row_json(row) for row in moment.queues],
        "queues_before": None if moment.queues_before is None else [row_json(row) for row in moment.queues_before],
        "faults_left": dict(moment.faults_left),
    }

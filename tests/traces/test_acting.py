"""Who acts on whom: by what each step took up, worked out by hand on a post office and held to on recorded stories."""

from __future__ import annotations

from hypothesis import given
from systems.lossy_queue import COMMITS, LOSES, RINGS, STAGED, TAKES, finishes, replay, replays
from systems.recordings import FILES, question_of
from systems.reproducible import reproducible

from offsetproof.lang import Component, Model, Scope, Setting, action, flag, integer, part, require, sometimes
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.traces.acting import acted_on, lane_of, takers, takers_by_changes
from offsetproof.traces.store import read_record_file
from offsetproof.traces.trace import Trace, trace_of


class Office(Component):
    """What lies in the office: letters that were posted, and the clock on its wall."""

    letters: int = integer(0, 3)
    clock: int = integer(0, 3)


class Post(Model):
    """A writer posts letters, which lie in the office until a postman takes them; anybody sets the clock."""

    scopes = (Scope("small", {}),)
    office: Office = part(Office)
    bag: int = integer(0, 3)
    read: bool = flag()
    stamps: int = integer(0, 9)

    @action(actor="writer", thread="desk")
    def writer_posts(self) -> None:
        require(self.office.letters < 3, self.stamps < 9)
        self.stamps = self.stamps + 1
        self.office.letters = self.office.letters + 1

    @action(actor="writer", thread="stairs")
    def writer_sets_clock(self) -> None:
        self.office.clock = 1

    @action(actor="office", thread="wall")
    def office_sets_clock(self) -> None:
        self.office.clock = 2

    @action(actor="office", thread="counter")
    def office_opens(self) -> None:
        require(not self.read, self.stamps < 9)
        self.stamps = self.stamps + 1

    @action(actor="postman", thread="round")
    def postman_empties_box(self) -> None:
        require(self.office.letters > 0)
        self.bag = self.office.letters
        self.office.letters = 0

    @action(actor="postman", thread="door")
    def postman_delivers(self) -> None:
        require(self.bag > 0)
        self.bag = 0
        self.read = True

    @sometimes
    def letter_is_read(self) -> bool:
        return self.read


SETTING = Setting(Post.scopes[0], {})
REFERENCE, POST = Reference(Post, SETTING), Staged(Post, SETTING)


def lanes_of(*actions: str) -> list[str]:
    """Whom each step of a walk to a read letter acts on, by their threads."""
    walked = Replay(REFERENCE, Post.claims[0], [(name, ()) for name in actions])
    found = acted_on(trace_of(walked, staged=POST), takers(walked, POST))
    return [", ".join(thread for _, thread in lanes) for lanes in found]


def test_request_goes_to_the_thread_that_takes_it_up_however_late() -> None:
    assert lanes_of(
        "writer_posts", "office_opens", "writer_sets_clock", "office_sets_clock", "postman_empties_box",
        "postman_delivers",
    ) == ["round", "", "wall", "", "door", ""]  # fmt: skip


def test_what_is_only_overwritten_is_handed_to_nobody() -> None:
    """The clock is set again by the office, which did not look at it first: nobody took it up."""
    walked = Replay(
        REFERENCE,
        Post.claims[0],
        [(name, ()) for name in ("office_sets_clock", "writer_sets_clock", "writer_posts", "postman_empties_box",
                                 "postman_delivers")],
    )  # fmt: skip
    assert takers(walked, POST) == {3: (4,), 4: (5,)}
    assert takers_by_changes(trace_of(walked, staged=POST)) == {1: (2,), 3: (4,)}


def test_what_many_count_up_is_handed_to_nobody() -> None:
    """The office opens behind the writer and buys a stamp as well, which it could have done before."""
    assert lanes_of("office_opens", "writer_posts", "office_opens", "postman_empties_box", "postman_delivers") == [
        "", "round", "", "door", "",
    ]  # fmt: skip


def test_what_was_given_back_is_handed_to_nobody() -> None:
    """The box is empty again after the postman, so the next letter does not come from him.

    His second round brings what the bag has already, and lets nobody deliver who could not before.
    """
    walk = ("writer_posts", "postman_empties_box", "writer_posts", "postman_empties_box", "postman_delivers")
    assert lanes_of(*walk) == ["round", "", "round", "", ""]


def test_step_of_one_thread_stays_within_it() -> None:
    walked = replay("Q2", TAKES, finishes(0), COMMITS, LOSES)
    trace = trace_of(walked, staged=STAGED)
    assert takers(walked, STAGED) == {3: (4,)}
    assert acted_on(trace, takers(walked, STAGED)) == ((), (), (("network", "main"),), ())
    rung = replay("W2", RINGS)
    assert acted_on(trace_of(rung, staged=STAGED), takers(rung, STAGED)) == ((),)


@reproducible(50)
@given(replays())
def test_takers_come_later_and_nobody_acts_on_its_own_thread(found: Replay) -> None:
    trace = trace_of(found, staged=STAGED)
    for taken in (takers(found, STAGED), takers_by_changes(trace)):
        assert all(earlier < place for earlier, later in taken.items() for place in later)
        for step, lanes in zip(trace.steps, acted_on(trace, taken), strict=True):
            assert lane_of(step) not in lanes
            assert set(lanes) <= {lane_of(other) for other in trace.steps}


def told(name: str) -> tuple[Trace, list[tuple[str, ...]]]:
    """A recorded story, and the threads that each of its steps acts on."""
    file = next(file for file in FILES if file.stem == name)
    trace, question = read_record_file(file).trace.story, question_of(file)
    labels = [step.label for step in trace.steps]
    walked = Replay(Reference(question.model, question.setting), question.prop, labels)
    lanes = acted_on(trace, takers(walked, Staged(question.model, question.setting)))
    return trace, [tuple(" ".join(lane) for lane in each) for each in lanes]


def test_story_of_the_late_poll_has_its_requests_and_answers() -> None:
    trace, lanes = told("I5-late-poll")
    arrows = {step.number: targets for step, targets in zip(trace.steps, lanes, strict=True) if targets}
    assert arrows == {
        1: ("broker consumer manage",),
        2: ("broker consumer manage",),
        3: ("consumer[0] rebalance",),
        5: ("consumer[0] pull",),
        6: ("consumer[0] pull callback",),
        7: ("consumer[0] consume", "consumer[0] pull"),
        13: ("broker pull processor",),
        14: ("consumer[0] pull callback",),
        15: ("consumer[0] reset",),
        23: ("broker consumer manage",),
    }

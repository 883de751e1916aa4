"""Three people who mostly do not touch what the others touch: many orders of one story, for whatever judges orders."""

from __future__ import annotations

from hypothesis import strategies as st

from offsetproof.ir.system import Label
from offsetproof.lang import (
    Array,
    Component,
    Fifo,
    Index,
    Model,
    Scope,
    Setting,
    Timing,
    Transit,
    Wait,
    action,
    always,
    array,
    fifo,
    flag,
    integer,
    require,
)
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged

PERSON = Index("person", "people")
PLACE = Index("place", 3)


class Person(Component):
    """How far a person has walked, and what it saw on the board."""

    walked: int = integer(0, 4)
    seen: int = integer(0, 4)


class Letter(Component):
    """What is sent: who sent it."""

    sender: int = integer(0, 2)


class Crowd(Model):
    """People walk by themselves, write on a board, look at it, and send letters. The bell ends every story."""

    scopes = (Scope("three", {"people": 3}),)
    people: Array[Person] = array(PERSON, Person)
    board: int = integer(0, 4)
    letters: Fifo[Letter] = fifo(Letter, 3)
    received: int = integer(0, 2)
    rung: bool = flag()

    @action(p=PERSON, actor="person[p]")
    def person_walks(self, p: int) -> None:
        require(not self.rung, self.people[p].walked < 4)
        self.people[p].walked = self.people[p].walked + 1

    @action(p=PERSON, actor="person[p]")
    def person_writes(self, p: int) -> None:
        require(not self.rung)
        self.board = self.people[p].walked

    @action(p=PERSON, actor="person[p]")
    def person_looks(self, p: int) -> None:
        require(not self.rung)
        self.people[p].seen = self.board

    @action(p=PERSON, actor="person[p]")
    def person_sends(self, p: int) -> None:
        require(not self.rung, self.letters.count < 3)
        self.letters.push(sender=p)

    @action(at=PLACE, actor="postman")
    def postman_takes(self, at: int) -> None:
        require(not self.rung, at < self.letters.count)
        self.received = self.letters[at].sender
        self.letters.remove(at)

    @action(actor="bell")
    def bell_rings(self) -> None:
        require(not self.rung)
        self.rung = True

    @always
    def never_rings(self) -> bool:
        return not self.rung


SETTING = Setting(Crowd.scopes[0])
REFERENCE = Reference(Crowd, SETTING)
STAGED = Staged(Crowd, SETTING)
RINGS: Label = ("bell_rings", ())
ACTIONS = tuple(Crowd.actions)


@st.composite
def stories(draw: st.DrawFn, steps: int = 9) -> Replay:
    """Any walk of up to so many steps, and then the bell."""
    state, labels = REFERENCE.first(), []
    for choice in draw(st.lists(st.integers(0, 1000), max_size=steps - 1)):
        possible = [step for step in REFERENCE.steps(state) if step[0] != RINGS]
        label, state = possible[choice % len(possible)]
        labels.append(label)
    return Replay(REFERENCE, Crowd.claims[0], [*labels, RINGS])


@st.composite
def timings(draw: st.DrawFn) -> Timing:
    """Any waits between these actions, the same person's or not; letters may be on their way for a second."""
    names = st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=2, unique=True).map(tuple)
    waits = []
    for i in range(draw(st.integers(1, 5))):
        least = draw(st.sampled_from([0.0, 0.0, 1.0, 2.0, 5.0]))
        most = draw(st.sampled_from([None, least, least, least + 1]))
        begins = tuple(draw(st.lists(names, min_size=1, max_size=2)))
        waits.append(Wait(f"wait {i}", draw(names), begins, draw(st.sampled_from([(), ("p",)])), least, most))
    transits = (Transit("a letter", "letters.count", "at", 1),) if draw(st.booleans()) else ()
    return Timing(tuple(waits), transits)

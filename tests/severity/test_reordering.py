"""No stall is told that the same steps do not need in another order with the same end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import given
from systems.answered import ENGINES
from systems.crowd import STAGED, stories, timings
from systems.recordings import FILES, question_of, subject_of
from systems.reproducible import reproducible
from systems.sizes import large_are_slow

from offsetproof.lang import Model, Setting, Timing, Wait, action, always, flag, require
from offsetproof.lang.reference import Reference, Replay
from offsetproof.lang.stage import Staged
from offsetproof.severity import reordering
from offsetproof.severity.reordering import TimedStory, least_stalled
from offsetproof.severity.timing import schedule_of
from offsetproof.traces.store import labels_of, read_record_file
from offsetproof.verdict.limits import Deadline, LimitMetError
from offsetproof.verdict.result import Reason

STALLED = [file for file in FILES if (timing := read_record_file(file).trace.timing) and timing.stall]


class Post(Model):
    """A letter and a parcel are sent, and whichever arrives lights the lamp."""

    sent: bool = flag()
    letter: bool = flag()
    parcel: bool = flag()
    lamp: bool = flag()

    @action()
    def sender_sends(self) -> None:
        require(not self.sent)
        self.sent = True

    @action()
    def parcel_arrives(self) -> None:
        require(self.sent, not self.parcel)
        self.parcel = True
        self.lamp = True

    @action()
    def letter_arrives(self) -> None:
        require(self.sent, not self.letter)
        self.letter = True
        self.lamp = True

    @always
    def both_never_arrive(self) -> bool:
        return not (self.parcel and self.letter)


PARCELS_ARE_SLOW = Timing((
    Wait("the parcel", ("parcel_arrives",), (("sender_sends",),), least=5, most=None),
    Wait("the letter is late", ("letter_arrives",), (("sender_sends",),)),
))  # fmt: skip
LETTER_LAST = [("sender_sends", ()), ("parcel_arrives", ()), ("letter_arrives", ())]
SETTING = Setting(Post.scopes[0])


def test_letter_that_comes_last_without_need_is_not_told_to_be_late() -> None:
    replay, staged = Replay(Reference(Post, SETTING), Post.claims[0], LETTER_LAST), Staged(Post, SETTING)
    listed = schedule_of(replay, staged, PARCELS_ARE_SLOW)
    found = least_stalled(replay, staged, PARCELS_ARE_SLOW)
    assert listed is not None
    assert found.schedule is not None
    assert (listed.stall, found.schedule.stall) == (5.0, 0.0)
    assert [name for name, _ in found.replay.labels] == ["sender_sends", "letter_arrives", "parcel_arrives"]
    assert found.replay.states[-1] == replay.states[-1]


def test_times_that_are_known_stay_where_the_search_for_others_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(*_args: object) -> Iterator[Replay]:
        yield from ()
        raise LimitMetError(Reason.TIME)

    monkeypatch.setattr(reordering, "other_orders", cut)
    replay, staged = Replay(Reference(Post, SETTING), Post.claims[0], LETTER_LAST), Staged(Post, SETTING)
    listed = schedule_of(replay, staged, PARCELS_ARE_SLOW)
    assert least_stalled(replay, staged, PARCELS_ARE_SLOW) == TimedStory(replay, replay, listed)
    with pytest.raises(LimitMetError):
        least_stalled(replay, staged, PARCELS_ARE_SLOW, Deadline(0.0))


def test_other_orders_are_looked_for_in_half_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[Deadline] = []
    monkeypatch.setattr(reordering, "other_orders", lambda *args: given.append(args[-1]) or ())
    replay, staged = Replay(Reference(Post, SETTING), Post.claims[0], LETTER_LAST), Staged(Post, SETTING)
    end = monotonic() + 1000
    least_stalled(replay, staged, PARCELS_ARE_SLOW, Deadline(end))
    assert given[0].at is not None
    assert end - 500 <= given[0].at < end
    assert Deadline().half() == Deadline()


@reproducible(60)
@given(stories(), timings())
def test_other_order_has_the_same_steps_and_end_and_no_longer_stall(replay: Replay, timing: Timing) -> None:
    listed = schedule_of(replay, STAGED, timing)
    found = least_stalled(replay, STAGED, timing)
    other, schedule = found.replay, found.schedule
    assert listed is not None
    assert schedule is not None
    assert schedule.stall <= listed.stall
    assert (other is replay) == (schedule.stall == listed.stall)
    assert Counter(other.labels) == Counter(replay.labels)
    assert other.states[-1] == replay.states[-1]
    assert schedule == schedule_of(other, STAGED, timing)


@pytest.mark.parametrize("file", large_are_slow(STALLED, question_of), ids=lambda file: file.stem)
def test_no_other_order_spares_the_stall_of_a_recorded_story(file: Path) -> None:
    question, recorded = question_of(file), read_record_file(file)
    replay = Replay(Reference(question.model, question.setting), question.prop, labels_of(recorded))
    timing = subject_of(recorded.trace).timing_in(question.setting)
    assert timing is not None
    found = least_stalled(replay, ENGINES.models.of(question), timing)
    assert (found.replay, found.schedule) == (replay, recorded.trace.timing)


def test_some_recorded_stories_need_a_stall() -> None:
    assert {"I5-stalled-callback", "I5-late-pull"} <= {file.stem for file in STALLED}

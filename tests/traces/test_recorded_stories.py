"""Which stories came with the program, whose they are, and that only those are read which are asked for."""

from __future__ import annotations

import pytest

from offsetproof.reading.files import UnreadableFileError
from offsetproof.traces import recorded_stories as module
from offsetproof.traces.recorded_stories import RecordedStories, recorded_stories, recorded_traces
from offsetproof.traces.store import Recorded, read_record


def test_every_file_is_a_story_and_numbers_in_names_count_as_numbers() -> None:
    names = [*recorded_stories()]
    assert {*names} == {*recorded_traces()}
    assert len(names) == len(recorded_stories()) > 100
    assert names.index("I5-late-poll") < names.index("I11-row-put-twice")


def test_heads_say_of_each_story_whose_it_is() -> None:
    for name, trace in recorded_stories().items():
        assert name in recorded_stories().about(str(trace.subject)).of(trace.property.id)
        assert name in recorded_stories().of(trace.property.id)


def test_claim_is_known_by_its_case_and_else_by_its_name() -> None:
    own = recorded_stories().about("rocketmq")
    by_id = {name for name, trace in own.items() if trace.property.id == "I5"}
    by_name = {name for name, trace in own.items() if trace.property.name == "backward-reset-stays"}
    assert {*own.of("I5")} == by_id
    assert {*own.of("backward-reset-stays")} == {*own.of("backward_reset_stays")} == by_name > by_id
    assert [*own.of("nobodys-claim")] == []


def test_two_subjects_with_a_case_of_one_id_have_their_own_stories() -> None:
    whose = {name: recorded_stories()[name].subject for name in recorded_stories().of("I4")}
    for subject in {*whose.values()}:
        assert [*recorded_stories().about(str(subject)).of("I4")] == [n for n in whose if whose[n] == subject]


def test_only_what_is_asked_for_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []

    def reading(text: str, name: str) -> Recorded:
        read.append(name)
        return read_record(text, name)

    monkeypatch.setattr(module, "read_record", reading)
    module._story.cache_clear()
    stories = recorded_stories().about("rocketmq").of("I8")
    assert read == []
    assert {trace.property.id for trace in stories.values()} == {"I8"}
    assert read == [*stories] != []


def test_story_of_another_name_is_not_there() -> None:
    with pytest.raises(KeyError, match="I5"):
        RecordedStories(["I8"])["I5"]


@pytest.mark.parametrize("text", ["{", "[]", '{"property": {"id": 5}, "subject": null}'])
def test_damaged_file_is_told_by_name_where_stories_are_looked_for(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(module, "_text", lambda name: text)
    module._head.cache_clear()
    with pytest.raises(UnreadableFileError, match="I1-"):
        recorded_stories().of("I5")
    module._head.cache_clear()

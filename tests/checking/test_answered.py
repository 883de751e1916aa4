"""The answers that tests share: each question is decided once, and what is wrong in a file is no answer."""

from __future__ import annotations

import pickle
from dataclasses import replace
from pathlib import Path

import pytest
from systems import answered
from systems.answered import Answered
from systems.sizes import is_small

from offsetproof.checking.answers import Answer
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang.reference import ReplayError
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.result import Reason, Verdict

(ASKED,) = questions_of(Request(ROCKETMQ, ("I13",)))
OTHER = replace(ASKED, limits=Limits(states=2))


def test_question_is_decided_once_and_another_one_for_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Answered(tmp_path).answer(ASKED)
    decided = []

    def noting(*asked: object) -> Answer:
        decided.append(asked[-1])
        return answer_to(*asked)  # type: ignore[arg-type]  # as they came

    answer_to = answered.answer_to
    monkeypatch.setattr(answered, "answer_to", noting)
    again, other = Answered(tmp_path).answer(ASKED), Answered(tmp_path).result(OTHER)
    assert decided == [OTHER]
    assert (again.verdict, again.counts, again.trace) == (first.verdict, first.counts, first.trace)
    assert again.trace is not None
    assert (first.verdict, other.verdict, other.reason) == (Verdict.REFUTED, Verdict.UNKNOWN, Reason.STATES)


def test_steps_that_do_not_replay_are_no_answer(tmp_path: Path) -> None:
    Answered(tmp_path).answer(ASKED)
    (file,) = [file for file in tmp_path.iterdir() if not file.suffix]
    kept = pickle.loads(file.read_bytes())
    file.write_bytes(pickle.dumps(replace(kept, steps=(kept.steps[0], kept.steps[1][:-1], None))))
    with pytest.raises(ReplayError):
        Answered(tmp_path).answer(ASKED)


def test_size_of_a_question_is_that_of_its_own_world() -> None:
    asked = {(q.prop.id, q.setting.scope.name): q for q in questions_of(Request(ROCKETMQ))}
    assert is_small(ASKED)
    assert not is_small(asked["I6-time-stable", "equal-times"])
    elsewhere = questions_of(Request(ROCKETMQ, ("I13",), bounds={"messages": 1}))[0]
    assert not is_small(elsewhere), "the baseline does not have it"
    assert 10 < sum(map(is_small, asked.values())) < len(asked) / 2

"""Several processes decide: the same answers in the same order, whatever becomes of the processes."""

from __future__ import annotations

import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from multiprocessing import Barrier, Event
from pathlib import Path
from tempfile import TemporaryFile

import pytest
from msgspec import to_builtins
from systems.samples import one_in

from offsetproof.checking.answers import Answer, answers, answers_of_all
from offsetproof.checking.answers_apart import answers_apart, pack_answer, unpack_answer
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.side_by_side import SHARE_MIN, Job, Lost, processes, side_by_side
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.examples.toys import Counter, Stairs
from offsetproof.lang.reference import ReplayError
from offsetproof.lang.subject import Subject
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.reports.json import result_json
from offsetproof.traces.trace import Effect
from offsetproof.verdict.limits import Limits
from offsetproof.verdict.question import Question
from offsetproof.verdict.result import DisagreementError, Reason, Verdict

TIMED = {"seconds", "notes"}
COUNTER, STAIRS = (Subject(model.__name__, model, model.claims) for model in (Counter, Stairs))
MANY = [question for subject in (COUNTER, STAIRS) for question in questions_of(Request(subject))]


def quiet(_question: Question, _told: object, _done: int) -> None:
    """Nobody wants to know how far the work is."""


def rows(given: list[Answer]) -> list[dict[str, object]]:
    return [
        {key: value for key, value in to_builtins(result_json(answer)).items() if key not in TIMED} for answer in given
    ]


def children() -> set[str]:
    return set(Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split())


def job_of(decide: Callable[[Question], int], lost: Callable[[Question, Lost], int] = lambda _q, _lost: -1) -> Job[int]:
    return Job(decide, lambda _q, n: n, lost, is_decided, is_interrupted, lacks_nothing)


def of_numbers(work: Job[int], count: int = 2) -> list[int]:
    return list(side_by_side(MANY, work, count, quiet))


def is_decided(_outcome: int) -> bool:
    return True


def is_interrupted(_outcome: int) -> bool:
    return False


def lacks_nothing(_outcome: int) -> bool:
    return False


@contextmanager
def interruptible() -> Iterator[None]:
    """Whoever started this may have interrupts ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def no_process_is_left() -> Iterator[None]:
    before = children()
    yield
    assert children() == before


@pytest.mark.parametrize("count", one_in(2, [2, 3]))
def test_processes_give_the_answers_of_one_in_the_same_order(count: int) -> None:
    asked = questions_of(Request(ROCKETMQ, ("I11", "I11-fixed", "I13", "I21")))
    subject = ROCKETMQ
    alone = list(answers(subject, explicit_alone(), asked))
    apart = list(answers_apart(explicit_alone(), [(subject, asked)], count, quiet))
    assert rows(apart) == rows(alone)
    assert [answer.trace for answer in apart] == [answer.trace for answer in alone]
    assert [answer.outline for answer in apart] == [answer.outline for answer in alone]


def test_answers_come_in_order_although_the_first_takes_longest() -> None:
    def decide(question: Question) -> int:
        number = MANY.index(question)
        time.sleep(0.5 if number == 0 else 0.0)
        return number

    assert of_numbers(job_of(decide)) == [*range(len(MANY))]


def test_process_that_dies_costs_its_own_question_and_says_how() -> None:
    how: list[str] = []

    def decide(question: Question) -> int:
        if question == MANY[1]:
            os.kill(os.getpid(), signal.SIGKILL)
        return MANY.index(question)

    def lost(_question: Question, why: Lost) -> int:
        assert why.reason is Reason.DIED
        how.append(why.detail)
        return -1

    assert of_numbers(job_of(decide, lost)) == [0, -1, *range(2, len(MANY))]
    assert [detail.partition(";")[0] for detail in how] == ["it ended with signal 9"]


@pytest.mark.parametrize("count", [1, 2])
def test_process_in_a_call_without_end_is_killed_when_its_time_is_long_over(
    monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    """No thread and no handler of a signal gets its turn within the call."""
    monkeypatch.setattr("offsetproof.checking.side_by_side.GRACE", 0.2)
    asked = [replace(question, limits=Limits(seconds=0.1 if i == 1 else 60.0)) for i, question in enumerate(MANY)]
    lost: list[Lost] = []

    def decide(question: Question) -> int:
        return int(all(itertools.repeat(True))) if question == asked[1] else asked.index(question)

    job = job_of(decide, lambda _q, why: lost.append(why) or -1)
    assert list(side_by_side(asked, job, count, quiet)) == [0, -1, *range(2, len(MANY))]
    assert [why.reason for why in lost] == [Reason.TIME]
    assert 0.3 <= lost[0].seconds < 30


def test_answers_about_several_subjects_come_from_the_same_processes() -> None:
    by_subject = [(subject, questions_of(Request(subject))) for subject in (COUNTER, STAIRS)]
    apart = list(answers_apart(explicit_alone(), by_subject, 1, quiet))
    assert rows(apart) == rows(list(answers_of_all(explicit_alone(), by_subject)))
    assert [answer.subject for answer in apart] == [subject for subject, those in by_subject for _ in those]


def test_answer_of_a_dead_process_is_unknown_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    here = os.getpid()

    def dies(*_given: object) -> None:
        assert os.getpid() != here
        os._exit(7)

    monkeypatch.setattr(Explicit, "decide", dies)
    given = list(answers_apart(explicit_alone(), [(COUNTER, MANY[:2])], 2, quiet))
    assert [(a.result.verdict, a.result.reason) for a in given] == [(Verdict.UNKNOWN, Reason.DIED)] * 2
    assert given[0].result.detail.startswith("it ended with code 7; ")


def test_error_is_raised_here_after_all_answers_before_it() -> None:
    def decide(question: Question) -> int:
        if question == MANY[2]:
            raise LookupError("nothing is there")
        return MANY.index(question)

    outcomes = side_by_side(MANY, job_of(decide), 2, quiet)
    assert [next(outcomes), next(outcomes)] == [0, 1]
    with pytest.raises(LookupError, match="nothing is there"):
        next(outcomes)


def test_error_that_does_not_come_again_is_no_answer() -> None:
    here = os.getpid()

    def decide(question: Question) -> int:
        if question == MANY[0] and os.getpid() != here:
            raise LookupError("only at first")
        return 0

    with pytest.raises(DisagreementError, match="was decided, but not at first: LookupError: only at first"):
        of_numbers(job_of(decide))


def test_interrupt_ends_all_and_what_they_had_established_is_reported() -> None:
    here = os.getpid()

    def decide(question: Question) -> int:
        if question == MANY[0]:
            return 0
        with suppress(KeyboardInterrupt):
            os.kill(here, signal.SIGINT) if question == MANY[1] else None
            time.sleep(60)
        return -MANY.index(question)

    with interruptible():
        given = of_numbers(job_of(decide, lambda _q, _lost: 99))
    assert -1 in given  # what the interrupted process had established
    assert [number for number in given if number >= 0] in ([0], [])  # none, where the interrupt was the quicker one
    assert len(given) <= 3


@pytest.mark.parametrize("are_alike", [True, False])
def test_releases_that_will_have_an_answer_are_left_to_whoever_finds_it(are_alike: bool) -> None:
    """And others are not: without work a process helps with the last ones."""
    asked = questions_of(Request(ROCKETMQ, ("I11",), ("4.9.4", "4.9.8", "5.3.3")))
    releases = [question.setting.release for question in asked]
    begun = {release: Event() for release in releases}

    def decide(question: Question) -> int:
        question.prepared()
        begun[question.setting.release].set()
        if question.setting.release == "4.9.4":
            begun["5.3.3" if are_alike else "4.9.8"].wait(10)
        if question.setting.release == "5.3.3":
            begun["4.9.4"].wait(10)
        return os.getpid()

    def answers_too(question: Question, other: Question) -> bool:
        assert releases.index(question.setting.release) < releases.index(other.setting.release)
        return are_alike and other == asked[1]

    first, second, third = side_by_side(asked, replace(job_of(decide), answers_too=answers_too), 2, quiet)
    assert ((first == second), (first == third)) == (are_alike, False)


def test_question_that_two_keep_is_taken_by_one() -> None:
    """The second had begun before the first one told what it keeps; what both keep comes between them."""
    asked = questions_of(Request(ROCKETMQ, ("I11",), ("4.9.4", "4.9.8", "5.3.3")))
    sizes, both = {"4.9.4": 3, "5.3.3": 2, "4.9.8": 1}, Barrier(2)

    def decide(question: Question) -> int:
        both.wait(10) if question.setting.release != "5.3.3" else None
        question.prepared()
        return asked.index(replace(question, limits=asked[0].limits))

    job = replace(
        job_of(decide),
        size=lambda question: sizes[question.setting.release],
        answers_too=lambda _question, _other: True,
    )
    assert list(side_by_side(asked, job, 2, quiet)) == [0, 1, 2]


def test_what_a_dead_process_kept_is_taken_by_another() -> None:
    asked = questions_of(Request(ROCKETMQ, ("I11",), ("4.9.4", "4.9.8", "5.3.3")))

    def decide(question: Question) -> int:
        number = asked.index(replace(question, limits=asked[0].limits))
        question.prepared()
        return os.kill(os.getpid(), signal.SIGKILL) or 0 if number == 0 else number

    job = replace(job_of(decide), answers_too=lambda _question, _other: True)
    assert list(side_by_side(asked, job, 2, quiet)) == [-1, 1, 2]


def test_question_after_one_that_fails_is_asked_whatever_its_size() -> None:
    """The last one looks largest and begins; the second fails, and the first is still to be asked."""

    def decide(question: Question) -> int:
        if question == MANY[1]:
            raise LookupError("nothing is there")
        return MANY.index(question)

    job = replace(job_of(decide), size=lambda question: [each.prop.id for each in MANY].index(question.prop.id))
    outcomes = side_by_side(MANY, job, 2, quiet)
    assert next(outcomes) == 0
    with pytest.raises(LookupError, match="nothing is there"):
        next(outcomes)


def test_largest_come_first() -> None:
    with TemporaryFile() as order:

        def decide(question: Question) -> int:
            number = MANY.index(replace(question, limits=MANY[0].limits))
            os.write(order.fileno(), bytes([number]))
            return number

        job = replace(job_of(decide), size=lambda question: question.model is Stairs)
        assert list(side_by_side(MANY, job, 1, quiet)) == [*range(len(MANY))]
        order.seek(0)
        stairs = [number for number, question in enumerate(MANY) if question.model is Stairs]
        assert [*order.read()] == [*stairs, *range(stairs[0])]


def test_leaving_early_leaves_no_process() -> None:
    job = job_of(lambda q: MANY.index(q))
    with closing(side_by_side(MANY, job, 2, quiet)) as outcomes:
        assert next(outcomes) == 0
        assert children()


def test_what_its_share_of_memory_was_not_enough_for_is_asked_again_with_all_of_it() -> None:
    (question,) = questions_of(Request(ROCKETMQ, ("I11-fixed",), limits=Limits(bytes=4 << 30)))
    asked = [replace(question, limits=Limits(bytes=4 << 30)) for _ in range(3)]
    seen: list[int] = []

    def decide(question: Question) -> int | None:
        return question.limits.bytes

    def lacks_memory(share: int) -> bool:
        seen.append(share)
        return share < 4 << 30

    job = Job(decide, lambda _q, share: share, lambda _q, _lost: -1, is_decided, is_interrupted, lacks_memory)
    assert list(side_by_side(asked, job, 2, quiet)) == [4 << 30] * 3
    assert seen.count(2 << 30) == 3


@pytest.mark.parametrize(
    ("decided", "told"),
    [([], [4 << 30, 2 << 30, 2 << 30]), ([2 << 30], [2 << 30] * 3), ([2 << 30, 4 << 30], [4 << 30, 2 << 30, 2 << 30])],
)
def test_interrupt_of_what_is_asked_again_with_all_memory_ends_the_run_and_costs_no_verdict(
    decided: list[int], told: list[int]
) -> None:
    (question,) = questions_of(Request(ROCKETMQ, ("I11-fixed",), limits=Limits(bytes=4 << 30)))
    asked = [replace(question, limits=Limits(bytes=4 << 30)) for _ in range(3)]
    here = os.getpid()

    def decide(question: Question) -> int | None:
        if question.limits.bytes == 4 << 30:
            with suppress(KeyboardInterrupt):
                os.kill(here, signal.SIGINT)
                time.sleep(60)
        return question.limits.bytes

    job = Job(
        decide=decide,
        unpack=lambda _question, share: share,
        lost=lambda _question, _lost: -1,
        is_decided=lambda share: share in decided,
        is_interrupted=is_interrupted,
        lacks_memory=lambda share: share < 4 << 30,
    )
    with interruptible():
        assert list(side_by_side(asked, job, 2, quiet)) == told


def test_worker_that_dies_with_all_of_the_memory_costs_no_verdict_of_its_share() -> None:
    (question,) = questions_of(Request(ROCKETMQ, ("I11-fixed",), limits=Limits(bytes=4 << 30)))
    asked = [replace(question, limits=Limits(bytes=4 << 30)) for _ in range(2)]

    def decide(question: Question) -> int | None:
        if question.limits.bytes == 4 << 30:
            os.kill(os.getpid(), signal.SIGKILL)
        return question.limits.bytes

    def given(is_decided: Callable[[int], bool]) -> list[int]:
        job = Job(decide, lambda _q, share: share, lambda _q, _lost: -1, is_decided, is_interrupted, lambda n: n > 0)
        return list(side_by_side(asked, job, 2, quiet))

    assert given(lambda share: share > 0) == [2 << 30] * 2
    assert given(lambda _share: False) == [-1] * 2


def test_answer_lacks_memory_where_its_verdict_or_its_fewest_faults_or_its_effect_do() -> None:
    refuted = next(a for a in answers(COUNTER, explicit_alone(), questions_of(Request(COUNTER))) if a.trace)
    assert refuted.trace
    unknown = replace(refuted.result, verdict=Verdict.UNKNOWN, reason=Reason.MEMORY, replay=None)
    short = Effect("unknown", None, None, "the memory is used up", lacks_memory=True)
    open_for_memory = replace(refuted.result, fewer_faults_open=Reason.MEMORY)
    assert not refuted.lacks_memory
    assert replace(refuted, result=open_for_memory).lacks_memory
    assert not replace(refuted, result=replace(open_for_memory, fewer_faults_open=Reason.STATES)).lacks_memory
    assert replace(refuted, result=unknown, trace=None).lacks_memory
    assert replace(refuted, trace=replace(refuted.trace, effect=short)).lacks_memory


def test_there_are_no_more_processes_than_questions_cpus_and_shares_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _pid: {0, 1, 2})
    roomy = [replace(question, limits=Limits(bytes=100 * SHARE_MIN)) for question in MANY]
    tight = [replace(question, limits=Limits(bytes=2 * SHARE_MIN)) for question in MANY]
    scarce = [replace(question, limits=Limits(bytes=1)) for question in MANY]
    assert (processes(None, MANY), processes(None, roomy), processes(5, roomy[:4])) == (3, 3, 4)
    assert (processes(8, tight), processes(8, scarce), processes(None, MANY[:1])) == (2, 1, 1)


def test_refuted_answer_whose_steps_do_not_replay_is_refused() -> None:
    asked = questions_of(Request(COUNTER))
    refuted = next(a for a in answers(COUNTER, explicit_alone(), asked) if a.is_refutation)
    question = next(q for q in asked if q.prop is refuted.result.prop)
    sent = pack_answer(refuted)
    assert sent.steps is not None
    assert unpack_answer(COUNTER, question, sent).result.replay is not None
    with pytest.raises(ReplayError):
        unpack_answer(COUNTER, question, replace(sent, steps=(sent.steps[0], sent.steps[1][:-1], None)))
    with pytest.raises(AssertionError, match="is REFUTED without a trace that replayed"):
        unpack_answer(COUNTER, question, replace(sent, steps=None))

"""`offsetproof symptom`: answers for people at 80 columns and for programs, and what is said where there is none."""

from __future__ import annotations

import json

from cli.program import in_terminal, run
from systems.schemas import read_valid


def test_answer_has_why_where_costs_now_and_story() -> None:
    ran = run("symptom", "the reset did not stick")
    assert (ran.code, ran.err) == (0, "")
    first = ran.out.split("\n\n")[0]
    assert first.startswith("1. the reset did not stick: the offset is back where it was\n   why    a long poll")
    told = " ".join(first.split())
    for said in (
        "where 4.9.4 to 5.3.3-client-reset; by other steps in 5.3.3, 5.5.0 costs permanent, 1 lost, 0 repeated",
        "now 4.9.4 to 5.3.3-client-reset: reset 1 s after the last consumer has gone, or later",
        "(I5-offline-quiet HOLDS in offline-reset, with poll-checks-dropped and reset-drops-again: the two fixes are",
        "story `offsetproof show I5-late-poll` (11 more: `offsetproof show I5`)",
    ):
        assert said in told


def test_text_fits_the_terminal() -> None:
    code, text = in_terminal("symptom", "the reset did not stick", columns=80)
    assert (code, max(map(len, text.splitlines())) <= 80) == (0, True)
    code, text = in_terminal("symptom", "wombat", columns=80)
    assert (code, max(map(len, text.splitlines())) <= 80) == (30, True)


def test_words_need_no_quotes_and_may_be_chinese() -> None:
    assert run("symptom", "消息堆积", "一直不下降").out == run("symptom", "消息堆积 一直不下降").out
    assert run("symptom", "消息堆积一直不下降").out.startswith("1. the offset of a queue does not move")


def test_release_keeps_what_happens_there() -> None:
    of = run("symptom", "the reset did not stick", "--release", "5.3.3")
    assert "`offsetproof show I5-commit-with-marker`" in of.out
    assert "`offsetproof show I5-late-poll`" not in of.out
    none = run("symptom", "the reset did not stick", "--release", "4.9.9")
    assert (none.code, none.out) == (2, "")


def test_release_without_a_story_of_its_own_is_told_why_it_happens_in_another() -> None:
    first = run("symptom", "a queue is not pulled any more", "--release", "5.5.0").out.split("\n\n")[0]
    told = " ".join(first.split())
    assert "why in 4.9.4, 4.9.8: " in told
    assert "; `offsetproof check rocketmq I23-lost --release 5.5.0` tells how it happens in 5.5.0 where" in told


def test_near_symptom_that_a_release_does_not_have_is_told() -> None:
    out = run("symptom", "resetOffsetByQueueId set all queues back", "--release", "5.3.3").out
    assert "not in 5.3.3: a reset of one queue set back all queues of an older broker" in out


def test_costs_of_a_story_that_needs_a_fix_name_no_empty_release() -> None:
    out = run("symptom", "broadcast consumer: the pull request offset illegal", "--release", "4.9.4").out
    assert "I24-broadcast-repair-not-in-file" in out
    assert "(in )" not in out


def test_nothing_is_not_success_and_says_where_else_to_look() -> None:
    ran = run("symptom", "wombat")
    assert ran.code == 30
    assert ran.out.startswith("no answer\n")
    assert "offsetproof list left-out" in ran.out
    assert run("symptom", " ").code == 2


def test_what_the_models_leave_out_comes_first_where_it_is_nearer() -> None:
    assert run("symptom", "POP consumers").out.startswith("left out of ")


def test_line_of_a_log_is_said_to_be_one() -> None:
    out = run("symptom", "2024-05-01 INFO RocketmqClient - suspend this consumer, shop").out
    assert out.startswith("steps that write this line: ")
    assert "1. the reset did not stick" in out


def test_json_is_valid_and_has_what_the_text_has() -> None:
    document = json.loads(run("symptom", "the reset did not stick", "--format=json").out)
    read_valid("symptom", json.dumps(document))
    first = document["answers"][0]
    assert (first["symptom"], first["property"], first["story"]) == ("reset-undone", "I5", "I5-late-poll")
    assert first["matched"] == "the reset did not stick"
    assert [each["rests_on"] for each in first["now"] if each["procedure"]][1].endswith(
        "I29-stopped HOLDS in one-queue"
    )
    everything = json.loads(run("symptom", "the reset did not stick", "--all", "--format=json").out)
    assert len(everything["answers"]) >= len(document["answers"])

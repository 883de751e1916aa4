"""What a brief story tells, step by step, and what it leaves out first."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems import lossy_queue
from systems.desk import REFERENCE, STAGED, Desk, replay
from systems.reproducible import reproducible

from offsetproof.lang import always
from offsetproof.lang.reference import Replay
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.traces.brief import Brief, brief, outline_of
from offsetproof.traces.cause import parts_of
from offsetproof.traces.trace import Schedule, trace_of

SPILT = ("customer_brings_one", "clerk_opens", "clerk_reads", "clerk_writes", "water_spills")
AMONG_TICKS = ("clock_ticks", *(name for each in SPILT[:-1] for name in (each, "clock_ticks")), SPILT[-1])


def in_brief(found: Replay, steps: int, width: int = 100) -> Brief:
    return brief(trace_of(found, staged=STAGED), outline_of(found, STAGED), width, steps)


def test_step_says_number_who_what_in_words_and_the_values_that_matter() -> None:
    told = in_brief(replay("ledger_is_right", *SPILT), 9)
    assert told == Brief(
        (
            "  1 customer  A customer brings one more, if there is room for one (source 0 -> 1)",
            "  2 door      The desk is opened in the morning (is_open False -> True)",
            "  3 hand      The number is copied into the tray, whatever was there before, and the tray is carried",
            "                to the ledger (tray None -> 1)",
            "  4 hand      clerk_writes (ledger 0 -> 1)",
            "  5 water     fault: Water spills: the number is lost (source 1 -> 0)",
        ),
        (1, 2, 3, 4, 5),
    )


def test_steps_that_the_violation_did_not_need_are_left_out_first() -> None:
    told = in_brief(replay("ledger_is_right", *AMONG_TICKS), 5)
    assert told.steps == (2, 4, 6, 8, 10)


@pytest.mark.parametrize(("count", "steps"), [
    (1, ["water_spills"]),
    (2, ["clerk_writes", "water_spills"]),
    (3, ["clerk_reads", "clerk_writes", "water_spills"]),
    (4, ["customer_brings_one", "clerk_reads", "clerk_writes", "water_spills"]),
    (5, list(SPILT)),
    (0, ["water_spills"]),
])  # fmt: skip
def test_what_the_claim_read_is_told_first_then_what_that_came_from_then_what_let_it_happen(
    count: int, steps: list[str]
) -> None:
    told = in_brief(replay("ledger_is_right", *SPILT), count)
    assert [SPILT[number - 1] for number in told.steps] == steps


def test_fault_is_told_before_what_led_to_it() -> None:
    early = ("water_spills", "customer_brings_one", "clerk_opens", "clerk_reads", "clerk_writes")
    found = replay("ledger_is_empty", *early)
    assert [line.split()[0] for line in in_brief(found, 2).lines] == ["1", "5"]
    assert "fault: Water spills" in in_brief(found, 2).lines[0]


def test_ghost_is_told_only_where_nothing_else_was_needed() -> None:
    found = replay("something_is_written", *SPILT[1:4])
    assert "ghost_written False -> True" in in_brief(found, 9).lines[-1]
    assert "ghost_" not in "".join(in_brief(replay("ledger_is_right", *SPILT), 9).lines)


@always
def ledger_is_empty_once_written(desk: Desk) -> bool:
    """A claim that reads a ghost as well as a real field."""
    return not desk.ghost_written or desk.ledger == 0


def test_real_field_is_told_before_a_ghost() -> None:
    found = Replay(REFERENCE, ledger_is_empty_once_written, [(name, ()) for name in SPILT[:4]])
    assert in_brief(found, 1).lines == ("  4 hand  clerk_writes (ledger 0 -> 1, ghost_written False -> True)",)
    assert in_brief(found, 1, width=40).lines == ("  4 hand  clerk_writes (ledger 0 -> 1)",)


def test_words_that_do_not_fit_into_a_line_go_on_in_the_next() -> None:
    told = in_brief(replay("ledger_is_right", *SPILT), 5, width=60)
    assert told.lines[-3:] == (
        "  4 hand      clerk_writes (ledger 0 -> 1)",
        "  5 water     fault: Water spills: the number is lost",
        "                (source 1 -> 0)",
    )
    assert (len(told.lines), told.steps) == (9, (1, 2, 3, 4, 5))


def test_value_is_not_broken_where_it_fits_into_a_line_of_its_own() -> None:
    lines = in_brief(replay("ledger_is_right", *SPILT), 99, width=34).lines
    assert [line.strip() for line in lines if "->" in line] == [
        "(source 0 -> 1)", "(tray None -> 1)", "(ledger 0 -> 1)", "(source 1 -> 0)"
    ]  # fmt: skip


def test_numbers_are_those_of_the_story_as_it_is_told() -> None:
    found = replay("ledger_is_right", *SPILT)
    timed = replace(trace_of(found, staged=STAGED), timing=Schedule(0.0, (), (0.0,) * 5, (2, 1, 3, 4, 5)))
    told = brief(timed, outline_of(found, STAGED), 100, 4)
    assert told.steps == (2, 3, 4, 5)
    assert told.lines[0].startswith("  2 customer  ")


def test_actors_of_one_kind_keep_their_names_beside_their_threads() -> None:
    takes, finishes = lossy_queue.TAKES, lossy_queue.finishes(1)
    found = lossy_queue.replay("Q1", takes, finishes, lossy_queue.COMMITS)
    outline = outline_of(found, lossy_queue.STAGED)
    alone = brief(trace_of(found, staged=lossy_queue.STAGED), outline, 100, 9)
    assert [line[4:13] for line in alone.lines] == ["rebalance", "task     ", "timer    "]
    trace = trace_of(found, staged=lossy_queue.STAGED)
    second = replace(trace, steps=(replace(trace.steps[0], actor="consumer[1]"), *trace.steps[1:]))
    assert [line[4:26].rstrip() for line in brief(second, outline, 100, 9).lines] == [
        "consumer[1] rebalance",
        "consumer[0] task",
        "consumer[0] timer",
    ]


def test_part_of_a_step_says_how_far_its_value_is_from_the_claim() -> None:
    parts = parts_of(replay("ledger_is_right", *SPILT), STAGED)
    assert [(part.number, part.distance) for part in parts] == [(1, 2), (2, None), (3, 1), (4, 0), (5, 0)]
    assert dict(parts[2].fields) == {"tray": 1}


@reproducible(100)
@given(st.integers(1, 25), st.integers(40, 120))
def test_no_line_is_wider_and_no_story_longer_than_asked(steps: int, width: int) -> None:
    told = in_brief(replay("ledger_is_right", *AMONG_TICKS), steps, width)
    assert len(told.steps) == min(steps, len(AMONG_TICKS)) <= len(told.lines)
    assert max(map(len, told.lines)) <= width


def test_every_action_of_rocketmq_says_in_a_few_words_what_its_actor_does() -> None:
    sentences = {action.name: action.about for action in RocketMQ.actions.values()}
    assert {name: text for name, text in sentences.items() if len(text) > 65} == {}
    verbs = {name: text.split()[0].rstrip(";,") for name, text in sentences.items()}
    assert {name: verb for name, verb in verbs.items() if not verb.endswith("s") and verb != "Cannot"} == {}

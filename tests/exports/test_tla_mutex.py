"""A system with message queues: its module reads as people write it, and counts what theirs does."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from exports.reading import operator
from exports.yardsticks import explored

from offsetproof.checking.exporting import to_export
from offsetproof.checking.request import Request
from offsetproof.checking.subject import load_subject
from offsetproof.exports.exported import Exported
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import LONG_RUN, SHORT_RUN, run_tlc
from studies.tlc import run

EXAMPLES = Path(__file__).parents[2] / "examples"


def export(scope: str) -> Exported:
    """Lamport's mutual exclusion in one of its scopes, reduced as `offsetproof export` does."""
    return to_export(Request(load_subject(str(EXAMPLES / "lamport_mutex.py")), scope=scope))


def by_hand(folder: Path, processes: int, clock: int) -> Path:
    """The specification by hand, in a folder of its own, for that many processes and that high a clock."""
    for file in EXAMPLES.glob("LamportMutexByHand.*"):
        shutil.copy(file, folder)
    (configuration,) = folder.glob("*.cfg")
    text = configuration.read_text(encoding="ascii")
    assert "  N = 3\n  MaxClock = 6\n" in text
    configuration.write_text(text.replace("= 3", f"= {processes}").replace("= 6", f"= {clock}"), encoding="ascii")
    return folder


def test_export_counts_what_the_specification_by_hand_does(tmp_path: Path) -> None:
    outcome, theirs = run_tlc(export("two"), folder=tmp_path, java=SHORT_RUN), tmp_path / "theirs"
    theirs.mkdir()
    counted = run(by_hand(theirs, 2, 4), SHORT_RUN)
    assert (outcome.states, outcome.depth) == (counted.states, counted.depth) == explored(export("two").system)


@pytest.mark.slow
def test_export_counts_what_is_published(tmp_path: Path) -> None:
    outcome = run_tlc(export("three"), folder=tmp_path, java=LONG_RUN)
    assert (outcome.states, outcome.depth) == explored(export("three").system) == (724_274, 60)


TEXT = next(text for name, text in tla(export("three")).items() if name.endswith(".tla"))


def test_message_is_taken_out_of_a_queue_by_one_function() -> None:
    assert operator(TEXT, "ProcessReceivesRelease") == (
        "ProcessReceivesRelease(p, q) ==\n"
        "  /\\ process_inbox_count[p][q] # 0\n"
        "  /\\ process_inbox_kind[p][q][0] = MessageKind_RELEASE\n"
        "  /\\ process_request' = [process_request EXCEPT ![p][q] = 0]\n"
        "  /\\ process_inbox_count' = [process_inbox_count EXCEPT ![p][q] = @ - 1]\n"
        "  /\\ process_inbox_kind' =\n"
        "       [process_inbox_kind EXCEPT\n"
        "         ![p][q] = [k \\in 0..2 |-> IF k = 2 THEN MessageKind_REQUEST ELSE @[k + 1]]]\n"
        "  /\\ process_inbox_time' =\n"
        "       [process_inbox_time EXCEPT ![p][q] = [k \\in 0..2 |-> IF k = 2 THEN 0 ELSE @[k + 1]]]\n"
        "  /\\ UNCHANGED <<process_clock, process_acks, process_critical>>"
    )  # fmt: skip


def test_message_to_all_others_is_said_once() -> None:
    assert (
        "  /\\ process_inbox_count' =\n"
        "       [i \\in Process |->\n"
        "         IF p = i THEN process_inbox_count[i] ELSE [process_inbox_count[i] EXCEPT ![p] = @ + 1]]\n"
    ) in operator(TEXT, "ProcessRequests")


def test_instances_that_write_in_another_order_are_not_told_apart() -> None:
    assert ("  /\\ process_inbox_count' = [process_inbox_count EXCEPT ![p][q] = @ - 1, ![q][p] = @ + 1]\n") in operator(
        TEXT, "ProcessReceivesRequest"
    )


def test_parameters_that_differ_range_over_the_others() -> None:
    assert "\n  \\/ \\E p \\in Process : \\E q \\in Process \\ {p} : ProcessReceivesAck(p, q)\n" in operator(
        TEXT, "Next"
    )


def test_queues_that_nobody_uses_are_no_part_of_the_state() -> None:
    assert "  /\\ process_inbox_count = [i \\in Process |-> [j \\in (0..2) \\ {i} |-> 0]]\n" in operator(TEXT, "Init")
    assert "  /\\ \\A i \\in Process : process_inbox_count[i] \\in [(0..2) \\ {i} -> 0..3]\n" in operator(
        TEXT, "TypeOK"
    )

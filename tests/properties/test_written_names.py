"""What was once written down in a baseline or a recorded trace can be asked today, by the names that it was written by.

`written_worlds.txt` has each claim with its scope and what was added by name, a line each, as every baseline and trace
in the history had them, at release 4.9.4 where none is said; add to it, and take nothing away. Only I23-heals is not
there: it stood in one baseline, and was given up.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from systems.recordings import FILES

from offsetproof.checking.replaying import replay_trace
from offsetproof.checking.request import question_of
from offsetproof.guard.baseline import baseline_file, read_baseline
from offsetproof.lang.world import ClaimInWorld
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.traces.store import read_record_file
from offsetproof.traces.trace import Trace

TRACES = [trace for trace in (read_record_file(file).trace for file in FILES) if trace.subject == ROCKETMQ.name]
"""The recorded traces of the concurrent model."""

WRITTEN = Path(__file__).with_name("written_worlds.txt")

EARLIER_NAMES = {
    "I2-resume": "cell_never_falls_although_resume_rebalances",
    "I4-ack-at-failure": "passed_offsets_are_done_when_ack_index_is_the_failure",
    "I4-ack-first": "passed_offsets_are_done_when_ack_index_is_zero",
    "I4-expansion-fixed": "passed_offsets_are_done_in_an_added_queue_without_zero_answers",
    "I4-new-group": "passed_offsets_are_done_in_a_new_group",
    "I4-query-error": "passed_offsets_are_done_although_a_query_fails",
    "I4-retry-timestamp": "passed_offsets_are_done_in_a_retry_queue",
    "I5": "backward_reset_is_stable",
    "I5-forward": "forward_reset_is_stable",
    "I5-forward-in-two": "forward_reset_is_stable_although_persist_is_two_steps",
    "I5-persist-in-two": "backward_reset_is_stable_although_persist_is_two_steps",
    "I6-lost-command": "answered_reset_has_landed_although_its_command_is_lost",
    "I6-time-fixed": "reset_to_a_time_delivers_everything_since_with_the_first_of_equals",
    "I8-heals-reset": "one_process_queue_pulls_at_rest_after_a_reset",
    "I16": "shutdown_commits_finished_work",
    "I16-waits": "shutdown_that_waits_commits_finished_work",
    "I23-lost": "live_process_queue_keeps_its_pull_request",
}
"""What traces of a case called its claim, where it is called something else now."""

SAME_NAMES = (
    "cell_passes_nothing_unfinished_in_the_group first_commits_of_two_queues_survive new_group_starts_at_max "
    "dropped_queue_never_changes_the_cell process_queue_outside_the_table_is_over "
    "reset_of_two_brokers_is_all_or_nothing broker_offset_never_falls answered_reset_has_landed "
    "reset_to_a_time_delivers_everything_since task_never_undoes_a_reset "
    "at_most_one_consumer_has_a_live_process_queue"
).split()
"""What traces called the other claims; these names can be asked for, too."""


def _world(line: str) -> ClaimInWorld:
    claim, scope, *added = line.split(", ")
    names = defaultdict(list)
    for what, name in (each.split(" ") for each in added):
        names[what].append(name)
    assert names.keys() <= {"fix", "assuming", "listener", "release"}
    (listener,) = names["listener"] or ["correct"]
    (release,) = names["release"] or ["4.9.4"]
    return ClaimInWorld(claim, release, scope, tuple(names["fix"]), tuple(names["assuming"]), listener)


WORLDS = [_world(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: f"{world.claim} {world.scope}")
def test_written_world_is_asked_by_its_names(world: ClaimInWorld) -> None:
    """What a case assumes may have grown since: I5-offline-quiet, of which a reading of the sources found one more."""
    question = question_of(ROCKETMQ, world)
    now = ClaimInWorld.of(question.prop.id, question.setting)
    assert set(world.assumptions) <= set(now.assumptions)
    assert replace(now, assumptions=world.assumptions) == world


def test_every_world_that_is_written_now_is_in_the_list() -> None:
    baseline = read_baseline(baseline_file("rocketmq", ROCKETMQ), ROCKETMQ)
    cells = [cell.asked for cell in baseline.findings.values()]
    told = [replace(trace.world.claim(trace.property.id), bounds={}) for trace in TRACES]
    assert len(cells) > 100
    missing = [world for world in (*cells, *told) if world not in WORLDS]
    assert not missing, f"add these to {WRITTEN.name}"


def _recorded(id: str) -> Trace:
    return next(trace for trace in TRACES if trace.property.id == id)


@pytest.mark.parametrize("id", EARLIER_NAMES)
def test_trace_with_an_earlier_name_of_its_claim_replays_and_says_the_name_of_now(id: str) -> None:
    trace = _recorded(id)
    earlier = replace(trace, property=replace(trace.property, name=EARLIER_NAMES[id]))
    replayed = replay_trace(earlier)
    assert replayed.agrees
    assert replayed.reason == f"the claim is called {ROCKETMQ.find(id).name} now"


@pytest.mark.parametrize("name", SAME_NAMES)
def test_name_of_a_claim_that_is_the_same_still_names_it(name: str) -> None:
    assert {prop.name for prop in ROCKETMQ.named(name)} == {name.replace("_", "-")}

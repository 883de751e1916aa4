"""The systems on which TLC was measured have the counts that the checker finds; the promise is kept."""

from __future__ import annotations

import json

from exports.yardsticks import explored

from studies.tlc import DATA, LAMPORT, ROCKETMQ, ROUNDS, System, sorted_samples
from studies.tlc_page import ratios

TOLD = json.loads(DATA.read_text(encoding="utf-8"))
RECORDS = [TOLD["lamport"], *TOLD["rocketmq"], TOLD["toys"]]


def test_every_export_of_a_system_counted_the_same_in_every_round() -> None:
    for record in RECORDS:
        assert len(record["rounds"]) == ROUNDS
        assert len({(run["states"], run["depth"]) for found in record["rounds"] for run in found.values()}) == 1


def test_what_was_counted_is_what_the_checker_counts() -> None:
    (states, depth), counted = explored(LAMPORT.exported().system), TOLD["lamport"]["rounds"][0]
    assert {name: (run["states"], run["depth"]) for name, run in counted.items()} == dict.fromkeys(
        ("by hand", "before", "after"), (states, depth)
    )
    every = [explored(System(subject, scope=scope).exported().system) for subject, scope in TOLD["toys"]["subjects"]]
    assert len(every) >= 15
    assert TOLD["toys"]["rounds"][0]["after"]["states"] == sum(states for states, _ in every)


def test_several_scopes_of_rocketmq_were_measured() -> None:
    assert [record["name"] for record in TOLD["rocketmq"]] == [system.name for system in ROCKETMQ]
    assert len({system.scope for system in ROCKETMQ}) >= 3


def test_export_takes_at_most_twice_what_the_specification_by_hand_takes() -> None:
    after, before = (ratios(TOLD["lamport"], name, "by hand") for name in ("after", "before"))
    assert after[len(after) // 2] <= 2 < before[len(before) // 2]


SAMPLES = """
jdk.ExecutionSample {
  stackTrace = [
    tlc2.value.impl.TupleValue.hashCode() line: 5
    tlc2.value.impl.FcnRcdValue.createIndex() line: 90
    tlc2.tool.impl.Tool.getNextStates(Action) line: 700
  ]
}

jdk.ExecutionSample {
  stackTrace = [
    tlc2.value.impl.FcnRcdValue.fingerPrint(long) line: 733
    tlc2.tool.impl.Tool.getNextStates(Action) line: 700
  ]
}

jdk.ExecutionSample {
  stackTrace = [
    java.lang.Object.wait() line: 1
  ]
}
"""


def test_sample_counts_for_the_innermost_call_that_is_known() -> None:
    assert sorted_samples(SAMPLES) == {
        "fingerprints of new states": 1,
        "making hash indices of functions": 1,
        "other": 1,
    }

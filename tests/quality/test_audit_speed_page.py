"""What was measured of the audit was exact: every way has read what was written."""

from __future__ import annotations

import json

from studies.audit_speed import DATA, LOGS, TENFOLD

TOLD = json.loads(DATA.read_text(encoding="utf-8"))


def test_every_way_read_all_lines_and_events() -> None:
    for way in TOLD["ways"].values():
        assert (way["read_lines"], way["read_events"]) == (TOLD["lines"], TOLD["events"])
    for each in TOLD["grows"].values():
        assert (each["read_lines"], each["read_events"]) == (each["lines"], each["events"])


def test_everything_that_can_grow_was_made_ten_times_as_much() -> None:
    assert {*TOLD["grows"]} == {"", *TENFOLD}
    assert TOLD["grows"]["lines"]["bytes"] > 9.9 * TOLD["grows"][""]["bytes"]


def test_with_and_without_spark_the_same_was_found_in_all_lines() -> None:
    assert {*TOLD["findings"]["logs"]} == {*LOGS}
    for of in TOLD["findings"]["logs"].values():
        without, with_spark = of["ways"].values()
        assert without["read_lines"] == with_spark["read_lines"] == of["lines"]
        assert without["findings"] == with_spark["findings"] > 0

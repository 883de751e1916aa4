"""The recorded logs: each has its labels, nothing in them names the machine, and labels follow from what was noted."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from offsetproof.audit.gold.finding import FindingKind
from offsetproof.real.whole.cluster import Subscription
from offsetproof.real.whole.listening import Delivery
from studies.audited.label import Label
from studies.audited.labels import labels_of
from studies.audited.recording import Life, Recorded, Reset
from studies.audited.scenarios import SCENARIOS

DATA = Path(__file__).parent / "data"
RECORDED = sorted(path.parent for path in DATA.glob("*/*/labels.json"))
MOST_BYTES = 3_000_000
SECOND = 1_000_000


def labels_in(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    return found


def test_every_scenario_is_recorded_on_its_releases() -> None:
    wanted = {(release, scenario.name) for scenario in SCENARIOS for release in scenario.releases}
    assert {(folder.parent.name, folder.name) for folder in RECORDED} == wanted


def test_all_of_it_is_small() -> None:
    assert sum(file.stat().st_size for file in DATA.rglob("*") if file.is_file()) < MOST_BYTES


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_nothing_names_the_machine(folder: Path) -> None:
    for file in folder.rglob("*"):
        if file.is_file():
            text = file.read_bytes().decode()
            assert not re.search(r"/(?:tmp|root|work|usr)/", text), file
            assert set(re.findall(r"(?<![\d.])\d+\.\d+\.\d+\.\d+(?![\d.])", text)) <= {
                "127.0.0.1",
                "0.0.0.0",
            }, file


@pytest.mark.parametrize("folder", RECORDED, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_labels_are_of_the_hosts_that_have_logs(folder: Path) -> None:
    labels = labels_in(folder)
    clients = {life["host"]: life["client"] for life in labels["lives"]}
    assert {path.name for path in folder.iterdir() if path.is_dir()} == {"broker", *clients}
    for host, client in clients.items():
        assert client in (folder / host / "rocketmq_client.log").read_text(encoding="utf-8")
    assert {label["kind"] for label in labels["expected"]} <= {str(kind) for kind in FindingKind}


@pytest.mark.parametrize("release", ["4.9.4", "5.3.3", "5.5.0"])
def test_clean_run_has_nothing_to_find(release: str) -> None:
    labels = labels_in(DATA / release / "clean")
    assert labels["expected"] == []
    assert [each["never"] for each in labels["deliveries"]] == [[]] * 6
    assert [each["again"] for each in labels["deliveries"]] == [[]] * 6


def life(name: str, began: int, ended: int, *spells: tuple[int, int], process: int = 1, **settings: Any) -> Life:
    deliveries = settings.pop("deliveries", ())
    client = settings.pop("client", f"127.0.0.1@{name}")
    subscription, owned = Subscription("t", "g", **settings), {0: spells}
    return Life(name, client, process, subscription, began, ended, "killed", owned, deliveries, owned)


def stored(*values: tuple[int, int]) -> list[list[Any]]:
    return [[at * SECOND, "stored", "g", "t", 0, value] for at, value in values]


def kinds(labels: list[Label]) -> list[str]:
    return [str(label.kind) for label in labels]


def test_offset_that_goes_back_is_a_regression_but_not_where_a_reset_wants_it() -> None:
    back = Recorded(0, stored((1, 4), (2, 10), (3, 4)))
    [label] = labels_of(back)
    assert (str(label.kind), label.values) == ("commit-regression", {"before": 10, "after": 4, "times": 1})
    back.resets.append(Reset(2 * SECOND + 1, "g", "t", {0: 4}))
    assert labels_of(back) == []


def test_reset_is_overridden_where_its_offset_is_left_with_nothing_finished_from_there() -> None:
    rows = [*stored((1, 10), (3, 4), (9, 10)), [9 * SECOND - 1, "commit", "127.0.0.1:1", "g", "t", 0, 10]]
    recorded = Recorded(0, rows, resets=[Reset(2 * SECOND, "g", "t", {0: 4})])
    [label] = labels_of(recorded)
    assert (str(label.kind), label.shown, label.values["after"]) == ("reset-overridden", True, 10)
    done = [Delivery(f"m{i}", 0, i, 0, i, 4.0, 5.0, "SUCCESS") for i in range(4, 10)]
    recorded.lives.append(life("first", 0, 20 * SECOND, (0, 20 * SECOND), deliveries=done))
    assert labels_of(recorded) == []


def test_reset_that_never_lands_is_without_effect() -> None:
    recorded = Recorded(0, stored((1, 10), (3, 12)), resets=[Reset(2 * SECOND, "g", "t", {0: 4})])
    assert kinds(labels_of(recorded)) == ["reset-without-effect"]


def test_two_processes_with_a_queue_at_one_time_are_two_owners() -> None:
    first = life("first", 0, 9 * SECOND, (1 * SECOND, 5 * SECOND))
    second = life("second", 0, 9 * SECOND, (4 * SECOND, 9 * SECOND), process=2)
    [label] = labels_of(Recorded(0, lives=[first, second]))
    assert (str(label.kind), label.queue, label.values) == ("two-owners", 0, {"overlap_ms": 1000.0})
    later = life("second", 0, 9 * SECOND, (5 * SECOND, 9 * SECOND), process=2)
    assert labels_of(Recorded(0, lives=[first, later])) == []


def test_start_of_another_process_is_compared_with_what_is_committed() -> None:
    lives = [
        life("first", 0, 5 * SECOND, (1 * SECOND, 5 * SECOND)),
        life("second", 5 * SECOND, 9 * SECOND, (6 * SECOND, 9 * SECOND), process=2),
    ]
    for start, expected in ((10, []), (12, ["range-skipped"]), (7, ["range-repeated"])):
        rows = [
            *stored((2, 10)),
            [5 * SECOND, "client", "127.0.0.1:2", "127.0.0.1@second"],
            [6 * SECOND + 1, "pull", "127.0.0.1:2", "g", "t", 0, start, None],
        ]
        assert kinds(labels_of(Recorded(0, rows, lives))) == expected


def test_first_start_of_a_group_is_told_where_messages_are_older() -> None:
    lives = [life("first", 0, 9 * SECOND, (2 * SECOND, 9 * SECOND))]
    for start, expected in ((0, ["new-group-from-zero"]), (3, ["new-group-from-end"])):
        rows = [
            [1 * SECOND, "client", "127.0.0.1:2", "127.0.0.1@first"],
            [3 * SECOND, "pull", "127.0.0.1:2", "g", "t", 0, start, None],
        ]
        older = Recorded(0, rows, lives, sent={("t", 0): [1 * SECOND] * 3})
        assert kinds(labels_of(older)) == expected
    younger = Recorded(0, [rows[0], [*rows[1][:6], 0, None]], lives, sent={("t", 0): [4 * SECOND] * 3})
    assert labels_of(younger) == []


def test_orderly_listeners_at_work_together_have_lost_a_lock() -> None:
    works = [Delivery("m0", 0, 0, 0, 1, began, ended) for began, ended in ((1.0, None), (4.0, 6.0))]
    lives = [
        life(name, 0, 9 * SECOND, process=number, orderly=True, deliveries=[works[number]])
        for number, name in enumerate(("first", "second"))
    ]
    [label] = labels_of(Recorded(0, lives=lives))
    assert (str(label.kind), label.queue, label.at) == ("lock-lost", 0, 4 * SECOND)


def test_processes_of_one_client_id_are_told_where_both_live() -> None:
    first = life("first", 0, 5 * SECOND, client="127.0.0.1@worker")
    for began, expected in ((4 * SECOND, ["client-id-twice"]), (5 * SECOND, [])):
        second = life("second", began, 9 * SECOND, process=2, client="127.0.0.1@worker")
        assert kinds(labels_of(Recorded(0, lives=[first, second]))) == expected


def test_commits_are_refused_while_the_marker_is_there() -> None:
    rows = [[at * SECOND, "commit", "127.0.0.1:1", "g", "t", 0, 10] for at in (1, 3, 5, 9)]
    markers = [[2 * SECOND, "marked", "g", "t", 0, 4], [8 * SECOND, "marked", "g", "t", 0, None]]
    [label] = labels_of(Recorded(0, sorted(rows + markers)))
    assert (str(label.kind), label.values) == ("commit-refused-after-reset", {"commits": 2, "offset": 10})


def test_queue_that_is_gone_from_a_file_is_told() -> None:
    rows = [f'{{"brokerName":"b","queueId":{queue},"topic":"t"}}:7' for queue in (0, 1)]
    files = [f'{{"offsetTable":{{{",".join(kept)}}}}}' for kept in (rows, rows[1:])]
    snapshots = [(number, "first", file) for number, file in enumerate(files)]
    [label] = labels_of(Recorded(0, lives=[life("first", 0, SECOND)], snapshots=snapshots))
    assert (str(label.kind), label.queue) == ("file-lost-queue", 0)


def test_offset_that_stands_while_another_queue_goes_on_is_pinned() -> None:
    moves = [[at * SECOND, "stored", "g", "t", 1, at] for at in range(1, 30)]
    sent = {("t", queue): [at * SECOND for at in range(30)] for queue in (0, 1)}
    [label] = labels_of(Recorded(0, [*stored((2, 2)), *moves], sent=sent))
    assert (str(label.kind), label.queue, label.values) == ("offset-pinned", 0, {"offset": 2})
    assert labels_of(Recorded(0, [*stored((2, 2), (12, 12), (22, 22)), *moves], sent=sent)) == []


def test_offset_that_a_broker_loads_lower_repeats_a_range_and_is_no_commit() -> None:
    lives = [
        life("first", 0, 5 * SECOND, (1 * SECOND, 5 * SECOND)),
        life("first", 8 * SECOND, 20 * SECOND, (9 * SECOND, 20 * SECOND), process=2),
    ]
    rows = [
        *stored((2, 10), (4, 16)),
        [6 * SECOND, "started"],
        *stored((7, 10)),
        [8 * SECOND, "client", "127.0.0.1:2", "127.0.0.1@first"],
        [9 * SECOND + 1, "pull", "127.0.0.1:2", "g", "t", 0, 10, None],
    ]
    [label] = labels_of(Recorded(0, rows, lives))
    assert (str(label.kind), label.values["start"], label.values["committed"]) == ("range-repeated", 10, 16)
    assert kinds(labels_of(Recorded(0, [row for row in rows if row[1] != "started"], lives))) == ["commit-regression"]


def test_damaged_file_is_told_and_an_empty_one_leaves_no_line() -> None:
    for left, shown in ((44, True), (0, False)):
        [label] = labels_of(Recorded(0, [[SECOND, "damaged", "consumerOffset.json", left]]))
        assert (str(label.kind), label.group, label.shown) == ("file-fell-back", None, shown)


def test_marker_that_goes_to_who_does_not_have_the_queue_is_taken_by_another() -> None:
    lives = [
        life("first", 0, 20 * SECOND, (5 * SECOND, 20 * SECOND)),
        life("second", 0, 20 * SECOND, (1 * SECOND, 5 * SECOND), process=2),
    ]
    rows = [
        [1, "client", "127.0.0.1:1", "127.0.0.1@first"],
        [1, "client", "127.0.0.1:2", "127.0.0.1@second"],
        [6 * SECOND, "marked", "g", "t", 0, 4],
        [9 * SECOND, "marked", "g", "t", 0, None],
    ]
    by = {port: [9 * SECOND + 1, "commit", f"127.0.0.1:{port}", "g", "t", 0, 4] for port in (1, 2)}
    assert kinds(labels_of(Recorded(0, [*rows, by[1]], lives))) == []
    taken = labels_of(Recorded(0, [*rows, by[2]], lives))
    assert kinds(taken) == ["marker-taken-by-other", "commit-without-queue"]
    assert taken[0].values == {"target": 4}
    soon = [*rows[:2], [5 * SECOND + 1, *by[2][1:]]]
    assert kinds(labels_of(Recorded(0, soon, lives))) == []
    retries = [*rows[:2], [9 * SECOND, "commit", "127.0.0.1:2", "g", "%RETRY%g", 0, 0]]
    assert kinds(labels_of(Recorded(0, retries, lives))) == []


def test_pull_for_what_is_lost_is_beyond_the_end_and_for_what_is_deleted_skips_a_range() -> None:
    pull = [5 * SECOND, "pull", "127.0.0.1:1", "g", "t", 0, 10, None]
    sent = {("t", 0): [SECOND] * 10}
    for noted, expected in (
        ([4 * SECOND, "end", "t", 0, 6], ["pull-beyond-end"]),
        ([4 * SECOND, "end", "t", 0, 10], []),
        ([4 * SECOND, "begin", "t", 0, 12], ["range-skipped"]),
        ([4 * SECOND, "begin", "t", 0, 10], []),
        ([6 * SECOND, "begin", "t", 0, 12], []),
    ):
        assert kinds(labels_of(Recorded(0, [noted, pull], sent=sent))) == expected


def test_third_start_at_one_offset_is_told_unless_more_was_committed_between() -> None:
    begins = [at * SECOND for at in (1, 11, 21)]
    lives = [life("first", at, at + 9 * SECOND, (at, at + 9 * SECOND), process=at) for at in begins]
    rows = [*stored((0, 4))]
    for at in begins:
        rows.append([at, "client", f"127.0.0.1:{at}", "127.0.0.1@first"])
        rows.append([at + 1, "pull", f"127.0.0.1:{at}", "g", "t", 0, 4, None])
    sent = {("t", 0): [0] * 5}
    [label] = labels_of(Recorded(0, rows, lives, sent=sent))
    assert (str(label.kind), label.at, label.shown) == ("same-start-again", 21 * SECOND, True)
    assert labels_of(Recorded(0, rows, lives, sent={("t", 0): [0] * 4})) == []
    more = labels_of(Recorded(0, sorted([*rows, *stored((15, 5), (16, 4))], key=lambda row: row[0]), lives, sent=sent))
    assert "same-start-again" not in kinds(more)

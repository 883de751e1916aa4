"""Silver grows by what is new: grown, rotated, compressed, truncated, unreadable and vanished files; killed runs."""

from __future__ import annotations

import gzip
import os
from collections.abc import Sequence
from pathlib import Path

import pytest
from audit.steps import events_of, read_silver, reading_of

from offsetproof.audit.event import Event
from offsetproof.audit.gold.finding import FindingKind
from offsetproof.audit.gold.run import by_pool as gold_by_pool
from offsetproof.audit.gold.run import make_gold
from offsetproof.audit.lines.parsing import parse
from offsetproof.audit.silver.parquet import part_files
from offsetproof.audit.silver.paths import files_of, host_of, process_of
from offsetproof.audit.silver.piece_work import PieceCounts, Task, by_pool, read_piece
from offsetproof.audit.silver.pieces import Piece, chunks_of
from offsetproof.audit.silver.run import ManifestError, SilverRun, make_silver
from offsetproof.audit.silver.sources import COPY, ReadingOptions
from offsetproof.engines.whole_files import CheckpointError
from studies.audit_volume import Volume, write_volume

HEAD = "2024-06-01 08:00:00,123 INFO RocketmqClient - "


def commit(offset: int) -> str:
    """A line with a commit."""
    mq = "MessageQueue [topic=T, brokerName=b, queueId=0]"
    return f"{HEAD}[persistAll] Group: g ClientId: c updateConsumeOffsetToBroker {mq} {offset}\n"


def write(file: Path, offsets: Sequence[int], mode: str = "w") -> Path:
    """A log with these commits."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open(mode) as out:
        out.writelines(map(commit, offsets))
    return file


def silver(out: Path, *paths: Path | str, options: ReadingOptions | None = None) -> SilverRun:
    """A run without Spark."""
    return make_silver([str(path) for path in paths], out, options or ReadingOptions(), by_pool())


def offsets(out: Path) -> list[int]:
    """All offsets in silver."""
    return sorted(event.offset or 0 for event in read_silver(out))


def test_table_has_the_events_of_the_lines(tmp_path: Path) -> None:
    truth = write_volume(tmp_path / "in", Volume(0.5, files=7))
    run = silver(tmp_path / "out", tmp_path / "in", options=ReadingOptions(zones={"": "GMT+8"}))
    found = list(read_silver(run.folder))
    direct: list[Event] = []
    for file in sorted((tmp_path / "in").glob("*/*.log")):
        data = file.read_bytes()
        reading = reading_of(file, data[:65536], zone="GMT+8", host=file.parent.name, process=process_of(file))
        direct += events_of(parse(data, reading), reading)
    assert {*map(in_any_zone, found)} == {*map(in_any_zone, direct)}
    assert (run.new_lines, len(found)) == (truth.lines, truth.kinds.total())


def in_any_zone(event: Event) -> tuple[object, ...]:
    """All columns but the one that says whether the zone is known."""
    return tuple(getattr(event, name) for name in Event.__dataclass_fields__ if name != "zone_known")


def test_second_run_reads_nothing_again(tmp_path: Path) -> None:
    write_volume(tmp_path / "in", Volume(0.2, files=7))
    first = silver(tmp_path / "out", tmp_path / "in")
    before = list(read_silver(first.folder))
    second = silver(tmp_path / "out", tmp_path / "in")
    assert (second.new_lines, second.new_events) == (0, 0)
    assert list(read_silver(second.folder)) == before
    assert [second.total(name) for name in ("lines", "events")] == [first.new_lines, first.new_events]


def test_growing_file_is_read_on_from_its_last_whole_line(tmp_path: Path) -> None:
    file = write(tmp_path / "h" / "a.log", [1, 2])
    with file.open("a") as out:
        out.write(commit(34)[:-2])
    run = silver(tmp_path / "out", file)
    assert (offsets(run.folder), run.unfinished, run.unreadable) == ([1, 2], [str(file)], [])
    with file.open("a") as out:
        out.write("4\n" + commit(5))
    again = silver(tmp_path / "out", file)
    assert (offsets(again.folder), again.unfinished, again.new_lines) == ([1, 2, 5, 34], [], 2)
    assert [event.line for event in read_silver(again.folder)] == [1, 2, 3, 4]


def test_rotated_and_compressed_log_is_not_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "h" / "rocketmq_client.log", range(100))
    silver(tmp_path / "out", tmp_path / "h")
    file.rename(tmp_path / "h" / "rocketmq_client.log.1")
    write(file, range(200, 210))
    second = silver(tmp_path / "out", tmp_path / "h")
    assert second.new_lines == 10
    old = tmp_path / "h" / "rocketmq_client.log.1"
    (tmp_path / "h" / "rocketmq_client.log.1.gz").write_bytes(gzip.compress(old.read_bytes()))
    old.unlink()
    third = silver(tmp_path / "out", tmp_path / "h")
    assert (third.new_lines, offsets(third.folder)) == (0, [*range(100), *range(200, 210)])
    assert {event.process for event in read_silver(third.folder)} == {str(file)}


def test_log_and_its_compressed_copy_count_once(tmp_path: Path) -> None:
    file = write(tmp_path / "h" / "a.log", range(10))
    (tmp_path / "h" / "a.log.gz").write_bytes(gzip.compress(file.read_bytes()))
    run = silver(tmp_path / "out", tmp_path / "h")
    assert offsets(run.folder) == list(range(10))
    assert any("as well" in reason for _, reason in run.unreadable)


def test_one_state_at_two_times_is_two_states_and_a_copy_of_it_none(tmp_path: Path) -> None:
    whole, lost = '{"offsetTable":{"T@g":{0:5,1:7}}}', '{"offsetTable":{"T@g":{0:5}}}'
    folder = tmp_path / "broker-a"
    folder.mkdir()
    for name, text in {"": whole, ".bak": whole, ".2024-06-01T08:00:00Z": whole, ".2024-06-01T09:00:00Z": lost}.items():
        (folder / f"consumerOffset.json{name}").write_text(text)
    run = silver(tmp_path / "out", folder)
    file = str(folder / "consumerOffset.json")
    assert run.unreadable == [(f"{file}.bak", f"{COPY}: {file}")]
    assert offsets(run.folder) == [5, 5, 5, 7, 7]
    found = [
        each for each in make_gold(run.folder, gold_by_pool()).findings if each.kind is FindingKind.FILE_LOST_QUEUE
    ]
    assert [each.queue for each in found] == [1], "the queue is back now, and was lost between the two copies"
    assert (silver(tmp_path / "out", folder).new_lines, offsets(run.folder)) == (0, [5, 5, 5, 7, 7])


@pytest.mark.parametrize(
    ("name", "message", "is_of_broker"),
    [
        ("app.log", "register broker[0]to name server 127.0.0.1:9876 OK", True),
        ("broker-a.log", "Try to shutdown service thread:Billing started:true", False),
        (
            "broker.log",
            "tryLockBatch, message queue not locked, I got it. Group: g NewClientId: c "
            "MessageQueue [topic=T, brokerName=b, queueId=0]",
            False,
        ),
        ("a.log", "load /store/config/consumerOffset.json OK", True),
    ],
)
def test_a_brokers_log_is_one_by_what_its_lines_say(
    name: str, message: str, is_of_broker: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(f"2024-06-01 08:00:00 INFO main - {message}\n" * 3)
    for _ in range(2):
        assert silver(tmp_path / "out", tmp_path / name).has_broker_log == is_of_broker


def test_two_compressed_logs_that_begin_alike_are_two(tmp_path: Path) -> None:
    for name, last in (("a.log", 7), ("b.log", 8)):
        file = write(tmp_path / name, [*range(100), last])
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(file.read_bytes()))
        file.unlink()
    run = silver(tmp_path / "out", tmp_path / "a.log.gz", tmp_path / "b.log.gz")
    assert offsets(run.folder) == sorted([*range(100), 7, *range(100), 8])


def test_two_logs_that_begin_alike_are_two(tmp_path: Path) -> None:
    write(tmp_path / "h" / "a.log", [*range(100), 7])
    write(tmp_path / "h" / "b.log", [*range(100), 8])
    for _ in range(2):
        run = silver(tmp_path / "out", tmp_path / "h")
        assert offsets(run.folder) == sorted([*range(100), 7, *range(100), 8])
    write(tmp_path / "h" / "b.log", [9], "a")
    assert silver(tmp_path / "out", tmp_path / "h").new_lines == 1


@pytest.mark.parametrize(("size", "left"), [(3, 1), (100, 50)])
def test_truncated_file_is_told_and_a_new_one_in_its_place_is_read(tmp_path: Path, size: int, left: int) -> None:
    file = write(tmp_path / "h" / "a.log", range(size))
    silver(tmp_path / "out", file)
    write(file, range(left))
    run = silver(tmp_path / "out", file)
    assert "shorter than before" in dict(run.unreadable)[str(file)]
    assert offsets(run.folder) == list(range(size))
    write(file, [700, 800])
    assert offsets(silver(tmp_path / "out", file).folder) == [*range(size), 700, 800]


@pytest.mark.parametrize("hole", [100, 4096, 1 << 17, 9 << 20])
def test_log_behind_the_hole_of_a_truncated_copy_is_read(tmp_path: Path, hole: int) -> None:
    file = tmp_path / "in" / "a.log"
    write(file, range(3))
    file.write_bytes(b"\0" * hole + file.read_bytes())
    run = silver(tmp_path / "out", file)
    assert (offsets(run.folder), run.unreadable) == ([0, 1, 2], [])
    first = min(read_silver(run.folder), key=lambda each: each.byte_offset)
    assert (first.line, first.byte_offset, first.byte_length) == (1, hole, len(commit(0)) - 1)


def test_damaged_gzip_gives_what_is_whole(tmp_path: Path) -> None:
    content = "".join(map(commit, range(5000))).encode()
    file = tmp_path / "a.log.gz"
    packed = gzip.compress(content)
    file.write_bytes(packed[: len(packed) // 2])
    run = silver(tmp_path / "out", file)
    assert 1000 < run.new_events < 5000
    assert dict(run.unreadable) == {str(file): f"it ends early; lines 1 to {run.new_events:,} are read"}
    assert offsets(run.folder) == list(range(run.new_events))


def test_files_that_are_no_logs_are_told_and_the_rest_is_read(tmp_path: Path) -> None:
    write(tmp_path / "good.log", [1])
    (tmp_path / "empty.log").touch()
    (tmp_path / "binary.log").write_bytes(bytes(range(256)) * 100)
    (tmp_path / "nul.log").write_bytes(bytes(1000))
    (tmp_path / "picture.png").touch()
    (tmp_path / "consumerOffset.json").write_text('{"offsetTable":{"a@b":{0:')
    os.mkfifo(tmp_path / "pipe.log")
    run = silver(tmp_path / "out", tmp_path, tmp_path / "missing.log")
    assert {Path(file).name: reason.partition(":")[0] for file, reason in run.unreadable} == {
        "empty.log": "it is empty",
        "binary.log": "it is not text",
        "nul.log": "it holds nothing but NULs",
        "picture.png": "its name is not that of a log or a snapshot; name it to have it read",
        "consumerOffset.json": "it is damaged, and none of its rows is taken",
        "pipe.log": "it is not a regular file",
        "missing.log": "there is no such file",
    }
    assert offsets(run.folder) == [1]


def test_a_log_with_a_hole_is_read_on_both_sides_of_it(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes((commit(1) + commit(2)).encode() + bytes(5000) + (commit(3) + commit(4)).encode())
    run = silver(tmp_path / "out", file)
    assert (offsets(run.folder), run.unreadable) == ([1, 2, 3, 4], [])
    assert [row["malformed_lines"] for row in run.files] == [0]


def test_a_line_that_is_cut_in_its_first_words_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_text(commit(8) + commit(9)[: len(HEAD) + 15] + "\n" + commit(11))
    run = silver(tmp_path / "out", file)
    assert (offsets(run.folder), [row["malformed_lines"] for row in run.files]) == ([8, 11], [1])


def test_whether_a_log_is_compressed_is_decided_by_its_bytes(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "a.log.gz", tmp_path / "b.log"
    plain.write_text(commit(1))
    compressed.write_bytes(gzip.compress(commit(2).encode()))
    run = silver(tmp_path / "out", plain, compressed)
    assert (offsets(run.folder), run.unreadable) == ([1, 2], [])


@pytest.mark.parametrize("stamp", ["2024-06-01 08:00:00,123", "01/06/2024 08:00:00", "08:00:00", "20240601 08:00:00"])
def test_two_lines_that_became_one_are_damaged_and_no_higher_offset(stamp: str, tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    torn = commit(10).replace(HEAD, f"{stamp} INFO RocketmqClient - ")
    file.write_text(commit(8) + commit(9)[:-1] + torn + commit(11))
    run = silver(tmp_path / "out", file)
    assert (offsets(run.folder), [row["malformed_lines"] for row in run.files]) == ([8, 11], [1])


def test_file_that_vanishes_meanwhile_costs_only_itself(tmp_path: Path) -> None:
    write(tmp_path / "a.log", [1])
    gone = write(tmp_path / "b.log", [2])

    def run(tasks: Sequence[Task]) -> list[PieceCounts]:
        gone.unlink(missing_ok=True)
        return [read_piece(task) for task in tasks]

    found = make_silver([str(tmp_path)], tmp_path / "out", ReadingOptions(), run)
    assert offsets(found.folder) == [1]
    assert dict(found.unreadable) == {str(gone): "it cannot be read: No such file or directory"}
    write(gone, [2])
    assert offsets(silver(tmp_path / "out", tmp_path / "a.log", gone).folder) == [1, 2]


def test_run_that_died_leaves_nothing_twice_and_loses_nothing(tmp_path: Path) -> None:
    truth = write_volume(tmp_path / "in", Volume(0.5, files=7))
    out = tmp_path / "out"

    def dies(tasks: Sequence[Task]) -> list[PieceCounts]:
        for task in tasks[::2]:
            read_piece(task)
        part_files(out)[0].with_name(".part.0000.writing").write_bytes(b"half")
        raise RuntimeError("the machine is gone")

    with pytest.raises(RuntimeError, match="is gone"):
        make_silver([str(tmp_path / "in")], out, ReadingOptions(), dies)
    assert part_files(out)
    run = silver(out, tmp_path / "in")
    assert run.total("lines") == truth.lines
    assert sum(1 for _ in read_silver(out)) == truth.kinds.total()
    assert not list(out.rglob("*.writing"))


def test_other_zone_has_the_files_read_again_even_after_a_death(tmp_path: Path) -> None:
    file = write(tmp_path / "h" / "a.log", [1, 2])
    silver(tmp_path / "out", file)

    def dies(tasks: Sequence[Task]) -> list[PieceCounts]:
        raise RuntimeError(str(tasks))

    with pytest.raises(RuntimeError):
        make_silver([str(file)], tmp_path / "out", ReadingOptions(zones={"h": "GMT+8"}), dies)
    run = silver(tmp_path / "out", file)
    assert (run.new_lines, offsets(run.folder)) == (2, [1, 2])
    later = silver(tmp_path / "out", file, options=ReadingOptions(zones={"h": "GMT+8"}))
    assert {event.time_from for event in read_silver(later.folder)} == {1717200000123000}


def test_every_line_is_somewhere_in_bronze(tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    truth = write_volume(tmp_path / "in", Volume(0.3, files=7))
    broken = tmp_path / "in" / "host0000" / "rocketmq_client.log"
    with broken.open("a", newline="") as out:
        out.write(f"{HEAD}suspend this consumer, \r\n{HEAD}[persistAll] Group: g ClientId: c up\r\n")
    run = silver(tmp_path / "out", tmp_path / "in")
    table = pq.read_table(run.folder / "bronze" / "files.parquet").to_pylist()
    fates = ("event_lines", "unknown_lines", "malformed_lines", "further_lines")
    assert sum(row["lines"] for row in table) == truth.lines + 2 == sum(row[fate] for row in table for fate in fates)
    shapes = pq.read_table(run.folder / "bronze" / "unknown.parquet").to_pylist()
    assert sum(row["lines"] for row in shapes) == run.total("unknown_lines") == sum(count for _, count in run.shapes)
    bad = pq.read_table(run.folder / "bronze" / "malformed").to_pylist()
    assert len(bad) == run.total("malformed_lines") == 2
    with broken.open("rb") as opened:
        opened.seek(bad[1]["byte_offset"])
        assert opened.read(bad[1]["byte_length"]).endswith(b"ClientId: c up\r")


def test_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"schema": 99}')
    with pytest.raises(ManifestError, match="use another folder"):
        silver(tmp_path, tmp_path / "a.log")


def test_silver_that_cannot_be_written_is_told_as_such(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "silver").write_text("a file is in the way")
    with pytest.raises(CheckpointError, match="cannot be written"):
        silver(tmp_path / "out", write(tmp_path / "a.log", [1]))


def test_hosts_are_said_or_are_folders(tmp_path: Path) -> None:
    write(tmp_path / "app-1" / "logs" / "a.log", [1])
    write(tmp_path / "app-2" / "b.log", [1])
    files, _ = files_of([f"web={tmp_path}/app-2/*.log", str(tmp_path / "app-1")])
    assert [(host, path.name) for host, path in files] == [("web", "b.log"), ("app-1", "a.log")]
    assert host_of(tmp_path / "app-1" / "logs" / "a.log") == "app-1"


@pytest.mark.parametrize("name", [
    "rocketmq_client.log.1", "other_days/rocketmq_client-1.log.gz", "rocketmq_client.log.2024-06-01",
    "rocketmq_client-2024-06-01.log", "rocketmq_client.log.3.gz", "other_days/rocketmq_client.12.log.gz",
])  # fmt: skip
def test_rotated_name_is_that_of_its_log(name: str) -> None:
    assert process_of(Path("/logs") / name) == "/logs/rocketmq_client.log"


def test_piece_behind_a_line_longer_than_itself_is_empty(tmp_path: Path) -> None:
    file = tmp_path / "a.log"
    file.write_bytes(b"x" * 1000 + b"\n")
    pieces = [Piece(str(file), at, at + 100, 0) for at in range(0, 1000, 100)]
    assert [len(chunk.data) for piece in pieces for chunk in chunks_of(piece)] == [1001]

"""Offset files on the real classes: who is killed, or meets a full disk, leaves what the model says."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from offsetproof.checking.catalogue import SINGLES
from offsetproof.checking.request import Request, questions_of
from offsetproof.conformance.walks import schedule_of, settings_to_conform
from offsetproof.ir.system import Label
from offsetproof.lang.setting import Setting
from offsetproof.lang.stage import Staged
from offsetproof.lang.subject import Subject
from offsetproof.real.compiling import CompiledRig
from offsetproof.real.conform import Conformer
from offsetproof.real.replay import Replayer
from offsetproof.real.sidecar import Gates, Sidecar
from offsetproof.traces.trace import plain

SUBJECT = SINGLES["offset-files"].subjects[0]
RELEASE = "4.9.4"
_TO_BACKUP = ("writer_opens_backup", "writer_writes_part", "writer_writes_backup")
_WRITES = ("writer_opens_tmp", "writer_writes_part", "writer_writes_tmp", "writer_reads_main")
CALLS = {
    "broker": (("broker_encodes_table", *_WRITES), ("writer_deletes_main", "writer_renames_tmp")),
    "client": (("client_encodes_table", *_WRITES), ("writer_deletes_main", "writer_renames_tmp")),
}
"""A call of persist where there is no file yet; one where there is a file goes on to the backup in between."""


def label(action: str, **args: int) -> Label:
    """A step of process 0, whose timer writes."""
    own = {"t": 0} if action.startswith(("writer", "broker_e", "client_e", "disk")) and "q" not in args else {}
    return action, tuple(sorted({"p": 0, **own, **args}.items(), key=lambda pair: "ptq".index(pair[0])))


def begins(owner: str) -> list[Label]:
    """A process starts and has something to write."""
    if owner == "broker":
        return [label("broker_starts"), label("broker_executes_commit", q=0)]
    return [label("client_starts"), label("client_adds_queue", q=0), label("client_consumes", q=0)]


def writes(owner: str, again: bool) -> list[Label]:
    """A whole call of persist, the first one or one that finds a file."""
    before, after = CALLS[owner]
    return [label(action) for action in (*before, *(_TO_BACKUP if again else ()), *after)]


def progresses(owner: str) -> Label:
    """One more message is done."""
    return label("broker_executes_commit" if owner == "broker" else "client_consumes", q=0)


def conformer(sidecar: Sidecar, scope: str) -> Conformer:
    """What compares the model with the real classes in a scope."""
    (setting,) = settings_to_conform(SUBJECT, scope)
    return beside(sidecar, SUBJECT, setting)


def beside(sidecar: Sidecar, subject: Subject, setting: Setting) -> Conformer:
    """What compares a subject's model with the real classes in a setting."""
    staged = Staged(subject.model, setting)
    return Conformer(staged, Replayer(sidecar, schedule_of(subject, staged, RELEASE)), 1)


def broken_off(owner: str, fault: Label, only_open: bool) -> Iterator[list[Label]]:
    """Two calls of persist, the second of which ends at each of its steps; then another start, or another call."""
    done = [*begins(owner), *writes(owner, again=False), progresses(owner)]
    call = writes(owner, again=True)
    for place, (action, _) in enumerate(call[:-1], 1):
        if not only_open or action.endswith(("opens_tmp", "opens_backup", "writes_part")):
            yield [*done, *call[:place], fault]


@pytest.mark.parametrize("owner", ["broker", "client"])
def test_process_killed_at_any_step_of_string2file_leaves_what_the_model_says(woven: Sidecar, owner: str) -> None:
    compared = conformer(woven, f"{owner}-kills")
    again = label(f"{owner}_starts")
    walks = [[*steps, again] for steps in broken_off(owner, label("process_is_killed"), only_open=False)]
    assert len(walks) == 9
    assert [compared.compare(steps) for steps in walks] == [None] * len(walks)


def test_disk_full_at_any_write_leaves_what_the_model_says_by_both_gates(
    woven: Sidecar, rig: CompiledRig, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with Sidecar(rig, tmp_path_factory.mktemp("debugger"), Gates.DEBUGGER) as debugger:
        for sidecar in (woven, debugger):
            compared = conformer(sidecar, "broker-full-disk")
            walks = [*broken_off("broker", label("disk_is_full"), only_open=True)]
            assert len(walks) == 4
            assert [compared.compare(steps) for steps in walks] == [None] * len(walks)


def test_killed_thread_never_writes_again_while_the_next_process_does(woven: Sidecar) -> None:
    compared = conformer(woven, "broker-kills")
    killed = [*begins("broker"), *writes("broker", again=False)[:3], label("process_is_killed")]
    steps = [*killed, *begins("broker")[:1], progresses("broker"), *writes("broker", again=False)]
    assert compared.compare(steps) is None
    states = along(compared, steps)
    assert states[len(killed)]["tmp.contents"] == "TORN"
    assert states[-1]["main.table.row[0].offset"] == 2


def along(compared: Conformer, steps: Sequence[Label]) -> list[dict[str, object]]:
    """The states of the model along its steps."""
    reference = compared.stepper.reference
    states = [reference.first()]
    for step in steps:
        after = reference.take(states[-1], step)
        assert isinstance(after, tuple)
        states.append(after)
    return [{path: plain(value) for path, value in reference.show(state).items()} for state in states]


def test_client_killed_in_its_shutdown_does_not_persist_any_more(woven: Sidecar) -> None:
    broadcasting = SINGLES["broadcasting"].subjects[0]
    question = questions_of(Request(broadcasting, scope="broadcast-kills", bounds={"shutdowns": 1}))[0]
    of_run, of_process_queue = (("c", 0), ("r", 0)), (("c", 0), ("pq_id", 0))
    adds = ("rebalance_removes_dirty_offset", "rebalance_reads_file", "rebalance_finds_start", "rebalance_adds_queue")
    polls = ("consumer_pulls", "poll_ends_without_news", "poll_corrects_offset")
    stops = ("consumer_begins_shutdown", "consumer_is_killed", "consumer_starts")
    steps = [(action, of_run) for action in adds] + [(action, of_process_queue) for action in polls]
    compared = beside(woven, broadcasting, question.setting)
    assert compared.compare([*steps, *((action, (("c", 0),)) for action in stops)]) is None
    states = along(compared, [*steps, (stops[0], (("c", 0),))])
    assert (states[-1]["consumer[0].cell"], states[-1]["consumer[0].stored"]) == (0, None)


def test_broker_that_can_load_neither_file_persists_an_empty_table(woven: Sidecar) -> None:
    compared = conformer(woven, "broker-power")
    cut = ("power_fails", (("m", "CUT_SHORT"), ("b", "CUT_SHORT")))
    shuts_down = [(action, (("p", 0), ("t", 1))) for action, _ in writes("broker", again=True)]
    calls = [*begins("broker"), *writes("broker", again=False), *writes("broker", again=True)]
    steps = [*calls, named(compared, cut), label("broker_starts"), *shuts_down, label("broker_starts")]
    assert compared.compare(steps) is None
    states = along(compared, steps)
    assert [state["process[0].phase"] for state in (states[-2 - len(shuts_down)], *states[-2:])] == [
        "REFUSED", "DOWN", "UP",
    ]  # fmt: skip
    assert (states[-1]["main.contents"], states[-1]["main.table.row[0].offset"]) == ("WHOLE", None)


def named(compared: Conformer, wanted: tuple[str, tuple[tuple[str, str], ...]]) -> Label:
    """The label of an action whose arguments have these names."""
    return next(
        instance.label
        for instance in compared.stepper.system.instances
        if (instance.label[0], tuple((name, str(plain(value))) for name, value in instance.label[1])) == wanted
    )

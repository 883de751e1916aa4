"""The explorer in a terminal: each line's answer, no line too wide, and nothing lost by a wrong word."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli.program import PROGRAM, run
from explore.test_walking import walker_of

from offsetproof.checking.replaying import question_of_trace
from offsetproof.checking.subject import load_subject
from offsetproof.explore.terminal import HELP, PROMPT, Terminal
from offsetproof.explore.walking import CannotBeDoneError, Walk, Walker
from offsetproof.ir.system import show_label
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.store import read_record, read_record_file
from offsetproof.traces.trace import Trace

WIDTH = 80


def found(name: str) -> Trace:
    raise CannotBeDoneError(f"no trace {name}")


class Files(dict[str, str]):
    """What was saved, by file."""

    def save(self, text: str, file: str) -> None:
        self[file] = text


def answers(*lines: str, toy: str = "Slips", files: Files | None = None) -> list[str]:
    """What is answered to each line."""
    terminal = Terminal(walker_of(toy), Walk(), WIDTH, found, (files if files is not None else Files()).save)
    first, *rest = terminal.answers(lines)
    assert first.endswith(PROMPT)
    assert HELP in first
    return [each.removesuffix(PROMPT) for each in rest]


def test_steps_are_taken_and_gone_back_and_another_branch_begins_there() -> None:
    told = answers("1", "1", "b", "f", "b", "2", "w")
    assert [each.splitlines()[0].partition(":")[0] for each in told[:6]] == [
        "step 1 of 1", "step 2 of 2", "step 1 of 2", "step 2 of 2", "step 1 of 2", "step 2 of 2"
    ]  # fmt: skip
    assert "  place 0 -> 1\n" in told[0]
    assert told[6] == (
        "   0  the beginning\n   1  system main: walks [walks]\n>  2  system main: fault slip: slips [slips]\n"
    )


def test_branch_that_was_left_is_listed_and_gone_on_along() -> None:
    told = answers("k", "1", "1", "b", "2", "k", "k 1", "w", "k", "k 2", "k 1", "k 1", "f")
    assert told[0] == "  none\n"
    assert told[5] == "   1  walks\n"
    assert told[6].startswith("step 1 of 2: system main: walks [walks]\n"), "where the two part"
    assert told[7].splitlines()[1:] == [">  1  system main: walks [walks]", "   2  system main: walks [walks]"]
    assert told[8] == "   1  slips\n"
    assert told[9] == told[8], "there is no second one"
    assert told[10].startswith("step 1 of 2")
    assert told[12].startswith("step 2 of 2: system main: walks [walks]\n")


def test_walk_that_goes_on_leaves_no_branch() -> None:
    told = answers("1", "1", "b", "b", "1", "1", "1", "k")
    assert told[-1] == "  none\n"


def test_what_breaks_is_said_before_and_after() -> None:
    told = answers("1", "1", "1", "2")
    assert "   2  system main: fault slip: slips [slips]; BREAKS never_arrives\n" in told[2]
    assert "  never_arrives is FALSE\n" in told[3]
    assert "  nothing can be done here\n" in told[3]
    assert ["faults left: slip 1\n" in each for each in told] == [False, False, False, True]
    assert "forbidden by a bound of the scope: grows" in answers("1", "1", toy="Bounded")[1]


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("9", "  there is no '9' here; h for help\n"),
        ("0", "  there is no '0' here; h for help\n"),
        ("²", "  there is no '²' here; h for help\n"),
        ("zz\x1b[2J", "  there is no 'zz\\x1b[2J' here; h for help\n"),
        ("o", "  name the file: o walk.json\n"),
        ("t I5", "  no trace I5\n"),
        ("g 7", "  go to one of the steps 0 to 0\n"),
        ("g x", "  go to one of the steps 0 to 0\n"),
        ("s nowhere", "  none\n"),
        ("s", "  place = 0\n"),
        ("n", "    0  the beginning\n"),
        ("n 4", "  there is no beginning 4; there are 1, from 0\n"),
        ("n " + "9" * 20, f"  there is no beginning {'9' * 20}; there are 1, from 0\n"),
        ("9" * 30, f"  there is no '{'9' * 30}' here; h for help\n"),
        ("t", "  name the trace: t I5-late-poll\n"),
        ("c", "  never_arrives is true\n  stays_on_the_way is true\n"),
        ("h", HELP),
    ],
)
def test_line_is_answered_and_the_walk_stays(line: str, answer: str) -> None:
    told = answers(line, "")
    assert told[0] == answer
    assert told[1].startswith("the beginning\n")


def test_quit_ends_and_nothing_after_it_is_read() -> None:
    assert answers("q", "1") == []


def test_saved_walk_is_read_back() -> None:
    files = Files()
    assert answers("1", "2", "b", "o my walk.json", files=files)[3] == "  my walk.json: walk-by-hand, 1 step\n"
    assert [step.action for step in read_record(files["my walk.json"]).trace.steps] == ["walks"]


def test_error_of_a_models_code_costs_no_walk(monkeypatch: pytest.MonkeyPatch) -> None:
    def goes_wrong(*_given: object) -> None:
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(Walker, "trace", goes_wrong)
    told = answers("1", "o walk.json", "w")
    assert told[1] == "  division by zero (ZeroDivisionError)\n"
    assert told[2] == "   0  the beginning\n>  1  system main: walks [walks]\n"


def test_reader_that_leaves_ends_the_program() -> None:
    command = f"yes 1 | {PROGRAM} explore toys:Counter --text | head -3"
    assert subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=30, check=False).stderr == ""


@pytest.mark.parametrize(("args", "said"), [
    (("--scope=all",), "this is of one world; name one scope and one release"),
    (("--release=all",), "this is of one world; name one scope and one release"),
    (("--trace=I5-late-poll", "--scope=reset"), "leave out what chooses another"),
    (("toys:Slips", "--trace=I5-late-poll"), "the trace is of rocketmq, not of"),
    (("--trace=I5"), "name one"),
    (("--trace=I5-late-poll", "--step=25"), "the trace has the steps 0 to 24"),
    (("toys:Slips", "--step=1"), "this is a step of a trace; name it with --trace"),
])  # fmt: skip
def test_what_is_no_world_is_refused(args: tuple[str, ...], said: str) -> None:
    ran = run("explore", "--text", *([args] if isinstance(args, str) else args))
    assert (ran.code, ran.out) == (2, "")
    assert said in " ".join(ran.err.replace("│", " ").split())


def test_walk_along_a_trace_begins_at_the_step_that_show_gives_this_number() -> None:
    story = recorded_stories()["I5-late-poll"].story
    command = [PROGRAM, "explore", "--text", "--trace", "I5-late-poll", "--step", "16"]
    ended = subprocess.run(command, input="f\n", capture_output=True, text=True, timeout=60, check=False)
    arrived, gone_on = ended.stdout.split(f"\n{PROMPT}")[:2]
    assert f"step 16 of {story.length}: " in arrived
    assert f"[{show_label(story.steps[15].label)}]" in arrived.partition("step 16 of")[2]
    assert gone_on.startswith("step 17 of")


def test_no_line_is_wider_than_the_terminal() -> None:
    subject = load_subject("rocketmq")
    story = recorded_stories()["I5-late-poll"]
    walker = Walker(subject, question_of_trace(subject, story).setting)
    terminal = Terminal(walker, walker.walk_of(story), WIDTH, found, Files().save)
    lines = [*["f"] * story.length, "w", "c", "h"]
    told = "".join(each.removesuffix(PROMPT) for each in terminal.answers(lines))
    assert f"step {story.length} of {story.length}" in told
    assert "BREAKS backward-reset-stays (I5)" in told
    assert [line for line in told.splitlines() if len(line) > WIDTH] == []


def test_program_walks_along_a_story_and_saves_to_a_new_file_alone(tmp_path: Path) -> None:
    walk = tmp_path / "walk.json"
    typed = f"f\nf\nf\nw\no {walk}\no {walk}\nt I4-ack-first\nt nothing-like-it\nt {tmp_path}\nq\n"
    command = [PROGRAM, "explore", "--text", "--trace", "I5-late-poll"]
    ended = subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    said = " ".join(ended.stdout.split())
    for part in ("step 3 of", "happens in another world", f"there is a file {walk} already", "did you mean"):
        assert part in said
    assert read_record_file(walk).trace.length == 3

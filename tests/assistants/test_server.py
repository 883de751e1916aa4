"""The server for assistants, a real process, asked by the SDK's own client over stdin and stdout."""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from assistants.client import Session, answer_of, session, text_of
from cli.program import LONG, PROGRAM, environment, run, run_anew, write_models
from real.patched import patch

from offsetproof.real.jars import JarSet

CALM = {"claims": ["I5"], "releases": ["4.9.4"], "scope": "calm-reset"}

REFUSED = [
    ("check", {"subject": "counter.py", "claims": ["stays_below_two"]}, "counter.py is a model of your own"),
    ("check", {"subject": "counter", "claims": ["stays_below_two"]}, "counter is a model of your own"),
    ("check", {"claims": ["counter.stays"]}, "counter.stays may be a module of your own"),
    ("list", {"names": ["counter.py"]}, "counter.py may be a module of your own"),
    ("explain", {"subject": "x/counter.py:Counter", "claim": "a"}, "x/counter.py:Counter is a model of your own"),
    ("judge", {"claim": "I5", "classpath": "build/classes"}, "build/classes has classes of your own"),
]

WRONG = [
    ("check", {}, "check: Object missing required field `claims`; it takes subject, releases, fixes,"),
    ("check", {"claims": "I5"}, "check: claims: Expected `array`, got `str`"),
    ("check", {"claims": ["I5"], "html": "x"}, "check: Object contains unknown field `html`; it takes subject,"),
    ("check", {"claims": ["I5"], "engine": "tlc"}, "check: engine: Invalid enum value 'tlc'"),
    ("check", {"claims": ["I5"], "timeout": 0}, "check: timeout: Expected `float` > 0"),
    ("judged", {}, "no tool named 'judged'; there are symptom, list, show, check, explain, judge"),
]


@pytest.fixture(scope="module")
def refusing(tmp_path_factory: pytest.TempPathFactory) -> Session:
    """A session in which everything is refused: nothing of it starts a verb."""
    folder = write_models(tmp_path_factory.mktemp("models"))
    return session(*((name, arguments) for name, arguments, _ in [*REFUSED, *WRONG]), cwd=folder)


def test_server_says_who_it_is_and_offers_six_tools_that_read_alone(refusing: Session) -> None:
    assert refusing.name == "offsetproof"
    assert "`symptom`" in refusing.instructions
    assert [*refusing.tools] == ["symptom", "list", "show", "check", "explain", "judge"]
    assert all(tool.annotations and tool.annotations.read_only_hint for tool in refusing.tools.values())


def test_every_argument_has_a_type_and_says_what_it_is(refusing: Session) -> None:
    for tool in refusing.tools.values():
        schema = tool.input_schema
        assert schema["additionalProperties"] is False
        for name, argument in schema["properties"].items():
            assert len(argument["description"]) > 20, (tool.name, name)
            assert {*argument} & {"type", "anyOf", "enum"}, (tool.name, name)
    assert refusing.tools["check"].input_schema["required"] == ["claims"]
    assert refusing.tools["check"].input_schema["properties"]["claims"]["minItems"] == 1


def test_code_of_a_user_is_not_run_unless_the_server_was_started_for_that(refusing: Session) -> None:
    for (name, _, why), result in zip(REFUSED, refusing.results, strict=False):
        assert result.is_error
        wanted = f"{name}: {why}, and this would run it; start the server as `offsetproof mcp --allow-models` if that "
        assert text_of(result) == wanted + "is meant"


def test_wrong_arguments_are_told_with_what_is_right(refusing: Session) -> None:
    for (_, _, said), result in zip(WRONG, refusing.results[len(REFUSED) :], strict=True):
        assert result.is_error
        assert text_of(result).startswith(said)


@pytest.mark.slow
def test_value_never_becomes_an_option_of_the_verb(tmp_path: Path) -> None:
    """A claim or a story that begins with two hyphens is a name, which nothing has."""
    made = session(("show", {"story": f"--output={tmp_path / 'x'}"}), ("symptom", {"text": "--all"}), legacy=True)
    first, second = made.results
    assert (first.is_error, answer_of(second)["report"]["text"]) == (True, "--all")
    assert text_of(first).startswith("offsetproof: ")
    assert [*tmp_path.iterdir()] == []


@pytest.fixture(scope="module")
def asked() -> Session:
    """Each tool but `judge`, once; and three questions that a verb refuses."""
    return session(
        ("symptom", {"text": "the reset did not stick", "release": "4.9.4"}),
        ("list", {"names": ["I5"]}),
        ("show", {"story": "I5-late-poll"}),
        ("check", CALM),
        ("check", {**CALM, "full": True, "fixes": ["poll-checks-dropped"]}),
        ("explain", {"claim": "I11", "releases": ["4.9.4"], "max_causes": 1}),
        ("check", {**CALM, "claims": ["I55"]}),
        ("check", {**CALM, "scope": "calm-rset"}),
        ("show", {"story": "I5-late-pol"}),
    )


def established(result: Any) -> dict[str, Any]:
    """The first verdict of an answer."""
    first: dict[str, Any] = answer_of(result)["established"][0]
    return first


@pytest.mark.slow
def test_symptom_is_answered_with_the_world_of_its_story(asked: Session) -> None:
    answer = answer_of(asked.results[0])
    nearest = answer["report"]["answers"][0]
    assert (nearest["property"], nearest["story"], answer["exit"]) == ("I5", "I5-late-poll", 0)
    assert nearest["now"][0]["procedure"] is True
    first = answer["established"][0]
    assert (first["property"], first["verdict"], first["release"]) == ("I5", "REFUTED", "4.9.4")
    assert (first["scope"]["name"], first["scope"]["messages"]) == ("reset", 1)
    assert first["method"].startswith("I5-late-poll, a recorded story")


@pytest.mark.slow
def test_list_is_the_text_of_the_verb(asked: Session) -> None:
    answer = answer_of(asked.results[1])
    assert answer["text"] == run("list", "rocketmq", "I5").out
    assert "expected  REFUTED" in answer["text"]


@pytest.mark.slow
def test_story_is_told_step_by_step_and_replayed(asked: Session) -> None:
    answer = answer_of(asked.results[2])
    assert answer["report"]["replay"] == {"agrees": True, "reason": None}
    steps = answer["report"]["trace"]["steps"]
    assert (len(steps), steps[0].keys()) == (24, {"action", "args", "actor", "thread", "fault", "changed"})
    first = answer["established"][0]
    assert first["method"] == "a recorded story, which the model's own Python has followed again"
    assert first["scope"]["process_queues"] == 3


@pytest.mark.slow
def test_claim_is_decided_with_bounds_release_and_method(asked: Session) -> None:
    refuted, fixed = asked.results[3:5]
    first = established(refuted)
    assert (first["property"], first["verdict"], first["release"]) == ("I5", "REFUTED", "4.9.4")
    assert first["scope"] == {
        "name": "calm-reset", "consumers": 1, "process_queues": 3, "messages": 1, "resets": 1, "commits_in_flight": 2,
        "batch": 1, "rebalances": 2, "brokers": 1, "queues": 1, "faults": {},
    }  # fmt: skip
    assert first["method"] == "exhaustive, by engine explicit"
    (result,) = answer_of(refuted)["report"]["results"]
    assert (result["states"], len(result["trace"]["steps"]), result["trace"]["effect"]["lost"]) == (7400, 24, 1)
    assert "stands_for" not in result["trace"]["steps"][0]
    (whole,) = answer_of(fixed)["report"]["results"]
    assert (whole["verdict"], whole["trace"], established(fixed)["fixes"]) == ("HOLDS", None, ["poll-checks-dropped"])
    assert {*whole} - {*result} >= {"digest", "actions", "peak_bytes"}


@pytest.mark.slow
def test_causes_are_told_with_what_removes_them(asked: Session) -> None:
    answer = answer_of(asked.results[5])
    (cause,) = answer["report"]["causes"]
    assert "row-made-atomically" in cause["removed_by"]
    first, *rest = answer["established"]
    assert (first["property"], first["verdict"], first["scope"]["name"]) == ("I11", "REFUTED", "first-commits")
    assert first["method"] == f"cause {cause['name']}, a counterexample which the model's own Python has followed"
    assert [each["release"] for each in rest] == ["4.9.4"]


@pytest.mark.slow
def test_errors_are_in_the_words_of_the_command_line(asked: Session) -> None:
    commands = [
        ("check", "rocketmq", "I55"),
        ("check", "rocketmq", "I5", "--scope=calm-rset"),
        ("show", "I5-late-pol"),
    ]
    for result, command in zip(asked.results[6:], commands, strict=True):
        assert result.is_error
        assert text_of(result) == run(*command).complaint


@pytest.mark.slow
def test_call_that_is_too_long_ends_with_what_is_known(tmp_path: Path) -> None:
    """The witness is reached at once; for the other claim the time is not enough."""
    write_models(tmp_path, {"long": LONG})
    asked = {"subject": "long.py", "claims": ["is_flipped", "not_all_at_the_end"], "timeout": 20.0}
    made = session(("check", asked), options=["--allow-models"], cwd=tmp_path)
    answer = answer_of(made.results[0])
    assert [each["verdict"] for each in answer["established"]] == ["HOLDS", "UNKNOWN"]
    assert answer["established"][1]["reason"] == "interrupted"
    assert answer["exit"] == 143
    assert answer["notes"] == ["ended after 20 s, the time that this call has; what is below is what was known then"]
    assert any("layer" in line for line in made.progress[0])


@pytest.mark.slow
def test_patched_classes_are_judged_where_that_is_allowed(published: Callable[[str], JarSet], tmp_path: Path) -> None:
    patch(published("4.9.4"), tmp_path, "commit-makes-row-atomically")
    made = session(("judge", {"claim": "I11", "classpath": str(tmp_path)}), options=["--allow-models"])
    answer = answer_of(made.results[0])
    (first,) = answer["established"]
    assert (first["verdict"], first["release"], first["scope"]["name"]) == ("removed", "4.9.4", "first-commits")
    assert first["method"] == "I11-row-put-twice, replayed on the classes of the release and on the patched ones"
    assert answer["report"]["judged"][0]["base"]["outcome"] == "reproduced"


@pytest.mark.slow
def test_nothing_is_left_running_when_the_server_is_told_to_end(tmp_path: Path) -> None:
    write_models(tmp_path, {"long": LONG})
    call = {"name": "check", "arguments": {"subject": "long.py", "claims": ["not_all_at_the_end"]}}
    handshake = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {**call, "_meta": {"progressToken": 1}}},
    ]
    command = [str(PROGRAM), "mcp", "--allow-models"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write("".join(json.dumps(message) + "\n" for message in messages))
        server.stdin.flush()
        lines = (json.loads(line) for line in server.stdout)
        assert next(each for each in lines if each.get("method") == "notifications/progress")
        (child,) = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
        verb = os.pidfd_open(int(child))
        server.send_signal(signal.SIGTERM)
        assert server.wait() == 143
    ended, _, _ = select.select([verb], [], [], 60)
    assert ended == [verb]
    os.close(verb)


def test_server_without_the_sdk_says_what_brings_it(tmp_path: Path) -> None:
    """The package is hidden by one of its name that cannot be imported."""
    (tmp_path / "mcp.py").write_text("raise ImportError('hidden')\n")
    ran = run_anew("mcp", PYTHONPATH=str(tmp_path))
    assert (ran.code, ran.out) == (69, "")
    assert ran.complaint == (
        "offsetproof: mcp.server is not installed, or not as it should be (hidden); "
        "install it with: python -m pip install 'offsetproof[mcp]'"
    )

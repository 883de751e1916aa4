"""What the other verbs print: help, list, show, graph; and that text fits the terminal."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import pytest
from cli.program import in_terminal, run, run_anew
from systems.samples import one_in
from systems.schemas import read_valid

VERBS = (
    "symptom", "list", "check", "explain", "simulate", "export", "show", "graph", "explore", "guard", "compare",
    "mutate", "widen", "sweep", "audit", "watch", "rocketmq", "replay", "conform", "judge", "schema", "doctor", "new",
    "mcp",
)  # fmt: skip
SHOWN = "I8-two-owners"


@pytest.fixture
def trace(models: Path) -> Path:
    """A trace recorded from a user's model."""
    run("check", "lock.py", "--release=1.0", "--out-dir=.", "--quiet", cwd=models)
    return models / "L1-two-release=1.0.json"


def test_help_names_every_verb_and_its_options() -> None:
    top = run("--help")
    assert (top.code, top.err) == (0, "")
    assert [line.split()[0] for line in top.out.split("Commands:\n")[1].splitlines()] == list(VERBS)


def test_version_is_the_packages() -> None:
    from offsetproof import __version__

    assert run("--version") == run_anew("--version")
    assert run("--version").out == f"offsetproof {__version__}\n"


def test_no_or_unknown_verb_is_code_2() -> None:
    assert run().code == 2
    assert run("chek").code == 2
    assert run("chek") == run_anew("chek")


@pytest.mark.parametrize(
    "args",
    one_in(
        3,
        [
            ("check", "counter.py"),
            ("check", "lock.py"),
            ("check", "overflow.py"),
            ("check", "--property=I8"),
            ("list",),
            ("list", "all"),
            ("list", "I5"),
            ("list", "counter.py"),
            ("check", "I8", "I16"),
            ("show", SHOWN),
            ("show", "I5-late-pull", "I5-orphan"),
            ("check", "--help"),
            ("graph", "--help"),
        ],
    ),
)
def test_text_fits_a_terminal_of_80_columns(models: Path, args: tuple[str, ...]) -> None:
    code, text = in_terminal(*args, columns=80, cwd=models)
    assert code in (0, 12, 75)
    wide = [line for line in text.split("\n") for line in [line.split("\r")[-1]] if len(line) > 80]
    assert wide == []
    assert max(map(len, text.splitlines())) > 50


def test_list_names_everything_that_can_be_named(models: Path) -> None:
    text = run("list", "counter.py", "all", cwd=models).out
    assert text.startswith("Counter: Counts from 0 to its top and stays there.\n")
    sections = [line for line in text.splitlines() if line and not line.startswith(" ")][1:]
    assert sections == ["claims", "witnesses", "scopes", "fixes", "assumptions", "listeners", "actions", "left-out"]
    assert "  stays_below_two  (always; expected REFUTED) The counter never gets to two.\n" in text
    found = read_valid("list", run("list", "counter.py", "--format=json", cwd=models).out)
    assert (found["schema"], found["subject"], found["releases"], found["left_out"]) == (1, "Counter", [], ["overflow"])
    assert [scope["name"] for scope in found["scopes"]] == ["small", "huge"]
    assert found["scopes"][0]["top"] == 3
    assert found["properties"][0] == {
        "id": "stays_below_two",
        "name": "stays_below_two",
        "kind": "always",
        "claim": "The counter never gets to two.",
        "expected": {"": "REFUTED"},
        "unless": [],
        "turned_back_by": [],
        "not_of": [],
        "only_of": [],
        "scopes": [],
        "needs": [],
    }


def test_recorded_trace_is_shown_by_name_and_by_file(models: Path, trace: Path) -> None:
    by_name = run("show", SHOWN)
    assert by_name.code == 0
    first, *rest = by_name.out.splitlines()
    assert first == (
        "at-most-one-consumer-has-a-live-process-queue (I8, always) fails after 9 steps in hand-over of 4.9.4"
    )
    assert rest[0] == "  replayed on the model: yes (cause, effect, times and places are as recorded, not compared)"
    assert rest[-1].startswith("    9 ")
    full = run("show", SHOWN, "--stories", "full").out.splitlines()
    assert full[0] == "at-most-one-consumer-has-a-live-process-queue (I8, always) fails after 9 steps"
    assert sum("stands for " in line for line in full) >= 9
    long = run("show", "I8-listed").out.splitlines()
    assert [line.strip().partition(" ")[0] for line in long[:4]] == [
        "listed-process-queue-is-live-once-settled", "orderly-come-back", "replayed", "effect:",
    ], "what a long heading carries over stands right below it"  # fmt: skip
    by_file = run("show", trace.name, cwd=models)
    assert by_file.code == 0
    head, replay, *rest = by_file.out.splitlines()
    assert (head, rest[:2]) == ("one_holds_it (L1, always) fails after 2 steps", ["  subject: Lock", "  release: 1.0"])
    assert replay == "  not replayed: the trace is of Lock; name its file with --subject"


def test_every_form_of_a_trace_is_what_its_name_says(models: Path, trace: Path) -> None:
    told = {
        f: run("show", trace.name, f"--format={f}", cwd=models).out
        for f in ("json", "itf", "dot", "graphml", "mermaid")
    }
    shown = read_valid("trace", told["json"])
    assert shown.pop("replay") == {"agrees": None, "reason": "the trace is of Lock; name its file with --subject"}
    assert shown == read_valid("trace", trace.read_text())
    assert len(json.loads(told["itf"])["states"]) == 3
    assert told["dot"].startswith("digraph trace {\n")
    assert nx.parse_graphml(told["graphml"]).number_of_nodes() == 3
    assert told["mermaid"].startswith("sequenceDiagram\n    participant p0 as worker[0]\n")


def test_two_traces_are_compared_as_text_and_three_are_too_many(trace: Path) -> None:
    ran = run("show", "I5-late-pull", "I5-orphan")
    assert ran.code == 0
    assert ran.out.count("backward-reset-stays") == 2
    assert run("show", trace, trace, trace).code == 2
    assert run("show", trace, trace, "--format=json").code == 2


def test_graph_has_every_state_and_step_in_every_form(models: Path) -> None:
    dot = run("graph", "lock.py", "--release=1.0", cwd=models).out
    assert dot.startswith("digraph reachable {\n")
    assert dot.count("[label=") == 4 + 8
    assert dot.count("peripheries=2") == 1
    found = json.loads(run("graph", "lock.py", "--release=1.0", "--format=json", cwd=models).out)
    assert [(node["id"], node["depth"]) for node in found["nodes"]] == [(0, 0), (1, 1), (2, 1), (3, 2)]
    assert {edge["actor"] for edge in found["edges"]} == {"worker[0]", "worker[1]"}
    graphml = run("graph", "lock.py", "--release=1.0", "--format=graphml", cwd=models).out
    read = nx.parse_graphml(graphml, force_multigraph=True)
    assert (read.number_of_nodes(), read.number_of_edges()) == (4, 8)
    assert ElementTree.fromstring(graphml).tag.endswith("graphml")


def test_graph_of_a_large_scope_is_refused_with_the_way_out(models: Path) -> None:
    ran = run("graph", "counter.py", "--scope=huge", cwd=models)
    assert (ran.code, ran.out) == (2, "")
    assert "scope huge has more than 2000 reachable states; make its bounds smaller with --bound" in ran.err
    assert run("graph", "counter.py", "--scope=huge", "--bound=top=5", cwd=models).out.count("->") == 5
    assert run("graph", "counter.py", "--max-states=3", cwd=models).code == 2
    assert run("graph", "counter.py", "--max-states=4", cwd=models).code == 0


def test_graph_of_a_model_that_overflows_is_code_75(models: Path) -> None:
    ran = run("graph", "overflow.py", cwd=models)
    assert (ran.code, ran.out) == (75, "")
    assert ran.complaint.startswith("offsetproof: rises: field x: 3 is not in its domain, 0 to 2")


def test_show_says_whether_it_replayed_in_text_json_and_code(models: Path) -> None:
    run("check", "lock.py", "--release=1.0", "--out-dir=.", "--quiet", cwd=models)
    yes = run("show", "L1-two-release=1.0.json", "--subject=lock.py", cwd=models)
    assert (yes.code, yes.out.splitlines()[1]) == (
        0,
        "  replayed on the model: yes (cause, effect, times and places are as recorded, not compared)",
    )
    other = run("show", "L1-two-release=1.0.json", "--subject=counter.py", cwd=models)
    assert (other.code, other.out) == (2, "")
    assert "the trace is of Lock, not of Counter" in other.err
    (models / "lock.py").write_text((models / "lock.py").read_text().replace("not self.held[w]", "not self.held[0]"))
    no = run("show", "L1-two-release=1.0.json", "--subject=lock.py", cwd=models)
    assert no.code == 20
    told = "DOES NOT REPLAY on the model: the trace does not replay at step 2: worker_takes_lock(w=1) is disabled"
    assert " ".join(no.out.split()).partition(" subject: ")[0].endswith(f"after 2 steps {told}")
    shown = run("show", "L1-two-release=1.0.json", "--subject=lock.py", "--format=json", cwd=models)
    assert (shown.code, shown.complaint) == (20, f"offsetproof: L1-two-release=1.0.json: {told}")
    assert read_valid("trace", shown.out)["replay"] == {"agrees": False, "reason": told.split("model: ", 1)[1]}
    both = run("show", "L1-two-release=1.0.json", "L1-two-release=1.0.json", "--subject=lock.py", cwd=models)
    assert both.code == 20
    assert both.out.startswith("left: DOES NOT REPLAY on the model: ")
    assert "\nright: DOES NOT REPLAY on the model: " in both.out

"""Each report says the same as the others in its own format; UNKNOWN passes in none; files are whole or untouched."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cli.program import PROGRAM, Ran, environment, line_of, run, run_anew
from systems.samples import one_in
from systems.schemas import complaints, read_valid

UNKNOWN = ("--property=never_falls", "--max-states=1")


def report(models: Path, model: str, format: str, *args: str, **more: str) -> Ran:
    asked = ("check", f"{model}.py", f"--format={format}", *args)
    return run_anew(*asked, cwd=models, **more) if more else run(*asked, cwd=models)


def document(models: Path, model: str, *args: str) -> dict[str, Any]:
    """The one JSON document on stdout, valid."""
    found: dict[str, Any] = read_valid("check", report(models, model, "json", *args).out)
    return found


def test_json_is_one_valid_document_with_verdicts_counts_and_traces(models: Path) -> None:
    found = document(models, "lock")
    assert (found["schema"], found["tool"]["name"], found["subject"]) == (1, "offsetproof", "Lock")
    told = [(r["property"], r["name"], r["kind"], r["release"], r["verdict"], r["expected"]) for r in found["results"]]
    assert told == [
        ("L1", "one_holds_it", "always", "1.0", "REFUTED", "REFUTED"),
        ("L1", "one_holds_it", "always", "2.0", "REFUTED", None),
    ]
    first = found["results"][0]
    assert first["scope"] == {"name": "two", "workers": 2, "faults": {}}
    assert (first["initial"], first["states"], first["transitions"], first["depth"]) == (1, 3, 6, 2)
    assert first["trace"]["length"] == 2
    assert first["trace"]["steps"][1] == {
        "action": "worker_takes_lock",
        "args": {"w": 1},
        "actor": "worker[1]",
        "thread": "main",
        "fault": None,
        "stands_for": [{"class": "Lock", "method": "take", "call": "", "nth": 1, "line": 12}],
        "logs": None,
        "file": "lock.py",
        "line": 12,
        "changed": {"held[1]": [False, True]},
        "claims": {"L1": False},
    }


@pytest.mark.parametrize(
    ("model", "args", "verdicts"),
    [
        ("counter", (), ["REFUTED", "REFUTED", "HOLDS", "HOLDS", "HOLDS", "REFUTED"]),
        ("counter", ("--property=no_deadlock",), ["REFUTED"]),
        ("counter", UNKNOWN, ["UNKNOWN"]),
        ("overflow", (), ["UNKNOWN"]),
    ],
)
def test_every_kind_of_verdict_has_a_valid_json_form(
    models: Path, model: str, args: tuple[str, ...], verdicts: list[str]
) -> None:
    assert [result["verdict"] for result in document(models, model, *args)["results"]] == verdicts


def test_json_of_built_in_model_is_valid() -> None:
    ran = run("check", "--property=I8", "--format=json", "--no-progress")
    found = read_valid("check", ran.out)
    assert (found["subject"], found["results"][0]["release"], found["results"][0]["listener"]) == (
        "rocketmq",
        "4.9.4",
        "correct",
    )


@pytest.mark.parametrize("spoilt", [{"trace": None}, {"verdict": "UNKNOWN"}])
def test_schema_refuses_a_result_that_contradicts_itself(models: Path, spoilt: dict[str, str | None]) -> None:
    found = document(models, "lock")
    found["results"][0].update(spoilt)
    assert complaints("check", found)


def test_junit_passes_what_is_expected_and_fails_what_is_not(models: Path) -> None:
    suite = ElementTree.fromstring(report(models, "counter", "junit").out)[0]
    told = {case.get("name"): [(part.tag, part.get("message")) for part in case] for case in suite}
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors"), suite.get("skipped")) == (
        "6",
        "3",
        "0",
        "0",
    )
    assert told["stays_below_two[small]"] == [("system-out", None)]
    assert told["stays_below_three[small]"] == [("failure", "REFUTED, expected HOLDS")]
    assert told["stays_in_range[small]"] == [("failure", "HOLDS, expected REFUTED")]
    assert told["passes_the_top[small]"] == [("failure", "not reached, expected reached")]


def test_junit_has_unknown_as_error_and_never_as_skipped(models: Path) -> None:
    suite = ElementTree.fromstring(report(models, "counter", "junit", *UNKNOWN).out)[0]
    assert [(part.tag, part.get("message")) for part in suite[0]] == [("error", "UNKNOWN: state limit")]
    assert (suite.get("errors"), suite.get("failures"), suite.get("skipped")) == ("1", "0", "0")


def test_sarif_has_a_rule_per_claim_a_flow_per_actor_and_java_places_as_related(models: Path) -> None:
    found = json.loads(report(models, "lock", "sarif").out)
    run_ = found["runs"][0]
    assert (found["version"], run_["tool"]["driver"]["name"]) == ("2.1.0", "offsetproof")
    assert [rule["id"] for rule in run_["tool"]["driver"]["rules"]] == ["L1"]
    expected, surprise = run_["results"]
    assert [(r["kind"], r["level"]) for r in run_["results"]] == [("fail", "note"), ("fail", "error")]
    assert [r["message"]["text"].split(": ")[0] for r in run_["results"]] == ["REFUTED in 1.0", "REFUTED in 2.0"]
    assert surprise["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "lock.py"},
        "region": {"startLine": line_of("lock", "def one_holds_it") - 1},
    }
    flows = surprise["codeFlows"][0]["threadFlows"]
    assert [(flow["id"], [step["executionOrder"] for step in flow["locations"]]) for flow in flows] == [
        ("worker[0]", [1]),
        ("worker[1]", [2]),
    ]
    assert flows[0]["locations"][0]["location"]["physicalLocation"]["region"] == {"startLine": 12}
    related = surprise["relatedLocations"]
    assert [place["logicalLocations"][0]["fullyQualifiedName"] for place in related] == ["Lock.take:12"]
    assert expected["partialFingerprints"]["cause/v1"] != surprise["partialFingerprints"]["cause/v1"]


def test_sarif_has_unknown_as_warning_and_passes_only_what_holds(models: Path) -> None:
    unknown = json.loads(report(models, "counter", "sarif", *UNKNOWN).out)["runs"][0]["results"]
    assert [(r["kind"], r["level"]) for r in unknown] == [("fail", "warning")]
    holds = json.loads(report(models, "counter", "sarif", "--property=never_falls").out)["runs"][0]["results"]
    assert [(r["kind"], r["level"]) for r in holds] == [("pass", "none")]


def test_github_annotates_surprises_only(models: Path) -> None:
    lines = report(models, "counter", "github").out.splitlines()
    names = ("stays_below_three", "stays_in_range", "passes_the_top", "never_falls")
    line = {name: line_of("counter", f"def {name}") - 1 for name in names}
    assert [text.split("::")[1] for text in lines] == [
        f"error file=counter.py,line={line['stays_below_three']},title=stays_below_three REFUTED",
        f"error file=counter.py,line={line['stays_in_range']},title=stays_in_range HOLDS",
        f"error file=counter.py,line={line['passes_the_top']},title=passes_the_top not reached",
    ]
    warning = report(models, "counter", "github", *UNKNOWN).out
    place = f"file=counter.py,line={line['never_falls']}"
    assert warning.startswith(f"::warning {place},title=never_falls UNKNOWN::state limit; ")
    notice = report(models, "counter", "github", "--property=never_falls").out
    assert notice == "::notice title=offsetproof::1 verdict on Counter: all as expected\n"


def test_markdown_has_a_row_per_answer_and_a_folded_story_per_refutation(models: Path) -> None:
    text = report(models, "lock", "markdown").out
    assert "| one_holds_it (L1) | 1.0 | two | REFUTED | 3 | as expected |\n" in text
    assert "| one_holds_it (L1) | 2.0 | two | REFUTED | 3 | ! |\n" in text
    assert text.count("<details>") == text.count("</details>") == 2
    assert re.findall(r"<summary>(.*)</summary>", text) == [
        "one_holds_it (L1) of 1.0: 2 steps",
        "one_holds_it (L1) of 2.0: 2 steps",
    ]


def test_text_tells_releases_apart_where_there_are_several(models: Path) -> None:
    text = report(models, "lock", "text").out
    rows = [line.split()[:6] for line in text.splitlines() if line.startswith(" one_holds_it (L1)")]
    assert rows == [["one_holds_it", "(L1)", "in", "two", "REFUTED", "REFUTED"]]
    assert [line.split() for line in text.splitlines() if line.startswith(" claim")] == [
        ["claim,", "scope", "1.0", "2.0"]
    ]
    assert "one_holds_it (L1) in scope two of 2.0: the same story as in scope two of 1.0\n" in text
    single = report(models, "lock", "text", "--release=2.0").out
    assert single.startswith("Lock 2.0: 1 REFUTED; 1 not as expected\n")


LEAPS = """
from offsetproof.lang import *

FAR = Behaviour("far", role="leaper", about="leaps twice as far")

class Leaper(Model):
    roles = ("leaper",)
    releases = (Release("1.0"), Release("2.0", behaviours=frozenset({FAR})))
    x: int = integer(0, 2)

    @action()
    def leaps(self) -> None:
        require(self.x == 0)
        self.x = 2 if self.setting.behaves(FAR) else 1

    @always(expected=REFUTED)
    def stays(self) -> bool:
        return self.x == 0
"""


@pytest.fixture
def leaps(tmp_path: Path) -> Path:
    """A folder with a model that is refuted in two releases by different stories."""
    (tmp_path / "leaps.py").write_text(LEAPS)
    return tmp_path


def test_same_steps_with_other_values_are_another_story(leaps: Path) -> None:
    text = run("check", "leaps.py", "--no-progress", cwd=leaps).out
    assert "the same story" not in text
    assert re.findall(r"x: 0 -> \d", text) == ["x: 0 -> 1", "x: 0 -> 2"]


def test_brief_stories_of_several_releases_say_of_which_they_are(leaps: Path) -> None:
    brief, single = (
        run("check", "leaps.py", "--stories=brief", *words, cwd=leaps).out for words in ((), ("--release=2.0",))
    )
    (leaps / "leaps.py").write_text(f"{LEAPS}\n    scopes = (Scope('low'), Scope('high'))\n")
    twice = run("check", "leaps.py", "--stories=brief", "--scope=all", cwd=leaps).out
    heads = [line for line in brief.splitlines() if " fails after " in line]
    assert [head.split(" in ")[1] for head in heads] == ["default of 1.0", "default of 2.0"]
    assert "fails after 1 step in default\n" in single
    assert re.findall(r"is refuted in (.*) as well", twice) == ["high (1 step) of 1.0", "high (1 step) of 2.0"]


def test_releases_stand_in_the_title_as_in_the_table() -> None:
    ran = run("check", "I28", "--release=5.3.3", "--release=5.3.3-client-reset", "--release=4.9.8", "--stories=none")
    assert ran.out.startswith("rocketmq 4.9.8, 5.3.3-client-reset, 5.3.3: 3 REFUTED; all as expected\n")


def test_github_says_which_release_a_surprise_is_in(models: Path) -> None:
    assert "title=one_holds_it (L1) REFUTED in 2.0::" in report(models, "lock", "github").out


def test_brackets_and_colons_in_names_are_shown_as_they_are(models: Path) -> None:
    path = models / "lock.py"
    path.write_text(path.read_text().replace('id="L1"', 'id="L1[red]:warning:"'))
    assert " one_holds_it (L1[red]:warning:) " in report(models, "lock", "text").out


@pytest.mark.parametrize("format", one_in(4, ["text", "junit", "json", "sarif"]))
def test_same_question_gives_the_same_bytes_apart_from_seconds(models: Path, format: str) -> None:
    timeless = [
        re.sub(r'("seconds": |time=")[\d.e-]+|(?<=\d) +\d+\.\d(?=\s)', "", report(models, "lock", format, **seed).out)
        for seed in ({"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"})
    ]
    assert timeless[0] == timeless[1]
    assert timeless[0].endswith("\n")


def test_output_goes_to_the_file_alone_also_when_quiet(models: Path) -> None:
    told = report(models, "lock", "sarif", "--output=loud.sarif")
    quiet = report(models, "lock", "sarif", "--output=quiet.sarif", "--quiet")
    assert (told.code, told.out, quiet.code, quiet.out, quiet.err) == (12, "", 12, "", "")
    assert (models / "loud.sarif").read_text() == (models / "quiet.sarif").read_text()
    assert json.loads((models / "loud.sarif").read_text())["version"] == "2.1.0"


def test_quiet_says_nothing_and_keeps_the_code(models: Path) -> None:
    assert report(models, "lock", "text", "--quiet") == Ran(12, "", "")


def test_out_dir_gets_one_readable_trace_per_claim_scope_and_release(models: Path) -> None:
    assert report(models, "lock", "text", "--out-dir=deep/er").code == 12
    assert sorted(path.name for path in (models / "deep/er").iterdir()) == [
        "L1-two-release=1.0.json",
        "L1-two-release=2.0.json",
    ]
    told = [json.loads(path.read_text())["release"] for path in sorted((models / "deep/er").iterdir())]
    assert told == ["1.0", "2.0"]
    report(models, "lock", "text", "--out-dir=one", "--release=1.0")
    assert [path.name for path in (models / "one").iterdir()] == ["L1-two-release=1.0.json"]


def test_claim_id_with_a_slash_stays_in_the_folder(models: Path) -> None:
    path = models / "lock.py"
    path.write_text(path.read_text().replace('id="L1"', 'id="../L1"'))
    report(models, "lock", "text", "--out-dir=out", "--release=1.0")
    [written] = (models / "out").iterdir()
    assert re.fullmatch(r"_\._L1-two-release=1\.0-[0-9a-f]{12}\.json", written.name)


def test_any_encoding_of_stdout_can_hold_the_report(models: Path) -> None:
    ran = report(models, "lock", "text", PYTHONIOENCODING="ascii")
    assert (ran.code, ran.err) == (12, "")
    assert ran.out.isascii()


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("check", "lock.py"), 12),
        (("list",), 0),
        (("show", "I8-two-owners"), 0),
        (("graph", "lock.py"), 0),
    ],
)
def test_reader_that_leaves_early_causes_no_traceback_and_changes_no_code(
    models: Path, args: tuple[str, ...], code: int
) -> None:

    with subprocess.Popen(
        [str(PROGRAM), *args], cwd=models, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        err = process.stderr.read()
    assert (process.returncode, err) == (code, "")

"""What `list` shows: an overview of one screen, sections, one claim, and whatever has a text in it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from cli.program import in_terminal, line_of, run
from systems.samples import one_in
from systems.schemas import read_valid

from offsetproof.reports.listing import SECTIONS

OF_NAMES = ("behaviours", "timers", "scopes", "bounds", "faults", "fixes", "assumptions", "listeners")


def listed(*args: str, cwd: Path | None = None) -> str:
    """What a list prints."""
    ran = run("list", *args, cwd=cwd)
    assert (ran.code, ran.err) == (0, "")
    return ran.out


def names(text: str) -> list[str]:
    """The names of a section's rows."""
    return [line.split()[0] for line in text.splitlines() if line.startswith("  ") and not line.startswith("   ")]


def cases(text: str) -> list[str]:
    """The aliases below claims."""
    return re.findall(r"^    (\S+)  \(expected", text, re.MULTILINE)


@pytest.fixture(scope="module")
def everything() -> dict[str, list[str]]:
    """The names in each section of the built-in model's JSON."""
    found = read_valid("list", listed("--format=json"))
    kinds = {prop["name"]: prop["kind"] for prop in found["properties"]}
    return {
        **{title: [each["name"] for each in found[title]] for title in OF_NAMES},
        "actions": [each["name"] for each in found["actions"]],
        "releases": found["releases"],
        "claims": [name for name, kind in kinds.items() if kind != "sometimes"],
        "witnesses": [name for name, kind in kinds.items() if kind == "sometimes"],
        "left-out": ["-"] * len({text for those in found["left_out_of"].values() for text in those}),
    }


def test_overview_of_the_built_in_model_fits_a_screen_and_counts_all(everything: dict[str, list[str]]) -> None:
    code, text = in_terminal("list", columns=80)
    assert code == 0
    assert len(text.splitlines()) <= 24
    assert max(map(len, text.splitlines())) <= 80
    counted = {
        line.split()[0]: int(line.split()[1])
        for line in text.splitlines()
        if line.split()[1:2] and line.split()[1].isdigit()
    }
    assert counted == {title: len(those) for title, those in everything.items()}
    assert "list --about TEXT" in text
    assert re.search(r"^  claims +35  154 cases: writer-passes-", text, re.MULTILINE)


@pytest.mark.parametrize("section", one_in(3, SECTIONS))
def test_section_lists_every_name_of_it_and_nothing_else(section: str, everything: dict[str, list[str]]) -> None:
    text = listed(section)
    listed_names = names(text) if section == "left-out" else [*dict.fromkeys(names(text))]
    assert listed_names == everything[section]
    assert [line for line in text.splitlines() if line in SECTIONS] == [section]


def test_word_for_what_is_left_out_is_answered_with_the_section_that_has_it() -> None:
    assert "no section or claim named 'pop'; `list left-out` has it" in run("list", "pop").complaint
    unknown = run("list", "xyzzy").complaint
    assert "left-out" not in unknown
    assert unknown.endswith("`offsetproof list --about TEXT` looks in sentences")


def test_claim_is_listed_by_its_name_with_each_case_below_it_or_its_one_alias_beside_it() -> None:
    text = listed("claims")
    assert "  broker-offset-never-falls  (each_step) The broker's offset never decreases unless a reset " in text
    assert "\n    I3  (expected REFUTED; in come-back, hand-over, broker-restart)\n    I3-calm  (expected" in text
    assert "\n  at-most-one-consumer-has-a-live-process-queue (I8)  (always; expected REFUTED; in hand-over) " in text
    every = [prop["id"] for prop in json.loads(listed("--format=json"))["properties"] if prop["kind"] != "sometimes"]
    assert [id for id in every if f"    {id}  (" not in text and f" ({id})  (" not in text] == []


def test_all_lists_every_section_in_order() -> None:
    assert [line for line in listed("all").splitlines() if line in SECTIONS] == list(SECTIONS)


def test_bound_and_fault_are_listed_with_what_they_mean_and_what_they_are_by_default() -> None:
    bounds, faults = listed("bounds"), listed("faults")
    assert "  batch  messages in one task (usually 1; 1 to 62)\n" in bounds
    assert "  strategy  how queues are allocated (usually AVERAGELY; one of AVERAGELY, BY_CIRCLE)\n" in bounds
    assert "  kill  a consumer's process is killed (the operating system)\n" in faults
    document = json.loads(listed("--format=json"))
    of_name = {bound["name"]: bound for bound in document["bounds"]}
    assert of_name["batch"] == {
        "name": "batch",
        "about": "messages in one task",
        "default": 1,
        "least": 1,
        "most": 62,
    }
    assert of_name["resets"]["most"] is None
    assert of_name["strategy"]["values"] == {"AVERAGELY": 0, "BY_CIRCLE": 1}
    assert {
        "name": "broker_kill",
        "about": "the broker's process is killed and started again",
        "source": "ConfigManager.load",
    } in document["faults"]


def test_small_model_is_listed_whole_and_a_larger_one_when_asked(models: Path) -> None:
    assert "  worker_takes_lock\n" in listed("lock.py", cwd=models)
    assert "  rises  One more.\n" not in listed("counter.py", cwd=models)
    assert "  rises  One more.\n" in listed("counter.py", "all", cwd=models)
    assert names(listed("counter.py", "fixes", "scopes", cwd=models)) == ["small", "huge", "starts-over"]


def test_about_keeps_what_has_the_text_in_name_or_sentence_in_any_case() -> None:
    text = listed("rocketmq", "--about", "SHUTDOWN", "claims")
    assert names(text) == ["graceful-shutdown-commits-finished-work"]
    assert cases(text) == [
        "I16",
        "I16-waits",
        "I16-waits-monotone",
        "I16-waits-in-two",
        "I16-waits-in-one",
        "I16-swept",
        "I16-restarted",
        "I16-lost",
    ]
    assert cases(listed("rocketmq", "--about", "persistall reads", "claims")) == [
        "I5-persist-in-two",
        "I5-forward-in-two",
    ]
    assert names(listed("rocketmq", "--about", "i8", "claims")) == [
        "at-most-one-consumer-has-a-live-process-queue",
        "one-process-queue-pulls-at-rest",
    ]
    anywhere = listed("rocketmq", "--about", "shutdown-waits")
    assert [line for line in anywhere.splitlines() if line in SECTIONS] == ["assumptions"]
    assert listed("rocketmq", "--about", "no such thing").endswith(
        "no match for 'no such thing' in names, sentences and symptoms\n"
    )


def test_all_built_in_models_are_searched_where_none_is_named() -> None:
    """Who looks for what he sees names no model; what two say in the same words is told once."""
    text = listed("--about", "autocommit")
    assert [line.partition(":")[0] for line in text.splitlines() if ": Apache" in line] == ["orderly", "broadcasting"]
    assert "I16-orderly-manual" in cases(text)
    assert "several-queues: " in listed("claims", "--about", "unsub")
    assert "orderly: " not in listed("rocketmq", "--about", "autocommit")
    assert listed("rocketmq", "--about", "autocommit").endswith("in names, sentences and symptoms\n")


def test_words_that_mean_the_same_are_found_where_the_text_is_nowhere() -> None:
    assert "I4-new-group" in cases(listed("claims", "--about", "lost messages of a new group after its deploy"))
    assert "I6" in cases(listed("claims", "--about", "重置 不生效"))
    assert listed("--about", "wombat") == "no match for 'wombat' in names, sentences and symptoms\n"


def test_claim_is_listed_with_sentence_scopes_expectation_needs_fixes_and_stories() -> None:
    text = listed("I5")
    assert text.startswith("backward-reset-stays (I5)\n  From a backward reset's landing, ")
    facts = [line.split(maxsplit=1) for line in text.splitlines() if line.startswith("  ") and line[2] != " "]
    assert ["expected", "REFUTED"] in facts
    assert len([1 for fact in facts if fact[0] == "asked"]) == 8
    assert "  needs     backward-reset-lands (W-reset-landed): The own write of a backward reset" in text
    assert "I5-late-poll, " in text
    assert "I5-forward" not in text
    fixed = listed("I11-fixed")
    assert "  with fix  row-made-atomically: " in fixed
    assert "stories" not in fixed
    (title, *_), (_, mark, facts_of_case) = fixed.splitlines(), fixed.partition("\n  case ")
    whole = listed("first_commits_of_two_queues_survive")
    assert whole.endswith(f"\n{title}{mark}{facts_of_case}"), "the claim's sentence stands at its first case alone"
    assert "  expected  reached\n" in listed("W-reset-landed")


def test_claim_of_ones_own_model_is_listed_too(models: Path) -> None:
    assert listed("counter.py", "stays_below_two", cwd=models) == (
        "stays_below_two\n  The counter never gets to two.\n  kind      always\n  expected  REFUTED\n"
        f"  declared  counter.py:{line_of('counter', 'def stays_below_two') - 1}\n"
    )


@pytest.mark.parametrize("more", [("claims",), ("I5",), ("--about=reset",), ("--release=5.3.3",)])
def test_json_has_everything_and_refuses_to_be_filtered(more: tuple[str, ...]) -> None:
    ran = run("list", *more, "--format=json")
    assert (ran.code, ran.out) == (2, "")
    assert "json always has everything" in ran.err


def test_about_shows_first_what_is_seen_with_its_symptom_and_finds_lines_of_logs() -> None:
    text = listed("--about", "(force=false)")
    assert names(text)[0] == "finished-message-is-not-delivered-again"
    assert names(listed("orderly", "claims", "--about=autoCommit"))[0] == "graceful-shutdown-commits-finished-work"
    assert "(force=false) answers success" in " ".join(text.split())
    assert "sweep_sends_message_back" in names(listed("--about", "send expire msg back"))


def test_release_that_has_a_behaviour_is_said_with_it() -> None:
    assert "4.9.8  as 4.9.4, locked-when-added, merges-into-file" in listed("releases")
    assert "persisted and then forgotten (in 4.9.8)" in " ".join(listed("broadcasting", "fixes").split())
    assert "expected REFUTED, unless merges-into-file (in 4.9.8)" in " ".join(listed("broadcasting", "claims").split())
    assert "reset_persists  Persists the queue. (with merges-into-file)" in listed("broadcasting", "actions")


def test_fix_is_listed_with_its_steps_its_places_and_the_cases_that_it_touches() -> None:
    merges = facts_of(listed("broadcasting", "merges-into-file"))
    assert merges["changes"] == ["reset_persists"]
    (file, line) = merges["declared"][0].split(":")
    assert Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1] == "MERGES_INTO_FILE = Behaviour("
    assert "I24-broadcast" in merges["turns"][0].split(", ")
    assert "I24-broadcast-merged" in merges["cases"][0].split(", ")
    in_place = facts_of(listed("offset-files", "overwrites-in-place"))
    assert in_place["takes"] == ["writer_opens_tmp, writer_writes_tmp, writer_deletes_main, writer_renames_tmp"]


def test_assumption_and_fault_are_listed_with_the_steps_that_ask_for_them() -> None:
    (asked,) = facts_of(listed("pulls-timely"))["asked in"]
    name, _, place = asked.partition(" ")
    file, line = place.strip("()").split(":")
    assert f"def {name}(" in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
    assert facts_of(listed("kill"))["asked in"][0].startswith("consumer_is_killed (")


def test_action_is_listed_with_each_place_where_it_is_declared_and_what_takes_it_away() -> None:
    first, other = facts_of(listed("broadcasting", "reset_persists"))["declared"]
    assert (first.split("/")[1], other.split(" ", 1)[1]) == ("broadcasting", "(with merges-into-file)")
    gone = facts_of(listed("offset-files", "writer_opens_tmp"))["gone"]
    assert gone[0].startswith("with overwrites-in-place (model/behaviours/")


def test_name_that_stands_in_two_sections_is_listed_from_both() -> None:
    lines = listed("batch").splitlines()
    assert [line for line in lines if not line.startswith(" ")] == ["scope batch", "bound batch"]


def test_name_of_another_built_in_model_is_pointed_at() -> None:
    ran = run("list", "merges-into-file")
    assert (ran.code, ran.out) == (2, "")
    assert "merges-into-file is a name in broadcasting, offset-files; name that first" in " ".join(ran.err.split())


def test_name_is_meant_rather_than_a_module_that_is_called_so() -> None:
    assert [line for line in listed("queue").splitlines() if not line.startswith(" ")] == ["bound queue"]
    ran = run("list", "graphlib")
    assert (ran.code, ran.out) == (2, "")
    assert "graphlib has no Model subclass" in ran.err


def facts_of(text: str) -> dict[str, list[str]]:
    """What a list of one name says, by its kind, each on one line."""
    facts: dict[str, list[str]] = {}
    for line in re.sub(r"\n {12}", " ", text).splitlines():
        if line.startswith("  "):
            facts.setdefault(line[2:12].strip(), []).append(line[12:])
    return facts


def test_release_alone_is_told_whole_as_by_its_name() -> None:
    assert listed("--release=4.9.8") == listed("4.9.8")


def test_release_is_told_with_what_no_model_has_of_it_and_of_those_before_it() -> None:
    old, new = (listed(f"--release={name}") for name in ("4.9.8", "5.5.0"))
    assert "  without   LMQ, whose offsets are in a table of its own" in old
    assert "POP" not in old
    assert "  without   LMQ, whose offsets are in a table of its own" in new
    assert "  without   POP, of Java clients with clientRebalance=false" in new


def test_sections_of_a_release_have_what_is_in_it() -> None:
    old, new = (listed("behaviours", "timers", f"--release={name}") for name in ("4.9.8", "5.3.3"))
    assert names(old) == []
    assert old.startswith("rocketmq 4.9.8: ")
    assert {"server-side-reset", "dispatches-later"} <= {*names(new)}
    assert "marker-deleted-with-topic" not in names(new)
    assert "marker-deleted-with-topic" in names(listed("behaviours", "--release=5.5.0"))
    own, all_of_it = (names(listed("actions", *of)) for of in (["--release=4.9.4"], []))
    assert {*own} < {*all_of_it}


def test_cases_of_a_release_are_those_that_say_something_of_it_with_its_verdicts() -> None:
    every, old, new = (listed("claims", *of) for of in ([], ["--release=4.9.4"], ["--release=5.3.3"]))
    assert {*cases(old)} | {*cases(new)} <= {*cases(every)}
    assert "I5-restarted-marker" not in cases(old)
    assert "    I5-restarted-marker  (expected REFUTED in reset-restart-in-order) " in new
    assert "    I5-persist-in-one  (expected HOLDS in fine-reset) " in old
    assert "    I5-persist-in-one  (expected REFUTED in fine-reset) " in new


def test_case_is_told_with_the_verdicts_and_remedies_of_the_release() -> None:
    every, new, silent = (listed(*words) for words in (["I5"], ["I5", "--release=5.3.3"], ["I7", "--release=5.3.3"]))
    assert ("poll-checks-dropped" in every, "poll-checks-dropped" in new) == (True, False)
    assert "(case I5-while-down, scope offline-reset)" in " ".join(new.split())
    told = "no verdict: the case says nothing of 5.3.3; asked there instead: I7-at-broker, I7-at-broker-checked"
    assert f"  expected  {told}" in " ".join(silent.split()).replace(" expected ", "  expected  ")
    assert "  remedy  " not in silent


@pytest.mark.parametrize("release", ["6", "5.2.0", "all"])
def test_release_that_there_is_not_is_refused_with_those_that_there_are(release: str) -> None:
    ran = run("list", "claims", f"--release={release}")
    assert (ran.code, ran.out) == (2, "")
    assert f"no release named '{release}'; choose from 4.9.4, 4.9.8, 5.3.3, 5.3.3-client-reset, 5.5.0" in ran.err


def test_option_with_one_value_that_is_given_twice_is_refused() -> None:
    ran = run("list", "I5", "--release=4.9.4", "--release", "5.3.3")
    assert (ran.code, ran.out) == (2, "")
    assert "Invalid value for --release: is given twice; give one value" in ran.err

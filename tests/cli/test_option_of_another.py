"""An option that only other verbs have is refused with what does it in this one."""

from __future__ import annotations

import pytest
from cli.program import run


@pytest.mark.parametrize(("words", "hint"), [
    ("show I5-late-poll --release 5.3.3",
     "show has nothing that does the same; verbs that have it: replay, check, explain and "),
    ("judge I5 --release 5.3.3", "judge calls it --base RELEASE: The release that was patched."),
    ("rocketmq fetch --release 5.3.3", "rocketmq takes it without an option: write RELEASE by itself, as RELEASE"),
    ("check I5 --subject orderly", "check takes it without an option: write SUBJECT by itself, as SUBJECT|CLAIM"),
    ("list --subject orderly", "list takes it without an option: write SUBJECT by itself, as SUBJECT|SECTION|NAME"),
    ("list --scope reset", "list takes it without an option: write NAME by itself, as SUBJECT|SECTION|NAME"),
    ("show --property I5", "show takes it without an option: write CLAIM by itself, as TRACE|CLAIM"),
    ("symptom lost --subject orderly", "symptom has nothing that does the same; verbs that have it: show, "),
    ("new tank --fix x", "new has nothing that does the same; verbs that have it: "),
    ("--release 5.3.3 check I5", "write it behind a verb that has it: symptom, list, check and "),
])  # fmt: skip
def test_option_that_only_other_verbs_have_is_refused_with_what_does_it_here(words: str, hint: str) -> None:
    ran = run(*words.split())
    option = next(word for word in words.split() if word.startswith("--"))
    assert (ran.code, ran.out) == (2, "")
    assert f"Error: No such option: {option}; {hint}" in ran.err


def test_option_that_no_verb_has_is_refused_with_those_that_are_alike() -> None:
    ran = run("check", "--propery=I5")
    assert (ran.code, ran.err.splitlines()[-1]) == (
        2,
        "Error: No such option: --propery (Possible options: --property, --scope)",
    )

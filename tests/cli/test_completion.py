"""What shells complete: verbs, options, and names of the subject that is typed, by each shell's own protocol."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from cli.program import PROGRAM, environment, run, run_anew

from offsetproof.cli.completion import all_words
from offsetproof.cli.verbs import VERBS

ASKED = [
    ("ch", ["check"]),
    ("check --li", ["--listener"]),
    ("check ord", ["orderly"]),
    ("check I5-while-down-", ["I5-while-down-restarted"]),
    ("check orderly I9-locked-un", ["I9-locked-unsubscribe"]),
    ("check I5 --scope calm", ["calm-reset"]),
    ("check I5 --release 5.3", ["5.3.3-client-reset", "5.3.3"]),
    ("check I5 --release = 5.3", ["5.3.3-client-reset", "5.3.3"]),  # as bash breaks --release=5.3
    ("show --stories =", ["brief", "full", "none"]),
    ("check I5 --fix poll", ["poll-checks-dropped"]),
    ("check I5 --assume pulls", ["pulls-timely"]),
    ("check I5 --listener reconsume", ["reconsume-later"]),
    ("check --format j", ["json", "junit"]),
    ("show I5-late-p", ["I5-late-poll", "I5-late-pull"]),
    ("list left", ["left-out"]),
    ("doctor mav", ["maven"]),
    ("schema ch", ["check"]),
    ("export I5 --to t", ["tla"]),
    ("check mymodel.p", []),
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache in which the words are once they have been asked for."""
    return str(tmp_path_factory.mktemp("cache"))


def in_bash(line: str, cache: str) -> list[str]:
    """The words that bash gets for the last one of a line."""
    words = f"offsetproof {line}"
    ran = run_anew(
        COMP_WORDS=words, COMP_CWORD=str(len(words.split()) - 1), _OFFSETPROOF_COMPLETE="complete_bash",
        OFFSETPROOF_CACHE=cache,
    )  # fmt: skip
    assert (ran.code, ran.err) == (0, "")
    return ran.out.split()


@pytest.mark.slow
@pytest.mark.parametrize(("line", "words"), ASKED)
def test_bash_completes_verbs_options_and_names(line: str, words: list[str], kept: str) -> None:
    assert in_bash(line, kept) == words


def test_words_are_kept_and_made_again_where_they_are_damaged(tmp_path: Path) -> None:
    first = in_bash("check I5 --scope calm", str(tmp_path))
    (file,) = (tmp_path / "completion").iterdir()
    whole = file.read_bytes()
    file.write_bytes(whole[:-1])
    assert in_bash("check I5 --scope calm", str(tmp_path)) == first == ["calm-reset"]
    assert file.read_bytes() == whole


def test_zsh_gets_verbs_with_their_sentences(kept: str) -> None:
    typed = {"_TYPER_COMPLETE_ARGS": "offsetproof doc", "_OFFSETPROOF_COMPLETE": "complete_zsh"}
    ran = run_anew(OFFSETPROOF_CACHE=kept, **typed)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("""_arguments '*: :(("doctor":"List optional parts""")


def test_script_works_in_bash_itself(kept: str) -> None:
    shell = (
        f'export PATH="{PROGRAM.parent}:$PATH" OFFSETPROOF_CACHE="{kept}"\n'
        'eval "$(offsetproof --show-completion bash)"\n'
        "COMP_WORDS=(offsetproof show I5-late-p); COMP_CWORD=2; _offsetproof_completion offsetproof\n"
        'complete -p offsetproof; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "--norc", "-c", shell], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout.splitlines() == [
        "complete -o default -F _offsetproof_completion offsetproof", "I5-late-poll I5-late-pull"
    ]  # fmt: skip


def test_completion_is_installed_where_the_shell_reads_it(tmp_path: Path, kept: str) -> None:
    ran = run_anew("--install-completion", "zsh", HOME=str(tmp_path), OFFSETPROOF_CACHE=kept)
    assert (ran.code, ran.err) == (0, "")
    assert str(tmp_path / ".zfunc" / "_offsetproof") in ran.out
    assert (tmp_path / ".zfunc" / "_offsetproof").read_text().startswith("#compdef offsetproof")
    assert "fpath+=~/.zfunc" in (tmp_path / ".zshrc").read_text()


def test_shell_that_is_not_known_is_refused() -> None:
    ran = run("--show-completion", "tcsh")
    assert (ran.code, ran.out) == (2, "")
    assert "'tcsh' is not one of bash, zsh, fish" in ran.err


def test_every_verb_and_option_can_be_completed() -> None:
    words = all_words()
    assert [*words["verbs"]] == [*VERBS]
    options = {name for each in words["verbs"]["check"]["parameters"] for name in each["names"]}
    assert {"--scope", "--no-slice", "--stories", "--html"} <= options
    kinds = {kind for verb in words["verbs"].values() for each in verb["parameters"] for kind in each["kinds"]}
    assert kinds == {*words["names"][""], *words["names"]["rocketmq"]}

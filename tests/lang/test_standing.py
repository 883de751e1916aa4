"""Whatever a decorator makes is asked, or refused at its line: never is it dropped without a word.

Each kind of declaration is put in each place, and under each decorator; the last table has whole modules.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import indent

import pytest
from lang.refused_places import ABOVE, ASKED, CHANGED, CLAIMS_ASKED, IMPORTS, KINDS, MODEL, MODULES, OFFENDING, REFUSED

from offsetproof import check, examples
from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.subject import load_subject
from offsetproof.engines.stateful.machine import machine
from offsetproof.lang import (
    Component,
    DeclarationError,
    Model,
    Subject,
    action,
    always,
    integer,
    part,
)
from offsetproof.lang.claim import properties_of
from offsetproof.lang.registry import refuse_dropped
from offsetproof.verdict.result import Verdict


def _module(text: str, kind: str, above: str = "") -> str:
    """A place with a declaration, which may stand under another decorator."""
    extra = KINDS[kind]
    if above:
        extra = f"@({above})  # HERE\n{extra.replace('  # HERE', '')}"
    name = extra.partition("def ")[2].partition("(")[0]
    lines = []
    for line in text.replace("NAME", name).splitlines(keepends=True):
        start, found, rest = line.partition("EXTRA")
        margin = start if not start.strip() else ""
        lines.append(f"{start}{indent(extra, margin).removeprefix(margin).rstrip()}{rest}" if found else line)
    return MODEL + "".join(lines)


def _line(source: str) -> int:
    """The line that a refusal has to name."""
    lines = source.splitlines()
    mark = "# THERE" if any(line.endswith("# THERE") for line in lines) else "# HERE"
    return next(n for n, line in enumerate(lines, 1) if line.endswith(mark))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in which models lie and that is imported from."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    for name, module in [*sys.modules.items()]:
        if (getattr(module, "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def _subject(folder: Path, source: str) -> Subject:
    (folder / "offending.py").write_text(source)
    return load_subject("offending.py")


def _asks(subject: Subject, kind: str) -> bool:
    """Does the subject take or ask what the kind declares?"""
    if kind.startswith("action"):
        return any(each.method.__name__ == "extra" for each in subject.model.actions.values())
    return "extra" in [prop.id for prop in subject.properties]


def _refuses(folder: Path, source: str) -> None:
    with pytest.raises(DeclarationError) as raised:
        _subject(folder, source)
    assert str(raised.value).startswith((f"offending.py:{_line(source)}: ", f"offending.py:{_line(source)} (")), source


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", ASKED)
def test_declaration_in_a_model_is_asked(folder: Path, place: str, kind: str) -> None:
    assert _asks(_subject(folder, _module(ASKED[place], kind)), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", CLAIMS_ASKED)
def test_claim_beside_a_model_is_asked_and_an_action_refused(folder: Path, place: str, kind: str) -> None:
    source = _module(CLAIMS_ASKED[place], kind)
    if kind.startswith("action"):
        _refuses(folder, source)
    else:
        assert _asks(_subject(folder, source), kind)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("place", [*REFUSED, *CHANGED])
def test_declaration_that_nothing_would_ask_is_refused_at_its_line(folder: Path, place: str, kind: str) -> None:
    _refuses(folder, _module({**REFUSED, **CHANGED}[place], kind))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("above", ABOVE)
@pytest.mark.parametrize("place", ["body of the model", "top of the module"])
def test_decorator_above_a_declaration_is_refused_at_its_line(folder: Path, place: str, above: str, kind: str) -> None:
    _refuses(folder, _module({**ASKED, **CLAIMS_ASKED}[place], kind, above))


@pytest.mark.parametrize("kind", KINDS)
def test_decorator_that_gives_back_what_it_gets_changes_nothing(folder: Path, kind: str) -> None:
    assert _asks(_subject(folder, _module(ASKED["body of the model"], kind, "lambda f: f")), kind)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.startswith("action")])
@pytest.mark.parametrize("way", MODULES)
def test_claim_of_another_module_is_asked_or_refused_at_its_line(folder: Path, way: str, kind: str) -> None:
    text, asked = MODULES[way]
    mixin = "class Mixin(Component):\n    pass\n"
    (folder / "props.py").write_text("from offsetproof.lang import *\n\n" + KINDS[kind] + mixin + "NUMBER = 1\n")
    (folder / "between.py").write_text("from props import *\ndef helps(): pass\n")
    (folder / "calls.py").write_text("import importlib\nimportlib.import_module('props')\n")
    (folder / "package").mkdir()
    (folder / "package" / "__init__.py").write_text("from . import inner\ndef helps(): pass\n")
    (folder / "package" / "inner.py").write_text("import props as _props\n")
    source = _module(text, kind)
    if asked:
        assert _asks(_subject(folder, source), kind)
    else:
        with pytest.raises(DeclarationError, match=r"^props\.py:3: "):
            _subject(folder, source)


def test_call_that_imports_a_module_with_a_model_of_its_own_leaves_that_its_claims(folder: Path) -> None:
    (folder / "props.py").write_text("from offsetproof.lang import *\n\n" + KINDS["always"])
    (folder / "lock.py").write_text("import importlib\nprops = importlib.import_module('props')\n" + MODEL)
    with (folder / "lock.py").open("a") as file:
        file.write("extra = props.extra\n")
    assert not _asks(_subject(folder, "import importlib\nimportlib.import_module('lock')\n" + MODEL), "always")


def test_model_that_a_file_makes_for_a_list_and_asks_itself_needs_no_name(folder: Path) -> None:
    make = (
        "def make():\n    class Inner(Base):\n        @always\n        def inner(self): return True\n    return Inner\n"
    )
    asking = "ALL = [make()]\nimport offsetproof\noffsetproof.check(ALL[0])\n"
    assert _subject(folder, MODEL + make + asking + OFFENDING).model.__name__ == "Offending"


@pytest.mark.parametrize("kind", KINDS)
def test_list_of_another_module_is_refused_at_its_line(folder: Path, kind: str) -> None:
    text = "from offsetproof.lang import *\nEXTRA\nALL = [NAME]\ndel NAME\ndef helps(): pass\n"
    (folder / "props.py").write_text(_module(text, kind).removeprefix(MODEL))
    with pytest.raises(DeclarationError, match=r"^props\.py:2: "):
        _subject(folder, MODEL + "from props import helps\n" + OFFENDING)


def test_module_with_models_keeps_its_claims_to_itself_where_another_derives_from_one(folder: Path) -> None:
    claim = KINDS["always"].replace("extra", "theirs")
    (folder / "lock.py").write_text(MODEL + claim)
    text = "import lock\nfrom offsetproof.lang import *\nclass Better(lock.Base):\n"
    assert [prop.id for prop in _subject(folder, text + indent(KINDS["always"], "    ")).properties] == ["extra"]
    assert [prop.id for prop in load_subject("lock.py").properties] == ["theirs"]


def test_models_and_base_classes_of_a_module_are_asked_one_by_one(folder: Path) -> None:
    mixin = "class Counts(Component):\n    @always\n    def counts(self): return True\n"
    both = "class One(Counts, Base):\n    pass\nclass Two(Base):\n    @always\n    def two(self): return True\n"
    (folder / "several.py").write_text(MODEL + mixin + both + KINDS["always"])
    assert [prop.id for prop in load_subject("several.py:One").properties] == ["counts", "extra"]
    assert [prop.id for prop in load_subject("several.py:Two").properties] == ["two", "extra"]


def test_model_that_a_function_of_another_module_makes_is_the_modules_own(folder: Path) -> None:
    (folder / "shapes.py").write_text(
        MODEL + "def made():\n    class Shape(Base):\n" + indent(KINDS["action"], "        ")
    )
    with (folder / "shapes.py").open("a") as file:
        file.write("    return Shape\n")
    assert _asks(_subject(folder, "from shapes import made\nShape = made()\n"), "action")


@pytest.mark.parametrize("name", ["initially", "rest"])
@pytest.mark.parametrize("place", ["component that is a part", "component that nothing has", "component in an array"])
def test_start_and_rest_of_a_component_are_refused_at_their_line(folder: Path, place: str, name: str) -> None:
    method = f"def {name}(self): return True  # HERE"
    _refuses(folder, MODEL + REFUSED[place].replace("EXTRA", method))


@pytest.mark.parametrize("name", ["initially", "rest"])
def test_start_and_rest_of_a_base_class_are_the_models(folder: Path, name: str) -> None:
    mixin = f"class Mixin(Component):\n    def {name}(self): return True\n"
    source = IMPORTS + mixin + "class Offending(Mixin, Model):\n    x: int = integer(0, 1)\n"
    assert getattr(_subject(folder, source).model, name).__qualname__ == f"Mixin.{name}"


@pytest.mark.parametrize("now", KINDS)
@pytest.mark.parametrize("before", KINDS)
def test_declaration_is_overridden_by_its_own_kind_only(folder: Path, before: str, now: str) -> None:
    old = KINDS[before].replace("extra_one", "extra").replace("is_small", "extra").replace("  # HERE", "")
    new = KINDS[now].replace("extra_one", "extra").replace("is_small", "extra")
    source = MODEL + f"class Old(Base):\n{indent(old, '    ')}class Offending(Old):\n{indent(new, '    ')}"
    kinds = [each.split()[0].replace("table", "always") for each in (before, now)]
    if kinds[0] == kinds[1]:
        assert _subject(folder, source).model.__name__ == "Offending"
    else:
        _refuses(folder, source)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("below", ["staticmethod", "functools.partial", "property"])
def test_what_is_not_a_function_is_refused_under_a_decorator(folder: Path, below: str, kind: str) -> None:
    extra = KINDS[kind].replace("\ndef", f"\n@{below}\ndef").replace("  # HERE", "  # THERE")
    _refuses(folder, MODEL + f"class Offending(Base):\n{indent(extra, '    ')}")


class Bulb(Model):
    """A module-level model of a module with claims in a list."""

    x: int = integer(0, 1)

    @action()
    def turns(self) -> None:
        self.x = 1 - self.x


def _is_off(bulb: Bulb) -> bool:
    return bulb.x == 0


LISTED = [always(_is_off)]
"""What Python code may do with claims: ask them by itself."""


def test_claims_in_a_list_are_asked_where_python_asks_them_and_else_refused() -> None:
    line = _is_off.__code__.co_firstlineno
    with pytest.raises(DeclarationError, match=rf"test_standing\.py:{line}: claim _is_off stands in no model"):
        check(Bulb)
    with pytest.raises(DeclarationError, match=rf"test_standing\.py:{line}: claim _is_off stands in no model"):
        machine(Bulb)
    assert machine(Bulb, properties=LISTED).__name__ == "BulbMachine"
    assert [answer.holds for answer in check(Bulb, LISTED)] == [False]


def test_classes_of_a_function_are_read_as_those_of_a_module() -> None:
    def hides(_given: object) -> None:
        return None

    with pytest.raises(DeclarationError, match="action turns stands in no model"):

        class Wrapped(Model):
            @hides
            @action()
            def turns(self) -> None: ...

    class Switch(Component):
        @action()
        def turns(self) -> None: ...

    with pytest.raises(DeclarationError, match=r"action Switch\.turns stands in a part of a model"):

        class Lamp(Model):
            switch: Switch = part(Switch)


def test_every_claim_and_action_of_the_built_in_subjects_modules_is_asked() -> None:
    subjects = [subject for entry in BUILT_INS.values() for subject in entry.subjects]
    asked = {prop for subject in subjects for prop in subject.properties}
    names = {prop.function.__module__ for prop in asked}
    names |= {kind.__module__ for subject in subjects for kind in subject.model.__mro__[:-2]}
    modules = [sys.modules[name] for name in sorted(names)]
    refuse_dropped(modules, claims=True)
    stated = {prop for module in modules for value in vars(module).values() for prop in properties_of(value)}
    assert stated - asked == set()
    assert len(modules) > 40


EXAMPLES = sorted(Path(examples.__file__).parent.glob("[!_]*.py"))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_example_is_asked_as_it_stands(file: Path) -> None:
    subject = load_subject(str(file))
    assert subject.model.actions
    assert subject.properties


def test_machine_of_one_of_several_models_has_the_claims_beside_it(folder: Path) -> None:
    (folder / "pair.py").write_text(
        MODEL + "class One(Base):\n    pass\nclass Two(Base):\n    pass\n" + KINDS["always"]
    )
    module = importlib.import_module("pair")
    assert hasattr(machine(module.One), "keeps extra")
    assert hasattr(machine(module.Two), "keeps extra")


def test_module_that_is_imported_again_is_judged_by_what_it_makes_then(folder: Path) -> None:
    (folder / "again.py").write_text(MODEL + KINDS["always"] + "extra = None\n")
    module = importlib.import_module("again")
    with pytest.raises(DeclarationError, match=r"^again\.py:\d+: claim extra stands in no model"):
        check(module.Base)
    (folder / "again.py").write_text(MODEL + KINDS["always"] + "# and it keeps its name\n")
    assert [answer.verdict for answer in check(importlib.reload(module).Base)] == [Verdict.HOLDS]


HIDING = {
    "a name with an underscore": ("_extra", "", ""),
    "a name that __all__ leaves out": ("extra", "__all__ = ['Mixin']\n", ""),
    "a name that another claim takes": ("extra", "", "@always\ndef extra(model): return True\n"),
}


@pytest.mark.parametrize("way", HIDING)
def test_claim_that_does_not_come_with_all_names_of_its_module_is_refused(folder: Path, way: str) -> None:
    name, more, own = HIDING[way]
    claims = KINDS["always"].replace("extra", name) + KINDS["always"].replace("extra", "other")
    (folder / "props.py").write_text(
        f"from offsetproof.lang import *\n{more}\n{claims}class Mixin(Component):\n    pass\n"
    )
    with pytest.raises(DeclarationError, match=r"^props\.py:\d+: claim .* is not judged: .* does not bring "):
        _subject(folder, MODEL + "from props import *\n" + OFFENDING + own)
    chosen = _subject(folder, MODEL + "from props import other\n" + OFFENDING + own)
    assert "other" in {prop.id for prop in chosen.properties}

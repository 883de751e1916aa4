"""A model is made of known parts only, and what answers differently the second time is named."""

from __future__ import annotations

import copy
import sys
from collections.abc import Mapping, MutableMapping, MutableSequence, MutableSet
from pathlib import Path
from types import FunctionType
from typing import Any
from unittest.mock import patch

import pytest
from lang.refusals import HEADER, Row, in_action, refusal_of, written
from lang.refused_remembering import REMEMBERING, Remembering
from systems.seeded import SEEDED, only_asked_again

from offsetproof.checking.subject import load_subject
from offsetproof.lang import DeclarationError, Fifo, OffsetSet, RefusedError, Scope, Setting, Step
from offsetproof.lang.component import Component
from offsetproof.lang.constructs import ATTRIBUTES, RESERVED
from offsetproof.lang.errors import DisagreementError
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.reading import reading_of
from offsetproof.lang.stage import Staged


@pytest.mark.parametrize("way", REMEMBERING, ids=lambda way: way.title)
def test_what_could_remember_is_refused_at_its_place(way: Remembering) -> None:
    refusal = refusal_of(Row(way.title, way.text, ""))
    assert isinstance(refusal, RefusedError | DeclarationError), way.text
    assert "offending.py:" in str(refusal)
    assert "; " in str(refusal)


@pytest.mark.parametrize(("inside", "refused"), [("def f(): return 1", ""), ("f = [].copy", "bundle.inner.f()")])
def test_what_a_module_of_a_package_has_is_judged_under_its_whole_name(
    inside: str, refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("bundle", "bundle.inner"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "__init__.py").write_text("")
    (tmp_path / "bundle" / "inner.py").write_text(inside)
    refusal = refusal_of(Row("", in_action("self.x = bundle.inner.f()", "import bundle.inner"), ""))
    assert (refusal is None) == (not refused)
    assert refused in str(refusal)


NAMED_ALONE = """
TOTAL = [0]
def tick():
    TOTAL[0] += 1
    return 1

class Aside(Component):
    def portion(self): return tick()

@always
def anything(model): return True
"""


@pytest.mark.parametrize(
    "text",
    [
        in_action("self.x = Aside.portion(self)", NAMED_ALONE),
        f"{NAMED_ALONE}class Offending(Fields):\n    @always\n    def low(self): return tick() == 1\n    @action()\n"
        "    def steps(self): require(self.low.function(self), anything.function(self))\n",
    ],
    ids=["class-of-components", "claim-of-the-model"],
)
def test_what_only_an_action_names_is_read(text: str) -> None:
    assert "TOTAL, a list" in str(refusal_of(Row("", text, "")))


def staged(body: str, claim: str = "return self.n < 4") -> None:
    """Stages a model that nobody reads, with its claim."""
    source = f"SEEN = [0]\ndef tick():\n    SEEN[0] += 1\n    return SEEN[0]\n\nclass Offending(Model):\n{body}\n"
    source += f"    @always\n    def low(self): {claim}\n"
    with written(HEADER + source) as path, only_asked_again():
        subject = load_subject(f"{path}:Offending")
        Staged(subject.model, Setting(subject.model.scopes[0])).system(subject.properties)


@pytest.mark.parametrize("kind", [OffsetSet, Fifo, Step, Scope], ids=lambda kind: kind.__name__)
def test_class_of_the_language_that_a_model_changes_is_refused_at_what_it_gets(
    kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    def odd(_self: object) -> int:
        return 1

    monkeypatch.setattr(kind, "name" if kind is Step else "count", odd, raising=False)
    refusal = refusal_of(Row("", in_action("self.x = 1"), ""))
    assert f"test_closed.py:{odd.__code__.co_firstlineno}: code that changes {kind.__name__}, " in str(refusal)


def test_what_python_keeps_in_a_class_when_objects_are_copied_is_no_change() -> None:
    record = "@dataclass(frozen=True)\nclass R:\n    a: int\nK = R(1)\n"
    with written(HEADER + in_action("self.x = K.a", record)) as path:
        model = load_subject(f"{path}:Offending").model
        reading = reading_of(model)
        for each in (model.scopes[0], sys.modules[model.__module__].K):
            copy.copy(each)
            assert "__slotnames__" in vars(type(each))
        reading.must_be_unchanged()


AGAIN = " answers differently the second time: "
FIELD, STAYS = "    n: int = integer(0, 3)\n", "    @action()\n    def stays(self): self.n = 1\n"
MOVES = FIELD + "    @action()\n    def moves(self): {}\n"


@pytest.mark.parametrize(
    ("body", "claim", "said"),
    [
        (MOVES.format("self.n = 1 if tick() < 9 else 3"), "return True", f"moves{AGAIN}it gives n 1, and then 3"),
        (MOVES.format("self.n = tick() % 2"), "return True", f"moves{AGAIN}what it gives n is not"),
        (MOVES.format("require(tick() < 9)"), "return True", f"moves{AGAIN}it is a step, and then disabled"),
        (MOVES.format("self.n = [1][tick() // 9]"), "return True", f"moves{AGAIN}it is a step, and then list index"),
        (FIELD + STAYS, "return tick() % 2 == 0", "claim low answers differently the second time"),
        (FIELD + STAYS, "return tick() < 9", f"claim low{AGAIN}it is True, and then False"),
        (FIELD + STAYS + "    def initially(self): self.n = tick() % 2\n", "return True", f"initially(){AGAIN}n start"),
    ],
)  # fmt: skip
def test_what_remembers_is_named_where_nobody_has_read_it(body: str, claim: str, said: str) -> None:
    with pytest.raises(DisagreementError) as found:
        staged(body, claim)
    assert said in str(found.value)


def test_what_does_not_remember_answers_alike() -> None:
    staged(MOVES.format("self.n = (self.n + 1) % 4"))


def test_asking_again_notices_seeded_counters_that_reading_would_refuse() -> None:
    def is_noticed(seeded: Any) -> bool:
        model = seeded.made()
        try:
            with only_asked_again(), patch("offsetproof.lang.stage.FLOOR", 0.3):  # seconds, enough when others work
                Staged(model, Setting(seeded.scope)).system(model.claims)
        except DisagreementError as error:
            return "place_is_marked answers differently the second time" in str(error)
        return False

    found = {seeded.name for seeded in SEEDED if seeded.kind == "mutable closure" and is_noticed(seeded)}
    assert len(found) >= 3


def reachable(value: Any, depth: int = 4) -> list[tuple[str, Any]]:
    """What code may come to by public attributes, with the way there."""
    if depth == 0 or isinstance(value, FunctionType | type | int | str):
        return []
    names = [
        name for name in ATTRIBUTES - RESERVED if hasattr(type(value), name) or name in getattr(value, "__dict__", {})
    ]
    parts: list[tuple[str, Any]] = []
    for name in names:
        try:
            parts.append((name, getattr(value, name)))
        except Exception:  # an attribute that cannot be had leads nowhere
            continue
    if isinstance(value, tuple | frozenset):
        parts += [("item", item) for item in value]
    inner = [(f"{name}.{way}", item) for name, part in parts for way, item in reachable(part, depth - 1)]
    return [*parts, *inner]


def test_nothing_that_can_change_is_reachable_from_a_component_by_the_names_of_the_language() -> None:
    subject = load_subject("rocketmq")
    root: Component = ModelInstance(subject.model, Setting(subject.model.scopes[0])).root
    found = reachable(root)
    assert len(found) > 30
    changeable = MutableSequence | MutableMapping | MutableSet
    assert [way for way, value in found if isinstance(value, changeable)] == []
    assert [way for way, value in found if isinstance(value, Mapping) and type(value) is dict] == []

"""The TLA+ module and its configuration: names, one operator per action, optionals and enums, comments, layout."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path

import pytest
from exports.reading import operator
from exports.samples import Awkward, Quoting, exported_model, exported_toy
from exports.yardsticks import explored
from systems.samples import one_in

from offsetproof.examples.toys import TOYS, Counter, Descent, Holder, Philosophers, Slips, Stairs, WideSets
from offsetproof.exports.exported import Exported
from offsetproof.exports.identifiers import TLA_WORDS, Identifiers, spell_in_tla
from offsetproof.exports.tla.families import Families, index_of
from offsetproof.exports.tla.layout import OPEN, RELATION, Row, Text, comment, conditional, fill_lines, infix, junction
from offsetproof.exports.tla.module import tla
from offsetproof.exports.tla.tlc import SHORT_RUN, run_tlc
from offsetproof.lang import (
    Array,
    Index,
    Model,
    Scope,
    action,
    always,
    array,
    choose,
    flag,
    integer,
    one_of,
    optional,
    require,
)
from offsetproof.lang.model import Model as AnyModel
from offsetproof.lang.scope import UnknownNameError


def module(model: type[AnyModel]) -> str:
    """The module of a model in its first scope."""
    return next(text for name, text in tla(exported_model(model)).items() if name.endswith(".tla"))


def test_instances_of_an_action_are_one_operator_with_its_parameters() -> None:
    text = module(Philosophers)
    assert operator(text, "TakesLeft") == (
        "TakesLeft(p) ==\n"
        "  /\\ hands[p] = 0\n"
        "  /\\ hands[1 - p] # 2\n"
        "  /\\ hands' = [hands EXCEPT ![p] = 1]"
    )  # fmt: skip
    assert operator(text, "Next") == (
        "Next ==\n"
        "  \\/ \\E p \\in Philosopher : TakesLeft(p)\n"
        "  \\/ \\E p \\in Philosopher : TakesRight(p)\n"
        "  \\/ \\E p \\in Philosopher : PutsBothDown(p)"
    )  # fmt: skip
    assert "\nPhilosopher == 0..1\n" in text
    assert "\n  /\\ hands \\in [0..1 -> 0..2]\n" in text


PLACE = Index("place", 4)


class Uneven(Model):
    """A ring of four flags, of which the first is moved in another way than the others."""

    at: Array[bool] = array(PLACE, flag())
    start: int = integer(0, 3)

    @action(i=PLACE)
    def moves(self, i: int) -> None:
        if i == 0:
            self.start = 3
        else:
            self.at[i - 1] = True

    @action(i=PLACE, j=PLACE)
    def swaps(self, i: int, j: int) -> None:
        if i < j:
            self.at[i], self.at[j] = self.at[j], self.at[i]

    @always()
    def anything(self) -> bool:
        return self.start <= 2 or self.at[0] or not self.at[0]


def test_instances_that_differ_in_shape_are_told_apart_by_a_question(tmp_path: Path) -> None:
    text = module(Uneven)
    assert operator(text, "Moves") == (
        "Moves(i) ==\n"
        "  /\\ at' = IF i = 0 THEN at ELSE [at EXCEPT ![i - 1] = TRUE]\n"
        "  /\\ start' = IF i = 0 THEN 3 ELSE start"
    )  # fmt: skip
    assert operator(text, "Swaps") == (
        "Swaps(i, j) ==\n"
        "  /\\ at' = IF i < j THEN [at EXCEPT ![i] = at[j], ![j] = at[i]] ELSE at\n"
        "  /\\ UNCHANGED <<start>>"
    )  # fmt: skip
    export = exported_model(Uneven)
    outcome = run_tlc(export, folder=tmp_path, java=SHORT_RUN)
    assert (outcome.states, outcome.depth) == explored(export.system)


class Pairs(Model):
    """Four flags, raised two at a time: an even number of them, in every way that there is, is 8 states."""

    at: Array[bool] = array(PLACE, flag())
    left: int = integer(0, 3)

    @action(i=PLACE, j=PLACE)
    def flips_upwards(self, i: int, j: int) -> None:
        """Of two, the lower comes first."""
        require(i < j)
        self.at[i], self.at[j] = not self.at[i], not self.at[j]

    @action(i=PLACE, j=PLACE)
    def flips_both(self, i: int, j: int) -> None:
        """Any two, in any order."""
        require(i != j)
        self.at[i], self.at[j] = not self.at[i], not self.at[j]

    @always()
    def anything(self) -> bool:
        return self.left <= 2 or self.at[0] or not self.at[0]


def test_parameters_range_over_what_they_take(tmp_path: Path) -> None:
    text = module(Pairs)
    upwards = "<<0, 1>>, <<0, 2>>, <<0, 3>>, <<1, 2>>, <<1, 3>>, <<2, 3>>"
    assert operator(text, "Next") == (
        "Next ==\n"
        f"  \\/ \\E <<i, j>> \\in {{{upwards}}} : FlipsUpwards(i, j)\n"
        "  \\/ \\E i \\in Place : \\E j \\in Place \\ {i} : FlipsBoth(i, j)"
    )  # fmt: skip
    outcome = run_tlc(exported_model(Pairs), folder=tmp_path, java=SHORT_RUN)
    assert (outcome.states, outcome.depth) == (8, 2)


def test_what_is_written_and_stays_is_unchanged() -> None:
    """Reductions leave such updates behind: what a field may become is then only what it was."""
    export = exported_model(Pairs)
    system, left = export.system, export.system.by_name["left"].node
    instances = [replace(inst, updates={**inst.updates, "left": left}) for inst in system.instances]
    idle = replace(export, system=replace(system, instances=tuple(instances)))
    assert operator(tla(idle)["Pairs.tla"], "FlipsUpwards") == (
        "FlipsUpwards(i, j) ==\n"
        "  /\\ at' = [at EXCEPT ![i] = ~@, ![j] = ~@]\n"
        "  /\\ UNCHANGED <<left>>"
    )  # fmt: skip


def test_optional_number_is_none_or_some_of_it() -> None:
    text = module(Holder)
    assert "\nNone == 0\nSome(n) == n + 1\nValue(n) == n - 1\n" in text
    assert "\nOptional(S) == {None} \\cup {Some(n) : n \\in S}\n" in text
    assert "\n  /\\ holder \\in Optional(0..2)\n" in text
    assert "\n  /\\ holder = None\n" in operator(text, "Init") + "\n"
    assert operator(text, "Takes") == "Takes(p) ==\n  /\\ holder = None\n  /\\ holder' = Some(p)"
    assert operator(text, "two_never_holds").endswith("holder = None \\/ holder # Some(2)")
    assert "Optional" not in module(Counter)


class Colour(Enum):
    """Two colours."""

    RED = 0
    BLUE = 1


class Painted(Model):
    """Enum members, an optional that does not start at 0, and an optional enum member."""

    colour: Colour = one_of(Colour)
    year: int | None = optional(integer(5, 7))
    second: Colour | None = optional(one_of(Colour))

    @action()
    def paints(self) -> None:
        self.colour = choose(self.colour == Colour.RED, Colour.BLUE, Colour.RED)
        self.year = 6
        self.second = Colour.BLUE

    @always()
    def never_blue(self) -> bool:
        return self.colour != Colour.BLUE


def test_enum_members_have_names_and_other_optionals_a_legend() -> None:
    text = module(Painted)
    assert "\nColour_RED == 0\nColour_BLUE == 1\nColour == Colour_RED..Colour_BLUE\n" in text
    assert operator(text, "Paints") == (
        "Paints ==\n"
        "  /\\ colour' = IF colour = Colour_RED THEN Colour_BLUE ELSE Colour_RED\n"
        "  /\\ year' = 2\n"
        "  /\\ second' = Some(Colour_BLUE)"
    )  # fmt: skip
    assert re.search(r"^  year, +\\\* 0 is None, n stands for n \+ 4$", text, re.MULTILINE)
    assert "\n  /\\ colour \\in Colour\n  /\\ year \\in 0..3\n  /\\ second \\in Optional(Colour)\n" in text


@pytest.mark.parametrize(("model", "init"), [
    (Descent, "Init ==\n  /\\ x \\in {0, 1, 2, 3}\n  /\\ y = 0"),
    (Painted, "Init ==\n  /\\ colour = Colour_RED\n  /\\ year = 0\n  /\\ second = None"),
    (WideSets, "Init ==\n  /\\ first = {}\n  /\\ second = {}"),
    (Slips, 'Init ==\n  /\\ place = 0\n  /\\ faults = [i \\in {"slip"} |-> 0]'),
])  # fmt: skip
def test_init_says_where_every_variable_starts(model: type[AnyModel], init: str) -> None:
    assert operator(module(model), "Init") == init


def test_configuration_names_what_tlc_shall_check() -> None:
    export = exported_model(Slips)
    cfg = "SPECIFICATION Spec\nCONSTANT MaxFaults = 3\nINVARIANTS\n  TypeOK\n"
    assert tla(export)["Slips.cfg"] == cfg + "  never_arrives\n  stays_on_the_way\n"
    assert tla(export, ["stays_on_the_way"])["Slips.cfg"] == cfg + "  stays_on_the_way\n"
    capped = exported_toy(next(toy for toy in TOYS if toy.model is Slips), 1)
    assert "\nCONSTANT MaxFaults = 1\n" in tla(capped, [])["Slips.cfg"]
    assert "CONSTANT" not in tla(exported_model(Stairs))["Stairs.cfg"]
    with pytest.raises(UnknownNameError, match="no condition named 'never_arives'; did you mean never_arrives"):
        tla(export, ["never_arives"])


def test_fault_needs_room_under_the_cap() -> None:
    assert '\n  /\\ MaxFaults > faults["slip"]\n' in module(Slips)
    assert "MaxFaults" not in module(Stairs)


class Clashing(Model):
    """Fields and parameters with names that TLA+, TLC or the module itself has other plans for."""

    scopes = (Scope("default", {"size": 2}),)
    Next: bool = flag()
    Spec: int = integer(0, 1)
    INVARIANT: bool = flag()
    WF_x: bool = flag()
    vars: bool = flag()
    n: int | None = optional(integer(0, 1))
    S: Array[bool] = array(Index("S", "size"), flag())
    i: bool = flag()

    @action(S=Index("S", "size"), i=Index("CHOOSE", "size"))
    def init(self, S: int, i: int) -> None:  # noqa: N803 - a name that clashes
        self.S[S] = True
        self.n = i

    @action()
    def LET(self) -> None:  # noqa: N802 - a name that clashes
        self.Next, self.Spec, self.INVARIANT, self.WF_x, self.vars, self.i = True, 1, True, True, True, True

    @always(id="TypeOK")
    def type_ok(self) -> bool:
        return self.Spec <= 1

    @always(id="ENABLED")
    def enabled(self) -> bool:
        return self.n is None or not self.i


@pytest.mark.parametrize("model", one_in(3, [Clashing, Awkward, Quoting]))
def test_awkward_names_and_texts_do_no_harm(model: type[AnyModel], tmp_path: Path) -> None:
    export = exported_model(model)
    outcome = run_tlc(export, folder=tmp_path, java=SHORT_RUN)
    assert (outcome.states, outcome.depth) == explored(export.system)


def test_names_are_valid_and_given_out_once() -> None:
    names = Identifiers(spell_in_tla)
    wanted = ["a.b", "a_b", "a b", "IF", "WF_x", "SF_x", "2nd", "_x", "größe", "__", "Integers", "Some"]
    given = [names.fresh(name) for name in wanted]
    assert given[:5] == ["a_b", "a_b_2", "a_b_3", "n_IF", "n_WF_x"]
    assert len(set(given)) == len(wanted)
    assert all(re.fullmatch(r"_*[A-Za-z]\w*", name, re.ASCII) for name in given)
    assert not any(name in TLA_WORDS or name.startswith(("WF_", "SF_")) for name in given)


def test_leaves_that_differ_in_their_indices_are_one_family() -> None:
    export = exported_model(Uneven)
    at, start = Families(export.system, export.domains, Identifiers(spell_in_tla)).all
    assert (at.name, list(at.leaves), at.levels) == ("at", [(0,), (1,), (2,), (3,)], ({(): (0, 1, 2, 3)},))
    assert (start.name, list(start.leaves)) == ("start", [()])
    assert index_of("consumer[0].bag[RED,1].x") == (0, "RED", 1)


def code_of(text: str) -> str:
    """A module without its comments."""
    return re.sub(r"\(\*.*?\*\)|\\\*[^\n]*", "", text, flags=re.DOTALL)


def test_no_text_of_a_model_gets_out_of_its_comment() -> None:
    text = module(Quoting)
    assert "Ends here */ assert(false) /* or not \\ *) or here" in text
    assert "assert" not in code_of(text)
    assert 'says "100%" \\n */' in text
    assert "100%" not in code_of(text)
    assert text.isascii()


def test_module_is_the_same_every_time() -> None:
    export: Callable[[], Exported] = lambda: exported_model(Clashing)  # noqa: E731 - two of the same
    assert tla(export()) == tla(export())


LONG = Text("a" * 60)


def test_what_is_too_long_is_laid_out_as_tla_people_do() -> None:
    both = junction("/\\", [LONG, junction("\\/", [LONG, Text("b", RELATION)])])
    assert both.lines() == [f"/\\ {LONG.flat}", f"/\\ {LONG.flat} \\/ b"]
    assert both.lines(50) == [f"/\\ {LONG.flat}", f"/\\ \\/ {LONG.flat}", "   \\/ b"]
    asked = conditional(Text("c"), LONG, both)
    assert asked.lines() == [
        "IF c",
        f"THEN {LONG.flat}",
        *(f"{'ELSE ' if not n else '     '}{line}" for n, line in enumerate(both.lines())),
    ]
    assert infix(LONG, "=", LONG, RELATION).lines() == [LONG.flat, f"= {LONG.flat}"]


def test_what_binds_less_than_its_place_stands_in_parentheses() -> None:
    p, q = Text("p"), Text("x = y", RELATION)
    assert junction("/\\", [p, junction("\\/", [p, q])]).flat == "p /\\ (p \\/ x = y)"
    assert junction("/\\", [p]).flat == "p"
    assert conditional(p, q, q).within(OPEN).flat == "IF p THEN x = y ELSE x = y"
    assert conditional(p, q, q).within(RELATION).flat == "(IF p THEN x = y ELSE x = y)"


def test_long_lists_and_comments_are_filled() -> None:
    names = [f"name_{number:02}" for number in range(20)]
    lines = fill_lines("vars == <<", names, ">>").lines()
    assert (len(lines), lines[0][:20], lines[-1][-2:]) == (3, "vars == <<name_00, n", ">>")
    assert max(map(len, lines)) <= 100
    assert re.findall(r"name_\d\d", " ".join(lines)) == names
    words = comment("word " * 40)
    assert (len(words), max(map(len, words)) <= 100, {line[:8] for line in words}) == (3, True, {"\\* word "})


def test_rows_stand_under_each_other() -> None:
    text = Text("x" * 200, OPEN, (Row("IF ", Text("a")), Row("THEN ", Text("b"), ",")))
    assert text.lines() == ["IF a", "THEN b,"]

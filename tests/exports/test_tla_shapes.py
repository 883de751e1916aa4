"""Nested functions in types and initial states: TLC reads them as the leaves that they are made of."""

from __future__ import annotations

from itertools import product
from math import prod
from pathlib import Path
from random import Random

import pytest
from exports.judging import told
from exports.samples import Awkward

from offsetproof.exports.exported import Exported
from offsetproof.exports.tla.families import Index, index_text
from offsetproof.exports.tla.shapes import Shape
from offsetproof.exports.tla.vocabulary import Vocabulary
from offsetproof.ir.kind import Sort
from offsetproof.ir.system import System, Variable
from offsetproof.lang.setting import Setting

SQUARE: list[Index] = [(i, j) for i in range(3) for j in range(3)]
UNEVEN = [index for index in SQUARE if index[0] != index[1]]


def shape(indices: list[Index]) -> Shape:
    """The shape of a family with leaves at these indices."""
    names = ["f" + "".join(f"[{part}]" for part in index) for index in indices]
    variables = tuple(Variable(name, Sort.INT, 0, 9, (0,)) for name in names)
    export = Exported("shapes", Awkward, Setting(Awkward.scopes[0]), System(variables, ()), (), {}, {})
    vocabulary = Vocabulary(export)
    return Shape(vocabulary, vocabulary.families.all[0])


@pytest.mark.parametrize(("indices", "types", "function"), [
    ([(0,), (1,)], ["f \\in [0..1 -> R]"], "[i \\in 0..1 |-> 5]"),
    (SQUARE, ["f \\in [0..2 -> [0..2 -> R]]"], "[i \\in 0..2 |-> [j \\in 0..2 |-> 5]]"),
    (
        UNEVEN,
        ["DOMAIN f = 0..2", "\\A i \\in 0..2 : f[i] \\in [(0..2) \\ {i} -> R]"],
        "[i \\in 0..2 |-> [j \\in (0..2) \\ {i} |-> 5]]",
    ),
    (
        [(0, 0), (1, 0), (1, 1)],
        ["DOMAIN f = 0..1", "\\A i \\in 0..1 : f[i] \\in [(IF i = 1 THEN 0..1 ELSE {0}) -> R]"],
        "[i \\in 0..1 |-> [j \\in (IF i = 1 THEN 0..1 ELSE {0}) |-> 5]]",
    ),
    (
        [("RED", 0), ("RED", 1), ("BLUE", 1)],
        [
            'DOMAIN f = {"RED", "BLUE"}',
            '\\A i \\in {"RED", "BLUE"} : f[i] \\in [(IF i = "BLUE" THEN {1} ELSE 0..1) -> R]',
        ],
        '[i \\in {"RED", "BLUE"} |-> [j \\in (IF i = "BLUE" THEN {1} ELSE 0..1) |-> 5]]',
    ),
])  # fmt: skip
def test_domains_are_said_index_by_index(indices: list[Index], types: list[str], function: str) -> None:
    found = shape(indices)
    assert found.types(dict.fromkeys(indices, "R")) == types
    assert found.function(dict.fromkeys(indices, "5")) == function


@pytest.mark.parametrize(("values", "function"), [
    ({(0, 0): "1", (0, 1): "2", (1, 0): "1", (1, 1): "2"},
     "[i \\in 0..1 |-> [j \\in 0..1 |-> IF j = 1 THEN 2 ELSE 1]]"),
    ({(0, 0): "1", (0, 1): "2", (1, 0): "1", (1, 1): "1"},
     "[i \\in 0..1 |-> [j \\in 0..1 |-> IF <<i, j>> = <<0, 1>> THEN 2 ELSE 1]]"),
    ({(0,): "TRUE", (1,): "FALSE", (2,): "TRUE"}, "[i \\in 0..2 |-> i \\in {0, 2}]"),
])  # fmt: skip
def test_values_that_differ_are_told_apart_by_their_indices(values: dict[Index, str], function: str) -> None:
    assert shape(list(values)).function(values) == function


@pytest.mark.parametrize(("values", "functions"), [
    ({index: ["1", "2"] for index in SQUARE}, "[0..2 -> [0..2 -> {1, 2}]]"),
    ({(0, 0): ["1"], (0, 1): ["1", "2"], (1, 0): ["2"], (1, 1): ["1", "2"]},
     "{f_2 \\in [0..1 -> [0..1 -> {1, 2}]] : f_2[0][0] = 1 /\\ f_2[1][0] = 2}"),
    ({(0, 0): ["1", "2"], (1, 0): ["1", "2"], (1, 1): ["1", "2"]},
     "{[i \\in 0..1 |-> [j \\in (IF i = 1 THEN 0..1 ELSE {0}) |-> f_2[i, j]]] : "
     "f_2 \\in [{<<0, 0>>, <<1, 0>>, <<1, 1>>} -> {1, 2}]}"),
])  # fmt: skip
def test_several_initial_values_are_a_set_of_functions(values: dict[Index, list[str]], functions: str) -> None:
    assert shape(list(values)).functions(values) == functions


def sampled_indices(random: Random) -> list[Index]:
    """Some of the indices of one to three parts, numbers or names."""
    parts: list[list[int | str]] = [list(range(size)) for size in random.choices([1, 2, 3], k=random.choice([1, 2, 3]))]
    if random.random() < 0.3:
        parts[random.randrange(len(parts))] = ["RED", "BLUE"]
    whole = list(product(*parts))
    return sorted(random.sample(whole, random.randint(1, len(whole))), key=whole.index)


def at(function: str, index: Index) -> str:
    """What a function of functions has at an index."""
    return function + "".join(f"[{index_text((part,))}]" for part in index)


def assumptions(random: Random, indices: list[Index]) -> list[str]:
    """What TLC must find true of one family: values and types leaf by leaf, and how many initial states there are."""
    found = shape(indices)
    values = {index: str(random.randint(0, 2)) for index in indices}
    options = {index: random.choice([["0", "1"], ["0", "1"], ["1"], ["1", "2"]]) for index in indices}
    ranges = {index: random.choice(["0..2", "0..2", "0..3"]) for index in indices}
    size = prod(map(len, options.values()))
    whole = " /\\ ".join(f"({part})" for part in found.types(ranges))
    outside = {index: "9" if index == indices[-1] else value for index, value in values.items()}
    return [
        *(f"LET f == {found.function(values)} IN {at('f', index)} = {value}" for index, value in values.items()),
        f"LET f == {found.function(values)} IN {whole}",
        f"LET f == {found.function(outside)} IN ~({whole})",
        f"Cardinality({found.functions(options)}) = {size}",
        *(f"\\A g \\in {found.functions(options)} : {at('g', i)} \\in {{{', '.join(options[i])}}}" for i in indices),
    ]


def test_tlc_finds_every_leaf_in_sampled_shapes(tmp_path: Path) -> None:
    random = Random(1)
    families = [sampled_indices(random) for _ in range(60)]
    small = [indices for indices in families if len(indices) <= 8]
    assert len(small) > 30
    lines = [f"ASSUME {text}" for indices in small for text in assumptions(random, indices)]
    module = "\n".join(["---- MODULE Judge ----", "EXTENDS Integers, FiniteSets", *lines, "====", ""])
    assert "Model checking completed. No error has been found." in told(module, tmp_path)
    first = next(line for line in lines if " = " in line.rpartition("IN ")[2])
    assert "is false" in told(module.replace(first, f"{first} + 1"), tmp_path)

"""Values of options, and what a layer of a search looks like in one line."""

from __future__ import annotations

import pytest
import typer

from offsetproof.cli.options import parse_bounds, parse_memory, parse_seconds
from offsetproof.verdict.progress import Layer


@pytest.mark.parametrize(("text", "size"), [
    ("512B", 512), ("1KiB", 1024), ("1kb", 1000), ("4GiB", 2**32), ("0.5 MiB", 2**19), (" 2 TiB ", 2**41),
])  # fmt: skip
def test_memory_is_read_with_binary_and_decimal_units(text: str, size: int) -> None:
    assert parse_memory(text) == size


def test_memory_defaults_to_most_of_what_is_free() -> None:
    assert 2**20 < parse_memory(None) < 2**50


@pytest.mark.parametrize(
    "text",
    [
        "",
        "GiB",
        "4XiB",
        "-1",
        "-1GiB",
        "4 G i B",
        "1e9",
        "4GiB more",
        "4",
        "0",
        "0GiB",
        "0.1B",
        "nan",
        "nanGiB",
        "infGiB",
        "9" * 5000 + "GiB",
        "²GiB",
    ],
)
def test_other_amounts_of_memory_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not an amount of memory; write 512MiB or 4GiB"):
        parse_memory(text)


@pytest.mark.parametrize("text", ["nan", "inf"])
def test_time_that_no_clock_reaches_is_no_limit(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="give a number of seconds; without the option there is no limit"):
        parse_seconds(float(text))
    assert (parse_seconds(None), parse_seconds(0.0)) == (None, 0.0)


def test_bounds_are_read_in_order_and_the_last_of_a_name_counts() -> None:
    assert parse_bounds(None) == {}
    assert parse_bounds(["messages=3", "resets = 1".replace(" =", "=").replace("= ", "=")]) == {
        "messages": 3, "resets": 1}  # fmt: skip
    assert parse_bounds(["messages=3", "messages=2"]) == {"messages": 2}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "messages",
        "messages=",
        "messages=x-y",
        "messages=-1",
        "messages=1.5",
        "messages=²",
        "messages=" + "9" * 5000,
    ],
)
def test_other_bounds_are_refused(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="is not a bound; write NAME=NUMBER"):
        parse_bounds([text])


def test_layer_is_told_with_share_states_rate_duplicates_memory_and_forecast() -> None:
    layer = Layer(depth=7, states=2_000_001, transitions=8_000_000, frontier=1_000_001, done=250_000,
                  bytes=300 * 2**20, seconds=2.0)  # fmt: skip
    assert str(layer) == ("layer 7  25% of 1,000,001, 2,000,001 states, 1.0M/s, 75% known, 300 MiB, layer ends in 1 s")


def test_first_layer_and_empty_frontier_divide_by_nothing() -> None:
    start = Layer(depth=0, states=1, transitions=0, frontier=1, done=0, bytes=0, seconds=0.0)
    assert str(start) == "layer 0   0% of 1, 1 state, 0.0M/s, 0% known, 0 MiB, layer ends soon"
    end = Layer(depth=3, states=4, transitions=3, frontier=0, done=0, bytes=0, seconds=1.0)
    assert str(end).startswith("layer 3 100% of 0, 4 states, ")

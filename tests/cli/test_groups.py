"""Groups of options: the option parser sees each option in its place, and the verb gets its groups."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer
from typer.testing import CliRunner

from offsetproof.cli import options
from offsetproof.cli.groups import flatten_groups


@dataclass(frozen=True)
class Size:
    """Two options."""

    width: Annotated[int, typer.Option("--width", help="How wide.")] = 3
    height: Annotated[int | None, typer.Option("--height")] = None


@dataclass(frozen=True)
class Wide(Size):
    """One of them is something else here, and stays in its place."""

    width: Annotated[int, typer.Option("--width", help="Very wide.")] = 30


GIVEN: list[object] = []


def draws(
    name: Annotated[str, typer.Argument()], size: Size = Size(), loud: Annotated[bool, typer.Option("--loud")] = False
) -> int:
    """Draws."""
    GIVEN.append((name, size, loud))
    return 0


def draws_wide(size: Wide = Wide()) -> int:
    """Draws."""
    GIVEN.append(size)
    return 0


def ran(verb: object, *args: str) -> object:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(flatten_groups(verb))  # type: ignore[arg-type]  # any function with options
    outcome = CliRunner().invoke(app, args, standalone_mode=False)
    assert outcome.exception is None, outcome.exception
    return GIVEN.pop()


def test_options_of_a_group_are_parsed_into_it() -> None:
    assert ran(draws, "x", "--height=2", "--loud") == ("x", Size(3, 2), True)
    assert ran(draws, "x") == ("x", Size(), False)
    assert ran(draws_wide) == Wide(30)


def test_options_stand_where_their_group_stood() -> None:
    assert list(inspect.signature(flatten_groups(draws)).parameters) == ["name", "width", "height", "loud"]
    assert list(inspect.signature(flatten_groups(draws_wide)).parameters) == ["width", "height"]


def test_groups_say_what_their_options_mean_together() -> None:
    spent = options.Spending(max_states=5, max_memory="1KiB", timeout=2.0).limits
    assert (spent.states, spent.bytes, spent.seconds) == (5, 1024, 2.0)
    assert options.Spending().limits.bytes
    quiet, written = options.Destination(quiet=True), options.Destination(output=Path("report"), quiet=True)
    assert (quiet.is_wanted, quiet.is_talkative) == (False, False)
    assert (written.is_wanted, written.is_talkative) == (True, False)
    assert options.Destination(no_progress=True).is_talkative is False

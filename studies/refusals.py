"""The lists in docs/studies/refusals.md: what is refused, with what code and words, and what to write instead.

What is said comes from running the program on every row of the tables in `tests/lang` and `tests/cli`. The page has two
examples of each kind.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, TypedDict

from cli.program import run
from cli.wrong_inputs import ROWS, Wrong, complaint, folder_for
from lang.refusals import Row, without_place
from lang.refused import ROWS as MODELS
from lang.refused import SECTIONS

from studies import RECORDS

SAID = RECORDS / "refusals.json"


class Said(TypedDict):
    """How a run ended, and the line that tells what is wrong."""

    code: int
    said: str


Records = Mapping[str, Mapping[str, Said]]
"""What was said of each row: of `models` by title, of `commands` by what was tried."""

_PLACE = re.compile(r"^FILE:LINE(?: \([\w.]+\))?: ")


def main() -> None:
    records = {"models": _models(), "commands": _commands()}
    SAID.write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


@cache
def recorded_refusals() -> Records:
    """What was said when all rows were run."""
    recorded: Records = json.loads(SAID.read_text(encoding="utf-8"))
    return recorded


def _models() -> dict[str, Said]:
    said: dict[str, Said] = {}
    for row in MODELS:
        with TemporaryDirectory() as folder:
            (Path(folder) / "offending.py").write_text(row.source, encoding="utf-8")
            ran = run("check", "offending.py", "--no-progress", cwd=Path(folder))
        said[row.title] = {"code": ran.code, "said": without_place(complaint(ran))}
    return said


def _commands() -> dict[str, Said]:
    said: dict[str, Said] = {}
    for row in ROWS:
        with TemporaryDirectory() as folder:
            ran = run(*row.command.split(), cwd=folder_for(row, Path(folder)))
        said[row.tried] = {"code": ran.code, "said": complaint(ran).replace(f"{folder}/", "")}
    return said


def models() -> str:
    """Two examples for each kind of refused model."""
    return _sections((section.title, [_of_model(row) for row in section.rows]) for section in SECTIONS)


def commands() -> str:
    """Two examples for each kind of refused command."""
    return _sections(
        (about, [_of_command(row) for row in rows]) for about, rows in groupby(ROWS, lambda row: row.about)
    )


def rows() -> str:
    """A line for each refused model and command."""
    head = ["kind", "tried", "written", "code", "said", "instead"]
    lines = [head, ["---"] * len(head)]
    lines += [_cells(section.title, _of_model(row)) for section in SECTIONS for row in section.rows]
    lines += [_cells(row.about, _of_command(row)) for row in ROWS]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


class Refusal(NamedTuple):
    """What was tried, as it was written, how it ended, and what to do instead."""

    tried: str
    written: str
    code: int
    said: str
    instead: str


def _of_model(row: Row) -> Refusal:
    said = recorded_refusals()["models"][row.title]
    reason, _, instead = _PLACE.sub("", said["said"]).partition("; ")
    return Refusal(row.title, row.shown, said["code"], reason, row.instead or instead)


def _of_command(row: Wrong) -> Refusal:
    said = recorded_refusals()["commands"][row.tried]
    return Refusal(row.tried, row.command, said["code"], said["said"], row.instead)


def _sections(kinds: Iterable[tuple[str, Sequence[Refusal]]]) -> str:
    lines: list[str] = []
    for title, refusals in kinds:
        lines += [f"### {title}", "", f"Two of {len(refusals)}:", "", *map(_entry, _examples(refusals)), ""]
    return "\n".join(lines)


def _examples(refusals: Sequence[Refusal]) -> Sequence[Refusal]:
    """The first, and the next with another way out."""
    first, *others = refusals
    return [first, next((each for each in others if each.instead != first.instead), others[0])]


def _cells(kind: str, refusal: Refusal) -> list[str]:
    tried, written, code, said, instead = refusal
    return [text.replace("|", "\\|") for text in (kind, tried, _code(written), str(code), _code(said), instead)]


def _entry(refusal: Refusal) -> str:
    """An item of a list, a line for each part; what is too long for one goes on in the next."""
    tried, written, code, said, instead = refusal
    return "\n".join(_wrap_parts((f"{tried}: {_code(written)}", f"code {code}: {_code(said)}", f"instead: {instead}")))


def _wrap_parts(parts: tuple[str, ...]) -> Iterator[str]:
    for number, part in enumerate(parts):
        end = "" if number == len(parts) - 1 else "\\"
        lines = textwrap.wrap(part, 112, break_long_words=False, break_on_hyphens=False)
        yield from (f"{'  ' if number or i else '- '}{line}" for i, line in enumerate(lines[:-1]))
        yield f"{'  ' if number or len(lines) > 1 else '- '}{lines[-1]}{end}"


def _code(text: str) -> str:
    """A code span of any text, in which a character that is there hundreds of times is there three times."""
    short = re.sub(r"(\w)\1{30,}", r"\1\1\1...", text)
    return f"`` {short} ``" if "`" in short else f"`{short}`"


if __name__ == "__main__":
    main()

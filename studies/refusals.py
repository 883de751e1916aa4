"""The lists in docs/studies/refusals.md: what is refused, with what code and words, and what to write instead.

What is said comes from running the program on every row of the tables in `tests/lang` and `tests/cli`.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypedDict

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
    """A list for each section of refused models."""
    records = recorded_refusals()["models"]
    lines: list[str] = []
    for section in SECTIONS:
        lines += [f"### {section.title}", "", *(_model(row, records[row.title]) for row in section.rows), ""]
    return "\n".join(lines)


def commands() -> str:
    """A list for each kind of refused command."""
    records = recorded_refusals()["commands"]
    lines: list[str] = []
    for about, rows in groupby(ROWS, key=lambda row: row.about):
        lines += [f"### {about}", "", *(_command(row, records[row.tried]) for row in rows), ""]
    return "\n".join(lines)


def _model(row: Row, said: Said) -> str:
    reason, _, instead = _PLACE.sub("", said["said"]).partition("; ")
    return _entry(f"{row.title}: {_code(row.shown)}", f"said: {_code(reason)}", f"instead: {row.instead or instead}")


def _command(row: Wrong, said: Said) -> str:
    return _entry(
        f"{row.tried}: {_code(row.command)}", f"code {said['code']}: {_code(said['said'])}", f"instead: {row.instead}"
    )


def _entry(*parts: str) -> str:
    """An item of a list, a line for each part; what is too long for one goes on in the next."""
    return "\n".join(_wrap_parts(parts))


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

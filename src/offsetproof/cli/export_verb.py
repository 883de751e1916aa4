"""`offsetproof export`: the system in another model checker's language, ready to run."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, assert_never

import typer

from offsetproof.cli import options
from offsetproof.cli.output import usable, write
from offsetproof.cli.signals import Reporting
from offsetproof.cli.streams import warn
from offsetproof.exports.exported import MODEL_ERROR, Exported
from offsetproof.ir.kind import TooWideError
from offsetproof.verdict.exits import Exit


class Language(StrEnum):
    """What to export to."""

    TLA = "tla"
    PROMELA = "promela"
    STATERIGHT = "stateright"


def export(
    to: Annotated[Language, typer.Option("--to", help="The language, or the library, to export to.")],
    claims: options.Claims = options.Claims(),
    selected: options.Selection = options.Selection(),
    max_faults: Annotated[
        int | None, typer.Option("--max-faults", metavar="N", min=0, help="At most this many faults in all.")
    ] = None,
    reducing: options.Reducing = options.Reducing(),
    out_dir: Annotated[Path, typer.Option("--out-dir", metavar="DIR", help="The folder to write to.")] = Path("export"),
    quiet: options.Quiet = False,
) -> int:
    """Write the system of a scope for TLC, SPIN or Stateright. They count the same states as `check` does.

    Claims about whole runs are written where they are named, for TLC and SPIN, with the fairness of threads.
    """
    from offsetproof.checking.exporting import to_export

    selected.must_be_of_one_world()
    named = claims.load()
    request = options.request(
        named.only,
        selected,
        claims=named.words,
        reductions=reducing.reductions,
    )
    written = to_export(request, max_faults, about_runs=to is not Language.STATERIGHT)
    try:
        files = _writer(to)(written)
    except TooWideError as error:
        warn(f"offsetproof: {error}")
        return Exit.REFUSED
    with Reporting():  # a signal that comes now is obeyed when all files are there
        for name, text in files.items():
            path = out_dir / name
            usable(path.parent)
            write(text, path, "--out-dir")
    if not quiet:
        asked = [condition.claim for condition in written.conditions if condition.claim != MODEL_ERROR]
        asked += [ending.claim for ending in written.endings]
        about = ", ".join(named.only.find(claim).title for claim in asked)
        warn(f"wrote {', '.join(files)} to {out_dir}: scope {written.setting.scope.name}, claims {about}")
    return 0


def _writer(to: Language) -> Callable[[Exported], dict[str, str]]:
    if to is Language.TLA:
        from offsetproof.exports.tla.module import tla

        return tla
    if to is Language.PROMELA:
        from offsetproof.exports.promela.model import promela

        return promela
    if to is Language.STATERIGHT:
        from offsetproof.exports.stateright.crate import stateright

        return stateright
    assert_never(to)

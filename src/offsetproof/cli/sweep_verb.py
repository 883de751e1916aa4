"""`offsetproof sweep`: many questions at once, on Spark, from a grid."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.cli import options
from offsetproof.cli.formats import TEXT, format_option, writer_of
from offsetproof.cli.output import deliver, shows_colours, usable, width, writable
from offsetproof.cli.signals import Working
from offsetproof.cli.streams import warn
from offsetproof.sweep.grid import read_grid
from offsetproof.verdict.exits import worst


def sweep(
    grid: Annotated[
        str, typer.Argument(metavar="GRID", help="A TOML file, or a grid that comes with the program: resets.")
    ],
    subject: Annotated[str, typer.Option("--subject", metavar="SUBJECT", help=options.SUBJECTS)] = DEFAULT,
    out_dir: Annotated[
        Path, typer.Option("--out-dir", metavar="DIR", help="Where the table, the plots and Spark's log go.")
    ] = Path("sweep"),
    master: options.Master = None,
    resume: Annotated[bool, typer.Option("--resume", help="Keep what is decided already in --out-dir.")] = False,
    plots: Annotated[bool, typer.Option("--plots/--no-plots", help="Draw sizes and verdicts by bound.")] = True,
    format: Annotated[str, format_option("sweep")] = TEXT,
    destination: options.Destination = options.Destination(),
) -> int:
    """Decide every question of a grid on Spark. Prints the matrix of verdicts."""
    from offsetproof.engines.spark.session import require_library
    from offsetproof.sweep.fingerprint import load_noting_imports
    from offsetproof.sweep.report import exit_of_sweep, sweep_text, write_plots
    from offsetproof.sweep.run import rows_of, run_sweep

    writable(destination.output, reads=[grid, subject])
    if plots:
        require_library("matplotlib", ", or use --no-plots")
    loaded, imports = load_noting_imports(subject)
    loaded_grid = read_grid(grid, loaded)
    usable(out_dir)
    talkative = destination.is_talkative
    progress = destination.progress()
    progress.naming(loaded_grid.name)
    with Working(progress) as stop:
        run_sweep(
            loaded,
            str(Path(subject).resolve()) if subject.endswith(".py") else subject,
            loaded_grid,
            out_dir.resolve(),
            master=master or "local[*]",
            resume=resume,
            imported=imports.so_far,
            tell=progress.reporter(),
            begun=lambda address: warn(f"Spark runs at {address}") if talkative and address else None,
        )
    result = rows_of(loaded_grid, out_dir.resolve())
    codes = [exit_of_sweep(result)]
    if destination.is_wanted:
        colour = shows_colours(destination.output)
        people = format == TEXT
        text = sweep_text(loaded, result, width(), colour=colour) if people else writer_of("sweep", format)(result)
        codes.append(deliver(text, destination.output))
    if plots and result.rows and stop.code is None:
        try:
            write_plots(result, out_dir / "plots")
        except OSError as error:
            warn(f"offsetproof: the plots could not be drawn: {error}")
    return stop.code or worst(codes)

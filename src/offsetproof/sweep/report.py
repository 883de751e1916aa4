"""Reports of a sweep: a matrix of verdicts, and plots of size and time by bound."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, convert

from offsetproof.lang.subject import Subject
from offsetproof.reading.typed_json import Count, write_json
from offsetproof.reports.json import DocumentJson, envelope
from offsetproof.reports.page import Page
from offsetproof.sweep.rows import RowJson
from offsetproof.sweep.run import Swept
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.phrases import VACUOUS, quantity

Row = Mapping[str, Any]
Lines = Mapping[tuple[str, str], Mapping[str, Row]]

SHORT = {"HOLDS": "H", VACUOUS: "V", "REFUTED": "R", "UNKNOWN": "?"}
"""A verdict in a cell of the matrix; R is followed by faults and steps, and by ? where fewer faults may suffice."""


def word_of(row: Row) -> str:
    """The verdict, or VACUOUS where its HOLDS means nothing."""
    return VACUOUS if row["vacuous"] else str(row["verdict"])


def column_of(row: Row, *, release: bool = False) -> str:
    """What a cell varies beside claim and scope, in words; with its release where there are several."""
    bounds = [f"{name}={value}" for name, value in json.loads(row["bounds"]).items()]
    parts = [
        (row["release"] or "") if release else "",
        *row["fixes"],
        *row["assumptions"],
        row["listener"] or "",
        *bounds,
    ]
    return " ".join(part for part in parts if part) or "as it is"


def letters_of(row: Row) -> str:
    """A cell in a few letters."""
    if row["steps"] is None or row["verdict"] != "REFUTED":
        return SHORT[word_of(row)]
    return f"{SHORT[row['verdict']]} {row['faults']},{row['steps']}{'?' if row['detail'] else ''}"


def matrix(rows: Sequence[Row]) -> tuple[list[str], dict[tuple[str, str], dict[str, Row]]]:
    """The columns, in order of appearance, and per claim and scope what stands in them."""
    columns: dict[str, None] = {}
    lines: dict[tuple[str, str], dict[str, Row]] = defaultdict(dict)
    several = len({row["release"] for row in rows}) > 1
    for row in rows:
        column = column_of(row, release=several)
        columns[column] = None
        lines[row["property"], row["scope"]][column] = row
    return list(columns), dict(lines)


def sweep_text(subject: Subject, swept: Swept, width: int, *, colour: bool) -> str:
    """Totals, the matrix with its columns numbered, and what is not decided, with reasons."""
    columns, lines = matrix(swept.rows)
    legend = [f"  {number}  {name}" for number, name in enumerate(columns, 1)]
    rows = [(claim, scope, name, row) for (claim, scope), cells in lines.items() for name, row in cells.items()]
    unknown = [
        f"  {subject.find(claim).title} {scope} {name}: {row['reason']} {row['detail']}".rstrip()
        for claim, scope, name, row in rows
        if row["verdict"] == "UNKNOWN"
    ]
    vacuous = [
        f"  {subject.find(claim).title} {scope} {name}: {row['vacuous']}"
        for claim, scope, name, row in rows
        if row["vacuous"]
    ]
    larger = [
        f"  {subject.find(claim).title} {scope} {name}: {row['detail']}"
        for claim, scope, name, row in rows
        if row["verdict"] != "UNKNOWN" and row["detail"]
    ]
    page = Page(width, colour=colour)
    page.put(_totals(swept) + "\n")
    for line in _tables(subject, columns, lines, width):
        page.put(line)
    for line in ["columns:", *legend]:
        page.put(line)
    for line in ["", "nothing could have broken the claim:", *vacuous] if vacuous else []:
        page.put(line)
    for line in ["", "not decided:", *unknown] if unknown else []:
        page.put(line)
    for line in ["", "with a trace that may not be the smallest:", *larger] if larger else []:
        page.put(line)
    return page.text


def _tables(subject: Subject, columns: Sequence[str], lines: Lines, width: int) -> Iterator[str]:
    """The matrix, as many columns at a time as fit, an empty line after each; below each claim's name its cases."""
    names = {id: subject.find(id).name for id, _ in lines}
    first = [
        max(len(text) for text in column)
        for column in zip(("claim", "scope"), *((_case(names[id], id), scope) for id, scope in lines), strict=True)
    ]
    left = list(enumerate(columns, 1))
    while left:
        room = width - sum(each + 2 for each in first)
        taken: list[tuple[int, str]] = []
        while left and (not taken or room >= _width(*left[0], lines)):
            room -= _width(*left[0], lines)
            taken.append(left.pop(0))
        widths = [*first, *(_width(number, name, lines) - 2 for number, name in taken)]
        yield _table_row(("claim", "scope", *(str(number) for number, _ in taken)), widths)
        before = ""
        for (id, scope), cells in lines.items():
            if names[id] not in (id, before):
                yield names[id]
            before = names[id]
            letters = (letters_of(cells[name]) if name in cells else "" for _, name in taken)
            yield _table_row((_case(names[id], id), scope, *letters), widths)
        yield ""


def _case(name: str, id: str) -> str:
    """A case in the first column: below its claim's name, if that differs."""
    return id if name == id else f"  {id}"


def _table_row(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{text:<{width}}" for text, width in zip(texts, widths, strict=True)).rstrip()


def _width(number: int, name: str, lines: Lines) -> int:
    """What a column takes, with what is left free beside it."""
    return 2 + max(len(str(number)), *(len(letters_of(cells[name])) for cells in lines.values() if name in cells))


def _totals(swept: Swept) -> str:
    counts = Counter(map(word_of, swept.rows))
    totals = ", ".join(f"{counts[name]} {name}" for name in SHORT if counts[name] or name != VACUOUS)
    missing = f"; {swept.missing} questions have no row yet" if swept.missing else ""
    return f"{swept.grid.name}: {quantity(len(swept.grid.questions), 'question')}, {totals}{missing}"


class SweepJson(DocumentJson):
    """Version 1 of the rows of a sweep."""

    grid: str
    cells: Annotated[Count, Meta(description="Questions; those without a row have not been decided yet.")]
    rows: tuple[RowJson, ...]


def sweep_json(swept: Swept) -> str:
    """All rows, for programs."""
    grid = swept.grid
    rows = convert(swept.rows, tuple[RowJson, ...])
    document = SweepJson(**envelope(grid.subject), grid=grid.name, cells=len(grid.questions), rows=rows)
    return write_json(document, indent=None)


def exit_of_sweep(swept: Swept) -> Exit:
    """A sweep asks and does not judge: only what is not decided is not a success."""
    undecided = swept.missing or any(row["verdict"] == "UNKNOWN" for row in swept.rows)
    return Exit.UNKNOWN if undecided else Exit.AS_EXPECTED


def write_plots(swept: Swept, folder: Path) -> list[Path]:
    """Draws, for each bound that varies, states and seconds over it, and which claims break where."""
    varying = _varying_bounds(swept.rows)
    folder.mkdir(parents=True, exist_ok=True)
    return [path for bound in varying for path in (_sizes(swept, bound, folder), _plot_breaking(swept, bound, folder))]


def _varying_bounds(rows: Sequence[Row]) -> list[str]:
    values: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        for name, value in json.loads(row["bounds"]).items():
            values[name].add(value)
    return sorted(name for name, seen in values.items() if len(seen) > 1)


def _sizes(swept: Swept, bound: str, folder: Path) -> Path:
    """States and seconds over a bound, a line per claim and scope."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 4.5), layout="constrained")
    axes = figure.subplots(1, 2)
    for axis, key, unit in zip(axes, ("states", "seconds"), ("states", "seconds"), strict=True):
        for points in _lines(swept.rows, bound, key).values():
            axis.plot(*zip(*points, strict=True), marker=".", color="#3b6ea5", alpha=0.35, linewidth=1)
        axis.set_yscale("log")
        axis.set_xlabel(bound)
        axis.set_ylabel(unit)
    figure.suptitle(f"{swept.grid.name}: one line per claim, scope and fix")
    path = folder / f"{bound}-sizes.svg"
    figure.savefig(path, metadata={"Date": None})
    return path


def _lines(rows: Iterable[Row], bound: str, key: str) -> dict[tuple[str, ...], list[tuple[int, float]]]:
    lines: dict[tuple[str, ...], list[tuple[int, float]]] = defaultdict(list)
    for row in rows:
        bounds = json.loads(row["bounds"])
        value = bounds.pop(bound, None)
        if value is not None and row[key]:
            others = [row["release"], row["listener"], row["fixes"], row["assumptions"], bounds]
            lines[row["property"], row["scope"], json.dumps(others)].append((value, row[key]))
    return {name: sorted(points) for name, points in lines.items()}


def _plot_breaking(swept: Swept, bound: str, folder: Path) -> Path:
    """For each claim and scope, at which values of the bound it holds, breaks, or is not decided."""
    from matplotlib.figure import Figure

    plain = [row for row in swept.rows if not row["fixes"] and not row["assumptions"]] or list(swept.rows)
    several = len({row["release"] for row in plain}) > 1
    named = [" ".join([row["property"], row["scope"], *([row["release"] or ""] if several else [])]) for row in plain]
    names = list(dict.fromkeys(named))
    figure = Figure(figsize=(6, 1 + 0.18 * len(names)), layout="constrained")
    axis = figure.subplots()
    colours = {"HOLDS": "#2e7d32", VACUOUS: "#f9a825", "REFUTED": "#c62828", "UNKNOWN": "#9e9e9e"}
    for verdict, colour in colours.items():
        points = [
            (json.loads(row["bounds"]).get(bound), names.index(name))
            for row, name in zip(plain, named, strict=True)
            if word_of(row) == verdict and json.loads(row["bounds"]).get(bound) is not None
        ]
        if points:
            bounds, rows = zip(*points, strict=True)
            axis.scatter(bounds, rows, color=colour, label=verdict, s=16)
    axis.set_yticks(range(len(names)), names, fontsize=6)
    axis.invert_yaxis()
    axis.set_xlabel(bound)
    axis.set_xticks(sorted({json.loads(row["bounds"])[bound] for row in plain if bound in json.loads(row["bounds"])}))
    figure.legend(loc="outside upper center", ncols=3, fontsize=7)
    path = folder / f"{bound}-verdicts.svg"
    figure.savefig(path, metadata={"Date": None})
    return path

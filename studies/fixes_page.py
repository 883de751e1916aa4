"""The tables in docs/studies/fixes.md, from their data and what the model says about its fixes and assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from offsetproof.lang import Assumption, Fix
from offsetproof.model.concurrent.rocketmq import RocketMQ

FIXES, ASSUMPTIONS = RocketMQ.fixes, RocketMQ.assumptions

Record = dict[str, Any]


def counts(known: Record) -> str:
    """What was decided, and on which machine."""
    claims: dict[str, Record] = known["claims"]
    decided = sum(len(record["cells"]) for record in claims.values())
    every = len(claims) * (len(FIXES) + len(ASSUMPTIONS))
    return (
        f"{len(claims)} claims with their scopes, {len(FIXES)} fixes, {len(ASSUMPTIONS)} assumptions. {decided:,} of "
        f"{every:,} entries have another system than the claim as it is\nstated, and were decided in up to "
        f"{known['limit']:,} states. Decided on {known['machine']}."
    )


def fixes(known: Record) -> str:
    """What each fix does, repairs and breaks."""
    return "\n".join(_table(known["claims"], FIXES))


def assumptions(known: Record) -> str:
    """What each assumption grants, and what holds then."""
    return "\n".join(_table(known["claims"], ASSUMPTIONS))


def undecided(known: Record) -> str:
    """The entries that are not decided, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, record in known["claims"].items():
        for column, cell in record["cells"].items():
            if cell["verdict"] == "UNKNOWN":
                by_reason.setdefault(cell["reason"], []).append(f"{_claim(name)} with {column}")
    return "\n".join(f"- {reason}: {'; '.join(names)}" for reason, names in by_reason.items())


TYPICAL = "I5 calm-reset"


def typical(known: Record) -> str:
    """All entries of one claim."""
    return "\n".join([*_HEAD, *_rows(TYPICAL, known["claims"][TYPICAL])])


def rows(known: Record) -> str:
    """A line for each claim as it is stated, and for each of its entries with another system."""
    return "\n".join([*_HEAD, *(line for name, record in known["claims"].items() for line in _rows(name, record))])


def together(known: Record) -> str:
    """Refuted claims that hold with several of them."""
    return "\n".join(_together(known["combinations"]))


_MARKS = {
    "repairs": ("#2e7d32", "o"),
    "breaks": ("#c62828", "X"),
    "the same verdict": ("#c9ced6", "s"),
    "not decided": ("#b58900", "s"),
}
"""The colour and the shape of each effect: neither says it alone."""


def draw(known: Record, file: Path) -> None:
    """Draws the claims whose verdict some fix changes, with each fix. The same records give the same file."""
    import matplotlib
    from matplotlib.figure import Figure

    claims: dict[str, Record] = known["claims"]
    columns = [fix.name for fix in FIXES]
    turned = {name for verdict in ("HOLDS", "REFUTED") for name, fix in effects(claims, verdict) if fix in columns}
    rows = [name for name in claims if name in turned]
    figure = Figure(figsize=(7, 2 + 0.18 * len(rows)), layout="constrained")
    axis = figure.subplots()
    for what, (colour, mark) in _MARKS.items():
        points = [
            (x, y) for y, name in enumerate(rows) for x, fix in enumerate(columns) if _effect(claims[name], fix) == what
        ]
        axis.scatter([x for x, _ in points], [y for _, y in points], color=colour, label=what, marker=mark, s=60)
    axis.set_xticks(range(len(columns)), columns, rotation=60, ha="right", fontsize=7)
    axis.set_yticks(range(len(rows)), [name.replace(" ", ", ") for name in rows], fontsize=7)
    axis.invert_yaxis()
    figure.legend(loc="outside upper center", ncols=4, fontsize=7)
    file.parent.mkdir(exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "fixes", "svg.fonttype": "none"}):
        figure.savefig(file, format="svg", metadata={"Date": None})


def _effect(record: Record, fix: str) -> str | None:
    """What a fix does to a claim; None where it changes nothing that the claim can depend on."""
    cell, own = record["cells"].get(fix), record["alone"]["verdict"]
    if cell is None:
        return None
    if "UNKNOWN" in (own, cell["verdict"]):
        return "not decided"
    turned = {"HOLDS": "repairs", "REFUTED": "breaks"}[cell["verdict"]]
    return "the same verdict" if cell["verdict"] == own else turned


def effects(claims: dict[str, Record], verdict: str) -> Iterator[tuple[str, str]]:
    """The cells that turn a claim's verdict into this one, as claim with scope, and column."""
    for name, record in claims.items():
        for column, cell in record["cells"].items():
            if cell["verdict"] == verdict and record["alone"]["verdict"] not in (verdict, "UNKNOWN"):
                yield name, column


def _table(claims: dict[str, Record], columns: Sequence[Fix | Assumption]) -> Iterator[str]:
    repaired, broken = (list(effects(claims, verdict)) for verdict in ("HOLDS", "REFUTED"))
    yield "| | what it is | repairs | breaks |"
    yield "|---|---|---|---|"
    for each in columns:
        source = f"; {each.source}" if isinstance(each, Fix) and each.source else ""
        turned = [
            "; ".join(_claim(name) for name, column in cells if column == each.name) for cells in (repaired, broken)
        ]
        yield f"| {each.name} | {each.about}{source} | {' | '.join(names or 'nothing' for names in turned)} |"


def _claim(name: str) -> str:
    return name.replace(" ", ", ")


_HEAD = ("| claim | scope | with | verdict | (faults, steps) | states |", "|---|---|---|---|---|---:|")


def _rows(name: str, record: Record) -> Iterator[str]:
    stated = ", ".join(record["stated"])
    yield _row(name, f"as stated ({stated})" if stated else "as stated", record["alone"])
    for column, cell in record["cells"].items():
        yield _row(name, column, cell, _effect(record, column))


def _row(name: str, column: str, cell: Record, effect: str | None = None) -> str:
    verdict = f"{cell['verdict']}: {cell['reason']}" if cell["verdict"] == "UNKNOWN" else cell["verdict"]
    verdict += f", **{effect}**" if effect in ("repairs", "breaks") else ""
    size = "" if cell["steps"] is None else f"({cell['faults']}, {cell['steps']})"
    return f"| {' | '.join(name.split())} | {column} | {verdict} | {size} | {cell['states']:,} |"


def _together(combinations: dict[str, Record]) -> list[str]:
    lines = ["| options | verdict | states |", "|---|---|---:|"]
    for options, cell in combinations.items():
        lines.append(f"| `{options}` | {cell['verdict']} | {cell['states']:,} |")
    return lines

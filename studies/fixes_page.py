"""The tables in docs/studies/fixes.md, from their data and what the model says about its fixes and assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from offsetproof.lang import Assumption, Fix
from offsetproof.model.concurrent.rocketmq import RocketMQ

FIXES, ASSUMPTIONS = RocketMQ.fixes, RocketMQ.assumptions

Record = dict[str, Any]


def in_short(known: Record) -> str:
    """What was decided, on which machine, and what each fix and assumption repairs and breaks."""
    return "\n".join(_short(known))


def fixes(known: Record) -> str:
    """Every claim with every fix."""
    return "\n".join([*_table(known["claims"], FIXES), "", *_legend(FIXES)])


def assumptions(known: Record) -> str:
    """The claims that some assumption touches, with every assumption."""
    return "\n".join([*_table(_touched_claims(known["claims"], ASSUMPTIONS), ASSUMPTIONS), "", *_legend(ASSUMPTIONS)])


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


def _short(known: Record) -> list[str]:
    claims: dict[str, Record] = known["claims"]
    cells = [cell for record in claims.values() for cell in record["cells"].values()]
    opened = sum(cell["verdict"] == "UNKNOWN" for cell in cells)
    every = len(claims) * (len(FIXES) + len(ASSUMPTIONS))
    lines = [
        f"{len(claims)} claims with their scopes, {len(FIXES)} fixes, {len(ASSUMPTIONS)} assumptions. {len(cells)} of "
        f"{every:,} entries have another system than the claim as it is stated, and were decided; {opened} are "
        f"open, for more than {known['limit']:,} states or want of a witness. Decided on {known['machine']}.",
        "",
        "| | repairs | breaks |",
        "|---|---|---|",
    ]
    repaired, broken = (list(effects(claims, verdict)) for verdict in ("HOLDS", "REFUTED"))
    taken: tuple[Fix | Assumption, ...] = (*FIXES, *ASSUMPTIONS)
    for each in taken:
        lists = [
            _list_in_words([name for name, column in columns if column == each.name]) for columns in (repaired, broken)
        ]
        lines.append(f"| {each.name} | {' | '.join(lists)} |")
    return lines


def _list_in_words(names: Sequence[str]) -> str:
    return "; ".join(name.replace(" ", ", ") for name in names) or "nothing"


def _touched_claims(claims: dict[str, Record], columns: Sequence[Fix | Assumption]) -> dict[str, Record]:
    names = {each.name for each in columns}
    return {name: r for name, r in claims.items() if names & {*r["cells"], *r["stated"]}}


def _table(claims: dict[str, Record], columns: Sequence[Fix | Assumption]) -> list[str]:
    lines = [
        f"| claim, scope | as stated | {' | '.join(each.name for each in columns)} |",
        "|---|---|" + "---|" * len(columns),
    ]
    for name, record in claims.items():
        cells = [_cell(record, each.name) for each in columns]
        lines.append(f"| {name.replace(' ', ', ')} | {_own(record['alone'])} | {' | '.join(cells)} |")
    return lines


def _own(alone: Record) -> str:
    if alone["verdict"] == "UNKNOWN":
        return f"? {alone['reason']}"
    return "HOLDS" if alone["verdict"] == "HOLDS" else f"REFUTED {_size(alone)}"


def _cell(record: Record, column: str) -> str:
    if column in record["stated"]:
        return "stated"
    cell, own = record["cells"].get(column), record["alone"]["verdict"]
    if cell is None:
        return "-"
    if cell["verdict"] == "UNKNOWN":
        return f"? {cell['reason']}"
    if cell["verdict"] == "HOLDS":
        return "holds" if own == "HOLDS" else "**repairs**"
    return _size(cell) if own == "REFUTED" else f"**breaks** {_size(cell)}"


def _size(cell: Record) -> str:
    return f"({cell['faults']}, {cell['steps']})"


def _legend(columns: Sequence[Fix | Assumption]) -> list[str]:
    sources = [f"; {each.source}" if isinstance(each, Fix) and each.source else "" for each in columns]
    return [f"- *{each.name}*: {each.about}{source}" for each, source in zip(columns, sources, strict=True)]


def _together(combinations: dict[str, Record]) -> list[str]:
    lines = ["| options | verdict | states |", "|---|---|---:|"]
    for options, cell in combinations.items():
        lines.append(f"| `{options}` | {cell['verdict']} | {cell['states']:,} |")
    return lines

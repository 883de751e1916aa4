"""The page docs/fixes.md, made of its data, and of what the model says about its fixes and assumptions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from offsetproof.lang import Assumption, Fix
from offsetproof.model.rocketmq import RocketMQ

FIXES, ASSUMPTIONS = RocketMQ.fixes, RocketMQ.assumptions

Record = dict[str, Any]

_HEAD = """# What each fix repairs, and what it breaks

Written by `make fixes` on {machine}. An entry that is known is not decided again.
Every claim about RocketMQ 4.9.4 in each of its scopes, as it is stated and with each fix, and each assumption, alone.
`tests/quality/test_fixes_page.py` asks that every entry speaks of the system as it is now, and decides those again that
repair or break something.

What an entry says:

- **repairs**: the claim is REFUTED as it is stated and HOLDS with the fix.
- **breaks**: it HOLDS as it is stated, and with the fix it is REFUTED.
- `holds`, `(1, 24)`: the verdict is the same, though the system is not; the pair has the faults and the steps of the
  smallest trace, which may be another one, or of one that was found within the limit.
- `-`: the fix changes nothing that the claim can depend on; `stated`: the claim is stated with it.
- `?`: not decided, and why: more than {limit:,} states, or a witness that the claim needs is not reached any more.
"""


def page(known: Record) -> str:
    """The text of the page."""
    claims: dict[str, Record] = known["claims"]
    parts = [_HEAD.format(**known), "## In short", "", *_short(claims), ""]
    parts += [f"![{_PLOT_SAYS}](fixes/verdicts.svg)", ""]
    parts += ["## Fixes", "", *_table(claims, FIXES), "", *_legend(FIXES), ""]
    parts += [
        "## Assumptions",
        "",
        "An assumption rules out what the scope allows; it can repair, but changes no code.",
    ]
    parts += ["Claims that no assumption touches are left out.", ""]
    parts += [*_table(_touched_claims(claims, ASSUMPTIONS), ASSUMPTIONS), "", *_legend(ASSUMPTIONS), ""]
    parts += [
        "## Together",
        "",
        "Refuted claims that hold with several of them, another listener, or in a smaller world.",
    ]
    parts += ["`offsetproof check` with these options decides each.", "", *_together(known["combinations"])]
    return "\n".join(parts) + "\n"


_PLOT_SAYS = "each claim whose verdict a fix changes, with each fix: what it repairs, what it breaks"
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


def _short(claims: dict[str, Record]) -> list[str]:
    cells = [cell for record in claims.values() for cell in record["cells"].values()]
    opened = sum(cell["verdict"] == "UNKNOWN" for cell in cells)
    every = len(claims) * (len(FIXES) + len(ASSUMPTIONS))
    lines = [
        f"{len(claims)} claims with their scopes, {len(FIXES)} fixes, {len(ASSUMPTIONS)} assumptions. {len(cells)} of "
        f"{every:,} entries have another system than the claim as it is stated, and were decided; {opened} are open.",
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

"""The tables of mixed clusters in docs/releases.md: how pairs compare with their releases, and where they are neither.

The verdicts of one release alone are those of the committed baseline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from offsetproof.checking.releases import parse_release
from offsetproof.lang import Release
from offsetproof.properties.catalogue import ROCKETMQ
from studies.mixed import PAIRS, recorded
from studies.mixed_reasons import REASONS
from studies.rows import Row
from studies.verdicts import AskedCase, findings_of

MANY = 4
"""From so many on scopes are counted."""

NEITHER, BOTH = "as neither", "as both"


@dataclass(frozen=True)
class Cell:
    """A claim in one scope and one pair, with the verdicts of the client's release and of the broker's alone."""

    row: Row
    client: str
    broker: str

    @property
    def kind(self) -> str:
        """Which of the two releases has the same verdict alone."""
        same = self.row["verdict"] == self.client, self.row["verdict"] == self.broker
        return {(True, True): BOTH, (True, False): "as its client's", (False, True): "as its broker's"}.get(
            same, NEITHER
        )

    @property
    def place(self) -> tuple[str, str]:
        """The claim and its scope."""
        return self.row["claim"], self.row["scope"]


@cache
def cells() -> tuple[Cell, ...]:
    """All that are written down, in the order of the pairs and of the catalogue."""
    order = [prop.id for prop in ROCKETMQ.properties]
    rows = sorted(recorded().values(), key=lambda row: (PAIRS.index(row["pair"]), order.index(row["claim"])))
    return tuple(Cell(row, *(_alone(row, role) for role in ("client", "broker"))) for row in rows)


def _alone(row: Row, role: str) -> str:
    """The verdict where both are of the release that this role has; `not asked` where the case says nothing of it."""
    release: Release = parse_release(row["pair"], ROCKETMQ)[role]
    found = findings_of(AskedCase(ROCKETMQ, ROCKETMQ.find(row["claim"]), row["scope"]), release)
    return str(found[0].verdict) if found else "not asked"


def pairs() -> str:
    """A row per pair: how many claims in scopes, and which of the two releases has the same verdicts; then all."""
    kinds = (BOTH, "as its client's", "as its broker's", NEITHER)
    lines = [f"| client | broker | cells | {' | '.join(kinds)} |", "|---|---|---:|---:|---:|---:|---:|"]
    for pair in PAIRS:
        counts = Counter(cell.kind for cell in cells() if cell.row["pair"] == pair)
        named = {role: release.name for role, release in parse_release(pair, ROCKETMQ).items()}
        figures = " | ".join(str(counts[kind]) for kind in kinds)
        lines.append(f"| {named['client']} | {named['broker']} | {counts.total()} | {figures} |")
    return "\n".join([*lines, "", _in_all()])


def _in_all() -> str:
    kinds = Counter(cell.kind for cell in cells())
    unknown = sum(cell.row["verdict"] == "UNKNOWN" for cell in cells())
    return f"{kinds.total():,} cells, {kinds[NEITHER]} of them as neither release alone, {unknown or 'none'} UNKNOWN."


def neither() -> list[Cell]:
    """The cells whose verdict neither release has alone."""
    return [cell for cell in cells() if cell.kind == NEITHER]


def differing() -> str:
    """The claims to which some pair gives a verdict that neither release has alone: a row per reason."""
    lines = ["| cases, in scopes | pairs | there | client's, broker's release alone | why |", "|---|---|---|---|---|"]
    alike: dict[tuple[str, ...], list[Cell]] = {}
    for cell in neither():
        key = (cell.row["verdict"], cell.client, cell.broker, REASONS[cell.row["claim"]])
        alike.setdefault(key, []).append(cell)
    for (verdict, client, broker, reason), those in alike.items():
        cases = "; ".join(_cases(those))
        lines.append(f"| {cases} | {_pairs_in_words(those)} | {verdict} | {client}, {broker} | {reason} |")
    return "\n".join(lines)


def _cases(those: Sequence[Cell]) -> Iterator[str]:
    """Each case with its scopes, or how many these are."""
    for claim in dict.fromkeys(cell.row["claim"] for cell in those):
        scopes = [*dict.fromkeys(cell.row["scope"] for cell in those if cell.row["claim"] == claim)]
        shown = ", ".join(scopes) if len(scopes) < MANY else f"{len(scopes)} scopes"
        yield f"[{claim}](concurrent.md#{ROCKETMQ.find(claim).name}) in {shown}"


def _pairs_in_words(those: Sequence[Cell]) -> str:
    """Clients with their brokers; clients of the same brokers are named together."""
    brokers: dict[str, dict[str, None]] = {}
    for cell in those:
        named = {role: release.name for role, release in parse_release(cell.row["pair"], ROCKETMQ).items()}
        brokers.setdefault(named["client"], {})[named["broker"]] = None
    clients: dict[tuple[str, ...], list[str]] = {}
    for client, of in brokers.items():
        clients.setdefault(tuple(of), []).append(client)
    return "; ".join(f"client {' or '.join(own)} with broker {' or '.join(of)}" for of, own in clients.items())

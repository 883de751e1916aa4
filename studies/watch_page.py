"""The table in docs/watch.md: by which case a reset of each direction is safe, and in which releases."""

from __future__ import annotations

from offsetproof.audit.live.conditions import WAYS, verdict_of
from offsetproof.checking.causes import RELEASES
from offsetproof.lang import HOLDS


def ways() -> str:
    """A row for each case, with the releases in which it holds."""
    rows = ["| `--direction` | case that must hold | in |", "|---|---|---|"]
    for way in WAYS:
        releases = ", ".join(release for release in RELEASES if verdict_of(way, release) is HOLDS)
        case = way.case if way.subject == "rocketmq" else f"{way.subject} {way.case}"
        rows.append(f"| `{way.direction}` | {case} | {releases} |")
    return "\n".join(rows) + "\n"

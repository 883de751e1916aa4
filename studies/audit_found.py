"""What an audit finds in logs of real clusters (`tests/audit/data`), beside what happened there: `make audit-found`.

Each scenario's logs are audited as a user would, with the zones that `labels.json` says. A finding is one that was
expected if its kind, group, topic and queue are those of a label; labels of which no line is written are left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from offsetproof.audit.auditing import Asked, audit_here
from offsetproof.audit.gold.finding import Certainty, FindingKind
from offsetproof.audit.reports.audit import Explained
from studies import RECORDS, ROOT
from studies.rows import Row, read_rows, write_rows

DATA = RECORDS / "audit_found.json"
LOGS = ROOT / "tests" / "audit" / "data"

ZONES = {"GMT+8": "Etc/GMT-8"}
"""As the time zone database has them."""


def main() -> None:
    write_rows(DATA, map(audited, sorted(path.parent for path in LOGS.glob("*/*/labels.json"))))


def audited(folder: Path) -> Row:
    """What is found in one scenario's logs, and what should be."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    zones = {host: ZONES.get(zone, zone) for host, zone in labels["zones"].items()}
    with TemporaryDirectory() as place:
        done = audit_here(Asked((str(folder),), zones=zones), Path(place))
    expected = [each for each in labels["expected"] if each["shown"]]
    wanted = {_key(each["kind"], each) for each in expected}
    found = {_key(each.finding.kind, vars_of(each)) for each in done.audit.found}
    certain = [each for each in done.audit.found if each.finding.certainty is Certainty.CERTAIN]
    surplus = [each for each in done.audit.found if _key(each.finding.kind, vars_of(each)) not in wanted]
    surely = {_key(each.finding.kind, vars_of(each)) for each in certain}
    return {
        "release": folder.parent.name,
        "scenario": folder.name,
        "does": labels["does"],
        "lines": done.audit.read.lines,
        "expected": sorted({each["kind"] for each in expected}),
        "found": sorted({kind for kind, *_ in wanted & found}),
        "missed": sorted({kind for kind, *_ in wanted - found}),
        "certain": sorted({kind for kind, *_ in wanted & surely}),
        "false": sorted({str(each.finding.kind) for each in surplus if each in certain}),
        "possible": sum(each not in certain for each in surplus),
        "explained": sorted(
            {f"{each.finding.kind}: {_by(each)}" for each in done.audit.found
             if _key(each.finding.kind, vars_of(each)) in wanted}
        ),
    }  # fmt: skip


def vars_of(each: Explained) -> Mapping[str, Any]:
    """Where a finding is."""
    finding = each.finding
    return {"group": finding.group, "topic": finding.topic, "queue": finding.queue}


def _key(kind: FindingKind | str, where: Mapping[str, Any]) -> tuple[str, Any, Any, Any]:
    return str(kind), where["group"], where["topic"], where["queue"]


def _by(each: Explained) -> str:
    stories = ", ".join(story.cause.story for story in each.explanation.stories)
    return f"{each.explanation.outcome}{f' ({stories})' if stories else ''}"


def table() -> str:
    """A line for each scenario on each release."""
    rows = [
        "| release | what happened | expected | of these certain | missed | certain, not expected | explained |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *map(_line, read_rows(DATA))])


def totals() -> str:
    """How many findings were expected, found and missed."""
    rows = read_rows(DATA)
    wanted, found, certain = (sum(len(row[what]) for row in rows) for what in ("expected", "found", "certain"))
    possible = sum(row["possible"] for row in rows)
    false = sum(len(row["false"]) for row in rows)
    clean = sum(not row["expected"] for row in rows)
    return (
        f"{len(rows)} recordings of real clusters, {clean} of them with nothing to find: of {wanted} kinds of findings "
        f"that were expected {found} were found, {certain} of them as certain. Of what was not expected {false} "
        f"findings were certain and {possible} possible."
    )


def _line(row: Row) -> str:
    cells = (
        row["release"],
        f"{row['scenario']}: {row['does']}",
        *(", ".join(f"`{kind}`" for kind in row[what]) or "-" for what in ("expected", "certain", "missed", "false")),
        "; ".join(row["explained"]) or "-",
    )
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main()

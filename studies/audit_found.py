"""What an audit finds in logs of real clusters (`tests/audit/data`), beside what happened there: `make audit-found`.

Each scenario's logs are audited as a user would, with the zones that `labels.json` says. A finding is one that was
expected if its kind, group, topic and queue are those of a label, as far as its lines say them; labels of which no line
is written are left out. With arguments, such as `5.3.3/one-id`, these are audited alone, and the rows of others stay.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from offsetproof.audit.auditing import Asked, audit_here
from offsetproof.audit.gold.finding import Certainty
from offsetproof.audit.reports.audit import Explained
from studies import RECORDS, ROOT
from studies.rows import Row, read_rows, write_rows

DATA = RECORDS / "audit_found.json"
LOGS = ROOT / "tests" / "audit" / "data"

ZONES = {"GMT+8": "Etc/GMT-8"}
"""As the time zone database has them."""


def main() -> None:
    folders = sorted(path.parent for path in LOGS.glob("*/*/labels.json"))
    named = {LOGS / each for each in sys.argv[1:]} or {*folders}
    known = {LOGS / row["release"] / row["scenario"]: row for row in read_rows(DATA)} if DATA.exists() else {}
    write_rows(DATA, (audited(folder) if folder in named else known[folder] for folder in folders))


def audited(folder: Path, *, zones_known: bool = True) -> Row:
    """What is found in one scenario's logs, and what should be."""
    labels = json.loads((folder / "labels.json").read_text(encoding="utf-8"))
    zones = {host: ZONES.get(zone, zone) for host, zone in labels["zones"].items()} if zones_known else {}
    with TemporaryDirectory() as place:
        done = audit_here(Asked((str(folder),), zones=zones), Path(place))
    expected = [each for each in labels["expected"] if each["shown"]]
    certain = [each for each in done.audit.found if each.finding.certainty is Certainty.CERTAIN]
    surplus = [each for each in done.audit.found if not any(_is_of(each, label) for label in expected)]
    by_kind = {
        what: sorted({label["kind"] for label in expected if any(_is_of(each, label) for each in found) is is_there})
        for what, found, is_there in (
            ("found", done.audit.found, True),
            ("missed", done.audit.found, False),
            ("certain", certain, True),
        )
    }
    return {
        "release": folder.parent.name,
        "scenario": folder.name,
        "does": labels["does"],
        "lines": done.audit.read.lines,
        "expected": sorted({label["kind"] for label in expected}),
        **by_kind,
        "false": sorted({str(each.finding.kind) for each in surplus if each in certain}),
        "possible": sum(each not in certain for each in surplus),
        "explained": sorted(
            {f"{each.finding.kind}: {_by(each)}" for each in done.audit.found if each not in surplus}
        ),
    }  # fmt: skip


def _is_of(each: Explained, label: Mapping[str, Any]) -> bool:
    """Is a finding the one that a label is of? What its lines do not say, such as the group, is None."""
    finding = each.finding
    where = {"group": finding.group, "topic": finding.topic, "queue": finding.queue}
    return finding.kind == label["kind"] and all(said in (None, label[name]) for name, said in where.items())


def _by(each: Explained) -> str:
    stories = ", ".join(story.cause.story for story in each.explanation.stories)
    return f"{each.explanation.outcome}{f' ({stories})' if stories else ''}"


def table() -> str:
    """A line for each scenario on each release with something to find, or with something found that is certain."""
    rows = [
        "| release | what happened | expected | of these certain | missed | certain, not expected | explained |",
        "|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*rows, *(_line(row) for row in read_rows(DATA) if not _is_quiet(row))])


def quiet() -> str:
    """The recordings in which there was nothing to find, and nothing certain was found."""
    releases: dict[str, list[str]] = {}
    for row in filter(_is_quiet, read_rows(DATA)):
        releases.setdefault(f"{row['scenario']}: {row['does']}", []).append(row["release"])
    return "\n".join(f"- {does} ({'; '.join(each)})" for does, each in releases.items())


def _is_quiet(row: Row) -> bool:
    return not row["expected"] and not row["false"]


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

"""A whole audit: logs to silver, silver to findings, findings to explanations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from offsetproof.audit.around import Silver
from offsetproof.audit.clocks import Clocks
from offsetproof.audit.evidence_text import with_text
from offsetproof.audit.explaining import Explainer
from offsetproof.audit.finding_rules import find
from offsetproof.audit.report import Audit, Explained, Read, in_order
from offsetproof.audit.searching import Searching
from offsetproof.audit.silver import Runner, in_this_process, make_silver, on_spark
from offsetproof.audit.silver_files import read_silver
from offsetproof.audit.sources import ReadingOptions
from offsetproof.engines.spark.session import session
from offsetproof.traces.trace import Trace

NO_END = "its last line has no end"
"""With what `silver.py` says that a file is still written."""

Tell = Callable[[object], None]


@dataclass(frozen=True)
class Asked:
    """What to audit: the paths as the user wrote them, hosts by path, zones by host, and how to explain.

    `skew` is in seconds. `release` is None where the lines are to show it.
    """

    paths: tuple[str, ...]
    hosts: Mapping[str, str] = field(default_factory=dict)
    zones: Mapping[str, str] = field(default_factory=dict)
    layout: str | None = None
    skew: float = 1.0
    release: str | None = None
    searches: bool = True

    @property
    def named_paths(self) -> tuple[str, ...]:
        """The paths, each with its host where that is said."""
        return (*self.paths, *(f"{host}={path}" for path, host in self.hosts.items()))

    @property
    def apart(self) -> timedelta:
        """What clocks may differ by."""
        return timedelta(seconds=self.skew)


@dataclass(frozen=True)
class Done:
    """A finished audit, the tables that it was made from, and the stories that a search found."""

    audit: Audit
    silver: Silver
    stories: Mapping[str, Trace]


def run_audit(asked: Asked, folder: Path, master: str, tell: Tell) -> Done:
    """An audit on Spark, with its tables in a folder; PrerequisiteError where Spark cannot run."""
    tell("starting Spark")
    with session(master, folder / "spark") as driver:
        return audit_with(asked, folder, on_spark(driver), tell)


def audit_here(asked: Asked, folder: Path, tell: Tell = lambda status: None) -> Done:
    """The same in this process: for logs so small that Spark's start would take longer."""
    return audit_with(asked, folder, in_this_process, tell)


def audit_with(asked: Asked, folder: Path, run: Runner, tell: Tell) -> Done:
    """An audit by what has lines read."""
    tell("reading")
    made = make_silver(asked.named_paths, folder, ReadingOptions(asked.layout, asked.zones), run)
    tell("looking for what happened")
    findings = [*find(read_silver(folder), asked.apart)]
    silver = Silver(folder / "silver")
    search = Searching() if asked.searches else None
    clocks = Clocks(asked.apart)
    has_broker_log = any(Path(row["file"]).name.startswith("broker") and row["lines"] for row in made.files)
    explainer = Explainer(
        silver.around(findings), lambda a, b: clocks.before(a, b) is True, asked.release, search, has_broker_log
    )
    explained = []
    for number, finding in enumerate(with_text(findings), 1):
        tell(f"explained {number:,} of {len(findings):,} findings")
        explained.append(Explained(finding, explainer.explain(finding)))
    audit = Audit(read_of(made.files), in_order(explained))
    return Done(audit, silver, search.found if search else {})


def read_of(files: Iterable[Mapping[str, Any]]) -> Read:
    """What was read, from the rows of bronze/files.parquet."""
    rows = [*files]
    problems = [(row["file"], row["problem"]) for row in rows if row["problem"]]
    unfinished = tuple(file for file, why in problems if NO_END in why)
    unreadable = tuple((file, why) for file, why in problems if NO_END not in why)
    return Read(
        files=sum(bool(row["kind"]) for row in rows),
        lines=sum(row["lines"] for row in rows),
        events=sum(row["events"] for row in rows),
        unknown=sum(row["unknown_lines"] for row in rows),
        malformed=sum(row["malformed_lines"] for row in rows),
        unreadable=unreadable,
        unfinished=unfinished,
    )

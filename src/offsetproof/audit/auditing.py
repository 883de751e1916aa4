"""A whole audit: logs to silver, silver to findings, findings to explanations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from offsetproof.audit.around import Silver
from offsetproof.audit.clocks import Clocks
from offsetproof.audit.evidence_text import with_text
from offsetproof.audit.explaining import Explainer
from offsetproof.audit.finding import Finding
from offsetproof.audit.gold import in_this_process as gold_in_this_process
from offsetproof.audit.gold import make_gold
from offsetproof.audit.gold import on_spark as gold_on_spark
from offsetproof.audit.piece_work import Runner, in_this_process
from offsetproof.audit.report import Audit, Explained, Read, in_order
from offsetproof.audit.searching import Searching
from offsetproof.audit.silver import SilverRun, make_silver
from offsetproof.audit.silver_on_spark import audit_session
from offsetproof.audit.silver_on_spark import on_spark as silver_on_spark
from offsetproof.audit.sources import ReadingOptions
from offsetproof.traces.trace import Trace

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
    with audit_session(master, folder / "spark") as driver:
        made = _make(asked, folder, silver_on_spark(driver), tell)
        tell("looking for what happened")
        findings = make_gold(folder, gold_on_spark(driver), asked.apart).findings
    return _explain(asked, made, findings, tell)


def audit_here(asked: Asked, folder: Path, tell: Tell = lambda status: None) -> Done:
    """The same in this process: for logs so small that Spark's start would take longer."""
    made = _make(asked, folder, in_this_process, tell)
    return _explain(asked, made, make_gold(folder, gold_in_this_process, asked.apart).findings, tell)


def _make(asked: Asked, folder: Path, run: Runner, tell: Tell) -> SilverRun:
    tell("reading")
    return make_silver(asked.named_paths, folder, ReadingOptions(asked.layout, asked.zones), run)


def _explain(asked: Asked, made: SilverRun, findings: Sequence[Finding], tell: Tell) -> Done:
    """The findings, each with its explanation, in the order of reports."""
    silver = Silver(made.folder / "silver")
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
    audit = Audit(read_of(made), in_order(explained))
    return Done(audit, silver, search.found if search else {})


SHAPES = 20
"""How many shapes of unknown lines a report has: the most frequent."""


def read_of(made: SilverRun) -> Read:
    """What was read."""
    return Read(
        files=sum(bool(row["kind"]) for row in made.files),
        lines=made.total("lines"),
        events=made.total("events"),
        unknown=made.total("unknown_lines"),
        malformed=made.total("malformed_lines"),
        unreadable=tuple(made.unreadable),
        unfinished=tuple(made.unfinished),
        unknown_shapes=made.shapes[:SHAPES],
    )

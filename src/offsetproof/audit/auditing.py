"""A whole audit: logs to silver, silver to findings, findings to explanations; by Spark, or by this machine alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from offsetproof.audit.around import Silver
from offsetproof.audit.explain.explaining import Explainer
from offsetproof.audit.explain.searching import Searching
from offsetproof.audit.gold.clocks import Clocks
from offsetproof.audit.gold.finding import Finding
from offsetproof.audit.gold.finding_rules import SKEW
from offsetproof.audit.gold.run import GoldRunner, make_gold
from offsetproof.audit.gold.run import by_pool as gold_by_pool
from offsetproof.audit.gold.run import on_spark as gold_on_spark
from offsetproof.audit.reports.audit import Audit, Explained, Read, in_order
from offsetproof.audit.reports.evidence_text import with_text
from offsetproof.audit.silver.on_spark import audit_session
from offsetproof.audit.silver.on_spark import on_spark as silver_on_spark
from offsetproof.audit.silver.paths import files_of
from offsetproof.audit.silver.piece_work import Runner
from offsetproof.audit.silver.piece_work import by_pool as silver_by_pool
from offsetproof.audit.silver.pieces import PIECE_BYTES, is_gzip
from offsetproof.audit.silver.run import SilverRun, make_silver
from offsetproof.audit.silver.sources import ReadingOptions
from offsetproof.audit.worker_pool import worker_pool
from offsetproof.engines.spark.session import require_library, require_spark
from offsetproof.traces.trace import Trace
from offsetproof.verdict.prerequisite import AUDIT, PrerequisiteError
from offsetproof.workers import cpus

Tell = Callable[[object], None]


@dataclass(frozen=True)
class Asked:
    """What to audit: the paths as the user wrote them, hosts by path, zones by host, and how to explain.

    `skew` is how far a clock may be from the true time. `release` is None where the lines are to show it.
    """

    paths: tuple[str, ...]
    hosts: Mapping[str, str] = field(default_factory=dict)
    zones: Mapping[str, str] = field(default_factory=dict)
    layout: str | None = None
    skew: timedelta = SKEW
    release: str | None = None
    searches: bool = True

    @property
    def named_paths(self) -> tuple[str, ...]:
        """The paths, each with its host where that is said."""
        return (*self.paths, *(f"{host}={path}" for path, host in self.hosts.items()))


@dataclass(frozen=True)
class Done:
    """A finished audit, the tables that it was made from, and the stories that a search found."""

    audit: Audit
    silver: Silver
    stories: Mapping[str, Trace]


HERE_BYTES = 2_000_000_000
"""So many bytes of logs are read without Spark: the most that was measured (docs/measurements.md). Spark on the same
machine takes longer for as much, but it does not hold in memory what it sorts."""

GZIP_FACTOR = 15
"""A .gz counts as so many times its size: it is 14 of the recorded logs, and 18 of generated ones."""


def run_audit(asked: Asked, folder: Path, master: str | None, tell: Tell, warn: Callable[[str], None]) -> Done:
    """An audit with its tables in a folder, on Spark where there is a master or much to read, else on this machine.

    PrerequisiteError where a master is named at which Spark cannot run, or pyarrow is missing. Without a master Spark's
    absence is only told, by `warn`.
    """
    if master is None:
        size = bytes_of(asked)
        if size <= HERE_BYTES:
            return audit_here(asked, folder, tell)
        try:
            require_spark()
        except PrerequisiteError as missing:
            warn(f"{size / 1e9:,.1f} GB of logs are read without Spark, and sorted in memory: {missing}")
            return audit_here(asked, folder, tell)
    return _audit_on_spark(asked, folder, master or "local[*]", tell)


def _audit_on_spark(asked: Asked, folder: Path, master: str, tell: Tell) -> Done:
    by = f"Spark at {master}"
    tell(f"starting {by}")
    with audit_session(master, folder / "spark") as driver:
        made, findings = _make(asked, folder, silver_on_spark(driver), gold_on_spark(driver), tell)
    return _explain(asked, made, findings, by, tell)


def audit_here(asked: Asked, folder: Path, tell: Tell = lambda status: None) -> Done:
    """An audit by this process, and by a worker for each CPU where there are pieces enough."""
    require_library("pyarrow", part=AUDIT)
    count = min(cpus(), -(-bytes_of(asked) // PIECE_BYTES))
    by = f"{count} workers of this machine" if count > 1 else "this process"
    tell(f"starting {by}")
    with worker_pool(count) as pool:
        made, findings = _make(asked, folder, silver_by_pool(pool), gold_by_pool(pool), tell)
    return _explain(asked, made, findings, by, tell)


def bytes_of(asked: Asked) -> int:
    """About how many bytes the lines of all named files have."""
    found, _ = files_of(asked.named_paths)
    return sum(_size(path) * (GZIP_FACTOR if is_gzip(path) else 1) for _, path in found)


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _make(
    asked: Asked, folder: Path, silver: Runner, gold: GoldRunner, tell: Tell
) -> tuple[SilverRun, Sequence[Finding]]:
    """What was read, and what was found in it."""
    tell("reading")
    made = make_silver(asked.named_paths, folder, ReadingOptions(asked.layout, asked.zones), silver)
    tell("looking for what happened")
    return made, make_gold(folder, gold, asked.skew).findings


def _explain(asked: Asked, made: SilverRun, findings: Sequence[Finding], by: str, tell: Tell) -> Done:
    """The findings, each with its explanation, in the order of reports."""
    silver = Silver(made.folder / "silver")
    search = Searching() if asked.searches else None
    around = silver.around(findings)
    clocks = Clocks(asked.skew, around.turns)
    explainer = Explainer(
        around,
        lambda one, other: clocks.before(one, other) is True,
        asked.release,
        search,
        made.has_broker_log,
        around.versions,
    )
    explained = []
    for number, finding in enumerate(with_text(findings), 1):
        tell(f"explained {number:,} of {len(findings):,} findings")
        explained.append(Explained(finding, explainer.explain(finding)))
    read = read_of(made, by)
    audit = Audit(read, in_order(explained), () if read.events else (NOTHING_READ,))
    return Done(audit, silver, search.found if search else {})


NOTHING_READ = "no line that was read says anything of offsets: no finding then means nothing"
"""The note of an audit without events."""

SHAPES = 20
"""How many shapes of unknown lines a report has: the most frequent."""


def read_of(made: SilverRun, by: str) -> Read:
    """What was read, and by whom."""
    return Read(
        by=by,
        files=sum(bool(row["kind"]) for row in made.files),
        lines=made.total("lines"),
        events=made.total("events"),
        unknown=made.total("unknown_lines"),
        malformed=tuple((row["file"], row["malformed_lines"]) for row in made.files if row["malformed_lines"]),
        unreadable=tuple(made.unreadable),
        unfinished=tuple(made.unfinished),
        unknown_shapes=made.shapes[:SHAPES],
    )

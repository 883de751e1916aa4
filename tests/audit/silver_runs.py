"""A run of silver on Spark as a process of its own: `python -m audit.silver_runs MASTER OUT PATH...`."""

from __future__ import annotations

import sys
from pathlib import Path

from offsetproof.audit.silver.on_spark import audit_session, on_spark
from offsetproof.audit.silver.run import make_silver
from offsetproof.audit.silver.sources import ReadingOptions


def main(master: str, out: str, *paths: str) -> None:
    """Makes silver of these paths."""
    with audit_session(master, Path(out) / "spark") as driver:
        run = make_silver(paths, Path(out), ReadingOptions(zones={"": "GMT+8"}), on_spark(driver))
    print(run.new_lines, run.new_events)


if __name__ == "__main__":
    main(*sys.argv[1:])

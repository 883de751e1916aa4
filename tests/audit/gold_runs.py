"""A run of gold on Spark as a process of its own: `python -m audit.gold_runs MASTER FOLDER`."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path

from offsetproof.audit.gold.run import make_gold, on_spark
from offsetproof.audit.silver.on_spark import audit_session


def main(master: str, folder: str) -> None:
    """Makes gold of the silver in a folder."""
    with audit_session(master, Path(folder) / "spark") as driver:
        run = make_gold(Path(folder), on_spark(driver), timedelta(seconds=1))
    print(len(run.findings))


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The own size before and after the rebuilding, for docs/measurements.md (`python -m studies.house [COMMIT]`).

Each commit is unpacked into a folder and measured there by `tools/measure_house.py` as it is now.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from studies import RECORDS, ROOT
from tools.measure_house import Measures, measure, table

DATA = RECORDS / "house.json"
BEFORE = "5662e528"
"""The last commit before a step of a model became one record, which the house was reviewed at."""


def main() -> None:
    """Measures the commit before the rebuilding and another one, the last if none is named, and writes the data."""
    commits = [BEFORE, _git("rev-parse", "--short=8", *(sys.argv[1:] or ["HEAD"])).decode().strip()]
    record = {commit: {"day": _day(commit), "measures": _measure_commit(commit)} for commit in commits}
    DATA.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


def sizes() -> str:
    """The measures of both commits beside each other."""
    record = json.loads(DATA.read_text(encoding="utf-8"))
    return table({f"`{commit}`, {each['day']}": each["measures"] for commit, each in record.items()})


def _measure_commit(commit: str) -> Measures:
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(_git("archive", commit))) as archive:
            archive.extractall(folder, filter="data")
        return measure(Path(folder))


def _day(commit: str) -> str:
    return _git("show", "-s", "--format=%cs", commit).decode().strip()


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()

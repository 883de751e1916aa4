"""What `offsetproof rocketmq fetch` says: for each release where its jars are, and how they came there."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.real.fetching import Fetched
from offsetproof.reports.json import envelope


def fetched_text(fetched: Sequence[Fetched]) -> str:
    """Two lines for each release, and one more where it lacks something; paths are not wrapped."""
    return "".join(f"{line}\n" for each in fetched for line in _lines(each))


def fetched_json(fetched: Sequence[Fetched]) -> str:
    """One document; `seconds` is null where there was nothing to fetch."""
    return json.dumps({**envelope(DEFAULT), "fetched": [_row(each) for each in fetched]}, indent=2) + "\n"


def _lines(each: Fetched) -> list[str]:
    lock = each.jars.lock
    how = "all there" if each.seconds is None else f"fetched in {each.seconds:.1f} s"
    lines = [f"RocketMQ {lock.release}: {len(lock.jars)} jars, {lock.bytes / 1e6:.1f} MB, {how}, each as published"]
    if lock.lacking:
        names = ", ".join(coordinates.split(":")[1] for coordinates in lock.lacking)
        lines.append(f"  without {names}, which Maven did not find when they were locked")
    return [*lines, f"  {each.jars.folder}"]


def _row(each: Fetched) -> dict[str, Any]:
    lock = each.jars.lock
    return {
        "release": lock.release,
        "folder": str(each.jars.folder),
        "jars": len(lock.jars),
        "bytes": lock.bytes,
        "digest": lock.digest,
        "lacking": list(lock.lacking),
        "seconds": None if each.seconds is None else round(each.seconds, 3),
    }

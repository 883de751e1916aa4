"""Counts how often stories happen by themselves on a whole cluster, and writes data (`make natural`).

`--logs FOLDER` keeps the log files of every broker and client, by release and scenario. Names of scenarios try only
those again, `--release 5.3.3` or `--release broker=5.3.3,client=4.9.4` tries them on another release than theirs; what
was counted before of the others stays.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path
from typing import Any

from offsetproof.real.compiling import CompiledRig
from offsetproof.real.fetching import fetch
from offsetproof.real.kept_logs import folder_for
from offsetproof.real.whole.cluster import whole_rig
from studies import RECORDS
from studies.natural_timing.scenarios import SCENARIOS
from studies.natural_timing.trying import TIMES, Scenario, Tally, try_scenario

DATA = RECORDS / "natural.json"
_TRIES = "tries.json"
"""Beside the logs: what was seen in each try."""


def main() -> None:
    given = _arguments()
    for name in given.scenarios or [scenario.name for scenario in SCENARIOS]:
        (scenario,) = [each for each in SCENARIOS if each.name == name]
        for release in [given.release] if given.release else scenario.releases:
            measured = _measure(scenario, release, given.times, given.logs)
            found = read()
            found.setdefault(release, {})[name] = measured
            DATA.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m studies.natural", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO")
    parser.add_argument("--release")
    parser.add_argument("--times", type=int, default=TIMES)
    parser.add_argument("--logs", type=Path)
    return parser.parse_args()


def read() -> dict[str, Any]:
    """What has been counted, by release and scenario."""
    found: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}
    return found


def _measure(scenario: Scenario, release: str, times: int, logs: Path | None) -> dict[str, Any]:
    """All tries of a scenario, with how much else the machine had to do."""
    kept = None if logs is None else folder_for(logs / release, scenario.name)
    before = os.getloadavg()[0]
    rig, clients = rigs_of(release)
    tally = try_scenario(rig, scenario, times, logs=kept, clients=clients, tell=_tell)
    measured = {
        **tally_as_json(tally),
        "cpus": os.cpu_count(),
        "load": [round(before, 1), round(os.getloadavg()[0], 1)],
    }
    if kept is not None:
        (kept / _TRIES).write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    return measured


def rigs_of(release: str) -> tuple[CompiledRig, CompiledRig | None]:
    """The rig of a release, and that of its clients where these are of another one."""
    if "=" not in release:
        return whole_rig(fetch(release).jars), None
    by_role = dict(part.split("=") for part in release.split(","))
    return whole_rig(fetch(by_role["broker"]).jars), whole_rig(fetch(by_role["client"]).jars)


def tally_as_json(tally: Tally) -> dict[str, Any]:
    """All tries of a scenario as plain data."""
    return {
        "scenario": tally.scenario.name,
        "release": tally.release,
        "happened": tally.happened,
        "told": tally.told,
        "tries": [
            {"number": end.number, "happened": end.happened, "seen": end.seen, "seconds": round(end.seconds, 1)}
            for end in tally.ends
        ],
    }


def _tell(said: object) -> None:
    sys.stderr.write(f"{said}\n")


if __name__ == "__main__":
    main()

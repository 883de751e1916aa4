"""Records logs of real clusters with what an audit of them has to find (`make audit-data`).

Names of scenarios, and `--release`, record those again alone; all that is there of a recording is replaced by it.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import time
from pathlib import Path

from offsetproof.real.fetching import fetch
from offsetproof.real.whole.cluster import running_cluster, whole_rig
from offsetproof.real.whole.member import Member
from studies.audited.keeping import keep, labels_json
from studies.audited.recording import Recording
from studies.audited.scenario import Scenario
from studies.audited.scenarios import SCENARIOS

_PATIENCE = 240.0
"""Seconds that a JVM may take to answer, on a machine that does other work."""
FOLDER = Path(__file__).parents[1] / "tests" / "audit" / "data"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m studies.audit_data", description=__doc__)
    parser.add_argument("scenarios", nargs="*", metavar="SCENARIO", choices=[*(each.name for each in SCENARIOS), []])
    parser.add_argument("--release")
    parser.add_argument("--to", type=Path, default=FOLDER)
    given = parser.parse_args()
    for scenario in SCENARIOS:
        if not given.scenarios or scenario.name in given.scenarios:
            for release in scenario.releases:
                if given.release in (None, release):
                    record(scenario, release, given.to / release / scenario.name)


def record(scenario: Scenario, release: str, folder: Path) -> None:
    """Records a scenario on a release into a folder of its own."""
    began = time.monotonic()
    broker, clients = releases_of(release)
    rigs = whole_rig(fetch(broker).jars), whole_rig(fetch(clients).jars)
    with running_cluster(rigs[0], clients=rigs[1], noted=True, patience=_PATIENCE, **scenario.settings) as cluster:
        own = Recording(cluster)
        scenario.run(own)
        recorded = own.end()
        if folder.exists():
            shutil.rmtree(folder)
        keep(cluster, recorded, folder, whole=scenario.name == "clean")
        zones = {member.name: _zone(clients, member) for member in cluster.members}
        labels = labels_json(release, clients, scenario.does, recorded, zones)
        (folder / "labels.json").write_text(labels, encoding="utf-8")
    sys.stderr.write(f"{release} {scenario.name}: {time.monotonic() - began:.0f} s\n")


def releases_of(release: str) -> tuple[str, str]:
    """The release of the broker, and that of the clients.

    >>> releases_of("4.9.4"), releases_of("broker=5.3.3,client=4.9.4")
    (('4.9.4', '4.9.4'), ('5.3.3', '4.9.4'))
    """
    if "=" not in release:
        return release, release
    named = dict(each.split("=") for each in release.split(","))
    return named["broker"], named["client"]


def _zone(clients: str, member: Member) -> str:
    """The zone of a log's stamps: clients of 4.9 write that of their JVM."""
    of_jvm = member.role == "consumer" and clients.startswith("4.")
    return member.zone or time.tzname[0] if of_jvm else "GMT+8"


if __name__ == "__main__":
    main()

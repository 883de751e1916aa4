"""A real cluster: a master and workers as processes of their own, on loopback, started from PySpark's own jars."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyspark
import pytest
from spark.processes import CLAIM, started, told

from offsetproof.engines.spark.manifest import MANIFEST, read_manifest
from offsetproof.engines.spark.site import PARTS_LEAST

HOME = Path(pyspark.__file__).parent
MOST_SECONDS = 60


def _java(log: Path, *command: str) -> subprocess.Popen[bytes]:
    """One of Spark's own servers, in a session of its own."""
    environment = os.environ | {
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOG_DIR": str(log.parent),
    }
    with log.open("wb") as out:
        return subprocess.Popen(
            ["bash", str(HOME / "bin" / "spark-class"), *command],
            stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True,
        )  # fmt: skip


def _said(log: Path, pattern: str) -> str:
    """What a server has written, as soon as it has."""
    for _ in range(MOST_SECONDS * 10):
        found = re.search(pattern, log.read_text(encoding="utf-8", errors="replace"))
        if found:
            return found[0]
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8", errors="replace")[-2000:])


@pytest.fixture
def master(tmp_path: Path) -> Iterator[str]:
    """The address of a cluster of two workers with one core each."""
    deploy = "org.apache.spark.deploy"
    where = ("--host", "127.0.0.1", "--port", "0", "--webui-port", "0")
    servers = [_java(tmp_path / "master.log", f"{deploy}.master.Master", *where)]
    try:
        address = _said(tmp_path / "master.log", r"spark://127\.0\.0\.1:\d+")
        for name in ("one", "two"):
            given = ("--cores", "1", "--memory", "1g", "--work-dir", str(tmp_path / name), address)
            servers.append(_java(tmp_path / f"{name}.log", f"{deploy}.worker.Worker", *where, *given))
        for name in ("one", "two"):
            _said(tmp_path / f"{name}.log", "Successfully registered with master")
        yield address
    finally:
        for server in servers:
            os.killpg(server.pid, signal.SIGTERM)
        for server in servers:
            server.wait(timeout=MOST_SECONDS)


@pytest.mark.alone
@pytest.mark.slow
def test_cluster_gives_the_counts_of_the_explicit_engine(
    master: str, tmp_path: Path, expected: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    assert told(started(tmp_path, master)) == expected
    (manifest,) = (read_manifest(file) for file in tmp_path.glob(f"spark/{CLAIM},*/{MANIFEST}"))
    assert manifest.parts == 2 * PARTS_LEAST, "both workers had their share"

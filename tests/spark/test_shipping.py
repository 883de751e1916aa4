"""What is sent to executors elsewhere is the whole program: it decides a claim from the archive alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from offsetproof.engines.spark.shipping import pack_program
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.sweep.fingerprint import fingerprint
from offsetproof.verdict.limits import Limits

DECIDE = """
import json, site, sys
sys.path = [sys.argv[1], *(path for path in sys.path if not path.endswith("src"))]
sys.meta_path = [finder for finder in sys.meta_path if "editable" not in type(finder).__module__ + repr(finder)]
from offsetproof.sweep.deciding import Task, decided_apart
from offsetproof.lang.world import ClaimInWorld
from offsetproof.verdict.limits import Limits
import offsetproof
assert offsetproof.__file__.startswith(sys.argv[1]), offsetproof.__file__
row = decided_apart(Task("rocketmq", ClaimInWorld("I11", "4.9.4", "first-commits"), Limits(), sys.argv[2]))
print(json.dumps([row["verdict"], row["steps"], row["detail"]]))
"""


@pytest.mark.slow
def test_archive_decides_a_question_on_its_own(tmp_path: Path) -> None:
    archive, mark = pack_program(tmp_path), fingerprint(ROCKETMQ, Limits())
    run = subprocess.run(
        [sys.executable, "-c", DECIDE, str(archive), mark], capture_output=True, text=True, cwd=tmp_path
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == '["REFUTED", 9, ""]'

"""Installs the other model checkers that the tests run, where it can: Debian's packages, as root.

Where it cannot, it says what to install and fails: a test that needs a tool is never skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

PACKAGES = {"spin": "spin", "gcc": "gcc", "java": "default-jre-headless"}


def main() -> int:
    """0 when every tool is there at the end."""
    missing = {tool: package for tool, package in PACKAGES.items() if shutil.which(tool) is None}
    if missing and shutil.which("apt-get") and os.geteuid() == 0:
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", *missing.values()]):
            subprocess.run(
                command, check=False, stdout=subprocess.DEVNULL, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
            )
        missing = {tool: package for tool, package in missing.items() if shutil.which(tool) is None}
    if missing:
        sys.stderr.write(
            f"the tests need {', '.join(missing)}; on Debian or Ubuntu: apt-get install {' '.join(missing.values())}\n"
        )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())

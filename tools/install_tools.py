"""Installs what the tests run beside Python, where it can: Debian's packages, as root.

Other model checkers, a JDK, Maven and a browser. Where it cannot, it says what to install and fails: a test that needs
a tool is never skipped.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

from offsetproof.real.jdk import JDK_MIN, find_jdk
from offsetproof.verdict.prerequisite import PrerequisiteError

PACKAGES = {"spin": "spin", "gcc": "gcc", "mvn": "maven", "chromium": "chromium"}
# Another set-up on the same machine may hold the package manager's lock; seconds.
WAIT = "DPkg::Lock::Timeout=300"
JDK = {f"a JDK {JDK_MIN} or newer": "default-jdk-headless"}


def missing() -> dict[str, str]:
    """The tools that are not there, each with its package."""
    tools = {tool: package for tool, package in PACKAGES.items() if shutil.which(tool) is None}
    try:
        find_jdk()
    except PrerequisiteError:
        return {**JDK, **tools}
    return tools


def main() -> int:
    """0 when every tool is there at the end."""
    lacking = missing()
    if lacking and shutil.which("apt-get") and os.geteuid() == 0:
        for arguments in (["update"], ["install", "-y", *lacking.values()]):
            subprocess.run(
                ["apt-get", "-o", WAIT, "-qq", *arguments],
                check=False,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
            )
        lacking = missing()
    if lacking:
        sys.stderr.write(
            f"the tests need {', '.join(lacking)}; on Debian or Ubuntu: apt-get install {' '.join(lacking.values())}\n"
        )
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())

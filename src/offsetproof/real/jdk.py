"""The JDK that compiles and runs the Java side: a compiler and the debugger interface, not only what runs programs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from offsetproof.verdict.prerequisite import JDK, PrerequisiteError

JDK_MIN = 17
_SECONDS = 60.0

QUICK_START = "-XX:TieredStopAtLevel=1"
"""For a JVM that lives for seconds: its optimising compiler costs more than it gains (javac takes it after -J)."""


@dataclass(frozen=True)
class Jdk:
    """The two programs of a JDK, as paths."""

    java: str
    javac: str


def find_jdk() -> Jdk:
    """The JDK in JAVA_HOME, else on the path; PrerequisiteError says what is missing, and how to get it."""
    needs = f"a JDK {JDK_MIN} or newer is needed"
    java, javac = _program("java"), _program("javac")
    if java is None or javac is None:
        lacks = "no java" if java is None else "a java, but no compiler (javac)"
        where = "in JAVA_HOME" if os.environ.get("JAVA_HOME") else "on the path"
        raise PrerequisiteError(f"{needs}, and there is {lacks} {where}; {JDK.how_to_get}")
    version = re.match(r"javac (?:1\.)?(\d+)", _said_by(javac, "-version"))
    if version is None or int(version[1]) < JDK_MIN:
        has = f"{javac} is of Java {version[1]}" if version else f"{javac} does not say of which version it is"
        raise PrerequisiteError(f"{needs}, and {has}; {JDK.how_to_get}")
    if not re.search(r"^jdk\.jdi\b", _said_by(java, "--list-modules"), re.MULTILINE):
        raise PrerequisiteError(f"{needs}, and {java} lacks the module jdk.jdi; {JDK.how_to_get}")
    return Jdk(java, javac)


def _program(name: str) -> str | None:
    home = os.environ.get("JAVA_HOME")
    return shutil.which(name, path=str(Path(home) / "bin") if home else None)


def _said_by(program: str, option: str) -> str:
    try:
        ran = subprocess.run([program, option], capture_output=True, text=True, check=False, timeout=_SECONDS)
    except (OSError, subprocess.SubprocessError):
        return ""
    return ran.stdout + ran.stderr

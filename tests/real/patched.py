"""Classes of 4.9.4 changed in their bytecode, as somebody's patch of their source would change them."""

from __future__ import annotations

import os
import subprocess
from atexit import register
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import QUICK_START, find_jdk

_PATCHER = Path(__file__).parent / "java" / "Patcher.java"

Patched = Callable[..., Path]
"""Makes a folder with the classes that some changes leave, by the names in Patcher.java."""


def patch(jars: JarSet, folder: Path, *changes: str) -> Path:
    """The folder, with the classes that these changes leave."""
    class_path = os.pathsep.join([str(_compiled(jars.class_path)), jars.class_path])
    command = [find_jdk().java, QUICK_START, "-cp", class_path, "Patcher", str(folder), *changes]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder


@cache
def _compiled(class_path: str) -> Path:
    """The folder with the compiled patcher, which is gone when the tests are over."""
    folder = TemporaryDirectory(prefix="patcher-")
    register(folder.cleanup)
    command = [find_jdk().javac, f"-J{QUICK_START}", "-nowarn", "-d", folder.name, "-cp", class_path, str(_PATCHER)]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return Path(folder.name)

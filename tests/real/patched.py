"""Classes of 4.9.4 changed in their bytecode, as somebody's patch of their source would change them."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

from offsetproof.real.jars import JarSet
from offsetproof.real.jdk import find_jdk

_PATCHER = Path(__file__).parent / "java" / "Patcher.java"

Patched = Callable[..., Path]
"""Makes a folder with the classes that some changes leave, by the names in Patcher.java."""


def patch(jars: JarSet, folder: Path, *changes: str) -> Path:
    """The folder, with the classes that these changes leave."""
    command = [find_jdk().java, "-cp", jars.class_path, str(_PATCHER), str(folder), *changes]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
    return folder

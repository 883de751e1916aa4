"""A machine with a small release, for tests that need no real jar."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from real.patched import Patched, patch
from real.published import Machine

from offsetproof.real import jars
from offsetproof.real.compiling import CompiledRig, compile_rig
from offsetproof.real.sidecar import Gates, Sidecar


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """An empty cache, the small release alone, and a Maven that has it."""
    made = Machine(tmp_path)
    made.set_up()
    monkeypatch.setattr(jars, "LOCKS", made.locks)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for name, value in made.environment.items():
        monkeypatch.setenv(name, value)
    return made


@pytest.fixture(scope="session")
def rig(published: Callable[[str], jars.JarSet]) -> CompiledRig:
    """The rig of 4.9.4, compiled."""
    return compile_rig(published("4.9.4"))


@pytest.fixture(scope="session")
def woven(rig: CompiledRig, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sidecar]:
    """A sidecar with woven gates for all tests of a process that do it no harm."""
    with Sidecar(rig, tmp_path_factory.mktemp("woven"), Gates.WOVEN) as sidecar:
        yield sidecar


@pytest.fixture(scope="session")
def patched(published: Callable[[str], jars.JarSet], tmp_path_factory: pytest.TempPathFactory) -> Patched:
    """Folders with changed classes of 4.9.4, each made once."""
    made: dict[tuple[str, ...], Path] = {}

    def classes(*changes: str) -> Path:
        if changes not in made:
            made[changes] = patch(published("4.9.4"), tmp_path_factory.mktemp("-".join(changes)), *changes)
        return made[changes]

    return classes

"""Maven, asked for artifacts and all that they need at run time."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from offsetproof.programs import running
from offsetproof.real.jdk import find_jdk
from offsetproof.verdict.prerequisite import MAVEN, PrerequisiteError

_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_SAID_LINES, _SAID_CHARACTERS = 3, 600
_ADVICE = ("To see the full stack trace", "Re-run Maven", "For more information", "[Help ")

Tell = Callable[[object], None]


def find_maven() -> str:
    """The path of Maven; PrerequisiteError says what of it and of a JDK is missing, and how to get it."""
    missing = []
    try:
        find_jdk()
    except PrerequisiteError as error:
        missing.append(str(error))
    maven = shutil.which("mvn")
    if maven is None:
        missing.append(f"Maven is needed, and there is no mvn on the path; {MAVEN.how_to_get}")
    if maven is None or missing:
        raise PrerequisiteError("; ".join(missing))
    return maven


def copy_artifacts(asked: Sequence[str], folder: Path, *, seconds: float, tell: Tell) -> dict[str, Path]:
    """Copies artifacts (group:artifact:version) and what they need into a new folder; the files by coordinates.

    PrerequisiteError where there is no Maven, and where it fails or has not ended after that many seconds.
    """
    maven = find_maven()
    folder.mkdir()
    (folder / "pom.xml").write_text(_pom(asked), encoding="utf-8")
    copied = folder / "artifacts"
    options = ["-DincludeScope=runtime", "-Dmdep.useRepositoryLayout=true", f"-DoutputDirectory={copied}"]
    # -U: without it Maven remembers for a day that an artifact could not be had
    code, output = _run([maven, "-B", "-ntp", "-U", _GOAL, *options], folder, seconds, tell)
    if code:
        raise PrerequisiteError(
            f"Maven could not get {_in_words(asked)}: {last_words(output) or f'it ended with {code}'}"
        )
    return {_coordinates(file.relative_to(copied)): file for file in sorted(copied.rglob("*.jar"))}


def _pom(asked: Iterable[str]) -> str:
    wanted = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version></dependency>"
        for group, artifact, version in (escape(each).split(":") for each in asked)
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>offsetproof</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>"
        f"<dependencies>{wanted}</dependencies></project>\n"
    )


def _run(command: Sequence[str], folder: Path, seconds: float, tell: Tell) -> tuple[int, str]:
    """Maven's exit code and output; it is ended when the time is over."""
    begun = time.monotonic()
    with running(command, folder) as process:
        while (left := begun + seconds - time.monotonic()) > 0:
            try:
                output, _ = process.communicate(timeout=min(left, 1.0))
                return process.returncode, output.decode(errors="replace")
            except subprocess.TimeoutExpired:
                tell(f"Maven has worked for {time.monotonic() - begun:.0f} s")
    raise PrerequisiteError(
        f"Maven had not ended after {seconds:.0f} s; is there a network? --timeout gives it longer, "
        "and what it has so far it does not fetch again"
    )


def last_words(output: str) -> str:
    """What Maven gave as its reason: its errors without its advice, else its last lines.

    >>> last_words("[INFO] Scanning\\n[ERROR] no such host -> [Help 1]\\n[ERROR]\\n[ERROR] Re-run Maven using -X\\n")
    'no such host'
    """
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line.removeprefix("[ERROR]").strip() for line in lines if line.startswith("[ERROR]")]
    reasons = [line for line in errors if line and not line.startswith(_ADVICE)]
    said = " ".join(reasons[:_SAID_LINES] or lines[-_SAID_LINES:]).partition(" -> [Help")[0]
    return said if len(said) <= _SAID_CHARACTERS else said[: _SAID_CHARACTERS - 3] + "..."


def _in_words(asked: Sequence[str]) -> str:
    return ", ".join(each.split(":")[1] for each in asked) + " " + asked[0].split(":")[2]


def _coordinates(file: Path) -> str:
    """The coordinates of a file that lies where a repository has it.

    >>> _coordinates(Path("io/netty/netty-epoll/4.1/netty-epoll-4.1-linux.jar"))
    'io.netty:netty-epoll:4.1:linux'
    """
    *group, artifact, version, name = file.parts
    classifier = name.removeprefix(f"{artifact}-{version}").removesuffix(".jar").lstrip("-")
    return ":".join([".".join(group), artifact, version, *([classifier] if classifier else [])])

"""A trace as a regression test that a RocketMQ project keeps: it fails as long as the story happens on its classes.

The test brings the trace along and has `offsetproof judge --trace` do it on the project's own classes. So it
needs the program, a JDK and the release's jars; lines are looked up in the classes as they are, which no schedule of
lines that is written down once could do.
"""

from __future__ import annotations

import base64
import gzip
import re
from textwrap import wrap

from offsetproof.checking.replaying import Replayed
from offsetproof.conformance.on_release import rigged_subjects
from offsetproof.traces.store import write_record
from offsetproof.traces.trace import Trace
from offsetproof.verdict.phrases import quantity
from offsetproof.verdict.prerequisite import NotStartedError

_COLUMNS = 100


def shown_junit5(trace: Trace, _outcome: Replayed) -> str:
    """A test class for JUnit 5, which needs Java 11."""
    parts = ",\n".join(f'        "{part}"' for part in _pack(trace))
    name = class_name(trace)
    return _JUNIT.format(name=name, about=_about(trace, " * "), release=trace.world.release, parts=parts)


def shown_pytest(trace: Trace, _outcome: Replayed) -> str:
    """A test for pytest."""
    parts = "\n".join(f'    "{part}"' for part in _pack(trace))
    name = "_".join(_words(trace)).lower()
    return _PYTEST.format(name=name, about=_about(trace, ""), release=trace.world.release, parts=parts)


def class_name(trace: Trace) -> str:
    """What the class of a trace's test is called: `BackwardResetStaysI5Test`."""
    return "".join(word[:1].upper() + word[1:] for word in _words(trace)) + "Test"


def _words(trace: Trace) -> list[str]:
    return re.split(r"[^A-Za-z0-9]+", f"{trace.property.name}-{trace.property.id}")


def _pack(trace: Trace) -> list[str]:
    """The trace as it is recorded, zipped, as short texts. NotStartedError for one that no rig can do."""
    if trace.subject not in rigged_subjects() or trace.world.release is None:
        whose, can = trace.subject or "a model that it does not name", ", ".join(rigged_subjects())
        raise NotStartedError(
            f"the trace is of {whose}, which says nothing of how its actions are done on the real classes (a rigging), "
            f"so no test could do it; possible for {can}"
        )
    zipped = gzip.compress(write_record(trace).encode(), mtime=0)
    return wrap(base64.b64encode(zipped).decode(), _COLUMNS)


def _about(trace: Trace, margin: str) -> str:
    """What the test is about, in lines."""
    said = (
        f"{trace.property.name} ({trace.property.id}): a story of {quantity(trace.length, 'step')} that the model of "
        f"RocketMQ {trace.world.release} does. The test fails as long as it happens on the classes under test."
    )
    return f"\n{margin}".join(wrap(said, _COLUMNS - len(margin)))


_JUNIT = """// Written by `offsetproof show --format junit5`; keep it as {name}.java.
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.InputStream;
import java.net.URI;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {about}
 *
 * Needs offsetproof (on the path, or where the system property offsetproof.program says), a JDK 17, and the jars of
 * RocketMQ {release}: those that are not in its cache are fetched with Maven. Which classes are under test the system
 * property offsetproof.classpath says; without it, what has org/apache/rocketmq on this test's class path.
 */
class {name} {{
    private static final String RELEASE = "{release}";

    @Test
    void storyDoesNotHappen(@TempDir Path folder) throws Exception {{
        Path trace = folder.resolve("trace.json");
        try (InputStream zipped = new ByteArrayInputStream(Base64.getDecoder().decode(TRACE))) {{
            Files.write(trace, new GZIPInputStream(zipped).readAllBytes());
        }}
        List<String> command = List.of(
            System.getProperty("offsetproof.program", "offsetproof"), "judge", "--trace", trace.toString(),
            "--base", RELEASE, "--steps", "0", "--no-progress", "--classpath",
            System.getProperty("offsetproof.classpath", classesUnderTest()));
        File output = folder.resolve("output.txt").toFile();
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output).start();
        boolean ended = process.waitFor(10, TimeUnit.MINUTES);
        process.destroyForcibly();
        String said = new String(Files.readAllBytes(output.toPath()), StandardCharsets.UTF_8);
        int code = ended ? process.exitValue() : -1;
        String why = code == 20 ? "the story happens" : ended ? "it could not be tried" : "it took too long";
        assertEquals(0, code, why + ":\\n" + said);
    }}

    private static String classesUnderTest() throws Exception {{
        Set<String> found = new LinkedHashSet<>();
        ClassLoader loader = {name}.class.getClassLoader();
        for (URL each : Collections.list(loader.getResources("org/apache/rocketmq"))) {{
            String place = each.toString().replaceFirst("^jar:", "").replaceFirst("!?/org/apache/rocketmq/?$", "");
            found.add(Path.of(URI.create(place)).toString());
        }}
        return String.join(File.pathSeparator, found);
    }}

    private static final String TRACE = String.join("",
{parts});
}}
"""

_PYTEST = '''"""{about}

Written by `offsetproof show --format pytest`. Needs offsetproof (on the path, or where OFFSETPROOF_PROGRAM says), a JDK
17, and the jars of RocketMQ {release}: those that are not in its cache are fetched with Maven. OFFSETPROOF_CLASSPATH
has the classes under test, folders or jars.
"""

import base64
import gzip
import os
import subprocess

RELEASE = "{release}"
TRACE = (
{parts}
)


def test_{name}_does_not_happen(tmp_path):
    trace = tmp_path / "trace.json"
    trace.write_bytes(gzip.decompress(base64.b64decode(TRACE)))
    command = [os.environ.get("OFFSETPROOF_PROGRAM", "offsetproof"), "judge", "--trace", str(trace)]
    command += ["--base", RELEASE, "--steps", "0", "--no-progress", "--classpath", os.environ["OFFSETPROOF_CLASSPATH"]]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
    why = "the story happens" if ran.returncode == 20 else "it could not be tried"
    assert ran.returncode == 0, f"{{why}}:\\n{{ran.stdout}}"
'''

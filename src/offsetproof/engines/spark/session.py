"""A Spark session that keeps to itself: its log in a file, on this machine loopback only, a clear word where it fails.

On a cluster the folders of a run must be the same for all machines, and the addresses and settings are Spark's own
(SPARK_LOCAL_IP, SPARK_CONF_DIR with spark-defaults.conf).
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from offsetproof.engines.spark.driver import Driver, cause_of
from offsetproof.engines.spark.shipping import is_elsewhere, pack_program
from offsetproof.verdict.prerequisite import JDK, SPARK, Part, PrerequisiteError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

JAVA_MIN = 17
"""The oldest Java that Spark 4 runs on."""

_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""The JVM has little to do: what counts is how soon it is there."""

_JAVA_OPTIONS = "spark.driver.extraJavaOptions"

_LOG4J = """\
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
appender.file.type = File
appender.file.name = file
appender.file.fileName = {file}
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = %d %p %c: %m%n
"""


def require_library(name: str, or_else: str = "", part: Part = SPARK, for_spark: bool = False) -> None:
    """Raises PrerequisiteError, with what else can be done, unless a library of an optional part can be used.

    `for_spark`: it must also be as new as PySpark asks for.
    """
    try:
        import_module(name)
        if for_spark:
            new_enough = import_module("pyspark.sql.pandas.utils")
            getattr(new_enough, f"require_minimum_{name}_version")()
    except ImportError as error:
        raise PrerequisiteError(
            f"{name} is not installed, or not as it should be ({error}); {part.how_to_get}{or_else}"
        ) from error


def require_spark() -> None:
    """Raises PrerequisiteError unless PySpark, what it needs, and a Java for it are there."""
    require_library("pyspark")
    for name in ("pandas", "pyarrow"):
        require_library(name, for_spark=True)
    version = _java_version()
    if version is None or version < JAVA_MIN:
        has = "no Java was found" if version is None else f"this is Java {version}"
        raise PrerequisiteError(f"Spark needs Java {JAVA_MIN} or newer, and {has}; {JDK.how_to_get}")


def _java_version() -> int | None:
    """The major version of the Java that Spark would start; None where there is none."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home) / "bin" / "java") if home else shutil.which("java")
    if java is None:
        return None
    try:
        output = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60).stderr
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(?:1\.)?(\d+)', output)
    return int(match[1]) if match else None


@contextmanager
def session(master: str, folder: Path, settings: Mapping[str, str] | None = None) -> Iterator[Driver]:
    """A session for the time of the block; `folder` gets Spark's log, scratch files and configuration.

    `settings` are Spark's own, and stand above those that are made here; JVM options are added to these.
    Raises PrerequisiteError where Spark cannot run here.
    """
    require_spark()
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "spark.log"
    (folder / "log4j2.properties").write_text(_LOG4J.format(file=log), encoding="utf-8")
    if not is_elsewhere(master):
        os.environ["SPARK_CONF_DIR"] = str(folder)
        os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with ExitStack() as ending:
        ending.callback(shutil.rmtree, folder / "scratch", ignore_errors=True)
        ending.enter_context(_log_python_side(log))
        driver = Driver(master)
        ending.callback(driver.close)
        ending.callback(_end_gateway)
        driver.start(partial(_start_session, master, folder, log, settings or {}))
        ending.callback(driver.stop)
        if is_elsewhere(master):
            archive = str(pack_program(folder))
            driver.ask(lambda spark: spark.sparkContext.addPyFile(archive))
        yield driver


def _start_session(master: str, folder: Path, log: Path, own: Mapping[str, str]) -> SparkSession:
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    log4j = f'"-Dlog4j2.configurationFile={folder / "log4j2.properties"}"'
    settings = {
        "spark.local.dir": str(folder / "scratch"),
        "spark.sql.warehouse.dir": str(folder / "scratch" / "warehouse"),
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.codegen.wholeStage": "false",
        "spark.python.worker.reuse": "true",
        "spark.stage.maxConsecutiveAttempts": "1",
        "spark.scheduler.barrier.maxConcurrentTasksCheck.maxFailures": "1",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        _JAVA_OPTIONS: f"{own.get(_JAVA_OPTIONS, _QUICK)} {log4j}",
        "spark.executor.extraJavaOptions": log4j,
    }
    if not is_elsewhere(master):
        settings |= {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1"}
    settings |= {name: value for name, value in own.items() if name != _JAVA_OPTIONS}
    builder = SparkSession.builder.master(master).appName("offsetproof")
    for key, value in settings.items():
        builder = builder.config(key, value)
    try:
        with _stderr_into(log), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return builder.getOrCreate()
    except (PySparkException, Py4JError) as error:
        said = re.search(r"(?m)^(?:Error|Exception in thread).*", log.read_text(encoding="utf-8", errors="replace"))
        reason = said[0] if said else cause_of(error)
        raise PrerequisiteError(f"Spark cannot be started at {master}: {reason}; --out-dir keeps its log") from error


@contextmanager
def _log_python_side(log: Path) -> Iterator[None]:
    """What Python's side of Spark complains of goes to its log as well."""
    handler, root, own = logging.FileHandler(log), logging.getLogger(), logging.getLogger("py4j")
    root.addHandler(handler)
    own.setLevel(logging.ERROR)
    try:
        yield
    finally:
        root.removeHandler(handler)
        handler.close()


@contextmanager
def _stderr_into(file: Path) -> Iterator[None]:
    """What processes started within write to stderr goes to a file: the JVM speaks before its log is set up."""
    sys.stderr.flush()
    kept = os.dup(2)
    with file.open("ab") as sink:
        os.dup2(sink.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _end_gateway() -> None:
    """Ends the JVM that Spark was started in, and waits for it: no process is left behind."""
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

    gateway = SparkContext._gateway
    if gateway is None:
        return
    with suppress(OSError):
        gateway.shutdown()
    process = getattr(gateway, "proc", None)
    if process is not None:
        process.stdin.close()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    SparkContext._gateway = SparkContext._jvm = SparkContext._active_spark_context = None
    SparkSession._instantiatedSession = None

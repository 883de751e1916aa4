"""What tests of all folders share while they run, and which of them belong into one process."""

import gc
import os
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

import pytest
from systems.answered import Answered
from systems.parts import in_part, number_of_part
from xdist.workermanage import WorkerController

from offsetproof.real.fetching import fetch
from offsetproof.real.jars import JarSet

os.environ.pop("COLUMNS", None)  # readline puts it into the environment of what a process starts that has loaded it

TOGETHER = {"spark": "Spark", "target": "cargo"}
"""Fixtures that take long to set up, by the group of the tests that use them: one process runs them all."""


@pytest.fixture(scope="session")
def answered(tmp_path_factory: pytest.TempPathFactory) -> Answered:
    """Answers about RocketMQ, each decided once in this session, whichever of its processes needs it first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "answered"
    folder.mkdir(exist_ok=True)
    return Answered(folder)


@pytest.fixture(scope="session")
def published() -> Callable[[str], JarSet]:
    """The jars of a release, from this machine's cache; who needs them first fetches them, and others wait."""
    return lambda release: fetch(release).jars


def pytest_addoption(parser: pytest.Parser) -> None:
    """Which part of a suite is run, and how long a run may go on to begin tests."""
    parser.addoption("--part", type=number_of_part, metavar="K/N", help="the tests of part K of N; N parts are all")
    parser.addoption("--minutes", type=float, help="begin no test after so many minutes, and list those as not run")


BEGUN = time.monotonic()
NOT_RUN = "the time is over"
COLLECTED = pytest.StashKey[set[str]]()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test that there is no time for."""
    minutes = item.config.getoption("--minutes")
    begun = getattr(item.config, "workerinput", {}).get("begun", BEGUN)
    if minutes is not None and time.monotonic() - begun > 60 * minutes:
        pytest.skip(NOT_RUN)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: WorkerController) -> None:
    """Tells a process when the run began: one that replaces a crashed one would count all of the minutes again."""
    node.workerinput["begun"] = BEGUN


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: WorkerController, ids: Sequence[str]) -> None:
    """Keeps which tests there are to run, where other processes run them."""
    node.config.stash[COLLECTED] = {*ids}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Lists and counts the tests that a run with a limit has not run, or not to their end."""
    collected = config.stash.get(COLLECTED, set())
    left = sorted(collected - {*_ended(terminalreporter.stats)})
    if config.getoption("--minutes") is not None and left:
        terminalreporter.section("not run")
        for test in left:
            terminalreporter.line(test)
        terminalreporter.line(f"NOT RUN: {len(left)} of {len(collected)} tests", red=True)


def _ended(reports: Mapping[str, Sequence[object]]) -> Iterator[str]:
    """The tests that have an outcome; reports that have none yet, as of a setup, are those of no category."""
    for category, group in reports.items():
        for report in group if category else ():
            if isinstance(report, pytest.TestReport) and NOT_RUN not in str(report.longrepr):
                yield report.nodeid


def pytest_collection() -> None:
    """Nothing that is loaded here becomes garbage: looking for some took a third of the time."""
    gc.disable()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Keeps which tests there are. What was loaded stays, too: no collection looks at it any more."""
    session.config.stash[COLLECTED] = {item.nodeid for item in session.items}
    gc.freeze()
    gc.enable()


@pytest.hookimpl(wrapper=True, tryfirst=True)  # pytest-xdist reads the groups in its own; the part is of what -m leaves
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> Generator[None]:
    """Groups go first, as they take longest. Fast tests of a file are a group. Other parts are left out."""
    for item in items:
        used = [group for fixture, group in TOGETHER.items() if fixture in getattr(item, "fixturenames", ())]
        if used or item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.xdist_group(used[0] if used else item.location[0]))
    items.sort(key=lambda item: TOGETHER.keys().isdisjoint(getattr(item, "fixturenames", ())))
    yield
    part = config.getoption("--part")
    if part is not None:
        chosen = in_part(items, *part, lambda item: item.location[0])
        config.hook.pytest_deselected(items=[item for item in items if item not in set(chosen)])
        items[:] = chosen

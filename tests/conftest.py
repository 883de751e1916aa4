"""What tests of all folders share while they run, and which of them belong into one process."""

import gc
import os
import time
from collections.abc import Callable

import pytest
from systems.answered import Answered
from systems.turns import in_turn

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
    """How long a process of a suite may go on to start tests, and with which it begins then."""
    parser.addoption("--minutes", type=float, help="skip the tests that have not begun after so many minutes")
    parser.addoption("--turn", type=int, help="with --minutes: the number of their order; else 0")


BEGUN = time.monotonic()
TURN = "OFFSETPROOF_TURN"
"""The number of the order, for all processes of a run."""


def pytest_configure(config: pytest.Config) -> None:
    """Settles the order before other processes are started."""
    turn = config.getoption("--turn")
    if turn is not None:
        os.environ[TURN] = str(turn)
    os.environ.setdefault(TURN, "0")


def pytest_report_header(config: pytest.Config) -> str | None:
    """How to have the same order again."""
    if config.getoption("--minutes") is None:
        return None
    return f"the order is that of --turn={os.environ[TURN]}: what there is no time for is something else in each"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """What there is no time for is skipped, and told at the end like all that is skipped."""
    minutes = item.config.getoption("--minutes")
    if minutes is not None and time.monotonic() - BEGUN > 60 * minutes:
        pytest.skip(f"the {minutes:g} minutes are over")


def pytest_collection() -> None:
    """Nothing that is loaded here becomes garbage: looking for some took a third of the time."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was loaded stays: no collection looks at it any more."""
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the groups in its own
def pytest_collection_modifyitems(items: list[pytest.Item], config: pytest.Config) -> None:
    """Groups go first, as they take longest, but not with --minutes. Fast tests of a file are a group."""
    for item in items:
        used = [group for fixture, group in TOGETHER.items() if fixture in getattr(item, "fixturenames", ())]
        if used or item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.xdist_group(used[0] if used else item.location[0]))
    if config.getoption("--minutes") is None:
        items.sort(key=lambda item: TOGETHER.keys().isdisjoint(getattr(item, "fixturenames", ())))
    else:
        items[:] = in_turn(items, int(os.environ[TURN]), lambda item: item.location[0])

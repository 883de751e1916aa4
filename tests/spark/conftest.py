"""What tests on Spark compare with, the engine that they share, and that nothing outlives them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from spark.processes import CLAIM, SCOPE, end_sessions

from offsetproof.checking.request import Request, questions_of
from offsetproof.engines.explicit.engine import Explicit
from offsetproof.engines.spark.engine import Spark
from offsetproof.properties.catalogue import ROCKETMQ


@pytest.fixture(scope="session")
def expected() -> tuple[str, int | None, int | None, int]:
    """Verdict and counts of the question that `started` asks, by the explicit engine."""
    (question,) = questions_of(Request(ROCKETMQ, (CLAIM,), scope=SCOPE))
    result = Explicit().decide(question)
    return str(result.verdict), result.counts.states, result.counts.transitions, result.counts.depth


@pytest.fixture(autouse=True)
def no_session_outlives_its_test() -> Iterator[None]:
    """Whatever a failed test has left running is ended."""
    yield
    end_sessions()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Spark]:
    """The engine on two cores of this machine."""
    with Spark("local[2]", tmp_path_factory.mktemp("spark")) as engine:
        yield engine

"""What pytest loads where offsetproof is installed. Whatever takes time to load is loaded by the test that needs it.

Every run of pytest on the machine imports this module, whether it asks anything of offsetproof or not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

TYPE_CHECKING = False  # the name is enough for type checkers, and `typing` need not be loaded

if TYPE_CHECKING:
    from offsetproof.testing.asserting import Asserting, AssertingOne

MARK = "offsetproof"
QUESTION = "offsetproof_question"
BASELINES = "offsetproof_baselines"
BASELINE = ".baseline.json"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Whether baselines are collected that are not named."""
    about = f"collect every NAME{BASELINE} of offsetproof beside NAME.py; else those that are named on the command line"
    parser.addini(BASELINES, about, type="bool", default=False)


def pytest_configure(config: pytest.Config) -> None:
    """The marker, for suites that are strict about them."""
    about = f"{MARK}(subject, claims, **options): what {QUESTION} asks; the arguments of offsetproof.check"
    config.addinivalue_line("markers", about)


@pytest.fixture(scope="session")
def offsetproof() -> Asserting:
    """Asserts that claims hold, or are refuted; a failure prints the stories."""
    from offsetproof.testing.asserting import Asserting

    return Asserting()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test for each question that the marker asks."""
    if QUESTION not in metafunc.fixturenames:
        return
    mark = metafunc.definition.get_closest_marker(MARK)
    if mark is None:
        raise pytest.Collector.CollectError(
            f"{metafunc.definition.nodeid} asks nothing; say what with @pytest.mark.{MARK}(subject)"
        )
    from offsetproof.testing.asserting import REFUSALS, questions_marked

    try:
        questions: dict[str, AssertingOne] = questions_marked(*mark.args, **mark.kwargs)
    except REFUSALS as refusal:
        raise pytest.Collector.CollectError(f"{metafunc.definition.nodeid}: {refusal}") from None
    metafunc.parametrize(QUESTION, questions.values(), ids=questions.keys())


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A baseline that is named, or all where the suite says so."""
    if not file_path.name.endswith(BASELINE):
        return None
    if not (parent.session.isinitpath(file_path) or parent.config.getini(BASELINES)):
        return None
    return _BaselineFile.from_parent(parent, path=file_path)


class _DiffersError(Exception):
    """Something is not as the baseline says; the message is what `offsetproof guard` writes of it."""


class _BaselineFile(pytest.File):
    """A baseline, whose questions are tests."""

    def collect(self) -> Iterator[pytest.Item]:
        from offsetproof.testing.guarding import CannotBeAskedError, comparisons_in

        try:
            for name, compare in comparisons_in(self.path):
                yield _Guarded.from_parent(self, name=name, compare=compare)
        except CannotBeAskedError as error:
            raise self.CollectError(str(error)) from error


class _Guarded(pytest.Item):
    """A question of a baseline: is everything as it was?"""

    def __init__(self, *, compare: Callable[[], str], **given: object) -> None:
        super().__init__(**given)  # type: ignore[arg-type]  # what pytest gives every item
        self._compare = compare

    def runtest(self) -> None:
        if differs := self._compare():
            raise _DiffersError(differs)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:  # noqa: ARG002 - as pytest calls it
        if isinstance(excinfo.value, _DiffersError):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name

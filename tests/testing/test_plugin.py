"""The pytest plugin in suites of other people, each a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import entry_points

import pytest

pytest_plugins = ["pytester"]

MODEL = """
from offsetproof.lang import HOLDS, REFUTED, Model, Scope, action, always, integer, require


class Counter(Model):
    scopes = (Scope("small", {"top": 3}),)
    x: int = integer(0, lambda scope: scope.top + 1)

    @action()
    def rises(self) -> None:
        require(self.x < self.scope.top)
        self.x = self.x + 1

    @always(expected=REFUTED)
    def stays_below_two(self) -> bool:
        return self.x < 2

    @always(expected=HOLDS)
    def stays_below_four(self) -> bool:
        return self.x < 4
"""

WRONG = MODEL.replace("return self.x < 4", "return self.x < 3")
"""The same with a claim that does not hold, as it should."""


@pytest.fixture
def suite(pytester: pytest.Pytester) -> pytest.Pytester:
    """A folder with a model, whose runs write no bytecode and know no other suite's options."""
    pytester.makepyfile(counter=MODEL)
    pytester.makeini("[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n")
    return pytester


def test_plugin_is_found_by_its_entry_point() -> None:
    """An environment that was set up before there was one has to be set up again: make setup."""
    found = [each.value for each in entry_points(group="pytest11") if each.name == "offsetproof"]
    assert found == ["offsetproof.testing.plugin"]


def test_plugin_loads_nothing_that_a_suite_without_claims_does_not_need() -> None:
    code = (
        "import sys, pytest; before = {*sys.modules}; import offsetproof.testing.plugin; print({*sys.modules} - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in eval(done.stdout)} - sys.stdlib_module_names
    assert loaded == {"offsetproof"}
    assert "offsetproof.lang" not in done.stdout


def test_assertions_pass_for_what_is_so_and_tell_the_story_where_it_is_not(suite: pytest.Pytester) -> None:
    suite.makepyfile("""
        def test_holds(offsetproof):
            assert offsetproof.assert_holds("counter.py", "stays_below_four").holds
        def test_refuted(offsetproof):
            (answer,) = offsetproof.assert_refuted("counter.py", "stays_below_two")
            assert answer.trace.length == 2
        def test_expected(offsetproof):
            offsetproof.assert_as_expected("counter.py", ["stays_below_two", "stays_below_four"])
        def test_does_not_hold(offsetproof):
            offsetproof.assert_holds("counter.py", "stays_below_two")
        def test_is_not_refuted(offsetproof):
            offsetproof.assert_refuted("counter.py", "stays_below_four")
        def test_unknown_does_not_hold(offsetproof):
            offsetproof.assert_holds("counter.py", "stays_below_four", max_states=2)
        def test_unknown_is_not_refuted(offsetproof):
            offsetproof.assert_refuted("counter.py", "stays_below_four", max_states=2)
    """)
    result = suite.runpytest_subprocess()
    result.assert_outcomes(passed=3, failed=4)
    out = result.stdout.str()
    assert "AssertionError: 1 of 1 answer not HOLDS" in out
    assert "stays_below_two (always) fails after 2 steps in small" in out
    assert "AssertionError: 1 of 1 answer not REFUTED" in out
    assert "UNKNOWN" in out
    assert "asserting.py" not in out


MARKED = """
    import pytest
    @pytest.mark.offsetproof("counter.py")
    def test_claims(offsetproof_question):
        offsetproof_question.assert_as_expected()
"""


def test_claim_that_does_not_exist_is_told_in_one_line_without_the_checkers_frames(suite: pytest.Pytester) -> None:
    suite.makepyfile(test_one="""
        import pytest
        def test_asserts(offsetproof):
            offsetproof.assert_holds("counter.py", "stays_below_fuor")
    """, test_two="""
        import pytest
        @pytest.mark.offsetproof("counter.py", "stays_below_fuor")
        def test_asks(offsetproof_question):
            offsetproof_question.assert_as_expected()
    """)  # fmt: skip
    said = "no claim named 'stays_below_fuor'; did you mean stays_below_four?"
    ran = suite.runpytest_subprocess("-p", "no:cacheprovider", "--continue-on-collection-errors")
    ran.assert_outcomes(failed=1, errors=1)
    ran.stdout.fnmatch_lines([f"test_two.py::test_asks: {said}", f"E *UnknownNameError: {said}", "test_one.py:*"])
    assert "src/offsetproof" not in ran.stdout.str()


@pytest.mark.parametrize("processes", [(), pytest.param(("-n", "2"), marks=pytest.mark.slow)], ids=["alone", "xdist"])
def test_each_question_of_a_marker_is_a_test(suite: pytest.Pytester, processes: tuple[str, ...]) -> None:
    suite.makepyfile(counter=WRONG)
    suite.makepyfile(MARKED)
    result = suite.runpytest_subprocess("-v", *processes)
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    result.stdout.fnmatch_lines(
        [
            "offsetproof_question = <question stays_below_four in small>",
            "*AssertionError: 1 of 1 answer not as expected",
            "*stays_below_four (always) fails after 3 steps in small",
            "FAILED *::test_claims?stays_below_four-small?*",
        ]
    )


def test_question_without_a_marker_is_refused(suite: pytest.Pytester) -> None:
    suite.makepyfile("def test_claims(offsetproof_question):\n    pass\n")
    result = suite.runpytest_subprocess()
    assert "asks nothing; say what with @pytest.mark.offsetproof(subject)" in result.stdout.str() + result.stderr.str()
    assert result.ret != 0


@pytest.fixture
def guarded(suite: pytest.Pytester) -> pytest.Pytester:
    """The same with a baseline."""
    command = [sys.executable, "-m", "offsetproof", "guard", "counter.py", "--update", "--no-progress"]
    done = subprocess.run(command, cwd=suite.path, capture_output=True, text=True, check=False)
    assert (suite.path / "counter.baseline.json").is_file(), done.stderr
    return suite


@pytest.mark.slow
def test_baseline_is_collected_where_it_is_named_or_the_suite_says_so(guarded: pytest.Pytester) -> None:
    assert guarded.runpytest_subprocess().ret == pytest.ExitCode.NO_TESTS_COLLECTED
    named = guarded.runpytest_subprocess("counter.baseline.json", "-v")
    assert named.parseoutcomes() == {"passed": 2}
    guarded.makeini("[pytest]\noffsetproof_baselines = true\n")
    assert guarded.runpytest_subprocess("-n", "2").parseoutcomes() == {"passed": 2}


def test_what_is_no_longer_as_the_baseline_says_is_told_as_guard_tells_it(guarded: pytest.Pytester) -> None:
    guarded.makepyfile(counter=WRONG)
    result = guarded.runpytest_subprocess("counter.baseline.json")
    assert result.parseoutcomes() == {"passed": 1, "failed": 1}
    out = result.stdout.str()
    assert "holds-to-refuted" in out
    assert "stays_below_four (always) fails after 3 steps" in out
    assert "Traceback" not in out


@pytest.mark.slow
def test_claim_that_is_gone_fails_and_a_baseline_that_was_edited_is_refused(guarded: pytest.Pytester) -> None:
    baseline = guarded.path / "counter.baseline.json"
    guarded.makepyfile(counter=MODEL.replace("stays_below_four", "stays_below_five"))
    gone = guarded.runpytest_subprocess("counter.baseline.json", "-k", "stays_below_four")
    assert gone.parseoutcomes()["failed"] == 1
    baseline.write_text(baseline.read_text().replace('"states": 4', '"states": 5'))
    refused = guarded.runpytest_subprocess("counter.baseline.json")
    assert refused.parseoutcomes()["errors"] == 1
    refused.stdout.fnmatch_lines(["*its seal does not fit*"])

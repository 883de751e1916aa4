"""A model to begin with: small, with a claim, a witness, a test, a baseline and a workflow, which work as they are."""

from __future__ import annotations

from collections.abc import Mapping
from string import Template

_MODEL = '''"""Workers take jobs and finish them; a counter says how many are finished."""

from offsetproof.lang import Array, Index, Model, Scope
from offsetproof.lang import action, always, array, choose, flag, integer, require, sometimes

JOBS = Index("job", "jobs")


class $model(Model):
    """Each job has a worker of its own, and all of them count in one place."""

    scopes = (Scope("two", {"jobs": 2}), Scope("four", {"jobs": 4}))
    taken: Array[bool] = array(JOBS, flag())
    done: Array[bool] = array(JOBS, flag())
    counted: int = integer(0, "jobs")

    @action(job=JOBS, actor="worker[job]")
    def worker_takes(self, job: int) -> None:
        """A worker begins with its job."""
        require(not self.taken[job])
        self.taken[job] = True

    @action(job=JOBS, actor="worker[job]")
    def worker_finishes(self, job: int) -> None:
        """A worker is done with its job and counts it, in one step."""
        # Count in a step of its own, and see what fails.
        require(self.taken[job], not self.done[job])
        self.done[job] = True
        self.counted = self.counted + 1

    @always
    def counter_is_right(self) -> bool:
        """The counter never says that a job is finished which is not."""
        return self.counted == sum(choose(done, 1, 0) for done in self.done)

    @sometimes
    def all_are_done(self) -> bool:
        """Every job can be finished: else the claim would hold because nothing happens."""
        return all(self.done)
'''

_TEST = '''"""What $module claims, as tests: pytest finds the fixtures where offsetproof is installed."""

import pytest


@pytest.mark.offsetproof("$module.py", scope="all")
def test_claims(offsetproof_question):
    """Each claim, in each scope, is as it expects; a failure tells the smallest story."""
    offsetproof_question.assert_as_expected()


def test_counter_is_right_for_three_jobs(offsetproof):
    """A world of its own, larger than the first scope."""
    offsetproof.assert_holds("$module.py", "counter_is_right", scope="two", bounds={"jobs": 3})
'''

_WORKFLOW = """# What the model claims, on every push: verdicts, counts and causes as $module.baseline.json has them.
# GitHub reads it at the top of a repository. In one that has this folder inside, move it up there, and add below
# `runs-on` where its commands run: `defaults: {run: {working-directory: FOLDER}}`.
name: claims
on: [push, pull_request]
permissions:
  contents: read
env:
  OFFSETPROOF: offsetproof==$version # for pip; until it is released a wheel, or git+ and a repository's address
jobs:
  claims:
    runs-on: ubuntu-24.04
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.11"
      - run: python -m pip install "$$OFFSETPROOF" pytest
      - run: offsetproof guard $module.py --all --format github
      - run: pytest
      - name: Summary
        if: always()
        run: offsetproof guard $module.py --all --format markdown >> "$$GITHUB_STEP_SUMMARY"
"""


def files_of(module: str, version: str) -> Mapping[str, str]:
    """The text of each file but the baseline, by its path in the new folder.

    >>> [*files_of("jobs", "1.0")]
    ['jobs.py', 'test_jobs.py', '.github/workflows/claims.yml']
    """
    words = {"module": module, "model": "".join(part.capitalize() for part in module.split("_")), "version": version}
    texts = {f"{module}.py": _MODEL, f"test_{module}.py": _TEST, ".github/workflows/claims.yml": _WORKFLOW}
    return {path: Template(text).substitute(words) for path, text in texts.items()}

"""What refutes a claim only where several things are raised together is excluded by the claim's words.

docs/widened.md raises one thing by one. A queue that is given up and taken back takes two changes of view, and one
that another consumer takes over takes a second consumer, too.
"""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.verdict.result import Verdict

BACK, OVER = {"view_changes": 2}, {"consumers": 2, "view_changes": 1}


@pytest.mark.parametrize(("claim", "scope", "raised", "words"), [
    ("I30-monotone", "crash", BACK, "one consumer has the queue all the time"),
    ("I30-monotone", "crash", OVER, "one consumer has the queue all the time"),
])  # fmt: skip
def test_claim_is_refuted_in_a_world_that_its_words_exclude(
    claim: str, scope: str, raised: dict[str, int], words: str
) -> None:
    [question] = questions_of(Request(ROCKETMQ, (claim,), scope=scope, bounds=raised))
    assert words in question.prop.case.where
    assert ENGINES.only.decide(question).verdict is Verdict.REFUTED

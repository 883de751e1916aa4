"""What refutes a claim only where several things are raised together is excluded by the claim's words.

docs/studies/widened.md raises one thing by one. A queue that is given up and taken back takes two changes of view, and
one that another consumer takes over takes a second consumer, too.
"""

from __future__ import annotations

import pytest
from systems.answered import ENGINES

from offsetproof.checking.request import Request, questions_of
from offsetproof.lang import Subject
from offsetproof.properties.catalogue import ROCKETMQ
from offsetproof.properties.orderly.catalogue import ORDERLY
from offsetproof.verdict.result import Verdict

BACK, OVER = {"view_changes": 2}, {"consumers": 2, "view_changes": 1}
ALONE, GONE = "for a new group of one consumer", {"consumers": 2, "view_changes": 2}
KEEPS = "for a consumer that keeps its queue"


@pytest.mark.parametrize(("subject", "claim", "scope", "raised", "words"), [
    (ROCKETMQ, "I30-monotone", "crash", BACK, "one consumer has the queue all the time"),
    (ROCKETMQ, "I30-monotone", "crash", OVER, "one consumer has the queue all the time"),
    (ROCKETMQ, "I4-new-group-whole", "new-group", OVER, ALONE),
    (ROCKETMQ, "I5-forward-calm", "calm-reset", OVER, "for one consumer that keeps the queue"),
    (ROCKETMQ, "I5-forward-twice", "reset-twice", OVER, "for one consumer that keeps the queue"),
    (ROCKETMQ, "I6-kept", "calm-reset", BACK, "for one consumer that keeps the queue"),
    (ROCKETMQ, "I16-waits-monotone", "shutdown", BACK, KEEPS),
    (ROCKETMQ, "I16-waits-in-one", "fine-shutdown", BACK, KEEPS),
    (ORDERLY, "I16-orderly-waits-monotone", "orderly-shutdown", BACK, KEEPS),
    (ORDERLY, "I4-orderly-cold-stored", "orderly-cold", GONE, ALONE),
    (ORDERLY, "I4-orderly-retention-stored", "orderly-retention", GONE, ALONE),
    pytest.param(
        *(ORDERLY, "I5-forward-orderly", "orderly-reset", OVER, "for one consumer that keeps the queue"),
        marks=pytest.mark.slow,
    ),
])  # fmt: skip
def test_claim_is_refuted_in_a_world_that_its_words_exclude(
    subject: Subject, claim: str, scope: str, raised: dict[str, int], words: str
) -> None:
    [question] = questions_of(Request(subject, (claim,), scope=scope, bounds=raised))
    assert words in question.prop.case.where
    assert ENGINES.only.decide(question).verdict is Verdict.REFUTED

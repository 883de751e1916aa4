"""Remedies in releases: a case that mends another in one of them may be refuted, or say nothing, in the next."""

from __future__ import annotations

import pytest

from offsetproof.checking.remedies import remedies_in
from offsetproof.lang import Release
from offsetproof.model.releases import R_4_9_4, R_4_9_8, R_5_3_3, R_5_3_3_CLIENT_RESET
from offsetproof.properties.catalogue import ROCKETMQ


@pytest.mark.parametrize(("case", "client", "broker", "known"), [
    ("I28", R_4_9_4, R_4_9_4, ["I28-poll-checks"]), ("I28", R_5_3_3_CLIENT_RESET, R_4_9_8, ["I28-poll-checks"]),
    ("I28", R_4_9_4, R_5_3_3, []), ("I5-offline-last-pull", R_4_9_8, R_4_9_8, ["I5-offline-quiet"]),
    ("I5-offline-last-pull", R_5_3_3, R_5_3_3, []),
])  # fmt: skip
def test_case_is_a_remedy_where_it_holds(case: str, client: Release, broker: Release, known: list[str]) -> None:
    found = remedies_in(ROCKETMQ, ROCKETMQ.find(case), {"client": client, "broker": broker})
    assert [each.case for each in found if each.case] == known


@pytest.mark.parametrize(("release", "count"), [(R_4_9_4, 1), (R_4_9_8, 0), (R_5_3_3, 0)])
def test_remedy_that_no_case_states_is_known_of_the_usual_release(release: Release, count: int) -> None:
    prop = ROCKETMQ.find("I5-forward")
    assert [each.case for each in prop.remedies] == [""]
    assert len(remedies_in(ROCKETMQ, prop, dict.fromkeys(("client", "broker"), release))) == count


@pytest.mark.parametrize(("release", "known"), [
    (R_4_9_4, ["end-when-later"]), (R_4_9_8, []), (R_5_3_3, ["monotone-commits", "resets-numbered"]),
])  # fmt: skip
def test_remedy_of_a_later_release_is_known_of_that_alone(release: Release, known: list[str]) -> None:
    found = remedies_in(ROCKETMQ, ROCKETMQ.find("I5-forward-by-time"), dict.fromkeys(("client", "broker"), release))
    assert [fix.name for each in found for fix in each.fixes] == known

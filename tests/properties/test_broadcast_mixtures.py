"""The broadcast reset in mixed clusters: which fail follows from what the client's release does with its cell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from offsetproof.checking.answers import answers
from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.releases import parse_release
from offsetproof.checking.request import Request, questions_of
from offsetproof.lang.setting import Behaviour, Setting, mixtures
from offsetproof.model.releases import (
    CLIENT_AND_BROKER,
    FREEZES_CELL,
    MERGES_INTO_FILE,
    RELEASES,
    SERVER_SIDE_RESET,
)
from offsetproof.properties.broadcasting.catalogue import BROADCASTING

DECIDING = (SERVER_SIDE_RESET, FREEZES_CELL, MERGES_INTO_FILE)
CASE = BROADCASTING.find("I6-broadcast")


@pytest.mark.parametrize("release", mixtures(CLIENT_AND_BROKER, RELEASES))
def test_reset_reaches_the_file_where_broker_and_client_have_all_that_decides(release: str) -> None:
    setting = Setting(BROADCASTING.scope("broadcast-reset"), parse_release(release, BROADCASTING))
    expected = "HOLDS" if all(map(setting.behaves, DECIDING)) else "REFUTED"
    assert CASE.expects(setting) == expected


@pytest.mark.parametrize(("client", "lacks"), [("4.9.4", (FREEZES_CELL, MERGES_INTO_FILE)), ("4.9.8", (FREEZES_CELL,))])
def test_old_client_that_had_what_it_lacks_would_have_the_reset_in_its_file(
    client: str, lacks: tuple[Behaviour, ...]
) -> None:
    (asked,) = questions_of(Request(BROADCASTING, (CASE.id,), (f"client={client},broker=5.3.3",)))
    found: dict[tuple[Behaviour, ...], str] = {}
    for fixes in ((), *((each,) for each in lacks if len(lacks) > 1), lacks):
        question = replace(asked, setting=replace(asked.setting, fixes=tuple(each.fix for each in fixes)))
        (answer,) = answers(BROADCASTING, explicit_alone(), [question])
        found[fixes] = str(answer.verdict)
    assert found == {fixes: "HOLDS" if fixes == lacks else "REFUTED" for fixes in found}

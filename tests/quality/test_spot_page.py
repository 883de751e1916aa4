"""Spot checks were measured on the models that there are; the check keeps what it promises of itself."""

from __future__ import annotations

import json

from systems.seeded import SEEDED

from offsetproof.engines.explicit.spot import WHOLE
from studies.spot import ASKED, DATA
from studies.spot_page import count_noticed

TOLD = json.loads(DATA.read_text(encoding="utf-8"))


def test_every_seeded_model_was_measured() -> None:
    measured = [(each["kind"], each["shape"], each["bounds"]) for each in TOLD["seeded"]]
    assert measured == [(each.kind, each.shape.__name__, each.bounds) for each in SEEDED]
    assert len(measured) == 50


def test_most_defects_are_noticed_now_and_few_were_before() -> None:
    before, now, brief = (count_noticed(TOLD["seeded"], when) for when in ("before", "after", "brief"))
    assert before <= 8
    assert now >= 47
    assert before < 40 <= brief <= now


def test_seeded_models_are_small_and_large() -> None:
    states = [each["states"] for each in TOLD["seeded"]]
    assert min(states) < 200
    assert max(states) > 200_000


def test_what_was_measured_stayed_within_what_the_check_allows_itself() -> None:
    most = 1.2 * WHOLE.seconds  # a block that was begun is looked at to its end
    assert max(each["after"]["seconds"] for each in TOLD["seeded"]) <= most
    assert [(each["claim"], each["scope"]) for each in TOLD["rocketmq"]] == [*ASKED]
    assert max(each["seconds"] for each in TOLD["rocketmq"]) <= most

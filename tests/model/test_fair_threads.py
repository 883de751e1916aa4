"""Fairness is said once of each thread of RocketMQ, whatever the world: what need not go on, and what does."""

from __future__ import annotations

import pytest

from offsetproof.lang import Subject
from offsetproof.lang.fair_threads import threads_of
from offsetproof.lang.model import ModelInstance
from offsetproof.lang.setting import Setting
from offsetproof.properties.catalogue import ROCKETMQ
from studies.subjects import ABOUT_ROCKETMQ

UNFAIR = {
    ("administrator", "admin tool"),
    ("administrator", "reset tool"),
    ("broker", "membership"),
    ("broker", "network"),
    ("broker", "process"),
    ("broker", "store cleaning"),
    ("consumer", "application"),
    ("consumer", "network"),
    ("group", "consume"),
    ("group", "membership"),
    ("producer", "send"),
}
"""What of the concurrent model may stop at any time: decisions from outside, and what a fault alone does."""


def settings_of(subject: Subject) -> list[Setting]:
    """Every scope in every release."""
    model = subject.model
    return [Setting(scope, dict.fromkeys(model.roles, of)) for of in model.releases for scope in model.scopes]


@pytest.mark.parametrize("subject", ABOUT_ROCKETMQ, ids=lambda subject: subject.name)
def test_all_steps_of_a_thread_say_the_same_of_it_in_every_world(subject: Subject) -> None:
    for setting in settings_of(subject):
        names = [each.name for each in threads_of(ModelInstance(subject.model, setting))]
        assert len(set(names)) == len(names)


def test_only_what_decides_from_outside_or_fails_need_not_go_on() -> None:
    unfair, fair = set(), set()
    for setting in settings_of(ROCKETMQ):
        grown = ModelInstance(ROCKETMQ.model, setting)
        going_on = {(each.actor.split("[")[0], each.thread) for each in threads_of(grown)}
        every = {(grown.actor(label).split("[")[0], action.thread) for label, (action, _) in grown.instances.items()}
        fair |= going_on
        unfair |= every - going_on
    assert unfair - fair == UNFAIR

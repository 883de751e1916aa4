"""The catalogue: every claim about the RocketMQ model, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.concurrent.rigging import RIGGING
from offsetproof.model.concurrent.rocketmq import RocketMQ
from offsetproof.model.concurrent.timing import commits_on_their_way
from offsetproof.model.shared.damage import DAMAGE_WITH_TOPICS
from offsetproof.model.shared.picture import PICTURE
from offsetproof.properties import (
    administration,
    at_least_once,
    broker_offsets,
    commits,
    consuming,
    forward_resets,
    freezing,
    in_the_end,
    landings,
    ownership,
    redelivery,
    repeats,
    resets,
    restarts,
    witnesses,
)
from offsetproof.properties.stated import in_order_of_numbers, stated_in

PROPERTIES = (
    *in_order_of_numbers(
        at_least_once,
        broker_offsets,
        commits,
        ownership,
        resets,
        forward_resets,
        landings,
        consuming,
        administration,
        redelivery,
        freezing,
        restarts,
        in_the_end,
    ),
    *stated_in(witnesses),
    *stated_in(repeats),
)
"""Claims first, by number; then witnesses."""

ROCKETMQ = Subject(
    "rocketmq",
    RocketMQ,
    PROPERTIES,
    DAMAGE_WITH_TOPICS,
    rigging=RIGGING,
    picture=PICTURE,
    transits=(commits_on_their_way,),
)
"""What `offsetproof check` decides when no subject is named."""

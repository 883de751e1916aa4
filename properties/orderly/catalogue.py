"""The catalogue of orderly consumption: every claim about it, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.concurrent.timing import commits_on_their_way
from offsetproof.model.orderly.damage import DAMAGE
from offsetproof.model.orderly.rigging import RIGGING
from offsetproof.model.orderly.rocketmq import RocketMQOrderly
from offsetproof.model.shared.picture import PICTURE
from offsetproof.properties.orderly import delivery, hand_over, in_the_end, locks, ownership, resets, witnesses, writes
from offsetproof.properties.stated import in_order_of_numbers, stated_in

PROPERTIES = (
    *in_order_of_numbers(delivery, hand_over, writes, locks, ownership, resets, in_the_end),
    *stated_in(witnesses),
)
"""Claims first, by number; then witnesses."""

ORDERLY = Subject(
    "orderly", RocketMQOrderly, PROPERTIES, DAMAGE, rigging=RIGGING, picture=PICTURE, transits=(commits_on_their_way,)
)
"""What `offsetproof check orderly` decides."""

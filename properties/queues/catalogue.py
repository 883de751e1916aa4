"""The catalogue: every claim about several queues, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.queues.damage import DAMAGE
from offsetproof.model.queues.picture import PICTURE
from offsetproof.model.queues.queues import Queues
from offsetproof.model.queues.rigging import RIGGING
from offsetproof.model.queues.timing import commits_on_their_way
from offsetproof.properties.queues import freezing, resets, sharing, unnamed, witnesses, writes
from offsetproof.properties.stated import stated_in

PROPERTIES = tuple(
    prop for module in (resets, unnamed, writes, freezing, sharing, witnesses) for prop in stated_in(module)
)
"""Claims first; then witnesses."""

QUEUES = Subject(
    "several-queues", Queues, PROPERTIES, DAMAGE, rigging=RIGGING, picture=PICTURE, transits=(commits_on_their_way,)
)
"""What `offsetproof check several-queues` decides."""

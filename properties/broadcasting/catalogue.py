"""The catalogue of broadcasting: every claim about it, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.broadcasting.broadcasting import Broadcasting
from offsetproof.model.broadcasting.damage import DAMAGE
from offsetproof.model.broadcasting.rigging import RIGGING
from offsetproof.model.shared.picture import PICTURE
from offsetproof.properties.broadcasting import delivery, locks, resets, rows, starts, witnesses
from offsetproof.properties.stated import in_order_of_numbers, stated_in

PROPERTIES = (*in_order_of_numbers(delivery, starts, rows, resets, locks), *stated_in(witnesses))
"""Claims first, by number; then witnesses."""

BROADCASTING = Subject("broadcasting", Broadcasting, PROPERTIES, DAMAGE, rigging=RIGGING, picture=PICTURE)
"""What `offsetproof check broadcasting` decides."""

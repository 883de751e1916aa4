"""The catalogue: every claim about a broker and its slave, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.replicas.damage import DAMAGE
from offsetproof.model.replicas.replicas import Replicas
from offsetproof.model.replicas.rigging import RIGGING
from offsetproof.properties.replicas import fail_over, resets, starts, witnesses
from offsetproof.properties.stated import stated_in

PROPERTIES = tuple(prop for module in (fail_over, starts, resets, witnesses) for prop in stated_in(module))
"""Claims first; then witnesses."""

REPLICAS = Subject("replicas", Replicas, PROPERTIES, DAMAGE, rigging=RIGGING)
"""What `offsetproof check replicas` decides."""

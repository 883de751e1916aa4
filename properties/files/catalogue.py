"""The catalogue: every claim about offset files, in the order of reports."""

from __future__ import annotations

from offsetproof.lang import Subject
from offsetproof.model.files.damage import DAMAGE
from offsetproof.model.files.offset_files import OffsetFiles
from offsetproof.model.files.rigging import RIGGING
from offsetproof.properties.files import broadcasting, contents, stops, witnesses
from offsetproof.properties.stated import stated_in

PROPERTIES = tuple(prop for module in (contents, stops, broadcasting, witnesses) for prop in stated_in(module))
"""Claims first; then witnesses."""

OFFSET_FILES = Subject("offset-files", OffsetFiles, PROPERTIES, DAMAGE, rigging=RIGGING)
"""What `offsetproof check offset-files` decides."""

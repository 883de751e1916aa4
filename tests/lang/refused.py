"""Every refusal that a model's text can meet, in the order of docs/studies/refusals.md."""

from __future__ import annotations

from lang import refused_code, refused_declarations, refused_outside, refused_places, refused_values

SECTIONS = (
    *refused_code.SECTIONS,
    *refused_outside.SECTIONS,
    *refused_values.SECTIONS,
    *refused_declarations.SECTIONS,
    *refused_places.SECTIONS,
)

ROWS = tuple(row for section in SECTIONS for row in section.rows)

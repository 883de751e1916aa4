"""What we claim: sentences about offsets that should be true, one function each, with the verdict expected per release.

Themes: `commits` (what tasks and pull callbacks write to the cell), `resets` (whether a reset stays), `ownership` (who
may consume), `witnesses` (the interesting situations that a HOLDS must have met). `catalogue` lists them all. The ids
are those of the project's list of invariants; where a verdict differs from what was first suspected, the claim's
docstring says why.
"""

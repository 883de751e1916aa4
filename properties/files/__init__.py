"""What we claim of offset files: `contents` (what a start would load), `stops` (what a shutdown in order leaves),
`broadcasting` (what a broadcast consumer gets from its file), `witnesses`. `catalogue` lists them all.
"""

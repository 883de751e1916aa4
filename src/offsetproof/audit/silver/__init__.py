"""Silver: files, read piece by piece and once, to a table of events."""

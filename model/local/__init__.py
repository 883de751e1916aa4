"""Offsets in a file of the client's own: what LocalFileOffsetStore reads and writes."""

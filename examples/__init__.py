"""Models to learn from: a file each, which `offsetproof check examples/NAME.py` decides."""

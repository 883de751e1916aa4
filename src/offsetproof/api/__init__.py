"""The Python API: `offsetproof.check` with objects where the command line has words, and its answers."""

"""`python -m offsetproof` is the command `offsetproof`."""

from offsetproof.cli.main import run

run()

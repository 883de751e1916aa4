"""`python -m offsetproof` is the command `offsetproof`."""

from offsetproof.cli.main import run

if __name__ == "__main__":
    run()

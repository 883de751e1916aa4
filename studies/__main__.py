"""Writes the generated parts of all pages (`make pages`); with --check it says which are old, and ends with 1."""

from __future__ import annotations

import argparse
import sys

from studies.pages import PARTS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing")
    checks = parser.parse_args().check
    old = [part.place for part in PARTS if (part.is_old() if checks else part.write())]
    for place in old:
        print(f"{place} is old: make pages" if checks else f"wrote {place}")
    return 1 if checks and old else 0


if __name__ == "__main__":
    sys.exit(main())

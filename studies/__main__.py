"""Writes the generated parts of all pages (`make pages`); with --check it says which are old, and ends with 1.

A page in docs/studies has totals and what stands out; `--rows PAGE` prints the whole table that it is made of.
"""

from __future__ import annotations

import argparse
import signal
import sys

from studies.pages import PARTS, ROWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m studies", description=__doc__, allow_abbrev=False)
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--rows", choices=sorted(ROWS), metavar="PAGE", help=f"one of {', '.join(sorted(ROWS))}")
    given = parser.parse_args()
    if given.rows:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` ends it
        print(ROWS[given.rows]())
        return 0
    old = [part.place for part in PARTS if (part.is_old() if given.check else part.write())]
    for place in old:
        print(f"{place} is old: make pages" if given.check else f"wrote {place}")
    return 1 if given.check and old else 0


if __name__ == "__main__":
    sys.exit(main())

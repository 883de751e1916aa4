"""The child process: reads a system and how far to go from stdin, writes one JSON event per line to stdout.

It ends soon after the process that started it, also in the middle of a query, and whatever ended that process.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from offsetproof.engines.smt.session import Bounds, Session
from offsetproof.ir.wire import from_bytes
from offsetproof.workers import end_with_parent


def main() -> None:
    """Runs one session."""
    end_with_parent(os.getppid())
    head = json.loads(sys.stdin.buffer.readline())
    system = from_bytes(sys.stdin.buffer.read())

    def tell(event: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()

    Session(system, head["sought"], Bounds(**head["bounds"]), tell).run()


if __name__ == "__main__":
    main()

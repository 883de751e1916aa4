"""The child process: reads a system and how far to go from stdin, writes one JSON event per line to stdout."""

from __future__ import annotations

import json
import sys
from typing import Any

from offsetproof.engines.smt.session import Bounds, Session
from offsetproof.ir.wire import from_bytes


def main() -> None:
    """Runs one session."""
    head = json.loads(sys.stdin.buffer.readline())
    system = from_bytes(sys.stdin.buffer.read())

    def tell(event: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(event) + "\n")
        sys.stdout.flush()

    Session(system, head["sought"], Bounds(**head["bounds"]), tell).run()


if __name__ == "__main__":
    main()

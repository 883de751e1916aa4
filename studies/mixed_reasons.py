"""Why a claim has a verdict in a mixed cluster that neither of its releases gives it alone."""

from __future__ import annotations

from collections.abc import Mapping

REASONS: Mapping[str, str] = {
    "I4-query-error": "better than both: the client of 5.x reads no error as `no offset stored`, and the broker of "
    "4.9.x answers 0 while the queue is empty, so nobody is sent to the end a second time",
    "I5-query-error": "better than both: the client of 5.x reads no error as `no offset stored`, and the broker of "
    "4.9.x makes no reset of its own",
}
"""By case."""

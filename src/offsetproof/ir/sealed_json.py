"""JSON with a digest of itself in front, so that damage is noticed before anything in it is believed.

That is integrity and not authenticity: who changes a document can seal it again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

_SEAL = re.compile(rb'\{"sum":"([0-9a-f]{64})",')


def seal(document: Mapping[str, Any]) -> bytes:
    """The document, which has some members, as JSON, with one member more, its digest, as the first.

    >>> seal({"a": 1})[:8], unseal(seal({"a": 1}))
    (b'{"sum":"', b'{"a":1}')
    """
    members = json.dumps(document, separators=(",", ":")).encode()[1:]
    return b'{"sum":"' + hashlib.sha256(members).hexdigest().encode() + b'",' + members


def unseal(data: bytes) -> bytes | None:
    """The JSON that was sealed; None where these bytes are not those that `seal` gave."""
    match = _SEAL.match(data)
    if match is None:
        return None
    members = data[match.end() :]
    return b"{" + members if hashlib.sha256(members).hexdigest().encode() == match[1] else None

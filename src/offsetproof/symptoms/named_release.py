"""The release that a text names."""

from __future__ import annotations

import re
from collections.abc import Collection

_VERSION = re.compile(r"(?<![0-9A-Za-z.])v?(\d+\.\d+\.\d+)(?!\.?[0-9A-Za-z])", re.IGNORECASE)
"""Three numbers; a version with something behind it, such as an address or 4.9.4-SNAPSHOT.jar's, may be any file's."""


def versions_named_in(text: str) -> tuple[str, ...]:
    """The versions in a text, each once.

    >>> versions_named_in("after V5.3.3 the reset of 10.0.0.1 is lost; 5.3.3版本")
    ('5.3.3',)
    """
    return tuple(dict.fromkeys(_VERSION.findall(text)))


def without_versions(text: str) -> str:
    """The text, with nothing in the place of each version.

    >>> without_versions("5.3.3 loses a reset")
    ' loses a reset'
    """
    return _VERSION.sub("", text)


def release_named_in(text: str, releases: Collection[str]) -> str:
    """The one release that a text names; empty where it names none, or another version as well."""
    versions = versions_named_in(text)
    return versions[0] if len(versions) == 1 and versions[0] in releases else ""

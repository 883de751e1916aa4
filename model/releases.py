"""The releases that the models know, each on the one before, and the roles whose releases a question may mix."""

from __future__ import annotations

from offsetproof.lang import Release

CLIENT_AND_BROKER = ("broker", "client")
"""Each of them may be of a release of its own: `--release broker=4.9.4`."""

R_4_9_4 = Release("4.9.4")
"""It has none of the named behaviours: it is what the others are told apart from."""

RELEASES = (R_4_9_4,)
"""The oldest first."""

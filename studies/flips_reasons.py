"""The reason to have a behaviour without which no verdict turns in the release that brought it."""

from __future__ import annotations

from collections.abc import Mapping

_AS_FIX = "cases have it as a fix, in every release"

REASONS: Mapping[str, str] = {
    "commits-before-holding": "it is the order of a pull's commit and its hold, on which the reset at the broker is "
    "built: the marker, then the commit, then the answer",
    "commits-to-any-broker": "a commit comes to the slave at once, and not after another look at the route: the claims "
    "say what comes of it, and not when",
    "copies-version": _AS_FIX,
    "dropped-not-renewed": "forces-unlock, of 5.2.0, gives the lock of a dropped queue away as well, and earlier",
    "executors-stop-first": "it changes the place and the words of a step, and no state",
    "first-of-equal-times": f"{_AS_FIX}; in 5.x a late poll refutes the case without that fix all the same",
    "forces-unlock": "without it the lock of a dropped queue that is listened to is lost as well, when the lease that "
    "nobody renews expires (dropped-not-renewed)",
    "freezes-cell": f"I34 is about it; {_AS_FIX}",
    "now-is-a-time": "a broker of the tool's own release finds the end for a later time; with one of 4.9.x "
    "I5-forward-now turns",
    "one-queue-reset": _AS_FIX,
    "pull-needs-start": "it takes a broker that does not answer; the pull is then late, and not with an illegal offset",
    "row-deleted-with-topic": _AS_FIX,
    "skips-absent": "it says which failed messages are sent back, and moves no offset",
    "slave-refuses-pulls": "a slave that refuses pulls takes queries and commits all the same",
    "takes-slaves-table": _AS_FIX,
    "two-phase-removal": "it is the order in which a rebalance drops and removes several queues",
    "unlocked-at-once": f"keeps-cell-while-listening, of the same release, says how a queue is given up; {_AS_FIX}",
}
"""By behaviour."""

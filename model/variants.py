"""What varies: releases by their behaviours, fixes, and assumptions, each with its source."""

from __future__ import annotations

from offsetproof.lang import Assumption, Behaviour, Fix, Listener, Release

POLL_CHECKS_DROPPED = Behaviour(
    "poll-checks-dropped",
    role="client",
    about="the pull callback looks at `dropped` first and throws the response away",
    source="apache/rocketmq PR #10087, proposed",
)

RELEASES = (Release("4.9.4"),)
"""4.9.4 has none of the named behaviours: it is what the others are told apart from."""

FIXES = (
    Fix(
        POLL_CHECKS_DROPPED.name,
        "a pull response for a dropped ProcessQueue is consumed without effect",
        adds=frozenset({POLL_CHECKS_DROPPED}),
        source=POLL_CHECKS_DROPPED.source,
    ),
)

COMMITS_IN_ORDER = Assumption(
    "commits-in-order", "the broker executes one client's one-way commits in the order in which they were sent"
)
QUERIES_IN_ORDER = Assumption(
    "queries-in-order", "the broker executes an offset query after the commits that the same client sent before it"
)
PULLS_TIMELY = Assumption("pulls-timely", "a pull reaches the broker before a reset's sleep of 10 s is over")
NO_STALLED_TASK = Assumption(
    "no-stalled-task", "no consume thread stalls before updateOffset for longer than a reset's sleep of 10 s"
)
NO_STALLED_CALLBACK = Assumption(
    "no-stalled-callback", "no pull callback stalls before updateOffset for longer than a reset's sleep of 10 s"
)
NO_STALLED_REBALANCE = Assumption(
    "no-stalled-rebalance", "no rebalance run goes on for longer than a reset's sleep of 10 s"
)

ASSUMPTIONS = (
    COMMITS_IN_ORDER,
    QUERIES_IN_ORDER,
    PULLS_TIMELY,
    NO_STALLED_TASK,
    NO_STALLED_CALLBACK,
    NO_STALLED_REBALANCE,
)

LISTENERS = (Listener("correct", "returns CONSUME_SUCCESS for every message, after any time"),)

OVERTAKE, LATE_PULL, STALL = "overtake", "late_pull", "stall"
"""Fault kinds: a request executed before an older one; a pull on its way, a thread standing, for over 10 s."""

"""Why an action has no wait of its own in timing.py: each action of the model is either there or here."""

from __future__ import annotations

from collections.abc import Mapping

NO_WAIT: Mapping[str, str] = {
    "producer_sends": "a decision from outside",
    "administrator_resets": "a decision from outside",
    "administrator_resets_by_time": "a decision from outside",
    "administrator_is_told_offline": "a decision from outside",
    "administrator_updates_offset": "a decision from outside",
    "administrator_deletes_topic": "a decision from outside",
    "administrator_creates_topic": "a decision from outside",
    "administrator_queries_min_offset": "a decision from outside",
    "application_unsubscribes": "a decision of the application",
    "running_info_finds_no_cell": "a decision from outside",
    "first_message_turns_cold": "the commit log may outgrow the memory at any time",
    "poll_checks_dropped": "it receives the answer that the next step acts on, and that step has the wait",
    "user_suspends": "a decision of the application",
    "user_resumes": "a decision of the application",
    "consumer_begins_shutdown": "a decision of the application; it ends with the wait for listeners, if there is one",
    "consumer_starts": "a decision from outside: the process may be down for any time",
    "listener_finishes": "the listener may take any time",
    "listener_fails": "the listener may take any time",
    "consumer_is_killed": "a fault, which may happen at any time",
    "broker_is_killed": "a fault, which may happen at any time",
    "pull_request_is_lost": "a fault of the pull thread, which may happen whenever it takes the token",
    "broker_executes_commit": "it receives what is on its way: a commit, up to 1 s",
    "broker_executes_newer_commit_first": "it receives what is on its way: a commit, up to 1 s",
    "commit_is_lost": "it takes away what is on its way: a commit, up to 1 s",
    "neighbour_commits": "the other queue's progress, which may take any time",
    "retention_removes_message": "the store may clean up at any time: by age, or for want of room",
    "view_changes": "members come and go, and word of it may arrive at any time",
    "membership_changes": "at once where a connection is closed, else when a heartbeat is due or missed: any time",
}
"""By action, what decides when it is taken."""

LEFT_OUT: Mapping[str, str] = {
    "retry of a pull after 1 s while the consumer is paused, after 50 ms under flow control": (
        "such a round changes nothing: `consumer_pulls` is the round that does"
    ),
    "the next round of a pull, of persistAll, of a rebalance without cause": (
        "stories leave out rounds that change nothing, so the one that they tell may come at any time"
    ),
    "the expiry sweep's own period of 15 min": "a message that is old enough waits for the next round, at any time",
    "heartbeats every 30 s, a silent channel's expiry after 120 s, looked for every 10 s": (
        "`membership_changes`, which a closed connection brings about at once"
    ),
    "routes asked for every 30 s, the name server's 120 s for a silent broker": "routes do not change in the model",
    "the lock's renewal every 20 s, its expiry after 30 s (client) and 60 s (broker), the delayed unlock after 20 s": (
        "they belong to orderly consumption: `model/orderly/timing.py`"
    ),
    "a slave's synchronisation every 10 s": "slaves are not in the model",
    "a callback that waits for the only thread of the public executor": (
        "the guard of the pull callbacks where the scope has one such thread; a reset that holds it takes its 10 s"
    ),
}
"""Timers and waits of 4.9.4 that no action of the model ends, and what stands for them."""

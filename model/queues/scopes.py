"""The small worlds in which the claims about several queues are decided, and what their bounds mean."""

from __future__ import annotations

from collections.abc import Mapping

from offsetproof.lang import Default, Scope
from offsetproof.model.queues.variants import BROKER_ERROR
from offsetproof.model.vocabulary import Strategy

_OFF_OR_ON, _FROM_ONE, _ONE_OR_TWO = range(2), range(1, 63), range(1, 3)
_CLIENTS, _OTHERS, _QUEUES, _MESSAGES = range(1, 17), range(47), range(1, 9), range(63)
"""More clients or queues take minutes to stage, or cannot be; a set of members or messages has at most 62."""

BOUNDS: Mapping[str, Default] = {
    "consumers": Default(1, "consumers of the group", _CLIENTS),
    "others": Default(0, "members of the group that are no more than that", _OTHERS),
    "queues": Default(2, "queues of the topic", _QUEUES),
    "brokers": Default(2, "brokers that the topic is on; some have no queue where it has fewer", _FROM_ONE),
    "messages": Default(1, "messages of each queue; 0: only who has which queue", _MESSAGES),
    "resets": Default(0, "runs of the reset tool"),
    "view_changes": Default(0, "times that a broker comes to see the group's members differently"),
    "restarts": Default(0, "restarts of brokers, which know no member until they hear of each again"),
    "unsubscribes": Default(0, "times that a client gives the topic up, and stays in the group"),
    "one_id": Default(0, "1: the second client has the first one's id, and starts after it", _OFF_OR_ON),
    "writes": Default(0, "times that the administrator writes the offset of one queue"),
    "tool_5x": Default(0, "1: by the tool, which in 5.x then asks for a reset of it (one of `resets`)", _OFF_OR_ON),
    "stops": Default(0, "shutdowns of clients, which start again"),
    "commits_in_flight": Default(1, "one-way commits of one consumer and queue on their way at a time", _FROM_ONE),
    "rebalances": Default(1, "threads that rebalance: RebalanceService; with 2 also the one that resumes", _ONE_OR_TWO),
    "polls": Default(0, "1: a long poll is held for a while, and may outlive a reset's sleep", _OFF_OR_ON),
    "callback_threads": Default(0, "1: one thread runs resets and pull callbacks; 0: as many as they need", _OFF_OR_ON),
    "fine": Default(0, "1: a round of persistAll is a step for each cell", _OFF_OR_ON),
    "strategy": Default(Strategy.AVERAGELY, "how queues are allocated"),
}

_RESET, _TWO_RESETS = {"resets": 1, "rebalances": 2}, {"resets": 2, "rebalances": 2}

SCOPES = (
    Scope("two-brokers", _RESET, about="a reset of two queues on two brokers"),
    Scope("one-broker", {**_RESET, "brokers": 1}, about="a reset of two queues on one broker"),
    Scope("held-polls", {**_RESET, "polls": 1}, about="a reset of two queues on two brokers, with long polls"),
    Scope(
        "one-cpu",
        {**_RESET, "polls": 1, "callback_threads": 1},
        about="a reset of two queues on two brokers, with long polls, and one thread for resets and pull callbacks",
    ),
    Scope(
        "ends-half-way",
        _RESET,
        faults={BROKER_ERROR: 1},
        about="a reset of two queues on two brokers, which may end at the second broker",
    ),
    Scope("twice", {**_TWO_RESETS, "brokers": 1}, about="two resets of two queues on one broker"),
    Scope("twice-two-brokers", _TWO_RESETS, about="two resets of two queues on two brokers"),
    Scope(
        "twice-empty",
        {**_TWO_RESETS, "messages": 0},
        about="two resets of two queues on two brokers, without a message: only what lands",
    ),
    Scope(
        "twice-one-cpu",
        {**_TWO_RESETS, "brokers": 1, "callback_threads": 1},
        about="two resets of two queues on one broker, and one thread for resets and pull callbacks",
    ),
    Scope(
        "half-way",
        _TWO_RESETS,
        faults={BROKER_ERROR: 1},
        about="two resets of two queues on two brokers; one of them may end at the second broker",
    ),
    Scope(
        "moving-reset",
        {**_RESET, "consumers": 2, "brokers": 1, "messages": 0, "view_changes": 1},
        about="a reset of two queues on one broker, which may move between two clients",
    ),
    Scope(
        "stopped-reset", {**_RESET, "stops": 1}, about="a reset of two queues on two brokers; the client may be stopped"
    ),
    Scope(
        "come-back-reset",
        {"resets": 1, "consumers": 2, "brokers": 1, "messages": 0, "view_changes": 2},
        about="a reset of two queues on one broker, which may go to another client and come back",
    ),
    Scope(
        "averagely",
        {"consumers": 2, "queues": 3, "messages": 0, "view_changes": 2},
        about="three queues on two brokers, allocated averagely; the brokers may know different members",
    ),
    Scope(
        "by-circle",
        {"consumers": 2, "queues": 3, "messages": 0, "view_changes": 2, "strategy": Strategy.BY_CIRCLE},
        about="three queues on two brokers, allocated by circle; the brokers may know different members",
    ),
    Scope(
        "persist-moving",
        {"others": 1, "brokers": 1, "view_changes": 2, "fine": 1},
        about="persistAll cell by cell, while a client gets a queue and loses it",
    ),
    Scope(
        "unsubscribed",
        {"consumers": 2, "brokers": 1, "messages": 0, "unsubscribes": 1},
        about="two queues and two clients, one of which gives the topic up",
    ),
    Scope(
        "one-id",
        {"consumers": 2, "brokers": 1, "messages": 0, "one_id": 1},
        about="two queues, and a second client that starts with the first one's id",
    ),
    Scope(
        "broker-restarts",
        {"consumers": 2, "messages": 0, "restarts": 1},
        about="two queues on two brokers and two clients; a broker is restarted, and hears of them again",
    ),
    Scope(
        "one-queue",
        {"brokers": 1, "messages": 2, "writes": 1, "stops": 1},
        about="two queues on one broker; the administrator writes the offset of one of them",
    ),
    Scope(
        "one-queue-5x",
        {**_RESET, "brokers": 1, "writes": 1, "tool_5x": 1, "stops": 1},
        about="two queues on one broker; the administrator writes the offset of one of them with a tool of 5.x",
    ),
)

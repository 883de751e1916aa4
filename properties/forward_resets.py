"""Forward resets that have landed: they stay."""

from __future__ import annotations

from offsetproof.lang import HOLDS, REFUTED, always, case, every, implies, remedy
from offsetproof.model.releases import END_WHEN_LATER, R_5_3_3, SERVER_SIDE_RESET
from offsetproof.model.shared.group import Group
from offsetproof.model.variants import (
    GROUP_STAYS_DOWN,
    MONOTONE_COMMITS,
    RESET_TO_NOW,
    RESET_WHILE_DOWN,
    RESETS_NUMBERED,
)
from offsetproof.model.vocabulary import Direction
from offsetproof.properties.resets import KNOWS_NUMBERS, NUMBERED


@always(
    case(
        "I5-forward",
        REFUTED,
        *("reset", "reset-two"),
        needs=["W-forward-reset-landed"],
        why="with one consumer by a commit that an older one overtakes; with two without any fault, by the commit of "
        "an owner that the command has not reached yet",
        symptom="a forward reset (or skipAccumulatedMessage) did not stick: messages that were to be skipped are "
        "delivered",
        remedies=[remedy("reset", fixes=[MONOTONE_COMMITS])],
    ),
    case(
        "I5-forward-calm",
        HOLDS.unless(SERVER_SIDE_RESET),
        "calm-reset",
        needs=["W-forward-reset-landed"],
        where="for one consumer that keeps the queue, where nothing is late, overtaken or stalled and nobody else "
        "writes the offset",
    ),
    case(
        "I5-forward-twice",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-twice",
        needs=["W-last-forward-reset-landed"],
        where="for one consumer that keeps the queue, where the administrator resets twice and nobody else writes the "
        "offset; of each reset, until the next",
        why="nothing is late, overtaken or stalled here",
    ),
    case(
        "I5-forward-restarted",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-restart-in-order",
        needs=["W-forward-reset-landed"],
        where="for one consumer that keeps the queue, where the broker is restarted in order, nothing is late, "
        "overtaken or stalled, and nobody else writes the offset",
    ),
    case(
        "I5-forward-in-two",
        REFUTED,
        "fine-reset",
        where="without any fault, where persistAll reads a cell and sends it in two steps",
        why="persistAll reads the cell before the reset writes it, and sends after the reset has sent; the next "
        "persistAll heals it",
        symptom="a forward reset did not stick, without any stall or loss",
        remedies=[remedy("fine-reset", fixes=[MONOTONE_COMMITS])],
    ),
    case(
        "I5-forward-by-time",
        REFUTED.unless(END_WHEN_LATER).unless(SERVER_SIDE_RESET),
        "equal-times",
        where="where the administrator resets to a time, and nobody else writes the offset",
        why="the broker's search for a time after the last message's ends at the last message, and not past it",
        symptom="a reset to `now`, which should skip all there is, delivered the last message of each queue (the time "
        "-1 is the max offset, the latest; the time 0 is before all messages, so the min offset, the earliest)",
        remedies=[
            remedy("equal-times", fixes=[END_WHEN_LATER]),
            *(remedy("equal-times", fixes=[fix], release=R_5_3_3.name) for fix in (MONOTONE_COMMITS, RESETS_NUMBERED)),
        ],
    ),
    case(
        "I5-forward-now",
        HOLDS.unless(SERVER_SIDE_RESET),
        "reset-by-time",
        elsewhere={"broker=4.9.4,client=4.9.4,tool=5.3.3": REFUTED},
        assumptions=[RESET_TO_NOW],
        needs=["W-forward-reset-landed"],
        where="for one consumer that keeps the queue, where the administrator resets to `now`, nothing is late, "
        "overtaken or stalled and nobody else writes the offset",
        why="a tool of 4.9.x asks for the end by its number, and a broker since 5.1.1 finds the end for a time later "
        "than the last message's. A tool of 5.x asks a broker of 4.9.x for a time, and gets the last message",
    ),
    case(
        "I5-forward-numbered",
        HOLDS,
        *NUMBERED,
        only_of=KNOWS_NUMBERS,
        fixes=[RESETS_NUMBERED],
        needs=["W-forward-reset-landed"],
        where="where resets have numbers, for one consumer, and nobody else writes the offset",
    ),
    case(
        "I5-forward-numbered-restarted",
        HOLDS,
        "reset-restart-in-order",
        only_of=KNOWS_NUMBERS,
        fixes=[RESETS_NUMBERED],
        needs=["W-forward-reset-landed"],
        where="where resets have numbers, for one consumer, the broker is restarted in order, and nobody else writes "
        "the offset",
    ),
    case(
        "I5-forward-while-down",
        HOLDS,
        "offline-reset",
        only_of=[SERVER_SIDE_RESET],
        assumptions=[RESET_WHILE_DOWN, GROUP_STAYS_DOWN],
        needs=["W-forward-reset-landed"],
        where="where the group is down when the reset comes, all that its clients had sent has ended, and none starts "
        "before the tool has its answer, and nobody else writes the offset",
    ),
)
def forward_reset_stays(group: Group) -> bool:
    """From a forward reset's landing, the broker's offset is never below the target."""
    committed = group.broker.offset_for_query()
    if committed is None:
        return True
    landed = every([group.ghost_landed, group.ghost_direction == Direction.FORWARD])
    return implies(landed, committed >= group.ghost_target)

"""The page docs/resets.md: what undoes a reset, made of what `explain I5` found and of the recorded stories."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from offsetproof.model.rocketmq import RocketMQ
from offsetproof.model.variants import POLL_CHECKS_DROPPED
from offsetproof.traces.recorded_stories import mechanisms

Record = dict[str, Any]

STORIES = Path(__file__).parents[1] / "traces" / "recorded"

MECHANISMS = mechanisms()
"""What happens in each recorded story, in the order of the page."""

_HEAD = """# What undoes a reset

Written by `make resets`, which finds the causes as `offsetproof explain I5` does. The tests ask that the page is made
of what was found, and that every story on it is still the smallest one; in the slow suite the causes are found again.

An administrator resets a group's offset to X. The broker of 4.9.4 only tells the consumers; each pauses itself, marks
its ProcessQueue dropped, clears it, sleeps ten seconds, writes X into its offset table, sends it to the broker one-way,
and lets the queue be added again. Claim I5 says: once the reset's own write has reached the broker (it has *landed*),
every later broker offset v has all messages from X to v delivered again first. Where that fails, a crash or a change of
owner at that moment skips what lies between.

I5 is refuted. `explain` finds the causes one after another: each is taken away by an assumption or a fix that removes
it, or excluded by its actions, and the search goes on, scope by scope. It finds {count}. Some are one
mechanism in several forms; here is one trace of each mechanism; `offsetproof show NAME` tells it step by step with the
Java lines. *Stall* is the smallest delay beyond RocketMQ's own timers that the story needs. A *permanent* effect stays
for good and loses a message.
"""

_AFTER = """The fix that is proposed in apache/rocketmq PR #10087, a pull callback that looks at `dropped` first
(`{fix}`), removes {removed} below, in each of which a poll ends late, and no other. With it
and the assumptions of the table I5 HOLDS for one consumer that keeps the queue. With `reset-drops-again` in addition it
HOLDS for one that loses and regains the queue, with `persist-in-one` where persistAll is two steps (I5-persist-in-one),
and with `commits-timely`, `last-pulls-timely` and `group-stays-down` for a group that is offline (I5-offline-quiet).
Two consumers still break it without any fault.

A forward reset (skipping a backlog) is more robust: with one consumer and no fault it stays (I5-forward-calm HOLDS).
It breaks by an overtaken commit (`I5-forward-overtaken-commit`), by a persistAll that has read before the reset wrote
(`I5-forward-in-two`, which heals), and by another owner (`I5-forward-other-owner`).

Without the force flag (`mqadmin resetOffsetByTime -f false`, or a dashboard) a forward reset is no less a
command: Broker2Client.resetOffset sends each consumer the *committed* offset as the target of a queue whose wanted
offset is not below it, and answers with success. So no offset moves, and yet the consumer stands still for ten seconds
per broker, and what it had consumed and not yet committed comes again (`I29-unforced-cleared`); a poll that ends
between the reset's two writes even skips what was cached (`I28-late-poll-raises-target`, 20 steps, no fault). Of a
group that is down the broker says CONSUMER_NOT_ONLINE (206): mqadmin then writes the offset itself, and without force
nothing above the committed one.

A reset may also never land (`I6-nobody-writes`), or be answered with success although its one-way command was lost
(`I6-lost-command`). A reset to a time may begin in the middle of messages that were stored at the same time
(`I6-time-middle-of-equals`); with the search of 5.1.1 it is undone like any other (`I6-time-fixed-late-poll`).

Related stories: `I7-stalled-task` (a task overwrites what the reset wrote), `I17-late-writer` (a dropped queue writes
the cell), `I18-orphan` (a queue outside the table that nobody dropped), `I1-group-cleared-cache` (the cell passes
messages that nobody has finished), `I8-two-owners`.
"""

_NAMES = "`offsetproof explain I5` names each by the actions that tell it from the others, and tells it in brief."

_END = """## How to read the counts

Faults are what does not happen in an ordinary run: a request executed before an older one of the same client, a pull
on its way for more than ten seconds, a thread that stands for more than ten seconds. Long polls that outlive the sleep,
rebalances, changes of the group and several owners are ordinary. A trace has the fewest faults that break the claim,
then the fewest steps, then the fewest changes of actor.

## Where this differs from what was suspected

- The causes that an earlier sketch of this model found are all here. The sketch excluded out-of-order commits and late
  pulls first; counted by faults, the late poll comes first, because it needs none.
- A landing is recognised by origin. In `I5-late-poll` the reset's own write arrives with a value other than X, because
  the callback raised the cell between the reset's two statements updateOffset and persist; the variant in which the
  poll ends after the queue has been added again (issue #4206) is longer.
- A stalled rebalance alone does not break I5 for one consumer that keeps the queue: there the run has finished before
  the first commit. It takes a queue that was lost and regained (`I5-orphan`), and then no stall.
"""

_UNSETTLED = """\
Each remover was tried together with those that were taken for the other causes. I5 then HOLDS in every scope in which
its cause was found, so the cause has no other steps left; but for these, where UNKNOWN means the state limit:"""


def page(record: Record) -> str:
    """The text of the page."""
    causes: list[Record] = record["causes"]
    stories = {number: story for number, cause in enumerate(causes) for story in _stories(cause)}
    by_story = {story: causes[number] for number, story in stories.items()}
    parts = [_HEAD.format(count=count_in_words(record)), *_mechanisms(by_story), "", _after(causes)]
    parts += ["## All causes that were found", "", _NAMES, "", *_all(causes, stories), ""]
    parts += [*_undecided_rows(causes), ""] if any(cause["unsettled"] for cause in causes) else []
    parts += ["What ended the search:", "", *(f"- {line}" for line in record["ends"]), "", _END]
    return "\n".join(parts).rstrip() + "\n"


def count_in_words(record: Record) -> str:
    """How many causes there are, or that there are at least so many."""
    return f"{'' if record['whole'] else 'at least '}{len(record['causes'])} causes"


def _after(causes: Sequence[Record]) -> str:
    fix = POLL_CHECKS_DROPPED.name
    *first, last = (str(number) for number, cause in enumerate(causes, 1) if fix in cause["removed_by"])
    return _AFTER.format(fix=fix, removed=f"causes {', '.join(first)} and {last}" if first else f"cause {last}")


def _stories(cause: Record) -> Iterator[str]:
    """The recorded stories that are of this cause: their actions are the same."""
    for story in MECHANISMS:
        recorded = json.loads((STORIES / f"{story}.json").read_text(encoding="utf-8"))
        if set(recorded["trace"]["cause"]) == set(cause["actions"]):
            yield story


def _mechanisms(causes: Mapping[str, Record]) -> Iterator[str]:
    yield "| trace | cause | steps | faults | stall | effect | what removes it |"
    yield "|---|---|---:|---:|---|---|---|"
    for story, what in MECHANISMS.items():
        cause = causes[story]
        yield f"| `{story}` | {what} | {_figures(cause)} | {_removers(cause)} |"


def _all(causes: Sequence[Record], stories: Mapping[int, str]) -> Iterator[str]:
    yield "| | name | steps | faults | stall | effect | what removes it | scopes | story |"
    yield "|---:|---|---:|---:|---|---|---|---|---|"
    for number, cause in enumerate(causes):
        story = f"`{stories[number]}`" if number in stories else "another form"
        scopes = ", ".join(cause["scopes"])
        yield f"| {number + 1} | {cause['name']} | {_figures(cause)} | {_removers(cause)} | {scopes} | {story} |"


def _figures(cause: Record) -> str:
    return " | ".join(str(cause[key]) for key in ("steps", "faults", "stall", "effect"))


def _removers(cause: Record) -> str:
    fixes = {fix.name for fix in RocketMQ.fixes}
    parts = [f"{'fix' if name in fixes else 'assuming'} `{name}`" for name in cause["removed_by"]]
    return ", ".join(parts) or "nothing that the model has"


def _undecided_rows(causes: Sequence[Record]) -> Iterator[str]:
    """Where a remover was shown to take away the steps of a cause, and not that nothing else is left of it."""
    yield _UNSETTLED
    yield ""
    for number, cause in enumerate(causes, 1):
        for scope, name, verdict in cause["unsettled"]:
            yield f"- {number}, {cause['name']}, in scope {scope} with `{name}`: {verdict}"

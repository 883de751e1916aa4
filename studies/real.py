"""Replays every recorded story on the classes of its release, and writes docs/real.md (`make real`; two minutes).

What is found is kept beside the recorded traces, as the program says it of each counterexample that it finds.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict

from offsetproof.conformance.on_release import ReplayOnRelease, of_release, prepare, replay_on, rig_of
from offsetproof.conformance.reproduced import FILE, Found, digest_of, found_by_story
from offsetproof.real.jars import read_lock
from offsetproof.real.replay import OutcomeKind
from offsetproof.real.sidecar import Gates
from offsetproof.traces.recorded_stories import recorded_stories
from offsetproof.traces.trace import Trace
from studies import DOCS, ROOT
from studies.conforming import wrong_models_section
from studies.natural import read
from studies.other_releases import section as other_releases_section

RELEASE = "4.9.4"
DATA = ROOT / "traces" / FILE
PAGE = DOCS / "real.md"
README = ROOT / "README.md"
BEGIN, END = "<!-- written by `make real` -->", "<!-- end of what `make real` writes -->"

_HEAD = """# Recorded stories on the real classes

Written by `make real` from `traces/{file}`: every recorded story of a subject whose actions are mapped to the real
program (a *rigging*: `model/rigging.py` and those beside it), replayed on the published classes of RocketMQ {release}
({jars} jars, each checked against its SHA-256). `offsetproof replay STORY` does it again for one, `offsetproof replay
--recorded` for all, and `--steps` tells what each step changed on both sides.

{counts}

## How a story is enforced

One JVM holds the unmodified classes of a broker's and a client's side, with threads that are collected rather than run
and a network that delivers when it is told to. Each action of the model stands for a place in the bytecode: class,
method and call. The JVM is its own debugger and holds a thread before it runs the line where the next action of its
role begins; a step of the story lets one thread go on from there to the next such line, while all others stand. After
each step the fields that both sides have must be equal: the offset table, the ProcessQueue table, each ProcessQueue's
messages, flags and pull, commits on their way, the broker's offsets, in memory and in its file. The first difference
ends the replay. `--gates woven` holds threads by calls that are woven into the classes instead; a test compares both on
all stories.

Offset files are real ones in a folder, and what is compared is what the class itself reads in the main file, the backup
and the .tmp file. A process that is killed leaves its threads where they are held, inside `MixAll.string2File` if need
be; they go no further, and the next process has what is in the folder then.

A step is *silent* where it changes none of these fields and has no line of its own in what the code does there: the
model counts it, and the classes pass it on the way.

*Not forceable* says that the release cannot be made to do a step, and why: the story rests on a fix that the release
does not have, or the rig leaves an action out. *Diverged* says that the classes did something else: then the model or
the rig is wrong.

[natural.md](natural.md) has how often stories happen by themselves, with nothing held, on a whole cluster.

What is not judged: parts that the rig plays instead of running the real ones (the module's text says which: the members
that a client sees, the administrator's tool), and fields that only the model has, such as its history for claims.
"""


def main() -> None:
    """Replays all stories, and writes data, page and README."""
    rows = [*replayed(Gates.DEBUGGER)]
    DATA.write_text(json.dumps({"stories": [asdict(row) for row in rows]}, indent=1) + "\n", encoding="utf-8")
    found_by_story.cache_clear()
    write_pages()


def write_pages() -> None:
    """Writes what is made of the data alone."""
    PAGE.write_text(page(), encoding="utf-8")
    README.write_text(with_count(README.read_text(encoding="utf-8")), encoding="utf-8")


def replayed(gates: Gates) -> Iterator[Found]:
    """What becomes of every recorded story of a subject with a rigging, in the order of their names."""
    stories = of_release(recorded_stories(), [RELEASE])
    prepared = [prepare(name, trace) for name, trace in stories.items()]
    for each in replay_on(rig_of(RELEASE), prepared, gates):
        yield _row(each, stories[each.name])


def _row(each: ReplayOnRelease, trace: Trace) -> Found:
    outcome, subject = each.outcome, each.prepared.subject
    return Found(
        each.name,
        subject.name,
        trace.property.id,
        each.release,
        digest_of(subject, trace),
        str(outcome.kind),
        trace.length,
        outcome.silent,
        outcome.step,
        outcome.field,
        outcome.reason or None,
    )


_FOUND = """\
## What the real classes found

Random walks of the models, done on the real classes as well (`offsetproof conform`), differed from them here.
Each was read in the bytecode of the release before it was called one side's error.

| found | by | what the model said | what the class does | what became of it |
|---|---|---|---|---|
{rows}

Beside the walks, public methods that no action stands for are called between steps (`real/unmodelled.py`). Without the
model's running info, that is how `consumerRunningInfo` is found to write a cell; a test does it.

## Your own classes

`replay`, `conform`, `guard` and `judge` take `--classpath`: classes that stand in front of the release's jars
([command-line.md](command-line.md)). The tests do it with published classes of 4.9.4, changed in their bytecode:

- A pull callback that checks `dropped` first. `DefaultMQPushConsumerImpl.PullCallback.onSuccess` has drifted. Walks
  differ from the model, and agree with the model with poll-checks-dropped. Of the 14 recorded causes of
  backward-reset-stays it removes two, I5-late-poll and I5-one-cpu.
- commitOffset with putIfAbsent. `ConsumerOffsetManager.commitOffset` has drifted. Walks agree with the model with
  row-made-atomically, and the one recorded cause, I11-row-put-twice, is removed.
- commitOffset as it is, with its put in a method of its own: the cause is left. Locked (`synchronized`): it is removed.
  With getOrDefault in the place of get, or all on one line: nobody knows, and `judge` says why.
- Other line numbers. Nothing has drifted, and all is as on the release.

Conformance alone cannot tell a fix that forbids something: unpatched classes agree with the model with
row-made-atomically, as that model never interleaves two commits. So a patch that is said to be a fix must not do the
recorded stories either that the model with the fix cannot do.
"""
_FOUND_ROWS = (
    (
        "a pull of a topic that is no longer subscribed",
        "walks in `unsubscribe` and `orderly-unsubscribe`, a story that diverged",
        "the pull is sent",
        "`DefaultMQPushConsumerImpl.pullMessage` tries again three seconds later",
        "both models; the story of I9-locked-unsubscribe recorded again",
    ),
    (
        "a shutdown's persistAll",
        "walks in `shutdown`",
        "it sends the cell of a listed queue",
        "it removes that of an unlisted one as well, as every persistAll does",
        "the model",
    ),
    (
        "a shutdown while a lock is renewed",
        "a directed run",
        "the locks are given up at once",
        "`unlockAllMQ` and `lockMQPeriodically` are synchronized: it waits",
        "the orderly model",
    ),
    (
        "a lost pull request while the pull thread asks for a start",
        "walks in `orderly-lost-token`",
        "the request is lost, and its pull is sent all the same",
        "one thread does both",
        "the orderly model",
    ),
    (
        "requests of a dropped life",
        "walks in `orderly-reset`",
        "messages that arrive later are submitted, and the request ends at once",
        "`consuming` stays true, nothing is submitted",
        "left: it does nothing; not compared",
    ),
    (
        "an expired queue leaves the table",
        "walks in `lost-token`",
        "at one line",
        "at another (`Iterator.remove` has two)",
        "the rigging",
    ),
    (
        "a queue that is added between a reset's suspend and its first loop",
        "walks in `broadcast-reset`",
        "the loop drops it",
        "so it does: the thread was held in the loop, and not before it",
        "the rigging of all subjects: held before each of the two loops",
    ),
    (
        "a broadcast consumer's text that is longer than a buffer",
        "walks in `client-kills`",
        "its first part is written",
        "the text was short: the queue with the long name was never added, for want of its broker",
        "the rig",
    ),
    (
        "a cell that comes while persistAll goes over the cells",
        "stories I26-added-after-its-set and I27-left-over-cell, which diverged",
        "a round looks at it, wherever it is by then",
        "the map's iterator has the next cell already, or the end: it is missed",
        "the model of several queues; both stories recorded again, as long as before",
    ),
    (
        "a cell that is removed while persistAll has come to it",
        "walks in `persist-moving`",
        "nothing is sent",
        "the iterator has it still, and it is sent",
        "left out by name; such a step counts as one that cannot be enforced",
    ),
    (
        "the queues that a run of rebalance goes over",
        "stories I6-moving-not-in-table and I6-twice-older-command-last, walks in `averagely`",
        "in any order, by what the client reads of the group meanwhile, and pulled at once",
        "in the order of its set, by the allocation of its beginning, and pulled at its end",
        "the model of several queues, but for the pulls: no verdict moved",
    ),
    (
        "a queue that comes into the table while a reset goes over it",
        "walks in `moving-reset` of several queues",
        "the loop comes to it",
        "the table's iterator has the next queue already, or the end: it is missed",
        "the model of several queues: no verdict moved",
    ),
    (
        "the empty table of a broker that could not load",
        "a directed run in `broker-power`",
        "it is written in two parts where texts are longer than a buffer",
        "it is short, and written at once",
        "left: the model may be killed once more; the rig makes it long",
    ),
    (
        "a start by TIMESTAMP or of a retry topic",
        "walks in `timestamp`",
        "a request of its own",
        "other calls than LAST_OFFSET's",
        "the rigging",
    ),
)


def page() -> str:
    """The text of docs/real.md."""
    rows = found_by_story()
    head = _HEAD.format(file=FILE, release=RELEASE, jars=len(read_lock(RELEASE).jars), counts=_counts(rows))
    by_subject = dict.fromkeys(row.subject for row in rows.values())
    found_table = _FOUND.format(rows="\n".join(f"| {' | '.join(cells)} |" for cells in _FOUND_ROWS))
    sections = (line for name in by_subject for line in _section(name, rows))
    ends = (found_table.rstrip(), wrong_models_section(), other_releases_section())
    return "\n".join([head.rstrip(), *sections, *(line for end in ends for line in ("", end))]) + "\n"


def _counts(rows: Mapping[str, Found]) -> str:
    """How much was reproduced, by subject and together, and what was not."""
    lines = [
        "| subject | stories | reproduced | not forceable | diverged | steps | silent |",
        "|---|---|---|---|---|---|---|",
    ]
    subjects = [*dict.fromkeys(row.subject for row in rows.values())]
    groups = [(name, [row for row in rows.values() if row.subject == name]) for name in subjects]
    groups += [("all", [*rows.values()])] if len(groups) > 1 else []
    for name, own in groups:
        counted = [sum(row.outcome == verdict for row in own) for verdict in _VERDICTS]
        sizes = (
            sum(row.length for row in own if row.is_reproduced),
            sum(len(row.silent) for row in own if row.is_reproduced),
        )
        lines.append(f"| {' | '.join(map(str, (name, len(own), *counted, *sizes)))} |")
    return "\n".join([*lines, "", "Steps and silent steps are those of the stories that were reproduced."])


_VERDICTS = (OutcomeKind.REPRODUCED, OutcomeKind.NOT_FORCEABLE, OutcomeKind.DIVERGED)


def _section(subject: str, rows: Mapping[str, Found]) -> Iterator[str]:
    yield ""
    yield f"## {subject}"
    yield ""
    yield "| story | steps | silent | outcome | where, and why |"
    yield "|---|---|---|---|---|"
    for row in rows.values():
        if row.subject == subject:
            silent = ", ".join(map(str, row.silent))
            where = "" if row.step is None else f"step {row.step}: "
            why = f"{where}{row.reason}" if row.reason else ""
            yield f"| `{row.story}` | {row.length} | {silent} | {row.outcome} | {why} |"


def with_count(readme: str) -> str:
    """The README's text with the lines between its markers made again."""
    before, _, rest = readme.partition(f"{BEGIN}\n")
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError(f"README.md has no lines {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{in_readme()}\n{end}{after}"


def in_readme() -> str:
    """How many stories happened on the real classes, and what to type."""
    rows, late = [*found_by_story().values()], read()[RELEASE]["late-poll"]
    reproduced = sum(row.is_reproduced for row in rows)
    return (
        "`offsetproof replay I5-late-poll` does the same steps on the real classes of RocketMQ "
        f"{RELEASE}, thread by thread,\nand compares offsets, queues and commits after each: {reproduced} of the "
        f"{len(rows)} recorded stories happen there, step by step\n([docs/real.md](docs/real.md) says which do not, "
        f"and why). With nothing held it happened by itself in {late['happened']} of {late['told']} resets\n"
        "([docs/natural.md](docs/natural.md))."
    )


def mark_of(story: str) -> str:
    """What tables have behind a story's name: a mark where it was reproduced on the real classes."""
    row = found_by_story().get(story)
    return " ✓" if row is not None and row.is_reproduced else ""


if __name__ == "__main__":
    main()

"""The page docs/studies/agreement.md, made of studies/data/agreement.json and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from studies.subjects import ABOUT_ROCKETMQ

Record = dict[str, Any]

TOOLS = ("TLC", "SPIN", "Stateright")

SUBJECTS = tuple(subject.name for subject in ABOUT_ROCKETMQ)
"""The subjects whose claims are asked; all other questions are about toys."""

MOST, MOST_FOR_TLC = 3_000_000, 100_000
"""Larger systems are not counted whole: by anybody, and by TLC."""

SMT_SECONDS = 20.0
"""What smt may take for all claims of a RocketMQ scope together; a toy is given a tenth of it."""

_HEAD = """# Agreement

Written by `make agreement` on {machine}, shared: seconds are for orientation, counts
are exact. `tests/quality/test_agreement_page.py` compares each record with the baseline, and asks that its digest is
that of the system as it is now, so that no count on this page can outlive a change of the model.

Five programs that share no search code look at the same system: the explicit engine (this project), Z3 by way of
bounded model checking and k-induction, TLC, SPIN and Stateright; the stateful engine samples. All foreign searches are
breadth-first and complete: TLC with one worker, SPIN without partial-order reduction, bitstate or hash compaction.

What an entry says:

- *states, depth*: distinct states of the whole system of that row and the length of its longest shortest path. The
  three tools' columns say `=` where both numbers are the explicit engine's, and otherwise what the tool has.
- *(faults, steps)*: of the smallest trace. A tool's `= n` is the length of its own shortest violation, where the export
  allows as many faults as the smallest trace has.
- TLC is asked to count where a claim holds, in up to {most_for_tlc:,} states, the others everywhere, in up to {most:,}
  (`not counted`, `not asked`): it would take them hours. What is kept of an earlier run may go further.
- *smt*: `none to 24` is a bounded statement and nothing more; `proved (k = 2)` holds for every number of steps.
"""


def page(known: Record) -> str:
    """The text of the page; sections that were not asked yet are left out."""
    questions: dict[str, Record] = known.get("questions", {})
    by_subject = {subject: _records_of(subject, questions) for subject in SUBJECTS}
    toys = {name: record for name, record in questions.items() if name.split()[0] not in SUBJECTS}
    parts = [_HEAD.format(machine=known["machine"], most=MOST, most_for_tlc=MOST_FOR_TLC), *_summary(known)]
    for subject, records in by_subject.items():
        parts += [f"## Claims of `{subject}`", "", *_table(records), "", *_depths(records)] if records else []
    parts += _finding(known.get("finding", {}))
    parts += _walking_table(known.get("walking", {}))
    parts += _mutations(known.get("mutations", []))
    parts += [
        "## Toys",
        "",
        "Their numbers were also worked out by hand, in `examples/toys/`.",
        "",
        *_table(toys),
    ]
    return "\n".join(parts) + "\n"


def _records_of(subject: str, questions: dict[str, Record]) -> dict[str, Record]:
    """The records of a subject's questions, by claim and scope."""
    own = {name: record for name, record in questions.items() if name.split()[0] == subject}
    return {name.removeprefix(f"{subject} "): record for name, record in own.items()}


def differences(record: Record) -> Iterator[str]:
    """Where a tool's numbers are not the explicit engine's, in words."""
    explicit = record["explicit"]
    for tool in TOOLS:
        said = record.get(tool, {})
        whole, judged = said.get("whole"), said.get("judged")
        if (
            whole
            and explicit["whole"]
            and (whole["states"], whole["depth"]) != (explicit["whole"]["states"], explicit["whole"]["depth"])
        ):
            yield f"{tool} counts {whole['states']} states to depth {whole['depth']}"
        if judged and (judged["violated"] is not None, judged["steps"]) != (
            explicit["steps"] is not None,
            explicit["steps"],
        ):
            yield f"{tool} finds {judged['violated']} in {judged['steps']} steps"


def _summary(known: Record) -> list[str]:
    questions: dict[str, Record] = known.get("questions", {})
    errors = sum(record["whole_only"] for record in questions.values())
    records = {tool: [r[tool] for r in questions.values() if tool in r] for tool in TOOLS}
    lines = [
        "## In short",
        "",
        f"{len(questions)} questions, of which {errors} only count states, because the model itself goes wrong.",
        "",
    ]
    for tool, said in records.items():
        judged = sum(bool(record.get("judged")) for record in said)
        counted = sum(bool(record.get("whole")) for record in said)
        silent = sum("failed" in record for record in said)
        lines.append(
            f"- {tool} judged {judged} and counted {counted} whole systems; {silent} times it gave no answer. What it "
            "was not asked is said in its entry."
        )
    wrong = [f"{name}: {text}" for name, record in questions.items() for text in differences(record)]
    left = known.get("open", [])
    if left:
        lines += ["", f"Not asked since the model changed, {len(left)} of {len(questions) + len(left)}:", ""]
        by_subject = {subject: [name for name in left if name.split()[0] == subject] for subject in SUBJECTS}
        lines += [f"- {name}, {len(names)}: {_listed(names)}" for name, names in by_subject.items() if names]
    lines += ["", f"Differences: {len(wrong)}.", *(f"- {text}" for text in wrong), ""]
    return lines


def _listed(names: list[str]) -> str:
    """Questions of one subject, without its name."""
    return ", ".join(name.partition(" ")[2] for name in names)


def _table(records: dict[str, Record]) -> list[str]:
    head = ["claim, scope", "verdict", "(faults, steps)", "states", "depth", *TOOLS, "smt", "stateful"]
    rows = [head, ["---", "---", "---", "---:", "---:", "---", "---", "---", "---", "---"]]
    for name, record in records.items():
        explicit = record["explicit"]
        rows.append([
            name.replace(" ", ", "),
            _verdict(name, explicit),
            "" if explicit["steps"] is None else f"({explicit['faults']}, {explicit['steps']})",
            f"{explicit['whole']['states']:,}" if explicit["whole"] else f"over {MOST:,}",
            str(explicit["whole"]["depth"]) if explicit["whole"] else "",
            *(_tool(record, tool) for tool in TOOLS),
            _smt(record.get("smt")),
            _stateful(record.get("stateful")),
        ])  # fmt: skip
    return [f"| {' | '.join(row)} |" for row in rows]


def _verdict(name: str, explicit: Record) -> str:
    """The verdict; of a witness, whether it was reached. In both why it is not known, where it is not."""
    verdict: str = explicit["verdict"]
    if name.startswith("W-"):
        verdict = {"HOLDS": "reached", "REFUTED": "not reached"}.get(verdict, verdict)
    return verdict + (f" ({explicit['reason']})" if explicit["reason"] else "")


def _tool(record: Record, tool: str) -> str:
    said, explicit = record.get(tool), record["explicit"]
    if said is None:
        return ""
    if "failed" in said:
        return f"no answer: {said['failed']}"
    if "left" in said:
        return f"not asked: {said['left']}"
    whole, judged = said["whole"], said.get("judged")
    counts = "not counted" if whole is None else _counts(whole, explicit["whole"])
    if not judged or judged["violated"] is None:
        return counts
    return f"{counts}, {'= ' if judged['steps'] == explicit['steps'] else ''}{judged['steps']}"


def _counts(whole: Record, own: Record) -> str:
    equal = (whole["states"], whole["depth"]) == (own["states"], own["depth"])
    return "=" if equal else f"{whole['states']:,} to {whole['depth']}"


def _smt(said: Record | None) -> str:
    if said is None:
        return ""
    if said["steps"] is not None:
        return f"({said['faults']}, {said['steps']})"
    if said["verdict"] == "UNKNOWN":
        return f"none to {said['within']}" if said["reason"] != "model error" else "model error"
    method: str = said["method"]
    return "proved: " + method.split("by ", 1)[-1]


def _stateful(said: Record | None) -> str:
    if said is None:
        return ""
    return "not met" if said["steps"] is None else f"({said['faults']}, {said['steps']})"


def _depths(own: dict[str, Record]) -> list[str]:
    reached: dict[str, list[int]] = {}
    for name, record in own.items():
        if "smt" in record:
            world = ", ".join([name.rsplit(" ", 1)[1], *record["with"]])
            reached.setdefault(world, []).append(record["smt"]["within"])
    if not reached:
        return []
    lines = ["### How deep smt gets", "", "All claims of a scope and its assumptions in one unrolling, "]
    lines[-1] += f"{SMT_SECONDS:.0f} s for each."
    lines += ["It stops early where every claim is decided.", ""]
    lines += ["| scope | claims and witnesses | depth reached |", "|---|---:|---:|"]
    lines += [f"| {world} | {len(depths)} | {max(depths)} |" for world, depths in reached.items()]
    return [*lines, ""]


def _finding(records: dict[str, dict[str, Record]]) -> list[str]:
    if not records:
        return []
    lines = ["## Time to a violation", "", "From nothing to the replayed trace: (faults, steps) and seconds.", ""]
    lines += ["| claim, scope | explicit | stateful | smt |", "|---|---|---|---|"]
    for name, engines in records.items():
        cells = [_time_in_words(engines[engine]) for engine in ("explicit", "stateful", "smt")]
        lines.append(f"| {name.replace(' ', ', ')} | {' | '.join(cells)} |")
    return [*lines, ""]


def _time_in_words(said: Record) -> str:
    trace = "not found" if said["steps"] is None else f"({said['faults']}, {said['steps']})"
    return f"{trace} in {said['seconds']} s"


def _walking_table(rows: dict[str, Record]) -> list[str]:
    if not rows:
        return []
    lines = ["## How fast simulate walks", ""]
    lines += ["One core. The overhead is the share of Hypothesis's run that is not the model's.", ""]
    lines += [
        "| scope | instances | bits | million steps/s | Hypothesis's steps | overhead |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for scope, row in rows.items():
        overhead = "" if row["hypothesis_overhead"] is None else f"{row['hypothesis_overhead']:.0%}"
        lines.append(
            f"| {scope} | {row['instances']} | {row['bits']:,} | {row['steps_per_second'] / 1e6:.2f} "
            f"| {row['hypothesis_steps']:,} | {overhead} |"
        )
    return [*lines, ""]


def _mutations(rows: list[Record]) -> list[str]:
    if not rows:
        return []
    lines = ["## Mistranslations", ""]
    lines += [
        "Each operator of each table is mistranslated, and the contract suite's toys are asked again: a mistake is"
    ]
    lines += ["noticed by another answer, or by an engine's own check (a trace that does not replay)."]
    lines += ["", "| translation | made | noticed | of these by the engine's own check |", "|---|---:|---:|---:|"]
    for row in rows:
        lines.append(f"| {row['translation']} | {row['made']} | {row['noticed']} | {row['by_itself']} |")
    lines.append(f"| all | {sum(r['made'] for r in rows)} | {sum(r['noticed'] for r in rows)} | |")
    return [*lines, ""]

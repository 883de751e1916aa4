"""The tables in docs/studies/agreement.md, made of studies/data/agreement.json and of nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from studies.subjects import ABOUT_ROCKETMQ

Record = dict[str, Any]

TOOLS = ("TLC", "SPIN", "Stateright")

SUBJECTS = tuple(subject.name for subject in ABOUT_ROCKETMQ)
"""The subjects whose claims are asked; all other questions are about toys."""

TOYS = "toys"

MOST, MOST_FOR_TLC = 3_000_000, 100_000
"""Larger systems are not counted whole: by anybody, and by TLC."""

SMT_SECONDS = 20.0
"""What smt may take for all claims of a RocketMQ scope together; a toy is given a tenth of it."""


def machine(known: Record) -> str:
    """Where everything was asked."""
    return (
        f"Asked on {known['machine']}, shared: seconds are for orientation, counts are exact.\n"
        f"smt was given {SMT_SECONDS:.0f} s for all claims of a scope and its assumptions, "
        f"{SMT_SECONDS / 10:.0f} s for those of a toy."
    )


def tools(known: Record) -> str:
    """What each foreign tool judged and counted, and what it was not asked."""
    head = [
        "tool",
        "asked to count in up to, states",
        "judged",
        "counted whole",
        "not asked",
        "no answer",
        "differences",
    ]
    lines = [f"| {' | '.join(head)} |", "|---|" + "---:|" * (len(head) - 1)]
    for tool in TOOLS:
        said = [record[tool] for record in answered(known).values()]
        most = MOST_FOR_TLC if tool == "TLC" else MOST
        cells = [most, *(sum(bool(each.get(key)) for each in said) for key in ("judged", "whole", "left", "failed"))]
        cells.append(sum(text.startswith(tool) for record in answered(known).values() for text in differences(record)))
        lines.append(f"| {tool} | {' | '.join(f'{cell:,}' for cell in cells)} |")
    return "\n".join(lines)


def subjects(known: Record) -> str:
    """What was asked about each subject, and what came of it."""
    head = ["subject", "questions", "not asked since", "with a trace", "counted by all tools"]
    head += ["smt: a trace", "none within", "proved", "stateful: a trace", "as short"]
    lines = [f"| {' | '.join(head)} |", "|---|---:|---:|---:|---:|---:|---|---:|---:|---:|"]
    for subject, records in _by_subject(answered(known)).items():
        left = sum(_subject_of(name) == subject for name in known.get("open", []))
        lines.append(f"| {subject} | {len(records)} | {left} | {_results(list(records.values()))} |")
    return "\n".join(lines)


def exceptions(known: Record) -> str:
    """All differences, and what ended without an answer."""
    questions = answered(known)
    wrong = [f"{name}: {text}" for name, record in questions.items() for text in differences(record)]
    silent = [
        f"{name}: {record[tool]['failed'].removeprefix(f'{tool} ')} ({tool})"
        for name, record in questions.items()
        for tool in TOOLS
        if "failed" in record[tool]
    ]
    whole_only = [name for name, record in questions.items() if record["whole_only"]]
    lines = [f"Differences: {len(wrong)}.", *(f"- {text}" for text in wrong), ""]
    lines += [f"Without an answer: {len(silent)}.", "", *(f"- {text}" for text in silent), ""]
    unmet = [
        name
        for name, record in questions.items()
        if record["explicit"]["steps"] is not None and record["stateful"]["steps"] is None
    ]
    large = sum(record["explicit"]["whole"] is None for record in questions.values())
    lines += [f"Systems of more than {MOST:,} states, which nobody counted whole: {large}.", ""]
    lines += [f"With a trace that no walk met: {', '.join(unmet)}.", ""]
    lines += [f"Counted and not judged, because the model itself goes wrong: {', '.join(whole_only)}.", ""]
    left = known.get("open", [])
    if left:
        lines += [f"Not asked since the model changed, {len(left)} of {len(questions) + len(left)}:", ""]
        lines += [f"- {subject}: {_by_scope(left, subject)}" for subject in SUBJECTS if any(_of(left, subject))]
    return "\n".join(lines)


def typical(known: Record) -> str:
    """Two rows of each subject: the largest systems that everybody counted, if any, with a trace and without."""
    chosen: dict[str, Record] = {}
    for records in _by_subject(answered(known)).values():
        counted = {name: record for name, record in records.items() if _is_counted_by_all(record)}
        for has_trace in (True, False):
            likes = [name for name, each in counted.items() if (each["explicit"]["steps"] is not None) == has_trace]
            for largest in sorted(likes, key=lambda name: -records[name]["explicit"]["whole"]["states"])[:1]:
                chosen[largest] = records[largest]
    return "\n".join(_table(chosen))


def rows(known: Record) -> str:
    """A line for each question."""
    return "\n".join(_table(answered(known)))


def answered(known: Record) -> dict[str, Record]:
    """The questions that everybody was asked; an early end leaves others."""
    everybody = {"explicit", "smt", "stateful", *TOOLS}
    return {name: record for name, record in known["questions"].items() if everybody <= set(record)}


def _by_subject(questions: dict[str, Record]) -> dict[str, dict[str, Record]]:
    """The records of each subject, and those of the toys."""
    names = (*SUBJECTS, TOYS)
    return {each: {name: record for name, record in questions.items() if _subject_of(name) == each} for each in names}


def _subject_of(name: str) -> str:
    first = name.split()[0]
    return first if first in SUBJECTS else TOYS


def _is_counted_by_all(record: Record) -> bool:
    return all(record[tool].get("whole") for tool in TOOLS) and bool(record["explicit"]["whole"])


def _results(records: list[Record]) -> str:
    found = [each for each in records if each["explicit"]["steps"] is not None]
    by_smt = [each["smt"] for each in records]
    within = [each["within"] for each in by_smt if each["steps"] is None and each["verdict"] == "UNKNOWN"]
    by_walks = [each for each in found if each["stateful"]["steps"] is not None]
    short = sum(_pair(each["stateful"]) == _pair(each["explicit"]) for each in by_walks)
    traces = sum(each["steps"] is not None for each in by_smt)
    counted = f"{len(found)} | {sum(map(_is_counted_by_all, records))}"
    bounded = f"{len(within)}, {min(within)} to {max(within)} steps" if within else "0"
    return f"{counted} | {traces} | {bounded} | {len(by_smt) - traces - len(within)} | {len(by_walks)} | {short}"


def _pair(said: Record) -> tuple[int, int]:
    return said["faults"], said["steps"]


def _of(names: Sequence[str], subject: str) -> Iterator[tuple[str, str]]:
    """The scopes and claims of questions about a subject."""
    for name in names:
        own, claim, scope = name.split()
        if own == subject:
            yield scope, claim


def _by_scope(names: Sequence[str], subject: str) -> str:
    scopes: dict[str, list[str]] = {}
    for scope, claim in _of(names, subject):
        scopes.setdefault(scope, []).append(claim)
    return "; ".join(f"in {scope} {', '.join(claims)}" for scope, claims in scopes.items())


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


def _table(records: dict[str, Record]) -> list[str]:
    head = ["subject", "claim", "scope", "with", "verdict", "(faults, steps)", "states", "depth", *TOOLS]
    head += ["smt", "stateful"]
    lines = [head, ["---", "---", "---", "---", "---", "---", "---:", "---:", "---", "---", "---", "---", "---"]]
    for name, record in records.items():
        explicit = record["explicit"]
        lines.append([
            *name.split(),
            ", ".join(record["with"]),
            _verdict(name.split()[1], explicit),
            "" if explicit["steps"] is None else f"({explicit['faults']}, {explicit['steps']})",
            f"{explicit['whole']['states']:,}" if explicit["whole"] else f"over {MOST:,}",
            str(explicit["whole"]["depth"]) if explicit["whole"] else "",
            *(_tool(record, tool) for tool in TOOLS),
            _smt(record["smt"]),
            _stateful(record["stateful"]),
        ])  # fmt: skip
    return [f"| {' | '.join(row)} |" for row in lines]


def _verdict(claim: str, explicit: Record) -> str:
    """The verdict; of a witness, whether it was reached. In both why it is not known, where it is not."""
    verdict: str = explicit["verdict"]
    if claim.startswith("W-"):
        verdict = {"HOLDS": "reached", "REFUTED": "not reached"}.get(verdict, verdict)
    return verdict + (f" ({explicit['reason']})" if explicit["reason"] else "")


def _tool(record: Record, tool: str) -> str:
    said, explicit = record[tool], record["explicit"]
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


def _smt(said: Record) -> str:
    if said["steps"] is not None:
        return f"({said['faults']}, {said['steps']})"
    if said["verdict"] == "UNKNOWN":
        return f"none to {said['within']}" if said["reason"] != "model error" else "model error"
    method: str = said["method"]
    return "proved: " + method.split("by ", 1)[-1]


def _stateful(said: Record) -> str:
    return "not met" if said["steps"] is None else f"({said['faults']}, {said['steps']})"


def finding(known: Record) -> str:
    """How long each engine takes to find a violation."""
    lines = ["| claim, scope | explicit | stateful | smt |", "|---|---|---|---|"]
    for name, engines in known["finding"].items():
        cells = [_time_in_words(engines[engine]) for engine in ("explicit", "stateful", "smt")]
        lines.append(f"| {name.replace(' ', ', ')} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _time_in_words(said: Record) -> str:
    trace = "not found" if said["steps"] is None else f"({said['faults']}, {said['steps']})"
    return f"{trace} in {said['seconds']} s"


def walking(known: Record) -> str:
    """How fast walks are in each scope."""
    lines = ["| scope | instances | bits | million steps/s | Hypothesis's steps | overhead |"]
    lines += ["|---|---:|---:|---:|---:|---:|"]
    for scope, row in known["walking"].items():
        overhead = "" if row["hypothesis_overhead"] is None else f"{row['hypothesis_overhead']:.0%}"
        lines.append(
            f"| {scope} | {row['instances']} | {row['bits']:,} | {row['steps_per_second'] / 1e6:.2f} "
            f"| {row['hypothesis_steps']:,} | {overhead} |"
        )
    return "\n".join(lines)


def mistranslations(known: Record) -> str:
    """What was noticed of the mistakes in each translation."""
    made: list[Record] = known["mutations"]
    lines = ["| translation | made | noticed | of these by the engine's own check |", "|---|---:|---:|---:|"]
    lines += [f"| {row['translation']} | {row['made']} | {row['noticed']} | {row['by_itself']} |" for row in made]
    return "\n".join([*lines, f"| all | {sum(r['made'] for r in made)} | {sum(r['noticed'] for r in made)} | |"])

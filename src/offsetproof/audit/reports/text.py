"""The report of an audit for people: totals, findings by kind, and each with its lines and its explanation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import fill, wrap

from offsetproof.audit.gold.finding import CLAIM_OF, Certainty, Evidence, FindingKind
from offsetproof.audit.reports.audit import Audit, Explained, explanation_lines, instant, queue_name
from offsetproof.escaping import one_line, visible
from offsetproof.verdict.phrases import quantity

SHOWN_FILES = 3
"""So many files are named of those that are not read for one reason; JSON and SARIF have all."""

SHOWN_EVIDENCE = 6
"""How many lines of evidence the text shows of a finding; the other formats have all."""

TEXT_ROWS = 5
"""How many rows the text of such a line takes before it is cut; the offset is at its end."""


def audit_text(audit: Audit, width: int) -> str:
    """Totals, the findings by kind, then each with its lines and its explanation."""
    lines = [*_totals(audit), ""]
    if audit.found:
        lines += [*_by_kind(audit), ""]
    for each in audit.found:
        lines += [*_finding_lines(each, width), ""]
    for file, count in audit.read.malformed:
        lines += _fill(f"damaged: {file}: {quantity(count, 'line')}", width)
    for file, why in _not_read(audit.read.unreadable):
        lines += _fill(f"not read: {file}: {why}", width)
    for note in audit.notes:
        lines += _fill(note, width)
    return visible("\n".join(lines).rstrip()) + "\n"


def _totals(audit: Audit) -> Iterator[str]:
    read = audit.read
    certain = sum(each.finding.certainty is Certainty.CERTAIN for each in audit.found)
    yield (
        f"{quantity(len(audit.found), 'finding')}, {certain} certain; {quantity(read.files, 'file')}, "
        f"{quantity(read.lines, 'line')}, {quantity(read.events, 'event')}, read by {read.by}"
    )
    if read.unknown or read.malformed:
        yield f"  {read.unknown:,} lines say nothing of offsets, {read.malformed_lines:,} are damaged"
    if read.unfinished:
        yield f"  {quantity(len(read.unfinished), 'file')} ended in the middle of a line, which is read next time"


def _not_read(unreadable: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is not read, and why: a row for each reason. What stands behind its colon is each file's own."""
    by_reason: dict[str, list[tuple[str, str]]] = {}
    for file, why in unreadable:
        by_reason.setdefault(why.partition(": ")[0], []).append((file, why))
    for reason, files in by_reason.items():
        if len(files) == 1:
            yield files[0]
            continue
        own = [(file, why.removeprefix(reason).removeprefix(": ")) for file, why in files[:SHOWN_FILES]]
        named = "; ".join(f"{file} ({detail})" if detail else file for file, detail in own)
        more = f"; and {len(files) - SHOWN_FILES:,} more" if len(files) > SHOWN_FILES else ""
        yield quantity(len(files), "file"), f"{reason}: {named}{more}"


def _by_kind(audit: Audit) -> Iterator[str]:
    counts: Counter[tuple[FindingKind, Certainty]] = Counter(
        (each.finding.kind, each.finding.certainty) for each in audit.found
    )
    yield f"{'finding':<28}{'claim':<7}{'certain':>8}{'possible':>10}"
    for kind in FindingKind:
        certain, possible = counts[kind, Certainty.CERTAIN], counts[kind, Certainty.POSSIBLE]
        if certain or possible:
            yield f"{kind:<28}{CLAIM_OF[kind] or '-':<7}{certain or '':>8}{possible or '':>10}".rstrip()


def _finding_lines(each: Explained, width: int) -> Iterator[str]:
    finding = each.finding
    claim = f" ({CLAIM_OF[finding.kind]})" if CLAIM_OF[finding.kind] else ""
    yield from _fill(f"{finding.kind}{claim}, {finding.certainty}: {queue_name(finding)}", width)
    yield f"  {instant(finding.time_from)} to {instant(finding.time_to)}"
    yield from _fill(finding.says, width, "  ")
    if finding.decided_by:
        yield from _fill(f"would be decided by {finding.decided_by}", width, "  ")
    for line in finding.evidence[:SHOWN_EVIDENCE]:
        yield from _evidence_lines(line, width)
    if len(finding.evidence) > SHOWN_EVIDENCE:
        yield f"    and {quantity(len(finding.evidence) - SHOWN_EVIDENCE, 'line')} more"
    for words in explanation_lines(each.explanation):
        yield from _fill(words, width, "  ")


def _evidence_lines(line: Evidence, width: int) -> Iterator[str]:
    yield from _fill(f"{line.role}: {line.file}:{line.line}", width, "    ")
    room = max(10, width - 6)
    text = wrap(one_line(line.text), room, max_lines=TEXT_ROWS, placeholder="...", break_on_hyphens=False)
    yield from (f"      {row}" for row in text)


def _fill(text: str, width: int, indent: str = "") -> list[str]:
    inner = len(text) - len(text.lstrip())
    return fill(
        one_line(text.strip()),
        width,
        initial_indent=indent + " " * inner,
        subsequent_indent=f"{indent}{' ' * inner}  ",
        break_on_hyphens=False,
        break_long_words=False,
    ).splitlines()

"""The text of evidence lines, read from the logs themselves by their places: silver has places, and no text."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

from offsetproof.audit.gold.finding import Evidence, Finding
from offsetproof.audit.silver.pieces import is_gzip

TEXT_MAX = 2_000
"""How many bytes of a record are read; stack traces go on."""

FINDINGS_MAX = 2_000
"""Of how many findings the lines are read."""


def with_text(findings: Sequence[Finding]) -> list[Finding]:
    """The findings, the first of them with the text of their lines, where the files are still there."""
    texts = texts_at([line for each in findings[:FINDINGS_MAX] for line in each.evidence if not line.text])
    return [
        replace(each, evidence=tuple(_fill(line, texts) for line in each.evidence)) if number < FINDINGS_MAX else each
        for number, each in enumerate(findings)
    ]


def _fill(line: Evidence, texts: dict[tuple[str, int], str]) -> Evidence:
    return line if line.text else replace(line, text=texts.get((line.file, line.byte_offset), ""))


def texts_at(lines: Iterable[Evidence]) -> dict[tuple[str, int], str]:
    """The first line of each record, by its file and byte offset. What cannot be read is left out."""
    by_file: dict[str, dict[int, int]] = {}
    for line in lines:
        by_file.setdefault(line.file, {})[line.byte_offset] = line.byte_length
    found: dict[tuple[str, int], str] = {}
    for file, places in by_file.items():
        try:
            with _open(Path(file)) as opened:
                for offset, length in sorted(places.items()):
                    opened.seek(offset)
                    found[file, offset] = _first_line(opened.read(min(length, TEXT_MAX)))
        except (OSError, EOFError):
            continue
    return found


def _open(path: Path) -> gzip.GzipFile | BufferedReader:
    """A log, inflated where it is a .gz; in ascending order of places it is inflated once."""
    return gzip.open(path, "rb") if is_gzip(path) else path.open("rb")


def _first_line(record: bytes) -> str:
    return record.partition(b"\n")[0].rstrip(b"\r").decode("utf-8", errors="replace")

"""Every form of a single trace by the name that `--format` gives it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from offsetproof.traces.dot import to_dot
from offsetproof.traces.graphml import to_graphml
from offsetproof.traces.itf import itf_text
from offsetproof.traces.mermaid import to_mermaid
from offsetproof.traces.store import write_record
from offsetproof.traces.text import to_text
from offsetproof.traces.trace import Trace

FORMATS: Mapping[str, Callable[[Trace], str]] = {
    "text": to_text,
    "json": write_record,
    "itf": itf_text,
    "graphml": to_graphml,
    "dot": to_dot,
    "mermaid": to_mermaid,
}
"""What writes a trace, by format."""

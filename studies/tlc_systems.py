"""The systems that TLC is measured on: Lamport's mutual exclusion, claims about RocketMQ that hold, and the toys."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.checking.exporting import to_export
from offsetproof.checking.request import Request
from offsetproof.checking.subject import load_subject
from offsetproof.examples.toys import TOYS
from offsetproof.exports.exported import Exported

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


@dataclass(frozen=True)
class System:
    """A system to export. TLC judges the claim where one is named, and the types of the variables in any case."""

    subject: str
    claim: str | None = None
    scope: str | None = None
    bounds: Mapping[str, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """How the page calls it."""
        bounds = [f"{name}={value}" for name, value in self.bounds.items()]
        return ", ".join(part for part in (self.claim, self.scope, *bounds) if part)

    @property
    def arguments(self) -> list[str]:
        """The arguments of `offsetproof export`."""
        named = {"--property": self.claim, "--scope": self.scope}
        options = [part for option, value in named.items() if value for part in (option, value)]
        bounds = [part for name, value in self.bounds.items() for part in ("--bound", f"{name}={value}")]
        return [self.subject, *options, *bounds]

    def exported(self) -> Exported:
        """The same export as the program makes it."""
        properties = (self.claim,) if self.claim else ()
        return to_export(Request(load_subject(self.subject), properties, scope=self.scope, bounds=self.bounds))


LAMPORT = System(str(EXAMPLES / "lamport_mutex.py"), "one_is_critical", "three")

ROCKETMQ = (
    System(DEFAULT, "I18", "moving-reset", {"view_changes": 0}),
    System(DEFAULT, "I5-forward-calm", "calm-reset", {"messages": 1}),
    System(DEFAULT, "I1", "come-back", {"messages": 1}),
    System(DEFAULT, "I2", "hand-over", {"messages": 1, "view_changes": 1}),
    System(DEFAULT, "I7-no-stalled-task", "reset", {"messages": 1}),
)
"""Scopes of middling size."""


def toys() -> tuple[System, ...]:
    """Every toy in every scope."""
    cases = dict.fromkeys((f"{toy.model.__module__}:{toy.model.__name__}", toy.scope or None) for toy in TOYS)
    return tuple(System(subject, scope=scope) for subject, scope in cases)

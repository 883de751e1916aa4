"""The catalogue of subjects: what can be checked by a word. No other file of the program knows one by its name.

Another built-in model is a folder of fields and actions, one of claims, and an entry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path

from offsetproof.lang.subject import Subject


@dataclass(frozen=True)
class Entry:
    """A built-in subject, or several under one word: what it is about, and the module and name that declare it.

    The models, their releases and their claims are those of the subjects; they are imported when they are asked for.
    """

    name: str
    about: str
    module: str
    value: str
    is_family: bool = False

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """The subjects, loaded; of a family all members, in its order."""
        value = getattr(import_module(self.module), self.value)
        return value if self.is_family else (value,)

    @property
    def folder(self) -> Path:
        """Where what belongs to it is kept, its baseline for one."""
        spec = find_spec(self.module)
        assert spec is not None
        assert spec.origin is not None
        return Path(spec.origin).parent


_ENTRIES = (
    Entry(
        "rocketmq",
        "how Apache RocketMQ moves consumer offsets",
        "offsetproof.properties.catalogue",
        "ROCKETMQ",
    ),
    Entry(
        "orderly",
        "the same for consumers whose listener is orderly, with the broker's locks",
        "offsetproof.properties.orderly.catalogue",
        "ORDERLY",
    ),
    Entry(
        "several-queues",
        "what several queues of one group on one or more brokers share, and what a reset does to them",
        "offsetproof.properties.queues.catalogue",
        "QUEUES",
    ),
    Entry(
        "broadcasting",
        "the same for consumers in BROADCASTING mode, each of which keeps its offsets in a file",
        "offsetproof.properties.broadcasting.catalogue",
        "BROADCASTING",
    ),
    Entry(
        "offset-files",
        "how the broker and a broadcast consumer write their offset files, and what a start reads of them",
        "offsetproof.properties.files.catalogue",
        "OFFSET_FILES",
    ),
    Entry(
        "replicas",
        "the offset tables of a broker and its slave, fail-over, and the return of the old master",
        "offsetproof.properties.replicas.catalogue",
        "REPLICAS",
    ),
    Entry(
        "toys",
        "models so small that their answers were worked out by hand",
        "offsetproof.examples.toys",
        "SUBJECTS",
        is_family=True,
    ),
)

BUILT_INS: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every entry by its name."""

STORES = "offsetproof.model.stores.rigging"
"""The contract of an OffsetStore, which is not a subject: it has no claims, and is for conformance alone."""

SINGLES: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES if not entry.is_family}
"""Those that are one subject each: all but the toys."""

DEFAULT = _ENTRIES[0].name
"""The subject that is meant when none is named."""

WIDER = files("offsetproof.properties") / "wider.json"
"""What was found in wider worlds of their cases (see `wider`)."""

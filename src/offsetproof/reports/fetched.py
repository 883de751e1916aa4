"""What `offsetproof rocketmq fetch` says: for each release where its jars are, and how they came there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from offsetproof.checking.catalogue import DEFAULT
from offsetproof.reading.typed_json import Count, JsonObject, Names, Seconds, write_json
from offsetproof.real.fetching import Fetched
from offsetproof.reports.json import DocumentJson, envelope


class JarsJson(JsonObject):
    """The jars of a release."""

    release: str
    folder: str
    jars: Count
    bytes: Count
    digest: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    lacking: Annotated[Names, Meta(description="Jars that Maven did not find when they were locked.")]
    seconds: Annotated[Seconds | None, Meta(description="null: there was nothing to fetch.")]


class FetchJson(DocumentJson):
    """Version 1 of where the jars of releases are."""

    fetched: tuple[JarsJson, ...]


def fetched_text(fetched: Sequence[Fetched]) -> str:
    """Two lines for each release, and one more where it lacks something; paths are not wrapped."""
    return "".join(f"{line}\n" for each in fetched for line in _lines(each))


def fetched_json(fetched: Sequence[Fetched]) -> str:
    """One document; `seconds` is null where there was nothing to fetch."""
    return write_json(FetchJson(**envelope(DEFAULT), fetched=tuple(map(_row, fetched))))


def _lines(each: Fetched) -> list[str]:
    lock = each.jars.lock
    how = "all there" if each.seconds is None else f"fetched in {each.seconds:.1f} s"
    lines = [f"RocketMQ {lock.release}: {len(lock.jars)} jars, {lock.bytes / 1e6:.1f} MB, {how}, each as published"]
    if lock.lacking:
        names = ", ".join(coordinates.split(":")[1] for coordinates in lock.lacking)
        lines.append(f"  without {names}, which Maven did not find when they were locked")
    return [*lines, f"  {each.jars.folder}"]


def _row(each: Fetched) -> JarsJson:
    lock = each.jars.lock
    return JarsJson(
        release=lock.release,
        folder=str(each.jars.folder),
        jars=len(lock.jars),
        bytes=lock.bytes,
        digest=lock.digest,
        lacking=lock.lacking,
        seconds=None if each.seconds is None else round(each.seconds, 3),
    )

"""The two sides of a comparison, as they are named: a release with fixes, a model, or a model's file in git.

`4.9.4`, `client=5.3.3,broker=4.9.4`, `4.9.4+FIX`: of the subject that both are of. `model.py`, `model.py@1.0+FIX`,
`orderly@5.3.3`: another subject. `HEAD~1:model.py@1.0`: the file as it was then; what it imports is as it is now.
"""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from offsetproof.checking.catalogue import BUILT_INS
from offsetproof.checking.fresh_modules import FreshLoader
from offsetproof.checking.releases import parse_release
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import is_subject, load_subject
from offsetproof.lang.claim import NO_DEADLOCK
from offsetproof.lang.errors import DeclarationError, RefusedError
from offsetproof.lang.model import usual_releases
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.setting import Setting
from offsetproof.lang.subject import NoSubjectError, Subject

_FILE = re.compile(r"((?P<revision>.+?):)?(?P<file>[^:]+?\.py)(?P<name>:\w+)?(?P<rest>[@+].*)?")
"""Revisions and files may have `@` and `+` in their names (`HEAD@{1}`); behind the file they mean more."""

_EXAMPLE = "4.9.4+poll-checks-dropped"


@dataclass(frozen=True)
class Side:
    """One of the two: what it is called, and the model in its setting.

    `imported` are the user's modules that a file from git imports: they are as they are now, not as git has them.
    """

    name: str
    subject: Subject
    setting: Setting
    imported: tuple[str, ...] = ()


@dataclass(frozen=True)
class Where:
    """What both sides are asked in: the same scope and bounds, the same listener, assumptions of both."""

    scope: str | None = None
    bounds: Mapping[str, int | str] = field(default_factory=dict)
    listener: str | None = None
    assumptions: tuple[str, ...] = ()


@contextmanager
def both_sides(names: Sequence[str], subject: Subject, where: Where) -> Iterator[tuple[Side, Side]]:
    """The sides of these names, for as long as the block lasts: files from git are kept that long.

    `subject` is that of a side which names none. UnknownNameError and NoSubjectError for what is none. What is refused
    in a file from git is told by its place there.
    """
    with TemporaryDirectory(prefix="offsetproof-") as made:
        folders = [Path(made, str(number)).resolve() for number in range(len(names))]
        try:
            one, other = (_side(name, subject, where, folder) for name, folder in zip(names, folders, strict=True))
            yield one, other
        except (DeclarationError, RefusedError) as error:
            text = str(error)
            for name, folder in zip(names, folders, strict=True):
                if named := _FILE.fullmatch(name):
                    file = Path(named["file"])
                    text = text.replace(str(folder / file.name), f"{named['revision']}:{file}")
            raise DeclarationError(text) from error


def file_of(name: str) -> Path | None:
    """The file that a side names, in git or not; None for a side that is another thing."""
    named = _FILE.fullmatch(name)
    return Path(named["file"]) if named else None


def _side(name: str, usual: Subject, where: Where, folder: Path) -> Side:
    origin, rest = _split(name)
    at, *added = rest.split("+")
    subject, release = (_load(origin, folder), at[1:]) if at else _subject_and_release(origin, usual, folder)
    fixes = [fix.name for fix in subject.model.fixes]
    known = [*fixes, *(assumption.name for assumption in subject.model.assumptions)]
    for each in added:
        if each not in known:
            raise UnknownNameError("fix or assumption", each, known)
    if not release and len(usual_releases(subject.model)) > 1:
        raise UnknownNameError("release", "", [], f"{name} names no release; put it before the fixes, as in {_EXAMPLE}")
    request = Request(
        subject,
        (NO_DEADLOCK.id,),
        (release,) if release else (),
        tuple(each for each in added if each in fixes),
        (*(each for each in added if each not in fixes), *where.assumptions),
        where.listener,
        where.scope,
        where.bounds,
    )
    return Side(name, subject, questions_of(request)[0].setting, tuple(_imported_by_files_in(folder)))


def _imported_by_files_in(folder: Path) -> Iterator[str]:
    """The user's modules that files from git, which were imported, name in their imports."""
    for file in folder.glob("*.py"):
        nodes = [*ast.walk(ast.parse(file.read_bytes()))]
        named = [each.name for node in nodes if isinstance(node, ast.Import) for each in node.names]
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module:
                named += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        for name in dict.fromkeys(named):
            if isinstance(getattr(sys.modules.get(name), "__loader__", None), FreshLoader):
                yield name


def _split(name: str) -> tuple[str, str]:
    """A side's model or release, and what is behind it: a release after `@`, fixes after `+`."""
    named = _FILE.fullmatch(name)
    end = min((at for at in map(name.find, "@+") if at >= 0), default=len(name))
    if named:
        end = len(name) - len(named["rest"] or "")
    return name[:end], name[end:]


def _load(origin: str, folder: Path) -> Subject:
    """The subject of a file, of a file in git, or of another name that subjects have."""
    named = _FILE.fullmatch(origin)
    revision = named["revision"] if named else None
    if named and revision and revision not in BUILT_INS and not revision.endswith(".py"):
        return load_subject(f"{_write_revision(revision, named['file'], folder)}{named['name'] or ''}")
    return load_subject(origin)


def _subject_and_release(origin: str, usual: Subject, folder: Path) -> tuple[Subject, str]:
    """The subject and the release that a side is of which names one of them; the release is empty where that is not."""
    if _FILE.fullmatch(origin) or origin.partition(":")[0] in BUILT_INS:
        return _load(origin, folder), ""
    try:
        parse_release(origin, usual)
    except UnknownNameError as error:
        if is_subject(origin):
            return load_subject(origin), ""
        nothing = f"{origin} is no file, module or git revision of a file"
        raise NoSubjectError(f"{nothing}, and {usual.name} has {error}", origin) from None
    return usual, origin


def _write_revision(revision: str, file: str, folder: Path) -> Path:
    """A file as a revision has it, in a folder; paths are from the working directory, as on the command line."""
    named = f"{revision}:./{os.path.relpath(file)}"
    try:
        done = subprocess.run(["git", "cat-file", "blob", "--end-of-options", named], capture_output=True, check=False)
    except FileNotFoundError:
        raise NoSubjectError(f"{revision}:{file} is asked from git, which is not installed") from None
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise NoSubjectError(f"git has no {revision}:{file}: {why}")
    folder.mkdir()
    written = folder / Path(file).name
    written.write_bytes(done.stdout)
    return written

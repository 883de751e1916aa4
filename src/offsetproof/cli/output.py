"""Where reports go: to stdout, or to a file that is written whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from shutil import copyfileobj

from offsetproof.cli.signals import Reporting
from offsetproof.cli.streams import STDOUT, put, warn
from offsetproof.reading.files import UnusableFileError
from offsetproof.verdict.exits import Exit

_NAMES_OF_STDOUT = frozenset(map(Path, ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1")))


def cannot_write(option: str, file: Path, why: str) -> UnusableFileError:
    """What is raised of a file or folder that an option names and that cannot be written."""
    return UnusableFileError(f"{option}: cannot write {file}: {why}")


def deliver(text: str, output: Path | None) -> Exit:
    """Prints the report, or writes it to a file; one that cannot be written is printed, so that it is not lost.

    The code says whether that went as asked. A reader of stdout that has left early (`| head`) changes nothing.
    """
    try:
        if output is not None and output not in _NAMES_OF_STDOUT:
            write(text, output, "--output")
            return Exit.AS_EXPECTED
    except UnusableFileError as error:
        warn(f"offsetproof: {error}; the report follows on stdout")
        _print(text)
        return Exit.UNREADABLE
    return _print(text)


def write(text: str, file: Path, option: str, *, lasting: bool = False) -> None:
    """Writes a file: the old one is there until the new one is whole, and its mode is kept.

    What is neither a file nor a link (`/dev/null`, a pipe that somebody reads) is written to and never replaced. A link
    to a file is refused: whether the link or what it points to is meant to become the report, only the user knows. With
    `lasting` the file is on the disk before this returns, whatever becomes of the machine. UnusableFileError where that
    fails.
    """
    writable(file, option)
    with _unusable(option, file):
        if file.exists() and not file.is_file():
            with Reporting(), suppress(BrokenPipeError):
                _write_through(file, _encode(text))
        else:
            with Reporting():
                _replace(file, _encode(text), lasting=lasting)


def writable(file: Path | None, option: str = "--output", *, reads: Iterable[str | Path] = ()) -> None:
    """Complains at once about a file that could not be written, or that the verb reads, not only at the end."""
    if file is None or file in _NAMES_OF_STDOUT:
        return
    with _unusable(option, file):
        if any(_is_same(file, Path(each)) for other in map(str, reads) for each in (other, other.partition(":")[0])):
            raise OSError(None, "this run reads it; name another file")
        if file.is_dir():
            raise IsADirectoryError(None, "it is a folder")
        if file.is_symlink() and (file.is_file() or not file.exists()):
            raise OSError(None, f"it is a link to {file.readlink()}; name the file itself")
        if not file.parent.is_dir():
            raise FileNotFoundError(None, f"there is no folder {file.parent}")
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(None, "it is write-protected")
        if not os.access(file.parent, os.W_OK) and (file.is_file() or not file.exists()):
            raise PermissionError(None, f"no permission to write to the folder {file.parent}")


def keep_aside(file: Path) -> Path:
    """Copies a file that is about to be replaced although nobody could read it; the copy, which is a new file."""
    with _unusable("--baseline", file):
        for number in count(1):
            kept = file.with_name(f"{file.name}.unreadable{'' if number == 1 else f'-{number}'}")
            with suppress(FileExistsError), file.open("rb") as old, kept.open("xb") as out:
                copyfileobj(old, out)
                return kept
    raise AssertionError("there is always another name")


def usable(folder: Path | None, option: str = "--out-dir") -> None:
    """Makes the folder that files go to, or complains at once that it cannot be made.

    A link is refused, as it is for a file: who laid it decides where files are replaced, and that need not be the user.
    """
    if folder is not None:
        with _unusable(option, folder):
            if folder.is_symlink():
                raise OSError(None, f"it is a link to {folder.readlink()}; name the folder itself")
            if folder.exists() and not folder.is_dir():
                raise NotADirectoryError(None, "it is not a folder")
            folder.mkdir(parents=True, exist_ok=True)
            if not os.access(folder, os.W_OK):
                raise PermissionError(None, "no permission to write to it")


def width() -> int:
    """Columns for text."""
    return STDOUT.columns


def shows_colours(output: Path | None) -> bool:
    """Is the report for a terminal, which shows colours?"""
    return output is None and STDOUT.is_terminal


def _print(text: str) -> Exit:
    why = put(text)
    if why is None:
        return Exit.AS_EXPECTED
    warn(f"offsetproof: cannot write the report to stdout: {why}")
    return Exit.UNREADABLE


def _write_through(file: Path, data: bytes) -> None:
    """Writes to what is not a file. A pipe must have its reader by now: to wait for one could be for ever."""
    try:
        opened = os.open(file, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno == errno.ENXIO and file.is_fifo():
            raise OSError(None, "nobody reads this pipe; start its reader first") from error
        raise
    with os.fdopen(opened, "wb") as out:
        os.set_blocking(opened, True)
        out.write(data)


def _replace(file: Path, data: bytes, *, lasting: bool) -> None:
    """A new file beside the old one, under a name that nobody can have guessed, which then takes its place."""
    part = file.with_name(f".offsetproof-{secrets.token_hex(8)}.part")
    opened = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(opened, "wb") as out:
            _keep_owner_and_mode(file, opened)
            out.write(data)
            out.flush()
            if lasting:
                os.fsync(opened)
        part.replace(file)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise
    if lasting:
        _sync_folder(file.parent)


def _keep_owner_and_mode(old: Path, opened: int) -> None:
    """Gives an opened file what the file that it replaces has; a new file has what the umask leaves."""
    with suppress(FileNotFoundError):
        there = old.lstat()
        with suppress(OSError):
            os.fchown(opened, there.st_uid, there.st_gid)
        os.fchmod(opened, stat.S_IMODE(there.st_mode) & 0o777)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _encode(text: str) -> bytes:
    """UTF-8; what has no place in it (half a surrogate pair, as of a file's name) is replaced."""
    return text.encode("utf-8", errors="replace")


def _is_same(file: Path, other: Path) -> bool:
    try:
        return file.samefile(other)
    except OSError:
        return False


@contextmanager
def _unusable(option: str, file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_write(option, file, error.strerror or str(error)) from error

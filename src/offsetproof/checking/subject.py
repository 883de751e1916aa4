"""Finding the subject: a built-in one by its word in the catalogue, or a user's own file or module."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from offsetproof.checking.catalogue import BUILT_INS, DEFAULT, SINGLES
from offsetproof.checking.declaration_errors import with_place
from offsetproof.checking.fresh_modules import FreshLoader, fresh_spec, install_source_loader
from offsetproof.lang.errors import DeclarationError, raised_place
from offsetproof.lang.scope import UnknownNameError
from offsetproof.lang.source_paths import shown_place
from offsetproof.lang.subject import NoSubjectError, Subject, subject_in
from offsetproof.raised import text_of
from offsetproof.reading.files import refuse_odd_file


def load_subject(name: str = DEFAULT) -> Subject:
    """The subject of this name: a word of the catalogue, `path/to/file.py[:Name]` or `package.module[:Name]`.

    Of a family of the catalogue it is the member `FAMILY:NAME`. Its claims are those in the model and those beside it;
    so are a `Damage` and a `Timing`, which it may have.

    Raises NoSubjectError where there is none, or several, UnreadableFileError where something else than a file has its
    name, and DeclarationError where its code cannot be imported.
    """
    return _only(name, load_subjects(name))


def _only(name: str, subjects: Sequence[Subject]) -> Subject:
    if len(subjects) == 1:
        return subjects[0]
    names = ", ".join(subject.name for subject in subjects)
    raise NoSubjectError(f"{name} has {len(subjects)} models ({names}); name one as {name}:NAME")


def load_subjects(name: str = DEFAULT) -> tuple[Subject, ...]:
    """As `load_subject`, but a family of the catalogue is all of its members."""
    origin, _, wanted = name.partition(":")
    if origin in BUILT_INS:
        return _from_catalogue(origin, wanted)
    module = _from_file(Path(origin)) if origin.endswith(".py") else _from_module(origin)
    with _declared_in(module):
        return (subject_in(module, origin, wanted),)


def _from_catalogue(name: str, wanted: str) -> tuple[Subject, ...]:
    subjects = BUILT_INS[name].subjects
    chosen = tuple(subject for subject in subjects if wanted in ("", subject.name, subject.model.__name__))
    if not chosen:
        names = ", ".join(subject.model.__name__ for subject in subjects)
        raise NoSubjectError(f"{name} has no model {wanted}; it has {names}")
    return chosen


@dataclass(frozen=True)
class NamedSubjects:
    """What words on a command line name: subjects (several only of a family), what they are called, and claims.

    `word` is the one that names the subjects; empty where none does, and the built-in ones are meant.
    """

    name: str
    subjects: tuple[Subject, ...]
    words: tuple[str, ...]
    word: str = ""

    @property
    def only(self) -> Subject:
        """The one subject; NoSubjectError where the word names a family."""
        return _only(self.name, self.subjects)


def load_named(
    words: Sequence[str], also: Collection[str] = (), others_in: Callable[[Subject], Collection[str]] = lambda _: ()
) -> NamedSubjects:
    """The subjects that words on a command line name, and the words after: claims by id or name, or words in `also`.

    The first word is a subject where there is such a file or module; otherwise all are about the built-in one, or about
    the one that has them all where that has none of them. Only a family of the catalogue is several subjects, and then
    a claim is one of any of them. `others_in` tells which names
    of a subject may be given beside those of its claims; one of the built-in subject comes before a module.

    NoSubjectError for a first word that is nothing, UnknownNameError for another; both with the nearest name.
    """
    word, rest = ("", [*words])
    if rest and rest[0] not in also and is_subject(rest[0]) and not _is_name_and_module(rest[0], others_in):
        word, *rest = rest
    else:
        word = _owner_of_all(rest, also)
    subjects = load_subjects(word or DEFAULT)
    others = [each for each in rest if each not in also and not any(subject.knows(each) for subject in subjects)]
    known = [*also, *(name for subject in subjects for name in others_in(subject))] if others else also
    _refuse_named_elsewhere(others, subjects[0], known, others_in)
    if rest and not word:
        _refuse_nothing(rest, subjects[0], known)
    for each in others:
        _refuse_unknown(each, subjects[0], known)
    name = subjects[0].name if len(subjects) == 1 else word
    return NamedSubjects(name, subjects, tuple(rest), word)


def _owner_of_all(claims: Sequence[str], also: Collection[str]) -> str:
    """The built-in subject that has all of these claims, where the usual one has none of them; else empty."""
    usual = load_subject()
    if not claims or any(each in also or usual.knows(each) for each in claims):
        return ""
    owners = {owner_of(each) for each in claims}
    (owner,) = owners if len(owners) == 1 else ("",)
    return owner or ""


def _is_name_and_module(word: str, others_in: Callable[[Subject], Collection[str]]) -> bool:
    """Is a word that some module has as its name a name in the built-in subject, too?"""
    is_meant = word.partition(":")[0] in BUILT_INS or word.partition(":")[0].endswith(".py")
    return not is_meant and word in others_in(load_subject())


def _refuse_named_elsewhere(
    words: Sequence[str], subject: Subject, known: Collection[str], others_in: Callable[[Subject], Collection[str]]
) -> None:
    """NoSubjectError for a name that another built-in subject has, beside those of its claims."""
    for word in words if subject.name in SINGLES else ():
        if word not in known:
            owners = [name for name, entry in SINGLES.items() if word in others_in(entry.subjects[0])]
            if owners:
                raise NoSubjectError(f"{word} is a name in {', '.join(owners)}; name that first: `{owners[0]} {word}`")


def _refuse_nothing(words: Sequence[str], subject: Subject, also: Collection[str]) -> None:
    """Refuses a first word that is neither a model nor a claim of the built-in one."""
    word, *rest = words
    try:
        _refuse_unknown(word, subject, also)
    except UnknownNameError as error:
        for other in rest:
            if is_subject(other):
                raise NoSubjectError(_why_misplaced(other)) from None
        if ("." in word or "/" in word) and os.path.exists(word):  # noqa: PTH110 - Path.exists raises where it is too long
            raise NoSubjectError(f"{word} is not a Python file; name one, a module, or {DEFAULT}") from None
        raise NoSubjectError(f"no file or module is named {word!r}, and {subject.name} has {error}", word) from None


def _refuse_unknown(word: str, subject: Subject, also: Collection[str]) -> None:
    if word in also:
        return
    try:
        subject.find(word)
    except UnknownNameError as error:
        if is_subject(word):
            raise NoSubjectError(_why_misplaced(word)) from None
        owner = owner_of(word) if subject.name in SINGLES else None
        if owner is not None:
            raise NoSubjectError(f"{word} is a claim of {owner}; name that first: `{owner} {word}`") from None
        if not also:
            raise
        apart = any(re.search(rf"\b{re.escape(word)}\b", text, re.IGNORECASE) for text in subject.model.left_out)
        message = f"no section or claim named {word!r}; `list left-out` has it, among what the model leaves out"
        raise UnknownNameError("section or claim", word, [*also, *error.known], message if apart else "") from None


def refuse_claim_of_another(subject: Subject, claim: str) -> None:
    """UnknownNameError where only another built-in subject has it: a like claim of this one is not what is meant."""
    owner = owner_of(claim) if subject.name in SINGLES and not subject.knows(claim) else None
    if owner is not None:
        message = f"{claim} is a claim of {owner}, and {subject.name} has none of that name"
        raise UnknownNameError("claim", claim, [], message)


def owner_of(claim: str) -> str | None:
    """The built-in subject that has a claim of this id or name."""
    return next((name for name, entry in SINGLES.items() if entry.subjects[0].knows(claim)), None)


def _why_misplaced(word: str) -> str:
    return f"{word} stands where a claim is expected; a model comes first, and its claims after it"


def is_subject(word: str) -> bool:
    """Does a word name a subject rather than a claim: one of the catalogue, a Python file, or a module?"""
    origin = word.partition(":")[0]
    return origin in BUILT_INS or origin.endswith(".py") or _has_module(origin)


@contextmanager
def _declared_in(module: ModuleType) -> Iterator[None]:
    """Within this, what is wrong with a module's declarations names a file and a line, its first one if no other."""
    try:
        yield
    except (DeclarationError, UnknownNameError) as error:
        raise DeclarationError(with_place(str(error), shown_place(str(module.__file__), 1))) from error


def _from_file(path: Path) -> ModuleType:
    if not os.path.exists(path):  # noqa: PTH110 - Path.exists raises where the name is too long
        raise NoSubjectError(f"there is no model file {path}; name a Python file, a module, or {DEFAULT}")
    refuse_odd_file(path)
    name = f"offsetproof_subject_{path.stem}"
    loader = FreshLoader(name, str(path.absolute()))
    module = importlib.util.module_from_spec(fresh_spec(loader))
    sys.modules[name] = module
    with _importing(f"{path}:1"):
        loader.exec_module(module)
    return module


def _from_module(name: str) -> ModuleType:
    if not _has_module(name):
        raise NoSubjectError(f"there is no module {name!r}; name a Python file, a module, or {DEFAULT}")
    with _importing(name):
        return importlib.import_module(name)


def _has_module(name: str) -> bool:
    with _importing(name):
        try:
            return importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            return False


@contextmanager
def _importing(origin: str) -> Iterator[None]:
    """Within this, whatever a user's code raises, SystemExit included, is a DeclarationError with file and line.

    Only a KeyboardInterrupt that Python's own handler may have raised is let through: under the program's handler a
    Ctrl-C raises none here, so one that comes is the model's.
    """
    install_source_loader()
    try:
        yield
    except DeclarationError as error:
        raise DeclarationError(with_place(str(error), raised_place(error, origin))) from error
    except SyntaxError as error:
        where = shown_place(error.filename, error.lineno) if error.filename and error.lineno else origin
        raise DeclarationError(f"{where}: {error.msg}") from error
    except BaseException as error:
        by_python = signal.getsignal(signal.SIGINT) is signal.default_int_handler
        if isinstance(error, KeyboardInterrupt) and by_python:
            raise
        where, text = raised_place(error, origin), text_of(error)
        said = f"{type(error).__name__} while it was imported" + (f": {text}" if text else "")
        raise DeclarationError(f"{where}: {said}") from error

"""`offsetproof new`: a folder with a small model, its claims, a test, a baseline and a workflow."""

from __future__ import annotations

import keyword
import sys
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from offsetproof.checking.engines import explicit_alone
from offsetproof.checking.request import Request, questions_of
from offsetproof.checking.subject import load_subject
from offsetproof.cli.output import cannot_write, deliver, write
from offsetproof.doctor import examine
from offsetproof.fresh import files_of
from offsetproof.guard.baseline import RecheckPolicy, baseline_file, write_baseline
from offsetproof.guard.comparison import Guard
from offsetproof.guard.deciding import comparisons_of
from offsetproof.verdict.exits import Exit
from offsetproof.verdict.prerequisite import PYTEST
from offsetproof.version import __version__


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The new folder; the model in it is called after it.")],
) -> int:
    """Write a small model with a test, a baseline and a workflow."""
    folder = Path(name)
    module = _module_of(folder.name)
    if folder.is_symlink() or (folder.exists() and not (folder.is_dir() and not any(folder.iterdir()))):
        raise cannot_write("NAME", folder, "it is there already; name a folder that is not, or an empty one")
    files = files_of(module, __version__)
    try:
        for path in files:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write("NAME", folder, error.strerror or str(error)) from error
    for path, text in files.items():
        write(text, folder / path, "NAME")
    baseline = _write_baseline(folder / f"{module}.py")
    written = "".join(f"  {path}\n" for path in (*files, baseline.name))
    then = f"cd {name} && offsetproof check {module}.py && offsetproof guard {module}.py && pytest"
    return deliver(f"wrote to {name}:\n{written}now: {then}\n{_what_lacks()}", None)


def _what_lacks() -> str:
    """What the last of these commands needs, where it is not beside this program."""
    (pytest,) = examine((PYTEST,))
    return f"pytest has to be where offsetproof is: {pytest.lacks}\n" if pytest.lacks else ""


def _module_of(name: str) -> str:
    """The module's name; BadParameter for a name that none may have, or that hides another one."""
    module = name.replace("-", "_").lower()
    if not module.isidentifier() or keyword.iskeyword(module) or not module.isascii():
        raise typer.BadParameter(f"{name!r} is no name of a Python module; write letters, digits, _", param_hint="NAME")
    if module in sys.stdlib_module_names or module in ("offsetproof", "pytest"):
        raise typer.BadParameter(f"a module {module} would hide another one of that name", param_hint="NAME")
    return module


def _write_baseline(model: Path) -> Path:
    """Decides the model's questions and writes their baseline beside it."""
    subject = load_subject(str(model))
    questions = questions_of(Request(subject))
    with closing(
        comparisons_of(subject, explicit_alone(), questions, {}, RecheckPolicy(), 1, lambda *_: None)
    ) as comparing:
        guard = Guard(subject, tuple(comparing), whole=True)
    assert guard.exit_when_accepted(against_expected=False) is Exit.AS_EXPECTED
    path = baseline_file(str(model), subject)
    write(write_baseline(subject, guard.findings_to_accept(None, against_expected=False)), path, "NAME")
    return path

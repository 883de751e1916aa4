"""The style rules that a machine can judge: sizes, names, docstrings, reasons, paths, and where libraries belong."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("src/offsetproof", "model", "properties", "traces", "examples", "tools")
LINES_MAX, FUNCTION_MAX = 400, 60
JUNK = {"utils", "util", "common", "misc", "helpers", "helper"}
IGNORE = re.compile(r"#\s*(?:type:\s*ignore(?:\[[\w, -]+\])?|noqa(?::\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?)")
REASON = re.compile(r"^\s*(?:-|#)\s*[\w`]")
MACHINE = re.compile(r"(?<![\w.~/-])/(?:work|root|home|tmp)/\w")
HOMES = {
    "llvmlite": {"src/offsetproof/compiled/native.py"},
    "networkx": {"traces/", "src/offsetproof/checking/reachable.py", "src/offsetproof/reports/graph.py"},
    "hypothesis": {"src/offsetproof/engines/stateful/machine.py"},
    "z3": {"src/offsetproof/engines/smt/", "src/offsetproof/solving/"},
    "threading": {
        "src/offsetproof/watch.py", "src/offsetproof/workers.py", "src/offsetproof/explore/server.py",
        "src/offsetproof/engines/smt/process.py", "src/offsetproof/compiled/native.py",
        "src/offsetproof/engines/explicit/crew.py", "src/offsetproof/engines/explicit/shared_visited.py",
        "src/offsetproof/engines/explicit/search.py", "src/offsetproof/engines/explicit/machine_code.py",
    },
}  # fmt: skip
"""Where each heavy library may be imported, and where threads are started; in the rest of the program nowhere."""


def sources() -> list[str]:
    """The program's files, each once, as paths from the root."""
    found = {path.relative_to(ROOT).as_posix() for room in ROOMS for path in _python_files(ROOT / room)}
    assert len(found) > 60
    return sorted(found)


def _python_files(folder: Path) -> Iterator[Path]:
    """Without following the links, which lead to rooms that are looked at themselves."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and not path.is_symlink():
            yield from _python_files(path)
        elif path.suffix == ".py":
            yield path


@cache
def text(file: str) -> str:
    """A file's text."""
    return (ROOT / file).read_text(encoding="utf-8")


@cache
def tree(file: str) -> ast.Module:
    """A file's syntax tree."""
    return ast.parse(text(file))


def tracked() -> list[str]:
    """Every text file under version control."""
    out = subprocess.run(["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in out.stdout.split("\0") if name and (ROOT / name).is_file()]


def imported(module: ast.Module) -> set[str]:
    """The top-level names of what a module imports, anywhere in it."""
    plain = {alias.name for node in ast.walk(module) if isinstance(node, ast.Import) for alias in node.names}
    nodes = [node for node in ast.walk(module) if isinstance(node, ast.ImportFrom)]
    return {name.split(".")[0] for name in plain | {node.module or "" for node in nodes}}


def unreasoned(source: str) -> list[str]:
    """The ignores of a text that do not say why."""
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    ]
    return [comment for comment in comments if IGNORE.search(comment) and not _has_reason(comment)]


def _has_reason(comment: str) -> bool:
    rest = comment
    while found := IGNORE.match(rest.lstrip()):
        rest = rest.lstrip()[found.end() :]
    return bool(REASON.match(rest))


@pytest.mark.parametrize("file", sources())
def test_file_is_short_named_for_its_idea_and_says_it(file: str) -> None:
    assert len(text(file).splitlines()) <= LINES_MAX
    assert Path(file).stem not in JUNK
    assert ast.get_docstring(tree(file)), "it has no docstring"
    long = {
        node.name: size
        for node in ast.walk(tree(file))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (size := (node.end_lineno or node.lineno) - node.lineno + 1) > FUNCTION_MAX
    }
    assert long == {}


def test_every_ignore_says_why() -> None:
    files = [
        *sources(),
        *(name for name in tracked() if name.startswith(("tests/", "bench/", "studies/", "examples/", "tools/"))),
    ]
    found = {file: told for file in files if file.endswith(".py") and (told := unreasoned(text(file)))}
    assert found == {}


@pytest.mark.parametrize(("comment", "enough"), [
    ("# type: ignore[misc]", False),
    ("# noqa: N805", False),
    ("# noqa: N805, ARG002 - a claim is no method", True),
    ("# type: ignore[misc]  # noqa: N805 - a claim is no method", True),
    ("# type: ignore[misc]  # noqa: N805", False),
    ("# type: ignore[no-untyped-call]  # junitparser has no annotations", True),
    ("# type: ignore", False),
    ("# a plain comment", True),
])  # fmt: skip
def test_judge_of_reasons_tells_a_reason_from_none(comment: str, enough: bool) -> None:
    assert (unreasoned(f"x = 1  {comment}\n") == []) is enough


def test_no_file_knows_the_machine_that_it_was_written_on() -> None:
    own = Path(__file__).relative_to(ROOT).as_posix()
    found = []
    for name in tracked():
        if name == own or name.endswith((".lock", ".png", ".gif", ".jar")):
            continue
        content = (ROOT / name).read_bytes().decode("utf-8", "replace")
        found += [f"{name}:{i}" for i, line in enumerate(content.splitlines(), 1) if MACHINE.search(line)]
    assert found == []


@pytest.mark.parametrize("library", HOMES)
def test_heavy_library_is_imported_only_in_its_home(library: str) -> None:
    users = {file for file in sources() if library in imported(tree(file))}
    strangers = {file for file in users if not any(file.startswith(home) for home in HOMES[library])}
    assert strangers == set()
    assert bool(users) is bool(HOMES[library])


@pytest.mark.parametrize("room", ["checking", "severity", "mutation", "engines", "verdict", "compiled", "ir"])
def test_rooms_that_decide_lay_out_no_text_for_people(room: str) -> None:
    files = [file for file in sources() if file.startswith(f"src/offsetproof/{room}/")]
    assert files
    assert [file for file in files if imported(tree(file)) & {"textwrap", "rich"}] == []


ABOUT_QUESTIONS = ["guard", "sweep", "cli", "reports", "explain", "checking", "verdict", "api"]


@pytest.mark.parametrize("room", ABOUT_QUESTIONS)
def test_messages_call_a_question_a_question_and_no_cell(room: str) -> None:
    """A cell is the client's offset of a queue; that formats have `cells` as a key is no message."""
    files = [file for file in sources() if file.startswith(f"src/offsetproof/{room}/")]
    texts = [text for file in files for text in said(tree(file))]
    assert texts
    assert [text for text in texts if re.search(r"(?<![\"])\bcells?\b(?!\"| string)", text)] == []


def said(module: ast.Module) -> list[str]:
    """The texts of a module that have several words and are no docstrings."""
    documented = {id(node.value) for node in ast.walk(module) if isinstance(node, ast.Expr)}
    constants = [node for node in ast.walk(module) if isinstance(node, ast.Constant) and id(node) not in documented]
    return [node.value for node in constants if isinstance(node.value, str) and " " in node.value.strip()]


IRREGULAR = set(
    "told found asked left made seen kept held written given taken shown sent met built bound begun known drawn "
    "brought chosen broken hidden forgotten gone done heard lost thought".split()
)
OF_THE_LANGUAGE = "models call it by this name, or override it; docs/language.md has it"
ALLOWED = {
    "src/offsetproof/lang/action.py:bound": OF_THE_LANGUAGE,
    "src/offsetproof/lang/claim.py:Property.required": OF_THE_LANGUAGE,
    "src/offsetproof/lang/component.py:Component.finished": OF_THE_LANGUAGE,
    "model/shared/process_queue.py:ProcessQueue.finished": OF_THE_LANGUAGE,
    "examples/toys/scratch.py:Worker.finished": OF_THE_LANGUAGE,
    "src/offsetproof/lang/scope.py:Scope.fitted": OF_THE_LANGUAGE,
    "src/offsetproof/lang/scope.py:Scope.completed": OF_THE_LANGUAGE,
    "src/offsetproof/lang/setting.py:Release.stated": OF_THE_LANGUAGE,
    "src/offsetproof/lang/setting.py:Setting.stated": OF_THE_LANGUAGE,
    "src/offsetproof/lang/subject.py:Subject.named": OF_THE_LANGUAGE,
    "traces/cause.py:_need": "it is a verb: a step needs fields",
}
"""The functions that look as if a bare participle named them, each with the reason why it may."""


def participles(module: ast.Module) -> list[str]:
    """The functions of a module that one bare participle names, properties aside."""
    return [name for name, node in functions(module) if _is_participle(node.name) and not _is_property(node)]


def functions(node: ast.AST, around: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.AsyncFunctionDef]]:
    """The functions and methods of a module, each with its full name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{around}{child.name}", child
        is_named = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        yield from functions(child, f"{around}{child.name}." if is_named else around)


def _is_participle(name: str) -> bool:
    word = name.strip("_")
    return "_" not in word and (word.endswith("ed") or word in IRREGULAR)


def _is_property(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(ast.unparse(each).endswith("property") for each in node.decorator_list)


def test_no_function_is_named_by_one_bare_participle() -> None:
    found = {f"{file}:{name}" for file in sources() for name in participles(tree(file))}
    assert sorted(found - ALLOWED.keys()) == [], "name it by a verb, or by what it returns"
    assert sorted(ALLOWED.keys() - found) == [], "there is no such function any more"


@pytest.mark.parametrize(("source", "names"), [
    ("def told(): ...", ["told"]), ("def _seen(x): ...", ["_seen"]), ("def what_is_seen(): ...", []),
    ("async def lowered(): ...", ["lowered"]), ("def lower(): ...", []), ("def read(): ...", []),
    ("class A:\n  def f(self):\n    def made(): ...", ["A.f.made"]),
    ("class A:\n  @property\n  def made(self): ...", []),
    ("class A:\n  @functools.cached_property\n  def made(self): ...", []),
    ("class A:\n  @classmethod\n  def made(cls): ...", ["A.made"]),
    ("if x:\n  def made(): ...", ["made"]),
])  # fmt: skip
def test_participle_is_told_from_a_verb_and_from_a_property(source: str, names: list[str]) -> None:
    assert participles(ast.parse(source)) == names


def test_no_variable_is_named_told() -> None:
    """What a variable holds is its name, not that somebody was told of it."""
    found = [file for file in sources() for node in ast.walk(tree(file)) if _is_variable(node, "told")]
    assert found == []


def _is_variable(node: ast.AST, name: str) -> bool:
    return (isinstance(node, ast.Name) and node.id == name) or (isinstance(node, ast.arg) and node.arg == name)


@pytest.mark.parametrize(("source", "names"), [
    ("import llvmlite.binding as l", {"llvmlite"}), ("from llvmlite import binding", {"llvmlite"}),
    ("def f():\n    import z3", {"z3"}), ("from . import x", {""}),
])  # fmt: skip
def test_imports_are_seen_in_every_form(source: str, names: set[str]) -> None:
    assert imported(ast.parse(source)) == names

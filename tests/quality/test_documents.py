"""Figures in the documents that can be kept true are: counts, ids and commands."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest
from cli.program import run
from typer.main import get_command

from offsetproof.cli.verbs import VERBS, program
from offsetproof.verdict.exits import PRECEDENCE, Exit
from studies.claims import page_of
from studies.subjects import ABOUT_ROCKETMQ

ROOT = Path(__file__).parents[2]
DOCUMENTS = [page.relative_to(ROOT).as_posix() for page in sorted((ROOT / "docs").rglob("*.md"))]
SUBJECT_PAGES = [page_of(subject).relative_to(ROOT).as_posix() for subject in ABOUT_ROCKETMQ]


def _counts(page: str) -> set[int]:
    return {int(number.replace(",", "")) for number in re.findall(r"\d{1,3}(?:,\d{3})+", page)}


def test_page_of_measurements_has_the_counts_that_the_tests_confirm() -> None:
    page = (ROOT / "docs" / "measurements.md").read_text(encoding="utf-8")
    confirmed = {1_563_324, 10_678_582, 296_448, 11_176_150}
    assert confirmed <= _counts(page)


@pytest.mark.parametrize(
    "name",
    ["README.md", "docs/questions.md", "docs/reported.md", "docs/studies/resets.md", *SUBJECT_PAGES],
)
def test_every_claim_named_in_a_document_is_in_the_catalogue(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    known = {prop.id for subject in ABOUT_ROCKETMQ for prop in subject.properties}
    named = set(re.findall(r"\b(?:I\d+(?:-[a-z]+)*|W(?:-[a-z]+)+)\b", text))
    recorded = {file.stem for file in (ROOT / "traces" / "recorded").glob("*.json")}
    assert named <= known | recorded
    assert named


def test_every_recorded_trace_is_told_in_a_page() -> None:
    pages = "".join(page_of(subject).read_text(encoding="utf-8") for subject in ABOUT_ROCKETMQ)
    for file in (ROOT / "traces" / "recorded").glob("*.json"):
        assert file.stem in pages, file.stem


def test_story_in_the_readme_is_what_the_program_tells() -> None:
    ran = run("check", "I5", "--scope=calm-reset", "--release=4.9.4", "--stories=brief", "--no-progress", cwd=ROOT)
    assert (ran.code, ran.err) == (0, "")
    story = ran.out[ran.out.index("backward-reset-stays (I5, always)") :].rstrip()
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"```\n{story}\n```" in readme
    assert len(story.splitlines()) > 10
    (states,) = re.findall(r"after\s+([\d,]+) states", ran.out)
    assert f"among {states} states" in readme


def test_readme_is_short_and_leads_to_the_tutorial_early() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 140
    assert any("(docs/tutorial.md)" in line for line in lines[:60])


def test_every_link_between_documents_leads_somewhere() -> None:
    pages = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "tests/README.md")]
    links = 0
    for page in [*pages, *sorted((ROOT / "docs").rglob("*.md"))]:
        for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", _without_code(page.read_text(encoding="utf-8"))):
            name, _, heading = target.partition("#")
            found = page.parent / name if name else page
            assert found.exists(), f"{page.name}: {target}"
            assert not heading or heading in _headings(found), f"{page.name}: {target}"
            links += 1
    assert links > 50


NAMED_IN = [
    path
    for folder in ("src", "model", "properties", "traces", "tests", "studies", "tools", "bench", "examples", "docs")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".md", ".toml", ".tla", ".java")
]


@pytest.mark.parametrize("name", ["README.md", "ARCHITECTURE.md", *DOCUMENTS])
def test_no_heading_of_a_person_stands_twice_on_a_page(name: str) -> None:
    text = re.sub(r"(?ms)^<!-- begin: .*?^<!-- end: ", "", _without_code((ROOT / name).read_text(encoding="utf-8")))
    headings = Counter(re.findall(r"(?m)^#+ (.*)$", text))
    assert [heading for heading, count in headings.items() if count > 1] == []
    assert headings


def test_every_page_that_a_source_names_by_its_path_exists() -> None:
    named = {
        (path.relative_to(ROOT).as_posix(), page)
        for path in [*NAMED_IN, ROOT / "Makefile", ROOT / "pyproject.toml", ROOT / "mkdocs.yml"]
        for page in re.findall(r"(?<![\w/])docs/[\w/-]+\.md", path.read_text(encoding="utf-8"))
    }
    assert [(file, page) for file, page in sorted(named) if not (ROOT / page).exists()] == []
    assert len(named) > 40


def _without_code(text: str) -> str:
    return re.sub(r"(?ms)^```.*?^```$", "", text)


def _headings(page: Path) -> set[str]:
    """The names under which a page's headings are linked to."""
    headings = re.findall(r"(?m)^#+ (.*)$", _without_code(page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_exit_codes_in_the_page_are_those_of_the_program() -> None:
    page = (ROOT / "docs" / "verbs.md").read_text(encoding="utf-8")
    codes = [int(code) for row in re.findall(r"(?m)^\| (\d[\d, ]*) \|", page) for code in row.split(",")]
    assert codes == sorted(Exit)
    *graver, _ = PRECEDENCE
    assert f"the first of {', '.join(str(int(code)) for code in graver)} is taken" in page


@pytest.mark.parametrize("name", ["README.md", *DOCUMENTS])
def test_every_verb_and_option_named_in_a_document_exists(name: str) -> None:
    app = get_command(program([]))
    for verb, rest in re.findall(r"\boffsetproof ([a-z]+)\b([^`\n]*)", (ROOT / name).read_text(encoding="utf-8")):
        assert verb in VERBS, f"{name}: offsetproof {verb}"
        known = {word for each in app.commands[verb].params for word in (*each.opts, *each.secondary_opts)}
        options = set(re.findall(r"--[a-z][a-z-]*", rest.split("  ")[0]))
        assert options <= known | {"--help"}, f"{name}: offsetproof {verb}{rest}"


@pytest.mark.parametrize(("name", "least"), [("docs/verbs.md", 20), ("docs/fork.md", 10)])
def test_every_command_of_a_page_is_one_that_the_program_takes(name: str, least: int) -> None:
    """Its words and values are parsed as the program parses them; nothing is run."""
    app = get_command(program([]))
    text = (ROOT / name).read_text(encoding="utf-8")
    commands = [shlex.split(line) for line in re.findall(r"(?m)^offsetproof (?!\w+ \[OPTIONS\])(.*?)(?:  .*)?$", text)]
    for verb, *words in commands:
        app.commands[verb].make_context(verb, [*words])
    assert len(commands) > least


def test_every_claim_fix_and_story_in_a_page_of_commands_exists() -> None:
    rocketmq = next(subject for subject in ABOUT_ROCKETMQ if subject.name == "rocketmq")
    known = {fix.name for fix in rocketmq.model.fixes} | {each.name for each in rocketmq.model.assumptions}
    for name in ("docs/verbs.md", "docs/fork.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert set(re.findall(r"--(?:fix|assume) ([a-z-]+)", text)) <= known
        for story in re.findall(r"(?m)^offsetproof (?:replay|show) (I\d[\w-]+-[\w-]+)", text):
            assert (ROOT / "traces" / "recorded" / f"{story}.json").exists(), story


def test_every_make_target_named_in_a_page_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for name in ("README.md", "docs/fork.md", "docs/tutorial.md"):
        text = (ROOT / name).read_text(encoding="utf-8")
        for target in set(re.findall(r"(?m)(?:`|^)make ([a-z-]+)", text)):
            assert re.search(rf"(?m)^{target}:", makefile), f"{name}: {target}"


SOURCES = [
    path
    for folder in ("src", "model", "properties", "traces", "tests", "studies", "tools", "bench", "examples")
    for path in sorted((ROOT / folder).rglob("*"))
    if path.suffix in (".py", ".java")
]


@pytest.mark.parametrize("names", ["ARCHITECTURE.md", "docs/adding.md", "docs/decisions/*.md"])
def test_every_file_and_class_named_in_a_page_for_developers_exists(names: str) -> None:
    text = "".join(_without_code(page.read_text(encoding="utf-8")) for page in ROOT.glob(names))
    files = {path.name for path in SOURCES}
    named = {file.rpartition("/")[2] for file in re.findall(r"`([\w./]+\.(?:py|java))`", text)} - {"THEME.py"}
    classes = set(re.findall(r"`([A-Z]\w+)(?:\(\))?`", text))
    words = set(re.findall(r"\w+", "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)))
    assert len(named) > 10
    assert sorted(named - files) == []
    assert sorted(classes - words) == []

"""What is not a file, or too large a one, is refused before it is read; what a terminal would obey is shown."""

from __future__ import annotations

import os
import socket
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems.reproducible import reproducible

from offsetproof.escaping import one_line, visible
from offsetproof.reading.files import SIZE_MAX, UnreadableFileError, read_text


def test_file_is_read_up_to_the_size_that_is_allowed(tmp_path: Path) -> None:
    file = tmp_path / "é.txt"
    file.write_text("é" * 8, encoding="utf-8")
    assert read_text(file) == read_text(file, 16) == "é" * 8
    with pytest.raises(UnreadableFileError, match=r"é\.txt: the file: is larger than 15 bytes"):
        read_text(file, 15)
    with file.open("wb") as sparse:
        sparse.truncate(SIZE_MAX + 1)
    with pytest.raises(UnreadableFileError, match="is larger than 64 MiB"):
        read_text(file)


TURNING = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
"""The classes of the marks that turn the direction of writing."""


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("folder", "is a folder; name a file"),
        ("pipe", "is a pipe; name a file"),
        ("socket", "is a socket; name a file"),
        ("zero", "is a device; name a file"),
        ("none", "cannot be opened: No such file or directory"),
        ("x" * 300, "cannot be opened: File name too long"),
    ],
)
def test_what_is_no_file_is_refused_without_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, told: str
) -> None:
    monkeypatch.chdir(tmp_path)  # the name of a socket must be short
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("zero").symlink_to("/dev/zero")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket")
        with pytest.raises(UnreadableFileError) as refused:
            read_text(Path(name))
    assert str(refused.value) == f"{name}: the file: {told}"


@reproducible(300)
@given(st.text())
def test_what_is_visible_moves_no_cursor_and_turns_no_text(text: str) -> None:
    shown = visible(text)
    assert all(unicodedata.category(letter) not in ("Cc", "Cs", "Zl", "Zp") for letter in shown.replace("\n", ""))
    assert not any(unicodedata.bidirectional(letter) in TURNING for letter in shown)
    assert shown.count("\n") == text.count("\n")
    assert visible(shown) == shown
    assert "\n" not in one_line(text)


def test_plain_text_of_any_language_stays() -> None:
    text = "Ein Häuschen, 小さい家, דירה, 🏠: a\nb"
    assert visible(text) == text
    assert one_line(text) == text.replace("\n", "\\n")
    assert visible("\x1b]0;x\x07\r\x85\x9b\u202e\x7f") == r"\x1b]0;x\x07\r\x85\x9b\u202e\x7f"

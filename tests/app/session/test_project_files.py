"""Files and folders of the disk are read, read again where they changed, and nothing that was read is lost."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from app.conversations.records import Attachment, Source
from app.session import project_files
from app.session.attachments import LARGEST_BYTES
from app.session.project_files import MOST_FILES, read_again
from tests.app.pdf_files import pdf


def read(source: Source) -> Source:
    return read_again(source, "en", lambda: None)


def texts(source: Source) -> dict[str, str]:
    return {file.name: file.text for file in source.files if file.text}


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A folder with two texts, a PDF file, a picture, and what must not be read: links, a hidden folder, a pipe."""
    folder = tmp_path / "book"
    (folder / "code").mkdir(parents=True)
    (folder / "b.txt").write_text("Second.")
    (folder / "code" / "a.py").write_text("print()")
    pdf("Page.").write(folder / "paper.pdf")
    (folder / "cover.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("secret")
    (tmp_path / "outside.txt").write_text("outside")
    (folder / "link.txt").symlink_to(tmp_path / "outside.txt")
    (folder / "round").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    return folder


def test_a_folder_is_read_without_links_and_hidden_files(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(Source(str(book), is_folder=True))
    assert texts(source) == {"book/b.txt": "Second.", "book/code/a.py": "print()", "book/paper.pdf": "Page."}
    assert [(file.name, file.problem) for file in source.files if file.problem] == [("book/cover.png", "picture")]
    assert source.problem == ""
    assert read(replace(source, path="")).files == source.files
    (book / "c.txt").write_text("New.")
    (book / "code" / "a.py").unlink()
    # Files that did not change are not opened.
    monkeypatch.setattr(project_files, "read_attachment", lambda path, *_: Attachment("", "", f"{path.name}!"))
    assert texts(read(source)) == {"book/b.txt": "Second.", "book/c.txt": "c.txt!", "book/paper.pdf": "Page."}


def test_what_vanished_or_became_unreadable_keeps_its_text(tmp_path: Path, book: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Heron.")
    file, folder = read(Source(str(notes))), read(Source(str(book), is_folder=True))

    def now(source: Source) -> tuple[str, dict[str, str]]:
        return read(source).problem, texts(read(source))

    notes.write_bytes(b"\0\1\2")
    assert now(file) == ("not-text", {"notes.md": "Heron."})
    notes.unlink()
    assert now(file) == ("gone", {"notes.md": "Heron."})
    notes.write_text("Back.")
    assert now(file) == ("", {"notes.md": "Back."})
    before = texts(folder)
    (book / "b.txt").write_bytes(b"\0\1\2")
    assert now(folder) == ("", before)
    book.rename(tmp_path / "moved")
    assert now(folder) == ("gone", before)


def test_a_folder_that_holds_too_much_is_refused_whole(book: Path) -> None:
    source = read(Source(str(book), is_folder=True))
    for name in ("x.txt", "y.txt"):
        (book / name).write_bytes(b"a" * (LARGEST_BYTES * 2 // 3))
    assert (read(source).problem, texts(read(source))) == ("too-large", texts(source))
    for number in range(MOST_FILES):
        (book / f"{number}.txt").write_text("x")
    assert read(source).problem == "too-many"

"""Files and folders of the disk are read, read again where they changed, and nothing that was read is lost."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.conversations.records import Source, SourceFile
from app.session import project_files
from app.session.attachments import LARGEST_BYTES
from app.session.project_files import MOST_FILES, read_again
from app.system.cancelled import Cancelled
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


def test_a_folder_is_read_with_the_folders_in_it_but_without_links_and_hidden_files(book: Path) -> None:
    source = read(Source(str(book), is_folder=True))
    assert texts(source) == {"book/b.txt": "Second.", "book/code/a.py": "print()", "book/paper.pdf": "Page."}
    assert [(file.name, file.problem) for file in source.files if file.problem] == [("book/cover.png", "picture")]
    assert source.problem == ""


def test_only_what_changed_is_read_again(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(Source(str(book), is_folder=True))
    opened: list[str] = []
    whole = project_files.read_attachment
    monkeypatch.setattr(
        project_files, "read_attachment", lambda path, *rest: opened.append(path.name) or whole(path, *rest)
    )
    assert read(source) == source
    assert opened == []
    (book / "b.txt").write_text("Changed.")
    (book / "c.txt").write_text("New.")
    (book / "code" / "a.py").unlink()
    again = read(source)
    assert texts(again) == {"book/b.txt": "Changed.", "book/c.txt": "New.", "book/paper.pdf": "Page."}
    assert opened == ["b.txt", "c.txt"]


def test_what_vanished_or_became_unreadable_keeps_its_text(tmp_path: Path, book: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("Heron.")
    file, folder = read(Source(str(notes))), read(Source(str(book), is_folder=True))
    notes.write_bytes(b"\0\1\2")
    assert (read(file).problem, texts(read(file))) == ("not-text", {"notes.md": "Heron."})
    notes.write_bytes(b"a" * (LARGEST_BYTES + 1))
    assert (read(file).problem, texts(read(file))) == ("too-large", {"notes.md": "Heron."})
    notes.unlink()
    assert (read(file).problem, texts(read(file))) == ("gone", {"notes.md": "Heron."})
    notes.write_text("Back.")
    assert (read(file).problem, texts(read(file))) == ("", {"notes.md": "Back."})
    before = texts(folder)
    (book / "b.txt").write_bytes(b"\0\1\2")
    assert (read(folder).problem, texts(read(folder))) == ("", before)
    book.rename(tmp_path / "moved")
    assert (read(folder).problem, texts(read(folder))) == ("gone", before)


def test_a_folder_that_holds_too_much_is_refused_whole(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = read(Source(str(book), is_folder=True))
    for name in ("x.txt", "y.txt"):
        (book / name).write_bytes(b"a" * (LARGEST_BYTES * 2 // 3))
    assert (read(source).problem, texts(read(source))) == ("too-large", texts(source))
    for number in range(MOST_FILES):
        (book / f"{number}.txt").write_text("x")
    assert read(source).problem == "too-many"
    monkeypatch.setattr(project_files, "_MOST_ENTRIES", 100)
    monkeypatch.setattr(project_files, "MOST_FILES", 1000)
    assert read(source).problem == "too-many"


def test_an_imported_file_is_never_read_and_reading_stops_when_it_should(book: Path) -> None:
    imported = Source("", files=(SourceFile("a", "x"),))
    assert read(imported) is imported

    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        read_again(Source(str(book), is_folder=True), "en", stop)

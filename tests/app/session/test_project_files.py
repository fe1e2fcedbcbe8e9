"""Files and folders of the disk are read, read again where they changed, and nothing that was read is lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.conversations.database.errors import StoreNotWritable
from app.conversations.database.records import Attachment, Picture, Source
from app.session import project_service
from app.session.attachments import read_attachment
from app.session.project_service import MOST_FILES, read_again
from app.system.cancelled import Cancelled
from app.text.file_texts import LARGEST_BYTES
from engine.documents.reading import DOCUMENTS
from engine.errors import PictureNotUsable, PicturesNotInstalled
from engine.files.reading_time import ReadingTime
from engine.pictures.reading import digest_of
from tests.app.pdf_files import pdf
from tests.app.picture_files import picture
from tests.patience import PATIENCE_S, wait_until
from tests.slow_files import slow_pdf


def read(source: Source, keep: Callable[[bytes], object] = lambda _content: None) -> Source:
    return read_again(source, "en", ReadingTime(), keep)


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
    assert [(file.name, file.problem) for file in source.files if file.problem] == [
        ("book/cover.png", "unusable-picture")
    ]
    assert source.problem == ""
    assert read(replace(source, path="")).files == source.files
    (book / "c.txt").write_text("New.")
    (book / "code" / "a.py").unlink()
    # Files that did not change are not opened.
    monkeypatch.setattr(project_service, "read_attachment", lambda path, *_: Attachment("", "", f"{path.name}!"))
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


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read, in their order."""
    found: list[str] = []

    def read(path: Path, *more: Any) -> Attachment:
        found.append(path.name)
        return read_attachment(path, *more)

    monkeypatch.setattr(project_service, "read_attachment", read)
    return found


@pytest.mark.parametrize("is_folder", [True, False])
def test_a_file_that_takes_too_long_is_skipped_once_and_keeps_its_text_of_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str], is_folder: bool
) -> None:
    monkeypatch.setattr("engine.documents.reading.DOCUMENT_S", 0.3)
    folder = tmp_path / "book"
    folder.mkdir()
    pdf("Page.").write(folder / "report.pdf")
    source = read(Source(str(folder if is_folder else folder / "report.pdf"), is_folder))
    (folder / "report.pdf").write_bytes(slow_pdf(3000, 2000))
    slow = read(source)
    assert list(texts(slow).values()) == ["Page."]
    assert [file.problem for file in slow.files] == ["too-slow"]
    assert slow.problem == ("" if is_folder else "too-slow")
    assert read(slow) == slow
    assert opened == ["report.pdf"] * 2
    pdf("Shorter.").write(folder / "report.pdf")
    assert (list(texts(read(slow)).values()), read(slow).problem) == (["Shorter."], "")


@pytest.mark.full
def test_files_for_which_no_time_was_left_are_read_the_next_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    monkeypatch.setattr("engine.documents.reading.DOCUMENT_S", 0.6)
    for name in ("a.pdf", "b.pdf"):
        (tmp_path / name).write_bytes(slow_pdf(3000, 2000))
    pdf("Page.").write(tmp_path / "d.pdf")
    (tmp_path / "e.txt").write_text("Text.")
    source = Source(str(tmp_path), is_folder=True)
    found = []
    for _ in range(2):
        source = read_again(source, "en", ReadingTime(1.1), pytest.fail)
        found.append([file.problem for file in source.files])
    assert found == [["too-slow", "no-time", "no-time", ""], ["too-slow", "too-slow", "", ""]]
    assert opened.count("a.pdf") == opened.count("e.txt") == 1


def test_pictures_are_kept_and_read_again_when_they_changed(tmp_path: Path) -> None:
    kept: list[bytes] = []
    red, wide = picture(), picture("blue", (60, 20))
    (tmp_path / "heron.png").write_bytes(red)
    source = read(Source(str(tmp_path), is_folder=True), kept.append)
    assert source.files[0].picture == Picture(digest_of(red), 560, 280)
    assert read(source, pytest.fail) == source
    (tmp_path / "heron.png").write_bytes(wide)
    changed = read(source, kept.append)
    assert changed.files[0].picture == Picture(digest_of(wide), 60, 20)
    assert kept == [red, wide]
    # A damaged one stays what it was, and is not read again until it changes.
    (tmp_path / "heron.png").write_bytes(wide[:40])
    damaged = read(changed, pytest.fail)
    assert (damaged.files[0].problem, damaged.files[0].picture) == ("unusable-picture", changed.files[0].picture)
    assert read(damaged, pytest.fail) == damaged
    # A text of that name takes its place.
    (tmp_path / "heron.png").unlink()
    (tmp_path / "heron.txt").write_text("Heron.")
    assert [(file.text, file.picture) for file in read(damaged).files] == [("Heron.", None)]


def test_a_picture_that_an_earlier_version_refused_is_read(tmp_path: Path) -> None:
    (tmp_path / "heron.png").write_bytes(picture())
    known = read(Source(str(tmp_path / "heron.png")))
    refused = tuple(replace(file, picture=None, problem="picture") for file in known.files)
    assert read(replace(known, files=refused, problem="picture")) == known


@pytest.mark.parametrize(
    ("error", "problem", "tries"),
    [
        (PictureNotUsable("too-slow", "10"), "too-slow", 1),
        (PictureNotUsable("too-slow-together", "15"), "no-time", 2),
        (PicturesNotInstalled(), "pictures-not-installed", 2),
        (StoreNotWritable("full", ""), "unreadable", 2),
    ],
)
def test_what_may_succeed_later_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, problem: str, tries: int
) -> None:
    (tmp_path / "heron.png").write_bytes(picture())
    tried: list[Path] = []

    def refuse(path: Path, *_: object) -> Attachment:
        tried.append(path)
        raise error

    monkeypatch.setattr(project_service, "read_attachment", refuse)
    source = read(Source(str(tmp_path / "heron.png")))
    assert read(source).problem == source.problem == problem
    assert len(tried) == tries


def test_reading_that_is_abandoned_ends(tmp_path: Path) -> None:
    (tmp_path / "report.pdf").write_bytes(slow_pdf(3000, 2000))
    time = ReadingTime()
    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_again, Source(str(tmp_path / "report.pdf")), "en", time, pytest.fail)
        wait_until(lambda: DOCUMENTS.quick.pid is not None and psutil.pid_exists(DOCUMENTS.quick.pid))
        time.abandoned.set()
        with pytest.raises(Cancelled):
            reading.result(PATIENCE_S)

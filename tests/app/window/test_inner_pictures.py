"""The pictures in a document that is attached: sent to models that see, and left out by the person or for others."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from PIL import Image
from pypdf import PdfWriter
from PySide6.QtWidgets import QLabel, QToolButton

from engine.pictures.reading import digest_of
from tests.app.conftest import OpenWindow
from tests.app.pdf_files import pdf
from tests.app.picture_files import RULES
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver
from tests.engine.documents.picture_documents import LARGE, SMALL, picture, word

SHOWN = [{"type": "image", "digest": digest_of(picture(size))} for size in (SMALL, LARGE)]


def attach(window: WindowDriver, folder: Path) -> None:
    (folder / "report.docx").write_bytes(word())
    window.paste(folder / "report.docx")
    window.wait(lambda: window.attached == ["report.docx"])


def row(window: WindowDriver) -> str:
    return " · ".join(part.text() for part in window.composer.files.findChildren(QLabel))


def sent(engine: ScriptedEngine) -> list[object]:
    """Return the contents of the questions of the latest request."""
    return [message["content"] for message in engine.requests[-1].messages if message["role"] == "user"]


def test_a_model_that_sees_gets_the_pictures_and_another_the_text(open_window: OpenWindow, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two.")], pictures=RULES)
    window = open_window(engine)
    attach(window, tmp_path)
    window.wait(lambda: "2 pictures" in row(window))
    window.ask_and_wait("What do they show?")
    ((first, second, text),) = sent(engine)
    assert [first, second] == SHOWN
    assert "report.docx" in text["text"]
    assert set(engine.requests[-1].pictures) == {part["digest"] for part in SHOWN}
    window.close()
    blind = ScriptedEngine([Script("Three.")])
    window = open_window(blind)
    window.ask_and_wait("And now?")
    assert all(isinstance(content, str) for content in sent(blind))
    assert not blind.requests[-1].pictures


def test_a_model_that_cannot_see_says_so_in_the_row_and_can_be_asked(start_chat: StartChat, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = start_chat(engine)
    attach(window, tmp_path)
    window.wait(lambda: "2 pictures, which this model can't see" in row(window))
    assert window.notices == []
    window.ask_and_wait("What does it say?")
    assert isinstance(sent(engine)[0], str)


def test_pictures_count_for_the_context_until_they_are_taken_out(start_chat: StartChat, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One.")], pictures=RULES)
    window = start_chat(engine)
    attach(window, tmp_path)
    tokens = str(RULES.tokens(*SMALL) + RULES.tokens(*LARGE))
    window.wait(lambda: tokens in window.context_text)
    (button,) = [part for part in window.composer.files.findChildren(QToolButton) if part.text() == "Text only"]
    button.click()
    window.wait(lambda: "picture" not in row(window))
    window.wait(lambda: tokens not in window.context_text)
    window.ask_and_wait("What does it say?")
    assert isinstance(sent(engine)[0], str)


def test_a_document_of_pictures_alone_needs_a_model_that_sees(open_window: OpenWindow, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One.")], pictures=RULES)
    window = open_window(engine)
    (tmp_path / "photo.docx").write_bytes(word(text=""))
    window.paste(tmp_path / "photo.docx")
    window.wait(lambda: "2 pictures · no text" in row(window))
    assert "Text only" not in [part.text() for part in window.composer.files.findChildren(QToolButton)]
    window.ask_and_wait("What do they show?")
    ((first, second, text),) = sent(engine)
    assert [first, second] == SHOWN
    assert "[Pictures without text]" in text["text"]
    window.close()
    window = open_window(ScriptedEngine([Script("Two.")]))
    window.wait(lambda: any("can't see pictures" in notice for notice in window.notices))


def report(*, pages: int, photos: int) -> bytes:
    """Return a PDF file with text on each page, and a photo on all from the second one on, as many as `photos`."""
    writer = PdfWriter()
    Image.new("RGB", (100, 100)).save(file := BytesIO(), "PDF")
    for number in range(1, pages + 1):
        page = writer.add_page(pdf(f"Page {number}").pages[0])
        if 1 < number <= photos + 1:
            photo = PdfWriter(clone_from=BytesIO(file.getvalue())).pages[0]
            page.merge_page(photo)
    writer.write(data := BytesIO())
    return data.getvalue()


def test_pages_of_a_pdf_go_to_a_model_that_sees_with_their_numbers(open_window: OpenWindow, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One."), Script("Two.")], pictures=RULES)
    window = open_window(engine)
    (tmp_path / "report.pdf").write_bytes(report(pages=4, photos=2))
    window.paste(tmp_path / "report.pdf")
    window.wait(lambda: "pages as pictures: 2–3" in row(window))
    window.ask_and_wait("What do they show?")
    ((first, second, text),) = sent(engine)
    assert first["type"] == second["type"] == "image"
    assert text["text"].startswith("[Pictures of pages 2 to 3 of report.pdf]\n\n")
    assert "Page 1" in text["text"]
    window.close()
    blind = ScriptedEngine([Script("Three.")])
    window = open_window(blind)
    window.ask_and_wait("And now?")
    assert all(isinstance(content, str) and "[Pictures" not in content for content in sent(blind))


def test_the_row_says_how_many_pages_go_along_as_text_only(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine([Script("One.")], pictures=RULES))
    (tmp_path / "report.pdf").write_bytes(report(pages=12, photos=10))
    window.paste(tmp_path / "report.pdf")
    window.wait(lambda: "pages as pictures: 2–9 · 2 more pages with pictures as text only" in row(window))


def test_pages_are_said_not_to_be_seen_by_a_model_that_cannot(start_chat: StartChat, tmp_path: Path) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = start_chat(engine)
    (tmp_path / "report.pdf").write_bytes(report(pages=2, photos=1))
    window.paste(tmp_path / "report.pdf")
    window.wait(lambda: "1 page as a picture, which this model can't see" in row(window))
    window.ask_and_wait("What does it say?")
    assert isinstance(sent(engine)[0], str)

"""Files that go with a question, and what was written before."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest
from pypdf import PdfWriter
from pypdf.generic import DictionaryObject, NameObject, StreamObject
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFrame, QLabel, QToolButton

from app.conversations.records import Attachment
from app.session.attachments import LARGEST_BYTES, LARGEST_PDF_BYTES, NotAttachable, count_tokens, read_attachment
from app.widgets.layouts import settle_layouts
from engine import starter_pair
from tests.app.chats_shown import paste, settle
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import ask, wait_for_end
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow


def test_a_pasted_file_goes_with_the_question_and_comes_back_with_the_chat(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text("print('초안')\n")
    engine = ScriptedEngine([Script("It prints.")])
    window = open_window(engine)
    paste(window, tmp_path / "main.py")
    qtbot.waitUntil(lambda: bool(window._composer.files.attachments))
    ask(window, "What does it do?")
    wait_for_end(window, qtbot)
    content = engine.requests[-1].messages[-1]["content"]
    assert content == "main.py\n```\nprint('초안')\n```\n\nWhat does it do?"
    assert window._composer.files.attachments == ()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window._session.chat.turns))
    assert [file.name for file in window._session.chat.turns[0].attachments] == ["main.py"]


def test_a_file_goes_without_words(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    engine = ScriptedEngine([Script("It prints."), Script("Again."), Script("Short.")])
    window = open_window(engine)
    session, edit = window._session, window._composer.edit
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert not session.chat.turns
    paste(window, tmp_path / "main.py")
    qtbot.waitUntil(lambda: window._actions["send"].isEnabled())
    QTest.keyClick(edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert engine.requests[-1].messages[-1]["content"] == "main.py\n```\nprint()\n```"
    settle(window, qtbot)
    turn = session.chat.turns[0]
    bubble = window._transcript.view(turn)._bubble
    assert bubble.text.isHidden()
    assert "main.py" in [label.text() for label in bubble.findChildren(QLabel)]
    assert [chat.title for chat in session.list.chats] == ["main.py"]
    assert not window._actions["send"].isEnabled()
    # There is nothing to bring back.
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == ""
    window._turns.run(turn, "edit")
    editor = window._transcript.view(turn).editor
    assert editor is not None
    QTest.keyClicks(editor.edit, "Shorter?")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert engine.requests[-1].messages[-1]["content"].endswith("\n\nShorter?")
    qtbot.waitUntil(lambda: session.answers.ready)
    turn = session.chat.turns[0]
    window._turns.run(turn, "edit")
    editor = window._transcript.view(turn).editor
    assert editor is not None
    editor.edit.clear()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert session.chat.turns[0].question == ""


def test_an_attachment_waits_with_the_draft(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    window = open_window(ScriptedEngine())
    window._composer.edit.setPlainText("look at this")
    paste(window, tmp_path / "notes.txt")
    qtbot.waitUntil(lambda: bool(window._composer.files.attachments))
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: [file.name for file in window._composer.files.attachments] == ["notes.txt"])
    assert window._composer.edit.toPlainText() == "look at this"


def test_a_file_goes_with_the_chat_that_it_was_given_to(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes.txt").write_text("note")
    go_on = threading.Event()

    def slow(path: Path, *_: object) -> Attachment:
        go_on.wait(PATIENCE_S)
        return read_attachment(path)

    monkeypatch.setattr("app.window.attachment_reader.read_attachment", slow)
    window = open_window(ScriptedEngine())
    ask(window, "Question?")
    wait_for_end(window, qtbot)
    asked = window._session.chat
    paste(window, tmp_path / "notes.txt")
    window._session.chats.new_chat()
    assert window._composer.files.isHidden()
    go_on.set()
    qtbot.waitUntil(lambda: [file.name for file in asked.unsent_attachments] == ["notes.txt"])
    assert window._composer.files.attachments == ()
    window._session.chats.open(asked)
    assert [file.name for file in window._composer.files.attachments] == ["notes.txt"]


def test_a_file_that_is_no_text_is_told(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\xff\xfe\x00")
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    paste(window, tmp_path / "photo.png")
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert "photo.png is not a text file" in window._banner.text
    assert window._composer.files.isHidden()


def pdf(*pages: str) -> PdfWriter:
    """A PDF file with a line of text on each page."""
    writer = PdfWriter()
    font = DictionaryObject()
    for name, value in (("/Type", "/Font"), ("/Subtype", "/Type1"), ("/BaseFont", "/Helvetica")):
        font[NameObject(name)] = NameObject(value)
    for words in pages:
        page = writer.add_blank_page(200, 200)
        stream = StreamObject()
        stream.set_data(f"BT /F1 12 Tf 10 100 Td ({words}) Tj ET".encode() if words else b"")
        fonts = DictionaryObject({NameObject("/F1"): font})
        page[NameObject("/Resources")] = DictionaryObject({NameObject("/Font"): fonts})
        page[NameObject("/Contents")] = writer._add_object(stream)
    return writer


def test_a_pdf_file_goes_along_as_its_text(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    pdf("First page.", "", "Last page.").write(tmp_path / "paper.pdf")
    engine = ScriptedEngine([Script("Two pages.")])
    window = open_window(engine)
    paste(window, tmp_path / "paper.pdf")
    qtbot.waitUntil(lambda: bool(window._composer.files.attachments))
    ask(window, "How long is it?")
    wait_for_end(window, qtbot)
    assert engine.requests[-1].messages[-1]["content"] == (
        "paper.pdf\n```\nFirst page.\n\nLast page.\n```\n\nHow long is it?"
    )


def test_a_pdf_file_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    pdf("", "").write(tmp_path / "no-text.pdf")
    closed = pdf("Nobody reads this.")
    closed.encrypt("secret", algorithm="RC4-128")
    closed.write(tmp_path / "encrypted.pdf")
    (tmp_path / "damaged.pdf").write_bytes(b"%PDF-1.7\n\xff\xfe\x00")
    (tmp_path / "too-large.pdf").write_bytes(b"%PDF-1.7\n" + b" " * LARGEST_PDF_BYTES)
    for reason in ("no-text", "encrypted", "damaged", "too-large"):
        with pytest.raises(NotAttachable) as caught:
            read_attachment(tmp_path / f"{reason}.pdf")
        assert caught.value.reason == reason


def test_a_pdf_file_without_a_password_of_its_own_is_read(tmp_path: Path) -> None:
    open_ = pdf("Everybody reads this.")
    open_.encrypt("", "owner", algorithm="RC4-128")
    open_.write(tmp_path / "open.pdf")
    assert read_attachment(tmp_path / "open.pdf").text == "Everybody reads this."


def test_every_reason_has_a_sentence(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    for reason in ("not-text", "unknown-encoding", "too-large", "unreadable", "encrypted", "damaged", "no-text"):
        window._attachments.show_reason(NotAttachable("a.pdf", reason))
        assert window._banner.text.startswith("a.pdf ")


def test_a_guessed_encoding_is_said_beside_the_name(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("오늘은 날씨가 좋아요.".encode("cp949"))
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    paste(window, tmp_path / "a.txt")
    files = window._composer.files
    qtbot.waitUntil(lambda: any("read as EUC-KR" in label.text() for label in files.findChildren(QLabel)))


def test_what_cannot_go_along_says_why(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"a" * (LARGEST_BYTES + 1))
    (tmp_path / "zero").write_bytes(b"a\0b")
    (tmp_path / "wide-zero").write_bytes("a\0b".encode("utf-16"))
    (tmp_path / "noise").write_bytes(bytes(128 + 73 * number % 128 for number in range(100)))
    for name, reason in (
        ("long", "too-large"),
        ("zero", "not-text"),
        ("wide-zero", "not-text"),
        ("noise", "unknown-encoding"),
        ("absent", "unreadable"),
    ):
        with pytest.raises(NotAttachable) as caught:
            read_attachment(tmp_path / name)
        assert caught.value.reason == reason


def test_tokens_are_those_of_the_main_model(tmp_path: Path) -> None:
    assert count_tokens(starter_pair()[0], "Tandem") in range(1, 7)
    assert count_tokens(tmp_path, "Tandem") is None


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """Until it is set, the file `main.py` that is there is being read."""
    gate = threading.Event()

    def slowly(file: Path, *_: object) -> Attachment:
        gate.wait()
        return read_attachment(file)

    monkeypatch.setattr("app.window.attachment_reader.read_attachment", slowly)
    (tmp_path / "main.py").write_text("print()\n")
    return gate


def test_a_question_waits_for_the_file_that_is_being_read(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, gate: threading.Event
) -> None:
    engine = ScriptedEngine([Script("It prints.")])
    window = open_window(engine)
    paste(window, tmp_path / "main.py")
    ask(window, "What does it do?")
    assert window._composer.edit.toPlainText() == "What does it do?"
    assert not window._actions["send"].isEnabled()
    gate.set()
    qtbot.waitUntil(lambda: window._actions["send"].isEnabled())
    QTest.keyClick(window._composer.edit, Qt.Key.Key_Return)
    wait_for_end(window, qtbot)
    assert "print()" in engine.requests[-1].messages[-1]["content"]


def test_a_question_waits_for_its_file_after_another_chat_was_shown(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, gate: threading.Event
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    ask(window, "first")
    wait_for_end(window, qtbot)
    session, files = window._session, window._composer.files
    first = session.chat
    paste(window, tmp_path / "main.py")
    window._composer.edit.setPlainText("What does it do?")
    session.chats.new_chat()
    assert not files.reading
    assert not files.isVisible()
    session.chats.open(first)
    assert files.reading
    assert not window._actions["send"].isEnabled()
    session.chats.new_chat()
    gate.set()
    qtbot.waitUntil(lambda: len(first.unsent_attachments) == 1)
    session.chats.open(first)
    assert [attachment.name for attachment in files.attachments] == ["main.py"]
    assert window._actions["send"].isEnabled()


def test_a_file_can_be_left_behind_while_it_is_being_read(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, gate: threading.Event
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    settle(window, qtbot)
    paste(window, tmp_path / "main.py")
    (away,) = window._composer.files.findChildren(QToolButton)
    away.click()
    assert not window._composer.files.isVisible()
    ask(window, "first")
    gate.set()
    wait_for_end(window, qtbot)
    settle(window, qtbot)
    assert window._composer.files.attachments == ()


def test_half_characters_of_a_pdf_file_are_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pdf("First page.").write(tmp_path / "paper.pdf")
    monkeypatch.setattr("pypdf.PageObject.extract_text", lambda _page: "x\ud835y\0")
    attachment = read_attachment(tmp_path / "paper.pdf")
    assert attachment.text == "x\ufffdy"
    assert count_tokens(starter_pair()[0], attachment.text)


def test_a_pipe_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(NotAttachable) as refused:
        read_attachment(tmp_path / "pipe.txt")
    assert refused.value.reason == "unreadable"


def test_reading_a_pdf_file_ends_between_two_pages_once_nobody_wants_it(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf("One.", "Two.", "Three.").write(tmp_path / "long.pdf")
    gate, reading, pages = threading.Event(), threading.Event(), []

    def slowly(page: object) -> str:
        pages.append(page)
        reading.set()
        gate.wait(PATIENCE_S)
        return "words"

    monkeypatch.setattr("pypdf.PageObject.extract_text", slowly)
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    paste(window, tmp_path / "long.pdf")
    qtbot.waitUntil(reading.is_set)
    (away,) = window._composer.files.findChildren(QToolButton)
    away.click()
    gate.set()
    settle(window, qtbot)
    assert len(pages) == 1
    assert window._composer.files.attachments == ()
    assert not window._banner.isVisible()


def test_closing_the_window_ends_the_reading_of_a_pdf_file(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf("One.", "Two.", "Three.").write(tmp_path / "long.pdf")
    reading, pages = threading.Event(), []
    window = open_window(ScriptedEngine())

    def slowly(page: object) -> str:
        pages.append(page)
        reading.set()
        window._attachments._closing.wait(PATIENCE_S)
        return "words"

    monkeypatch.setattr("pypdf.PageObject.extract_text", slowly)
    paste(window, tmp_path / "long.pdf")
    paste(window, tmp_path / "long.pdf")
    qtbot.waitUntil(reading.is_set)
    window.close()
    assert len(pages) == 1


def test_many_files_stand_in_rows_and_keep_their_names(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.resize(900, 600)
    files = window._composer.files
    many = tuple(
        Attachment(f"a rather long name of a file, number {number}.py", "text/plain", "") for number in range(12)
    )
    files.show_files(many)
    files.show_counts(dict.fromkeys(many, 1234))
    settle_layouts()
    chips = [chip for chip in files._inside.findChildren(QFrame, "attachment") if not chip.isHidden()]
    assert window.width() == 900
    assert len({chip.y() for chip in chips}) > 3
    assert files.height() < 4 * chips[0].height()
    for label in files.findChildren(QLabel):
        # A longer name than there is room for is elided, and no other is.
        assert label.width() >= min(label.sizeHint().width(), label.maximumWidth())


def test_one_file_takes_one_row(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    files = window._composer.files
    files.show_files((Attachment("a.py", "text/plain", ""),))
    settle_layouts()
    (chip,) = files._inside.findChildren(QFrame, "attachment")
    assert files.height() == chip.sizeHint().height()
    files.show_files(())
    assert files.isHidden()


def test_files_can_be_dropped_anywhere_in_the_window(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    window = open_window(ScriptedEngine())
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(tmp_path / "notes.txt"))])
    options = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entering = QDragEnterEvent(QPoint(500, 200), *options)
    window.dragEnterEvent(entering)
    assert entering.isAccepted()
    window.dropEvent(QDropEvent(QPointF(500, 200), *options))
    qtbot.waitUntil(lambda: [file.name for file in window._composer.files.attachments] == ["notes.txt"])
    data.clear()
    data.setText("words")
    entering = QDragEnterEvent(QPoint(500, 200), *options)
    entering.ignore()
    window.dragEnterEvent(entering)
    assert not entering.isAccepted()

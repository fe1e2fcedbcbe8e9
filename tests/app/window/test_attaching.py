"""Files that go with a question, and what was written before."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QToolButton

from app.conversations.records import Attachment
from app.session.attachments import NotAttachable, read_attachment
from app.sidebar.pane import ChatPane
from app.system.language import LANGUAGES
from app.widgets.layouts import settle_layouts
from app.window.attachment_reader import AttachmentReader
from tests.app.pdf_files import pdf
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver


def test_a_pasted_file_goes_with_the_question_and_comes_back_with_the_chat(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    (tmp_path / "main.py").write_text("print('초안')\n")
    engine = ScriptedEngine([Script("It prints.")])
    window = open_window(engine)
    window.paste(tmp_path / "main.py")
    qtbot.waitUntil(lambda: bool(window.composer.files.attachments))
    window.ask("What does it do?")
    window.wait_until_answered()
    content = engine.requests[-1].messages[-1]["content"]
    assert content == "main.py\n```\nprint('초안')\n```\n\nWhat does it do?"
    assert window.composer.files.attachments == ()
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.session.chat.turns))
    assert [file.name for file in window.session.chat.turns[0].attachments] == ["main.py"]


def test_a_file_goes_without_words(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print()\n")
    engine = ScriptedEngine([Script("It prints."), Script("Again."), Script("Short.")])
    window = open_window(engine)
    session, edit = window.session, window.edit
    QTest.keyClick(edit, Qt.Key.Key_Return)
    assert not session.chat.turns
    window.paste(tmp_path / "main.py")
    qtbot.waitUntil(lambda: window.is_enabled("send"))
    QTest.keyClick(edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"] == "main.py\n```\nprint()\n```"
    window.settle()
    bubble = window.turn().bubble
    assert bubble.text.isHidden()
    assert "main.py" in [label.text() for label in bubble.findChildren(QLabel)]
    assert [chat.title for chat in session.list.chats] == ["main.py"]
    assert not window.is_enabled("send")
    # There is nothing to bring back.
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == ""
    window.trigger("edit-last")
    editor = window.turn().editor
    QTest.keyClicks(editor.edit, "Shorter?")
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"].endswith("\n\nShorter?")
    qtbot.waitUntil(lambda: session.answers.ready)
    window.trigger("edit-last")
    editor = window.turn().editor
    editor.edit.clear()
    QTest.keyClick(editor.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert session.chat.turns[0].question == ""


def test_an_attachment_waits_with_the_draft(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("note")
    window = open_window(ScriptedEngine())
    window.write("look at this")
    window.paste(tmp_path / "notes.txt")
    qtbot.waitUntil(lambda: bool(window.composer.files.attachments))
    window.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: window.attached == ["notes.txt"])
    assert window.unsent == "look at this"


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
    window.ask("Question?")
    window.wait_until_answered()
    asked = window.session.chat
    window.paste(tmp_path / "notes.txt")
    window.trigger("new-chat")
    assert window.composer.files.isHidden()
    go_on.set()
    qtbot.waitUntil(lambda: [file.name for file in asked.unsent_attachments] == ["notes.txt"])
    assert window.composer.files.attachments == ()
    window.session.chats.open(asked)
    assert window.attached == ["notes.txt"]


def test_a_file_that_is_no_text_is_told(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\xff\xfe\x00")
    window = open_window(ScriptedEngine())
    window.settle()
    window.paste(tmp_path / "photo.png")
    qtbot.waitUntil(lambda: window.banner.isVisible())
    assert "photo.png cannot be attached" in window.banner_text
    assert window.composer.files.isHidden()


def test_a_pdf_file_goes_along_as_its_text(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    pdf("First page.", "", "Last page.").write(tmp_path / "paper.pdf")
    engine = ScriptedEngine([Script("Two pages.")])
    window = open_window(engine)
    window.paste(tmp_path / "paper.pdf")
    qtbot.waitUntil(lambda: bool(window.composer.files.attachments))
    window.ask("How long is it?")
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"] == (
        "paper.pdf\n```\nFirst page.\n\nLast page.\n```\n\nHow long is it?"
    )


REASONS = {
    "not-text": "is not a text file",
    "picture": "a.pdf cannot be attached",
    "unknown-encoding": "text encoding of a.pdf was not recognized",
    "too-large": "too large for any model",
    "unreadable": "a.pdf cannot be read",
    "encrypted": "password-protected",
    "damaged": "damaged: its text cannot be read",
    "no-text": "contains only images",
}


def test_the_reasons_are_those_that_the_code_documents() -> None:
    assert set(re.findall(r'"([a-z-]+)"', NotAttachable.__doc__ or "")) == set(REASONS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_sentence(open_window: OpenWindow, qapp: Application, language: str) -> None:
    window = open_window(ScriptedEngine())
    window.settle()
    qapp.language.choose(language)
    sentences = []
    for reason, words in REASONS.items():
        window.find(AttachmentReader).show_reason(NotAttachable("a.pdf", reason))
        sentence = window.banner_text
        assert "a.pdf" in sentence
        assert "{" not in sentence
        assert sentence.rstrip().endswith((".", "요.", "。"))
        assert language != "en" or words in sentence
        sentences.append(sentence)
    assert len(set(sentences)) == len(REASONS)


def test_a_guessed_encoding_is_said_beside_the_name(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes("오늘은 날씨가 좋아요.".encode("cp949"))
    window = open_window(ScriptedEngine())
    window.settle()
    window.paste(tmp_path / "a.txt")
    files = window.composer.files
    qtbot.waitUntil(lambda: any("read as EUC-KR" in label.text() for label in files.findChildren(QLabel)))


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
    window.paste(tmp_path / "main.py")
    window.ask("What does it do?")
    assert window.unsent == "What does it do?"
    assert not window.is_enabled("send")
    gate.set()
    qtbot.waitUntil(lambda: window.is_enabled("send"))
    window.send()
    window.wait_until_answered()
    assert "print()" in engine.requests[-1].messages[-1]["content"]


def test_a_question_waits_for_its_file_after_another_chat_was_shown(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, gate: threading.Event
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.ask("first")
    window.wait_until_answered()
    session, files = window.session, window.composer.files
    first = session.chat
    window.paste(tmp_path / "main.py")
    window.write("What does it do?")
    session.chats.new_chat()
    assert not files.reading
    assert not files.isVisible()
    session.chats.open(first)
    assert files.reading
    assert not window.is_enabled("send")
    session.chats.new_chat()
    gate.set()
    qtbot.waitUntil(lambda: len(first.unsent_attachments) == 1)
    session.chats.open(first)
    assert [attachment.name for attachment in files.attachments] == ["main.py"]
    assert window.is_enabled("send")


def test_a_file_can_be_left_behind_while_it_is_being_read(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, gate: threading.Event
) -> None:
    window = open_window(ScriptedEngine([Script("One.")]))
    window.settle()
    window.paste(tmp_path / "main.py")
    (away,) = window.composer.files.findChildren(QToolButton)
    away.click()
    assert not window.composer.files.isVisible()
    window.ask("first")
    gate.set()
    window.wait_until_answered()
    qtbot.waitUntil(lambda: not window.session.busy)
    assert window.composer.files.attachments == ()


def test_closing_the_window_ends_the_reading_of_a_pdf_file(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pdf("One.", "Two.", "Three.").write(tmp_path / "long.pdf")
    reading, pages = threading.Event(), []
    window = open_window(ScriptedEngine())
    reader = window.find(AttachmentReader)

    def slowly(page: object) -> str:
        pages.append(page)
        reading.set()
        # The reader is asked to stop before its page has been read, and only the reader knows when.
        reader._closing.wait(PATIENCE_S)
        return "words"

    monkeypatch.setattr("pypdf.PageObject.extract_text", slowly)
    window.paste(tmp_path / "long.pdf")
    window.paste(tmp_path / "long.pdf")
    qtbot.waitUntil(reading.is_set)
    window.close()
    assert len(pages) == 1


def test_many_files_stand_in_rows_and_keep_their_names(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    window.resize(900, 600)
    files = window.composer.files
    many = tuple(
        Attachment(f"a rather long name of a file, number {number}.py", "text/plain", "") for number in range(12)
    )
    files.show_files(many)
    files.show_counts(dict.fromkeys(many, 1234))
    settle_layouts()
    chips = [chip for chip in files.findChildren(QFrame, "attachment") if not chip.isHidden()]
    assert window.width() == 900
    assert len({chip.y() for chip in chips}) > 3
    assert files.height() < 4 * chips[0].height()
    for label in files.findChildren(QLabel):
        # A longer name than there is room for is elided, and no other is.
        assert label.width() >= min(label.sizeHint().width(), label.maximumWidth())


def test_one_file_takes_one_row(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    files = window.composer.files
    files.show_files((Attachment("a.py", "text/plain", ""),))
    settle_layouts()
    (chip,) = files.findChildren(QFrame, "attachment")
    assert files.height() == chip.sizeHint().height()
    files.show_files(())
    assert files.isHidden()


def drop(window: WindowDriver, at: QPoint, data: QMimeData) -> bool:
    """Drag `data` into the window and let go there, as the system delivers it; whether the drop was taken."""
    options = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    handle = window.windowHandle()
    entering = QDragEnterEvent(at, *options)
    QApplication.sendEvent(handle, entering)
    QApplication.sendEvent(handle, QDragMoveEvent(at, *options))
    dropped = QDropEvent(QPointF(at), *options)
    dropped.ignore()
    QApplication.sendEvent(handle, dropped)
    return dropped.isAccepted()


def test_files_dropped_anywhere_in_the_window_land_in_the_message(
    open_window: OpenWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    window = open_window(ScriptedEngine([Script("Some words.\n\n```python\nprint()\n```\n")]))
    window.resize(1440, 900)
    window.ask_and_wait("Question?")
    window.trigger("panel") if window.panel.isHidden() else None
    data = QMimeData()
    views = [
        window.edit,
        window.turn().body,
        window.find(ChatPane).list,
        window.panel,
        window.header,
        window.turn().bubble,
    ]
    for number, view in enumerate(views):
        file = tmp_path / f"notes-{number}.txt"
        file.write_text("note")
        data.setUrls([QUrl.fromLocalFile(str(file))])
        assert view.isVisible()
        assert drop(window, view.mapTo(window.window, view.rect().center()), data), view
        qtbot.waitUntil(lambda count=number + 1: len(window.attached) == count)
    assert window.unsent == ""


def test_words_that_are_dropped_outside_of_the_message_change_nothing(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    data = QMimeData()
    data.setText("words")
    assert not drop(window, window.header.rect().center(), data)
    assert window.unsent == ""
    assert drop(window, window.edit.mapTo(window.window, window.edit.rect().center()), data)
    assert window.unsent == "words"


def test_why_a_file_was_refused_is_no_news_after_sending(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "real.bin").write_bytes(bytes(range(256)))
    window = open_window(ScriptedEngine([Script("Yes.")]))
    window.paste(tmp_path / "real.bin")
    qtbot.waitUntil(lambda: "real.bin is not a text file" in window.banner_text)
    window.ask("hello")
    assert window.banner_text == ""


def test_a_picture_that_is_pasted_says_what_is_possible(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
    data = QMimeData()
    data.setImageData(QImage(4, 4, QImage.Format.Format_RGB32))
    assert window.edit.canInsertFromMimeData(data)
    window.edit.insertFromMimeData(data)
    assert "Copy the text out of the picture" in window.banner_text

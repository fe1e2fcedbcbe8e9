"""Files that go with a question, and what was written before."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QMimeData, Qt, QUrl
from PySide6.QtTest import QTest

from app.chat.attachments import LARGEST_BYTES, NotAttachable, count_tokens, read_attachment
from engine import starter_pair
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.test_window import ask, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
    from tests.app.conftest import OpenWindow


def paste(window: MainWindow, *files: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(file)) for file in files])
    assert window._composer.edit.canInsertFromMimeData(data)
    window._composer.edit.insertFromMimeData(data)


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


def test_a_file_that_is_no_text_is_told(open_window: OpenWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "scan.pdf").write_bytes(b"%PDF-1.7\n\xff\xfe\x00")
    window = open_window(ScriptedEngine())
    paste(window, tmp_path / "scan.pdf")
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert "scan.pdf is no text file" in window._banner.text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_text_is_read_in_every_unicode_encoding(tmp_path: Path, encoding: str) -> None:
    (tmp_path / "a.txt").write_text("草稿 초안", encoding=encoding)
    assert read_attachment(tmp_path / "a.txt").text == "草稿 초안"


def test_what_cannot_go_along_says_why(tmp_path: Path) -> None:
    (tmp_path / "long").write_bytes(b"a" * (LARGEST_BYTES + 1))
    (tmp_path / "zero").write_bytes(b"a\0b")
    for name, reason in (("long", "too-large"), ("zero", "not-text"), ("absent", "unreadable")):
        with pytest.raises(NotAttachable) as caught:
            read_attachment(tmp_path / name)
        assert caught.value.reason == reason


def test_tokens_are_those_of_the_main_model(tmp_path: Path) -> None:
    assert count_tokens(starter_pair()[0], "Tandem") in range(1, 7)
    assert count_tokens(tmp_path, "Tandem") is None


def test_the_up_key_brings_back_what_was_written(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("Yes.")]))
    for question in ("first", "second"):
        ask(window, question)
        wait_for_end(window, qtbot)
    edit = window._composer.edit
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Down):
        QTest.keyClick(edit, key)
        seen.append(edit.toPlainText())
    assert seen == ["second", "first", "first", "second", ""]
    edit.setPlainText("my own")
    QTest.keyClick(edit, Qt.Key.Key_Up)
    assert edit.toPlainText() == "my own"

"""Pictures in the window: pasted or attached, shown, sent, and refused with a reason."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton

from app.composer.picture_button import PictureButton, PictureView
from app.session.calls import CallState
from app.tools.tool import ToolPicture, ToolResult
from app.transcript.call_card import CallCard
from engine.errors import PicturesNotInstalled
from tests.app.conftest import OpenWindow
from tests.app.fake_tools import FakeHost, call_text, set_up, tool
from tests.app.picture_files import RULES, animation, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.window_driver import WindowDriver

RED, BLUE = picture("red"), picture("blue", form="JPEG")


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def part(content: bytes) -> dict[str, str]:
    return {"type": "image", "digest": digest(content)}


def text(words: str) -> dict[str, str]:
    return {"type": "text", "text": words}


def attach(window: WindowDriver, folder: Path, content: bytes = RED, name: str = "red.png") -> None:
    (folder / name).write_bytes(content)
    window.paste(folder / name)
    window.wait(lambda: name in window.attached)


def seeing(*texts: str) -> ScriptedEngine:
    return ScriptedEngine([Script(words) for words in texts] or [Script()], pictures=RULES)


def test_a_picture_is_shown_before_and_after_it_is_sent_and_large_on_a_click(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    engine = seeing("It is red.", "And blue.")
    window = open_window(engine)
    attach(window, tmp_path)
    window.wait(lambda: "210" in window.context_text)
    window.ask_and_wait("What is this?")
    assert engine.requests[-1].messages[-1]["content"] == [part(RED), text("What is this?")]
    assert engine.requests[-1].pictures == {digest(RED): RED}
    attach(window, tmp_path, BLUE, "blue.jpg")
    QTest.keyClick(window.edit, Qt.Key.Key_Return)
    window.wait_until_answered()
    assert engine.requests[-1].messages[-1]["content"] == [part(BLUE)]
    assert engine.requests[-1].pictures == {digest(RED): RED, digest(BLUE): BLUE}
    window.close()
    window = open_window(seeing())
    window.wait(lambda: len(window.session.chat.turns) == 2)
    window.settle()
    shown = window.turn(0).bubble.findChild(PictureButton)
    assert shown.accessibleName() == "Picture: red.png"
    window.wait(lambda: shown.grab().toImage().pixelColor(60, 60) == QColor("red"))
    shown.click()
    view = window.find(PictureView)
    assert "red.png · 560 × 280 pixels" in view.name.text()
    QTest.keyClick(view, Qt.Key.Key_Escape)
    assert view.isHidden()


def test_a_screenshot_from_the_clipboard_can_be_taken_out_again(start_chat: StartChat) -> None:
    window = start_chat(seeing())
    image = QMimeData()
    image.setImageData(QImage(40, 20, QImage.Format.Format_RGB32))
    window.edit.insertFromMimeData(image)
    window.wait(lambda: window.attached == ["Picture.png"])
    row = window.composer.files
    assert (row.attachments[0].picture.width, row.attachments[0].picture.height) == (40, 20)
    next(one for one in row.findChildren(QToolButton) if one.isVisible() and "Remove" in one.accessibleName()).click()
    assert window.attached == []
    assert not window.is_enabled("send")


@pytest.mark.parametrize("given", [None, QImage()])
def test_a_picture_of_the_clipboard_that_qt_cannot_read_is_refused(start_chat: StartChat, given: object) -> None:
    window = start_chat(seeing())
    window.composer.edit.picture_given.emit(given)
    window.wait(lambda: "Picture.png" in window.banner_text)
    assert (window.attached, window.composer.files.reading) == ([], False)


def test_a_photo_of_the_clipboard_is_no_larger_than_its_file(
    start_chat: StartChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = start_chat(seeing())
    noise = np.random.default_rng(3).integers(0, 255, (600, 800, 4), np.uint8)
    monkeypatch.setattr("app.window.chat_parts.attachment_reader.MOST_MEGABYTES", 1)
    window.composer.edit.picture_given.emit(QImage(noise.tobytes(), 800, 600, QImage.Format.Format_RGB32))
    window.wait(lambda: window.attached == ["Picture.png"])
    assert window.composer.files.attachments[0].media_type == "image/jpeg"


@pytest.mark.full
def test_edits_further_answers_and_branches_keep_the_picture(start_chat: StartChat, tmp_path: Path) -> None:
    engine = seeing("Red.")
    window = start_chat(engine)
    attach(window, tmp_path)
    window.ask_and_wait("What is this?")
    answers = window.session.answers
    answers.ask_again(window.session.chat.turns[0])
    window.wait_until_answered()
    answers.edit(window.session.chat.turns[0], "And what is this?")
    window.wait_until_answered()
    window.session.chats.branch(window.session.chat.turns[0])
    window.wait(lambda: window.session.chat.title.endswith(" 2"))
    answers.ask_again(window.session.chat.turns[0])
    window.wait_until_answered()
    contents = [request.messages[-1]["content"] for request in engine.requests]
    assert [content[0] for content in contents] == [part(RED)] * 4
    assert [content[1]["text"] for content in contents] == ["What is this?"] * 2 + ["And what is this?"] * 2


def test_a_model_that_cannot_see_is_told_before_sending(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(ScriptedEngine())
    window.edit.setPlainText("What is this?")
    attach(window, tmp_path)
    assert "main can't see pictures." in window.banner_text
    # Nothing has failed, so it does not look like a problem.
    assert [notice.objectName() for notice in window.banner.shown] == ["note"]
    assert window.banner_buttons == [window.action("choose-main").text()]
    window.wait(lambda: not window.is_enabled("send"))
    assert window.context_text == ""
    assert "can't see pictures" in window.send_button.toolTip()
    window.composer.files.remove(window.composer.files.attachments[0])
    assert window.notices == []
    window.wait(lambda: window.is_enabled("send"))
    assert window.unsent == "What is this?"


@pytest.mark.full
def test_a_chat_with_pictures_offers_to_choose_a_model_that_sees(open_window: OpenWindow, tmp_path: Path) -> None:
    window = open_window(seeing())
    attach(window, tmp_path)
    window.ask_and_wait("What is this?")
    assert window.notices == []
    window.close()
    window = open_window(ScriptedEngine())
    window.wait(lambda: "main can't see pictures." in window.banner_text)
    assert window.banner_buttons == [window.action("choose-main").text()]
    window.trigger("new-chat")
    window.wait(lambda: window.notices == [])


def test_what_is_no_usable_picture_is_refused_and_the_rest_stays(start_chat: StartChat, tmp_path: Path) -> None:
    window = start_chat(seeing())
    window.edit.setPlainText("Look:")
    attach(window, tmp_path)
    (tmp_path / "moving.gif").write_bytes(animation())
    window.paste(tmp_path / "moving.gif")
    window.wait(lambda: "moving.gif: The picture is animated." in window.banner_text)
    assert (window.unsent, window.attached) == ("Look:", ["red.png"])


def test_without_the_packages_one_sentence_says_how_to_add_them(
    start_chat: StartChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> tuple[int, int]:
        raise PicturesNotInstalled

    monkeypatch.setattr("engine.pictures.reading.picture_size", missing)
    window = start_chat(seeing())
    (tmp_path / "red.png").write_bytes(RED)
    window.paste(tmp_path / "red.png")
    window.wait(lambda: "pip install -q --no-deps -c packaging/constraints.txt mlx-vlm" in window.banner_text)


def test_a_lost_file_is_left_out_of_the_request(start_chat: StartChat, tmp_path: Path) -> None:
    engine = seeing("Red.", "Gone.")
    window = start_chat(engine)
    attach(window, tmp_path)
    window.ask_and_wait("What is this?")
    (window.session.store.pictures / digest(RED)).unlink()
    window.ask_and_wait("And now?")
    assert [message["content"] for message in engine.requests[-1].messages] == ["What is this?", "Red.", "And now?"]


@pytest.mark.parametrize("sees", [True, False])
def test_pictures_in_results_reach_a_model_that_sees_and_are_on_the_card(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sees: bool
) -> None:
    monkeypatch.setattr("app.session.session.data_folder", lambda: tmp_path)
    found = ToolPicture(RED, digest(RED), "png", 560, 280)
    host = FakeHost()
    host.offered, host.results = [tool("look")], {"look": ToolResult("[A picture]", pictures=(found,))}
    host.install(monkeypatch)
    scripts = [Script(call_text("clock_look", zone="UTC")), Script("Red."), Script("Yes.")]
    engine = ScriptedEngine(scripts, tool_format="json_tools", pictures=RULES if sees else None)
    window = open_window(engine)
    set_up(window.session, "clock")
    window.ask("Look.")
    window.wait(lambda: bool(asking(window)))
    asking(window)[0].chosen.emit(asking(window)[0].call, "once")
    window.wait_until_answered()
    window.ask_and_wait("Really?")
    results = [one["content"] for request in engine.requests[1:] for one in request.messages if one["role"] == "tool"]
    expected = [part(RED), text("[A picture]")] if sees else "[A picture]"
    assert results == [expected, expected]
    window.settle()
    [button] = window.turn(0).view.findChildren(PictureButton)
    assert button.accessibleName() == "Picture: look.png"


def asking(window: WindowDriver) -> list[CallCard]:
    return [card for card in window.window.findChildren(CallCard) if card.call.state is CallState.ASKS]


def test_on_a_full_disk_one_sentence_says_so_and_the_message_stays(
    start_chat: StartChat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    window = start_chat(seeing())
    window.edit.setPlainText("Look:")
    (tmp_path / "red.png").write_bytes(RED)
    monkeypatch.setattr("app.conversations.pictures.write_atomically", full)
    window.paste(tmp_path / "red.png")
    window.wait(lambda: "The disk is full" in window.banner_text)
    assert (window.unsent, window.attached, window.composer.files.reading) == ("Look:", [], False)

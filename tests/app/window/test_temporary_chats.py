"""A temporary chat is stored nowhere on disk, says so, and is gone ten seconds after another one is shown."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QPushButton

from app.composer.picture_button import PictureButton
from app.sidebar.pane import ChatPane
from app.window.temporary_mark import TemporaryMark
from tests.app.conftest import OpenWindow
from tests.app.conversations.surviving import wait_for
from tests.app.picture_files import RULES, picture
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver, texts

ROOT = Path(__file__).resolve().parents[3]
SECRET = "zanzibar"


def files_with(folder: Path, words: str) -> list[str]:
    """Return the names of the files below a folder that contain the words."""
    found = (path for path in folder.rglob("*") if path.is_file())
    return [path.name for path in found if words.encode() in path.read_bytes()]


def temporary(open_window: OpenWindow, engine: ScriptedEngine | None = None) -> WindowDriver:
    """Return a window with a temporary chat of one turn beside a stored chat."""
    window = open_window(engine or ScriptedEngine([Script("Stored."), Script(f"It is {SECRET}.")]))
    window.ask_and_wait("first")
    window.trigger("new-temporary-chat")
    window.ask_and_wait(f"What is {SECRET}?")
    window.settle()
    return window


def mark(window: WindowDriver) -> TemporaryMark:
    return window.find(TemporaryMark)


def test_it_is_marked_and_stored_nowhere_on_disk(open_window: OpenWindow) -> None:
    window = temporary(open_window)
    assert texts(mark(window)) == ["Temporary chat: it is not saved, and gone when you leave it.", "Keep this chat"]
    assert mark(window).isVisible()
    assert window.find(ChatPane).temporary.isVisible()
    assert window.windowTitle() == "Temporary chat"
    requests = window.session.models.engine.requests
    assert [bool(request.conversation) for request in requests] == [True, False]
    assert window.titles == ["first"]
    assert window.in_store(lambda store: store.search.messages(SECRET)) == []
    assert not any(window.is_enabled(action) for action in ("rename-chat", "pin-chat", "export-chat", "delete-chat"))
    folder = window.session.store.path.parent
    assert files_with(folder, "first")
    assert files_with(folder, SECRET) == []
    window.close()
    assert files_with(folder, SECRET) == []


@pytest.fixture
def no_time_to_undo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.session.chat_service.UNDO_MS", 0)


@pytest.mark.usefixtures("no_time_to_undo")
def test_it_is_gone_when_another_chat_is_shown(open_window: OpenWindow) -> None:
    window = temporary(open_window)
    chat = window.session.chat
    window.open_chat("first")
    window.wait(lambda: not window.session.chats.restorable)
    window.settle()
    assert window.turns == [("first", "Stored.")]
    assert not mark(window).isVisible()
    assert not window.find(ChatPane).temporary.isVisible()
    assert window.windowTitle() == ""
    assert window.notices == []
    assert not window.is_enabled("restore-chat")
    assert window.session.store.of(chat).wait_for(lambda store: store.conversations.uids()) == []
    window.trigger("new-temporary-chat")
    assert window.turns == []
    assert window.unsent == ""


def test_leaving_it_can_be_undone(open_window: OpenWindow) -> None:
    window = temporary(open_window)
    window.write("unsent")
    window.open_chat("first")
    window.settle()
    assert window.notices == ["The temporary chat is deleted in ten seconds."]
    window.press_banner()
    assert (window.turns[-1], window.unsent) == ((f"What is {SECRET}?", f"It is {SECRET}."), "unsent")
    assert mark(window).isVisible()
    assert not window.is_enabled("restore-chat")
    window.ask_and_wait("again")
    assert len(window.turns) == 2


def test_leaving_it_stops_its_answer(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Stored."), Script("one two three four five " * 200)], pace_s=0.01)
    window = open_window(engine)
    window.ask_and_wait("first")
    window.trigger("new-temporary-chat")
    window.ask("count")
    window.wait(lambda: window.shown_text() != "")
    turn = window.session.chat.turns[0]
    window.trigger("new-chat")
    window.wait(lambda: window.session.answers.is_idle)
    assert len(turn.answer.rounds) < 100


def test_its_versions_edits_and_deletions_work_as_in_a_stored_chat(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script("Stored."), Script("One."), Script("Two."), Script("Three.")])
    window = temporary(open_window, engine)
    window.turn().press("again")
    window.wait_until_answered()
    window.settle()
    assert window.turns[-1][1] == "Two."
    window.turn().press("previous")
    window.settle()
    assert window.turns[-1][1] == "One."
    assert window.turn().view.answer_row.button("branch").isHidden()
    window.ask_and_wait("third")
    window.settle()
    window.session.chats.delete_question(window.session.chat, window.session.chat.turns[-1])
    window.settle()
    assert len(window.turns) == 1
    window.press_banner()
    window.settle()
    assert window.turns[-1] == ("third", "Three.")


@pytest.mark.parametrize("way", ["button", "action"])
def test_it_can_be_kept(open_window: OpenWindow, way: str) -> None:
    window = temporary(open_window)
    before, uid = window.turns, window.session.chat.uid
    if way == "action":
        window.trigger("keep-chat")
    else:
        mark(window).findChildren(QPushButton)[0].click()
    window.settle()
    assert window.turns == before
    assert not window.session.chat.temporary
    assert window.notices == []
    assert window.session.chat.uid == uid
    assert not mark(window).isVisible()
    assert len(window.titles) == 2
    assert window.answer().stats.drafted
    assert files_with(window.session.store.path.parent, SECRET)
    window.ask_and_wait("and then?")
    assert window.session.models.engine.requests[-1].conversation == uid


@pytest.mark.usefixtures("no_time_to_undo")
def test_its_pictures_are_gone_with_it(open_window: OpenWindow, tmp_path: Path) -> None:
    red = picture("red")
    engine = ScriptedEngine([Script("Stored."), Script("Red.")], pictures=RULES)
    window = open_window(engine)
    window.ask_and_wait("first")
    window.trigger("new-temporary-chat")
    (tmp_path / "red.png").write_bytes(red)
    window.paste(tmp_path / "red.png")
    window.wait(lambda: "red.png" in window.attached)
    window.ask_and_wait("Which colour?")
    assert engine.requests[-1].pictures
    kept = window.session.store.of(window.session.chat).pictures
    assert len(kept) == 1
    # It is drawn from memory, too.
    (thumbnail,) = window.transcript.findChildren(PictureButton)
    window.wait(lambda: thumbnail.grab().toImage().pixelColor(thumbnail.rect().center()) == QColor("red"))
    window.trigger("new-chat")
    window.wait(lambda: not window.session.chats.restorable)
    window.settle()
    assert len(kept) == 0


@pytest.mark.full
def test_nothing_of_it_is_left_when_the_app_is_killed(tmp_path: Path) -> None:
    red, places = picture("red"), {name: tmp_path / name for name in ("home", "temporary")}
    (tmp_path / "red.png").write_bytes(red)
    (tmp_path / "notes.md").write_text(f"All about {SECRET}.")
    for place in places.values():
        place.mkdir()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("XDG_")}
    environment |= {"HOME": str(places["home"]), "TMPDIR": str(places["temporary"]), "QT_QPA_PLATFORM": "offscreen"}
    files = [str(tmp_path / name) for name in ("red.png", "notes.md")]
    command = [sys.executable, "-m", "tests.app.temporary_victim", f"Where is {SECRET}?", *files]
    log = tmp_path / "log"
    with log.open("wb") as output:
        victim = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=output)
        wait_for(log, b"answered", victim)
        victim.kill()
        victim.wait()
    assert b'"answered": 1' in log.read_bytes()
    # The window did keep something: its settings or its empty store.
    assert any(path.is_file() for path in places["home"].rglob("*"))
    for place in places.values():
        left = {path.name: path.read_bytes() for path in place.rglob("*") if path.is_file()}
        assert [name for name, content in left.items() if red[-60:] in content or SECRET.encode() in content] == []

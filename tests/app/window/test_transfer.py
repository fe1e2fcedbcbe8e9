"""Export and import through the window's own commands."""

from __future__ import annotations

import json
from threading import Event, Timer
from typing import TYPE_CHECKING, Any

import pytest

from app.conversations.opening import open_store
from app.system.paths import data_folder
from app.window.transfer_journal import IMPORT, JournalEntry, TransferJournal
from tests.app.chats_shown import change_store, settle, titles, turns
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window.test_main_window import ask, wait_for_end
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.window.main_window import MainWindow
    from tests.app.conftest import OpenWindow


@pytest.fixture
def window(open_window: OpenWindow, qtbot: QtBot) -> MainWindow:
    window = open_window(ScriptedEngine([Script("An *answer*.")]))
    for question in ("Apples", "Bananas"):
        window._actions["new-chat"].trigger()
        ask(window, question)
        wait_for_end(window, qtbot)
        settle(window, qtbot)
    return window


@pytest.mark.parametrize(
    ("name", "words"), [("a.md", "An *answer*."), ("a.html", "An <em>answer</em>."), ("a.json", "An *answer*.")]
)
def test_a_chat_is_exported_in_the_form_its_file_is_named_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.setattr("app.window.transfer.QFileDialog.getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    window._actions["export-chat"].trigger()
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert name in window._banner.text
    assert words in (tmp_path / name).read_text()


def test_all_chats_go_into_one_file_and_come_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window._transfer.write_all(tmp_path / "all.json")
    settle(window, qtbot)
    assert len(json.loads((tmp_path / "all.json").read_text())["conversations"]) == 2
    for chat in list(window._session.list.chats):
        change_store(window._session, lambda store, chat=chat: store.conversations.purge(chat.id))
    settle(window, qtbot)
    assert titles(window) == []
    window._transfer.read(tmp_path / "all.json")
    qtbot.waitUntil(lambda: sorted(titles(window)) == ["Apples", "Bananas"])
    assert "2 chats imported" in window._banner.text
    window._chats._activated(window._chats.model.index(1))
    qtbot.waitUntil(lambda: len(turns(window)) == 1 and turns(window)[0][1] == "An *answer*.")


def test_a_folder_gets_one_file_a_chat(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window._transfer.write_all(tmp_path / "all.md")
    settle(window, qtbot)
    assert {file.name for file in (tmp_path / "all").iterdir()} == {"Apples.md", "Bananas.md"}


def test_a_file_that_is_no_chat_is_told(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{]")
    window._transfer.read(tmp_path / "no.json")
    settle(window, qtbot)
    assert "0 chats imported" in window._banner.text
    assert "could not be read" in window._banner.text


def history(path: Path, count: int) -> Path:
    """A file with many chats of another app."""
    chats = [
        {"uuid": f"c{number}", "name": f"chat {number}", "chat_messages": [{"uuid": f"m{number}", "sender": "human",
         "text": "hello", "created_at": "2026-01-01T00:00:00Z"}]}
        for number in range(count)
    ]  # fmt: skip
    path.write_text(json.dumps(chats))
    return path


def hold_after(window: MainWindow, monkeypatch: pytest.MonkeyPatch, count: int) -> tuple[Event, Event]:
    """Let an import come to its chat number `count` and wait there: (it is there, let it go on)."""
    there, go_on, seen = Event(), Event(), []
    wait_for = window._session.chats.wait_for

    def slowly(operation: Any) -> Any:
        seen.append(operation)
        if len(seen) == count:
            there.set()
            go_on.wait(PATIENCE_S)
        return wait_for(operation)

    monkeypatch.setattr(window._session.chats, "wait_for", slowly)
    return there, go_on


def test_an_import_says_how_far_it_is_and_can_be_stopped(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 60)
    window._transfer.read(history(tmp_path / "old.json", 100))
    assert "Importing old.json" in window._banner.text
    assert window._actions["stop-transfer"].isEnabled()
    qtbot.waitUntil(there.is_set)
    qtbot.waitUntil(lambda: "50 chats so far" in window._banner.text)
    window._banner._button.click()
    go_on.set()
    qtbot.waitUntil(lambda: "was stopped" in window._banner.text)
    assert not window._actions["stop-transfer"].isEnabled()
    # What came in is whole, and the rest comes with the next import.
    qtbot.waitUntil(lambda: len(titles(window)) == 62)
    window._transfer.read(tmp_path / "old.json")
    qtbot.waitUntil(lambda: "40 chats imported. 60 chats were here already." in window._banner.text)


def test_chats_that_came_in_before_an_import_failed_are_listed(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for, asked = window._session.chats.wait_for, []

    def full_after_ten(operation: Any) -> Any:
        asked.append(operation)
        if len(asked) > 10:
            raise OSError("no space left on device")
        return wait_for(operation)

    monkeypatch.setattr(window._session.chats, "wait_for", full_after_ten)
    window._transfer.read(history(tmp_path / "old.json", 100))
    qtbot.waitUntil(lambda: "no space left" in window._banner.text)
    qtbot.waitUntil(lambda: len(titles(window)) == 12)


def test_closing_the_window_does_not_wait_for_an_import(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 10)
    window._transfer.read(history(tmp_path / "old.json", 100))
    qtbot.waitUntil(there.is_set)
    Timer(0.1, go_on.set).start()
    path = window._session.chats.store_path
    window.close()
    store, _ = open_store(path)
    assert len(store.conversations.view()) == 12
    store.close()


def test_the_next_start_says_that_an_import_was_cut_short(
    window: MainWindow, open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 10)
    window._transfer.read(history(tmp_path / "old.json", 100))
    qtbot.waitUntil(there.is_set)
    Timer(0.1, go_on.set).start()
    window.close()
    again = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: "import of old.json was cut short" in again._banner.text)
    again._transfer.read(tmp_path / "old.json")
    qtbot.waitUntil(lambda: "90 chats imported. 10 chats were here already." in again._banner.text)
    settle(again, qtbot)
    again.close()
    third = open_window(ScriptedEngine())
    settle(third, qtbot)
    assert third._banner.isHidden()


def test_a_kill_in_the_middle_of_an_import_is_told_at_the_next_start(open_window: OpenWindow, qtbot: QtBot) -> None:
    # What a kill leaves: the note of the run that it ended.
    data_folder().mkdir(parents=True, exist_ok=True)
    TransferJournal(data_folder() / "chats.transfers").begin(JournalEntry(IMPORT, "old.json"))
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: "import of old.json was cut short" in window._banner.text)


@pytest.mark.parametrize("content", ["", "{}", "[1]", '[{"kind": 1}]', "[" * 100_000, "\ud800"])
def test_a_damaged_note_of_what_was_cut_short_says_nothing(open_window: OpenWindow, qtbot: QtBot, content: str) -> None:
    data_folder().mkdir(parents=True, exist_ok=True)
    (data_folder() / "chats.transfers").write_text(content, errors="replace")
    window = open_window(ScriptedEngine())
    settle(window, qtbot)
    assert window._banner.isHidden()


def test_closing_the_window_waits_for_an_export_for_a_while_only(
    window: MainWindow, open_window: OpenWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.window.transfer.EXPORT_WITHIN_S", 0.05)
    there, go_on = hold_after(window, monkeypatch, 3)
    window._transfer.write_all(tmp_path / "all.json")
    qtbot.waitUntil(there.is_set)
    Timer(0.5, go_on.set).start()
    window.close()
    assert list(tmp_path.iterdir()) == []
    again = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: "export to all.json was cut short" in again._banner.text)


def test_an_import_says_what_was_left_out_and_what_is_in_the_trash(
    window: MainWindow, qtbot: QtBot, tmp_path: Path
) -> None:
    transfer, session = window._transfer, window._session
    transfer.read(history(tmp_path / "old.json", 2))
    qtbot.waitUntil(lambda: "2 chats imported." in window._banner.text)
    settle(window, qtbot)
    chat = next(chat.id for chat in session.list.chats if chat.title == "chat 1")
    change_store(session, lambda store: store.conversations.trash(chat))
    settle(window, qtbot)
    transfer.read(tmp_path / "old.json")
    expected = "0 chats imported. 1 chat was here already. 1 chat is in the trash and stays there."
    qtbot.waitUntil(lambda: window._banner.text == expected)
    thread = tmp_path / "thread" / "messages.jsonl"
    thread.parent.mkdir()
    content = [{"type": "text", "text": {"value": "hello"}}, {"type": "image"}]
    message = {"object": "thread.message", "id": "m", "role": "user", "content": content, "created_at": 1}
    thread.write_text(json.dumps(message) + '\n{"id": "m2", "ro\n')
    transfer.read(thread)
    expected = "1 chat imported. 1 line of the file could not be read. 1 file, tool call or thought was left out."
    qtbot.waitUntil(lambda: window._banner.text == expected)


def test_what_an_import_adds_to_an_answer_on_screen_is_shown(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    transfer, file = window._transfer, tmp_path / "one.json"
    transfer.write_chat(window._session.chat.id, file)
    settle(window, qtbot)
    data = json.loads(file.read_text())
    (answer,) = (message for message in data["conversations"][0]["messages"] if message["role"] == "assistant")
    answer["content"] += " And more."
    file.write_text(json.dumps(data))
    transfer.read(file)
    qtbot.waitUntil(lambda: turns(window) == [("Bananas", "An *answer*. And more.")])


def test_an_export_that_is_stopped_leaves_no_file(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 3)
    window._transfer.write_all(tmp_path / "all.json")
    qtbot.waitUntil(there.is_set)
    window._actions["stop-transfer"].trigger()
    go_on.set()
    qtbot.waitUntil(lambda: "export was stopped" in window._banner.text)
    assert list(tmp_path.iterdir()) == []


def test_an_attachment_does_not_wait_for_an_import(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 10)
    window._transfer.read(history(tmp_path / "old.json", 100))
    qtbot.waitUntil(there.is_set)
    (tmp_path / "notes.txt").write_text("note")
    window._attachments.attach([str(tmp_path / "notes.txt")], window._composer.files)
    qtbot.waitUntil(lambda: bool(window._composer.files.attachments))
    go_on.set()
    settle(window, qtbot)


def test_an_export_is_finished_when_the_window_closes(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 3)
    window._transfer.write_all(tmp_path / "all.json")
    qtbot.waitUntil(there.is_set)
    Timer(0.1, go_on.set).start()
    window.close()
    assert len(json.loads((tmp_path / "all.json").read_text())["conversations"]) == 2
    assert not list(data_folder().glob("*.transfers*"))

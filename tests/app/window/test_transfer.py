"""Export and import through the window's own commands."""

from __future__ import annotations

import json
from pathlib import Path
from threading import Event, Timer
from typing import Any
from unittest.mock import patch
from zipfile import ZipFile

import pytest
from pypdf import PdfReader
from PySide6.QtCore import Qt
from PySide6.QtGui import QDesktopServices, QFileOpenEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QLabel

from app.widgets.application import Application
from app.window.import_card import ImportCard
from tests.app.conftest import OpenWindow
from tests.app.conversations.foreign_sessions import claude_code_line
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.patience import PATIENCE_S


@pytest.fixture
def empty(open_window: OpenWindow) -> WindowDriver:
    return open_window(ScriptedEngine())


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script("An *answer*.")]))
    for question in ("Apples", "Bananas"):
        window.trigger("new-chat")
        window.ask_and_wait(question)
    return window


def test_a_chat_is_exported_in_the_form_its_file_is_named_for_and_can_be_shown(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: shown.append(url.toLocalFile()))
    for name, words in (("a.md", "An *answer*."), ("a.html", "An <em>answer</em>."), ("a.json", "An *answer*.")):
        window.export_chat(tmp_path / name)
        window.settle()
        assert (window.banner_text, window.banner_button.text()) == (f"Exported to {name}.", "Show in Finder")
        assert words in (tmp_path / name).read_text()
    window.press_banner()
    assert shown == [str(tmp_path)]


def test_a_chat_is_exported_as_pdf(window: WindowDriver, tmp_path: Path) -> None:
    window.export_chat(tmp_path / "a.pdf")
    window.settle()
    assert window.banner_text == "Exported to a.pdf."
    assert {"Bananas", "answer"} <= set(PdfReader(tmp_path / "a.pdf").pages[0].extract_text().split())


def test_a_name_without_a_suffix_of_the_list_gets_the_one_of_the_chosen_format(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for typed, chosen, written in (
        ("R1.pdf", "Markdown (*.md)", "R1.pdf"),
        ("Version 1.5", "HTML (*.html)", "Version 1.5.html"),
    ):
        monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_, t=typed, c=chosen: (str(tmp_path / t), c))
        window.trigger("export-chat")
        window.settle()
        assert (tmp_path / written).exists()


def test_all_chats_in_a_zip_are_one_file_for_its_owner(window: WindowDriver, tmp_path: Path) -> None:
    window.export_all(tmp_path / "all.zip")
    window.settle()
    assert [one.name for one in tmp_path.iterdir()] == ["all.zip"]
    assert (tmp_path / "all.zip").stat().st_mode & 0o777 == 0o600
    with ZipFile(tmp_path / "all.zip") as archive:
        assert sorted(archive.namelist()) == ["Apples.md", "Bananas.md"]


def test_an_export_for_people_names_the_models_as_the_window_does(empty: WindowDriver, tmp_path: Path) -> None:
    empty.session.models.load("models/Qwen3-8B-4bit", "models/Qwen3-0.6B-4bit")
    empty.wait(lambda: not empty.session.models.pair.loading)
    empty.ask_and_wait("Apples")
    for name in ("a.md", "a.html"):
        empty.export_chat(tmp_path / name)
        empty.settle()
        assert "Assistant · Qwen3 8B + Qwen3 0.6B · " in (tmp_path / name).read_text()


def test_all_chats_go_into_one_file_or_a_folder_and_come_back(window: WindowDriver, tmp_path: Path) -> None:
    window.export_all(tmp_path / "all.md")
    window.settle()
    assert {file.name for file in (tmp_path / "all").iterdir()} == {"Apples.md", "Bananas.md"}
    window.export_all(tmp_path / "all.json")
    window.settle()
    assert len(json.loads((tmp_path / "all.json").read_text())["conversations"]) == 2
    for title in window.titles:
        chat = window.chat_id(title)
        window.in_store(lambda store, chat=chat: store.conversations.purge(chat))
    assert window.titles == []
    window.import_chats(tmp_path / "all.json")
    window.wait(lambda: sorted(window.titles) == ["Apples", "Bananas"])
    assert "2 chats imported" in window.banner_text
    window.sidebar.click_row(window.sidebar.model.index(1))
    window.wait(lambda: len(window.turns) == 1 and window.turns[0][1] == "An *answer*.")


def test_files_opened_with_the_app_or_dropped_on_its_icon_go_where_they_belong(
    empty: WindowDriver, qapp: Application, tmp_path: Path
) -> None:
    """Info.plist offers Tandem for files; macOS then sends their paths to the application, one by one."""
    for name in ("notes.txt", "table.csv", "Tiny-Q8_0.GGUF"):
        (tmp_path / name).write_text("text")
    (folder := tmp_path / "chats").mkdir()
    history(folder / "a.json", 4)
    exported = history(tmp_path / "conversations.JSON", 3)
    for file in (tmp_path / "notes.txt", exported, folder, tmp_path / "table.csv", tmp_path / "Tiny-Q8_0.GGUF"):
        qapp.sendEvent(qapp, QFileOpenEvent(str(file)))
    empty.wait(lambda: {"chat 0", "chat 1", "chat 2"} <= {*empty.titles})
    empty.wait(lambda: "1 chat imported. 3 chats were skipped" in empty.banner_text)
    empty.wait(lambda: empty.attached == ["notes.txt", "table.csv"])
    pair = empty.session.models.pair
    assert pair.main is not None
    assert pair.main.path == tmp_path / "Tiny-Q8_0.GGUF"


def history(path: Path, count: int) -> Path:
    """Write a file with `count` chats of another app."""
    chats = [
        {"uuid": f"c{number}", "name": f"chat {number}", "chat_messages": [{"uuid": f"m{number}", "sender": "human",
         "text": "hello", "created_at": "2026-01-01T00:00:00Z"}]}
        for number in range(count)
    ]  # fmt: skip
    path.write_text(json.dumps(chats))
    return path


def hold_after(window: WindowDriver, monkeypatch: pytest.MonkeyPatch, count: int) -> tuple[Event, Event]:
    """Hold an import at its chat number `count`. Return the events (it is there, let it continue)."""
    there, go_on, seen = Event(), Event(), []
    wait_for = window.session.store.wait_for

    def slowly(operation: Any) -> Any:
        seen.append(operation)
        if len(seen) == count:
            there.set()
            go_on.wait(PATIENCE_S)
        return wait_for(operation)

    monkeypatch.setattr(window.session.store, "wait_for", slowly)
    return there, go_on


def test_an_import_says_how_far_it_is_and_can_be_stopped_and_delays_no_attachment(
    empty: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(empty, monkeypatch, 30)
    empty.import_chats(history(tmp_path / "old.json", 35))
    assert "Importing old.json" in empty.banner_text
    assert empty.is_enabled("stop-transfer")
    empty.wait(there.is_set)
    empty.wait(lambda: "25 chats so far" in empty.banner_text)
    (tmp_path / "notes.txt").write_text("note")
    empty.paste(tmp_path / "notes.txt")
    empty.wait(lambda: empty.attached == ["notes.txt"])
    empty.press_banner()
    go_on.set()
    empty.wait(lambda: "was canceled" in empty.banner_text)
    assert not empty.is_enabled("stop-transfer")
    # What came in is complete, and the rest comes with the next import.
    empty.wait(lambda: len(empty.titles) == 30)
    empty.import_chats(tmp_path / "old.json")
    empty.wait(lambda: "5 chats imported. 30 chats were skipped because they already exist." in empty.banner_text)


def test_chats_that_came_in_before_an_import_failed_are_listed(
    empty: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_for, asked = empty.session.store.wait_for, []

    def full_after_ten(operation: Any) -> Any:
        asked.append(operation)
        if len(asked) > 10:
            raise OSError("no space left on device")
        return wait_for(operation)

    monkeypatch.setattr(empty.session.store, "wait_for", full_after_ten)
    empty.import_chats(history(tmp_path / "old.json", 15))
    empty.wait(lambda: "no space left" in empty.banner_text)
    empty.wait(lambda: len(empty.titles) == 10)


def test_an_import_stops_when_the_window_closes_and_the_next_one_adds_the_rest(
    empty: WindowDriver, open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(empty, monkeypatch, 10)
    empty.import_chats(history(tmp_path / "old.json", 15))
    empty.wait(there.is_set)
    Timer(0.1, go_on.set).start()
    empty.close()
    again = open_window(ScriptedEngine())
    again.import_chats(tmp_path / "old.json")
    empty.wait(lambda: "5 chats imported. 10 chats were skipped because they already exist." in again.banner_text)


@pytest.mark.full
def test_closing_the_window_waits_for_an_export_for_a_while_only(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.window.transfer.EXPORT_WITHIN_S", 0.05)
    there, go_on = hold_after(window, monkeypatch, 3)
    window.export_all(tmp_path / "all.json")
    window.wait(there.is_set)
    Timer(0.2, go_on.set).start()
    window.close()
    assert list(tmp_path.iterdir()) == []


def test_an_import_says_how_much_agents_said_to_each_other(empty: WindowDriver, tmp_path: Path) -> None:
    folder = tmp_path / "projects"
    folder.mkdir()
    asked, of_agent = (
        json.dumps(claude_code_line("user", uid, None, "hello", isSidechain=uid == "agent")) for uid in ("own", "agent")
    )
    (folder / "session.jsonl").write_text(f"{asked}\n{of_agent}")
    (folder / "agent-1.jsonl").write_text(of_agent)
    empty.import_chats(folder)
    left_out = "1 chat of one agent with another was left out. 1 message between agents was left out."
    empty.wait(lambda: empty.banner_text == f"1 chat imported. {left_out}")


def test_an_import_says_what_was_left_out_and_what_is_in_the_trash(empty: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{]")
    empty.import_chats(tmp_path / "no.json")
    empty.settle()
    assert "0 chats imported" in empty.banner_text
    assert "could not be read" in empty.banner_text
    empty.import_chats(history(tmp_path / "old.json", 2))
    empty.wait(lambda: "2 chats imported." in empty.banner_text)
    empty.settle()
    empty.sidebar.choose("chat 1", "Delete")
    empty.import_chats(tmp_path / "old.json")
    expected = "0 chats imported. 1 chat was skipped because it already exists. 1 chat is in the trash and stays there."
    empty.wait(lambda: empty.banner_text == expected)
    bare = tmp_path / "bare.json"
    bare.write_text(json.dumps([{"role": "system", "content": "Be brief."}, {"role": "user", "content": ""}]))
    empty.import_chats(bare)
    empty.wait(lambda: empty.banner_text == "0 chats imported. 1 chat has no question or answer and was left out.")
    thread = tmp_path / "thread" / "messages.jsonl"
    thread.parent.mkdir()
    content = [{"type": "text", "text": {"value": "hello"}}, {"type": "image"}]
    message = {"object": "thread.message", "id": "m", "role": "user", "content": content, "created_at": 1}
    critic = {**message, "id": "m1", "role": "critic", "content": content[:1]}
    thread.write_text(f'{json.dumps(message)}\n{json.dumps(critic)}\n{{"id": "m2", "ro\n')
    empty.import_chats(thread)
    left_out = "1 line of the file could not be read. 1 message of neither you nor a model was left out. "
    left_out += "1 file, tool call or reasoning text was left out."
    expected = f"1 chat imported. {left_out}"
    empty.wait(lambda: empty.banner_text == expected)


@pytest.mark.full
def test_what_an_import_adds_to_an_answer_on_screen_is_shown(window: WindowDriver, tmp_path: Path) -> None:
    file = tmp_path / "one.json"
    window.export_chat(file)
    window.settle()
    data = json.loads(file.read_text())
    (answer,) = (message for message in data["conversations"][0]["messages"] if message["role"] == "assistant")
    answer["content"] += " And more."
    file.write_text(json.dumps(data))
    window.import_chats(file)
    window.wait(lambda: window.turns == [("Bananas", "An *answer*. And more.")])


def test_an_export_that_is_stopped_leaves_no_file(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 3)
    window.export_all(tmp_path / "all.json")
    window.wait(there.is_set)
    window.trigger("stop-transfer")
    go_on.set()
    window.wait(lambda: "export was canceled" in window.banner_text)
    assert list(tmp_path.iterdir()) == []


def test_an_export_is_finished_when_the_window_closes(
    window: WindowDriver, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    there, go_on = hold_after(window, monkeypatch, 3)
    window.export_all(tmp_path / "all.json")
    window.wait(there.is_set)
    Timer(0.1, go_on.set).start()
    window.close()
    assert len(json.loads((tmp_path / "all.json").read_text())["conversations"]) == 2


def test_the_card_of_the_import_says_where_exports_come_from_and_takes_files_and_folders(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    window = open_window(ScriptedEngine())
    window.trigger("import-chats")
    card = window.find(ImportCard)
    words = [label.text() for label in card.findChildren(QLabel) if label.isVisibleTo(card)]
    assert {"ChatGPT", "Claude", "Gemini", "LM Studio", "Ollama", "Tandem"} <= set(words)
    assert "takeout.google.com › My Activity › Gemini Apps, as JSON" in words
    assert card.choose_file.hasFocus()
    QTest.keyClick(window.window, Qt.Key.Key_Escape)
    assert not card.isVisible()
    folder = tmp_path / "export"
    folder.mkdir()
    history(folder / "conversations.json", 2)
    with patch.object(window.window.transfer, "read") as read:
        window.import_chats(folder)
        window.import_chats(folder / "conversations.json")
    assert [call.args for call in read.call_args_list] == [(folder,), (folder / "conversations.json",)]
    assert not card.isVisible()

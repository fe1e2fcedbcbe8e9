"""Export and import through the window's own commands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.app.chats_shown import settle, titles, turns
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.test_window import ask, wait_for_end

if TYPE_CHECKING:
    from pathlib import Path

    from pytestqt.qtbot import QtBot

    from app.main_window import MainWindow
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
    ("name", "words"), [("a.md", "An *answer*."), ("a.html", "An *answer*."), ("a.json", "An *answer*.")]
)
def test_a_chat_is_exported_in_the_form_its_file_is_named_for(
    window: MainWindow, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    monkeypatch.setattr("app.transfer.QFileDialog.getSaveFileName", lambda *_: (str(tmp_path / name), ""))
    window._actions["export-chat"].trigger()
    qtbot.waitUntil(lambda: window._banner.isVisible())
    assert name in window._banner.text
    assert words in (tmp_path / name).read_text()


def test_all_chats_go_into_one_file_and_come_back(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window._commands.transfer.write_all(tmp_path / "all.json")
    settle(window, qtbot)
    assert len(json.loads((tmp_path / "all.json").read_text())["conversations"]) == 2
    for chat in list(window._session.keeper.conversations):
        window._session.keeper.do(lambda store, chat=chat: store.conversations.purge(chat.id))
    settle(window, qtbot)
    assert titles(window) == []
    window._commands.transfer.read(tmp_path / "all.json")
    qtbot.waitUntil(lambda: sorted(titles(window)) == ["Apples", "Bananas"])
    assert "2 chats imported" in window._banner.text
    window._chats._activated(window._chats.model.index(1))
    qtbot.waitUntil(lambda: len(turns(window)) == 1 and turns(window)[0][1] == "An *answer*.")


def test_a_folder_gets_one_file_a_chat(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window._commands.transfer.write_all(tmp_path / "all.md")
    settle(window, qtbot)
    assert {file.name for file in (tmp_path / "all").iterdir()} == {"Apples.md", "Bananas.md"}


def test_a_file_that_is_no_chat_is_told(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("{]")
    window._commands.transfer.read(tmp_path / "no.json")
    settle(window, qtbot)
    assert "0 chats imported" in window._banner.text
    assert "could not be read" in window._banner.text

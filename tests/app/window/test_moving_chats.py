"""`move_chats` moves the folder of chats before the store is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.conversations.opening import open_store
from app.settings.store import SettingsStore
from app.system.paths import data_folder
from app.window.startup import move_chats
from app.wording.hub import refused_sentence


def test_the_chats_are_moved_before_anybody_opens_them(tmp_path: Path) -> None:
    data_folder().mkdir(parents=True)
    (data_folder() / "chats.db").write_text("chats")
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(move_chats_to=str(tmp_path / "elsewhere"))
    assert move_chats(settings) is None
    assert (tmp_path / "elsewhere" / "chats.db").read_text() == (data_folder() / "chats.db").read_text() == "chats"
    settings.change(move_chats_to=str(data_folder() / "inside"))
    refused = move_chats(settings)
    assert refused is not None
    assert refused.reason == "inside"
    assert settings.values.move_chats_to == ""
    assert refused_sentence(refused)


@pytest.mark.usefixtures("impatient")
def test_chats_that_another_window_has_open_stay_where_they_are(tmp_path: Path) -> None:
    store, _ = open_store(data_folder() / "chats.db")
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(move_chats_to=str(tmp_path / "elsewhere"))
    refused = move_chats(settings)
    assert refused is not None
    assert "another copy of Tandem is running" in refused_sentence(refused)
    assert not data_folder().is_symlink()
    store.close()
    assert move_chats(settings) is None
    assert (tmp_path / "elsewhere" / "chats.db").exists()

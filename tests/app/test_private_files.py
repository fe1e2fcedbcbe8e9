"""Other users cannot read chats, settings, backups, caches or exports of all chats."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.__main__ import main
from app.agents.codex_catalog import kept_catalog
from app.conversations.backups import back_up_now
from app.conversations.exports.labels import Labels
from app.conversations.exports.writing import write_folder, write_json
from app.conversations.opening import open_store
from app.settings.relocation import move_folder
from app.settings.store import SettingsStore
from app.system.paths import cache_folder, data_folder
from engine.files import private_files


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def open_to_others(folder: Path) -> list[str]:
    return [
        str(path.relative_to(folder.parent))
        for path in (folder, *folder.rglob("*"))
        if stat.S_IMODE(path.stat().st_mode) & 0o077
    ]


def loosen(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def test_chats_and_their_backups_are_private(tmp_path: Path) -> None:
    path = tmp_path / "data" / "chats.db"
    store, _damaged = open_store(path)
    store.conversations.create(title="secret")
    back_up_now(store, path)
    assert open_to_others(path.parent) == []
    store.close()
    loosen(path.parent)
    store, _damaged = open_store(path)
    assert open_to_others(path.parent) == []
    store.close()
    path.write_bytes(b"no database")
    loosen(path.parent)
    store, aside = open_store(path)
    assert aside is not None
    assert open_to_others(path.parent) == []
    store.close()


def test_a_moved_data_folder_is_private(tmp_path: Path) -> None:
    old, new = tmp_path / "data", tmp_path / "disk" / "Tandem chats"
    store, _damaged = open_store(old / "chats.db")
    back_up_now(store, old / "chats.db")
    store.close()
    (old / "empty").mkdir(0o700)
    move_folder(old, new)
    assert open_to_others(new) == []
    (old / "empty").rmdir()
    loosen(new)
    open_store(old / "chats.db")[0].close()
    assert open_to_others(new) == []


def test_the_data_folder_is_private_if_a_file_for_another_program_is_its_first() -> None:
    assert kept_catalog("model") is not None
    assert open_to_others(data_folder()) == []


@pytest.mark.first
def test_settings_are_private(tmp_path: Path) -> None:
    path = tmp_path / "config" / "settings.json"
    SettingsStore(path).change(theme="dark")
    assert open_to_others(path.parent) == []
    loosen(path.parent)
    SettingsStore(path)
    assert open_to_others(path.parent) == []
    path.write_text("[]")
    loosen(path.parent)
    assert SettingsStore(path).backup is not None
    assert open_to_others(path.parent) == []


@pytest.mark.full
@pytest.mark.parametrize("words", [["models", "list"], ["chat", "What is Tandem?"]])
def test_the_cache_folder_is_private_after_a_command(words: list[str]) -> None:
    assert main(words) == 0
    assert any(cache_folder().iterdir())
    assert open_to_others(cache_folder()) == []
    cache_folder().chmod(0o755)
    assert main(words) == 0
    assert open_to_others(cache_folder()) == []


def test_an_export_of_all_chats_is_private_and_one_of_one_is_as_the_person_has_it(tmp_path: Path) -> None:
    store, _damaged = open_store(tmp_path / "chats.db")
    chat = store.conversations.create(title="secret")
    folder = tmp_path / "exported"
    folder.mkdir(0o700)
    write_json(lambda operation: operation(store), [chat], folder / "all.json")
    write_folder(lambda operation: operation(store), [chat], folder, "markdown", Labels())
    assert open_to_others(folder) == []
    write_json(lambda operation: operation(store), [chat], folder / "one.json", private=False)
    assert open_to_others(folder) == ["exported/one.json"]
    store.close()


def test_what_is_for_everybody_on_purpose_stays_so(tmp_path: Path) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    private_files.tighten([shared, tmp_path / "not there"])
    assert stat.S_IMODE(shared.stat().st_mode) == 0o1777
    shutil.rmtree(shared)

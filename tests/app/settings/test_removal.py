"""All data of Tandem is removed, wherever it was moved to, and nothing else."""

from __future__ import annotations

from pathlib import Path

import keyring
import pytest
from keyring.errors import PasswordDeleteError

from app.settings.declarations import SettingsValues
from app.settings.disk_use import clear_caches, remove_everything, remove_unused_caches
from app.settings.relocation import move_folder
from app.settings.store import SettingsStore
from app.system.paths import answer_index_folder, cache_folder, data_folder, prefix_folder, settings_folder
from app.window.startup import remove_all

HUB = "https://huggingface.co"


@pytest.fixture
def tokens(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    kept = {HUB: "hf_one", "https://elsewhere.example": "hf_two", "https://other.example": "hf_three"}

    def delete(service: str, endpoint: str) -> None:
        assert service == "Tandem"
        if kept.pop(endpoint, None) is None:
            raise PasswordDeleteError

    monkeypatch.setattr(keyring, "delete_password", delete)
    return kept


def filled() -> list[Path]:
    folders = [data_folder(), cache_folder(), settings_folder()]
    for folder in folders:
        (folder / "inside").mkdir(parents=True)
        (folder / "inside" / "file").write_text("words")
    return folders


def test_folders_and_tokens_are_gone(tokens: dict[str, str]) -> None:
    folders = filled()
    beside = data_folder().parent / "another app"
    beside.mkdir()
    assert remove_everything([HUB]) == []
    assert not any(folder.exists() for folder in folders)
    assert beside.exists()
    assert HUB not in tokens
    # A second removal finds nothing, which is no error.
    assert remove_everything([HUB]) == []


@pytest.mark.usefixtures("tokens")
def test_chats_that_were_moved_to_another_disk_are_gone_from_there(tmp_path: Path) -> None:
    filled()
    elsewhere = tmp_path / "disk" / "Tandem chats"
    move_folder(data_folder(), elsewhere)
    assert remove_everything([]) == []
    assert not elsewhere.exists()
    assert elsewhere.parent.exists()
    assert not data_folder().is_symlink()


@pytest.mark.usefixtures("tokens")
def test_a_person_s_own_folder_that_a_link_leads_to_loses_only_chats_and_settings(tmp_path: Path) -> None:
    mine = tmp_path / "documents"
    mine.mkdir()
    for name in ("mine.txt", "chats.db", "settings.json"):
        (mine / name).write_text("words")
    folders = [data_folder(), cache_folder(), settings_folder()]
    for folder in folders:
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.symlink_to(mine)
    clear_caches()
    assert len(list(mine.iterdir())) == 3
    assert set(remove_everything([])) == set(folders)
    assert [path.name for path in mine.iterdir()] == ["mine.txt"]


def test_the_chosen_hubs_token_and_all_other_secrets_go_too(tokens: dict[str, str]) -> None:
    tokens |= {"tools/files": "secret", "local-api": "key"}
    data_folder().mkdir(parents=True)
    (data_folder() / "tools.json").write_text(
        '{"servers": [{"name": "files", "command": "npx", "values": {"KEY": ""}}]}'
    )
    settings = SettingsStore(settings_folder() / "settings.json")
    settings.change(hub_endpoint="https://elsewhere.example")
    remove_all(settings)
    assert tokens == {"https://other.example": "hf_three"}


def test_a_start_removes_what_was_switched_off_and_could_not_be_removed_then() -> None:
    for folder in (prefix_folder(), answer_index_folder()):
        folder.mkdir(parents=True)
        (folder / "file").write_text("words")
    remove_unused_caches(SettingsValues())
    assert prefix_folder().exists()
    remove_unused_caches(SettingsValues(keep_prefixes=False))
    assert [prefix_folder().exists(), answer_index_folder().exists()] == [False, True]
    remove_unused_caches(SettingsValues(keep_prefixes=False, earlier_chats=False))
    assert not answer_index_folder().exists()


@pytest.mark.expects_log
@pytest.mark.usefixtures("tokens")
def test_what_cannot_be_removed_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    filled()
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)
    remove_all(SettingsStore(settings_folder() / "settings.json"))
    assert f"{data_folder()} could not be removed completely" in capsys.readouterr().err

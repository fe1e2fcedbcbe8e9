"""The page of storage: sizes, clearing, backing up and moving."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.settings import disk_use
from app.system.paths import cache_folder, data_folder
from tests.app.conftest import OpenShown


def test_storage_shows_sizes_and_clears_the_caches(open_shown: OpenShown, own_home: Path, qtbot: Any) -> None:
    folder = cache_folder() / "hub"
    folder.mkdir(parents=True)
    (folder / "small").write_bytes(b"x" * 5000)
    window, _, _ = open_shown()
    storage = window.settings_page("storage")
    assert own_home in cache_folder().parents
    assert storage.folders["caches"].help.text().endswith("· 5\u00a0kB")
    storage.clear.click()
    qtbot.waitUntil(lambda: not folder.exists())
    assert storage.folders["caches"].help.text().endswith("· 0\u00a0bytes")


def test_chats_are_backed_up_on_demand(open_shown: OpenShown, qtbot: Any) -> None:
    window, _, _ = open_shown()
    qtbot.waitUntil(lambda: window.session.chats.store_ready)
    storage = window.settings_page("storage")
    storage.retranslate()
    storage.back_up.click()
    qtbot.waitUntil(lambda: "backed up" in storage.outcome.text())
    [backup] = (data_folder() / "backups").iterdir()
    assert str(backup) in storage.outcome.text()


def test_models_move_at_once_and_chats_at_the_next_start(
    open_shown: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "hub"
    models.mkdir()
    (models / "file").write_text("weights")
    monkeypatch.setattr(disk_use, "model_folder", lambda: models)
    window, library, _ = open_shown()
    storage = window.settings_page("storage")
    storage.move_to("models", tmp_path / "disk" / "Tandem models")
    assert (models / "file").read_text() == "weights"
    assert models.resolve() == tmp_path / "disk" / "Tandem models"
    assert "Every file was compared" in storage.outcome.text()
    storage.move_to("models", data_folder())
    assert "holds something already" in storage.outcome.text()
    storage.move_to("chats", tmp_path / "chats")
    assert library.settings.values.move_chats_to == str(tmp_path / "chats")
    assert "next time" in storage.outcome.text()

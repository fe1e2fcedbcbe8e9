"""The page of storage: sizes, clearing, backups, moving and removal."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from app.conversations.database.errors import BackupNotUsable
from app.settings import disk_use
from app.settings.store import SettingsStore
from app.system.paths import cache_folder, data_folder, prefix_folder
from app.window.notifications import Notifications
from app.window.startup import restore_chats
from tests.app.conftest import OpenShown, OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import FULL, PLAIN, Script
from tests.app.shown_library import DRAFT, MAIN, bare, path_of


@pytest.mark.parametrize("folder_of", [lambda: cache_folder() / "hub", prefix_folder], ids=["hub", "prefixes"])
def test_storage_shows_sizes_and_clears_the_caches(
    open_settings: OpenShown, own_home: Path, qtbot: Any, monkeypatch: pytest.MonkeyPatch, folder_of: Callable[[], Path]
) -> None:
    folder = folder_of()
    folder.mkdir(parents=True)
    (folder / "small").write_bytes(b"x" * 5000)
    window, _, engine = open_settings()
    clear = Mock(wraps=engine.clear_prefix_cache)
    monkeypatch.setattr(engine, "clear_prefix_cache", clear)
    storage = window.settings_page("storage")
    assert own_home in cache_folder().parents
    assert storage.folders["caches"].help.text().endswith("· 5\u00a0kB")
    storage.clear.click()
    qtbot.waitUntil(lambda: not folder.exists())
    qtbot.waitUntil(lambda: storage.folders["caches"].help.text().endswith("· 0\u00a0bytes"))
    clear.assert_called_once()
    assert not storage.clear.isEnabled()


def test_what_the_system_refuses_to_list_is_not_called_empty(
    open_settings: OpenShown, qtbot: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    models, inside = tmp_path / "models", cache_folder() / "inside"
    inside.mkdir(parents=True)
    (cache_folder() / "file").write_bytes(b"x" * 5000)
    refused = PermissionError(errno.EACCES, "Permission denied")
    scandir = os.scandir

    def scan(folder: Any) -> Any:
        if folder in (models, inside):
            raise refused
        return scandir(folder)

    monkeypatch.setattr(os, "scandir", scan)
    monkeypatch.setattr(disk_use, "model_folder", lambda: models)
    monkeypatch.setattr("app.settings_window.backup_controls.list_backups", Mock(side_effect=refused))
    window, _, _ = open_settings()
    storage = window.settings_page("storage")
    qtbot.waitUntil(lambda: storage.folders["models"].help.text().endswith("models · cannot be read"))
    assert storage.folders["caches"].help.text().endswith("· at least 5\u00a0kB, parts cannot be read")
    storage.removal.go_on.click()
    assert "caches (at least 5\u00a0kB, parts cannot be read)" in storage.removal.question.text()
    row = next(row for row in storage.rows if row.name.text() == "Backups")
    words = "The backups cannot be read. Check the permissions of their folder."
    qtbot.waitUntil(lambda: row.help.text() == words)
    assert choices(storage) == [words]


def test_a_speed_up_that_was_cleared_with_the_caches_is_shown_nowhere(open_shown: OpenShown, qtbot: Any) -> None:
    window, library, _ = open_shown()
    window.session.history.add_comparison(MAIN, DRAFT, 2.0)
    qtbot.waitUntil(lambda: bool(library.measured_with(path_of(MAIN))))
    drafts = window.picker("draft")
    drafts.open()
    assert "2.0× as fast" in drafts.rows[0]
    drafts.close()
    storage = window.settings_page("storage")
    qtbot.waitUntil(storage.clear.isEnabled)
    storage.clear.click()
    qtbot.waitUntil(lambda: not library.measured_with(path_of(MAIN)))
    drafts.open()
    assert "×" not in drafts.rows[0]


def test_an_open_card_of_a_comparison_forgets_a_speed_up_that_was_cleared(open_shown: OpenShown, qtbot: Any) -> None:
    window, _, engine = open_shown(bare(), ("starter/main", "starter/draft"))
    text = "one two three four five six seven eight nine ten"
    engine.scripts[:] = [Script("one"), *[Script(text), Script(text, (PLAIN,))] * 2]
    qtbot.waitUntil(lambda: window.session.answers.ready)
    window.comparer.demonstrate("Count to ten.")
    card = window.comparison
    card.open()
    qtbot.waitUntil(lambda: "× as fast, same text" in card.gain.text())
    pair = window.comparer.comparison.pair
    qtbot.waitUntil(lambda: window.session.history.speedup_of(*pair) is not None)
    storage = window.settings_page("storage")
    qtbot.waitUntil(storage.clear.isEnabled)
    storage.clear.click()
    qtbot.waitUntil(lambda: window.session.history.speedup_of(*pair) is None)
    assert not card.gain.text()
    assert "all 10 tokens match" in card.verdict.text()
    assert "×" not in card.verdict.text()


@pytest.mark.full
def test_a_card_whose_comparisons_were_cleared_tells_what_the_answers_have_shown(
    open_shown: OpenShown, qtbot: Any
) -> None:
    window, _, engine = open_shown()
    text = " ".join(f"word{number}" for number in range(30))
    engine.scripts[:] = [Script(text)]
    window.ask_and_wait("Count.")
    answered = window.answer().stats.speedup
    engine.scripts[:] = [Script("one"), *[Script(text, (FULL,)), Script(text, (PLAIN,))] * 2]
    qtbot.waitUntil(lambda: window.is_enabled("compare"))
    window.trigger("compare")
    card = window.comparison
    qtbot.waitUntil(lambda: card.gain.text() == "About 5× as fast, same text")
    storage = window.settings_page("storage")
    qtbot.waitUntil(storage.clear.isEnabled)
    storage.clear.click()
    said = "This answer gained another amount than most: on this Mac, these models are"
    qtbot.waitUntil(lambda: card.verdict.text().startswith(f"{said} {answered:.1f}× as fast."))
    assert not card.gain.isVisible()


def choices(storage: Any) -> list[str]:
    return [action.text() for action in storage.backups.choices.actions() if not action.isSeparator()]


def test_a_backup_is_made_chosen_for_the_next_start_and_deleted_after_a_question(
    open_settings: OpenShown, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, library, _ = open_settings()
    turn = window.session.answers.ask("What was said?")
    qtbot.waitUntil(lambda: turn.answer.ended)
    window.settle()
    storage = window.settings_page("storage")
    storage.retranslate()
    row = next(row for row in storage.rows if row.name.text() == "Backups")
    delete = storage.backups.delete
    assert "every day" in row.help.text()
    assert not delete.isEnabled()
    qtbot.waitUntil(lambda: "no backup yet" in choices(storage)[0])
    with monkeypatch.context() as patch:
        full = OSError(errno.ENOSPC, "No space left on device")
        patch.setattr("app.settings_window.backup_controls.back_up_now", Mock(side_effect=full))
        storage.backups.back_up.click()
        qtbot.waitUntil(lambda: "Check whether there is free space" in storage.outcome.text())
    storage.backups.back_up.click()
    qtbot.waitUntil(lambda: "were backed up" in storage.outcome.text())
    [backup] = (data_folder() / "backups").iterdir()
    assert str(backup) in storage.outcome.text()
    qtbot.waitUntil(lambda: choices(storage)[0].endswith("· 1 chat"))
    storage.backups.choices.actions()[0].trigger()
    assert library.settings.values.restore_backup == backup.name
    assert "next time you open Tandem" in storage.outcome.text()
    qtbot.waitUntil(lambda: "Don't restore" in choices(storage))
    storage.backups.choices.actions()[-1].trigger()
    assert library.settings.values.restore_backup == ""
    assert "stay as they are" in storage.outcome.text()
    assert "deleted since then stay in it" in row.help.text()
    delete.click()
    assert delete.text() == "Delete 1 backup?"
    delete.clearFocus()
    assert delete.text() == "Delete all…"
    delete.click()
    assert list((data_folder() / "backups").iterdir())
    with monkeypatch.context() as patch:
        patch.setattr("app.settings_window.backup_controls.delete_backups", Mock(side_effect=full))
        delete.click()
        qtbot.waitUntil(lambda: "Some backups could not be deleted" in storage.outcome.text())
    delete.click()
    delete.click()
    qtbot.waitUntil(lambda: storage.outcome.text() == "All backups were deleted.")
    assert not list((data_folder() / "backups").iterdir())
    qtbot.waitUntil(lambda: "every day" in row.help.text())


def test_the_chosen_backup_is_there_at_the_next_start(
    open_shown: OpenShown, open_window: OpenWindow, qtbot: Any
) -> None:
    window, library, _ = open_shown()
    window.ask_and_wait("The first question")
    storage = window.settings_page("storage")
    storage.backups.back_up.click()
    qtbot.waitUntil(lambda: "backed up" in storage.outcome.text())
    window.trigger("new-chat")
    window.ask_and_wait("The second question")
    qtbot.waitUntil(lambda: choices(storage)[0].endswith("· 1 chat"))
    storage.backups.choices.actions()[0].trigger()
    window.close()
    kept = restore_chats(library.settings)
    assert isinstance(kept, Path)
    assert library.settings.values.restore_backup == ""
    again = open_window(ScriptedEngine([Script("Hello.")]))
    again.settle()
    assert again.titles == ["The first question"]
    again.find(Notifications).show_restored(kept)
    assert str(kept) in again.banner_text
    storage = again.settings_page("storage")
    # The replaced chats can be restored in the same way.
    qtbot.waitUntil(lambda: len(choices(storage)) == 2)
    assert sorted(text.rpartition("· ")[2] for text in choices(storage)) == ["1 chat", "2 chats"]


def test_a_backup_that_is_gone_changes_nothing(tmp_path: Path) -> None:
    settings = SettingsStore(tmp_path / "settings.json")
    settings.change(restore_backup="../elsewhere.db")
    assert isinstance(restore_chats(settings), BackupNotUsable)
    assert settings.values.restore_backup == ""
    assert restore_chats(settings) is None


def test_models_move_at_once_and_chats_at_the_next_start(
    open_settings: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = tmp_path / "hub"
    models.mkdir()
    (models / "file").write_text("weights")
    monkeypatch.setattr(disk_use, "model_folder", lambda: models)
    window, library, _ = open_settings()
    storage = window.settings_page("storage")
    storage.move_to("models", tmp_path / "disk" / "Tandem models")
    assert (models / "file").read_text() == "weights"
    assert models.resolve() == tmp_path / "disk" / "Tandem models"
    assert "All files were verified" in storage.outcome.text()
    storage.move_to("models", data_folder())
    assert "that folder is not empty" in storage.outcome.text()
    storage.move_to("chats", tmp_path / "chats")
    assert library.settings.values.move_chats_to == str(tmp_path / "chats")
    assert "next time" in storage.outcome.text()


def test_everything_is_removed_after_two_questions(
    open_settings: OpenShown, qtbot: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quits: list[bool] = []
    monkeypatch.setattr("PySide6.QtCore.QCoreApplication.quit", lambda *_: quits.append(True))
    window, library, _ = open_settings()
    controls = window.settings_page("storage").removal
    qtbot.waitUntil(lambda: "bytes" in window.settings_page("storage").folders["settings"].help.text())
    controls.go_on.click()
    assert controls.question.isVisible()
    assert "deletes all chats and their backups" in controls.question.text()
    controls.cancel.click()
    assert not controls.question.isVisible()
    controls.go_on.click()
    controls.go_on.click()
    assert "can't undo" in controls.question.text()
    assert not library.settings.values.remove_everything
    assert not quits
    controls.go_on.click()
    assert library.settings.values.remove_everything
    assert quits

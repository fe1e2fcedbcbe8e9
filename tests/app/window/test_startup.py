"""The pair that was used last comes back; the starter takes its place when it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.settings.store import SettingsStore
from app.widgets.application import Application
from app.window import startup as app_window
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine


@pytest.fixture
def preferences(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.json")


def loaded_at_start(
    preferences: SettingsStore, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """Open the window and close it again; the names of what was loaded."""
    monkeypatch.setattr(app_window, "Engine", ScriptedEngine)
    monkeypatch.setattr(app_window, "starter_pair", lambda: STARTER)
    monkeypatch.setattr("app.library.library.Library.start", lambda _: None)
    window, session = app_window.open_window(qapp, preferences)
    qtbot.waitUntil(lambda: session.models.pair.main is not None and not session.models.pair.loading)
    names = (str(session.models.pair.main.path), str(session.models.pair.draft.path))
    window.close()
    window.deleteLater()
    return names


def test_the_last_pair_is_loaded_again_while_it_is_there(
    preferences: SettingsStore, tmp_path: Path, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    main = tmp_path / "main"
    main.mkdir()
    (main / "config.json").write_text("{}")
    preferences.change(main_model=str(main), draft_model="draft")
    assert loaded_at_start(preferences, qapp, qtbot, monkeypatch) == (str(main), "draft")
    (main / "config.json").unlink()
    assert loaded_at_start(preferences, qapp, qtbot, monkeypatch) == tuple(map(str, STARTER))
    assert preferences.values.main_model == ""


def test_the_starter_is_loaded_at_every_start_if_the_user_wants_that(
    preferences: SettingsStore, tmp_path: Path, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text("{}")
    preferences.change(main_model=str(tmp_path), draft_model="draft", start_with="starter")
    assert loaded_at_start(preferences, qapp, qtbot, monkeypatch) == tuple(map(str, STARTER))

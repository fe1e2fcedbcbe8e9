"""The start: the pair that was used last comes back, else the starter; nothing is loaded that can wait."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.session.model_service import Pair
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
    # Its imports would hold up those of the engine.
    monkeypatch.setattr("app.library.library.Library.start", lambda _: library_met.append(session.models.pair))
    library_met: list[Pair] = []
    window, session = app_window.open_window(qapp, preferences)
    qtbot.waitUntil(lambda: session.models.pair.main is not None and not session.models.pair.loading)
    assert all(pair.main is not None and not pair.loading for pair in library_met)
    assert library_met
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


def test_the_start_loads_no_http_client_no_page_of_the_settings_and_no_reader_of_imports() -> None:
    late = "mlx httpx2 engine.hub.client app.settings_window.pages app.models.page app.conversations.imports.reading"
    script = f"import sys, app.window.startup; sys.exit(', '.join(n for n in {late.split()} if n in sys.modules) or 0)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")

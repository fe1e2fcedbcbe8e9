"""The start loads the pair that was used last, or the starter, and delays everything that can wait."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.session.model_service import Pair
from app.settings.store import SettingsStore
from app.settings_window.dialog import SettingsWindow
from app.widgets.application import Application
from app.widgets.overlay import Overlay
from app.window import startup as app_window
from engine.status import EngineStatus
from engine.tokenizers.prompt_process import PromptProcess
from tests.app.conftest import STARTER
from tests.app.scripted_engine import ScriptedEngine
from tests.app.window_driver import WindowDriver


@pytest.fixture
def preferences(tmp_path: Path) -> SettingsStore:
    return SettingsStore(tmp_path / "settings.json")


@pytest.fixture(autouse=True)
def scripted_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the app start on a scripted engine, without a library."""
    monkeypatch.setattr(app_window, "Engine", ScriptedEngine)
    monkeypatch.setattr(app_window, "starter_pair", lambda: STARTER)
    monkeypatch.setattr("app.library.library.Library.start", lambda _: None)


def loaded_at_start(
    preferences: SettingsStore, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, str]:
    """Open the window and close it again. Return the paths of the loaded models."""
    started: list[PromptProcess] = []
    monkeypatch.setattr(PromptProcess, "start", lambda process: started.append(process))
    # The library's imports would delay those of the engine.
    monkeypatch.setattr("app.library.library.Library.start", lambda _: library_met.append(session.models.pair))
    library_met: list[Pair] = []
    window, session = app_window.open_window(qapp, preferences)
    qtbot.waitUntil(lambda: session.models.pair.main is not None and not session.models.pair.loading)
    qtbot.waitUntil(lambda: bool(library_met))
    assert all(pair.main is not None and not pair.loading for pair in library_met)
    names = (str(session.models.pair.main.path), str(session.models.pair.draft.path))
    # A stranger's tokenizer needs a process, which starts while the engine is imported.
    qtbot.waitUntil(lambda: bool(started) == (names[0] != str(STARTER[0])))
    window.close()
    window.deleteLater()
    return names


def test_the_last_pair_is_loaded_again_while_it_is_there(
    preferences: SettingsStore, tmp_path: Path, qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    main, starter = tmp_path / "main", tuple(map(str, STARTER))
    main.mkdir()
    (main / "config.json").write_text("{}")
    preferences.change(main_model=str(main), draft_model="draft")
    assert loaded_at_start(preferences, qapp, qtbot, monkeypatch) == (str(main), "draft")
    (main / "config.json").unlink()
    assert loaded_at_start(preferences, qapp, qtbot, monkeypatch) == starter
    assert preferences.values.main_model == ""


@pytest.mark.parametrize("chosen", ["head", pytest.param(None, marks=pytest.mark.full)])
def test_the_draft_chosen_for_the_starter_is_there_at_the_next_start(
    chosen: str | None,
    preferences: SettingsStore,
    tmp_path: Path,
    qapp: Application,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starter = (tmp_path / "main", tmp_path / "draft")
    for folder in starter:
        folder.mkdir()
        (folder / "config.json").write_text("{}")
    monkeypatch.setattr(app_window, "starter_pair", lambda: starter)
    loaded: list[str | None] = []
    for draft in (chosen, str(starter[1])):
        window, session = app_window.open_window(qapp, preferences)
        models = session.models
        qtbot.waitUntil(lambda: models.pair.main is not None and not models.pair.loading)  # noqa: B023
        loaded.append(models.pair.draft and str(models.pair.draft.path))
        models.set_draft(draft)
        qtbot.waitUntil(lambda: not models.pair.loading)  # noqa: B023
        window.close()
        window.deleteLater()
    assert loaded == [str(starter[1]), chosen]


class Noted(QObject):
    """Records what happens to a window, in order."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.found: list[str] = []
        window.installEventFilter(self)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.found.append("painted")
        return False


@pytest.mark.full
@pytest.mark.parametrize("shown", [True, False])
def test_models_are_loaded_once_the_window_was_painted_or_if_it_is_hidden(
    shown: bool, qapp: Application, qtbot: QtBot
) -> None:
    window, session = app_window.open_window(qapp)
    # The first paint already shows that models are being loaded.
    assert session.models.pair.loading == "main"
    assert not session.models.made
    noted = Noted(window)
    session.models.changed.connect(lambda: noted.found.append("loads"))
    window.setVisible(shown)
    qtbot.waitUntil(lambda: session.models.pair.main is not None)
    assert noted.found[0] == ("painted" if shown else "loads")


def test_the_start_asks_for_an_update_that_the_installed_mlx_needs(
    qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_window, "needs_newer_macos", lambda: True)
    window, session = app_window.open_window(qapp)
    driver = WindowDriver(window, session, qtbot.waitUntil)
    qtbot.waitUntil(lambda: "Update to macOS 26.2 or newer" in driver.banner_text)


def test_the_start_names_the_command_that_gives_an_m5_its_kernels(
    qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app_window, "lacks_accelerator_kernels", lambda chip: bool(chip))
    window, session = app_window.open_window(qapp)
    driver = WindowDriver(window, session, qtbot.waitUntil)
    qtbot.waitUntil(lambda: "SYSTEM_VERSION_COMPAT=0 .venv/bin/pip install" in driver.banner_text)


def test_what_nobody_sees_yet_is_made_after_the_first_paint(qapp: Application) -> None:
    window, _ = app_window.open_window(qapp)
    cards = (*window.findChildren(Overlay), window.findChild(SettingsWindow))
    assert len(cards) == 14
    assert not [card for card in cards if card.findChildren(QWidget)]


def test_what_the_first_answer_needs_is_made_once_the_engine_has_its_imports(
    qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers: Future[EngineStatus] = Future()
    status = ScriptedEngine.status
    monkeypatch.setattr(ScriptedEngine, "status", lambda _: answers)
    made: list[bool] = []
    monkeypatch.setattr(app_window, "prepare_answers", lambda: made.append(True))
    _window, session = app_window.open_window(qapp)
    qtbot.waitUntil(lambda: session.models.pair.main is not None)
    assert not made
    answers.set_result(status(session.models.engine).result())
    qtbot.waitUntil(lambda: made == [True])


def test_a_model_that_was_opened_with_the_app_is_loaded_instead_of_the_last_pair(
    qapp: Application, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[bool] = []
    monkeypatch.setattr(app_window, "prepare_answers", lambda: made.append(True))
    _window, session = app_window.open_window(qapp)
    # macOS sends the file once the event loop runs, which may be before the first paint.
    qapp.document_opened.emit("/own/Tiny-Q8_0.gguf")
    qtbot.waitUntil(lambda: made == [True] and session.models.pair.main is not None)
    qtbot.waitUntil(lambda: not session.models.pair.loading)
    assert session.models.pair.main.path == Path("/own/Tiny-Q8_0.gguf")


# Modules that must not be imported before the first paint.
LATE = (
    *("mlx", "mlx_lm", "transformers", "tokenizers", "numpy", "psutil", "importlib.metadata"),
    *("huggingface_hub", "httpx2", "engine.hub.client"),
    *("markdown_it", "pygments", "uvicorn", "cryptography"),
    *("engine.serving.scheduler", "engine.heads.folder", "engine.heads.config", "engine.sandbox.process"),
    *(
        "app.transcript.turn_view",
        "app.transcript.prose",
        "app.window.chat_parts.printing",
        "app.text.formulas",
        "app.text.blocks",
    ),
    *("app.library.entries", "app.library.model_choices", "engine.advice.pairing", "engine.model_files.inspection"),
    *("app.settings_window.pages", "app.models.page", "app.conversations.imports.reading", "app.library.hub_service"),
    *("PySide6.QtNetwork", "PySide6.QtPrintSupport", "PySide6.QtMultimedia", "PySide6.QtTest"),
)
PAINT = """
import sys
from pathlib import Path
import app.__main__
app.__main__._window = lambda _: 0
app.__main__.main([])
import app.window.startup
from app.settings.store import SettingsStore
from app.widgets.application import Application
folder = Path(sys.argv[1])
window, session = app.window.startup.open_window(
    Application(["tandem"], "en"), SettingsStore(folder / "settings.json"), folder / "chats.db"
)
window.repaint()
found = ", ".join(name for name in sys.argv[2:] if name in sys.modules)
window.close()
sys.exit(found or 0)
"""


def test_what_can_wait_is_not_imported_before_the_first_paint(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PAINT, str(tmp_path), *LATE]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, "")

"""A window on a scripted engine, brought into a state and saved as a picture."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import mkdtemp

from PySide6.QtCore import QDeadlineTimer, QEvent
from PySide6.QtWidgets import QWidget

from app.library.library import Library
from app.session.session import Session
from app.settings.store import SettingsStore
from app.system.language import Language
from app.widgets.application import Application
from app.window.main_window import MainWindow
from engine.status import LoadedPair
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script
from tests.app.shown_library import ShownLibrary
from tests.app.window_driver import WindowDriver

# The window of a Mac is shown, whatever takes the pictures.
Language.of_mac = True
SIZES = ((1440, 900), (900, 600), (560, 420))
# What models in the pictures take in memory.
_BYTES = {"Qwen3-8B-4bit": 4_600_000_000, "Qwen3-0.6B-4bit": 340_000_000}
_THREADS = ("formulas", "highlight")


def opened(
    application: Application,
    scripts: list[Script] | ScriptedEngine,
    loads: list | None = None,
    library: ShownLibrary | None = None,
    pair: tuple[str, str] = ("models/Qwen3-8B-4bit", "models/Qwen3-0.6B-4bit"),
) -> tuple[WindowDriver, Session]:
    engine = scripts if isinstance(scripts, ScriptedEngine) else ScriptedEngine(scripts, loads=loads or [_loaded(pair)])
    home = Path(mkdtemp(prefix="tandem-pictures-"))
    session = Session(lambda: engine, (Path("starter/main"), Path("starter/draft")), home / "chats.db")
    # The pictures must not show the settings of the person who takes them.
    window = MainWindow(session, application, library or Library(SettingsStore(home / "settings.json")))
    window.resize(*SIZES[0])
    window.show()
    session.models.load(*pair)
    settle(application, lambda: not session.models.pair.loading and session.store.ready and not session.busy)
    return WindowDriver(window, session, partial(settle, application)), session


def _loaded(pair: tuple[str, str]) -> LoadedPair:
    """Return a loaded pair with the sizes that the library says, which the pictures must not contradict."""
    main, draft = (replace(info, bytes=_BYTES.get(info.name, info.bytes)) for info in map(model_info, pair))
    return LoadedPair(main, draft)


def settle(application: Application, ready) -> None:
    deadline = QDeadlineTimer(10_000)
    while not ready() and not deadline.hasExpired():
        application.processEvents()


def rest(application: Application) -> None:
    """Wait until code is coloured and formulas are set, on threads that end with their work."""
    least = QDeadlineTimer(400)
    settle(application, lambda: least.hasExpired() and not any(one.name in _THREADS for one in threading.enumerate()))


def save(application: Application, shown: WindowDriver | QWidget, path: Path) -> None:
    for _ in range(5):
        application.processEvents()
    # Only a running event loop deletes widgets that were shown before.
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    widget = shown.window if isinstance(shown, WindowDriver) else shown
    widget.grab().save(str(path))


def save_each_size(application: Application, window: WindowDriver, folder: Path, name: str) -> None:
    """Save the window in each of `SIZES`; the files are named after the width, too."""
    for width, height in SIZES:
        window.resize(width, height)
        save(application, window, folder / f"{name}-{width}.png")

"""Fixtures for tests of the window: one application, and a check that each test leaves no thread, timer or widget."""

from __future__ import annotations

import gc
import runpy
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.system.language import LANGUAGES
from app.widgets import outside
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.library.inventory import Inventory
    from app.session.session import Session
    from app.widgets.application import Application
    from tests.app.scripted_engine import ScriptedEngine
    from tests.app.shown_library import ShownLibrary
    from tests.app.system.cocoa import Cocoa
    from tests.app.window_driver import WindowDriver

W = TypeVar("W", bound=QWidget)
Show = Callable[..., W]
PATIENCE_MS = round(1000 * PATIENCE_S)
STARTER = (Path("starter/main"), Path("starter/draft"))
# Milliseconds between two looks at something, or after the last letter.
PAUSES = (
    "composer.answer_format._CHECK_AFTER_MS",
    "composer.context_meter._PAUSE_MS",
    "composer.context_meter._GROWTH_MS",
    "library.hub_search._PAUSE_MS",
    "library.library._POLL_MS",
    "library.library._WAITING_POLL_MS",
    "session.api_service._REFRESH_MS",
    "session.teaching_service._LOOK_MS",
    "speculation.panel._FIGURES_MS",
    "speculation.panel._STRIP_MS",
    "window.folder_page._PAUSE_MS",
    "window.header._PROGRESS_MS",
    "window.startup._LIBRARY_FOLLOWS_MS",
)
# Parameters of tests that hold in every language. The texts of `test_pseudo_language.py` are the longest.
EACH_LANGUAGE = [pytest.param(code, marks=() if code == "ko" else pytest.mark.full) for code in LANGUAGES]


@pytest.fixture(scope="session")
def qapp_cls() -> type[QApplication]:
    from app.system.language import Language
    from app.widgets.application import Application

    # Tests expect the words of a Mac on Linux, too.
    Language.of_mac = True
    return Application


@pytest.fixture(scope="session")
def qapp_args() -> list[str]:
    return ["tandem"]


@pytest.fixture(scope="session", autouse=True)
def current_translations() -> None:
    """Compile the translations of a checkout that was not built, or not since they were changed."""
    runpy.run_path(str(Path(__file__).resolve().parents[2] / "i18n" / "compile.py"))["compile_translations"]()


@pytest.fixture
def show(qtbot: QtBot) -> Show[W]:
    """Shows a widget in a size, and deletes it after the test."""

    def show(widget: W, width: int = 600, height: int = 400) -> W:
        qtbot.addWidget(widget)
        widget.resize(width, height)
        widget.show()
        return widget

    return show


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give up at once a store that another process has open."""
    monkeypatch.setattr("app.conversations.database.database.LOCK_TIMEOUT_S", 0.01)


@pytest.fixture(autouse=True)
def no_other_accounts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Find nobody else on this computer: with other accounts, the local API needs a key."""
    monkeypatch.setattr("app.system.accounts._HOMES", Path("no homes"))


@pytest.fixture(scope="package")
def patient_waits() -> Iterator[None]:
    """Wait long enough for a busy machine, and show notices as long, so that timing never decides a test."""
    until, signal, wait = QtBot.waitUntil, QtBot.waitSignal, QtBot.wait

    def wait_until(self: QtBot, callback: Any, *, timeout: int = 0) -> None:
        with pytest.MonkeyPatch.context() as patch:
            # Between two looks, where the library waits 10 ms.
            patch.setattr(self, "wait", lambda _: wait(self, 3))
            until(self, callback, timeout=max(timeout, PATIENCE_MS))

    def wait_signal(self: QtBot, emitted: Any, *, timeout: int = 0, **options: Any) -> Any:
        return signal(self, emitted, timeout=max(timeout, PATIENCE_MS), **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(QtBot, "waitUntil", wait_until)
        patch.setattr(QtBot, "waitSignal", wait_signal)
        patch.setattr("app.widgets.banner.SHOWN_MS", 10 * PATIENCE_MS)
        yield


@pytest.fixture(scope="package")
def short_pauses() -> Iterator[None]:
    """Look often, and follow what a person types at once: what happens in the end does not depend on that."""
    with pytest.MonkeyPatch.context() as patch:
        for name in PAUSES:
            patch.setattr(f"app.{name}", 20)
        yield


@pytest.fixture(autouse=True)
def short_pauses_with_qt(request: pytest.FixtureRequest) -> None:
    if asks_for_qt(request):
        request.getfixturevalue("short_pauses")


def asks_for_qt(request: pytest.FixtureRequest) -> bool:
    """Return whether a test asks for Qt's application, also through `qtbot` or another fixture."""
    return "qapp" in request.fixturenames


def make_english_and_light(qapp: Application) -> None:
    """Reset the language to English, the theme to light and the text size to normal."""
    if qapp.language.choice != "en":
        qapp.language.choose("en")
    if qapp.theme.mode != "light":
        qapp.theme.set_mode("light")
    if qapp.theme.text_size != 100:
        qapp.theme.set_text_size(100)


@pytest.fixture(autouse=True)
def nothing_is_left(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that leaves a thread, a running timer or, unless it asked for Qt's application, a widget.

    A test that asks for the application has it in English and light colours, and its widgets are deleted in the end.
    Widgets and threads that were there before the test stay: they are those of a window that the tests of a module
    share. What that window does is brought to its end by `SharedWindow.start_over`, which fails where it does not end.
    """
    threads = set(threading.enumerate())
    widgets = _widgets()
    if asked := asks_for_qt(request):
        make_english_and_light(request.getfixturevalue("qapp"))
        request.getfixturevalue("patient_waits")
        # Only this thread may delete Qt objects, so none is collected on another one, as in the app. What was there
        # before a test is exempt from its collections, which would take twenty times as long otherwise.
        gc.disable()
        gc.collect()
        gc.freeze()
    yield
    if asked:
        gc.disable()
        _delete_widgets_beside(widgets)
        # Numbers and texts follow the language also where a test does not ask for the application.
        make_english_and_light(request.getfixturevalue("qapp"))
    # Threads that were told to end, such as a fake Hub's, get time to do so.
    patience = time.monotonic() + PATIENCE_S
    while (left := _threads_beside(threads)) and time.monotonic() < patience:
        time.sleep(0.01)
    gc.enable()
    assert not left, f"threads left: {left}"
    if qapp := QCoreApplication.instance():
        running = [timer for timer in qapp.findChildren(QTimer) if timer.isActive()]
        assert not running, f"timers left: {running}"
        begun = _widgets() - widgets
        assert asked or not begun, f"widgets left by a test that did not ask for `qapp`: {begun}"


def _widgets() -> set[QWidget]:
    """Return the top-level widgets."""
    return set(QApplication.topLevelWidgets()) if QCoreApplication.instance() else set()


def _delete_widgets_beside(kept: set[QWidget]) -> None:
    """Delete other top-level widgets than these and whatever waits to be deleted, and empty the clipboard."""
    # Offscreen, Qt frees what was copied after Python is gone, and crashes in a QMimeData that Python made.
    QApplication.clipboard().clear()
    for widget in QApplication.topLevelWidgets():
        if widget.parent() is None and widget not in kept:
            # On macOS, closing would only hide the main window.
            getattr(widget, "quit", widget.close)()
            widget.deleteLater()
    for _ in range(3):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        QCoreApplication.processEvents()
    gc.collect()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def _threads_beside(threads: set[threading.Thread]) -> list[str]:
    """Return the names of other threads than these.

    The workers of an event loop are not looked at, only the loop's own thread: a server that serves many tests starts
    another worker whenever the first one is not idle yet.
    """
    begun = [thread.name for thread in threading.enumerate() if thread not in threads]
    return [name for name in begun if not name.startswith("asyncio_")]


@pytest.fixture
def cocoa(monkeypatch: pytest.MonkeyPatch) -> Cocoa:
    """macOS, as far as windows go."""
    from app.system.mac_windows import MacWindows
    from tests.app.system.cocoa import Cocoa

    cocoa = Cocoa()
    windows = MacWindows(cocoa)
    for module in ("widgets.outside", "window.main_window", "window.quick_entry"):
        monkeypatch.setattr(f"app.{module}.mac_windows", lambda: windows)
    return cocoa


class OpenWindow(Protocol):
    """Opens the window on an engine; with `load`, waits until the pair is loaded. `others` replace engines that end."""

    def __call__(
        self, engine: ScriptedEngine, load: bool = True, others: Sequence[ScriptedEngine] = ()
    ) -> WindowDriver: ...


def _show(session: Session, qapp: Application, qtbot: QtBot, library: ShownLibrary | None = None) -> WindowDriver:
    from app.window.main_window import MainWindow
    from tests.app.window_driver import WindowDriver

    window = MainWindow(session, qapp, library)
    window.show()
    return WindowDriver(window, session, qtbot.waitUntil)


@pytest.fixture
def open_window(qapp: Application, qtbot: QtBot) -> OpenWindow:
    """A function that opens the real window on a scripted engine. `nothing_is_left` closes the window."""
    from app.session.session import Session

    def open_on(engine: ScriptedEngine, load: bool = True, others: Sequence[ScriptedEngine] = ()) -> WindowDriver:
        engines = iter([engine, *others])
        session = Session(lambda: next(engines), STARTER)
        window = _show(session, qapp, qtbot)
        session.models.load_starter()
        qtbot.waitUntil(lambda: session.store.ready)
        if load:
            qtbot.waitUntil(lambda: not session.models.pair.loading)
        return window

    return open_on


class OpenShown(Protocol):
    """Opens the window on a library with prepared answers."""

    def __call__(
        self, inventory: Inventory | None = None, pair: tuple[str, str | None] = ...
    ) -> tuple[WindowDriver, ShownLibrary, ScriptedEngine]: ...


@pytest.fixture
def open_shown(qapp: Application, qtbot: QtBot, tmp_path: Path) -> OpenShown:
    """A function that opens the window on a library with prepared answers, with Qwen3 8B and its draft loaded."""
    return opening(partial(_show, qapp=qapp, qtbot=qtbot), qtbot, tmp_path)


def opening(show: Callable[..., WindowDriver], qtbot: QtBot, folder: Path) -> OpenShown:
    """Return a function that opens what `show` shows of a session and a `library` with prepared answers."""
    from app.session.session import Session
    from tests.app.scripted_engine import ScriptedEngine
    from tests.app.scripts import Script
    from tests.app.shown_library import DRAFT, MAIN, ShownLibrary, path_of

    def open_on(
        inventory: Inventory | None = None, pair: tuple[str, str | None] = (path_of(MAIN), path_of(DRAFT))
    ) -> tuple[WindowDriver, ShownLibrary, ScriptedEngine]:
        engine, library = ScriptedEngine([Script("Hello.")]), ShownLibrary(folder, inventory)
        session = Session(lambda: engine, STARTER)
        window = show(session, library=library)
        session.models.load(*pair)
        qtbot.waitUntil(lambda: not session.models.pair.loading and session.store.ready)
        return window, library, engine

    return open_on


class Tray(QObject):
    """A fake icon in the menu bar that records its notifications."""

    activated = Signal(object)
    messageClicked = Signal()  # noqa: N815

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.visible, self.notified = False, []
        self.menu: QMenu | None = None

    def setContextMenu(self, menu: QMenu) -> None:
        self.menu = menu

    def show(self) -> None:
        self.visible = True

    def hide(self) -> None:
        self.visible = False

    def showMessage(self, title: str, sentence: str) -> None:
        self.notified.append((title, sentence))


@pytest.fixture
def trays(monkeypatch: pytest.MonkeyPatch) -> list[Tray]:
    """The fake icons that were created."""
    made: list[Tray] = []
    monkeypatch.setattr(outside, "in_bundle", lambda: True)
    monkeypatch.setattr(outside, "system_tray", lambda parent, _icon: made.append(Tray(parent)) or made[-1])
    return made


@pytest.fixture
def numbers(qapp: Application, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers that the app's icon showed, without what other tests left on it."""
    qapp.setProperty(outside._COUNTS, None)
    shown: list[int] = []
    monkeypatch.setattr(QGuiApplication, "setBadgeNumber", lambda _application, number: shown.append(number))
    return shown

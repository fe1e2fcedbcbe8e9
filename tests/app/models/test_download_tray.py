"""Downloads outside the window: the number on the app's icon, and notifications."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from app.models import download_tray
from app.models.download_tray import DownloadTray
from app.widgets import outside
from app.widgets.application import Application
from engine.hub.failures import HubError
from tests.app.conftest import OpenShown
from tests.app.shown_library import DRAFT, LARGER, ShownLibrary, downloading
from tests.engine.machine.objective_c import Runtime


class Tray(QObject):
    """A menu bar icon that records its state."""

    activated = Signal(object)
    messageClicked = Signal()  # noqa: N815

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.visible, self.notified = False, []

    def setVisible(self, visible: bool) -> None:
        self.visible = visible

    def show(self) -> None:
        self.visible = True

    def showMessage(self, title: str, sentence: str) -> None:
        self.notified.append((title, sentence))


@pytest.fixture
def numbers(qapp: Application, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers that the app's icon showed, without what other tests left on it."""
    qapp.setProperty(outside._COUNTS, None)
    shown: list[int] = []
    monkeypatch.setattr(QGuiApplication, "setBadgeNumber", lambda _application, number: shown.append(number))
    return shown


@pytest.fixture
def in_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))


@pytest.fixture
def trays(monkeypatch: pytest.MonkeyPatch) -> list[Tray]:
    """The icons in the menu bar."""
    made: list[Tray] = []

    def make(parent: QObject, _icon: str) -> Tray:
        made.append(Tray(parent))
        return made[-1]

    monkeypatch.setattr(outside, "in_bundle", lambda: True)
    monkeypatch.setattr(download_tray, "system_tray", make)
    return made


@pytest.fixture
def library(qapp: Application, tmp_path: Path) -> Iterator[ShownLibrary]:  # noqa: ARG001
    library = ShownLibrary(tmp_path)
    yield library
    library.close()


@pytest.fixture
def downloads(library: ShownLibrary, numbers: list[int], trays: list[Tray]) -> Iterator[DownloadTray]:  # noqa: ARG001
    window = QWidget()
    yield DownloadTray(library, window)
    window.deleteLater()


@pytest.mark.usefixtures("in_background")
def test_the_icon_stays_after_a_notification_until_it_is_clicked(downloads: DownloadTray, trays: list[Tray]) -> None:
    clicked: list[bool] = []
    downloads.downloads_wanted.connect(lambda: clicked.append(True))
    downloads.notify("Qwen3 1.7B is ready.")
    (tray,) = trays
    assert tray.notified == [("Tandem", "Qwen3 1.7B is ready.")]
    assert tray.visible
    tray.messageClicked.emit()
    assert clicked == [True]
    assert not tray.visible
    # So does a return to the window.
    downloads.notify("Ready.")
    assert tray.visible
    QApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
    assert not tray.visible


def test_there_is_no_notification_while_the_window_is_in_front_or_without_a_menu_bar(
    downloads: DownloadTray,
    library: ShownLibrary,
    numbers: list[int],
    trays: list[Tray],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as in_front:
        in_front.setattr(QApplication, "activeWindow", staticmethod(downloads.parent))
        downloads.notify("Ready.")
    assert trays == []
    # Without a menu bar the icon asks for attention.
    bounced: list[object] = []
    monkeypatch.setattr(QApplication, "alert", staticmethod(lambda window, _ms: bounced.append(window)))
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))
    monkeypatch.setattr(download_tray, "system_tray", lambda _parent, _icon: None)
    library.show(downloading(LARGER))
    downloads.notify("Ready.")
    assert (numbers, bounced) == ([1], [downloads.parent()])


@pytest.mark.usefixtures("in_background")
def test_the_window_notifies_of_success_and_failure(open_settings: OpenShown, trays: list[Tray]) -> None:
    window, library, _ = open_settings()
    library.settled.emit(downloading(LARGER, "ready"))
    library.settled.emit(downloading(LARGER, "failed", error=HubError("disk-full", LARGER)))
    (tray,) = trays
    ready, full = (sentence for _, sentence in tray.notified)
    assert ready == "Qwen3 1.7B · 4-bit is ready."
    assert full.startswith("The disk is full. Free up space, then try again;")
    tray.messageClicked.emit()
    assert window.settings.isVisible()


@pytest.mark.usefixtures("downloads")
def test_a_mac_stays_awake_while_a_download_runs(library: ShownLibrary, mac: Runtime) -> None:
    library.show(downloading(LARGER), downloading(DRAFT, "ready"))
    assert [*mac.open.values()] == ["Tandem downloads a model"]
    library.show(downloading(LARGER, "paused"))
    assert not mac.open

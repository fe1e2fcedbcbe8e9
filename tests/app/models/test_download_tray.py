"""What downloads show outside of the window: the number on the icon, the mark in the menu bar, a word at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QProcess, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.models import download_tray
from app.models.download_tray import DownloadTray, KeepAwake
from app.widgets.application import Application
from engine.hub.failures import HubError
from tests.app.conftest import OpenShown
from tests.app.shown_library import DRAFT, LARGER, ShownLibrary, downloading


class Tray(QObject):
    """An icon in a menu bar that records what it is given."""

    activated = Signal(object)
    messageClicked = Signal()  # noqa: N815

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.visible, self.tip, self.notified = False, "", []

    def setToolTip(self, tip: str) -> None:
        self.tip = tip

    def setVisible(self, visible: bool) -> None:
        self.visible = visible

    def show(self) -> None:
        self.visible = True

    def showMessage(self, title: str, sentence: str) -> None:
        self.notified.append((title, sentence))


@pytest.fixture
def numbers(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """What the program's icon was given to show."""
    shown: list[int] = []
    monkeypatch.setattr(QGuiApplication, "setBadgeNumber", lambda _application, number: shown.append(number))
    return shown


@pytest.fixture
def in_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))


@pytest.fixture
def trays(monkeypatch: pytest.MonkeyPatch) -> list[Tray]:
    """The icons that were made in the menu bar."""
    made: list[Tray] = []

    def make(parent: QObject, _icon: str) -> Tray:
        made.append(Tray(parent))
        return made[-1]

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


@pytest.mark.usefixtures("downloads")
def test_the_icon_and_the_menu_bar_show_how_many_downloads_run_and_their_progress(
    library: ShownLibrary, numbers: list[int], trays: list[Tray]
) -> None:
    library.show(downloading(LARGER, bytes_done=1, bytes_total=4), downloading(DRAFT, bytes_done=2, bytes_total=4))
    (tray,) = trays
    assert (numbers[-1], tray.visible, tray.tip) == (2, True, "2 downloads running · 38%")
    library.show(downloading(LARGER, "paused"), downloading(DRAFT, "ready"))
    assert (numbers[-1], tray.visible) == (0, False)


@pytest.mark.usefixtures("in_background")
def test_the_icon_stays_after_a_notification_until_it_is_clicked(
    downloads: DownloadTray, library: ShownLibrary, trays: list[Tray]
) -> None:
    clicked: list[bool] = []
    downloads.downloads_wanted.connect(lambda: clicked.append(True))
    downloads.notify("Qwen3 1.7B is ready.")
    (tray,) = trays
    assert tray.notified == [("Tandem", "Qwen3 1.7B is ready.")]
    library.show(downloading(LARGER, "ready"))
    assert tray.visible
    tray.messageClicked.emit()
    assert clicked == [True]
    assert not tray.visible


@pytest.mark.usefixtures("in_background")
def test_coming_back_to_the_window_removes_the_icon(downloads: DownloadTray, trays: list[Tray]) -> None:
    downloads.notify("Ready.")
    QApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
    assert not trays[0].visible


def test_there_is_no_notification_while_the_window_is_in_front(
    downloads: DownloadTray, trays: list[Tray], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(downloads.parent))
    downloads.notify("Ready.")
    assert trays == []


@pytest.mark.usefixtures("in_background")
def test_a_system_without_a_menu_bar_is_no_error(
    library: ShownLibrary, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download_tray, "system_tray", lambda _parent, _icon: None)
    window = QWidget()
    downloads = DownloadTray(library, window)
    library.show(downloading(LARGER))
    downloads.notify("Ready.")
    assert numbers == [1]
    window.deleteLater()


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (downloading(LARGER, "ready"), "Qwen3 1.7B · 4-bit is ready."),
        (
            downloading(LARGER, "failed", error=HubError("disk-full", LARGER)),
            "The disk is full. Free up space, then try again;",
        ),
    ],
)
@pytest.mark.usefixtures("in_background")
def test_the_window_notifies_of_success_and_failure(
    open_shown: OpenShown, trays: list[Tray], status: object, sentence: str
) -> None:
    window, library, _ = open_shown()
    library.settled.emit(status)
    (tray,) = trays
    assert tray.notified[0][1].startswith(sentence)
    tray.messageClicked.emit()
    assert window.settings.isVisible()


def test_the_computer_stays_awake_for_as_long_as_something_runs(qtbot: QtBot, tmp_path: Path) -> None:
    stand_in = tmp_path / "caffeinate"
    program = """import sys, time
open(sys.argv[0] + ".asked", "w").write(" ".join(sys.argv[1:3]))
time.sleep(60)
"""
    stand_in.write_text(f"#!{sys.executable}\n{program}")
    stand_in.chmod(0o755)
    awake = KeepAwake(program=str(stand_in))
    awake.keep(True)
    process = awake.findChildren(QProcess)[-1]
    assert process is not None
    qtbot.waitUntil(lambda: Path(f"{stand_in}.asked").exists())
    awake.keep(True)
    assert awake.findChild(QProcess) is process
    with qtbot.waitSignal(process.finished):
        awake.keep(False)
    assert not awake.active


def test_what_keeps_awake_may_end_by_itself(qtbot: QtBot) -> None:
    awake = KeepAwake(program=sys.executable)
    for _ in range(2):
        awake.keep(True)
        process = awake.findChildren(QProcess)[-1]
        assert process is not None
        # It is told to inspect, not to wait, so it ends at once.
        with qtbot.waitSignal(process.finished):
            process.closeWriteChannel()
        assert not awake.active
        awake.keep(False)


def test_only_a_mac_is_kept_awake(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    awake = KeepAwake()
    awake.keep(True)
    assert not awake.active

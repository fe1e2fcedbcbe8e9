"""What downloads show outside of the window: the number on the icon, the mark in the menu bar, a word at the end."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.models.download_tray import DownloadTray, KeepAwake
from app.widgets.application import Application
from engine.hub.failures import HubError
from tests.app.conftest import OpenShown
from tests.app.shown_library import DRAFT, LARGER, ShownLibrary, downloading


class Tray(QObject):
    """A place in a menu bar that only remembers."""

    activated = Signal(object)
    messageClicked = Signal()  # noqa: N815

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.visible, self.tip, self.said = False, "", []

    def setToolTip(self, tip: str) -> None:
        self.tip = tip

    def setVisible(self, visible: bool) -> None:
        self.visible = visible

    def show(self) -> None:
        self.visible = True

    def showMessage(self, title: str, sentence: str) -> None:
        self.said.append((title, sentence))


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
def downloads(qapp: Application, tmp_path: Path, numbers: list[int]) -> Iterator[DownloadTray]:  # noqa: ARG001
    window = QWidget()
    downloads = DownloadTray(ShownLibrary(tmp_path), window, Tray)  # type: ignore[arg-type]
    yield downloads
    downloads._library.close()
    window.deleteLater()


def test_the_icon_and_the_menu_bar_count_what_runs_and_how_far_it_is(
    downloads: DownloadTray, numbers: list[int]
) -> None:
    library = downloads._library
    assert isinstance(library, ShownLibrary)
    library.show(downloading(LARGER, bytes_done=1, bytes_total=4), downloading(DRAFT, bytes_done=2, bytes_total=4))
    tray = downloads._tray
    assert isinstance(tray, Tray)
    assert (numbers[-1], tray.visible, tray.tip) == (2, True, "2 downloads running · 38%")
    library.show(downloading(LARGER, "paused"), downloading(DRAFT, "ready"))
    assert (numbers[-1], tray.visible) == (0, False)


def test_a_word_at_the_end_stays_until_somebody_looks(downloads: DownloadTray, in_background: None) -> None:  # noqa: ARG001
    library, led = downloads._library, []
    assert isinstance(library, ShownLibrary)
    downloads.downloads_wanted.connect(lambda: led.append(True))
    downloads.notify("Qwen3 1.7B is ready.")
    tray = downloads._tray
    assert isinstance(tray, Tray)
    assert tray.said == [("Tandem", "Qwen3 1.7B is ready.")]
    library.show(downloading(LARGER, "ready"))
    assert tray.visible
    tray.messageClicked.emit()
    assert led == [True]
    assert not tray.visible


def test_coming_back_to_the_window_takes_the_mark_away(downloads: DownloadTray, in_background: None) -> None:  # noqa: ARG001
    downloads.notify("Ready.")
    tray = downloads._tray
    assert isinstance(tray, Tray)
    QApplication.instance().applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)  # type: ignore[union-attr]
    assert not tray.visible


def test_nothing_is_said_to_somebody_who_is_looking(downloads: DownloadTray, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: downloads._window))
    downloads.notify("Ready.")
    assert downloads._tray is None


def test_a_system_without_a_place_for_it_is_no_trouble(
    qapp: Application,  # noqa: ARG001
    tmp_path: Path,
    numbers: list[int],
    in_background: None,  # noqa: ARG001
) -> None:
    window, library = QWidget(), ShownLibrary(tmp_path)
    downloads = DownloadTray(library, window, lambda _parent: None)
    library.show(downloading(LARGER))
    downloads.notify("Ready.")
    assert numbers == [1]
    library.close()
    window.deleteLater()


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        (downloading(LARGER, "ready"), "Qwen3 1.7B · 4-bit is ready."),
        (
            downloading(LARGER, "failed", error=HubError("disk-full", LARGER)),
            "The disk is full. Free some space, then resume;",
        ),
    ],
)
def test_the_window_tells_of_both_ends(
    open_shown: OpenShown,
    in_background: None,  # noqa: ARG001
    status: object,
    sentence: str,
) -> None:
    window, library, _ = open_shown()
    downloads = window._switcher._tray
    downloads._make_tray = Tray  # type: ignore[assignment]
    library.settled.emit(status)
    tray = downloads._tray
    assert isinstance(tray, Tray)
    assert tray.said[0][1].startswith(sentence)
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
    process = awake._process
    assert process is not None
    qtbot.waitUntil(lambda: Path(f"{stand_in}.asked").exists())
    awake.keep(True)
    assert awake._process is process
    with qtbot.waitSignal(process.finished):
        awake.keep(False)
    assert not awake.active


def test_what_keeps_awake_may_end_by_itself(qtbot: QtBot) -> None:
    awake = KeepAwake(program=sys.executable)
    for _ in range(2):
        awake.keep(True)
        process = awake._process
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

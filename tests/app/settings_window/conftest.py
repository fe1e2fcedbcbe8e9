"""Fixtures of the settings: without the rest of the window, with a library on a fake Hub, and with fake clusters."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.library.library import Library
from app.models.first_run import FirstRunOffer
from app.models.model_controller import ModelController
from app.session.session import Session
from app.settings_window.dialog import SettingsWindow
from app.widgets.application import Application
from app.widgets.banner import Banner
from engine import Engine
from tests.app.conftest import STARTER, OpenShown, opening
from tests.app.hub_library import hub as hub
from tests.app.hub_library import library as library
from tests.app.hub_library import paths as paths
from tests.app.hub_library import tiny_pair as tiny_pair
from tests.app.session.conftest import fakes as fakes
from tests.app.window_driver import WindowDriver


class SettingsHost(QWidget):
    """The settings, the pickers, the offer and the banner without the main window, which takes longer to make."""

    def __init__(self, session: Session, library: Library) -> None:
        super().__init__()
        self.resize(1440, 900)
        banner, main_chip, draft_chip = Banner(self), QPushButton(self), QPushButton(self)
        models = ModelController(library, session, main_chip, draft_chip, banner, self)
        self.settings = SettingsWindow(library, session, models, self)
        self.offer = FirstRunOffer(library, models, self)
        models.page_wanted.connect(lambda: self.settings.open("models"))
        models.chat_wanted.connect(self.settings.close)
        self._session, self._library = session, library

    def closeEvent(self, _event: QCloseEvent) -> None:
        self.settings.close()
        self._library.close()
        self._session.close()


@pytest.fixture
def hub_settings(library: Library, qapp: Application, qtbot: QtBot) -> Iterator[WindowDriver]:  # noqa: ARG001
    """Open the settings of a first run, with the real engine."""
    session = Session(Engine, STARTER)
    host: Any = SettingsHost(session, library)
    host.show()
    library.start()
    yield WindowDriver(host, session, qtbot.waitUntil)
    host.close()
    host.deleteLater()


@pytest.fixture
def open_settings(qapp: Application, qtbot: QtBot, tmp_path: Path) -> Iterator[OpenShown]:  # noqa: ARG001
    """Open the settings as `open_shown` opens the window. Changed settings do not take effect in the session."""
    opened: list[SettingsHost] = []

    def show(session: Session, library: Library) -> WindowDriver:
        host: Any = SettingsHost(session, library)
        opened.append(host)
        host.show()
        return WindowDriver(host, session, qtbot.waitUntil)

    yield opening(show, qtbot, tmp_path)
    for host in opened:
        host.close()
        host.deleteLater()

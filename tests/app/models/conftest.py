"""Fixtures of the settings without the rest of the window, of a library on a fake Hub, and of fake clusters."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from app.library.library import Library
from tests.app.hub_library import hub as hub
from tests.app.hub_library import hub_window as hub_window
from tests.app.hub_library import library as library
from tests.app.hub_library import paths as paths
from tests.app.hub_library import tiny_pair as tiny_pair
from tests.app.session.conftest import fakes as fakes
from tests.app.settings_window.conftest import hub_settings as hub_settings
from tests.app.settings_window.conftest import open_settings as open_settings
from tests.app.window_driver import WindowDriver


@pytest.fixture
def page(hub_settings: WindowDriver, library: Library, qtbot: QtBot) -> Any:
    """The Models page of a first run, with the library read."""
    qtbot.waitUntil(lambda: library.inventory is not None)
    return hub_settings.settings_page("models")

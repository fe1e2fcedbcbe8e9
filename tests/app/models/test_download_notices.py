"""Downloads outside the window: the number on the app's icon, notifications, and a Mac that stays awake."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from app.widgets import outside
from engine.hub.failures import HubError
from tests.app.conftest import OpenShown, Tray
from tests.app.shown_library import DRAFT, LARGER, downloading
from tests.engine.machine.objective_c import Runtime

pytestmark = pytest.mark.usefixtures("in_background")


@pytest.fixture
def in_background(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QApplication, "activeWindow", staticmethod(lambda: None))


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_the_window_notifies_of_success_and_failure(open_settings: OpenShown, trays: list[Tray]) -> None:
    window, library, _ = open_settings()
    library.settled.emit(downloading(LARGER, "ready"))
    library.settled.emit(downloading(LARGER, "failed", error=HubError("disk-full", LARGER)))
    (tray,) = trays
    ready, full = (sentence for _, sentence in tray.notified)
    assert ready == "Qwen3 1.7B · 4-bit is ready."
    assert full.startswith("The disk is full. Free up space, then try again;")
    assert tray.visible
    tray.messageClicked.emit()
    assert window.settings.isVisible()
    assert not tray.visible


def test_without_a_menu_bar_the_icon_asks_for_attention(
    open_settings: OpenShown, numbers: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    bounced: list[object] = []
    monkeypatch.setattr(QApplication, "alert", staticmethod(lambda window, _ms: bounced.append(window)))
    monkeypatch.setattr(outside, "system_tray", lambda _parent, _icon: None)
    window, library, _ = open_settings()
    library.show(downloading(LARGER))
    library.settled.emit(downloading(LARGER, "ready"))
    assert (numbers, bounced) == ([1], [window.window])


def test_a_mac_stays_awake_while_a_download_runs(open_settings: OpenShown, mac: Runtime) -> None:
    _, library, _ = open_settings()
    library.show(downloading(LARGER), downloading(DRAFT, "ready"))
    assert [*mac.open.values()] == ["Tandem downloads a model"]
    library.show(downloading(LARGER, "paused"))
    assert not mac.open

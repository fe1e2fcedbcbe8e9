"""The window About Tandem: its version and licences, above the main window."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from app.widgets.application import Application
from app.window.about_window import AboutWindow
from tests.app.conftest import OpenShown, OpenWindow
from tests.app.scripted_engine import ScriptedEngine


def test_about_is_a_window_of_its_own_in_which_the_licences_are_read(
    open_window: OpenWindow, qapp: Application
) -> None:
    window = open_window(ScriptedEngine())
    window.trigger("about")
    about = window.find(AboutWindow)
    window.wait(lambda: QApplication.activeWindow() is about)
    texts = [label.text() for label in about.findChildren(QLabel)]
    assert any("Apache License 2.0" in text for text in texts)
    assert any("GNU Lesser General Public License" in text for text in texts)
    assert all(label.height() >= label.heightForWidth(label.width()) for label in about.findChildren(QLabel))
    # A checkout has no file with all licences.
    assert not about.licences.isVisible()
    qapp.language.choose("ko")
    window.wait(lambda: about.windowTitle() == "Tandem 정보")
    QTest.keyClick(about, Qt.Key.Key_Escape)
    assert not about.isVisible()
    assert window.isVisible()


def test_a_bundle_shows_every_licence(open_shown: OpenShown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    window, _, _ = open_shown()
    opened: list[str] = []
    monkeypatch.setattr("PySide6.QtGui.QDesktopServices.openUrl", lambda url: opened.append(url.toLocalFile()))
    notices = tmp_path / "NOTICES.txt"
    notices.write_text("MLX 0.32.4: MIT")
    monkeypatch.setattr("app.window.about_window._NOTICES", notices)
    window.trigger("about")
    about = window.find(AboutWindow)
    assert about.licences.isVisible()
    about.licences.click()
    assert opened == [str(notices)]


def test_the_page_of_advanced_settings_says_nothing_about_tandem(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    page = window.settings_page("advanced")
    assert not any("Apache" in label.text() for label in page.findChildren(QLabel))

"""Every control has a name, everything is reached by Tab, and no text is cut off in any language."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPlainTextEdit, QWidget

from app.system.language import LANGUAGES
from tests.app.cut_texts import wait_until_nothing_is_cut
from tests.app.scripted_engine import Script, ScriptedEngine

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver

ANSWER = "A paragraph.\n\n```python\nx = 1\n```\n\nAnother one with a [link](https://example.org)."


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script(ANSWER)]))
    window.ask("question")
    window.wait_until_answered()
    return window.window


def controls(window: WindowDriver) -> list[QWidget]:
    kinds = (QAbstractButton, QLineEdit, QPlainTextEdit)
    found = [widget for kind in kinds for widget in window.findChildren(kind)]
    return [widget for widget in found if widget.isVisibleTo(window) and not widget.objectName().startswith("qt_")]


def test_every_control_has_a_name(window: WindowDriver) -> None:
    for widget in controls(window):
        if widget.parent() is not None and isinstance(widget.parent(), QLineEdit):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        assert widget.accessibleName() or text, widget


def test_every_visible_button_is_reached_by_tab(window: WindowDriver) -> None:
    for button in window.findChildren(QAbstractButton):
        if button.isVisibleTo(window) and not button.objectName().startswith("qt_"):
            if isinstance(button.parent(), QLineEdit):
                continue
            assert button.focusPolicy() & Qt.FocusPolicy.TabFocus, button.accessibleName() or button.text()


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_is_cut_off(window: WindowDriver, qapp: Application, qtbot: QtBot, language: str) -> None:
    qapp.language.choose(language)
    for size in ((1440, 900), (1110, 700), (900, 600), (790, 600), (560, 420)):
        window.resize(*size)
        wait_until_nothing_is_cut(window, qtbot)

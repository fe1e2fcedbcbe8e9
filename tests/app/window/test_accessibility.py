"""Every control has a name, Tab reaches every button, and no text is cut off in any language."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.widgets.application import Application
from tests.app.conftest import EACH_LANGUAGE, OpenWindow
from tests.app.cut_texts import wait_until_nothing_is_cut
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.window_driver import WindowDriver

ANSWER = "A paragraph.\n\n```python\nx = 1\n```\n\nAnother one with a [link](https://example.org)."


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    window = open_window(ScriptedEngine([Script(ANSWER)]))
    window.ask_and_wait("question")
    return window.window


def test_every_control_has_a_name_and_every_button_is_reached_by_tab(window: WindowDriver) -> None:
    for widget in (
        found for kind in (QAbstractButton, QLineEdit, QPlainTextEdit) for found in window.findChildren(kind)
    ):
        shown = widget.isVisibleTo(window) and not widget.objectName().startswith("qt_")
        if not shown or isinstance(widget.parent(), QLineEdit):
            continue
        name = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
        assert name, widget
        if isinstance(widget, QAbstractButton):
            assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus, name


@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_no_text_is_cut_off(window: WindowDriver, qapp: Application, qtbot: QtBot, language: str) -> None:
    qapp.language.choose(language)
    for size in ((1440, 900), (1110, 700), (900, 600), (790, 600), (560, 420)):
        window.resize(*size)
        wait_until_nothing_is_cut(window, qtbot)

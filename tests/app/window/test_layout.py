"""Layout in every language: aligned edges, rows as high as their texts, and nothing that moves when texts change."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from app.conversations.conversation_list import TRASHED
from app.widgets.application import Application
from engine import starter_pair
from tests.app.conftest import EACH_LANGUAGE, OpenShown
from tests.app.cut_texts import wait_until_nothing_is_cut
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.shared_window import StartChat
from tests.app.shown_library import bare
from tests.app.window_driver import WindowDriver


def test_an_empty_list_says_what_would_be_in_it_and_nothing_of_the_archive(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    sidebar, pane, said = window.sidebar, window.sidebar.pane, set()
    # The store may not have been read yet.
    assert sidebar.back_button.isHidden()
    assert sidebar.empty_button.isHidden()
    window.wait(lambda: not pane.hint.isHidden())
    assert sidebar.back_button.isHidden()
    for view in ("Chats", "Archive", "Trash"):
        sidebar.show_view(view)
        assert not pane.hint.isHidden()
        said.add(pane.hint.text())
    assert len(said) == 3
    pane.search.setText("draft")
    assert pane.hint.isHidden()


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_in_a_narrow_window_no_number_and_no_question_is_cut_off(
    start_chat: StartChat, qapp: Application, code: str
) -> None:
    qapp.language.choose(code)
    window = start_chat(ScriptedEngine())
    pane = window.sidebar.pane
    window.in_store(lambda store: store.conversations.trash(store.conversations.create(title="Letters")))
    pane.show_view(TRASHED)
    window.settle()
    pane.empty.click()
    window.wait(lambda: 0 < pane.empty.sizeHint().width() <= pane.empty.width())
    assert "1" in pane.empty.text().splitlines()[1]


def test_the_offer_of_a_first_pair_pushes_nothing_up_when_it_comes(open_shown: OpenShown) -> None:
    window, library, _ = open_shown(bare(), ("starter/main", "starter/draft"))
    window.resize(1440, 900)
    greeting = next(words for words in window.findChildren(QLabel) if words.text() == "What can I help with?")
    window.offer.hide()
    QApplication.processEvents()
    before = greeting.mapTo(window.window, QPoint(0, 0)).y()
    window.offer.refresh()
    window.wait(window.offer.isVisible)
    for _ in range(5):
        QApplication.processEvents()
    assert greeting.mapTo(window.window, QPoint(0, 0)).y() == before > 100
    # It is for those who have the starter alone, whatever drafts for it.
    library.settings.change(main_model=str(starter_pair()[0]), draft_model="a head")
    window.offer.refresh()
    assert window.offer.isVisible()
    library.settings.change(main_model="models/Qwen3-8B-4bit")
    window.offer.refresh()
    assert window.offer.isHidden()


ANSWER = "A paragraph.\n\n```python\nx = 1\n```\n\nAnother one with a [link](https://example.org)."


@pytest.fixture
def window(start_chat: StartChat) -> WindowDriver:
    window = start_chat(ScriptedEngine([Script(ANSWER)]))
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


@pytest.mark.full
@pytest.mark.parametrize("language", EACH_LANGUAGE)
def test_no_text_is_cut_off(window: WindowDriver, qapp: Application, qtbot: QtBot, language: str) -> None:
    qapp.language.choose(language)
    for size in ((1440, 900), (1110, 700), (900, 600), (790, 600), (560, 420)):
        window.resize(*size)
        wait_until_nothing_is_cut(window, qtbot)

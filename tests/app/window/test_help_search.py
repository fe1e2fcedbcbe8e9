"""The help of Tandem in the menu and in the command palette."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel, QWidget

from app.session.tandem_help import known_facts
from app.widgets.application import Application
from app.window.actions import ACTIONS
from app.window.help_search import HelpCard, HelpSearch
from tests.app.scripted_engine import ScriptedEngine
from tests.app.shared_window import StartChat
from tests.app.window_parts import PaletteDriver

QUESTIONS = {"en": "How do I export a chat?", "ko": "대화를 내보내려면 어떻게 하나요?"}


def texts_of(card: QWidget) -> list[str]:
    return [shown.text() for shown in card.findChildren(QLabel) if shown.isVisible()]


def test_the_help_menu_searches_the_help_and_shows_the_chosen_answer(start_chat: StartChat) -> None:
    assert "search-help" in [spec.id for spec in ACTIONS["help"]]
    window = start_chat(ScriptedEngine())
    window.trigger("search-help")
    search = PaletteDriver(window.find(HelpSearch))
    # Before a letter, all questions are listed, and nothing else.
    assert search.rows == [fact.questions["en"] for fact in known_facts()]
    search.type("export chat")
    # The question comes before those whose answers have the words.
    assert search.rows[0] == QUESTIONS["en"]
    search.press(Qt.Key.Key_Return)
    assert not search.is_open
    card = window.find(HelpCard)
    assert card.isVisible()
    assert card.accessibleName() == QUESTIONS["en"]
    question, answer = texts_of(card)
    assert question == QUESTIONS["en"]
    assert answer.startswith("Use Export in a chat's menu")
    assert window.window.focusWidget().text() == answer


@pytest.mark.first
@pytest.mark.parametrize(
    ("language", "typed", "question"),
    [
        pytest.param("en", "ollama models", "Can I open GGUF files?", marks=pytest.mark.full),
        ("en", "Can I turn the draft model off?", "How do I turn off speculative decoding?"),
        ("ko", "대화 내보내기", QUESTIONS["ko"]),
        pytest.param("ja", "ダークモード", "ライトとダークを切り替えるには？", marks=pytest.mark.full),
        pytest.param("zh_CN", "联网搜索", "模型能搜索网页吗？", marks=pytest.mark.full),
    ],
)
def test_a_question_is_found_by_other_words_for_the_same(
    start_chat: StartChat, qapp: Application, language: str, typed: str, question: str
) -> None:
    window = start_chat(ScriptedEngine())
    qapp.language.choose(language)
    qapp.processEvents()
    window.trigger("search-help")
    search = PaletteDriver(window.find(HelpSearch))
    search.field.setText(typed)
    assert question in search.rows
    search.field.setText("qqq")
    assert search.rows == []


def test_the_command_palette_finds_help_below_commands_once_something_is_typed(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("palette")
    palette = window.palette
    assert not [row for row in palette.rows if row.startswith("Tandem help: ")]
    palette.field.setText("export")
    is_help = [row.startswith("Tandem help: ") for row in palette.rows]
    assert any(is_help)
    assert not is_help[0]
    palette.field.setText("how do i export")
    assert palette.rows[0] == f"Tandem help: {QUESTIONS['en']}"
    palette.press(Qt.Key.Key_Return)
    assert not palette.is_open
    assert QUESTIONS["en"] in texts_of(window.find(HelpCard))


def test_an_open_answer_follows_the_language(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("search-help")
    search = PaletteDriver(window.find(HelpSearch))
    search.type("export chat")
    search.press(Qt.Key.Key_Return)
    qapp.language.choose("ko")
    qapp.processEvents()
    card = window.find(HelpCard)
    assert texts_of(card)[0] == QUESTIONS["ko"]
    search.press(Qt.Key.Key_Escape)
    assert card.isHidden()


@pytest.mark.full
def test_the_card_is_as_high_as_each_question_and_answer_need(start_chat: StartChat, qapp: Application) -> None:
    window = start_chat(ScriptedEngine())
    window.resize(560, 420)
    qapp.theme.set_text_size(130)
    try:
        card = window.find(HelpCard)
        # A question of one line, then one of two.
        for fact in sorted(known_facts(), key=lambda fact: len(fact.questions["en"])):
            card.show_fact(fact)
            qapp.processEvents()
            assert card.height() >= card.column.totalHeightForWidth(card.width())
            card.close_overlay()
    finally:
        qapp.theme.set_text_size(100)


def test_a_question_with_slips_is_found(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    window.trigger("search-help")
    search = PaletteDriver(window.find(HelpSearch))
    search.field.setText("hw do i exprot a chatt")
    assert search.rows[0] == QUESTIONS["en"]
    search.press(Qt.Key.Key_Escape)
    # In the command palette where nothing else is found.
    window.trigger("palette")
    window.palette.field.setText("hw do i exprot a chatt")
    assert window.palette.rows[0] == f"Tandem help: {QUESTIONS['en']}"


def test_the_card_leads_to_the_page_or_the_action_that_it_speaks_of(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    card = window.find(HelpCard)
    places = {fact.page or fact.action: fact for fact in known_facts()}
    card.show_fact(places["network"])
    assert card.place.text() == "Take me there."
    card.place.click()
    assert card.isHidden()
    assert window.settings.page("network").isVisible()
    card.show_fact(places["shortcuts"])
    card.place.click()
    assert window.window.shortcuts_card.isVisible()
    card.show_fact(places[""])
    assert card.place.isHidden()


def test_tab_goes_from_the_answer_to_the_close_button_and_back(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine())
    card = window.find(HelpCard)
    window.edit.setFocus()
    card.show_fact(next(fact for fact in known_facts() if not fact.has_place))
    for name in ("Close", None, "Close"):
        QTest.keyClick(window.window.focusWidget(), Qt.Key.Key_Tab)
        focus = window.window.focusWidget()
        assert focus is card.answer if name is None else focus.accessibleName() == name
    QTest.keyClick(window.window.focusWidget(), Qt.Key.Key_Escape)
    assert card.isHidden()
    assert window.window.focusWidget() is window.edit

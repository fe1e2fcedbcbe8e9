"""Layout in every language: aligned edges, rows as high as their texts, and nothing that moves when texts change."""

from __future__ import annotations

import contextlib
from functools import partial

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextTable
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.chat.prose import Prose
from app.chat.settings_sheet import ChatSettingsSheet
from app.chat.token_view import TokenView
from app.conversations.conversation_list import TRASHED
from app.settings.declarations import settings_of
from app.settings.setting import NEXT_ANSWER
from app.settings_window.form import Form
from app.sidebar.row_painter import _around
from app.speculation.gauges import Figure
from app.widgets.application import Application
from app.widgets.labels import ElidedLabel
from app.window.header import Chip
from app.wording.figures import depth_texts
from engine import starter_pair
from engine.events import Token
from tests.app.conftest import EACH_LANGUAGE, OpenShown, OpenWindow
from tests.app.scripted_engine import Script, ScriptedEngine
from tests.app.shown_library import bare
from tests.app.window_parts import button


def right_edge(view: QWidget, within: QWidget) -> int:
    return view.mapTo(within, QPoint(view.width(), 0)).x()


def left_edge(view: QWidget, within: QWidget) -> int:
    return view.mapTo(within, QPoint(0, 0)).x()


def test_an_empty_list_says_what_would_be_in_it_and_nothing_of_the_archive(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine())
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


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("What should I know about a draft model?", "…about a draft model?"),
        ("A draft model guesses.", "A draft model guesses."),
        ("what-should-I-know-of-a-draft", "…know-of-a-draft"),
    ],
)
def test_what_was_found_begins_with_a_whole_word(text: str, shown: str) -> None:
    start = text.index("draft")
    around, spans = _around(text, ((start, start + 5),))
    assert around == shown
    assert [around[low:high] for low, high in spans] == ["draft"]


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_rows_of_a_picker_are_as_high_as_their_words_and_need_no_scroll_bar_for_a_few_pixels(
    open_shown: OpenShown, qapp: Application, qtbot: QtBot, code: str
) -> None:
    qapp.language.choose(code)
    window, _, _ = open_shown()
    window.resize(1440, 900)
    for role in ("main", "draft"):
        picker = window.picker(role)
        picker.open()
        rows = [picker.row(index) for index in range(picker.list.count())]
        with contextlib.suppress(qtbot.TimeoutError):
            qtbot.waitUntil(lambda rows=rows: all(row.height() == row.height_at(row.width()) for row in rows))
        for row in rows:
            assert row.height() == row.height_at(row.width()), row.spoken
        picker.close()
    window.resize(900, 600)
    picker.open()
    bar = picker.list.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() == 0 or bar.maximum() > 20)
    qtbot.waitUntil(lambda: picker.picker.geometry().bottom() < window.height())


def stands_in_columns(sheet: ChatSettingsSheet) -> bool:
    rows = sheet.rows.values()
    right = {right_edge(view, sheet) for view in (*(row.control for row in rows), sheet.delete, sheet.reset)}
    sliders = {(left_edge(row.slider, sheet), row.slider.width()) for row in rows if row.slider is not None}
    return len(right) == len(sliders) == 1


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_the_controls_of_a_chats_own_settings_stand_in_columns(
    open_window: OpenWindow, qapp: Application, code: str
) -> None:
    qapp.language.choose(code)
    window = open_window(ScriptedEngine())
    for size in ((1440, 900), (900, 600)):
        window.resize(*size)
        window.trigger("chat-settings")
        sheet = window.chat_settings
        # Layouts follow in the event loop.
        window.wait(partial(stands_in_columns, sheet))
        sheet.close_overlay()


def test_a_page_does_not_move_when_its_scroll_bar_comes(qtbot: QtBot) -> None:
    form = Form()
    qtbot.addWidget(form)
    line = QLabel("words")
    form.add(line)
    form.resize(500, 300)
    form.show()
    QApplication.processEvents()
    edge = right_edge(line, form)
    line.setMinimumHeight(600)
    qtbot.waitUntil(form.verticalScrollBar().isVisible)
    QApplication.processEvents()
    assert right_edge(line, form) == edge


def test_what_most_settings_of_a_page_share_is_said_once(open_shown: OpenShown) -> None:
    window, _, _ = open_shown()
    shown = window.settings_page("generation")
    assert not shown.note.isHidden()
    for setting in settings_of("generation"):
        row = next(row for row in shown.rows if row.control is shown.control(setting.key))
        assert shown.note.text() not in row.help.text()
        assert ("pplies" in row.help.text()) is (setting.effect != NEXT_ANSWER)


def test_a_table_keeps_its_distance_from_a_list(qtbot: QtBot) -> None:
    prose = Prose()
    qtbot.addWidget(prose)
    prose.resize(600, 100)
    prose.show_markdown("- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    document = prose.document()
    table = next(frame for frame in document.rootFrame().childFrames() if isinstance(frame, QTextTable))
    layout = document.documentLayout()
    cell = layout.blockBoundingRect(table.firstCursorPosition().block())
    last_item = layout.blockBoundingRect(document.findBlock(table.firstPosition() - 1))
    assert cell.top() - last_item.bottom() >= 18


def test_a_new_line_at_the_end_makes_the_token_view_no_higher(qtbot: QtBot) -> None:
    views = TokenView(), TokenView()
    for view, text in zip(views, ("one\n\ntwo", "one\n\ntwo\n\n"), strict=True):
        qtbot.addWidget(view)
        view.resize(400, 100)
        view.show_tokens([Token(0, text, "main", 0, 0, 0.0)])
    assert views[0].height() == views[1].height()


def test_a_bubble_marks_what_was_found_as_an_answer_does(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("Because.")]))
    window.ask_and_wait("Why guess?")
    bubble = window.turn().bubble
    window.find_in_chat("guess")
    assert [mark.cursor.selectedText() for mark in bubble.text.extraSelections()] == ["guess"]
    QTest.keyClick(window.find_bar.edit, Qt.Key.Key_Escape)
    assert bubble.text.extraSelections() == []


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_in_a_narrow_window_no_number_and_no_question_is_cut_off(
    open_window: OpenWindow, qapp: Application, code: str
) -> None:
    qapp.language.choose(code)
    window = open_window(ScriptedEngine())
    pane = window.sidebar.pane
    window.in_store(lambda store: store.conversations.trash(store.conversations.create(title="Letters")))
    pane.show_view(TRASHED)
    window.settle()
    pane.empty.click()
    window.wait(lambda: 0 < pane.empty.sizeHint().width() <= pane.empty.width())
    assert "1" in pane.empty.text().splitlines()[1]


def test_a_line_without_room_has_a_brief_form(qtbot: QtBot) -> None:
    line = ElidedLabel()
    qtbot.addWidget(line)
    line.show_text("122 of 4,096 tokens", "3%")
    widths = line.sizeHint().width(), line.fontMetrics().horizontalAdvance("3%") + 4
    pictures = []
    for width in widths:
        line.resize(width, 20)
        pictures.append(line.grab().toImage())
    line.show_text("3%", "")
    assert line.grab().toImage() == pictures[1]
    assert pictures[0].width() > pictures[1].width()


def test_a_unit_from_another_font_does_not_move_a_figure(qtbot: QtBot) -> None:
    shown = [Figure() for _ in range(2)]
    for figure, value in zip(shown, ("4.6", "0.05초"), strict=True):
        qtbot.addWidget(figure)
        figure.show_value(value, "name")
        figure.show()
    places = [[part.geometry().top() for part in figure.findChildren(QLabel)] for figure in shown]
    assert places[0] == places[1]
    digits = [figure.grab().toImage().copy(0, 0, 4, figure.height()) for figure in shown]
    inked = [[y for y in range(one.height()) if len({one.pixel(x, y) for x in range(4)}) > 1] for one in digits]
    assert inked[0][-1:] == inked[1][-1:]


@pytest.mark.parametrize("code", EACH_LANGUAGE)
def test_the_panel_is_wide_enough_and_who_guesses_moves_no_figure(
    open_window: OpenWindow, qapp: Application, code: str
) -> None:
    qapp.language.choose(code)
    window = open_window(ScriptedEngine([Script("Hello there, this is an answer.")]))
    window.ask_and_wait("Hello?")
    QApplication.processEvents()
    panel = window.panel
    assert panel.minimumSizeHint().width() <= panel.width()
    panel.details.set_open(True)
    edges = set()
    for name in depth_texts():
        panel.details.depth_figure.show_value("4", name)
        QApplication.processEvents()
        edges.add(left_edge(panel.details.first, panel))
    assert len(edges) == 1


def test_the_last_word_of_a_model_stays_where_little_fits(qtbot: QtBot) -> None:
    chip = Chip()
    qtbot.addWidget(chip)
    chip.show_model("Main", "Qwen3 0.6B", "main-model", "#000000", "chip")
    name = next(label for label in chip.findChildren(QLabel) if label.text() == "Qwen3 0.6B")
    chip.set_name_width(name.fontMetrics().horizontalAdvance("… 0.6B") + 2)
    assert name.text() == "…0.6B"


def test_the_button_below_the_chats_stands_like_the_one_above_and_a_card_keeps_the_focus(
    open_window: OpenWindow,
) -> None:
    window = open_window(ScriptedEngine())
    pane = window.sidebar.pane
    pane.search.setFocus()
    pictures = [one.grab().toImage() for one in (button(pane, "New chat"), pane.settings)]
    first = [
        next(x for x in range(one.width()) if len({one.pixel(x, y) for y in range(8, one.height() - 8)}) > 1)
        for one in pictures
    ]
    assert abs(first[0] - first[1]) <= 2
    window.trigger("palette")
    window.session.chats.open(window.session.chat)
    assert window.palette.field.hasFocus()


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

"""The token view tints exactly what the engine says, and is tied to the round strip."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCharFormat, QTextCursor

from app.chat.token_legend import TokenLegend
from app.chat.token_view import TokenView
from app.conversations.encoding import round_from_row, round_to_row
from app.session.answer import Answer
from app.widgets import theme
from app.wording.sources import role_of
from engine.events import Token
from engine.stats import RoundRecord
from tests.app.scripted_engine import Script, ScriptedEngine, ScriptedRound, play

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow

MIXED = "One two, three.\n\n한국어 문장 하나와 👩‍💻 그림, そして日本語。\n```python\nx = 1\n```\nThe end of it all."


@pytest.fixture
def view(qtbot: QtBot) -> TokenView:
    view = TokenView()
    qtbot.addWidget(view)
    view.resize(500, 100)
    view.show()
    return view


def answer_of(text: str) -> Answer:
    answer = Answer()
    answer.apply(play(Script(text)))
    return answer


def style_at(view: TokenView, position: int) -> QTextCharFormat:
    cursor = QTextCursor(view.document())
    cursor.setPosition(position + 1)
    return cursor.charFormat()


def check_tints(view: TokenView, tokens: list[Token]) -> None:
    colours, position = theme.colours(), 0
    for token in tokens:
        units = len(token.text.encode("utf-16-le")) // 2
        for place in range(position, position + units):
            if view.document().characterAt(place) == "\u2029":
                continue
            style = style_at(view, place)
            guessed = token.source in ("draft", "ngram")
            assert (style.underlineStyle() != QTextCharFormat.UnderlineStyle.NoUnderline) is guessed
            if guessed:
                assert style.background().color().name() == colours.tint(role_of(token.source))
                assert style.underlineColor().name() == colours.accent(role_of(token.source))
        position += units


def test_each_token_is_tinted_by_who_proposed_it(view: TokenView) -> None:
    answer = answer_of(MIXED)
    view.show_tokens(answer.tokens)
    assert view.toPlainText() == MIXED
    check_tints(view, answer.tokens)


def test_streamed_tokens_are_tinted_as_the_whole(view: TokenView) -> None:
    answer = Answer()
    for event in play(Script(MIXED)):
        answer.apply([event])
        view.show_tokens(answer.tokens)
    assert view.toPlainText() == MIXED
    check_tints(view, answer.tokens)


def test_lookup_and_draft_differ_by_more_than_colour(view: TokenView) -> None:
    view.show_tokens([Token(0, "a", "draft", 0, 1, -1.0), Token(1, "b", "ngram", 0, 2, -1.0)])
    assert style_at(view, 0).underlineStyle() != style_at(view, 1).underlineStyle()


def test_the_tints_follow_the_theme(view: TokenView, qapp: Application) -> None:
    answer = answer_of(MIXED)
    view.show_tokens(answer.tokens)
    qapp.theme.set_mode("dark")
    check_tints(view, answer.tokens)


def test_a_token_tells_its_round_position_and_probability(view: TokenView) -> None:
    view.show_tokens([Token(0, "Hi", "main", 0, 0, -0.5), Token(1, " you", "draft", 2, 7, -1.25)])
    assert view.description_at(3) == "draft · round 7, position 3 · probability 29%"
    assert view.description_at(99) == ""


@pytest.mark.parametrize(
    ("logprob", "shown"), [(-0.0, "100%"), (0.0, "100%"), (-0.001, "> 99%"), (-0.5, "61%"), (-9.0, "< 1%")]
)
def test_a_probability_is_never_rounded_to_nothing(view: TokenView, logprob: float, shown: str) -> None:
    view.show_tokens([Token(1, "you", "draft", 2, 7, logprob)])
    assert view.description_at(1).endswith(f"probability {shown}")


def test_tokens_without_text_cover_nothing(view: TokenView) -> None:
    view.show_tokens([Token(0, "", "draft", 0, 1, -1.0), Token(1, "가", "main", 1, 1, -1.0)])
    found = view.token_at(0)
    assert found is not None
    assert found.id == 1


def test_a_sign_that_qt_leaves_out_moves_no_token(view: TokenView) -> None:
    texts = ("a\0", "\ufeff", "\r\n", "x\u2028", "\ufeffy", "👩‍👧", "z")
    tokens = [Token(number, text, "draft", 0, number, -1.0) for number, text in enumerate(texts)]
    for count in range(1, 1 + len(tokens)):
        view.show_tokens(tokens[:count])
    assert view.token_at(view.toPlainText().index("x")) is tokens[3]
    view.select_round(6)
    assert view.textCursor().selectedText() == "z"


def test_a_replaced_answer_starts_anew(view: TokenView) -> None:
    view.show_tokens(answer_of(MIXED).tokens)
    view.show_tokens(answer_of("short one").tokens)
    assert view.toPlainText() == "short one"


def test_a_click_in_the_strip_selects_the_round_and_a_selection_marks_its_rounds(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(ScriptedEngine([Script(MIXED * 3)]))
    turn = window.session.answers.ask("tokens please")
    qtbot.waitUntil(lambda: turn.answer.ended)
    window.panel.strip.chosen.emit(3)
    tokens = window.transcript.view(turn).tokens
    assert tokens.isVisible()
    assert tokens.textCursor().selectedText().replace("\u2029", "\n") == turn.answer.text_of_round(3)
    assert window.panel.strip.marked == frozenset({3})
    tokens.selectAll()
    numbers = {record.number for record in turn.answer.rounds}
    assert window.panel.strip.marked == numbers


def test_text_and_tokens_switch_for_every_answer(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script(MIXED)]))
    turn = window.session.answers.ask("one")
    qtbot.waitUntil(lambda: turn.answer.ended)
    view = window.turn().view
    window.trigger("show-tokens")
    assert view.tokens.isVisible()
    assert not view.body.isVisible()
    window.trigger("show-text")
    assert not view.tokens.isVisible()
    assert view.body.isVisible()


def test_a_passage_marks_the_rounds_that_wrote_it_if_it_stands_there_once() -> None:
    answer = answer_of("one two three four five six seven one two")
    record = answer.rounds[1]
    assert answer.rounds_of(answer.text_of_round(record.number)) == {record.number}
    assert answer.rounds_of("one two") == frozenset()
    assert answer.rounds_of("not there") == frozenset()
    assert answer.rounds_of("") == frozenset()
    assert answer.rounds_of(answer.text) == {record.number for record in answer.rounds}


def test_a_selection_in_rendered_text_marks_its_rounds(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(ScriptedEngine([Script("A first part of it. Then a **second** part of it.")]))
    turn = window.session.answers.ask("one")
    qtbot.waitUntil(lambda: turn.answer.ended)
    prose = window.transcript.view(turn).body.text_views[0]
    prose.setTextCursor(prose.document().find("first part"))  # type: ignore[attr-defined]
    assert window.panel.strip.marked == turn.answer.rounds_of("first part") != frozenset()


@pytest.mark.parametrize("text", [" word", "\n", "q" * 4000, "\ue000", ".\n\n"])
def test_tokens_of_a_huge_answer_are_inserted_in_slices_and_up_to_a_point(view: TokenView, text: str) -> None:
    tokens = [Token(0, text, "main", 0, number, -0.1) for number in range(40_000)]
    view.show_tokens(tokens)
    counts = [0]
    for _ in range(300):
        counts.append(view.document().characterCount())
        QCoreApplication.processEvents()
    inserted = view.toPlainText().removesuffix("\n\nOnly the beginning of this very long text is shown.")
    assert inserted == "".join(token.text for token in tokens)[: len(inserted)]
    assert len(text) <= len(inserted) < 100_000
    assert max(later - before for before, later in pairwise(counts)) < 15_000
    more = [*tokens, Token(0, text, "main", 0, 0, -0.1)]
    before = view.toPlainText()
    view.show_tokens(more)
    assert view.toPlainText() == before


def test_hovering_the_token_in_their_place_tells_the_rejected_draft_tokens(view: TokenView) -> None:
    rounds = [
        RoundRecord(0, "draft", 3, 1, 2, 4, 0.1, 0, 0, 0, rejected=" cat sat"),
        RoundRecord(1, "draft", 1, 1, 2, 2, 0.2, 0, 0, 0),
    ]
    words = (("The", "draft", 0, 0), (" dog", "main", 1, 0), (" ran", "draft", 0, 1), (".", "main", 1, 1))
    tokens = [Token(0, text, source, position, number, -0.1) for text, source, position, number in words]
    view.show_tokens(tokens, rounds)
    told = [view.description_at(position) for position in (0, 4, 8, 11)]
    assert [words.endswith("\nRejected: “ cat sat”") for words in told] == [False, True, False, False]


def test_a_stored_round_keeps_its_rejected_text_and_older_ones_have_none() -> None:
    record = RoundRecord(0, "draft", 3, 1, 2, 4, 0.1, 0, 0, 0, rejected=" cat\n«sat»")
    row = round_to_row(record)
    assert round_from_row(row) == record
    assert round_from_row(row[:-1]) == replace(record, rejected="")


def test_the_colours_of_tokens_are_explained_once_where_the_panel_is_closed(open_window: OpenWindow) -> None:
    head = Script("One two three four five.", [ScriptedRound(4, 2, "head")])
    window = open_window(ScriptedEngine([Script("One two three."), head]))
    window.ask_and_wait("first", "second")

    def legends() -> list[list[str]]:
        return [found.names for found in window.transcript.findChildren(TokenLegend) if found.isVisible()]

    window.trigger("show-tokens")
    assert window.panel.isVisible()
    assert legends() == []
    assert window.find(TokenLegend).names == ["main", "head", "prompt lookup", "rejected"]
    window.trigger("toggle-panel")
    assert legends() == [["main", "head", "prompt lookup"]]
    window.trigger("show-text")
    assert legends() == []

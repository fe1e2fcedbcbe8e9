"""The token view tints exactly what the engine reports."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QTextCharFormat, QTextCursor

from app.conversations.database.encoding import round_from_row, round_to_row
from app.session.answer import Answer
from app.transcript.tints.token_legend import TokenLegend
from app.transcript.tints.token_view import TokenView
from app.widgets import theme
from app.widgets.application import Application
from app.wording.sources import role_of
from engine.events import Token
from engine.stats import RoundRecord
from tests.app.conftest import OpenWindow, Show
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script, ScriptedRound, play
from tests.app.shared_window import StartChat
from tests.app.window_parts import names_in

MIXED = "One two, three.\n\n한국어 문장 하나와 👩‍💻 그림, そして日本語。\n```python\nx = 1\n```\nThe end of it all."


@pytest.fixture
def view(show: Show[TokenView]) -> TokenView:
    return show(TokenView(), 500, 100)


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


@pytest.mark.parametrize("streamed", [False, True])
def test_each_token_is_tinted_by_who_proposed_it(view: TokenView, qapp: Application, streamed: bool) -> None:
    answer = Answer()
    for event in play(Script(MIXED)):
        answer.apply([event])
        if streamed:
            view.show_tokens(answer.tokens)
    view.show_tokens(answer.tokens)
    for mode in ("light", "dark"):
        qapp.theme.set_mode(mode)
        assert view.toPlainText() == MIXED
        check_tints(view, answer.tokens)


def test_lookup_and_draft_differ_by_more_than_colour(view: TokenView) -> None:
    view.show_tokens([Token(0, "a", "draft", 0, 1, -1.0), Token(1, "b", "ngram", 0, 2, -1.0)])
    assert style_at(view, 0).underlineStyle() != style_at(view, 1).underlineStyle()


def test_empty_lines_at_the_end_take_no_height(view: TokenView) -> None:
    heights = []
    for end in ("", "\n", "\n \n\n"):
        view.show_tokens([])
        view.show_tokens([Token(0, f"One.\nTwo.{end}", "main", 0, 0, -0.1)])
        heights.append(view.height())
    assert len({*heights}) == 1


def test_a_token_tells_its_round_position_and_probability(view: TokenView) -> None:
    shown = [(-1.25, "29%"), (-0.0, "100%"), (0.0, "100%"), (-0.001, "> 99%"), (-0.5, "61%"), (-9.0, "< 1%")]
    view.show_tokens([Token(1, "you", "draft", 2, 7, logprob) for logprob, _ in shown])
    for index, (_, words) in enumerate(shown):
        assert view.description_at(3 * index + 1) == f"draft · round 7, position 3 · probability {words}"
    assert view.description_at(99) == ""


def test_a_passage_marks_the_rounds_that_wrote_it_if_it_stands_there_once() -> None:
    answer = answer_of("one two three four five six seven one two")
    record = answer.rounds[1]
    assert answer.rounds_of(answer.text_of_round(record.number)) == {record.number}
    assert answer.rounds_of("one two") == frozenset()
    assert answer.rounds_of("not there") == frozenset()
    assert answer.rounds_of("") == frozenset()
    assert answer.rounds_of(answer.text) == {record.number for record in answer.rounds}


@pytest.mark.parametrize(
    "text", [" word", *(pytest.param(text, marks=pytest.mark.full) for text in ("\n", "\ue000", ".\n\n")), "q" * 4000]
)
def test_tokens_of_a_huge_answer_are_inserted_in_slices_and_up_to_a_point(
    view: TokenView, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.transcript.tints.token_view._MOST_TOKENS", 3000)
    monkeypatch.setattr("app.transcript.tints.token_view._MOST_WEIGHT", 20_000)
    tokens = [Token(0, text, "main", 0, number, -0.1) for number in range(4000)]
    view.show_tokens(tokens)
    counts = [0]
    while view.document().characterCount() != counts[-1]:
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


def test_the_colours_of_tokens_are_explained_once_where_the_panel_is_closed(start_chat: StartChat) -> None:
    head = Script("One two three four five. " * 4, [ScriptedRound(4, 2, "head")])
    window = start_chat(ScriptedEngine([Script("One two three."), head]))
    window.ask_and_wait("first", "second")

    def legends() -> list[list[str]]:
        return [names_in(found) for found in window.transcript.findChildren(TokenLegend) if found.isVisible()]

    window.trigger("show-tokens")
    assert window.panel.isVisible()
    assert legends() == []
    assert names_in(window.find(TokenLegend)) == ["main", "head", "rejected"]
    window.trigger("toggle-panel")
    assert legends() == [["main", "head"]]
    window.trigger("show-text")
    assert legends() == []


def test_the_legend_names_the_lookups_that_an_answer_used(open_window: OpenWindow) -> None:
    text = "One two three four five. " * 4
    looked_up = Script(text, [ScriptedRound(4, 2, "ngram"), ScriptedRound(2, 1)])
    window = open_window(ScriptedEngine([looked_up, Script(text, [ScriptedRound(4, 4)])]))
    window.ask_and_wait("first")
    assert names_in(window.find(TokenLegend)) == ["main", "draft", "prompt lookup", "rejected"]
    window.ask_and_wait("second")
    assert names_in(window.find(TokenLegend)) == ["main", "draft"]

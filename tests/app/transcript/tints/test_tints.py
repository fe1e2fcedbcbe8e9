"""The answer itself shows which tokens were drafted: tints below its letters, while it streams and when it is asked."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QEnterEvent, QImage, QMouseEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.transcript.answer_body import AnswerBody
from app.transcript.code_block import CodeBlock, highlight
from app.transcript.prose import Prose
from app.transcript.tints.tint_fade import TintFade
from app.transcript.tints.tints import AnswerTints, TintLayer
from app.widgets import theme
from engine.events import Token
from tests.app.conftest import Show
from tests.app.random_rounds import PROSE_CODE_TABLE, sample, starter_tokenizer, token_texts
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import PLAIN, STORY, Script, ScriptedRound
from tests.app.shared_window import StartChat

MIXED = "One two, **three**.\n\n한국어 문장 하나와 그림, そして日本語。\n```python\nx = 1\n```\nThe end of it all."


def tokens_of(text: str, seed: int) -> list[Token]:
    """Return the tokens of a text in rounds of up to 16, whose last token is the main model's own."""
    draw, tokens, number = random.Random(seed), list[Token](), 0
    pieces = token_texts(text, starter_tokenizer())
    while pieces:
        count = draw.randint(1, 16)
        source = draw.choice(("draft", "ngram"))
        for at, piece in enumerate(pieces[:count]):
            tokens.append(Token(0, piece, "main" if at + 1 == count else source, at, number, -0.1))
        pieces = pieces[count:]
        number += 1
    return tokens


def show_tinted(body: AnswerBody, tints: AnswerTints, tokens: list[Token], *, ended: bool) -> None:
    tints.take(tokens, ())
    body.tint(tints)
    body.show_text("".join(token.text for token in tokens), ended)


def owners(body: AnswerBody) -> list[tuple[str, Token | None]]:
    """Return each letter of the texts with the token that wrote it."""
    return [
        (view.document().characterAt(at), view.findChild(TintLayer).token_at(at))
        for view in body.text_views
        for at in range(view.document().characterCount() - 1)
    ]


@pytest.mark.usefixtures("typeset", "plain_code")
def test_a_streaming_answer_has_the_tints_of_a_whole_one(show: Show[AnswerBody]) -> None:
    for seed, text in enumerate([PROSE_CODE_TABLE, MIXED, *(answer.text for answer in sample(1, 21))]):
        tokens = tokens_of(text, seed)
        growing, whole = show(AnswerBody()), show(AnswerBody())
        tints = AnswerTints(strength=1.0)
        ends = [at + 1 for at, (one, next_one) in enumerate(pairwise(tokens)) if one.round != next_one.round]
        for end in ends:
            show_tinted(growing, tints, tokens[:end], ended=False)
        show_tinted(growing, tints, tokens, ended=True)
        show_tinted(whole, AnswerTints(strength=1.0), tokens, ended=True)
        assert owners(growing) == owners(whole)
        assert all(letter in token.text for letter, token in owners(whole) if letter.isalnum() and token)
        assert all(token for letter, token in owners(whole) if letter.isalnum())


def calls_of_rounds(body: AnswerBody, tints: AnswerTints | None, tokens: list[Token]) -> list[int]:
    """Show an answer round by round, with tints or without. Return how many functions each round calls on this thread.

    Other programs on the same processors do not change that, as they do times.
    """
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    counts = []
    for end in [at + 1 for at, (token, after) in enumerate(pairwise(tokens)) if token.round != after.round]:
        before = calls
        text = "".join(token.text for token in tokens[:end])
        sys.setprofile(count)
        if tints is not None:
            tints.take(tokens[:end], ())
            body.tint(tints)
        body.show_text(text, False)
        body.text_views[-1].viewport().repaint()
        sys.setprofile(None)
        counts.append(calls - before)
        # A new text gets its place, without which it is not painted.
        QApplication.processEvents()
    return counts


@pytest.mark.full
@pytest.mark.usefixtures("typeset", "plain_code")
@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("A draft model guesses **several** tokens, and `main` checks them in one pass. " * 12, 295),
        ("초안 모델이 다음 토큰을 제안하고, 메인 모델이 **한 번에** 확인합니다. " * 8, 254),
        ("| Round | Guess |\n|---|---|\n" + "".join(f"| {row} | **{row % 7}** more |\n" for row in range(16)), 519),
        ("".join(f"{line}. A right guess costs *nothing*, a wrong one `step {line}`.\n" for line in range(1, 20)), 380),
    ],
    ids=["paragraph", "Korean", "table", "list"],
)
def test_a_round_with_tints_calls_few_functions_more(show: Show[AnswerBody], text: str, usual: int) -> None:
    """Fewer than twice as many as usual: to look at all of an answer in each round would take several times as many."""
    tokens = tokens_of(text, 3)
    plain = calls_of_rounds(show(AnswerBody(), 700, 600), None, tokens)
    tinted = calls_of_rounds(show(AnswerBody(), 700, 600), AnswerTints(strength=1.0), tokens)
    more = [after - before for after, before in zip(tinted, plain, strict=True)]
    # Without the first rounds, which also fill caches.
    assert sum(more[3:]) / len(more[3:]) < 2 * usual, more


KINDS = {
    "paragraph": "A draft model guesses **several** tokens, and `main` *checks* them in one pass. " * 6,
    "list": "".join(f"{line}. A right guess costs *nothing*, and a wrong one `step {line}`.\n" for line in range(1, 9)),
    "code": "So:\n\n```python\n" + "def step(guess):\n    return [check(guess)]\n\n" * 5 + "```\n",
    "table": "| Round | Guess |\n|---|--:|\n" + "".join(f"| {row} | **{row % 7}** more |\n" for row in range(9)),
    "centred table": f"A {60 * 'wide'} word\n\n| Guess | Kept |\n|:-:|:-:|\n"
    + "".join(f"| {row * '*'}a | **{row}** {row * 'more '}|\n" for row in (2, 1, 5, 2, 0, 3)),
    "CJK": "草稿模型先**猜几个词**，主模型一次检查。下書きモデルが**提案**し、確かめます。초안 모델이 확인합니다. " * 3,
    "emoji": "Right 🎉, wrong 👩‍👩‍👧 and 🇰🇷, é **🙂🙂** one more. " * 6,
    "right to left": "نموذج المسودة **يخمن** عدة رموز 12 في مرة. מודל הטיוטה `main` מנחש. " * 5,
}


@pytest.mark.usefixtures("typeset", "plain_code")
@pytest.mark.parametrize("kind", KINDS)
def test_tints_that_were_kept_are_painted_where_those_of_a_new_view_are(show: Show[AnswerBody], kind: str) -> None:
    tokens = tokens_of(KINDS[kind], len(kind))
    growing, tints = show(AnswerBody(), 420, 900), AnswerTints(strength=1.0)
    ends = [at + 1 for at, (one, next_one) in enumerate(pairwise(tokens)) if one.round != next_one.round]
    for number, end in enumerate(ends):
        show_tinted(growing, tints, tokens[:end], ended=False)
        painted = [view.viewport().grab().toImage() for view in growing.text_views]
        if number % 5 == 0 or end == ends[-1]:
            at_once = show(AnswerBody(), 420, 900)
            show_tinted(at_once, AnswerTints(strength=1.0), tokens[:end], ended=False)
            assert painted == [view.viewport().grab().toImage() for view in at_once.text_views]
            at_once.hide()


def paint_part(body: AnswerBody, draw: random.Random) -> None:
    """Paint a part of the last text as Qt does where a part of the window changes: from any height on, or to any."""
    viewport = body.text_views[-1].viewport()
    area = viewport.rect()
    area.setTop(draw.randrange(max(1, area.height())))
    area.setBottom(draw.randrange(area.top(), max(area.top() + 1, area.height())))
    viewport.repaint(draw.choice((area, viewport.rect(), QRect(0, area.top(), area.width(), viewport.height()))))


@pytest.mark.usefixtures("typeset", "plain_code")
@pytest.mark.parametrize(
    "kind",
    # Without tints, too, Qt draws parts of letters that are joined from right to left a little differently.
    [kind for kind in KINDS if kind != "right to left"],
)
def test_tints_are_where_those_of_a_new_view_are_after_paints_of_parts(show: Show[AnswerBody], kind: str) -> None:
    draw, tokens = random.Random(kind), tokens_of(KINDS[kind], len(kind))
    growing, tints = show(AnswerBody(), 420, 900), AnswerTints(strength=1.0)
    ends = [at + 1 for at, (token, after) in enumerate(pairwise(tokens)) if token.round != after.round]
    for number, end in enumerate(ends):
        show_tinted(growing, tints, tokens[:end], ended=False)
        QApplication.processEvents()
        paint_part(growing, draw)
        if number % 7 == 0:
            growing.resize(draw.randrange(300, 500), 900)
            QApplication.processEvents()
            paint_part(growing, draw)
    at_once = show(AnswerBody(), growing.width(), 900)
    show_tinted(at_once, AnswerTints(strength=1.0), tokens[: ends[-1]], ended=False)
    for view, new in zip(growing.text_views, at_once.text_views, strict=True):
        # From below, so that what is above has to be what it was.
        view.viewport().repaint(QRect(0, view.viewport().height() - 1, view.width(), 1))
        assert view.viewport().grab().toImage() == new.viewport().grab().toImage()


def drafted(text: str) -> list[Token]:
    """Return a text as tokens of one word and the blank after it; every other one is drafted."""
    words = text.split(" ")
    return [
        Token(0, word if at + 1 == len(words) else f"{word} ", ("main", "draft")[at % 2], 0, at, -0.1)
        for at, word in enumerate(words)
    ]


def colour(block: CodeBlock) -> None:
    document = block.text_view.document()
    highlight(document, document.toPlainText(), ((0, document.characterCount() - 1, "main_text", True),))


def scroll(block: CodeBlock) -> None:
    block.text_view.horizontalScrollBar().setValue(90)


def enlarge(block: CodeBlock) -> None:
    block.text_view.setStyleSheet("font-size: 30px")


@pytest.mark.parametrize("change", [colour, scroll, enlarge])
@pytest.mark.parametrize(
    "code",
    ["def step(guess): # a" + " line" * 20, "one = two\nthree = four # too long for the view\nfive = six"],
    ids=["one line", "three lines"],
)
def test_tints_of_code_move_with_its_letters(
    show: Show[CodeBlock], code: str, change: Callable[[CodeBlock], None]
) -> None:
    tints = AnswerTints(strength=1.0)
    tints.take(drafted(code), ())
    images = []
    for is_painted_before in (True, False):
        block = show(CodeBlock(), 200, 300)
        block.show_code(code, "", closed=True)
        block.tint(tints, 0)
        if is_painted_before:
            block.text_view.viewport().grab()
        change(block)
        images.append(block.text_view.viewport().grab().toImage())
        block.hide()
    assert images[0] == images[1]
    assert pixels(images[0], theme.colours().draft_tint) > 0


def tinted_lines(show: Show[CodeBlock], code: str, is_high: bool) -> list[list[int]]:
    """Return the rows of pixels that are tinted in a view of code, by their lines, of which the second may be high."""
    tints = AnswerTints(strength=1.0)
    tints.take([Token(0, code, "draft", 0, 1, -0.1)], ())
    block = show(CodeBlock(), 300, 300)
    block.show_code(code, "", closed=True)
    block.tint(tints, 0)
    if is_high:
        high = QTextCharFormat()
        high.setProperty(QTextFormat.Property.FontPixelSize, 60)
        block.text_view.document().find("²").mergeCharFormat(high)
        block.text_view.fit()
    image = block.text_view.viewport().grab().toImage()
    tint = theme.colours().draft_tint
    rows = [y for y in range(image.height()) if any(image.pixelColor(x, y).name() == tint for x in range(60))]
    starts = [y for y in rows if y - 1 not in rows]
    return [[y for y in rows if start <= y and (y < end)] for start, end in pairwise([*starts, image.height()])]


def test_tints_of_code_are_of_one_height_whatever_letters_a_line_has(show: Show[CodeBlock]) -> None:
    code = "a\n\nb²\n\nc"
    usual, high = (tinted_lines(show, code, is_high) for is_high in (False, True))
    assert [len(rows) for rows in high] == [len(rows) for rows in usual]
    assert len({*map(len, usual)}) == 1
    assert len(usual) == 3
    assert high[1][0] > usual[1][0] + 20


def test_the_indentation_of_code_is_not_tinted(show: Show[CodeBlock]) -> None:
    code = "a\n        b"
    tints = AnswerTints(strength=1.0)
    tints.take([Token(0, code, "draft", 0, 1, -0.1)], ())
    block = show(CodeBlock(), 300, 300)
    block.show_code(code, "", closed=True)
    block.tint(tints, 0)
    view = block.text_view
    place = view.cursorRect(QTextCursor(view.document().lastBlock()))
    indent = view.fontMetrics().horizontalAdvance(" " * 8)
    image = view.viewport().grab().toImage()
    tint = theme.colours().draft_tint
    columns = [x for x in range(image.width()) if image.pixelColor(x, place.top() + 1).name() == tint]
    assert abs(columns[0] - place.left() - indent) <= 2


def test_a_paragraph_that_lost_its_layout_is_painted(show: Show[Prose]) -> None:
    prose, tints = show(Prose(), 300, 60), AnswerTints(strength=1.0)
    tints.take(drafted("One two three four"), ())
    prose.show_markdown(tints.text)
    prose.tint(tints, 0)
    tinted = prose.grab().toImage()
    prose.document().lastBlock().layout().clearLayout()
    prose.grab()
    prose.document().markContentsDirty(0, len(tints.text))
    assert prose.grab().toImage() == tinted


def measurements_of_rounds(body: AnswerBody, tokens: list[Token]) -> list[int]:
    """Show an answer round by round. Return how many edges of tints each round measures."""
    count = 0

    def count_measured(_frame: object, event: str, function: object) -> None:
        nonlocal count
        count += event == "c_call" and getattr(function, "__name__", "") == "cursorToX"

    tints, counts = AnswerTints(strength=1.0), list[int]()
    for end in [at + 1 for at, (token, after) in enumerate(pairwise(tokens)) if token.round != after.round]:
        before = count
        show_tinted(body, tints, tokens[:end], ended=False)
        sys.setprofile(count_measured)
        body.text_views[-1].viewport().repaint()
        sys.setprofile(None)
        counts.append(count - before)
        QApplication.processEvents()
    return counts


@pytest.mark.usefixtures("typeset")
@pytest.mark.parametrize(
    "item",
    ["{0}. A right guess costs nothing, a wrong one *some* of it.\n", "A **guess** or `two` in part {0}.\n\n"],
    ids=["list", "paragraphs"],
)
def test_a_round_measures_no_more_tints_the_longer_the_text_is(show: Show[AnswerBody], item: str) -> None:
    short, long = ("".join(item.format(number) for number in range(1, count)) for count in (9, 33))
    counts = [measurements_of_rounds(show(AnswerBody(), 700, 900), tokens_of(text, 5)) for text in (short, long)]
    # One round moves the text to another widget, where all of it is new.
    most = [sorted(rounds)[-2] for rounds in counts]
    assert 0 < most[1] <= 2 * most[0] <= 80, counts


def pixels(image: QImage, colour: str) -> int:
    return sum(image.pixelColor(x, y).name() == colour for x in range(image.width()) for y in range(image.height()))


@pytest.mark.first
def test_a_tint_is_painted_below_the_letters_of_its_token(show: Show[Prose]) -> None:
    prose = show(Prose(), 300, 60)
    tints = AnswerTints(strength=1.0)
    tints.take([Token(0, "**One", "main", 0, 0, -0.1), Token(0, " two**", "draft", 0, 1, -0.1)], ())
    prose.show_markdown(tints.text)
    prose.tint(tints, 0)
    colours = theme.colours()
    image = prose.grab().toImage()
    assert pixels(image, colours.draft_tint) > 100
    assert pixels(image, colours.draft) == 0
    tints.underlined = True
    assert pixels(prose.grab().toImage(), colours.draft) > 10
    assert pixels(image, colours.main_tint) == 0
    tints.lit = frozenset((0,))
    lit = prose.grab().toImage()
    assert (pixels(lit, colours.draft_tint), pixels(lit, colours.line) > 100) == (0, True)
    tints.lit, tints.strength = frozenset(), 0.0
    assert pixels(prose.grab().toImage(), colours.draft_tint) == 0


@pytest.mark.full
def test_tints_fade_after_the_end_unless_they_stay(
    show: Show[Prose], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.transcript.tints.tint_fade._STAYS_MS", 10)
    tints, prose = AnswerTints(), show(Prose())
    fade = TintFade(tints, prose)
    fade.follow(streams=False, stay=False)
    assert tints.strength == 0.0
    fade.follow(streams=True, stay=False)
    assert tints.strength == 1.0
    fade.follow(streams=False, stay=True)
    fade.follow(streams=False, stay=False)
    assert tints.strength == 0.0
    fade.follow(streams=True, stay=False)
    fade.follow(streams=False, stay=False)
    assert tints.strength == 1.0
    qtbot.waitUntil(lambda: tints.strength == 0.0)


def test_a_column_lights_its_tokens_and_a_word_lights_its_column(start_chat: StartChat) -> None:
    window = start_chat(ScriptedEngine([Script(f"A first part of it. {MIXED}")]))
    window.ask_and_wait("tokens please")
    answer, strip = window.answer(), window.panel.strip
    prose = window.turn().view.body.text_views[0]
    prose.setTextCursor(prose.document().find("first part"))
    assert strip.marked == answer.rounds_of("first part") != frozenset()
    window.panel.strip.chosen.emit(1)
    assert window.turn().tinted == answer.text_of_round(1)
    assert strip.marked == frozenset({1})
    strip.hovered.emit(2)
    assert window.turn().tinted == answer.text_of_round(2).replace("*", "")
    strip.hovered.emit(None)
    assert window.turn().tinted == answer.text_of_round(1)
    strip.chosen.emit(1)
    assert strip.marked == frozenset()
    cursor = QTextCursor(prose.document())
    cursor.setPosition(4)
    place = QPointF(prose.cursorRect(cursor).center() + QPoint(1, 0))
    at = prose.viewport().mapToGlobal(place)
    none = Qt.MouseButton.NoButton
    lit = strip.grab().toImage()
    move = QMouseEvent(QEvent.Type.MouseMove, place, at, none, none, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(prose, QEnterEvent(place, place, at))
    QApplication.sendEvent(prose.viewport(), move)
    assert strip.grab().toImage() != lit
    # The word of the main model that ends the round is tinted with it, beside what else is.
    assert answer.text_of_round(1) in window.turn().tinted
    QApplication.sendEvent(prose, QEvent(QEvent.Type.Leave))
    assert strip.grab().toImage() == lit
    assert answer.text_of_round(1) not in window.turn().tinted
    window.trigger("toggle-panel")
    QApplication.sendEvent(prose, QEnterEvent(place, place, at))
    QApplication.sendEvent(prose.viewport(), move)
    assert answer.text_of_round(1) not in window.turn().tinted


def test_an_answer_is_tinted_while_it_streams_and_the_toggle_keeps_the_tints(start_chat: StartChat) -> None:
    engine = ScriptedEngine([Script(STORY, [ScriptedRound(4, 4), PLAIN])], by_hand=True)
    window = start_chat(engine)
    window.session.answers.ask("A story")
    window.wait(lambda: bool(engine.answering))
    engine.go_on(4)
    window.wait(lambda: bool(window.turn().tinted))
    written = "".join(token.text for token in window.answer().tokens if token.source == "draft")
    assert window.turn().tinted == written
    window.trigger("show-tokens")
    engine.go_on(100)
    window.wait_until_answered()
    assert window.turn().view.tokens.tints.strength == 1.0
    assert window.turn().tinted == "".join(token.text for token in window.answer().tokens if token.source == "draft")
    window.trigger("show-text")
    assert window.turn().tinted == ""

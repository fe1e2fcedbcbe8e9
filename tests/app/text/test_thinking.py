"""Thoughts of reasoning models: separated from the answer, folded, with their length in tokens and time."""

from __future__ import annotations

import random
import threading
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from PySide6.QtGui import QGuiApplication

from app.session.answer import Answer, State
from app.text.thinking import GrowingParts, ThoughtAndReply, parts_of
from engine.events import Finished, Token, TokensCommitted
from engine.model_files.thought_marks import REPLY_MARKS, THOUGHT_MARKS
from engine.stats import RequestStats, RoundRecord
from tests.app.random_rounds import rounds_of
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pytestqt.qtbot import QtBot

    from tests.app.conftest import OpenWindow
    from tests.app.window_driver import WindowDriver

ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|end|><|start|>assistant<|channel|>final<|message|>"
THOUGHT = "The user wants a number. Two and two is four."
TEXT = f"<think>\n{THOUGHT}\n</think>\n\nIt is 4."


@pytest.mark.parametrize(
    ("text", "thought", "reply"),
    [
        ("It is 4.", None, "It is 4."),
        ("<think>Hm.</think>\n\nIt is 4.", "Hm.", "It is 4."),
        ("\n<think>\nHm.", "Hm.", ""),
        ("[THINK]Hm.[/THINK]It is 4.", "Hm.", "It is 4."),
        ("<think></think>\n<think>again</think>b", "again", "b"),
        ("<think>Hm.</think>\n\n<think>\nSo.\n</think>\n\nb", "Hm.\n\nSo.", "b"),
        ("<think>a</think><think>b</think> <think>c</think>d", "a\n\nb\n\nc", "d"),
        ("<think>a</think>\n<think>b", "a\n\nb", ""),
        ("<think>a</think>The mark <think> begins.</think>", "a", "The mark <think> begins.</think>"),
        ("<mm:think>\n<mm:think>Hm.</mm:think>It is 4.", "Hm.", "It is 4."),
        ("</mm:think>It is 4.", "", "It is 4."),
        ("<|START_THINKING|>Hm.<|END_THINKING|><|START_TEXT|>It is 4.<|END_TEXT|>", "Hm.", "It is 4."),
        ("Here are my reasoning steps:\nHm.\n[BEGIN FINAL RESPONSE]\n4", "Here are my reasoning steps:\nHm.", "4"),
        ("Here are my reasoning steps:\n1. Add.", None, "Here are my reasoning steps:\n1. Add."),
        ("<response>Four</response>", None, "Four"),
        ("<think>\nHm.\n</think>\n<answer>\nIt is 4.\n</answer>", "Hm.", "It is 4."),
        ("<think>Hm.</think>\n\n<answer>4</answer>", "Hm.", "<answer>4</answer>"),
        ("<answer>\n4\n</answer>", None, "<answer>\n4\n</answer>"),
        (" to=self<|message|>Hm.<|eom|><|start|>assistant to=user<|message|>It is 4.<|eot|>", "Hm.", "It is 4."),
        ("<|channel|>commentary<|message|>I look.", None, "I look."),
        # A reply that has begun stays one.
        ("Hm.\n</think>\n\nIt is 4.", None, "Hm.\n</think>\n\nIt is 4."),
        ("\n</think>\n\nIt is 4.", "", "It is 4."),
        ("Write `</think>` at the end.", None, "Write `</think>` at the end."),
        ("```xml\n<think>\nx\n</think>\n```", None, "```xml\n<think>\nx\n</think>\n```"),
        ("<think>\r\nHm.\r\n</think>\r\n\r\nIt is 4.", "Hm.", "It is 4."),
        ("<thin", None, "<thin"),
        ("<|channel>thought\nHm.\n<channel|>It is 4.", "Hm.", "It is 4."),
        ("<|channel>thought\n<channel|>It is 4.", "", "It is 4."),
        (f"{ANALYSIS}Hm < 4.{FINAL}It is 4.", "Hm < 4.", "It is 4."),
        (f"{ANALYSIS}Hm.{FINAL}It is 4.<|return|>", "Hm.", "It is 4."),
        (f"{ANALYSIS}Hm.{' ' * 20000}so{FINAL}It is 4.", f"Hm.{' ' * 20000}so", "It is 4."),
        (f"{ANALYSIS}Hm.<|end|><|start|>assistant{ANALYSIS}So.{FINAL}It is 4.", "Hm.\n\nSo.", "It is 4."),
        ("<|channel|>final<|message|>It is 4.", None, "It is 4."),
        (f"{ANALYSIS}Hm.", "Hm.", ""),
        ("<|channel|> is a mark", None, "<|channel|> is a mark"),
    ],
)
def test_thoughts_are_told_from_the_reply(text: str, thought: str | None, reply: str) -> None:
    parts = parts_of(text)
    assert (parts.thought, parts.reply) == (thought, reply)


_TEXTS = (
    "<think>\nHm.\n</think>\n\nIt is 4.",
    "Hm.\nAnd so.\n </think> \nIt is 4.\nReally.",
    "```xml\n<think>\nx\n</think>\n```\nMore.",
    "  \n[THINK]Hm.[/THINK]It is 4.",
    "Words </think> in a line\n</thinking>",
    f"{ANALYSIS}Hm.{FINAL}It is 4.",
    "<|channel>thought\nHm.<channel|>It is 4.",
    "<think>\nHm.\n</think>\n<answer>\nIt is\n4.\n</answer>",
)


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize("step", [1, 3])
def test_a_text_that_grows_has_the_parts_of_what_there_is(text: str, step: int) -> None:
    growing = GrowingParts()
    for end in range(0, len(text) + step, step):
        assert growing.of(text[:end], False) == parts_of(text[:end], False), text[:end]
    assert parts_of("<thin", ended=False) == ThoughtAndReply("", "", 5, closed=False)
    assert growing.of(text, True) == parts_of(text, True)
    # Another answer took the place of this one.
    assert growing.of("<think>Hm.\n</think>\nNo.", True) == parts_of("<think>Hm.\n</think>\nNo.", True)


_SIGNS = [
    *(mark for pair in THOUGHT_MARKS for mark in pair),
    *(mark for opening, inner in REPLY_MARKS for mark in (opening, *inner)),
    *("<|channel|>", "<|message|>", "<|end|>", "<|start|>assistant", "<|eom|>", "<|eot|>", "<|return|>", "<|call|>"),
    *(ANALYSIS, FINAL, "<|channel|>commentary to=functions.f <|constrain|>json<|message|>", " to=self", "to=user"),
]
_WORDS = ["Hm.", " so", "\n", "\n\n", " ", "  \n", "<", "<|", "|>", "{}", "\r\n", "\u3000", "x < y", "analysis", "서울"]


def marked_text(draw: random.Random) -> str:
    """Return a text of marks and words, often of a single kind of thoughts, and with letters lost, added or doubled."""
    pair = draw.choice((*THOUGHT_MARKS, (ANALYSIS, FINAL)))
    signs = draw.choice((_SIGNS, [*pair, *_SIGNS[-13:]], list(pair) * 4))
    text = draw.choice((pair[0], pair[1], "\n", "")) + "".join(draw.choices([*signs, *_WORDS], k=draw.randint(1, 12)))
    for _ in range(draw.choice((0, 0, 1, 2))):
        at = draw.randrange(len(text) + 1)
        text = text[:at] + draw.choice(("", "<", "|", ">", "/", " ", "\n")) + text[at + draw.randint(-3, 1) :]
    return text


def assert_grows_as_whole(pieces: Iterable[str]) -> None:
    growing, text = GrowingParts(), ""
    for piece in pieces:
        text += piece
        assert growing.of(text, False) == parts_of(text, False), text
    assert growing.of(text, True) == parts_of(text, True), text


@pytest.mark.parametrize(
    ("first", "count"), [(0, 60), *(pytest.param(at, 2000, marks=pytest.mark.full) for at in range(60, 12060, 2000))]
)
def test_the_parts_of_any_marks_do_not_depend_on_the_rounds(first: int, count: int) -> None:
    for seed in range(first, first + count):
        draw = random.Random(seed)
        text = marked_text(draw)
        assert_grows_as_whole(text)
        cuts = sorted(draw.choices(range(len(text) + 1), k=5))
        assert_grows_as_whole(text[start:end] for start, end in pairwise([0, *cuts, len(text)]))
        assert_grows_as_whole(rounds_of(text, seed))


class _Counted(list[Token]):
    """A list that counts its iterations."""

    times = 0

    def __iter__(self) -> Iterator[Token]:
        self.times += 1
        return super().__iter__()


def test_thoughts_that_are_over_are_counted_once() -> None:
    text = "<think>Hm, so.</think>It is 4."
    answer = Answer(State.WRITING, text)
    answer.tokens = tokens = _Counted(Token(0, text[at : at + 2], "main", 0, at, 0.0) for at in range(0, len(text), 2))
    assert {answer.thinking_figures()[0] for _ in range(5)} == {len("<think>Hm, so.</think>") // 2}
    assert tokens.times == 1


def test_thoughts_that_were_continued_took_the_time_of_both_requests() -> None:
    answer = Answer()

    def arrive(*words: tuple[str, float]) -> None:
        for number, (text, at_s) in enumerate(words):
            record = RoundRecord(number, "main", 0, 0, 1, 1, at_s, 0, 0, 0, "off" if number else "first-token")
            answer.apply([TokensCommitted(text, (Token(1, text, "main", 0, number, 0.0),), record, RequestStats())])

    arrive(("<think>", 1.0), ("Hm, ", 3.0), ("so", 9.0))
    answer.apply([Finished("length", answer.text, (), RequestStats())])
    answer.resume()
    arrive((" it is.", 2.0), ("</think>", 4.0), ("4", 5.0))
    assert answer.thinking_figures() == (5, (9.0 - 1.0) + (4.0 - 2.0))


@pytest.fixture
def answered(open_window: OpenWindow) -> WindowDriver:
    """A window with the answer TEXT."""
    window = open_window(ScriptedEngine([Script(TEXT)]))
    window.ask_and_wait("2 + 2?")
    return window


def test_thoughts_are_folded_and_their_length_is_told(answered: WindowDriver) -> None:
    window = answered
    fold = window.turn().view.thinking
    answer = window.answer()
    tokens, seconds = answer.thinking_figures()
    assert "".join(token.text for token in answer.tokens[:tokens]).startswith(f"<think>\n{THOUGHT}\n</think>")
    assert seconds
    assert fold.head.text() == f"Thought for {seconds:.2f} s"
    assert fold.head.toolTip() == f"Thought for {tokens} tokens"
    assert not fold.body.isVisible()
    assert window.shown_text() == "It is 4."
    fold.head.click()
    assert fold.body.text_views[0].toPlainText() == THOUGHT  # type: ignore[attr-defined]
    fold.head.click()
    window.trigger("copy-answer")
    assert QGuiApplication.clipboard().text() == "It is 4."
    # A search that finds a thought unfolds it.
    window.find_in_chat("wants")
    assert window.turn().thoughts_shown


@pytest.mark.full
def test_a_stored_answer_has_its_thoughts_and_their_tokens(
    answered: WindowDriver, open_window: OpenWindow, qtbot: QtBot
) -> None:
    tokens, _ = answered.answer().thinking_figures()
    answered.close()
    window = open_window(ScriptedEngine())
    qtbot.waitUntil(lambda: bool(window.turns))
    qtbot.waitUntil(lambda: f"{tokens} tokens" in window.turn().thoughts)


def test_no_mark_of_a_channel_is_ever_shown_while_it_arrives() -> None:
    text = f"{ANALYSIS}Hm.{FINAL}It is <b>4</b>.<|return|>"
    for end in range(len(text)):
        parts = parts_of(text[:end], ended=False)
        assert "<|" not in (parts.thought or "") + parts.reply
        assert "Hm. It is <b>4</b>.".startswith(f"{parts.thought or ''} {parts.reply}".strip())


@pytest.mark.full
def test_of_an_answer_in_channels_later_turns_are_told_the_reply_only(open_window: OpenWindow) -> None:
    """The template of gpt-oss refuses a chat in which a message holds such marks."""
    engine = ScriptedEngine([Script(f"{ANALYSIS}Hm.{FINAL}It is 4."), Script("<think>Hm.</think>Yes."), Script("So.")])
    window = open_window(engine)
    window.ask_and_wait("2 and 2?", "Sure?", "Really?")
    assert window.shown_text(0) == "It is 4."
    told = [message["content"] for message in engine.requests[-1].messages if message["role"] == "assistant"]
    # Templates of models with these marks take them out themselves.
    assert told == ["It is 4.", "<think>Hm.</think>Yes."]


def test_an_answer_in_channels_that_stopped_in_its_thoughts_is_begun_again(open_window: OpenWindow) -> None:
    engine = ScriptedEngine([Script(f"{ANALYSIS}Hm, so", reason="length"), Script(f"{ANALYSIS}Now.{FINAL}It is 4.")])
    window = open_window(engine)
    window.ask_and_wait("2 and 2?")
    window.turn().press("go-on")
    window.wait(lambda: len(engine.requests) == 2 and window.answer().ended)
    window.settle()
    assert [message["role"] for message in engine.requests[-1].messages] == ["user"]
    assert window.shown_text() == "It is 4."
    assert window.answer().parts.thought == "Hm, so\n\nNow."


def test_thoughts_that_the_prompt_opened_are_folded_from_the_first_token_on(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    script = Script(TEXT.removeprefix("<think>\n"), opening="<think>\n")
    engine = ScriptedEngine([script], gate=threading.Semaphore(3))
    window = open_window(engine)
    window.ask("2 + 2?")
    for _ in range(3):
        qtbot.waitUntil(lambda: bool(window.answer().tokens))
        assert window.turn().thoughts == f"Thinking… {len(window.answer().tokens)} tokens"
        assert window.shown_text() == ""
        count = len(window.answer().tokens)
        engine.gate.release()  # type: ignore[union-attr]
        qtbot.waitUntil(lambda before=count: len(window.answer().tokens) > before)
    engine.gate.release(1000)  # type: ignore[union-attr]
    window.wait_until_answered()
    assert window.shown_text() == "It is 4."
    answer = window.answer()
    tokens, _ = answer.thinking_figures()
    assert "".join(token.text for token in answer.tokens[:tokens]).endswith(f"{THOUGHT}\n</think>")
    first = next(token for token in answer.tokens if token.text == "It")
    assert answer.rounds_of("It is") == {first.round}


def test_thoughts_that_the_prompt_opened_stay_thoughts_if_they_were_stopped(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(ScriptedEngine([Script("Hm, so", opening="<think>\n", reason="length")]))
    window.ask_and_wait("2 + 2?")
    window.close()
    # A prompt that ends in the middle of thoughts opens none.
    engine = ScriptedEngine([Script(" it is.\n</think>\n\n4")])
    window = open_window(engine)
    qtbot.waitUntil(
        lambda: (
            bool(window.turns) and window.answer().parts == ThoughtAndReply("Hm, so", "", 14, closed=False, opened=8)
        )
    )
    assert window.shown_text() == ""
    window.turn().press("go-on")
    window.wait(lambda: bool(engine.requests) and window.answer().ended)
    assert engine.requests[-1].messages[-1] == {"role": "assistant", "content": "<think>\nHm, so"}
    assert (window.answer().parts.thought, window.shown_text()) == ("Hm, so it is.", "4")


def test_an_answer_that_ends_in_its_thoughts_says_so_and_goes_on_after_them(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    """A model that drew the token of the end would draw it again, so its thoughts are closed for it."""
    engine = ScriptedEngine([Script("Hm, so", opening="<think>\n"), Script("It is 4.")])
    window = open_window(engine)
    window.ask_and_wait("2 + 2?")
    assert window.turn().note_text == "The model stopped while thinking, without an answer."
    assert window.turn().note_buttons == ["Continue"]
    assert window.turn().view.answer_row.button("go-on").isHidden()
    window.turn().press_note("Continue")
    window.wait(lambda: len(engine.requests) == 2 and window.answer().ended)
    window.settle()
    whole = "<think>\nHm, so\n</think>\n\n"
    assert engine.requests[-1].messages[-1] == {"role": "assistant", "content": whole}
    assert (window.answer().parts.thought, window.shown_text()) == ("Hm, so", "It is 4.")
    assert window.turn().note_text == ""
    window.close()
    later = open_window(ScriptedEngine([]))
    qtbot.waitUntil(lambda: bool(later.turns) and later.answer().text == f"{whole}It is 4.")

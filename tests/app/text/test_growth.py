"""What reads an answer in pieces takes about as long for each piece of a long answer as for those of a short one.

Steps are counted, not seconds: lines of Python, and the characters that regular expressions read.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest
from msgspec import convert

from app.api.dialects.anthropic_messages import MessageWriter
from app.api.dialects.chat import ChatBody, ChatWriter
from app.api.dialects.lm_studio_chat import LmStudioChatWriter
from app.api.dialects.ollama import OllamaGenerateBody, OllamaWriter
from app.api.dialects.responses import ResponseBody, ResponseItemsWriter
from app.api.kept_items import KeptItems
from app.api.response_writers import ResponseWriter
from app.session.answer import Answer
from app.text.answer_parts import AnswerParts
from app.text.blocks import Splitter, prepare_parser
from app.text.repetition import Repetition
from app.text.thinking import GrowingParts
from engine.call_forms.table import call_form
from engine.events import Token, TokensCommitted
from engine.grammars.grammar import calls_of
from engine.model_files.thought_marks import REPLY_MARKS, THOUGHT_MARKS
from engine.stats import RequestStats, RoundRecord
from engine.tokenizers.answer_text import AnswerText
from tests.app.answers_with_calls import READ_HERE
from tests.counted_steps import LETTERS_OF_A_LINE, OURS, PARSER, count_letters, lines
from tests.engine.grammars.written_calls import function, written

# The letters of a piece, and of the two answers that are compared. Four times the letters take at most MOST times the
# steps: 4 and what is done once in a while. Counting is slow, so that only one form of each way of reading calls is
# tried with the longest answers.
PIECE = 4
SHORT = 256
SHORT_IN_FULL = 8000
SHORT_OF_EACH_FORM = 1000
TIMES = 4
MOST = 5

WORDS = "The words of an answer go on, one after the other, and so on. "
TOOLS = [function("write", text={"type": "string"})]
RESPONSE = convert({"input": "", "tools": [{"type": "function", "name": "write"}]}, ResponseBody)
STATS = RequestStats()
RECORD = RoundRecord(0, "main", 0, 0, 1, 1, 0.0, 0, 0, 0, "off")
ANALYSIS = "<|channel|>analysis<|message|>"
FINAL = "<|start|>assistant<|channel|>final<|message|>"

Feed = Callable[[str], object]


def words(length: int) -> str:
    return again(WORDS, length)


def again(unit: str, length: int) -> str:
    """Return a text of about that many letters that repeats `unit`, at least once."""
    return unit * max(1, length // len(unit))


def call_in(form: str) -> tuple[str, str]:
    """Return what stands before and after the text of the argument of a call in a form."""
    fixed = [function("write", text={"const": "TEXT"})]
    before, _, after = written(calls_of(form, fixed, parallel=False), random.Random(0), plain=True).partition("TEXT")
    assert after
    return before, after


CONTENTS: dict[str, Callable[[int], str]] = {
    "reply": words,
    "white space": lambda length: "\n" * length,
    "lines of white space": lambda length: again(" \n", length),
    "words and white space": lambda length: "Words." + "\n" * length,
    "half marks": lambda length: again("<", length),
    "half headers": lambda length: again("<|", length),
    "messages": lambda length: ANALYSIS + words(length),
    "final message": lambda length: f"{ANALYSIS}Hm.<|end|>{FINAL}" + words(length),
    "many messages": lambda length: again(f"{ANALYSIS}Hm.<|end|><|start|>assistant", length),
    "many replies": lambda length: again(f"<|channel|>final<|message|>{WORDS}<|end|><|start|>assistant", length),
    "messages to oneself": lambda length: " to=self<|message|>" + words(length),
    "marks in a message": lambda length: ANALYSIS + again("<|end|> so ", length),
    "blocks of code": lambda length: again("```py\nx = 1\n```\n\nSo.\n", length),
    "calls that are none": lambda length: again("<tool_call>not a call</tool_call> ", length),
    "JSON": lambda length: "[" + again('{"a": "b"}, ', length),
    "names": lambda length: again("write\n", length),
}


def contents_with(opening: str, closing: str) -> dict[str, Callable[[int], str]]:
    """Return contents with thoughts between these marks."""
    return {
        "thoughts": lambda length: opening + words(length),
        "blank thoughts": lambda length: opening + again(" \n", length),
        "thoughts again": lambda length: again(f"{opening}a{closing}", length),
        "thoughts and reply": lambda length: f"{opening}Hm.{closing}" + words(length),
        "blank reply": lambda length: f"{opening}a{closing}" + again(" \n", length),
        "closing marks": lambda length: WORDS + again(f"\n{closing}\n", length),
    }


CONTENTS |= contents_with("<think>", "</think>")


# The forms and marks of the default tier: one of each way of reading. The full tier has all.
FIRST_FORMS = ("json_tools", "qwen3_coder", "llama_json")
FIRST_MARKS = (("<|channel>thought", "<channel|>"),)


def _first(value: Any, first: Sequence[Any]) -> Any:
    return value if value in first else pytest.param(value, marks=pytest.mark.full)


@pytest.fixture(params=[SHORT, pytest.param(SHORT_IN_FULL, marks=pytest.mark.full)])
def short(request: pytest.FixtureRequest) -> int:
    """The letters of the shorter answer."""
    return int(request.param)


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The characters that regular expressions have read."""
    prepare_parser({})
    names = [
        name for name in sys.modules if name.startswith(("app.text.", "app.cli.", "app.api.", "engine.call_forms."))
    ]
    return count_letters(monkeypatch, names)


def steps(make: Callable[[], Feed], text: str, letters: list[int]) -> float:
    """Return the steps that a reader takes for a text in pieces, and for its end."""
    feed = make()

    def read() -> None:
        for start in range(0, len(text), PIECE):
            feed(text[start : start + PIECE])

    before = letters[0]
    return lines(read, of=(*OURS, PARSER)) + (letters[0] - before) / LETTERS_OF_A_LINE


def growing(make: Callable[[], Feed], content: Callable[[int], str], short: int, letters: list[int]) -> float:
    """Return how many times the steps a text takes that is TIMES as long."""
    few = content(short)
    many = content(TIMES * short)
    return steps(make, many, letters) / steps(make, few, letters) * len(few) * TIMES / len(many)


def parts_of(form: str | None) -> Callable[[], Feed]:
    return lambda: AnswerParts(None if form is None else call_form(form), TOOLS if form else ()).add


def shown_parts() -> Feed:
    """What the window and the terminal read: the text so far."""
    parts = GrowingParts()
    so_far = list[str]()

    def feed(text: str) -> None:
        so_far.append(text)
        parts.of("".join(so_far), False)

    return feed


def committed(text: str) -> TokensCommitted:
    return TokensCommitted(text, (Token(0, text, "main", 0, 0, 0.0),), RECORD, STATS)


def session_answer() -> Feed:
    """An answer in the window, whose thoughts and reply are looked at after each piece."""
    answer = Answer(separator=AnswerParts(call_form("json_tools"), TOOLS))

    def feed(text: str) -> None:
        answer.apply([committed(text)])
        assert answer.parts.end <= len(answer.text)

    return feed


def api(writer: Callable[[], ResponseWriter]) -> Callable[[], Feed]:
    def make() -> Feed:
        new = writer()
        return lambda text: new.write([(0, committed(text))])

    return make


def parts() -> AnswerParts:
    return AnswerParts(call_form("json_tools"), TOOLS)


def repetition() -> Feed:
    watched = Repetition()
    return lambda text: watched.add([text])


# What reads each kind of content in pieces.
READERS: dict[str, Callable[[], Feed]] = {
    "no form": parts_of(None),
    "json_tools": parts_of("json_tools"),
    "harmony": parts_of("harmony"),
    "shown parts": shown_parts,
}
# What reads a reply, thoughts and calls in pieces; the rest is read by the same code as above.
OTHERS: dict[str, Callable[[], Feed]] = {
    "chat completions": api(lambda: ChatWriter("m", [parts()], ChatBody(messages=[]))),
    "messages": api(lambda: MessageWriter("m", parts(), ())),
    "responses": api(
        lambda: ResponseItemsWriter("m", parts(), RESPONSE, partial(KeptItems().keep, "caller"), logprobs=False)
    ),
    "ollama": api(lambda: OllamaWriter("m", parts(), OllamaGenerateBody())),
    "lm studio": api(lambda: LmStudioChatWriter("m", parts(), None)),
}
# What reads up to some thousand letters again, which a longer answer has no more of.
BOUNDED: dict[str, Callable[[], Feed]] = {
    "answer of the window": session_answer,
    "repetition": repetition,
    "splitter": lambda: Splitter().feed,
}
MIXED = {
    "reply": CONTENTS["reply"],
    "thoughts": CONTENTS["thoughts"],
    "call": lambda length: words(length).join(call_in("json_tools")),
    "white space": CONTENTS["white space"],
    "blocks of code": CONTENTS["blocks of code"],
    "paragraphs": lambda length: again(f"{WORDS}\n\n", length),
    "items": lambda length: again(f"- {WORDS}\n", length),
    "rows": lambda length: "| a | b |\n|---|---|\n" + again("| words | and more |\n", length),
    "long code": lambda length: "```py\n" + again("x = 1 + 2\n", length),
    "many thoughts": CONTENTS["thoughts again"],
}


@pytest.mark.full
@pytest.mark.parametrize("reader", READERS)
def test_thoughts_and_replies_are_read_once(reader: str, short: int, letters: list[int]) -> None:
    found = {name: growing(READERS[reader], content, short, letters) for name, content in CONTENTS.items()}
    assert {name: times for name, times in found.items() if times > MOST} == {}


@pytest.mark.parametrize("marks", [_first(marks, FIRST_MARKS) for marks in THOUGHT_MARKS])
@pytest.mark.parametrize("reader", ["no form", "shown parts"])
def test_thoughts_between_any_marks_are_read_once(reader: str, marks: tuple[str, str], letters: list[int]) -> None:
    contents = contents_with(*marks)
    found = {name: growing(READERS[reader], content, SHORT, letters) for name, content in contents.items()}
    assert {name: times for name, times in found.items() if times > MOST} == {}


@pytest.mark.parametrize("opening", [opening for opening, _ in REPLY_MARKS])
def test_a_reply_behind_any_mark_is_read_once(opening: str, letters: list[int]) -> None:
    for content in (words, lambda length: again(" \n", length)):
        assert growing(READERS["no form"], lambda length, of=content: opening + of(length), SHORT, letters) <= MOST


@pytest.mark.full
@pytest.mark.parametrize(
    ("form", "short"),
    [
        *((form, SHORT) for form in FIRST_FORMS),
        *(pytest.param(form, SHORT_IN_FULL, marks=pytest.mark.full) for form in FIRST_FORMS),
        *(
            pytest.param(form, SHORT_OF_EACH_FORM, marks=pytest.mark.full)
            for form in READ_HERE
            if form not in FIRST_FORMS
        ),
    ],
)
def test_calls_of_each_form_are_read_once(form: str, short: int, letters: list[int]) -> None:
    before, after = call_in(form)
    contents = {
        "long call": lambda length: before + words(length) + after,
        "open call": lambda length: before + words(length),
        "call in thoughts": lambda length: "<think>\n" + before + words(length),
        "calls": lambda length: again(f"{before}a{after}\n", length),
        "mentions": lambda length: again(f"{before[:-6]} and ", length),
        "reply": words,
        "white space": lambda length: "\n" * length,
    }
    found = {name: growing(parts_of(form), content, short, letters) for name, content in contents.items()}
    assert {name: times for name, times in found.items() if times > MOST} == {}


@pytest.mark.full
@pytest.mark.parametrize("reader", OTHERS)
def test_pieces_of_answers_are_read_once(reader: str, short: int, letters: list[int]) -> None:
    found = {name: growing(OTHERS[reader], content, short, letters) for name, content in MIXED.items()}
    assert {name: times for name, times in found.items() if times > MOST} == {}


# Without the paragraph that becomes plain text at 20,000 letters: its pieces then take more steps, but none takes
# more than the one before it.
@pytest.mark.full
@pytest.mark.parametrize("reader", BOUNDED)
@pytest.mark.parametrize("content", [content for content in MIXED if content != "reply"])
def test_no_more_than_a_part_of_an_answer_is_read_again(reader: str, content: str, letters: list[int]) -> None:
    assert growing(BOUNDED[reader], MIXED[content], SHORT_IN_FULL, letters) <= MOST


def test_stop_strings_are_looked_for_in_what_is_new(short: int, letters: list[int]) -> None:
    class Detokenizer:
        """Takes texts for tokens."""

        last_segment = ""

        def add_token(self, token: str) -> None:
            self.last_segment = token

    assert growing(lambda: AnswerText(Detokenizer(), ("never", "\n\nEnd")).add, words, short, letters) <= MOST

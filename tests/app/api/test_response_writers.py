"""An answer says the same whether it streams, in whatever rounds, or comes whole."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

import pytest
from msgspec import convert

from app.api.answering import CompleteAnswer
from app.api.dialects.anthropic_messages import MessageWriter
from app.api.dialects.chat import ChatBody, ChatWriter
from app.api.dialects.lm_studio_chat import LmStudioChatWriter
from app.api.dialects.ollama import OllamaGenerateBody, OllamaWriter
from app.api.dialects.responses import ResponseBody, ResponseItemsWriter
from app.api.response_writers import ResponseWriter
from app.text.answer_parts import AnswerParts
from engine.call_forms.form import ToolCall
from engine.call_forms.table import call_form
from engine.events import Finished, Token, TokensCommitted
from engine.model_files.thought_marks import THOUGHT_MARKS
from engine.stats import RequestStats, RoundRecord
from tests.app.answers_with_calls import READ_HERE, TOOLS, case_of, grammar_of
from tests.app.random_rounds import rounds_of
from tests.engine.grammars.written_calls import written

RESPONSE = convert(
    {"input": "", "tools": [{"type": "function", "name": tool["function"]["name"]} for tool in TOOLS]}, ResponseBody
)
RECORD = RoundRecord(0, "main", 0, 0, 1, 1, 0.0, 0, 0, 0, "off")

WRITERS: dict[str, Callable[[AnswerParts], ResponseWriter]] = {
    "chat completions": lambda parts: ChatWriter("m", [parts], ChatBody(messages=[])),
    "messages": lambda parts: MessageWriter("m", parts, ()),
    "responses": lambda parts: ResponseItemsWriter("m", parts, RESPONSE, None, logprobs=False),
    "ollama": lambda parts: OllamaWriter("m", parts, OllamaGenerateBody()),
    "lm studio": lambda parts: LmStudioChatWriter("m", parts, None),
}
Said = tuple[str, str, list[ToolCall], bool]


def said(writer: ResponseWriter) -> Said:
    """Return the thoughts, the text and the calls that were written, and whether a call is missing."""
    [parts] = writer.answers
    return parts.reasoning, parts.content, parts.calls, parts.broken


@cache
def answers() -> list[tuple[str, str, str]]:
    """Return answers with their forms and the marks with which their prompts open thoughts."""
    found = []
    for number, form in enumerate(READ_HERE):
        opening, closing = THOUGHT_MARKS[number % len(THOUGHT_MARKS)]
        call = written(grammar_of(form), random.Random(number), plain=True)
        found += [
            (form, f"Hm.\n{closing}\n\nSo.\n{call}", ""),
            (form, f"Hm.\n{closing}\n\nSo.\n{call}", f"{opening}\n"),
            (form, f"{opening}Hm.{closing}{call}", ""),
            (form, case_of(number).text, ""),
        ]
    return found


def assert_streaming_says_the_same(name: str, chosen: list[tuple[str, str, str]]) -> None:
    for seed, (form, text, opening) in enumerate(chosen):
        rounds = rounds_of(text, seed)
        stats = RequestStats(opening=opening)
        finished = Finished("stop", "".join(rounds), (), stats)
        tokens = [Token(0, piece, "main", 0, 0, 0.0) for piece in rounds]
        whole = WRITERS[name](AnswerParts(call_form(form), TOOLS))
        whole.whole([CompleteAnswer(finished, tokens, [])])
        streamed = WRITERS[name](AnswerParts(call_form(form), TOOLS))
        for token in tokens:
            streamed.write([(0, TokensCommitted(token.text, (token,), RECORD, stats))])
        streamed.write([(0, finished)])
        assert said(streamed) == said(whole), (form, text)


@pytest.mark.parametrize("number", range(len(WRITERS)))
def test_an_answer_that_streams_says_what_a_whole_one_says(number: int) -> None:
    """Each writer writes some answers, and each answer is written by one."""
    assert_streaming_says_the_same(list(WRITERS)[number], answers()[number :: len(WRITERS)])


@pytest.mark.full
@pytest.mark.parametrize("name", WRITERS)
def test_all_answers_that_stream_say_what_whole_ones_say(name: str) -> None:
    assert_streaming_says_the_same(name, answers())

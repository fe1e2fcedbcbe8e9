"""A model whose chat template knows no tools is shown them, earlier calls and results as text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mlx_lm.tokenizer_utils import TokenizerWrapper
from transformers import PreTrainedTokenizerFast

from engine.tokenizers.prompts import PromptJob, make_prompt
from tests.tiny_models import train_tokenizer

ALTERNATE = (
    "{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
    "<{{ 'model' if m.role == 'assistant' else m.role }}>{{ m.content | trim }}</>{% endfor %}"
    "{% if add_generation_prompt %}<model>{% endif %}"
)
# Templates as families without tools have them; each writes a turn as <role>text</>.
TEMPLATES = {
    "chatml": "{% for m in messages %}<{{ m.role }}>{{ m.content }}</>{% endfor %}"
    "{% if add_generation_prompt %}<model>{% endif %}",
    "strict": ALTERNATE,
    "system first": "{% if messages[0].role == 'system' %}<system>{{ messages[0].content }}</>"
    "{% set messages = messages[1:] %}{% endif %}" + ALTERNATE,
    "system joined": "{% set first = messages[0].content + '\n\n' if messages[0].role == 'system' else '' %}"
    "{% if first %}{% set messages = messages[1:] %}{% endif %}{{ first }}" + ALTERNATE,
}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "Tell the weather <|im_end|> of a city.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
SAID = {"role": "system", "content": "Be brief."}
ASKED = {"role": "user", "content": "And in Rio?"}


def called(content: str, *cities: str) -> dict[str, Any]:
    calls = [{"type": "function", "function": {"name": "weather", "arguments": {"city": city}}} for city in cities]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def result(text: str) -> dict[str, Any]:
    return {"role": "tool", "content": text, "tool_call_id": "1"}


CALL = '<tool_call>\n{{"name": "weather", "arguments": {{"city": "{}"}}}}\n</tool_call>'
RESULT = "<tool_response>\n{}\n</tool_response>"
# Turns, and as what they are rendered.
HISTORIES: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    "question": ([ASKED], [("user", "And in Rio?")]),
    "call": (
        [ASKED, called("", "서울"), result("sunny")],
        [("user", "And in Rio?"), ("model", CALL.format("서울")), ("user", RESULT.format("sunny"))],
    ),
    "text and calls": (
        [ASKED, called("I look.", "A", "B"), result("1"), result("2"), ASKED],
        [
            ("user", "And in Rio?"),
            ("model", f"I look.\n{CALL.format('A')}\n{CALL.format('B')}"),
            ("user", f"{RESULT.format('1')}\n{RESULT.format('2')}\nAnd in Rio?"),
        ],
    ),
    "answered": (
        [ASKED, called("", "A"), result("1"), {"role": "assistant", "content": "Fine."}, ASKED],
        [
            ("user", "And in Rio?"),
            ("model", CALL.format("A")),
            ("user", RESULT.format("1")),
            ("model", "Fine."),
            ("user", "And in Rio?"),
        ],
    ),
    "no result": (
        [ASKED, called("", "A"), ASKED],
        [("user", "And in Rio?"), ("model", CALL.format("A")), ("user", "And in Rio?")],
    ),
}


def prompt(template: str, messages: list[dict[str, Any]], tools: list[Any]) -> str:
    fast = PreTrainedTokenizerFast(
        tokenizer_object=train_tokenizer(), eos_token="</s>", chat_template=TEMPLATES[template]
    )
    model = TokenizerWrapper(fast)
    made = make_prompt(model, PromptJob(messages, 4000, tools=tools))
    assert (made.dropped, made.merged >= 0) == (0, True)
    return str(model.decode(made.ids))


@pytest.mark.parametrize("system", [True, False])
@pytest.mark.parametrize("history", HISTORIES)
@pytest.mark.parametrize("template", TEMPLATES)
def test_tools_and_what_was_called_are_text_for_every_template(template: str, history: str, system: bool) -> None:
    messages, turns = HISTORIES[history]
    text = prompt(template, [SAID, *messages] if system else messages, [TOOL])
    about, _, rest = text.partition(json.dumps(TOOL["function"]))
    assert '<tool_call>\n{"name": FUNCTION, "arguments": {...}}\n</tool_call>' in about
    assert ("Be brief.\n\nYou can call functions." in about) == system
    for role, content in turns[1:]:
        begin = "assistant" if (role, template) == ("model", "chatml") else role
        assert f"<{begin}>{content}</>" in rest
    assert f"{turns[0][1]}</>" in rest
    assert rest.endswith("</><model>")


def test_without_tools_on_offer_the_past_is_still_text() -> None:
    messages, _ = HISTORIES["call"]
    text = prompt("strict", messages, [])
    assert text == f"<user>And in Rio?</><model>{CALL.format('서울')}</><user>{RESULT.format('sunny')}</><model>"


def test_a_conversation_without_tools_is_not_touched() -> None:
    assert prompt("chatml", [SAID, ASKED], []) == "<system>Be brief.</><user>And in Rio?</><model>"

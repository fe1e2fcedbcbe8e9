"""A model is shown the names of functions that it can write, in the tools and in earlier calls."""

from __future__ import annotations

from typing import Any

import pytest
from mlx_lm.tokenizer_utils import TokenizerWrapper
from transformers import PreTrainedTokenizerFast

from engine.tokenizers.prompt_texts import tool_format_of
from engine.tokenizers.prompts import PromptJob, make_prompt
from tests.tiny_models import train_tokenizer

SHOWN = "{{ tools | map(attribute='function.name') | join(',') }}{% for m in messages %}|{{ m.content }}"
TEMPLATE = SHOWN + "{% for call in m.tool_calls %} {{ call.function.name }}{% endfor %}{% endfor %}"


def tool(name: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}


# As in Mistral's templates.
REFUSES = (
    "{%- if _|length != 9 %}{{ raise_exception('Tool call IDs should be alphanumeric with length 9!') }}{% endif %}"
)
SHORT = (
    "{% for m in messages %}{% if m.role == 'tool' %}"
    + REFUSES.replace("_", "m.tool_call_id")
    + "{{ m.tool_call_id }}|"
    "{% endif %}{% for call in m.tool_calls %}" + REFUSES.replace("_", "call.id") + "{{ call.id }}|{% endfor %}"
    "{% endfor %}"
)


@pytest.mark.parametrize(
    ("template", "form"),
    [(TEMPLATE, "response_template:"), ("{{ messages }}", ""), (TEMPLATE + "{# <tool_call> #}", "json_tools")],
    ids=["described", "without a place for functions", "known"],
)
def test_a_form_that_is_not_known_is_the_one_that_the_files_describe(template: str, form: str) -> None:
    fast = PreTrainedTokenizerFast(tokenizer_object=train_tokenizer(), eos_token="</s>", chat_template=template)
    calls = {"open": "<do>", "close": "</do>", "content": "json", "repeats": True}
    fast.response_template = {"start_anchor": "<me>", "fields": {"tool_calls": calls}}
    assert tool_format_of(TokenizerWrapper(fast)).partition("{")[0] == form


def test_ids_of_calls_are_as_short_as_the_template_wants_them() -> None:
    given = ["call-792a017b278eb3b5b6129005", "", "abcdef123"]
    calls = [{"id": one, "type": "function", "function": {"name": "f", "arguments": {}}} for one in given]
    results = [{"role": "tool", "content": "8", "tool_call_id": one} for one in given]
    messages = [{"role": "user", "content": "5"}, {"role": "assistant", "content": "", "tool_calls": calls}, *results]
    fast = PreTrainedTokenizerFast(tokenizer_object=train_tokenizer(), eos_token="</s>", chat_template=SHORT)
    model = TokenizerWrapper(fast)
    *ids, rest = str(model.decode(make_prompt(model, PromptJob(messages, 1000)).ids)).split("|")
    assert ids[:3] == ids[3:]
    assert (ids[2], len({*ids}), {*map(len, ids)}, rest) == ("abcdef123", 3, {9}, "")


@pytest.mark.parametrize(
    ("sign", "offered", "prompt"),
    [
        ("{# [func_name1( #}", ("get-sum", "get_sum"), "get_sum_2,get_sum|5| get_sum_2 _2nd|8"),
        ("{# <tool_call> #}", ("get-sum", "get_sum"), "get-sum,get_sum|5| get-sum 2nd|8"),
        # The answer's grammar knows only what is on offer, whatever was called before.
        ("{# [func_name1( #}", ("get:sum",), "get_sum|5| get_sum _2nd|8"),
    ],
)
def test_the_names_in_a_prompt_are_those_that_the_model_writes(
    sign: str, offered: tuple[str, ...], prompt: str
) -> None:
    calls = [{"type": "function", "function": {"name": name, "arguments": {}}} for name in ("get-sum", "2nd")]
    messages = [
        {"role": "user", "content": "5"},
        {"role": "assistant", "content": "", "tool_calls": calls},
        {"role": "tool", "content": "8"},
    ]
    fast = PreTrainedTokenizerFast(tokenizer_object=train_tokenizer(), eos_token="</s>", chat_template=sign + TEMPLATE)
    model = TokenizerWrapper(fast)
    job = PromptJob(messages, 1000, tools=[tool(name) for name in offered])
    assert model.decode(make_prompt(model, job).ids) == prompt

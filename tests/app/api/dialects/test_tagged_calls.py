"""Files that a model writes between tags, with tags in them: in every API whole, or visibly not called."""

from __future__ import annotations

import json
import random
from dataclasses import replace

import pytest

from engine.status import LoadedPair
from tests.app.api.conftest import Serve
from tests.app.api.every_dialect import DIALECTS, DialectReply
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script, ScriptedRound
from tests.engine.call_forms.tagged_texts import TAGGED, TOOLS, closing_tags, file_of, tags
from tests.engine.tiers import in_turn

CHAT = {"messages": [{"role": "user", "content": "Write it."}]}


def answered(serve: Serve, api: str, form: str, text: str, reason: str = "stop") -> list[DialectReply]:
    """Return what an API answers, whole and streamed, if the model writes this text."""
    script = Script(text, (ScriptedRound(24, 24),), reason=reason)
    served = serve(ScriptedEngine([script]), LoadedPair(replace(model_info("main"), tool_format=form), None))
    return list(DIALECTS[api].replies(served, "Write it.", TOOLS))


def written(content: str) -> list[tuple[str, dict[str, str]]]:
    """Return the call that writes a file."""
    return [(TOOLS[0]["function"]["name"], {"path": "a.md", "content": content})]


def nasty(form: str) -> str:
    """Return a text with tags of this form in it, and a call, whose end is certain."""
    example = file_of(form, "x")
    closing, *_, ending, _ = closing_tags(form)
    return f"A block ends with {closing} here.\n{ending}\nTwo calls:\n{example}\n{example}\nLAST LINE"


@pytest.mark.parametrize(("api", "form"), in_turn(DIALECTS, TAGGED))
def test_a_file_with_tags_in_it_arrives_whole(serve: Serve, api: str, form: str) -> None:
    content = nasty(form)
    found = answered(serve, api, form, f"Now: {file_of(form, content)}")
    assert found == [DialectReply("Now: ", written(content), DIALECTS[api].ends[0])] * 2


@pytest.mark.parametrize(("api", "form"), in_turn(DIALECTS, TAGGED))
def test_a_file_whose_end_cannot_be_told_stays_text(serve: Serve, api: str, form: str) -> None:
    begun = tags(form).key.replace("NAME", "a").replace("STRING", "true")
    text = file_of(form, f"An argument begins with {begun}")
    assert answered(serve, api, form, text) == [DialectReply(text, [], DIALECTS[api].ends[1])] * 2


@pytest.mark.full
@pytest.mark.parametrize("api", DIALECTS)
def test_a_file_that_was_cut_off_is_neither_a_call_nor_text(serve: Serve, api: str) -> None:
    text = file_of("qwen3_coder", f"{closing_tags('qwen3_coder')[-2]} and")[: -len(" and\n</parameter>")]
    whole = file_of("qwen3_coder", "x")
    for cut in (text, whole, whole[:-20]):
        found = answered(serve, api, "qwen3_coder", f"I write it.\n{cut}", "length")
        assert found == [DialectReply("I write it.\n", [], DIALECTS[api].ends[2])] * 2


@pytest.mark.full
@pytest.mark.parametrize(
    ("api", "parts_of_it"), [("messages", 700), *(pytest.param(api, 4500, marks=pytest.mark.full) for api in DIALECTS)]
)
def test_a_long_file_of_tags_arrives_whole(serve: Serve, api: str, parts_of_it: int) -> None:
    draw = random.Random(23)
    parts = ["Some words. ", "\n", "</", "<tool_call>", *closing_tags("qwen3_coder"), *closing_tags("glm47")]
    content = "".join(draw.choice(parts) for _ in range(parts_of_it))
    assert len(content) > 11 * parts_of_it
    found = answered(serve, api, "qwen3_coder", file_of("qwen3_coder", content))
    assert found == [DialectReply("", written(content), DIALECTS[api].ends[0])] * 2


def test_the_first_closing_tag_is_no_stop_where_one_call_is_allowed(serve: Serve) -> None:
    content = "It ends with </tool_call> here."
    pair = LoadedPair(replace(model_info("main"), tool_format="qwen3_coder"), None)
    served = serve(ScriptedEngine([Script(file_of("qwen3_coder", content))]), pair)
    [choice] = served.chat(CHAT | {"tools": TOOLS, "parallel_tool_calls": False})["choices"]
    assert [json.loads(one["function"]["arguments"])["content"] for one in choice["message"]["tool_calls"]] == [content]
    assert served.requests[-1].stop == ()

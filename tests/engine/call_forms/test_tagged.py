"""Texts with tags in them, between tags: they are read whole, or the call is not read at all."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Any

import pytest

from engine.call_forms.table import call_form
from engine.call_forms.tagged import AmbiguousCall
from tests.engine.call_forms.tagged_texts import (
    LINES,
    PROPERTIES,
    SCHEMA,
    TAGGED,
    TOOLS,
    XML,
    answer,
    call,
    closing_tags,
    file_of,
    random_text,
    tags,
    texts_that_arrive,
)


def read(form: str, text: str) -> list[dict[str, Any]]:
    """Return the arguments of the calls that the end of an answer begins with."""
    calls, end = call_form(form).last_calls(text, TOOLS)
    assert {one.name for one in calls} <= {"write_file"}
    assert end == len(text)
    return [json.loads(one.arguments) for one in calls]


@pytest.mark.full
@pytest.mark.parametrize("form", TAGGED)
def test_a_text_with_tags_of_any_form_arrives_whole(form: str) -> None:
    for content in texts_that_arrive(form):
        assert read(form, file_of(form, content)) == [{"path": "a.md", "content": content}]
        both = {"path": "a.md", "content": content, "mode": "7"}
        assert read(form, answer(form, call(form, **both))) == [both | {"mode": 7}]


@pytest.mark.parametrize("form", LINES)
def test_a_text_between_lines_that_end_in_cr_lf_has_neither_line_break(form: str) -> None:
    for content in ("", "one", "a\nb", "\na\n\n", "\n"):
        both = {"path": "a.md", "content": content, "mode": "7"}
        ended = content.replace("\n", "\r\n")
        assert read(form, answer(form, call(form, **both)).replace("\n", "\r\n")) == [
            both | {"content": ended, "mode": 7}
        ]
    # Between lines that end in LF, each CR belongs to the text.
    for content in ("a\r", "\r", "\r\n", "\r\na\r\n", "\ra"):
        assert read(form, file_of(form, content)) == [{"path": "a.md", "content": content}]


@pytest.mark.parametrize("form", TAGGED)
def test_no_text_is_read_in_part(form: str) -> None:
    draw, whole = random.Random(5), 0
    for number in range(200):
        content = random_text(form, draw, (5, 30, 100, 300)[number % 4])
        try:
            assert read(form, file_of(form, content)) == [{"path": "a.md", "content": content}]
            whole += 1
        except AmbiguousCall:
            continue
    assert whole > 80


@pytest.mark.parametrize("form", TAGGED)
def test_several_calls_are_read_where_each_ends_for_certain(form: str) -> None:
    calls = [
        call(form, path="a", content="x"),
        call(form, path="b", content="y", mode="1"),
        call(form, path="c", content=""),
    ]
    assert [one["path"] for one in read(form, answer(form, *calls))] == ["a", "b", "c"]
    ending = closing_tags(form)[-2]
    with pytest.raises(AmbiguousCall, match="write_file"):
        read(form, answer(form, call(form, path="a", content=f"x{ending} and {ending}"), *calls))


@pytest.mark.full
@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize(
    ("others", "given"),
    [
        ({}, {"why-not": "So.", "n.1": "[x"}),
        ({"additionalProperties": False}, {}),
        ({"unevaluatedProperties": False}, {}),
    ],
    ids=str,
)
def test_arguments_that_a_function_does_not_declare_are_given_or_left_out(
    form: str, others: dict[str, Any], given: dict[str, str]
) -> None:
    own, more = SCHEMA["properties"], {"why-not": "So.", "n.1": "[x"}
    tools = [{"type": "function", "function": {"name": "write_file", "parameters": {"properties": own, **others}}}]
    for content in ("x", f"a {closing_tags(form)[0]} b", file_of(form, "y"), *XML.values()):
        known = {"path": "a", "content": content, "mode": "7"}
        for arguments in (known | more, more | known, {"path": "a", **more, "content": content, "mode": "7"}):
            text = answer(form, call(form, **arguments), call(form, **more), call(form, path="b", **more))
            calls, end = call_form(form).last_calls(text, tools)
            assert [json.loads(one.arguments) for one in calls] == [
                known | {"mode": 7} | given,
                given,
                {"path": "b"} | given,
            ]
            assert end == len(text)


@pytest.mark.first
def test_the_last_of_several_arguments_of_a_name_that_is_not_declared_counts() -> None:
    note = call("glm47", note="b")[len("<tool_call>write_file\n") : -len("</tool_call>")]
    text = call("glm47", path="a", content="x", note="a").replace("</tool_call>", f"{note}</tool_call>")
    assert read("glm47", text) == [{"path": "a", "content": "x"}]
    tools = [{"type": "function", "function": {"name": "write_file", "parameters": {"properties": PROPERTIES}}}]
    [found], _ = call_form("glm47").last_calls(text, tools)
    assert json.loads(found.arguments) == {"path": "a", "content": "x", "note": "b"}


@pytest.mark.parametrize(
    ("others", "value"),
    [
        ({}, 7),
        ({"additionalProperties": {"type": "string"}}, "7"),
        ({"additionalProperties": False, "patternProperties": {"^x-": {"type": "string"}}}, "7"),
        ({"anyOf": [{"additionalProperties": False}, {"additionalProperties": {"$ref": "#/$defs/T"}}]}, "7"),
    ],
    ids=str,
)
def test_an_argument_that_is_not_declared_has_the_type_of_the_others(others: dict[str, Any], value: object) -> None:
    schema = {"properties": {"path": {"type": "string"}}, "$defs": {"T": {"type": "string"}}, **others}
    tools = [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    [found], _ = call_form("glm47").last_calls(answer("glm47", call("glm47", "f", path="a", **{"x-y": "7"})), tools)
    assert json.loads(found.arguments) == {"path": "a", "x-y": value}


@pytest.mark.parametrize("parameters", [{"type": "object"}, {}, None])
@pytest.mark.parametrize("form", TAGGED)
def test_a_function_that_declares_nothing_may_have_any_arguments(form: str, parameters: object) -> None:
    tools = [{"type": "function", "function": {"name": "f", "parameters": parameters}}]
    [found], _ = call_form(form).last_calls(answer(form, call(form, "f", a="x", b="y z")), tools)
    assert json.loads(found.arguments) == {"a": "x", "b": "y z"}


@pytest.mark.parametrize("form", LINES)
def test_a_text_without_its_closing_tag_keeps_its_own_line_breaks(form: str) -> None:
    closing = tags(form).closing.replace("NAME", "path")
    for path in ("a.md", "a.md\n", "\na.md\n\n"):
        text = answer(form, call(form, path=path, content="x")).replace(closing, "", 1)
        # The line break after the missing tag ends the line that it would have stood on.
        assert read(form, text.replace(f"{path}\n\n", f"{path}\n", 1)) == [{"path": path, "content": "x"}]


@pytest.mark.parametrize("form", TAGGED)
def test_a_call_whose_end_cannot_be_told_is_none(form: str) -> None:
    own, end = tags(form), closing_tags(form)[-2]
    opening = own.key.replace("STRING", "true")
    mention, other = opening.replace("NAME", "a"), opening.replace("NAME", "mode")
    whole = file_of(form, "x")
    for text in (
        file_of(form, f"Write {mention} first."),
        answer(form, call(form, path="a", why=f"x{own.closing.replace('NAME', 'why')}y", content="z")),
        file_of(form, f"x{own.closing.replace('NAME', 'content')}{own.after}{other}y"),
        f"{whole} Then {file_of(form, 'y')}",
        f"{whole}\n{answer(form, call(form, 'f', a='1'))}",
        whole[: -len(end)],
        whole[: len(whole) // 2],
        f"{whole[: -len(end)]} and the text goes on",
    ):
        with pytest.raises(AmbiguousCall, match="write_file"):
            read(form, text)


@pytest.mark.parametrize("form", TAGGED)
def test_an_optional_argument_in_a_text_does_not_cut_it(form: str) -> None:
    texts = {key: {"type": "string"} for key in ("content", "note")}
    schema = {"type": "object", "properties": texts, "required": ["content"]}
    own, tools = tags(form), [{"type": "function", "function": {"name": "f", "parameters": schema}}]
    opening = own.key.replace("NAME", "note").replace("STRING", "true")
    inner = f"a{own.closing.replace('NAME', 'content')}{own.after}{opening}x{own.closing.replace('NAME', 'note')}b"
    text = answer(form, call(form, "f", content=inner))
    with pytest.raises(AmbiguousCall, match="f"):
        call_form(form).last_calls(text, tools)


@pytest.mark.parametrize("form", TAGGED)
def test_text_after_a_call_is_none_of_its_text(form: str) -> None:
    whole = file_of(form, "x")
    calls, end = call_form(form).last_calls(f"{whole}\nDone. Mind the </parameter>.", TOOLS)
    assert ([json.loads(one.arguments)["content"] for one in calls], end) == (["x"], len(whole))


# Lists of MiniMax-M3 are elements.
@pytest.mark.parametrize("form", [form for form in TAGGED if form != "minimax_m3"])
def test_a_list_in_json_may_have_tags_in_its_texts(form: str) -> None:
    schema = {"type": "object", "properties": {"edits": {"type": "array", "items": {"type": "string"}}}}
    tools = [{"type": "function", "function": {"name": "edit", "parameters": schema}}]
    edits = ["a", *closing_tags(form), *closing_tags("qwen3_coder")]
    own = tags(form)
    text = own.key.replace("NAME", "edits").replace("STRING", "false") + json.dumps(edits, ensure_ascii=False)
    begun = own.begin.replace("NAME", "edit") + text + own.line + own.closing + own.after + own.end
    [found], _ = call_form(form).last_calls(answer(form, begun), tools)
    assert json.loads(found.arguments) == {"edits": edits}


@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize("value", ["{1, 2}", "[" * 100_000, "{[]: 1}", "\x00", "1e999999"])
def test_whatever_stands_between_tags_raises_nothing_else(form: str, value: str) -> None:
    with suppress(AmbiguousCall):
        read(form, answer(form, call(form, path="a.md", content="x", mode=value)))


@pytest.mark.full
@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize("number", range(7))
def test_a_long_text_without_an_end_of_its_tags_is_not_read_in_part(form: str, number: int) -> None:
    """It would be slow if each tag were searched to the end of the text."""
    own = tags(form)
    begins = [own.begin, own.key, *closing_tags(form)[:1], "<invoke ", "<atem:parameter name=", "<function=", " "]
    content = begins[number].split("NAME")[0] * 20_000
    with suppress(AmbiguousCall):
        assert read(form, file_of(form, content)) == [{"path": "a.md", "content": content}]

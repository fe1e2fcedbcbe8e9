"""Calls whose values stand between tags, in an answer that streams: whole, or visible as text with a reason."""

from __future__ import annotations

import itertools
import json
import logging
import random
from collections.abc import Iterable

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from app.text.answer_parts import AnswerParts
from engine.call_forms.table import call_form
from tests.app.text.drawn_rounds import FEW
from tests.engine.call_forms.tagged_texts import TAGGED, TOOLS, call, closing_tags, file_of, random_text, tags

# The characters of a long text.
LONG = 8_000
LONG_IN_FULL = 50_000
EVERY = [pytest.param(7, id="every seventh place"), pytest.param(1, id="each place", marks=pytest.mark.full)]


def fed(form: str, text: str, cuts: Iterable[int] = (), *, opening: str = "", cut: bool = False) -> AnswerParts:
    """Return the parts of a text that came in pieces; what the pieces gave adds up to them."""
    parts = AnswerParts(call_form(form), TOOLS)
    deltas = [parts.add(text[start:end], opening) for start, end in itertools.pairwise([0, *cuts, len(text)])]
    assert not any(delta.calls for delta in deltas)
    deltas.append(parts.add("", ended=True, cut=cut))
    assert "".join(delta.content for delta in deltas) == parts.content
    assert [call for delta in deltas for call in delta.calls] == parts.calls
    return parts


def contents(parts: AnswerParts) -> list[str]:
    return [json.loads(call.arguments)["content"] for call in parts.calls]


@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize("every", EVERY)
def test_a_text_arrives_whole_wherever_the_answer_is_cut_into_pieces(form: str, every: int) -> None:
    content = f"{closing_tags(form)[-2]} and\n{file_of(form, 'x')}\nLAST LINE"
    text = f"Look: {file_of(form, content)}\n"
    for place in range(1 + TAGGED.index(form) % every, len(text), every):
        parts = fed(form, text, [place])
        assert (contents(parts), parts.content, parts.unclear) == ([content], "Look: ", "")


@pytest.mark.full
@pytest.mark.parametrize("form", ["deepseek_v4", pytest.param("deepseek_v32", marks=pytest.mark.full)])
@pytest.mark.parametrize(
    "begin",
    ["", *(f"<｜DSML｜{word}>\n" for word in ("toolcalls", "tool", "tool_call", "function_calls", "tool_calls"))],
)
@pytest.mark.parametrize("end", ["", "</｜DSML｜tool_calls>", "</｜DSML｜toolcalls>\n"])
@pytest.mark.parametrize("every", EVERY)
def test_calls_with_other_marks_around_them_or_none_are_calls(form: str, begin: str, end: str, every: int) -> None:
    calls = [call(form, path="a", content=content) for content in ("x", f"y\n{file_of(form, 'z')}")]
    for chosen in (calls[:1], calls):
        text = f"Look:\n{begin}{''.join(chosen)}{end}"
        for place in range(1, len(text), every):
            parts = fed(form, text, [place])
            assert len(parts.calls) == len(chosen)
            assert (contents(parts)[0], parts.content, parts.unclear) == ("x", "Look:\n", "")


def test_a_call_without_its_end_ends_with_the_mark_after_all_calls() -> None:
    text = file_of("deepseek_v4", "x").replace("</｜DSML｜invoke>\n", "")
    assert (contents(parts := fed("deepseek_v4", text)), parts.content) == (["x"], "")


def test_a_mention_of_such_a_call_and_one_of_an_unknown_function_are_text() -> None:
    for text in (
        "Never write <｜DSML｜toolcalls>, or <｜DSML｜invoke name=.",
        f"<｜DSML｜tool>\n{call('deepseek_v4', 'other', a='1')}",
    ):
        assert fed("deepseek_v4", text, range(1, len(text))).content == text


@pytest.mark.full
@pytest.mark.parametrize("form", TAGGED)
@pytest.mark.parametrize("length", [LONG, pytest.param(LONG_IN_FULL, marks=pytest.mark.full)])
def test_a_long_text_arrives_whole_or_stays_text(form: str, length: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    draw, own = random.Random(11), tags(form)
    stray = "".join(draw.choice(["Some words. ", "\n", "</", "<a>", *closing_tags(form)]) for _ in range(length // 12))
    examples = f"{file_of(form, 'x')}\n" * (length // 150)
    opened = own.key.replace("NAME", "a").replace("STRING", "true") * (length // 50)
    for content, whole in ((stray, True), ("</" * (length // 2), True), (examples, True), (opened, False)):
        caplog.clear()
        text = file_of(form, content)
        parts = fed(form, text, sorted(draw.sample(range(1, len(text)), length // 6)))
        expected = ([content], "", "") if whole else ([], text, "write_file")
        assert (contents(parts), parts.content, parts.unclear) == expected
        assert len(caplog.records) == (not whole)


@pytest.mark.parametrize("form", TAGGED)
@FEW
@given(seed=st.integers(0, 2**32 - 1), cuts=st.lists(st.floats(0, 1), max_size=5))
def test_no_text_is_called_in_part(form: str, seed: int, cuts: list[float]) -> None:
    content = random_text(form, random.Random(seed), 200)
    text = file_of(form, content)
    parts = fed(form, text, sorted(round(cut * len(text)) for cut in cuts))
    note(content)
    assert (contents(parts), parts.content, parts.unclear) in [([content], "", ""), ([], text, "write_file")]


@pytest.mark.parametrize("form", TAGGED)
def test_an_answer_that_was_cut_off_calls_nothing(form: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    text = f"So:\n{file_of(form, f'x{closing_tags(form)[-2]} and more')}"
    for end in range(len(text) // 2, len(text) + 1):
        parts = fed(form, text[:end], cut=True)
        assert (parts.calls, parts.content.strip(), parts.unclear, parts.broken) == ([], "So:", "", True)
    assert caplog.records == []


def test_a_long_text_of_closing_tags_in_many_pieces_arrives_whole() -> None:
    """It would be slow if each piece were searched from the beginning of the call."""
    content = "</parameter>\n</" * 3_000
    parts = fed("qwen3_coder", file_of("qwen3_coder", content), range(8, len(content), 8))
    assert (contents(parts), parts.content) == ([content], "")


def test_text_after_the_mention_of_a_call_is_not_held_back() -> None:
    parts = AnswerParts(call_form("qwen3_coder"), TOOLS)
    example = file_of("qwen3_coder", "x").replace("write_file", "f")
    assert parts.add(f"So: {example} and").content == f"So: {example} and"
    assert not parts.calling


def test_a_call_in_thoughts_that_never_end_has_its_whole_text() -> None:
    content = "a</parameter>\n</function>\n</tool_call>b"
    parts = fed("qwen3_coder", f"Hm.\n{file_of('qwen3_coder', content)}", range(1, 80, 3), opening="<think>\n")
    assert (parts.reasoning, contents(parts)) == ("Hm.", [content])


@pytest.mark.parametrize("tag", ["</tool_call>", '"</tool_call>', "</tool_call>\n<tool_call>"])
def test_the_end_mark_in_a_text_in_json_is_none(tag: str) -> None:
    content = f"A call ends with {tag} here.\nLAST LINE"
    written = json.dumps({"name": "write_file", "arguments": {"path": "a.md", "content": content}})
    text = f"So: <tool_call>\n{written}\n</tool_call>\n"
    for place in range(1, len(text)):
        parts = AnswerParts(call_form("json_tools"), TOOLS)
        parts.add(text[:place])
        parts.add(text[place:])
        assert (contents(parts), parts.content) == ([content], "So: ")


@pytest.mark.parametrize("ending", ["", "</atem:parameter>\n</atem:invoke> and"])
def test_a_message_to_a_function_is_read_whole_or_stays_text(ending: str) -> None:
    content = f"It ends with </atem:parameter> here.{ending}"
    call = file_of("muse_spark", content)
    text = f"<|channel|>commentary to=functions.write_file<|message|>{call}"
    for place in range(1, len(text), 7):
        assert contents(fed("muse_spark", text, [place])) == [content]
    parts = fed("muse_spark", text, cut=True)
    assert (parts.calls, parts.content) == ([], "")
    unclear = file_of("muse_spark", '<atem:parameter name="a">')
    parts = fed("muse_spark", text.replace(call, unclear))
    assert (parts.calls, parts.content, parts.unclear) == ([], unclear, "write_file")

"""Thoughts, reply and calls of an answer, however its text is cut into pieces."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.text.answer_parts import AnswerParts
from app.text.thinking import parts_of
from engine.call_forms.form import CallForm, Marks
from engine.call_forms.reading import as_json
from engine.call_forms.table import call_form

MARKED = CallForm((Marks("<tool_call>", "</tool_call>"),), as_json)
CALL = '<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>'
WRONG = '<tool_call>{"name": "g", "arguments": {"a": 1}}</tool_call>'
TOOLS = [{"type": "function", "function": {"name": "f"}}]
BROKEN = "<tool_call>not a call</tool_call>"


def fed(text: str, cuts: list[int], *, form: CallForm | None = MARKED, opening: str = "") -> AnswerParts:
    """The parts of a text that came in pieces; what the pieces gave adds up to them."""
    parts = AnswerParts(form, TOOLS)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    deltas = [parts.add(text[start:end], opening) for start, end in itertools.pairwise(places)]
    deltas.append(parts.add("", opening, ended=True))
    separated = parts_of("".join(delta.shown for delta in deltas))
    # What follows a call in thoughts that never end is shown as a thought.
    assert f"{separated.thought or ''}{separated.reply}".split() == f"{parts.reasoning}{parts.content}".split()
    assert "".join(delta.content for delta in deltas) == parts.content
    assert "".join(delta.reasoning for delta in deltas) == parts.reasoning
    assert [call for delta in deltas for call in delta.calls] == parts.calls
    return parts


@pytest.mark.parametrize(
    ("text", "opening", "reasoning", "content", "calls"),
    [
        ("It is 4.", "", "", "It is 4.", 0),
        ("<think>\nHm.\n</think>\n\nIt is 4.", "", "Hm.", "It is 4.", 0),
        ("Hm.\n</think>\n\nIt is 4.", "<think>\n", "Hm.", "It is 4.", 0),
        (f"Look: {CALL} and {CALL}", "", "", "Look:  and ", 2),
        (f"<think>\nHm.\n</think>\n\n{CALL}", "", "Hm.", "", 1),
        (f"So: {BROKEN}{CALL}", "", "", f"So: {BROKEN}", 1),
        (f"So: {WRONG} or {CALL}.", "", "", f"So: {WRONG} or .", 1),
        (f"{CALL}{WRONG}{WRONG}", "", "", f"{WRONG}{WRONG}", 1),
        (WRONG[:-4], "", "", WRONG[:-4], 0),
        (f"\n\n{CALL}", "", "", "", 1),
        (f" {CALL}\n{CALL}\n", "", "", "", 2),
        (f"Hm.\n</think>\n\n \n{CALL}\n", "<think>\n", "Hm.", "", 1),
        (f"\n So:\n{CALL}\n done \n", "", "", "\n So:\n\n done \n", 1),
        (f"\n{BROKEN}", "", "", f"\n{BROKEN}", 0),
        ("\n \n", "", "", "\n \n", 0),
        ("a < b <tool", "", "", "a < b <tool", 0),
        ("<tool_call>never ends", "", "", "<tool_call>never ends", 0),
    ],
)
@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_the_parts_do_not_depend_on_the_pieces(
    text: str, opening: str, reasoning: str, content: str, calls: int, cuts: list[int]
) -> None:
    parts = fed(text, cuts, opening=opening)
    assert (parts.reasoning, parts.content, len(parts.calls)) == (reasoning, content, calls)


OPENED = "Hm.<tool_call>"
HEADER = "<|channel|>commentary to=functions.f <|constrain|>json<|message|>"
THOUGHT = "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant"
SAID = "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant"
QWEN = "<function=f>\n<parameter=a>\n1\n</parameter>\n</function>"
COHERE = "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>It is 4.<|END_RESPONSE|>"
KIMI = "<|close|>think<|sep|><|open|>response<|sep|>It is 4.<|close|>response<|sep|><|close|>message<|sep|>"


@pytest.mark.parametrize(
    ("text", "opening", "form", "reasoning", "content", "calls"),
    [
        # A call in thoughts counts if they never end.
        (f"Hm.\n{CALL}", "<think>\n", "json_tools", "Hm.", "", 1),
        (f"Hm.\n{CALL} so {BROKEN}", "<think>\n", "json_tools", "Hm.", f" so {BROKEN}", 1),
        (f"Hm.\n{CALL}\n</think>\n\nIt is 4.", "<think>\n", "json_tools", f"Hm.\n{CALL}", "It is 4.", 0),
        (f"Hm. {BROKEN} So.", "<think>\n", "json_tools", f"Hm. {BROKEN} So.", "", 0),
        (f"Hm. {WRONG} So.", "<think>\n", "json_tools", f"Hm. {WRONG} So.", "", 0),
        (OPENED, "<think>\n", "json_tools", OPENED, "", 0),
        # Qwen3-Coder leaves the first tag out at times.
        (f"So: {QWEN}\n</tool_call>\n<tool_call>\n{QWEN}\n</tool_call>.", "", "qwen3_coder", "", "So: .", 2),
        (f"{QWEN} or so", "", "qwen3_coder", "", " or so", 1),
        # Messages to functions, also to unknown ones.
        (f'{THOUGHT}{HEADER}{{"a": "<|end|>"}}<|call|>', "", "harmony", "Hm.", "", 1),
        (
            f"<|channel|>commentary<|message|>I look.<|end|><|start|>assistant{HEADER}{{}}",
            "",
            "harmony",
            "",
            "I look.",
            1,
        ),
        (f"{THOUGHT}<|channel|>commentary to=functions.g<|message|>{{}}", "", "harmony", "Hm.", "", 0),
        (" to=functions.f<|channel|>analysis<|message|>{}", "", "harmony", "", "", 1),
        # Marks around replies, and marks that stay behind.
        (COHERE, "", "command_r7b", "Hm.", "It is 4.", 0),
        ("It is <|START_RESPONSE|>.", "", "command_r7b", "", "It is <|START_RESPONSE|>.", 0),
        (f"Hm.{KIMI}", "<|open|>think<|sep|>", "kimi_k3", "Hm.", "It is 4.", 0),
        ("<|channel>thought\n<channel|>It is 4.<|channel>thought\n<channel|>", "", "gemma4", "", "It is 4.", 0),
        ("</mm:think>It is 4.", "", "minimax_m3", "", "It is 4.", 0),
        # Without marks, only the beginning of a reply is a call.
        ("\n[f(a=1), f()]", "", "python_list", "", "", 2),
        ("[f](x) and [f()]", "", "python_list", "", "[f](x) and [f()]", 0),
        ('{"name": "f", "parameters": {}}; {"name": "f"}', "", "llama_json", "", "", 2),
        ('I look.\n\n{"name": "f", "parameters": {}}', "", "llama_json", "", "I look.\n", 1),
        ("<think>\nHm.\n</think>\n<answer>\nIt is 4.\n</answer>", "", "json_tools", "Hm.", "It is 4.", 0),
        ('I look.\n{"name": "fog"}, a', "", "llama_json", "", 'I look.\n{"name": "fog"}, a', 0),
        ('It is {"name": "f"}', "", "llama_json", "", 'It is {"name": "f"}', 0),
        ('{"name": "g", "parameters": {}}', "", "llama_json", "", '{"name": "g", "parameters": {}}', 0),
    ],
)
@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_the_parts_of_a_family_do_not_depend_on_the_pieces(
    text: str, opening: str, form: str, reasoning: str, content: str, calls: int, cuts: list[int]
) -> None:
    parts = fed(text, cuts, form=call_form(form), opening=opening)
    assert (parts.reasoning, parts.content, len(parts.calls)) == (reasoning, content, calls)


@pytest.mark.first
def test_thoughts_that_mention_a_mark_are_not_held_back() -> None:
    parts = AnswerParts(MARKED, TOOLS)
    said = [parts.add(word, "<think>\n").reasoning for word in ("I write ", "<tool_call>", " for", " it", " and {")]
    assert "".join(said) == "I write <tool_call> for it and {"


def test_a_call_without_an_end_runs_to_the_end_of_the_answer() -> None:
    parts = fed('[TOOL_CALLS][{"name": "f", "arguments": {}}]', [5, 20], form=call_form("mistral"))
    assert [(call.name, call.arguments) for call in parts.calls] == [("f", "{}")]
    assert parts.content == ""


@pytest.mark.parametrize(
    ("written", "calls", "content"),
    [
        ('f[CALL_ID]123456789[ARGS]{"a": 1}', [("f", '{"a": 1}')], ""),
        (
            'f[CALL_ID]123456789[ARGS]{"a": 1}[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"a": 2}\nf[ARGS]{}',
            [("f", '{"a": 1}'), ("f", '{"a": 2}'), ("f", "{}")],
            "",
        ),
        ('f[CALL_ID]123456789[ARGS]{"a": "f[CALL_ID]1[ARGS]{}"}', [("f", '{"a": "f[CALL_ID]1[ARGS]{}"}')], ""),
        ('[{"name": "f", "arguments": {"a": "f[CALL_ID]1[ARGS]{}"}}]', [("f", '{"a": "f[CALL_ID]1[ARGS]{}"}')], ""),
        ("g[CALL_ID]123456789[ARGS]{}", [], "[TOOL_CALLS]g[CALL_ID]123456789[ARGS]{}"),
        ("f[CALL_ID]123456789[ARGS]{", [], "[TOOL_CALLS]f[CALL_ID]123456789[ARGS]{"),
        # Which part of the text is the wrong one, the parsers do not say.
        ("f[ARGS]{}[TOOL_CALLS]g[ARGS]{}", [("f", "{}")], "[TOOL_CALLS]f[ARGS]{}[TOOL_CALLS]g[ARGS]{}"),
    ],
)
@settings(max_examples=10)
@given(cuts=st.lists(st.integers(0, 200), max_size=8))
def test_a_call_of_mistral_has_the_name_before_its_id(
    written: str, calls: list[tuple[str, str]], content: str, cuts: list[int]
) -> None:
    parts = fed(f"So: [TOOL_CALLS]{written}", cuts, form=call_form("mistral"))
    assert [(call.name, call.arguments) for call in parts.calls] == calls
    assert parts.content == f"So: {content}"


def test_a_long_text_that_is_no_call_is_read_at_once() -> None:
    assert call_form("mistral").calls("a" * 2**20, TOOLS) == ([], False)


def test_without_tools_nothing_is_a_call() -> None:
    parts = AnswerParts(MARKED)
    assert parts.add(CALL, ended=True).content == CALL
    assert parts.calls == []


@pytest.mark.full
@given(text=st.text(alphabet="<>/think_tolcal[]{}\n ab", max_size=60), cuts=st.lists(st.integers(0, 60), max_size=6))
def test_no_text_of_a_reply_is_lost_or_said_twice(text: str, cuts: list[int]) -> None:
    parts = fed(text, cuts, form=None)
    if "think" not in text:
        assert parts.content == text


def test_a_call_that_is_being_written_is_known_before_it_is_whole() -> None:
    parts = AnswerParts(MARKED, TOOLS)
    seen = [(parts.add(piece).shown, parts.calling) for piece in ("Look: ", CALL[:8], CALL[8:20], CALL[20:], " Done.")]
    assert seen == [("Look: ", False), ("", False), ("", True), ("", False), (" Done.", False)]

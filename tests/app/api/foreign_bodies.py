"""Bodies that programs send, from public reports and references in our own words: all have to be answered.

Each case is the body, what the model has to be shown of it, and what the answer says was left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PDF = (
    "JVBERi0xLjQKMSAwIG9iajw8L1R5cGUvQ2F0YWxvZy9QYWdlcyAyIDAgUj4+ZW5kb2JqIDIgMCBvYmo8PC9UeXBlL1BhZ2VzL0tpZHNbMyAw"
    "IFJdL0NvdW50IDE+PmVuZG9iaiAzIDAgb2JqPDwvVHlwZS9QYWdlL1BhcmVudCAyIDAgUi9NZWRpYUJveFswIDAgMjAwIDIwMF0vQ29udGVu"
    "dHMgNCAwIFIvUmVzb3VyY2VzPDwvRm9udDw8L0YxIDUgMCBSPj4+Pj4+ZW5kb2JqIDQgMCBvYmo8PC9MZW5ndGggNDA+PnN0cmVhbQpCVCAv"
    "RjEgMTIgVGYgMjAgMTAwIFRkIChIZWxsbykgVGogRVQKZW5kc3RyZWFtIGVuZG9iaiA1IDAgb2JqPDwvVHlwZS9Gb250L1N1YnR5cGUvVHlw"
    "ZTEvQmFzZUZvbnQvSGVsdmV0aWNhPj5lbmRvYmoKdHJhaWxlcjw8L1Jvb3QgMSAwIFI+PgpzdGFydHhyZWYKMAolJUVPRgo="
)
SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}}
TEXT_FILE = "aGVsbG8gZmlsZQ=="
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


@dataclass(frozen=True)
class Case:
    """`shown` is in the messages for the model, `offered` are the tools, and `skipped` is in the answer's header."""

    body: dict[str, Any]
    shown: tuple[str, ...] = ()
    offered: tuple[str, ...] | None = None
    skipped: str = ""


def _user(content: Any = "Say hello.") -> dict[str, Any]:
    return {"role": "user", "content": content}


def _called(arguments: Any, **more: Any) -> dict[str, Any]:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call | more]}


def _result(content: Any = "1", **more: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "a", "content": content} | more


# Conversations of chat completions, which Ollama's chat takes as well.
PASTS: dict[str, tuple[list[Any], tuple[str, ...]]] = {
    "cut arguments": ([_user(), _called('{"a": 1'), _result()], ('{\\"a\\": 1', "1")),
    "arguments without end": ([_user(), _called('{"value": '), _result()], ('{\\"value\\": ',)),
    "array in text": ([_user(), _called("[1]"), _result()], ("[1]",)),
    "array": ([_user(), _called([1, 2]), _result()], ("[1, 2]",)),
    "object": ([_user(), _called({"a": 7}), _result()], ('{"a": 7}',)),
    "null": ([_user(), _called(None), _result()], ("{}",)),
    "empty text": ([_user(), _called(""), _result()], ("{}",)),
    "number": ([_user(), _called("5"), _result()], ("5",)),
    "two objects": ([_user(), _called('{"a": 1}{"a": 2}'), _result()], ("a",)),
    "no JSON": ([_user(), _called("ls -la"), _result()], ("ls -la",)),
    "deep": ([_user(), _called("[" * 5000), _result()], ("[[[",)),
    "no arguments": ([_user(), {"role": "assistant", "tool_calls": [{"id": "a", "function": {"name": "f"}}]}], ("f",)),
    "no name": ([_user(), {"role": "assistant", "tool_calls": [{"id": "a", "function": {}}]}, _result()], ("unknown",)),
    "flat call": ([_user(), {"role": "assistant", "tool_calls": [{"name": "f", "args": {"a": 3}}]}], ('{"a": 3}',)),
    "one call, no list": ([_user(), {"role": "assistant", "tool_calls": _called("{}")["tool_calls"][0]}], ("f",)),
    "no id": ([_user(), _called("{}", id=None), _result(tool_call_id=None)], ("1",)),
    "number as id": ([_user(), _called("{}", id=5), _result(tool_call_id=5)], ("1",)),
    "call without result": ([_user(), _called("{}")], ("f",)),
    "call without result, then text": ([_user(), _called("{}"), _user("And?")], ("And?",)),
    "result without call": ([_user(), _result("lost")], ("lost",)),
    "result first": ([_result("first"), _user()], ("first",)),
    "result after a text": ([_user(), _called("{}"), _user("Wait."), _result("late")], ("late", "Wait.")),
    "result of another id": ([_user(), _called("{}"), _result("other", tool_call_id="zzz")], ("other",)),
    "two results": ([_user(), _called("{}"), _result("one"), _result("two")], ("one", "two")),
    "result as object": ([_user(), _called("{}"), _result({"text": "said"})], ("said",)),
    "result as parts": ([_user(), _called("{}"), _result([{"type": "text", "text": "part"}])], ("part",)),
    "empty result": ([_user(), _called("{}"), _result(None)], ()),
    "empty user": ([_user("")], ()),
    "blank user": ([_user(), {"role": "assistant", "content": "x"}, _user(" \n")], ("x",)),
    "null user": ([_user(None)], ()),
    "empty list": ([_user([])], ()),
    "empty assistant": ([_user(), {"role": "assistant", "content": ""}], ("Say hello.",)),
    "empty assistant between": ([_user(), {"role": "assistant", "content": None}, _user("b")], ("b",)),
    "only an empty assistant": ([{"role": "assistant", "content": ""}], ()),
    "empty system": ([{"role": "system", "content": ""}, _user()], ("Say hello.",)),
    "only instructions": ([{"role": "system", "content": "Be kind."}], ("Be kind.",)),
    "no content": ([{"role": "user"}], ()),
    "no role": ([{"content": "roleless"}], ("roleless",)),
    "role human": ([{"role": "human", "content": "I am"}], ("I am",)),
    "role model": ([_user(), {"role": "model", "content": "I was"}, _user()], ("I was",)),
    "unknown role": ([_user(), {"role": "critic", "content": "Too long."}], ("critic: Too long.",)),
    "unknown role with parts": ([{"role": "ipython", "content": [{"type": "text", "text": "out"}]}], ("ipython: out",)),
    "two users": ([_user("one"), _user("two")], ("one", "two")),
    "two assistants": ([_user(), *[{"role": "assistant", "content": "x"}] * 2, _user()], ("x",)),
    "assistant first": ([{"role": "assistant", "content": "Welcome."}, _user()], ("Welcome.",)),
    "message as text": (["plain words"], ("plain words",)),
    "content as object": ([_user({"type": "text", "text": "single"})], ("single",)),
    "content as texts": ([_user(["one ", "two"])], ("one two",)),
    "part without type": ([_user([{"text": "typeless"}])], ("typeless",)),
    "part of text null": ([_user([{"type": "text", "text": None}, {"type": "text", "text": "ok"}])], ("ok",)),
    "thoughts": ([_user(), {"role": "assistant", "content": "b", "reasoning": "why"}, _user()], ("why",)),
}


def _offering(*tools: Any, **fields: Any) -> dict[str, Any]:
    return {"messages": [_user()], "tools": [*tools], **fields}


_FUNCTION = {"type": "function", "function": {"name": "f"}}
_PATCH = {"type": "custom", "custom": {"name": "patch"}}
_FILE = {"type": "file"}
_SEE = {"type": "text", "text": "See."}


def _parts(*parts: Any) -> dict[str, Any]:
    return {"messages": [_user([*parts])]}


def _replied(*parts: Any, then: str = "Say hello.") -> dict[str, Any]:
    return {"messages": [_user(), {"role": "assistant", "content": [*parts]}, _user(then)]}


CHAT: dict[str, Case] = {
    "role function": Case(
        {
            "messages": [
                _user(),
                {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a": 4}'}},
                {"role": "function", "name": "f", "content": "four"},
            ],
            "functions": [{"name": "f", "parameters": SCHEMA}],
            "function_call": "auto",
        },
        ('{"a": 4}', "four"),
        ("f",),
    ),
    "custom call": Case(
        {
            "messages": [
                _user(),
                {
                    "role": "assistant",
                    "tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}],
                },
                _result("done"),
            ]
        },
        ("*** Begin", "done"),
    ),
    "file": Case(_parts(_FILE | {"file": {"filename": "a.pdf", "file_data": PDF}}), ("a.pdf", "Hello")),
    "file as data URL": Case(
        _parts(_FILE | {"file": {"file_data": f"data:text/plain;base64,{TEXT_FILE}"}}), ("hello file",)
    ),
    "file by id": Case(
        _parts(_FILE | {"file": {"file_id": "file-1"}}, _SEE), ("See.",), skipped="file without its content"
    ),
    "damaged file": Case(
        _parts(_FILE | {"file": {"filename": "b.pdf", "file_data": "JVBERi0="}}),
        ("b.pdf",),
        skipped="file that cannot be read",
    ),
    "sound": Case(
        _parts({"type": "input_audio", "input_audio": {"data": "x"}}, {"type": "text", "text": "y"}),
        ("y",),
        skipped="input_audio",
    ),
    "video": Case(_parts({"type": "video_url", "video_url": {"url": "x"}}), skipped="video_url"),
    "thought as part": Case(_replied({"type": "thinking", "thinking": "hm"}, then="z"), ("z",)),
    "refusal": Case(_replied({"type": "refusal", "refusal": "No."}), ("No.",)),
    "block of another API": Case(
        {
            "messages": [
                _user(),
                {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f", "input": {"a": 1}}]},
                _user([{"type": "tool_result", "tool_use_id": "t", "content": "seen"}]),
            ]
        },
        ("f(", "seen"),
    ),
    "unknown part": Case(_parts({"type": "hologram", "data": [1]}), skipped="hologram"),
    "unknown part with a text": Case(_parts({"type": "note", "text": "kept"}), ("kept",)),
    "input of responses": Case(_parts({"type": "input_text", "text": "mine"}), ("mine",)),
    "audio asked for": Case({"messages": [_user()], "audio": {"voice": "x"}, "modalities": ["text"]}, skipped="audio"),
    "web search": Case({"messages": [_user()], "web_search_options": {"a": 1}}, skipped="web_search_options"),
    "custom tool": Case(
        _offering({"type": "custom", "custom": {"name": "patch", "description": "d"}}), offered=("patch",)
    ),
    "choice of a custom tool": Case(_offering(_PATCH, tool_choice=_PATCH), offered=("patch",)),
    "allowed custom tools": Case(
        _offering(_PATCH, tool_choice={"type": "allowed_tools", "allowed_tools": {"mode": "auto", "tools": [_PATCH]}}),
        offered=("patch",),
    ),
    "flat tool": Case(_offering({"type": "function", "name": "f", "parameters": SCHEMA}), offered=("f",)),
    "tool of Anthropic": Case(_offering({"name": "f", "input_schema": SCHEMA}), offered=("f",)),
    "tool of a provider": Case(_offering({"type": "web_search"}, _FUNCTION), offered=("f",), skipped="web_search"),
    "only tools of a provider": Case(
        _offering({"type": "web_search"}, tool_choice="required"), offered=(), skipped="web_search"
    ),
    "choice any": Case(_offering(_FUNCTION, tool_choice="any"), offered=("f",)),
    "choice as object": Case(_offering(_FUNCTION, tool_choice={"type": "auto"}), offered=("f",)),
    "choice of a provider's": Case(
        _offering(_FUNCTION, tool_choice={"type": "web_search_preview"}),
        offered=("f",),
        skipped="tool_choice web_search_preview",
    ),
    "one tool": Case({"messages": [_user()], "tools": _FUNCTION}, offered=("f",)),
    "no parameters": Case(
        _offering({"type": "function", "function": {"name": "f", "parameters": None}}), offered=("f",)
    ),
    **{
        f"settings {index}": Case({"messages": [_user()], **fields})
        for index, fields in enumerate(
            [
                {"max_tokens": -1},
                {"max_tokens": 0},
                {"max_completion_tokens": -1, "max_tokens": None},
                {"max_tokens": 4.0},
                {"top_k": -1},
                {"top_k": 0},
                {"top_k": 40.0},
                {"top_p": 0},
                {"top_p": 1.0},
                {"stop": ""},
                {"stop": []},
                {"stop": ["", "x"]},
                {"stop": [None]},
                {"stop": [f"s{number}" for number in range(20)]},
                {"seed": 42.0},
                {"n": 1.0},
                {"logit_bias": {"5": 1.0}},
                {"stream_options": {"include_usage": False}, "user": 5, "store": True, "service_tier": "auto"},
                {"top_logprobs": 2.0, "logprobs": True},
                {"speculation": {"depth": 2.0}},
                {"num_draft_tokens": 3.0},
                {"response_format": {"type": "text"}},
                {"response_format": {"type": "json_object"}},
                {"response_format": {"type": "json_object", "schema": SCHEMA}},
                {"response_format": {"type": "json_schema"}},
                {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
                {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": None}}},
                {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {}}}},
                {"response_format": {"type": "json_object", "schema": None}},
                {"response_format": {}},
                {"reasoning_effort": "xhigh"},
                {"temperature": "0.7", "top_k": "40", "n": "1", "stream": "false", "max_tokens": "4.0"},
                {"tools": {}},
                {"tools": None, "tool_choice": None},
                {"functions": None, "function_call": "none"},
                {"response_format": "json"},
                {"response_format": "json_object"},
                {"response_format": "text"},
                {"response_format": {"type": "json"}},
                {"response_format": None, "unknown": {"a": [1.5]}},
            ]
        )
    },
}


def _items(*items: Any, **fields: Any) -> dict[str, Any]:
    return {"input": [_user(), *items], **fields}


def _item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


_CUSTOM = _item("custom", name="apply_patch", format={"type": "text"})
_GRAMMAR = {"type": "grammar", "syntax": "lark", "definition": 'start: "x"'}
_CALL = _item("function_call", call_id="c", name="f", arguments="{}")
RESPONSES: dict[str, Case] = {
    "cut arguments": Case(
        _items(_CALL | {"arguments": '{"value": '}, _item("function_call_output", call_id="c", output="x")),
        ('{\\"value\\": ', "x"),
    ),
    "array as arguments": Case(_items(_CALL | {"arguments": "[1]"}), ("[1]",)),
    "object as arguments": Case(_items(_CALL | {"arguments": {"a": 9}}), ('{"a": 9}',)),
    "no arguments": Case(_items(_item("function_call", call_id="c", name="f")), ("f",)),
    "call without name": Case(_items(_item("function_call", call_id="c", arguments="{}")), ("function",)),
    "call without result": Case(_items(_CALL, _user("On."))),
    "result without call": Case(_items(_item("function_call_output", call_id="q", output="lost")), ("lost",)),
    "result without id": Case(_items(_CALL, _item("function_call_output", output="found")), ("found",)),
    "result as object": Case(
        _items(_CALL, _item("function_call_output", call_id="c", output={"content": "in"})), ("in",)
    ),
    "result null": Case(_items(_CALL, _item("function_call_output", call_id="c", output=None))),
    "custom call": Case(
        _items(
            _item("custom_tool_call", call_id="a", name="apply_patch", input="*** Begin Patch"),
            _item("custom_tool_call_output", call_id="a", output="ok"),
        ),
        ("*** Begin Patch", "ok"),
    ),
    "local shell": Case(
        _items(
            _item("local_shell_call", call_id="a", status="completed", action={"type": "exec", "command": ["ls"]}),
            _item("local_shell_call_output", call_id="a", output="files"),
        ),
        ("ls", "files"),
    ),
    "shell": Case(
        _items(
            _item("shell_call", call_id="a", action={"commands": ["pwd"]}),
            _item("shell_call_output", call_id="a", output=[{"stdout": "/here", "stderr": "", "outcome": {}}]),
        ),
        ("pwd", "/here"),
    ),
    "patch": Case(
        _items(
            _item("apply_patch_call", call_id="a", operation={"type": "delete_file", "path": "gone.py"}),
            _item("apply_patch_call_output", call_id="a", status="completed", output="deleted"),
        ),
        ("gone.py", "deleted"),
    ),
    "web search": Case(
        _items(_item("web_search_call", id="w", action={"type": "search", "query": "rain"}), _user()), ("rain",)
    ),
    "web search without words": Case(_items(_item("web_search_call", id="w"), _user()), skipped="web_search_call"),
    "file search": Case(
        _items(_item("file_search_call", queries=["rates"], results=[{"text": "5 %"}]), _user()), ("rates", "5 %")
    ),
    "code": Case(
        _items(_item("code_interpreter_call", code="1+1", outputs=[{"type": "logs", "logs": "2"}]), _user()), ("1+1",)
    ),
    "image made": Case(
        _items(_item("image_generation_call", id="i", result=""), _user()), skipped="image_generation_call"
    ),
    "server of tools": Case(
        _items(_item("mcp_call", id="m", name="look", arguments="{}", output="seen"), _user()), ("look", "seen")
    ),
    "list of tools": Case(
        _items(_item("mcp_list_tools", server_label="s", tools=[]), _user()), skipped="mcp_list_tools"
    ),
    "search for tools": Case(
        _items(
            _item("tool_search_call", call_id="t", arguments={"query": "mail"}),
            _item("tool_search_output", call_id="t", tools=[_item("function", name="send", parameters=SCHEMA)]),
        ),
        ("mail", "send"),
        ("send",),
    ),
    "compaction": Case(_items(_item("compaction", encrypted_content="abc"), _user()), skipped="compaction"),
    "readable compaction": Case(_items(_item("compaction", summary="We met."), _user()), ("We met.",)),
    "secret thoughts": Case(_items(_item("reasoning", summary=[], encrypted_content="x", content=None), _user())),
    "thoughts null": Case(_items(_item("reasoning", summary=[], content=[{"type": "reasoning_text", "text": None}]))),
    "item null": Case(_items(None, _user("z")), ("z",)),
    "function without name": Case(_items(tools=[_item("function")]), offered=(), skipped="tool without a name"),
    "same function twice": Case(_items(tools=[_item("function", name="f")] * 2), offered=("f",)),
    "choice empty": Case(_items(tools=[_item("function", name="f")], tool_choice=""), offered=("f",)),
    "unknown item": Case(_items(_item("teleport", to=1), _user()), skipped="teleport"),
    "unknown role": Case(_items({"role": "critic", "content": "No."}), ("critic: No.",)),
    "item as text": Case({"input": ["words"]}, ("words",)),
    "one item": Case({"input": _user("alone")}, ("alone",)),
    "empty assistant": Case(_items(_item("message", role="assistant", content=[]))),
    "empty user": Case({"input": [_user("")]}),
    "file": Case(
        {"input": [_user([_item("input_file", filename="a.txt", file_data=TEXT_FILE)])]}, ("a.txt", "hello file")
    ),
    "file by address": Case(
        {"input": [_user([_item("input_file", file_url="https://x"), _item("input_text", text="See.")])]},
        ("See.",),
        skipped="input_file without its content",
    ),
    "picture by id": Case(
        {"input": [_user([_item("input_image", file_id="file-1"), _item("input_text", text="See.")])]},
        ("See.",),
        skipped="input_image",
    ),
    "custom tool": Case(_items(tools=[_CUSTOM]), offered=("apply_patch",)),
    "custom tool with a grammar": Case(_items(tools=[_CUSTOM | {"format": _GRAMMAR}]), offered=("apply_patch",)),
    "choice of a custom tool": Case(
        _items(tools=[_CUSTOM], tool_choice=_item("custom", name="apply_patch")), offered=("apply_patch",)
    ),
    "allowed custom tool": Case(
        _items(
            tools=[_CUSTOM],
            tool_choice=_item("allowed_tools", mode="required", tools=[_item("custom", name="apply_patch")]),
        ),
        offered=("apply_patch",),
    ),
    "choice of a provider's": Case(
        _items(tools=[_CUSTOM], tool_choice=_item("file_search")), offered=("apply_patch",), skipped="tool_choice"
    ),
    **{
        f"tool {kind}": Case(_items(tools=[_item(kind), _CUSTOM]), offered=("apply_patch",), skipped=kind)
        for kind in ("web_search", "local_shell", "mcp", "code_interpreter", "image_generation", "tool_search")
    },
    "nested function": Case(_items(tools=[_item("function", function={"name": "f"})]), offered=("f",)),
    "format without schema": Case(_items(text={"format": {"type": "json_schema", "name": "x"}})),
    "format as text": Case(_items(text={"format": "json_object"})),
    "no tools": Case(_items(tools={}), offered=()),
    "instructions of parts": Case(
        _items(
            instructions=[{"type": "input_text", "text": "Be kind."}, _user([_item("input_text", text="Be brief.")])]
        ),
        ("Be kind.\\nBe brief.",),
    ),
    "numbers as texts": Case(_items(temperature="0.7", max_output_tokens="4", top_logprobs="1")),
    "verbosity": Case(
        _items(text={"verbosity": "low"}, truncation="auto", store=False, include=[]), skipped="text.verbosity"
    ),
    "usual verbosity": Case(_items(text={"verbosity": "medium"})),
    "own compaction": Case(
        _items(context_management=[{"type": "compaction", "compact_threshold": 9000}]), skipped="context_management"
    ),
    "how it thinks": Case(
        _items(reasoning={"effort": "low", "summary": "auto", "mode": "pro", "context": "all_turns"}),
        skipped="reasoning.context, reasoning.mode",
    ),
    "usual thinking": Case(_items(reasoning={"mode": "standard", "context": "auto"})),
    "no limit": Case(_items(max_output_tokens=-1)),
    "whole float": Case(_items(max_output_tokens=4.0, top_logprobs=1.0)),
}


def _asked(*blocks: Any, **fields: Any) -> dict[str, Any]:
    return {"max_tokens": 4, "messages": [_user([*blocks, {"type": "text", "text": "Say hello."}])], **fields}


def _did(*blocks: Any, **fields: Any) -> dict[str, Any]:
    return {"max_tokens": 4, "messages": [_user(), {"role": "assistant", "content": [*blocks]}, _user("z")], **fields}


def _source(**fields: Any) -> dict[str, Any]:
    return {"type": "document", "source": fields}


_USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}
_TOOL = {"name": "f", "input_schema": SCHEMA}


def _answered(content: Any, **fields: Any) -> dict[str, Any]:
    turns = [_user(), {"role": "assistant", "content": [_USE]}]
    return {
        "max_tokens": 4,
        "messages": [*turns, _user([{"type": "tool_result", "tool_use_id": "t1", "content": content}])],
        "tools": [_TOOL],
        **fields,
    }


MESSAGES: dict[str, Case] = {
    "PDF": Case(_asked(_source(type="base64", media_type="application/pdf", data=PDF)), ("Hello", "Say hello.")),
    "PDF in a result": Case(
        _answered([_source(type="base64", media_type="application/pdf", data=PDF)]), ("Hello",), ("f",)
    ),
    "text document": Case(
        _asked(_source(type="text", media_type="text/plain", data="Once.") | {"title": "Tale", "context": "Old."}),
        ("Tale", "Once.", "Old."),
    ),
    "document of blocks": Case(
        _asked(_source(type="content", content=[{"type": "text", "text": "Part."}])), ("Part.",)
    ),
    "document of text": Case(_asked(_source(type="content", content="Whole.")), ("Whole.",)),
    "document by address": Case(_asked(_source(type="url", url="https://x")), skipped="document without its content"),
    "document by id": Case(_asked(_source(type="file", file_id="f")), skipped="document without its content"),
    "search result": Case(
        _asked(
            {
                "type": "search_result",
                "source": "https://a.example",
                "title": "Rain",
                "content": [{"type": "text", "text": "It rains."}],
                "citations": {"enabled": True},
            }
        ),
        ("https://a.example", "Rain", "It rains."),
    ),
    "search result of a tool": Case(
        _answered([{"type": "search_result", "title": "Sun", "source": "s", "content": []}]), ("Sun",), ("f",)
    ),
    "reference": Case(_answered([{"type": "tool_reference", "tool_name": "f"}]), ("f",), ("f",)),
    "addition": Case(_asked({"type": "tool_addition", "tool": _TOOL}), offered=("f",)),
    "addition by value": Case(
        _asked({"type": "tool_addition", "tool": {"type": "tool_definition", "definition": _TOOL}}), offered=("f",)
    ),
    "addition by reference": Case(
        _asked({"type": "tool_addition", "tool": {"type": "tool_reference", "name": "f"}}, tools=[_TOOL]),
        offered=("f",),
    ),
    "addition by the system": Case(
        {
            "max_tokens": 4,
            "messages": [_user(), {"role": "system", "content": [{"type": "tool_addition", "tool": _TOOL}]}],
        },
        offered=("f",),
    ),
    "removal": Case(
        _asked({"type": "tool_removal", "tool": {"type": "tool_reference", "name": "f"}}, tools=[_TOOL]), offered=()
    ),
    "deferred": Case(
        _asked(tools=[_TOOL | {"defer_loading": True}, {"type": "tool_search_tool_regex_20251119", "name": "s"}]),
        offered=("f",),
        skipped="tool_search_tool_regex_20251119",
    ),
    "server tool": Case(
        _asked(tools=[{"type": "web_search_20250305", "name": "web_search"}, _TOOL]),
        offered=("f",),
        skipped="web_search_20250305",
    ),
    "only a server tool": Case(
        _asked(tools=[{"type": "code_execution_20250825", "name": "c"}], tool_choice={"type": "any"}),
        offered=(),
        skipped="code_execution_20250825",
    ),
    "bash": Case(_asked(tools=[{"type": "bash_20250124", "name": "bash"}]), offered=("bash",)),
    "editor": Case(
        _asked(tools=[{"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"}]),
        offered=("str_replace_based_edit_tool",),
    ),
    "what is shown of thoughts": Case(
        _asked(thinking={"type": "adaptive", "display": "omitted"}), skipped="thinking.display"
    ),
    "usual thoughts": Case(_asked(thinking={"type": "between_tools", "display": "summarized"})),
    "other models": Case(_asked(fallbacks=[{"model": "m"}]), skipped="fallbacks"),
    "usual other models": Case(_asked(fallbacks="default")),
    "server tool in use": Case(
        _did(
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}},
            {
                "type": "web_search_tool_result",
                "tool_use_id": "s",
                "content": [{"type": "web_search_result", "title": "News", "url": "u", "encrypted_content": "zzz"}],
            },
            {"type": "text", "text": "y"},
        ),
        ("web_search(", "News", "y"),
    ),
    "empty result of a server tool": Case(
        _did({"type": "web_search_tool_result", "tool_use_id": "s", "content": []}), skipped="web_search_tool_result"
    ),
    "code run by the server": Case(
        _did({"type": "bash_code_execution_tool_result", "content": {"stdout": "42", "return_code": 0}}), ("42",)
    ),
    "failed server tool": Case(
        _did({"type": "web_fetch_tool_result", "content": {"error_code": "unavailable"}}), ("unavailable",)
    ),
    "tool of a server of tools": Case(
        _did(
            {"type": "mcp_tool_use", "id": "m", "name": "look", "server_name": "s", "input": {}},
            {"type": "mcp_tool_result", "tool_use_id": "m", "content": [{"type": "text", "text": "seen"}]},
        ),
        ("look", "seen"),
    ),
    "compaction": Case(
        {
            "max_tokens": 4,
            "messages": [
                _user("long ago"),
                {
                    "role": "assistant",
                    "content": [{"type": "compaction", "content": "We met."}, {"type": "text", "text": "So."}],
                },
                _user("z"),
            ],
        },
        ("We met.", "So.", "z"),
    ),
    "failed compaction": Case(_did({"type": "compaction", "content": None}), skipped="compaction"),
    "upload": Case(_asked({"type": "container_upload", "file_id": "f"}), skipped="container_upload"),
    "unknown block": Case(_asked({"type": "fallback", "from": {}}), skipped="fallback"),
    "secret thoughts": Case(_did({"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": "y"}), ("y",)),
    "thoughts null": Case(_did({"type": "thinking", "thinking": None, "signature": "s"})),
    "input as text": Case(_did(_USE | {"input": '{"a": 1'}), ('{\\"a\\": 1',)),
    "input as array": Case(_did(_USE | {"input": [1]}), ("[1]",)),
    "input null": Case(_did(_USE | {"input": None}), ("f",)),
    "call without id": Case(_did({"type": "tool_use", "name": "f", "input": {}}), ("f",)),
    "call without result": Case(_did(_USE), ("f", "z")),
    "result without call": Case(_asked({"type": "tool_result", "tool_use_id": "q", "content": "lost"}), ("lost",)),
    "result as object": Case(_answered({"type": "text", "text": "in"}), ("in",), ("f",)),
    "result null": Case(_answered(None), offered=("f",)),
    "empty assistant": Case({"max_tokens": 4, "messages": [_user(), {"role": "assistant", "content": []}]}),
    "empty user": Case({"max_tokens": 4, "messages": [_user([])]}),
    "unknown role": Case({"max_tokens": 4, "messages": [{"role": "critic", "content": "No."}]}, ("critic: No.",)),
    "developer": Case(
        {"max_tokens": 4, "messages": [{"role": "developer", "content": "Be brief."}, _user()]}, ("Be brief.",)
    ),
    "no limit given": Case({"messages": [_user()]}),
    "read only": Case({"messages": [_user()], "max_tokens": 0}),
    "system of blocks": Case(
        _asked(system=[{"type": "text", "text": "Be kind.", "cache_control": {}}, {"type": "x"}]),
        ("Be kind.",),
        skipped="x",
    ),
    "fields of newer versions": Case(
        _asked(thinking={"type": "adaptive"}, context_management={"edits": []}, mcp_servers=[], container="c", top_k=-1)
    ),
    "a server of tools": Case(
        _asked(mcp_servers=[{"type": "url", "url": "https://example.com", "name": "x"}]), skipped="mcp_servers"
    ),
    "skills": Case(
        _asked(container={"skills": [{"type": "anthropic", "skill_id": "xlsx"}]}), skipped="container.skills"
    ),
    "cleared tool uses": Case(
        _asked(context_management={"edits": [{"type": "clear_tool_uses_20250919"}]}), skipped="context_management"
    ),
    "budget of a task": Case(
        _asked(output_config={"task_budget": {"type": "tokens", "total": 9000}}), skipped="output_config.task_budget"
    ),
    "format without schema": Case(_asked(output_config={"format": {"type": "json_schema"}})),
    "format as text": Case(_asked(output_format="json")),
    "no tools": Case(_asked(tools={}), offered=()),
    "numbers as texts": Case(_asked(temperature="1", top_p="0.9") | {"max_tokens": "4"}),
    "stop sequences": Case(_asked(stop_sequences=["", *(f"s{number}" for number in range(20))])),
}
OLLAMA: dict[str, Case] = {
    f"generate {index}": Case({"prompt": "hi", "stream": False, **fields}, ("hi",), skipped=skipped)
    for index, (fields, skipped) in enumerate(
        [
            ({"options": {"seed": 42.0, "num_predict": 4.0}}, ""),
            ({"options": {"num_ctx": 4096.0, "top_k": 40.0, "temperature": 1.0}}, ""),
            ({"options": {"num_predict": -1}}, ""),
            ({"options": {"num_predict": -2}}, ""),
            ({"options": {"num_predict": 0}}, ""),
            ({"options": {"top_k": -1, "seed": -1}}, ""),
            ({"options": {"stop": ""}}, ""),
            ({"options": {"stop": [f"s{number}" for number in range(20)]}}, ""),
            ({"options": {"repeat_last_n": -1.0, "mirostat": 0, "num_gpu": 99, "penalize_newline": True}}, ""),
            ({"options": {}}, ""),
            ({"options": {"temperature": "0.7", "num_ctx": "4096", "num_predict": "4"}, "logprobs": 1}, ""),
            ({"options": None}, ""),
            ({"template": ""}, ""),
            ({"template": "{{ .Prompt }}"}, "template"),
            ({"context": []}, ""),
            ({"context": [1, 2]}, "context"),
            ({"context": None}, ""),
            ({"keep_alive": "5m"}, ""),
            ({"keep_alive": -1}, ""),
            ({"keep_alive": 300.0}, ""),
            ({"suffix": ""}, ""),
            ({"system": ""}, ""),
            ({"images": []}, ""),
            ({"format": ""}, ""),
            ({"format": "json"}, ""),
            ({"format": {}}, ""),
            ({"format": "yaml"}, "format yaml"),
            ({"think": False}, ""),
            ({"raw": False, "model": "llama3.2:latest"}, ""),
        ]
    )
}

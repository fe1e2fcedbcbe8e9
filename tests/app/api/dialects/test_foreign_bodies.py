"""What programs send is answered in all four dialects: the model is shown what says something, the rest is named."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from app.api.dialects.anthropic_messages import MessageBody
from app.api.dialects.chat import ChatBody
from app.api.dialects.completions import CompletionBody
from app.api.dialects.embeddings import EmbeddingsBody
from app.api.dialects.ollama import OllamaChatBody, OllamaGenerateBody
from app.api.dialects.responses import ResponseBody
from app.api.requests.lenient_content import SKIPPED_HEADER
from engine.errors import TemplateFailed
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.foreign_bodies import CHAT, MESSAGES, OLLAMA, PASTS, RESPONSES, SCHEMA, TEXT_FILE, Case
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.engine.tiers import by_tier

CASES = {
    "/v1/chat/completions": CHAT | {name: Case({"messages": past}, shown) for name, (past, shown) in PASTS.items()},
    "/v1/responses": RESPONSES,
    "/v1/messages": MESSAGES,
    "/api/generate": OLLAMA,
    "/api/chat": {name: Case({"messages": past, "stream": False}, shown) for name, (past, shown) in PASTS.items()},
}


@pytest.fixture(scope="module")
def answers() -> Iterator[Served]:
    """An engine whose model can call functions."""
    engine = ScriptedEngine()
    engine.loads = [CALLER]
    served = Served(engine)
    # The thread that lists models and reads files stays.
    served.get("/v1/models")
    yield served
    served.close()
    engine.close()


@pytest.mark.parametrize(
    ("path", "kind", "body"),
    [
        ("/v1/chat/completions", ChatBody, {"messages": PASTS["two users"][0]}),
        ("/v1/completions", CompletionBody, {"prompt": "x"}),
        ("/v1/responses", ResponseBody, {"input": "x"}),
        ("/v1/messages", MessageBody, {"messages": PASTS["two users"][0]}),
        ("/api/chat", OllamaChatBody, {"messages": PASTS["two users"][0], "stream": False}),
        ("/api/generate", OllamaGenerateBody, {"prompt": "x", "stream": False}),
        ("/v1/embeddings", EmbeddingsBody, {"input": "x"}),
    ],
)
def test_null_counts_as_absent_in_every_field(
    answers: Served, path: str, kind: type[msgspec.Struct], body: dict[str, Any]
) -> None:
    names = {one.encode_name for one in msgspec.structs.fields(kind)} | {"name_of_no_field"}
    response = answers.post(path, dict.fromkeys(names) | body)
    assert response.status_code == 200, response.text


@pytest.mark.parametrize("prompt", ["", [], [""], [[]], None])
def test_an_empty_prompt_is_continued(answers: Served, prompt: Any) -> None:
    response = answers.post("/v1/completions", {"prompt": prompt})
    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    ("path", "name"), [pytest.param(path, name, id=f"{path} {name}") for path in CASES for name in CASES[path]]
)
def test_what_programs_send_is_answered(answers: Served, path: str, name: str) -> None:
    case = CASES[path][name]
    response = answers.post(path, case.body)
    assert response.status_code == 200, response.text
    request = answers.requests[-1]
    shown = json.dumps(request.messages, ensure_ascii=False).replace('\\"', '"')
    assert not [text for text in case.shown if text.replace('\\"', '"') not in shown.replace('\\"', '"')], shown
    if case.offered is not None:
        assert tuple(tool["function"]["name"] for tool in request.tools) == case.offered
    assert case.skipped in response.headers.get(SKIPPED_HEADER, "")
    assert bool(case.skipped) == (SKIPPED_HEADER in response.headers)


@pytest.mark.parametrize(
    ("path", "name"),
    by_tier(
        [
            *(("/v1/chat/completions", name) for name in ("cut arguments", "custom call", "role function", "one tool")),
            *(("/v1/responses", name) for name in ("custom call", "local shell", "cut arguments", "format as text")),
            *(("/v1/messages", name) for name in ("server tool in use", "reference", "PDF", "numbers as texts")),
            *(("/api/generate", f"generate {index}") for index in (0, 8)),
        ],
        [
            *(("/v1/chat/completions", "custom call"), ("/v1/responses", "cut arguments")),
            *(("/v1/messages", "server tool in use"), ("/api/generate", "generate 8")),
        ],
    ),
)
def test_a_real_model_answers_them_too(starter: Served, path: str, name: str) -> None:
    limits: dict[str, Any] = {"/v1/responses": {"max_output_tokens": 2}, "/api/generate": {}}
    response = starter.post(path, CASES[path][name].body | limits.get(path, {"max_tokens": 2}))
    assert response.status_code == 200, response.text


DOCX = b64encode((Path(__file__).parents[3] / "engine/documents/files/python-docx.docx").read_bytes()).decode()
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.mark.parametrize(
    ("path", "part"),
    [
        ("/v1/chat/completions", {"type": "file", "file": {"filename": "plan.docx", "file_data": DOCX}}),
        ("/v1/responses", {"type": "input_file", "filename": "plan.docx", "file_data": f"data:{WORD};base64,{DOCX}"}),
        (
            "/v1/messages",
            {"type": "document", "source": {"type": "base64", "media_type": WORD, "data": DOCX}, "title": "plan.docx"},
        ),
    ],
)
def test_a_document_is_shown_to_the_model_as_markdown(answers: Served, path: str, part: dict[str, Any]) -> None:
    field = "input" if path == "/v1/responses" else "messages"
    response = answers.post(path, {field: [{"role": "user", "content": [part]}], "max_tokens": 4})
    assert response.status_code == 200, response.text
    assert SKIPPED_HEADER not in response.headers
    shown = json.dumps(answers.requests[-1].messages, ensure_ascii=False)
    assert [text for text in ("plan.docx", "# Quarterly report", "| Kim |") if text not in shown] == []


@pytest.mark.parametrize("encoding", ["punycode", "base64"])
def test_a_page_in_an_encoding_that_no_browser_knows_is_shown_all_the_same(answers: Served, encoding: str) -> None:
    page = b64encode(b"<meta charset=%s><p>heron-" % encoding.encode() + b"a" * 2**20).decode()
    part = {"type": "document", "source": {"type": "base64", "data": page}, "title": "a.html"}
    response = answers.post("/v1/messages", {"messages": [{"role": "user", "content": [part]}], "max_tokens": 4})
    assert response.status_code == 200, response.text
    assert "heron-aaa" in str(answers.requests[-1].messages)


def test_a_stream_names_what_was_left_out_too(answers: Served) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "hologram"}]}], "stream": True}
    assert answers.post("/v1/chat/completions", body).headers[SKIPPED_HEADER] == "hologram"


def test_what_is_before_a_compaction_is_not_read(answers: Served) -> None:
    answers.post("/v1/messages", MESSAGES["compaction"].body)
    assert "long ago" not in json.dumps(answers.requests[-1].messages)


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/responses", "/v1/messages"])
def test_a_conversation_that_the_template_refuses_is_read_as_texts(serve: Serve, path: str) -> None:
    engine = ScriptedEngine([Script("", error=TemplateFailed("roles must alternate")), Script("Fine.")])
    engine.loads = [CALLER]
    served = serve(engine)
    bodies: dict[str, dict[str, Any]] = {
        "/v1/chat/completions": {"messages": PASTS["two results"][0]},
        "/v1/responses": RESPONSES["custom call"].body,
        "/v1/messages": MESSAGES["reference"].body,
    }
    response = served.post(path, bodies[path])
    assert response.status_code == 200, response.text
    refused, read = engine.requests
    assert "tool" in [turn["role"] for turn in refused.messages]
    roles = [turn["role"] for turn in read.messages]
    assert roles == [("user", "assistant")[index % 2] for index in range(len(roles))]


def test_a_conversation_that_is_refused_as_texts_too_is_an_error(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script("", error=TemplateFailed("never"))]))
    response = served.post("/v1/chat/completions", {"messages": PASTS["result without call"][0]})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "template_failed")


PATCH = '<tool_call>\n{"name": "apply_patch", "arguments": {"input": "*** Begin \\"x\\"\\n"}}\n</tool_call>'


def test_a_call_of_a_custom_tool_comes_back_as_its_text(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(PATCH)]), CALLER)
    chat = {
        "messages": [{"role": "user", "content": "Fix."}],
        "tools": [{"type": "custom", "custom": {"name": "apply_patch"}}],
    }
    expected = {"name": "apply_patch", "input": '*** Begin "x"\n'}
    [call] = served.chat(chat)["choices"][0]["message"]["tool_calls"]
    assert (call["type"], call["custom"]) == ("custom", expected)
    deltas = [chunk["choices"][0]["delta"] for chunk in served.events("/v1/chat/completions", chat)]
    first, *more = [call for delta in deltas for call in delta.get("tool_calls", ())]
    texts = [call["custom"]["input"] for call in (first, *more)]
    assert (first["type"], first["custom"]["name"], "".join(texts)) == ("custom", *expected.values())
    asked: dict[str, Any] = {"input": "Fix.", "tools": [{"type": "custom", "name": "apply_patch"}]}
    item = served.post("/v1/responses", asked).json()["output"][-1]
    assert (item["type"], item["name"], item["input"]) == ("custom_tool_call", *expected.values())
    events = list(served.events("/v1/responses", asked))
    [done] = [one for one in events if one["type"] == "response.custom_tool_call_input.done"]
    assert done["input"] == expected["input"]
    assert (
        "".join(one["delta"] for one in events if one["type"] == "response.custom_tool_call_input.delta")
        == done["input"]
    )
    with served.openai() as client:
        # The official client knows all of it.
        [called] = client.responses.create(model="m", **asked).output
        assert (called.type, called.input) == ("custom_tool_call", expected["input"])  # type: ignore[union-attr]


def test_a_call_of_a_function_in_the_older_spelling_comes_back_in_it(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(PATCH)]), CALLER)
    asked: dict[str, Any] = {
        "messages": [{"role": "user", "content": "Fix."}],
        "functions": [{"name": "apply_patch", "parameters": {"type": "object"}}],
        "function_call": {"name": "apply_patch"},
    }
    called = {"name": "apply_patch", "arguments": '{"input": "*** Begin \\"x\\"\\n"}'}
    [choice] = served.chat(asked)["choices"]
    assert (choice["message"]["function_call"], choice["finish_reason"]) == (called, "function_call")
    assert "tool_calls" not in choice["message"]
    chunks = [chunk["choices"][0] for chunk in served.events("/v1/chat/completions", asked)]
    pieces = [chunk["delta"]["function_call"] for chunk in chunks if "function_call" in chunk["delta"]]
    assert {"name": pieces[0]["name"], "arguments": "".join(piece["arguments"] for piece in pieces)} == called
    assert not any("name" in piece for piece in pieces[1:])
    assert chunks[-1]["finish_reason"] == "function_call"


def test_the_context_of_an_answer_carries_the_conversation_on(answers: Served) -> None:
    first = answers.post("/api/generate", {"prompt": "안녕", "system": "Be kind.", "stream": False}).json()
    answers.post("/api/generate", {"prompt": "And now?", "context": first["context"], "stream": False})
    turns = [(turn["role"], turn["content"]) for turn in answers.requests[-1].messages]
    assert turns == [
        ("system", "Be kind."), ("user", "안녕"), ("assistant", first["response"]), ("user", "And now?"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("fields", "expected"), [({"max_tokens": -1}, None), ({"max_tokens": 0}, 0), ({"max_tokens": 7.0}, 7), ({}, None)]
)
def test_a_limit_means_what_its_makers_say(answers: Served, fields: dict[str, Any], expected: int | None) -> None:
    answers.post("/v1/chat/completions", {"messages": PASTS["two users"][0], **fields})
    assert answers.requests[-1].max_tokens == expected


def test_a_prompt_is_read_ahead_without_an_answer(answers: Served) -> None:
    for prewarm, expected in ((True, 0), (False, 9)):
        body = {"input": "x", "max_output_tokens": 9, "prompt_cache_options": {"prewarm": prewarm}}
        assert answers.post("/v1/responses", body).status_code == 200
        assert answers.requests[-1].max_tokens == expected


def test_examples_of_arguments_are_shown_with_their_schema(answers: Served) -> None:
    tool = {"name": "f", "input_schema": SCHEMA, "input_examples": [{"a": 7}]}
    response = answers.post("/v1/messages", {"max_tokens": 4, "messages": USER, "tools": [tool]})
    assert (response.status_code, response.headers.get(SKIPPED_HEADER)) == (200, None)
    assert answers.requests[-1].tools[0]["function"]["parameters"] == SCHEMA | {"examples": [{"a": 7}]}


@pytest.mark.parametrize(("choice", "requires"), [("required", True), ("auto", False), ("none", False)])
def test_a_choice_of_tools_holds_for_ollama_too(answers: Served, choice: str, requires: bool) -> None:
    tool = {"type": "function", "function": {"name": "f", "parameters": SCHEMA}}
    body = {"messages": USER, "tools": [tool], "tool_choice": choice, "stream": False}
    assert answers.post("/api/chat", body).status_code == 200
    chosen = answers.requests[-1]
    answers.post("/v1/chat/completions", body)
    assert chosen.grammar == answers.requests[-1].grammar
    assert (chosen.grammar is not None and chosen.grammar.kind == "calls") == requires


def test_nothing_to_answer_is_still_refused(answers: Served) -> None:
    for path, body in {
        "/v1/chat/completions": {"messages": []},
        "/v1/responses": {"input": []},
        "/v1/messages": {"messages": []},
    }.items():
        assert answers.post(path, body).status_code == 400, path
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,%%%"}}
    body = {"messages": [{"role": "user", "content": [picture]}]}
    assert answers.post("/v1/chat/completions", body).status_code == 400


def test_the_arguments_of_functions_keep_their_numbers(answers: Served) -> None:
    call = {"id": "a", "function": {"name": "f", "arguments": '{"a": 5.0}'}}
    turns = [{"role": "user", "content": "x"}, {"role": "assistant", "tool_calls": [call]}]
    tool = {"type": "function", "function": {"name": "f", "parameters": SCHEMA | {"minimum": 1.0}}}
    answers.post("/v1/chat/completions", {"messages": turns, "tools": [tool]})
    assert '"a": 5.0' in json.dumps(answers.requests[-1].messages)
    assert '"minimum": 1.0' in json.dumps(answers.requests[-1].tools)


def test_what_is_left_out_is_said_once_in_the_log(answers: Served, caplog: pytest.LogCaptureFixture) -> None:
    body = {"messages": [{"role": "user", "content": [{"type": "kaleidoscope\n"}]}]}
    with caplog.at_level("INFO", "app.api.requests.lenient_content"):
        for _ in range(2):
            answers.post("/v1/chat/completions", body)
    assert [record.getMessage() for record in caplog.records if "kaleidoscope" in record.getMessage()] == [
        "/v1/chat/completions: requests have `kaleidoscope`, which is left out"
    ]


def test_a_file_that_is_a_picture_is_seen(answers: Served) -> None:
    file = {"type": "file", "file": {"filename": "a.txt", "file_data": TEXT_FILE}}
    assert answers.post("/v1/chat/completions", {"messages": [{"role": "user", "content": [file]}]}).status_code == 200


USER = [{"role": "user", "content": "x"}]


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/v1/chat/completions", {"messages": USER, "moderation": {"model": "omni-moderation-latest"}}, "moderation"),
        ("/v1/responses", {"input": "x", "moderation": {"model": "omni-moderation-latest"}}, "moderation"),
        ("/v1/responses", {"input": "x", "prompt": {"id": "pmpt_1", "variables": {"city": "Oslo"}}}, "prompt"),
        ("/v1/messages", {"messages": USER, "max_tokens": 9, "compaction": {"type": "summarize"}}, "compaction"),
        (
            "/v1/messages",
            {"messages": USER, "max_tokens": 9, "safeguards": [{"type": "dangerous_tool_use"}]},
            "safeguards",
        ),
    ],
)
def test_what_a_caller_relies_on_is_refused_with_what_to_do_instead(
    answers: Served, path: str, body: dict[str, Any], field: str
) -> None:
    refused = answers.post(path, body)
    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")
    assert re.search(r"\b(send|leave|Ask)\b", refused.json()["error"]["message"])
    assert answers.post(path, body | {field: None}).status_code == 200


def test_a_count_is_that_of_the_conversation_that_is_to_be_summed_up(answers: Served) -> None:
    body = {"messages": USER, "compaction": {"type": "summarize"}}
    assert answers.post("/v1/messages/count_tokens", body).status_code == 200

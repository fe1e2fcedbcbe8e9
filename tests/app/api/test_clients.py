"""The official clients, unmodified, against the starter pair and against answers that play scripts."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import pytest

from engine import starter_pair
from engine.errors import InternalFailure
from engine.status import LoadedPair
from tests.app.api.conftest import CALLER, Serve
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine, model_info
from tests.app.scripts import Script
from tests.patience import PATIENCE_S

if TYPE_CHECKING:
    # Their modules take seconds to import.
    import anthropic
    import openai
    from openai.types.chat import ChatCompletionMessageParam

ASKED: list[ChatCompletionMessageParam] = [{"role": "user", "content": "What is a draft model?"}]
CALL = '<tool_call>\n{"name": "weather", "arguments": {"city": "Seoul"}}\n</tool_call>'
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"city": {"type": "string"}}}


@pytest.fixture
def client(starter: Served) -> Iterator[openai.OpenAI]:
    with starter.openai() as client:
        yield client


@pytest.fixture
def claude(starter: Served) -> Iterator[anthropic.Anthropic]:
    with starter.anthropic() as client:
        yield client


@pytest.fixture
def calling(serve: Serve) -> Served:
    """A model that thinks, then calls a function."""
    return serve(ScriptedEngine([Script(f"<think>\nWhere?\n</think>\n\nLet me see. {CALL}")]), CALLER)


def test_the_loaded_main_model_is_listed_first(client: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    names = ["starter/main", "starter/draft", "starter/head"]
    assert [model.id for model in client.models.list()] == names
    assert [model.id for model in claude.models.list()] == names
    for model in (client.models.retrieve("starter/main"), *client.models.list()):
        assert model.created > 1e9
    for listed in (claude.models.retrieve("starter/main"), *claude.models.list()):
        type(listed).model_validate_json(listed.model_dump_json())
        assert (listed.type, listed.display_name, listed.created_at.year > 2020) == ("model", listed.id, True)


def test_the_first_model_of_the_list_is_the_one_to_chat_with(serve: Serve) -> None:
    for main, first in (
        # Nothing is loaded, or a folder that is not listed.
        (None, "starter/main"),
        (model_info("main"), "starter/main"),
        (replace(model_info("draft"), path=starter_pair()[1]), "starter/draft"),
    ):
        with serve(None, LoadedPair(main, None)).openai() as client:
            names = [model.id for model in client.models.list()]
        assert names == [first, *sorted({"starter/draft", "starter/head", "starter/main"} - {first})]


def test_openai_chats_whole_and_streamed(client: openai.OpenAI) -> None:
    whole = client.chat.completions.create(model="starter/main", messages=ASKED, max_tokens=12, temperature=0)
    stream = client.chat.completions.create(
        model="starter/main",
        messages=ASKED,
        max_tokens=12,
        temperature=0,
        logprobs=True,
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"num_draft_tokens": 3},
    )
    chunks = list(stream)
    text = "".join(choice.delta.content or "" for chunk in chunks for choice in chunk.choices)
    assert whole.choices[0].message.content == text
    assert whole.usage is not None
    assert chunks[-1].usage is not None
    assert chunks[-1].usage.completion_tokens == whole.usage.completion_tokens == 12
    tokens = [
        token.token
        for chunk in chunks
        for choice in chunk.choices
        if choice.logprobs is not None
        for token in choice.logprobs.content or ()
    ]
    assert "".join(tokens) == text


# What each response of OpenAI has, beside what its schema requires.
RESPONSE_FIELDS = {
    *("background", "completed_at", "max_output_tokens", "max_tool_calls", "previous_response_id", "prompt_cache_key"),
    *("reasoning", "safety_identifier", "service_tier", "status", "store", "text", "tool_choice", "top_logprobs"),
    *("truncation", "usage", "user", "metadata", "parallel_tool_calls", "presence_penalty", "frequency_penalty"),
}


def test_answers_have_what_openais_published_schema_requires(calling: Served) -> None:
    """The client's types lack the fields that the schema requires and that may be null."""
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.responses import Response, ResponseStreamEvent
    from pydantic import TypeAdapter

    function = {"name": "weather", "parameters": SCHEMA}
    asked = {"messages": ASKED, "tools": [{"type": "function", "function": function}], "logprobs": True}
    whole = calling.chat(asked)
    ChatCompletion.model_validate(whole)
    [choice] = whole["choices"]
    for chunk in calling.events("/v1/chat/completions", asked | {"stream_options": {"include_usage": True}}):
        ChatCompletionChunk.model_validate(chunk)
        choices = [one["logprobs"] for one in chunk["choices"] if one["logprobs"] is not None]
        assert all({"content", "refusal"} <= {*one} for one in choices)
    assert {"content", "refusal"} <= {*choice["message"]} & {*choice["logprobs"]}
    texts = accumulate(token["token"] for token in choice["logprobs"]["content"])
    spent = 1 + sum("</think>" not in text for text in texts)
    for usage in (whole["usage"], chunk["usage"]):
        assert usage["completion_tokens_details"]["reasoning_tokens"] == spent
    answer = {"input": "Weather?", "tools": [{"type": "function", "name": "weather"}]}
    response = calling.post("/v1/responses", answer).json()
    events = list(calling.events("/v1/responses", answer))
    TypeAdapter(list[ResponseStreamEvent]).validate_python(events)
    for one in (response, *(event["response"] for event in events if "response" in event)):
        Response.model_validate(one)
        assert {"instructions", "metadata", "temperature", "top_p", "error", "incomplete_details"} <= {*one}
        assert {"parameters", "strict"} <= {*one["tools"][0]}
        assert {*one} >= RESPONSE_FIELDS
        assert (one["text"], one["truncation"], one["store"]) == ({"format": {"type": "text"}}, "disabled", False)
    assert response["usage"]["output_tokens_details"] == {"reasoning_tokens": spent}


@pytest.mark.full
def test_openai_may_close_a_stream_early(client: openai.OpenAI, starter: Served) -> None:
    with client.chat.completions.create(model="default", messages=ASKED, stream=True) as stream:
        next(iter(stream))
    # The next one gets its turn all the same.
    assert client.chat.completions.create(model="default", messages=ASKED, max_tokens=2).choices[0].message.content
    assert starter.api.status.under_way == ()


@pytest.mark.full
def test_openai_asks_asynchronously_many_at_once(starter: Served) -> None:
    import openai

    async def ask() -> set[str | None]:
        async with openai.AsyncOpenAI(
            base_url=f"{starter.address}/v1", api_key="none", max_retries=0, timeout=PATIENCE_S
        ) as client:
            asked = (
                client.chat.completions.create(model="default", messages=ASKED, max_tokens=8, temperature=0)
                for _ in range(6)
            )
            return {answer.choices[0].message.content for answer in await asyncio.gather(*asked)}

    assert len(asyncio.run(ask())) == 1


def test_openai_completes_raw_prompts(client: openai.OpenAI) -> None:
    prompt = "<|im_start|>user\nWhat is a draft model?<|im_end|>\n<|im_start|>assistant\n"
    chat = client.chat.completions.create(model="default", messages=ASKED, max_tokens=12, temperature=0)
    raw = client.completions.create(model="default", prompt=[prompt, prompt], max_tokens=12, temperature=0, logprobs=0)
    assert [choice.text for choice in raw.choices] == [chat.choices[0].message.content] * 2
    logprobs = raw.choices[0].logprobs
    assert logprobs is not None
    assert "".join(logprobs.tokens or ()) == raw.choices[0].text
    stream = client.completions.create(model="default", prompt=prompt, max_tokens=12, temperature=0, stream=True)
    assert "".join(chunk.choices[0].text for chunk in stream) == raw.choices[0].text


@pytest.mark.full
def test_openai_gets_responses_whole_and_streamed(client: openai.OpenAI) -> None:
    asked: Any = {"model": "default", "input": "Hello", "temperature": 0}
    short = client.responses.create(**asked, max_output_tokens=3)
    assert (short.status, short.incomplete_details and short.incomplete_details.reason) == (
        "incomplete",
        "max_output_tokens",
    )
    hello: list[ChatCompletionMessageParam] = [{"role": "user", "content": "Hello"}]
    chat = client.chat.completions.create(model="default", messages=hello, temperature=0)
    whole = client.responses.create(**asked)
    assert (whole.output_text, whole.status) == (chat.choices[0].message.content, "completed")
    with client.responses.stream(**asked) as stream:
        kinds = [event.type for event in stream]
        final = stream.get_final_response()
    assert final.output_text == whole.output_text
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")


def test_a_response_repeats_what_was_asked_for(serve: Serve) -> None:
    served = serve()
    form = {"type": "json_schema", "name": "joke", "schema": SCHEMA, "strict": True}
    asked = {
        "input": "A joke", "text": {"format": form, "verbosity": "low"}, "reasoning": {"effort": "low"},
        "truncation": "auto", "user": "me", "top_logprobs": 2, "presence_penalty": 0.5,
    }  # fmt: skip
    whole = served.post("/v1/responses", asked).json()
    ends = [event["response"] for event in served.events("/v1/responses", asked) if "response" in event]
    assert len(ends) == 3
    for response in (whole, *ends):
        # LangChain reads the type of the format at the end of a stream.
        assert response["text"]["format"] == {**form, "description": None}
        assert response["reasoning"] == {"effort": "low", "summary": None}
        assert (response["truncation"], response["user"], response["top_logprobs"]) == ("auto", "me", 2)
        assert response["presence_penalty"] == 0.5
    assert [request.overflow for request in served.requests] == ["shorten"] * 2
    served.post("/v1/responses", {"input": "Hi", "truncation": "disabled", "text": {"format": {"type": "json_object"}}})
    assert served.requests[-1].overflow is None


def test_openai_takes_any_number_of_signs_of_life(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("answering", "response_writers"):
        monkeypatch.setattr(f"app.api.{module}.KEEP_ALIVE_S", 0.005)
    gate = threading.Semaphore(1)
    served = serve(ScriptedEngine([Script("Hello")], gate=gate))
    numbers: list[int] = []
    signs = 0
    with served.openai() as client, client.responses.stream(model="default", input="Hi") as stream:
        for event in stream:
            numbers.append(event.sequence_number)
            signs += event.type == "response.in_progress"
            if signs == 4:
                gate.release(99)
        assert stream.get_final_response().output_text == "Hello"
    assert signs >= 4
    assert numbers == list(range(len(numbers)))


def test_openai_gets_logprobs_of_responses(client: openai.OpenAI) -> None:
    asked: Any = {"model": "default", "input": "What is a draft model?", "temperature": 0, "max_output_tokens": 12}
    chat = client.chat.completions.create(
        model="default", messages=ASKED, temperature=0, max_tokens=12, logprobs=True, top_logprobs=2
    )
    assert chat.choices[0].logprobs is not None
    own = [(token.token, token.bytes) for token in chat.choices[0].logprobs.content or ()]
    asked |= {"include": ["message.output_text.logprobs"], "top_logprobs": 2}
    whole = client.responses.create(**asked)
    with client.responses.stream(**asked) as stream:
        events = list(stream)
    pieces = [(event.delta, event.logprobs) for event in events if event.type == "response.output_text.delta"]
    [ended] = [event.response for event in events if event.type == "response.incomplete"]
    for response in (whole, ended):
        [item] = response.output
        assert item.type == "message"
        [part] = item.content
        assert part.type == "output_text"
        tokens = part.logprobs or []
        assert [(token.token, token.bytes) for token in tokens if token.token] == [one for one in own if one[0]]
        assert all(len(token.top_logprobs) == 2 for token in tokens)
        assert all(token.logprob == pytest.approx(token.top_logprobs[0].logprob, abs=1e-5) for token in tokens)
    assert "".join(token.token for _, tokens in pieces for token in tokens) == whole.output_text
    assert all(delta == "".join(token.token for token in tokens) for delta, tokens in pieces)
    without = client.responses.create(model="default", input="Hello", max_output_tokens=2).output[0]
    assert without.type == "message"
    assert not getattr(without.content[0], "logprobs", None)


def test_openai_calls_functions(calling: Served) -> None:
    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
    with calling.openai() as client:
        whole = client.chat.completions.create(model="default", messages=ASKED, tools=[tool])
        with client.chat.completions.stream(model="default", messages=ASKED, tools=[tool]) as stream:
            streamed = stream.get_final_completion()
        for answer in (whole, streamed):
            [call] = answer.choices[0].message.tool_calls or ()
            assert call.type == "function"
            assert (call.function.name, json.loads(call.function.arguments)) == ("weather", {"city": "Seoul"})
        flat: Any = {"type": "function", "name": "weather", "parameters": SCHEMA}
        response = client.responses.create(model="default", input="Weather?", tools=[flat])
        kinds = [item.type for item in response.output]
        with client.responses.stream(model="default", input="Weather?", tools=[flat]) as events:
            assert [item.type for item in events.get_final_response().output] == kinds
    assert kinds == ["reasoning", "message", "function_call"]


def test_thoughts_go_back_to_the_template_with_the_call_that_they_led_to(calling: Served) -> None:
    tool: Any = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}
    with calling.openai() as client:
        chat = client.chat.completions.create(model="default", messages=ASKED, tools=[tool])
        said: Any = chat.choices[0].message.model_dump(exclude_none=True)
        found: Any = {"role": "tool", "tool_call_id": said["tool_calls"][0]["id"], "content": "rain"}
        client.chat.completions.create(model="default", messages=[*ASKED, said, found], tools=[tool])
        flat: Any = {"type": "function", "name": "weather", "parameters": SCHEMA}
        turns: Any = [{"role": "user", "content": "Weather?"}]
        response = client.responses.create(model="default", input=turns, tools=[flat])
        turns += response.output
        turns.append({"type": "function_call_output", "call_id": turns[-1].call_id, "output": "rain"})
        client.responses.create(model="default", input=turns, tools=[flat])
    with calling.anthropic() as claude:
        own: Any = {"model": "default", "max_tokens": 99, "tools": [{"name": "weather", "input_schema": SCHEMA}]}
        turns = [{"role": "user", "content": "Weather?"}]
        turns.append({"role": "assistant", "content": claude.messages.create(**own, messages=turns).content})
        result = {"type": "tool_result", "tool_use_id": turns[-1]["content"][-1].id, "content": "rain"}
        claude.messages.create(**own, messages=[*turns, {"role": "user", "content": [result]}])
    for asked in calling.requests[1::2]:
        question, answer, rain = asked.messages
        assert (question["role"], rain["role"], rain["content"]) == ("user", "tool", "rain")
        assert (answer["reasoning_content"], answer["content"]) == ("Where?", "Let me see. ")
        assert [call["function"]["name"] for call in answer["tool_calls"]] == ["weather"]


def test_the_clients_read_our_errors(client: openai.OpenAI, claude: anthropic.Anthropic) -> None:
    import anthropic
    import openai

    with pytest.raises(openai.NotFoundError) as missing:
        client.models.retrieve("gpt-4o")
    assert missing.value.code == "model_not_found"
    with pytest.raises(openai.BadRequestError) as wrong:
        client.chat.completions.create(model="default", messages=ASKED, temperature=-1)
    assert wrong.value.param == "temperature"
    with pytest.raises(anthropic.BadRequestError, match="temperature"):
        claude.messages.create(
            model="default", max_tokens=5, extra_body={"temperature": -1}, messages=[{"role": "user", "content": "Hi"}]
        )


def test_the_loaded_model_answers_for_names_that_programs_bring_with_them(
    client: openai.OpenAI, claude: anthropic.Anthropic
) -> None:
    chat = client.chat.completions.create(model="gpt-4o", messages=ASKED, max_tokens=2)
    response = client.responses.create(model="default_model", input="Hi", max_output_tokens=2)
    message = claude.messages.create(
        model="claude-haiku-4-5", max_tokens=2, messages=[{"role": "user", "content": "Hi"}]
    )
    counted = claude.messages.count_tokens(model="claude-haiku-4-5", messages=[{"role": "user", "content": "Hi"}])
    assert {chat.model, response.model, message.model} == {"starter/main"}
    assert counted.input_tokens == message.usage.input_tokens + (message.usage.cache_read_input_tokens or 0)


def test_anthropic_gets_messages_whole_and_streamed(claude: anthropic.Anthropic, client: openai.OpenAI) -> None:
    asked: Any = {"model": "default", "messages": ASKED, "max_tokens": 12, "extra_body": {"temperature": 0}}
    chat = client.chat.completions.create(model="default", messages=ASKED, max_tokens=12, temperature=0)
    whole = claude.messages.create(**asked)
    assert whole.content[0].type == "text"
    assert (whole.content[0].text, whole.stop_reason) == (chat.choices[0].message.content, "max_tokens")
    with claude.messages.stream(**asked) as stream:
        assert "".join(stream.text_stream) == whole.content[0].text
        assert stream.get_final_message().usage.output_tokens == 12
    assert chat.usage is not None
    assert claude.messages.count_tokens(model="default", messages=asked["messages"]).input_tokens == (
        chat.usage.prompt_tokens
    )


def test_anthropic_uses_tools(calling: Served) -> None:
    asked: Any = {
        "model": "default",
        "max_tokens": 99,
        "system": [{"type": "text", "text": "Be brief."}],
        "messages": [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "1", "name": "weather", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": "rain"}]},
        ],
        "tools": [{"name": "weather", "input_schema": SCHEMA}],
    }
    with calling.anthropic() as client:
        whole = client.messages.create(**asked)
        with client.messages.stream(**asked) as stream:
            streamed = stream.get_final_message()
    assert [turn["role"] for turn in calling.requests[0].messages] == ["system", "user", "assistant", "tool"]
    for message in (whole, streamed):
        assert message.stop_reason == "tool_use"
        assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
        call = message.content[-1]
        assert call.type == "tool_use"
        assert (call.name, call.input) == ("weather", {"city": "Seoul"})


def test_a_stream_that_fails_half_way_is_an_error_of_the_client(serve: Serve) -> None:
    import anthropic
    import openai

    gate = threading.Semaphore(3)
    failing = Script(error=InternalFailure("/secret/path broke"), fail_after=1)
    served = serve(ScriptedEngine([failing], gate=gate))
    with served.openai() as client:
        stream = client.chat.completions.create(model="default", messages=ASKED, stream=True)
        next(stream)
        gate.release(9)
        with pytest.raises(openai.APIError) as failed:
            list(stream)
    gate.release(9)
    with served.anthropic() as claude, pytest.raises(anthropic.APIStatusError) as refused:
        claude.messages.create(model="default", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    assert "secret" not in f"{failed.value} {refused.value}"


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/v1/chat/completions", "prompt_progress"),
        ("/v1/completions", "prompt_progress"),
        ("/v1/messages", "x-prompt-progress"),
        ("/v1/responses", "x-prompt-progress"),
    ],
)
def test_clients_see_how_much_of_the_prompt_is_read(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, path: str, field: str
) -> None:
    for module in ("answering", "response_writers"):
        monkeypatch.setattr(f"app.api.{module}.KEEP_ALIVE_S", 0.005)
    gate = threading.Semaphore(1)
    served = serve(ScriptedEngine([Script("Hello")], gate=gate))
    messages = [{"role": "user", "content": "Hi"}]
    body = {"messages": messages, "input": "Hi", "prompt": "Hi", "max_tokens": 20}
    shown = list[dict[str, int]]()
    for event in served.events(path, body):
        shown += [event[field]] if field in event else []
        if len(shown) == 3:
            gate.release(99)
    assert len(shown) >= 3
    assert shown[0].keys() == {"total", "cache", "processed"}


def test_chat_chunks_say_how_much_is_read_where_a_client_asks_as_of_llama_cpp(serve: Serve) -> None:
    answers = serve(ScriptedEngine([Script("Hello")]))
    body = {"messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4}
    asked = list(answers.events("/v1/chat/completions", body | {"return_progress": True}))
    assert any("prompt_progress" in chunk for chunk in asked)
    assert not any("prompt_progress" in chunk for chunk in answers.events("/v1/chat/completions", body))


@pytest.mark.parametrize("streamed", [False, True])
def test_anthropics_tool_runner_gives_the_model_the_whole_conversation(serve: Serve, *, streamed: bool) -> None:
    """It sends each turn as the continuation of a thread, unless the server refuses threads as the API says."""
    from anthropic import beta_tool

    @beta_tool
    def weather(city: str) -> str:
        """Return the weather of a city."""
        return f"5 C in {city}"

    served = serve(ScriptedEngine([Script(CALL), Script("It is 5 C.")]), CALLER)
    asked: dict[str, Any] = {"model": "default", "max_tokens": 99, "system": "Be brief.", "tools": [weather]}
    messages: Any = [{"role": "user", "content": "Weather in Seoul?"}]
    with served.anthropic() as client:
        turns = client.beta.messages.tool_runner(**asked, messages=messages, stream=streamed)
        last = [turn.get_final_message() if streamed else turn for turn in turns][-1]
    assert last.content[0].text == "It is 5 C."
    shown = served.requests[-1]
    assert [message["role"] for message in shown.messages] == ["system", "user", "assistant", "tool"]
    assert (shown.messages[1]["content"], shown.messages[3]["content"]) == ("Weather in Seoul?", "5 C in Seoul")
    assert len(shown.tools) == 1


def test_anthropic_takes_any_number_of_signs_of_life(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("answering", "response_writers"):
        monkeypatch.setattr(f"app.api.{module}.KEEP_ALIVE_S", 0.005)
    gate = threading.Semaphore(1)
    served = serve(ScriptedEngine([Script("Hello")], gate=gate))
    signs = 0
    asked: Any = {"model": "m", "max_tokens": 20, "messages": ASKED}
    with served.anthropic() as client, client.messages.stream(**asked) as stream:
        for event in stream:
            signs += event.type == "message_delta"
            if signs == 4:
                gate.release(99)
        message = stream.get_final_message()
    assert message.stop_reason == "end_turn"
    assert [block.text for block in message.content if block.type == "text"] == ["Hello"]

"""Items of earlier responses that a request refers to by their ids, as Vercel's AI SDK does by default."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from tests.app.api.conftest import CALLER, Serve
from tests.app.api.serving import Served
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import STORY, Script

PATH = "/v1/responses"
CAPITAL, WEATHER, SEEN = "The capital is Oslo.", '{"name": "weather", "arguments": {"city": "Oslo"}}', "5 C"
THOUGHT_OVER = f"<think>Norway, then.</think>{CAPITAL}"
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string"}}}
FUNCTION = {"type": "function", "name": "weather", "parameters": PARAMETERS}
NAMESPACE = {"type": "namespace", "name": "sky", "tools": [FUNCTION]}
CUSTOM = {"type": "custom", "name": "patch"}


def asks(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "input_text", "text": text}]}


def refers(item_id: Any) -> dict[str, Any]:
    return {"type": "item_reference", "id": item_id}


def called(call: str) -> Script:
    return Script(f"<tool_call>\n{call}\n</tool_call>")


def output(served: Served, body: dict[str, Any], *, stream: bool) -> list[dict[str, Any]]:
    """The items of an answer, those that have a stream's events of their ends."""
    if not stream:
        items: list[dict[str, Any]] = served.post(PATH, body).json()["output"]
        return items
    return [event["item"] for event in served.events(PATH, body) if event["type"] == "response.output_item.done"]


def shown(served: Served) -> list[dict[str, Any]]:
    """What the model was shown in the newest call, without the ids of calls."""
    turns = [dict(message) for message in served.requests[-1].messages]
    return [{name: value for name, value in turn.items() if name != "tool_call_id"} for turn in turns]


@pytest.mark.first
@pytest.mark.parametrize("stream", [False, True])
def test_the_model_sees_its_earlier_answers_by_their_ids(serve: Serve, *, stream: bool) -> None:
    served = serve(ScriptedEngine([Script(CAPITAL), Script("It has fjords."), Script("Yes.")]))
    asked = [asks("Capital of Norway?")]
    for question in ("What for?", "Really?"):
        items = output(served, {"input": asked}, stream=stream)
        asked += [*(refers(item["id"]) for item in items), asks(question)]
    assert served.post(PATH, {"input": asked}).status_code == 200
    assert [(turn["role"], turn["content"]) for turn in shown(served)] == [
        ("user", "Capital of Norway?"),
        ("assistant", CAPITAL),
        ("user", "What for?"),
        ("assistant", "It has fjords."),
        ("user", "Really?"),
    ]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("script", "tool"),
    [
        (Script(THOUGHT_OVER), FUNCTION),
        (called(WEATHER), FUNCTION),
        (called(WEATHER.replace("weather", "sky__weather")), NAMESPACE),
        (called('{"name": "patch", "arguments": {"input": "*** Begin"}}'), CUSTOM),
        (Script(f"{THOUGHT_OVER}\n{called(WEATHER).text}"), FUNCTION),
    ],
    ids=["thoughts", "function", "namespace", "custom tool", "all"],
)
def test_a_reference_is_as_good_as_the_item(serve: Serve, script: Script, tool: Any, *, stream: bool) -> None:
    served = serve(ScriptedEngine([script, Script("Good.")]), CALLER)
    asked = {"input": [asks("Capital of Norway?")], "tools": [tool]}
    items = output(served, asked, stream=stream)
    calls = [item for item in items if "call_id" in item]
    results = [{"type": f"{call['type']}_output", "call_id": call["call_id"], "output": SEEN} for call in calls]
    seen = []
    for earlier in (items, [refers(item["id"]) for item in items]):
        body = asked | {"input": [*asked["input"], *earlier, *results, asks("Sure?")]}
        assert served.post(PATH, body).status_code == 200
        seen.append(shown(served))
    assert seen[0] == seen[1]
    assert len(items) == len({item["id"] for item in items}) > 0


@pytest.mark.parametrize("form", [{"type": "item_reference"}, {"type": None}, {}])
def test_a_reference_needs_no_type(serve: Serve, form: dict[str, Any]) -> None:
    served = serve(ScriptedEngine([Script(CAPITAL)]))
    [item] = output(served, {"input": "Capital of Norway?"}, stream=False)
    assert served.post(PATH, {"input": [{**form, "id": item["id"]}, asks("Sure?")]}).status_code == 200
    assert shown(served)[0] == {"role": "assistant", "content": CAPITAL}


def test_an_answer_that_was_stopped_can_be_referred_to(serve: Serve) -> None:
    gate = threading.Semaphore(6)
    served = serve(ScriptedEngine([Script(STORY)], gate=gate))
    text = ""
    stream = served.events(PATH, {"input": "Tell me."})
    for event in stream:
        if event["type"] == "response.output_text.delta":
            text += event["delta"]
            if len(text) > 9:
                break
    # Before the server can see that the client leaves.
    gate.release(100)
    assert served.post(PATH, {"input": [refers(event["item_id"]), asks("Go on.")]}).status_code == 200
    stream.close()  # type: ignore[attr-defined]
    told, question = shown(served)
    assert STORY.startswith(told["content"])
    assert told["content"].startswith(text)
    assert question["content"] == "Go on."


@pytest.mark.parametrize("stream", [False, True])
def test_an_id_that_is_not_kept_is_refused_with_what_to_send_instead(serve: Serve, *, stream: bool) -> None:
    served = serve(ScriptedEngine([Script(CAPITAL)]))
    first: dict[str, Any] = {"input": "Capital of Norway?", "user": "Kim"}
    [kim] = output(served, first, stream=stream)
    [unkept] = output(served, first | {"store": False}, stream=stream)
    asked = len(served.requests)
    for item_id, more in (
        (kim["id"], {"user": "Lee"}),
        (kim["id"], {}),
        (unkept["id"], {"user": "Kim"}),
        ("msg-of-another-server", {"user": "Kim"}),
    ):
        body = {"input": [asks("Capital?"), refers(item_id), asks("Sure?")], "stream": stream, **more}
        reply = served.post(PATH, body)
        error = reply.json()["error"]
        assert (reply.status_code, error["code"], error["param"]) == (404, "item_not_found", "input")
        assert item_id in error["message"]
        assert "Send the items themselves" in error["message"]
        assert "`store` to false" in error["message"]
    assert len(served.requests) == asked
    assert served.post(PATH, {"input": [refers(kim["id"]), asks("Sure?")], "user": "Kim"}).status_code == 200


def test_nothing_is_kept_longer_than_the_server_runs(serve: Serve) -> None:
    [item] = output(serve(), {"input": "Hi"}, stream=False)
    assert serve().post(PATH, {"input": [refers(item["id"])]}).status_code == 404


def test_an_item_is_in_a_conversation_once(serve: Serve) -> None:
    served = serve(ScriptedEngine([Script(CAPITAL)]))
    [item] = output(served, {"input": "Capital of Norway?"}, stream=False)
    reply = served.post(PATH, {"input": [refers(item["id"]), refers(item["id"])]})
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "input")
    assert "twice" in reply.json()["error"]["message"]


@pytest.mark.parametrize("wrong", [None, "", 5, ["msg"], {"id": "msg"}])
def test_a_reference_without_an_id_names_the_field(told: Served, wrong: Any) -> None:
    reply = told.post(PATH, {"input": [asks("Hi"), refers(wrong)]})
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "input[1].id")

"""The line that asks for a call says who is asked for what, with what matters bold and nothing invisible."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from app.conversations.database.records import ToolUse
from app.session.calls import ToolRun
from app.tools.tool import TANDEM, Tool
from app.tools.web_tools import tool_of_call, web_tools
from app.wording.call_questions import call_question, consequence, other_arguments
from tests.app.fake_tools import tool


def run_of(called: Tool, **arguments: object) -> ToolRun:
    use = ToolUse(called.server, called.name, called.name, "call_1", json.dumps(arguments))
    return ToolRun(use, tool=tool_of_call(called, arguments))


def line(call: ToolRun, model: str = "models/SmolLM2-135M-Instruct") -> str:
    """Return the line with what is bold between stars."""
    return "".join(f"*{piece.text}*" if piece.bold else piece.text for piece in call_question(call, model))


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://news.test/tides", "*news.test*/tides"),
        ("https://news.test/", "*news.test*"),
        ("http://www.news.test:8080/?q=the+chat", "http://*www.news.test:8080*/?q=the+chat"),
        ("https://news.test/%EB%B6%80%EC%82%B0", "*news.test*/부산"),
        ("https://news.test/%FF", "*news.test*/%FF"),
        ("https://news.test/a%0Aother.test%E2%80%AE", "*news.test*/a\\nother.test\\u202e"),
        ("https://nеws.test/", "*xn--nws-rdd.test*"),
    ],
)
def test_the_host_of_a_page_is_bold_and_what_is_asked_for_is_readable(address: str, shown: str) -> None:
    call = run_of(web_tools("wikipedia")[0], url=address)
    assert line(call) == f"SmolLM2 135M Instruct wants to read {shown}"
    assert other_arguments(call) == {}


def test_who_learns_what_is_said_in_a_sentence() -> None:
    pages, wikipedia = web_tools("wikipedia")
    read = run_of(pages, url="https://news.test/tides", start=500)
    assert consequence(read.tool or pages) == "news.test learns which page you read."
    assert other_arguments(read) == {"start": 500}
    assert consequence(wikipedia) == "Wikipedia sees these words. It finds its own articles, not all of the web."
    assert consequence(web_tools("kagi")[1]) == "Kagi sees these words."
    assert consequence(replace(tool("now"), read_only=True)) == "“clock” says that this tool only reads."
    assert consequence(tool("now")) == ""


def test_a_search_names_its_service_and_an_unknown_model_is_the_model() -> None:
    wikipedia, kagi = (run_of(web_tools(service)[1], query="high tide") for service in ("wikipedia", "kagi"))
    assert line(wikipedia, "") == "The model wants to search Wikipedia for *high tide*"
    assert line(kagi, "") == "The model wants to search the web with Kagi for *high tide*"


def test_a_tool_of_a_server_is_named_by_its_title() -> None:
    call = run_of(replace(tool("now"), title="Time\u202e\nnow"), zone="UTC")
    assert line(call, "") == "The model wants to use *Time\\u202e\\nnow* of “clock”."
    assert other_arguments(call) == {"zone": "UTC"}
    # A server's tool of that name keeps all of its arguments.
    assert other_arguments(run_of(tool("read_page", "clock"), url="x")) == {"url": "x"}
    assert call.use.server != TANDEM

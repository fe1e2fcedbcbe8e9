"""What servers of tools do wrong: each gets a clear error, and neither the host nor another server suffers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future

import psutil
import pytest

from app.tools.errors import ToolFailed
from app.tools.host import ToolHost
from app.tools.results import LONGEST_RESULT, MOST_TOOLS
from tests.app.tools.conftest import hostile, wait_until

Hosts = Callable[..., ToolHost]
WAIT_S = 60
# Seconds after which a server, or a call, that is known to hang is given up.
SHORT_S = 1.0

# By behaviour, the error of the start.
AT_START = {
    "dies-at-start": "ended-at-start",
    "hangs-at-start": "slow-start",
    "floods-at-start": "too-large",
    "broken-json-at-start": "not-mcp",
    "binary-at-start": "not-mcp",
    "closes-output": "ended-at-start",
    "hangs-in-the-handshake": "slow-start",
    "unknown-version": "wrong-version",
    "no-version": "not-mcp",
    "refuses-the-handshake": "refused-start",
    "dies-in-the-handshake": "ended-at-start",
    "tools-are-no-list": "not-mcp",
    "deepest-json": "not-mcp",
}
# The error of the call.
IN_A_CALL = {
    "dies-in-a-call": "ended",
    "hangs-in-a-call": "slow-call",
    "floods-in-a-call": "too-large",
    "broken-json-in-a-call": "not-mcp",
    "wrong-id": "slow-call",
    "no-result": "bad-result",
    "result-is-a-list": "not-mcp",
    "unknown-content": "bad-result",
    "refuses": "refused",
    "claims-to-be-closed": "refused",
}
# What does no harm: the call gets its text.
HARMLESS = (
    "dies-at-a-newer-version", "prints", "floods-stderr", "floods-lines", "floods-notifications", "asks-back",
    "changes-all-the-time", "huge-schema", "invalid-schema", "duplicate-names", "has-a-child", "ignores-the-end",
)  # fmt: skip
IN_EVERY_RUN = {
    "dies-at-start", "hangs-at-start", "floods-at-start", "broken-json-at-start", "unknown-version", "dies-in-a-call",
    "hangs-in-a-call", "broken-json-in-a-call", "refuses", "prints", "invalid-schema",
    "dies-at-a-newer-version",
}  # fmt: skip


def each(behaviours: object) -> list[object]:
    return [
        pytest.param(one, marks=() if one in IN_EVERY_RUN else pytest.mark.full)
        for one in behaviours  # type: ignore[attr-defined]
    ]


def failure(future: Future[object]) -> ToolFailed:
    with pytest.raises(ToolFailed) as found:
        future.result(WAIT_S)
    return found.value


@pytest.mark.parametrize("behaviour", each(AT_START))
def test_a_server_that_cannot_start_says_why_and_leaves_the_others_alone(hosts: Hosts, behaviour: str) -> None:
    hangs = AT_START[behaviour] == "slow-start"
    host = hosts(hostile(behaviour), start_s=SHORT_S) if hangs else hosts(hostile(), hostile(behaviour))
    found = host.tools(["good", behaviour]).result(WAIT_S)
    assert [tool.server for tool in found] == ([] if hangs else ["good"])
    status = host.status(behaviour)
    assert status.state == "failed"
    assert status.error is not None
    assert status.error.code == AT_START[behaviour]
    assert str(status.error)


@pytest.mark.parametrize("behaviour", each(IN_A_CALL))
def test_a_call_that_fails_says_why_and_leaves_the_others_alone(hosts: Hosts, behaviour: str) -> None:
    host = hosts(hostile(), hostile(behaviour))
    tools = {tool.server: tool for tool in host.tools(["good", behaviour]).result(WAIT_S)}
    seconds = SHORT_S if IN_A_CALL[behaviour] == "slow-call" else WAIT_S
    error = failure(host.call(tools[behaviour], {"text": "hello"}, seconds))
    assert error.code == IN_A_CALL[behaviour]
    assert host.call(tools["good"], {"text": "still here"}).result(WAIT_S).text == "still here"
    # Whatever has happened, the next question gets the tool again.
    assert behaviour in [tool.server for tool in host.tools([behaviour]).result(WAIT_S)]


@pytest.mark.parametrize("behaviour", each(HARMLESS))
def test_what_does_no_harm_is_borne(hosts: Hosts, behaviour: str) -> None:
    host = hosts(hostile(behaviour))
    [tool] = host.tools([behaviour]).result(WAIT_S)
    assert host.call(tool, {"text": "hello"}).result(WAIT_S).text == "hello"


def test_a_flood_does_not_take_the_memory(hosts: Hosts) -> None:
    host = hosts(hostile("floods-in-a-call"), hostile("floods-lines"))
    tools = host.tools(["floods-in-a-call", "floods-lines"]).result(WAIT_S)
    before = psutil.Process().memory_info().rss
    assert failure(host.call(tools[0], {"text": ""})).code == "too-large"
    host.call(tools[1], {"text": ""}).result(WAIT_S)
    assert psutil.Process().memory_info().rss - before < 40 * 2**20


def test_a_long_result_is_cut_and_says_so(hosts: Hosts) -> None:
    host = hosts(hostile("long-result"))
    [tool] = host.tools(["long-result"]).result(WAIT_S)
    result = host.call(tool, {"text": ""}).result(WAIT_S)
    assert result.cut
    assert LONGEST_RESULT < len(result.text) < LONGEST_RESULT + 100
    assert f"of {2 * 2**20 + 1} characters" in result.text


@pytest.mark.full
def test_too_many_tools_are_left_out_and_counted(hosts: Hosts) -> None:
    host = hosts(hostile("many-tools"))
    assert len(host.tools(["many-tools"]).result(WAIT_S)) == MOST_TOOLS
    assert host.status("many-tools").left_out == 5000 - MOST_TOOLS


@pytest.mark.full
def test_a_list_without_end_is_not_read_for_ever(hosts: Hosts) -> None:
    host = hosts(hostile("endless-pages"))
    assert host.tools(["endless-pages"]).result(WAIT_S) == []
    assert host.status("endless-pages").state == "running"


def test_results_are_text(hosts: Hosts) -> None:
    host = hosts(hostile("all-content"), hostile("structured"), hostile("fails-politely"))
    tools = host.tools(["all-content", "structured", "fails-politely"]).result(WAIT_S)
    mixed, structured, failed = (host.call(tool, {"text": "hello"}).result(WAIT_S) for tool in tools)
    assert mixed.text.splitlines() == [
        "hello", "[Not shown: an image, image/png, 6 kB]", "[Not shown: audio, audio/wav, 1 kB]",
        "[A link: notes, file:///n]", "the text of a file", "[Not shown: a file, file:///b, application/zip]",
    ]  # fmt: skip
    assert structured.text == '{"température": 21}'
    assert (failed.text, failed.failed) == ("hello", True)


@pytest.mark.parametrize(
    ("behaviour", "code"), [("changes-its-tool", "changed-tool"), ("drops-its-tool", "unknown-tool")]
)
def test_a_tool_that_has_changed_is_not_called(hosts: Hosts, behaviour: str, code: str) -> None:

    host = hosts(hostile(behaviour))
    [before] = host.tools([behaviour]).result(WAIT_S)
    host.call(before, {"text": ""}).result(WAIT_S)
    wait_until(lambda: host.status(behaviour).tools != (before,))
    assert failure(host.call(before, {"text": ""})).code == code

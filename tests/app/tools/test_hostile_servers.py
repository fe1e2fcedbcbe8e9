"""What servers of tools do wrong: each gets a clear error, and neither the host nor another server suffers."""

from __future__ import annotations

import psutil
import pytest

from app.tools.listing import MOST_TOOLS
from app.tools.results import LONGEST_RESULT
from app.wording.tools import tool_sentence
from tests.app.tools.conftest import Hosts, each, hostile, wait_until

# Seconds after which a server, or a call, that is known to hang is given up.
SHORT_S = 1.0
# By behaviour, the error of the start.
AT_START = {
    "dies-at-start": "ended", "hangs-at-start": "slow-start", "floods-at-start": "too-large",
    "broken-json-at-start": "not-usable", "binary-at-start": "not-usable", "closes-output": "ended",
    "hangs-in-the-handshake": "slow-start", "unknown-version": "not-usable", "no-version": "not-usable",
    "refuses-the-handshake": "not-usable", "dies-in-the-handshake": "ended", "tools-are-no-list": "not-usable",
    "deepest-json": "not-usable",
}  # fmt: skip
# The error of the call.
IN_A_CALL = {
    "dies-in-a-call": "ended", "hangs-in-a-call": "slow-call", "floods-in-a-call": "too-large",
    "broken-json-in-a-call": "not-usable", "wrong-id": "slow-call", "no-result": "refused",
    "result-is-a-list": "not-usable", "refuses": "refused",
    "claims-to-be-closed": "refused", "odd-kind-of-result": "refused",
}  # fmt: skip
# What does no harm: the call gets its text.
HARMLESS = (
    "dies-at-a-newer-version", "prints", "floods-stderr", "floods-lines", "floods-notifications", "asks-back",
    "changes-all-the-time", "huge-schema", "invalid-schema", "duplicate-names", "has-a-child", "ignores-the-end",
    "reports-nonsense", "is-of-2026",
)  # fmt: skip
IN_EVERY_RUN = {
    "dies-at-start", "hangs-at-start", "floods-at-start", "broken-json-at-start", "unknown-version", "dies-in-a-call",
    "hangs-in-a-call", "broken-json-in-a-call", "refuses", "prints", "invalid-schema", "dies-at-a-newer-version",
    "is-of-2026",
}  # fmt: skip


@pytest.mark.usefixtures("ended_at_once")
@pytest.mark.parametrize("behaviour", each(AT_START, IN_EVERY_RUN))
def test_a_server_that_cannot_start_says_why_and_leaves_the_others_alone(hosts: Hosts, behaviour: str) -> None:
    hangs = AT_START[behaviour] == "slow-start"
    good = () if hangs else (hostile(),)
    found = hosts.start(*good, hostile(behaviour), start_s=SHORT_S if hangs else 60)
    assert [tool.server for tool in found] == [server.name for server in good]
    assert hosts.host.status(behaviour).state == "failed"
    assert hosts.error(behaviour).code == AT_START[behaviour]
    if behaviour == "hangs-at-start":
        error = hosts.error(behaviour)
        assert tool_sentence(error.code, error.arguments).endswith("It last said: Error: no network")


def test_what_a_server_says_at_its_end_is_shown_and_in_no_log(hosts: Hosts, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    hosts.start(hostile("dies-at-start"))
    assert "no key was given" in str(hosts.error("dies-at-start"))
    assert "dies-at-start of tools ended: ended" in caplog.text
    assert "no key was given" not in caplog.text


@pytest.mark.parametrize("behaviour", each(IN_A_CALL, IN_EVERY_RUN))
def test_a_call_that_fails_says_why_and_leaves_the_others_alone(hosts: Hosts, behaviour: str) -> None:
    good, bad = hosts.start(hostile(), hostile(behaviour))
    error = hosts.failure(bad, SHORT_S if IN_A_CALL[behaviour] == "slow-call" else 60)
    assert error.code == IN_A_CALL[behaviour]
    assert hosts.call(good, text="still here").text == "still here"
    # Whatever has happened, the next question gets the tool again.
    assert [tool.server for tool in hosts.tools(behaviour)] == [behaviour]


def test_a_model_reads_all_of_a_refusal_in_one_line(hosts: Hosts) -> None:
    [tool] = hosts.start(hostile("refuses"))
    assert hosts.failure(tool).arguments["detail"] == "Invalid arguments: [ { 'text': 'too long' } ]"


@pytest.mark.parametrize("behaviour", each(HARMLESS, IN_EVERY_RUN))
def test_what_does_no_harm_is_borne(hosts: Hosts, behaviour: str) -> None:
    [tool] = hosts.start(hostile(behaviour))
    assert hosts.call(tool).text == "hello"


def test_a_tool_that_only_runs_as_a_task_is_not_offered_but_named(hosts: Hosts) -> None:
    assert [tool.name for tool in hosts.start(hostile("runs-tasks"))] == ["echo"]
    status = hosts.host.status("runs-tasks")
    assert (status.only_as_tasks, status.unusable) == (("research",), ())


def test_a_flood_does_not_take_the_memory(hosts: Hosts) -> None:
    message, lines = hosts.start(hostile("floods-in-a-call"), hostile("floods-lines"))
    before = psutil.Process().memory_info().rss
    assert hosts.failure(message).code == "too-large"
    hosts.call(lines)
    assert psutil.Process().memory_info().rss - before < 40 * 2**20


def test_results_are_text_of_a_bounded_length(hosts: Hosts) -> None:
    names = "all-content", "structured", "fails-politely", "long-result"
    mixed, structured, failed, long = map(hosts.call, hosts.start(*map(hostile, names)))
    assert mixed.text.splitlines() == [
        "hello", "[Not shown: image, image/png, 6144 bytes]", "[Not shown: audio, audio/wav, 3 bytes]",
        "[A link: notes, file:///n]", "[A file: file:///t]", "the text of a file",
        "[Not shown: a file, file:///b, application/zip, 3 bytes]",
    ]  # fmt: skip
    assert structured.text == '{"température": 21}'
    assert (failed.text, failed.failed) == ("hello", True)
    assert LONGEST_RESULT < len(long.text) < LONGEST_RESULT + 100
    assert f"of {2 * 2**20 + 1} characters" in long.text


@pytest.mark.full
def test_lists_without_end_are_cut_and_what_is_left_out_is_counted(hosts: Hosts) -> None:
    assert len(hosts.start(hostile("many-tools"), hostile("endless-pages"))) == MOST_TOOLS
    assert len(hosts.host.status("many-tools").unusable) == 5000 - MOST_TOOLS
    assert hosts.host.status("endless-pages").state == "running"


@pytest.mark.parametrize("behaviour", ["changes-its-tool", "drops-its-tool"])
def test_a_tool_that_has_changed_is_not_called_and_the_change_is_told(hosts: Hosts, behaviour: str) -> None:
    told: list[tuple[object, ...]] = []
    [before] = hosts.start(hostile(behaviour), changed=lambda: told.append(hosts.host.status(behaviour).tools))
    hosts.call(before)
    wait_until(lambda: told[-1] != (before,))
    assert hosts.failure(before).code == "changed-tool"
    assert before.fingerprint not in [tool.fingerprint for tool in hosts.tools(behaviour)]


@pytest.mark.parametrize(("fresh_s", "name"), [(0.0, "second"), (60.0, "echo")])
def test_a_list_that_is_out_of_date_is_read_again_for_the_next_question(
    hosts: Hosts, monkeypatch: pytest.MonkeyPatch, fresh_s: float, name: str
) -> None:
    monkeypatch.setattr("app.tools.connection.LEAST_FRESH_S", fresh_s)
    [before] = hosts.start(hostile("changes-without-a-word"))
    hosts.call(before)
    assert [tool.name for tool in hosts.tools("changes-without-a-word")] == [name]


def test_a_list_is_read_again_if_the_headers_of_a_call_do_not_fit(hosts: Hosts) -> None:
    told: list[tuple[object, ...]] = []
    behaviour = "wants-other-headers"
    [before] = hosts.start(hostile(behaviour), changed=lambda: told.append(hosts.host.status(behaviour).tools))
    assert hosts.failure(before).code == "refused"
    wait_until(lambda: told[-1] != (before,))

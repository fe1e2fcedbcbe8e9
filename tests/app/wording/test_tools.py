"""Sentences for what goes wrong with tools."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

import app.session
import app.tools
from app.conversations.database.records import ToolUse
from app.session.calls import CallState, ToolRun
from app.tools.tool import ToolProgress
from app.wording.tools import TOOL_REASONS, call_sentence, short_site_name, tool_sentence


def test_every_code_has_a_sentence() -> None:
    given = re.compile(r'(?:ToolFailed\(|code = )"([a-z-]+)"(?: if .* else "([a-z-]+)")?')
    files = [file for package in (app.tools, app.session) for file in Path(package.__path__[0]).glob("*.py")]
    assert {code for file in files for both in given.findall(file.read_text()) for code in both} - {""} == set(
        TOOL_REASONS
    )


def test_what_a_server_says_is_not_read_as_a_field() -> None:
    assert "{names}" in tool_sentence("refused", {"tool": "{names}", "detail": "no"})


def test_an_error_of_another_version_has_a_sentence() -> None:
    assert tool_sentence("of the future", {}) == tool_sentence("refused", {})


@pytest.mark.parametrize(
    "problem",
    [
        *("encrypted", "damaged", "too-large", "no-text", "empty", "old-format", "unknown-encoding", "not-text"),
        *("too-slow", "too-much-memory", "no-time", "unreadable", "of-the-future"),
    ],
)
def test_why_a_page_has_no_text_is_said_in_words(problem: str) -> None:
    sentence = tool_sentence("web-unreadable", {"host": "news.test", "detail": problem})
    assert "news.test" in sentence
    assert f"({problem})" not in sentence


@pytest.mark.parametrize(
    ("done", "total", "message", "words"),
    [
        (3, 10, "Reading page 3", "Working: 3 of 10. Reading page 3"),
        (0.25, 1, "", "Working: 25%."),
        (5_242_880, 20_971_520, "", "Working: 25%."),
        (12, 10, "", "Working: 12 of 10."),
        (250, 100, "", "Working: 100%."),
        (3, None, "Page\n3\u202e", "Working: 3 so far. Page 3\\u202e"),
        (-1, -1, "", "Working."),
        (0.3, None, "", "Working."),
        (1, 0, "A" * 1000, f"Working: 1 so far. {'A' * 120}…"),
    ],
)
def test_progress_is_said_as_a_person_would(done: float, total: float | None, message: str, words: str) -> None:
    call = ToolRun(ToolUse("files", "read", "files_read", "1", "{}"), CallState.RUNS, begun_at=time.monotonic() - 100)
    call.progress = ToolProgress(float(done), None if total is None else float(total), message, time.monotonic())
    assert call_sentence(call) == words


def test_a_tool_that_is_silent_is_said_to_be_stopped_some_time() -> None:
    call = ToolRun(ToolUse("files", "read", "files_read", "1", "{}"), CallState.RUNS, begun_at=time.monotonic())
    assert call_sentence(call) == ""
    call.begun_at -= 20
    assert call_sentence(call) == "If it stays silent for 5 min, it is stopped."
    call.progress = ToolProgress(3.0, 10.0, "", time.monotonic() - 20)
    assert call_sentence(call) == "Working: 3 of 10. If it stays silent for 5 min, it is stopped."


def test_silence_is_said_in_minutes() -> None:
    words = tool_sentence("slow-call", {"server": "files", "tool": "read", "seconds": 300})
    assert words == "“read” was silent for 5 min, so it was stopped."


def test_of_a_long_site_a_button_has_the_end_which_says_whose_it_is() -> None:
    assert short_site_name("https://news.test") == "news.test"
    shown = short_site_name(f"https://accounts.bank.test.{'a' * 60}.evil.test")
    assert shown.startswith("…")
    assert shown.endswith("a.evil.test")
    assert len(shown) == 40

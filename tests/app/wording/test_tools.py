"""Sentences for what goes wrong with tools."""

from __future__ import annotations

import re
from pathlib import Path

import app.session
import app.tools
from app.wording.tools import tool_reasons, tool_sentence


def test_every_code_has_a_sentence() -> None:
    given = re.compile(r'(?:ToolFailed\(|code = )"([a-z-]+)"(?: if .* else "([a-z-]+)")?')
    files = [file for package in (app.tools, app.session) for file in Path(package.__path__[0]).glob("*.py")]
    assert {code for file in files for both in given.findall(file.read_text()) for code in both} - {""} == set(
        tool_reasons()
    )


def test_what_a_server_says_is_not_read_as_a_field() -> None:
    assert "{names}" in tool_sentence("refused", {"tool": "{names}", "detail": "no"})


def test_an_error_of_another_version_has_a_sentence() -> None:
    assert tool_sentence("of the future", {}) == tool_sentence("refused", {})

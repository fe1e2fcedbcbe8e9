"""Sentences for what goes wrong with tools."""

from __future__ import annotations

import re

from app.tools.errors import CODES
from app.wording.tools import tool_reasons, tool_sentence


def test_every_code_has_a_sentence_with_the_fields_of_its_error() -> None:
    assert set(tool_reasons()) == set(CODES)
    for code, sentence in tool_reasons().items():
        assert set(re.findall(r"{(\w+)}", sentence)) <= set(re.findall(r"{(\w+)}", CODES[code]))


def test_what_a_server_says_is_not_read_as_a_field() -> None:
    assert "{names}" in tool_sentence("refused", {"tool": "{names}", "detail": "no"})


def test_an_error_of_another_version_has_a_sentence() -> None:
    assert tool_sentence("of the future", {}) == tool_sentence("refused", {})

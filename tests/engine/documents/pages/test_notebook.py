"""Outputs of notebooks are read as they are in the end."""

from __future__ import annotations

import json

import pytest

from engine.documents.document import document_text


def _read(*outputs: dict[str, object]) -> str:
    book = {"cells": [{"cell_type": "code", "source": "", "outputs": outputs}]}
    return document_text("a.ipynb", json.dumps(book).encode(), 1000).text


def _stream(text: str, name: str = "stderr") -> dict[str, object]:
    return {"output_type": "stream", "name": name, "text": [text]}


def test_outputs_of_one_stream_that_follow_each_other_are_one() -> None:
    assert _read(_stream("10%"), _stream("\r20%"), _stream("\r30%\n"), _stream("end")) == "```output\n30%\nend\n```"


@pytest.mark.parametrize(
    "between", [_stream("x", "stdout"), {"output_type": "display_data", "data": {"text/plain": "x"}}]
)
def test_other_outputs_stay_apart(between: dict[str, object]) -> None:
    blocks = "```output\na\n```\n\n```output\nx\n```\n\n```output\nb\n```"
    assert _read(_stream("a"), between, _stream("b")) == blocks


def test_codes_of_terminals_are_followed_in_errors_too() -> None:
    error = {
        "output_type": "error",
        "ename": "E",
        "evalue": "e",
        "traceback": ["\x1b[31mat\x1b[0m \x1b]8;;x\x07f\x1b]8;;\x07"],
    }
    assert _read(error) == "```output\nE: e\nat f\n```"


def test_the_code_of_a_cell_stays_as_it_is() -> None:
    book = {"cells": [{"cell_type": "code", "source": 'print("\\r")\n\tx = 1', "outputs": []}]}
    assert document_text("a.ipynb", json.dumps(book).encode(), 1000).text == '```\nprint("\\r")\n\tx = 1\n```'

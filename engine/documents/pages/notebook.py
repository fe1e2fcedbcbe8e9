"""The text of Jupyter notebooks: their cells, and the outputs that are text."""

from __future__ import annotations

import re
from typing import Any

from msgspec import json

from engine.documents.pages.terminal_text import shown_in_terminal
from engine.documents.text.marked_text import MarkedText

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?:data|attachment):[^)]*\)")
# The forms of outputs that are text, the best first.
_KINDS = ("text/markdown", "text/plain", "text/latex", "text/html", "application/json")
# The names of these forms in streams and before version 4.
_OLD_KINDS = {"text": "text/plain", "latex": "text/latex", "html": "text/html", "json": "application/json"}
# What else such outputs have.
_ABOUT_OUTPUT = ("execution_count", "metadata", "name", "output_type", "prompt_number", "stream")


def read_notebook(data: bytes, text: MarkedText) -> None:
    """Add the cells in order; pictures leave their names. Notebooks before version 4 have their cells in worksheets."""
    book = json.decode(data)
    about = book.get("metadata", {})
    language = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language", "")
    sheets = book["worksheets"] if "cells" not in book else [book]
    for cell in (cell for sheet in sheets for cell in sheet["cells"]):
        # Version 3 has another name for what a cell of code has.
        source = _joined(cell["source"] if "source" in cell else cell["input"])
        kind = cell.get("cell_type")
        if kind == "code":
            outputs = (shown_in_terminal(_output(output)) for output in _joined_streams(cell.get("outputs", [])))
            code = _fenced(source, language or cell.get("language", ""))
            text.add_blocks(code, *(_fenced(output, "output") for output in outputs), as_is=True)
        elif kind == "heading":
            level = cell.get("level")
            text.add_heading(level if isinstance(level, int) else 1, source)
        else:
            text.add_blocks(_PICTURE.sub(r"[\1]", source), as_is=True)


def _joined_streams(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join outputs of one stream that follow each other: one may end a line that another began."""
    joined: list[dict[str, Any]] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        is_stream = output.get("output_type") == "stream" and "text" in output
        # Version 3 has another name for the name of a stream.
        same = all(last.get(name) == output.get(name) for name in ("output_type", "name", "stream"))
        if is_stream and same:
            joined[-1] = {**output, "text": f"{_joined(last['text'])}{_joined(output['text'])}"}
        else:
            joined.append(output)
    return joined


def _output(output: dict[str, Any]) -> str:
    """Return an output in the best form that is text; the names of its forms if none is."""
    if output.get("output_type") in ("error", "pyerr"):
        return "\n".join([f"{output.get('ename')}: {output.get('evalue')}", *output.get("traceback", [])])
    if "data" in output:
        forms = output["data"]
    else:
        forms = {_OLD_KINDS.get(name, name): form for name, form in output.items() if name not in _ABOUT_OUTPUT}
    kind = next((kind for kind in _KINDS if kind in forms), None)
    if kind is None:
        return f"[{', '.join(forms)}]" if forms else ""
    form = forms[kind]
    # Before version 4, JSON is written as a text.
    is_decoded = kind == "application/json" and "data" in output
    return json.encode(form).decode() if is_decoded else _joined(form)


def _joined(lines: Any) -> str:
    return "".join(map(str, lines)) if isinstance(lines, list) else str(lines)


def _fenced(content: str, language: str) -> str:
    plain = content.strip("\n")
    return f"```{language}\n{plain}\n```" if plain.strip() else ""

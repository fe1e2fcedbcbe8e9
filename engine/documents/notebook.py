"""The text of Jupyter notebooks: their cells, and the outputs that are text."""

from __future__ import annotations

import re
from typing import Any

from msgspec import DecodeError, json

from engine.documents.marked_text import MarkedText

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?:data|attachment):[^)]*\)")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_KINDS = ("text/markdown", "text/plain", "text/latex", "text/html", "application/json")


def read_notebook(data: bytes, text: MarkedText) -> None:
    """Add the cells in order; pictures leave their names. A file that is no JSON is added as it is."""
    try:
        book = json.decode(data)
    except DecodeError:
        text.add(data.decode())
        text.end_block()
        return
    language = book.get("metadata", {}).get("language_info", {}).get("name", "")
    # Notebooks of version 3 have sheets, and `input` in their cells.
    sheets = book.get("worksheets", [book])
    for cell in (cell for sheet in sheets for cell in sheet["cells"]):
        source = _joined(cell.get("source", cell.get("input", "")))
        if cell.get("cell_type") == "code":
            _add_fenced(source, language, text)
            for output in cell.get("outputs", []):
                _add_fenced(_output(output), "output", text)
        else:
            text.add(_PICTURE.sub(r"[\1]", source))
            text.end_block()


def _output(output: dict[str, Any]) -> str:
    if output.get("output_type") in ("error", "pyerr"):
        lines = [f"{output.get('ename')}: {output.get('evalue')}", *output.get("traceback", [])]
        return _COLOUR.sub("", "\n".join(lines))
    found = output.get("data", output)
    kind = next((kind for kind in _KINDS if kind in found), "text")
    if kind in found:
        return _COLOUR.sub("", _joined(found[kind]))
    return f"[{', '.join(found)}]" if "data" in output else ""


def _joined(lines: Any) -> str:
    return "".join(lines) if isinstance(lines, list) else str(lines)


def _add_fenced(content: str, language: str, text: MarkedText) -> None:
    if content.strip():
        text.add(f"```{language}\n{content.strip(chr(10))}\n```")
        text.end_block()

"""The text of Jupyter notebooks: their cells, and the outputs that are text."""

from __future__ import annotations

import re
from typing import Any

from msgspec import json

from engine.documents.marked_text import MarkedText

_PICTURE = re.compile(r"!\[([^\]]*)\]\((?:data|attachment):[^)]*\)")
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
# The forms of outputs that are text, the best first.
_KINDS = ("text/markdown", "text/plain", "text/latex", "text/html", "application/json")


def read_notebook(data: bytes, text: MarkedText) -> None:
    """Add the cells in order; pictures leave their names."""
    book = json.decode(data)
    about = book.get("metadata", {})
    language = about.get("language_info", {}).get("name") or about.get("kernelspec", {}).get("language", "")
    for cell in book["cells"]:
        source = _joined(cell["source"])
        if cell.get("cell_type") == "code":
            outputs = (_output(output) for output in cell.get("outputs", []))
            text.add_blocks(_fenced(source, language), *(_fenced(output, "output") for output in outputs))
        else:
            text.add_blocks(_PICTURE.sub(r"[\1]", source))


def _output(output: dict[str, Any]) -> str:
    """Return an output in the best form that is text; the names of its forms if none is."""
    if output.get("output_type") == "error":
        return "\n".join([f"{output.get('ename')}: {output.get('evalue')}", *output.get("traceback", [])])
    content = output.get("data", output)
    kind = next((kind for kind in _KINDS if kind in content), "text")
    return _joined(content[kind]) if kind in content else f"[{', '.join(content)}]"


def _joined(lines: Any) -> str:
    return "".join(lines) if isinstance(lines, list) else str(lines)


def _fenced(content: str, language: str) -> str:
    plain = _COLOUR.sub("", content).strip("\n")
    return f"```{language}\n{plain}\n```" if plain.strip() else ""

"""Reads documents with one reader: `python reading.py READER DOCUMENTS RESULTS`, in the environment of the reader.

Each document is read in a process of its own, that has the reader loaded. For each, the text is written to RESULTS, and
how many seconds of computing and MB of memory it took.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

Reader = Callable[[Path], str]
# The suffixes that readers take. markitdown takes others as plain text.
SUFFIXES = {
    "tandem": "doc docx eml epub fods html odp ods odt pdf ppt pptx rtf xls xlsx",
    "markitdown": "docx epub html pdf pptx xls xlsx",
    "docling": "docx eml epub html odp ods odt pptx xlsx",
    "pandoc": "docx epub html odt rtf",
}
_MOST_CHARACTERS = 2**21
_MOST_SECONDS = 60


def _tandem() -> Reader:
    from engine.documents.document import document_text

    def read(path: Path) -> str:
        result = document_text(path.name, path.read_bytes(), _MOST_CHARACTERS)
        return result.text if not result.problem else f"PROBLEM {result.problem}"

    return read


def _markitdown() -> Reader:
    from markitdown import MarkItDown

    converter = MarkItDown()
    return lambda path: converter.convert(path).text_content


def _docling() -> Reader:
    from docling.document_converter import DocumentConverter

    converter = DocumentConverter()
    return lambda path: converter.convert(path).document.export_to_markdown()


def _pandoc() -> Reader:
    def read(path: Path) -> str:
        command = ["pandoc", "--to", "gfm", "--wrap", "none", "--track-changes", "accept", str(path)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    return read


READERS: dict[str, Callable[[], Reader]] = {
    "tandem": _tandem,
    "markitdown": _markitdown,
    "docling": _docling,
    "pandoc": _pandoc,
}


def _read_in_child(read: Reader, path: Path, result: Path) -> dict[str, float]:
    """Read a document in a child of this process. Returns what it cost."""
    child = os.fork()
    if not child:
        signal.alarm(_MOST_SECONDS)
        try:
            text = read(path)
        except BaseException as error:
            text = f"PROBLEM {type(error).__name__}: {error}"
        result.write_text(text.encode("utf-8", "replace").decode(), "utf-8")
        sys.stdout.flush()
        os._exit(0)
    _, _, usage = os.wait4(child, 0)
    return {"seconds": usage.ru_utime + usage.ru_stime, "mb": usage.ru_maxrss / 1024}


def main() -> None:
    name, documents, results = sys.argv[1:]
    Path(results).mkdir(exist_ok=True)
    read = READERS[name]()
    costs = {
        path.name: _read_in_child(read, path, Path(results, f"{path.name}.md"))
        for path in sorted(Path(documents).iterdir())
        if path.suffix[1:] in SUFFIXES[name].split()
    }
    Path(results, "costs.json").write_text(json.dumps(costs, indent=1), "utf-8")


if __name__ == "__main__":
    main()

"""Writes all documents into a folder, and beside them what each says. Needs the libraries that write them."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path

from tests.tools.documents import others, pages, sheets, slides, texts
from tests.tools.documents.facts import Facts

# What LibreOffice converts, by the suffix of its result. PDF has no hidden text, revisions or comments.
_TEXTS = ("powers", "struck", "tables", "hidden", "comments", "tracked", "lists", "edges", "boxes", "scripts")
_BOOKS = ("numbers", "merged", "hidden", "letters", "formulas", "charts", "fast-drawn")
_DECKS = ("letters", "hidden", "table", "chart", "notes")
CONVERSIONS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("docx", "odt", _TEXTS),
    ("docx", "rtf", _TEXTS),
    ("docx", "doc", _TEXTS),
    ("docx", "pdf", ("powers", "tables", "lists", "scripts", "right-to-left")),
    ("docx", "html", ("powers", "struck", "tables", "lists")),
    ("docx", "epub", ("powers", "struck", "scripts")),
    ("xlsx", "ods", _BOOKS),
    ("xlsx", "xls", _BOOKS),
    ("xlsx", "fods", ("numbers", "hidden")),
    ("pptx", "odp", _DECKS),
    ("pptx", "ppt", _DECKS),
    ("pptx", "pdf", ("table", "scripts")),
)
# What is written once more by LibreOffice in the format that it was in.
_AGAIN = (("odt", "docx", ("powers", "struck", "tables", "hidden", "tracked")), ("ods", "xlsx", ("numbers", "letters")))


class Folder:
    """The folder of the documents. `facts` has what each of them says, by its name, and which program wrote it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.facts: dict[str, tuple[str, Facts]] = {}

    def add(self, name: str, writer: str, document: tuple[bytes, Facts]) -> None:
        content, facts = document
        (self.path / name).write_bytes(content)
        self.facts[name] = (writer, facts)

    def convert(self, old: str, new: str, names: Iterable[str], prefix: str = "") -> None:
        """Convert the documents with names in one format into another, all at once."""
        made = self.path / "made"
        made.mkdir(exist_ok=True)
        sources = [self.path / f"{prefix}{name}.{old}" for name in names]
        others.convert(sources, new, made)
        for source in sources:
            content = (made / f"{source.stem}.{new}").read_bytes()
            _, facts = self.facts[source.name]
            if new == "ppt":
                # That format has no struck letters.
                facts = replace(facts, wrong=(), said=tuple(ways for ways in facts.said if "~~" not in ways[0]))
            self.add(f"lo-{source.stem.removeprefix('lo-')}.{new}", "LibreOffice", (content, facts))


def write_all(path: Path) -> None:
    """Write the documents into a folder, and `facts.json`."""
    folder = Folder(path)
    for name in texts.TEXTS:
        folder.add(f"{name}.docx", "python-docx", texts.write_text(name))
    for name in sheets.BOOKS:
        folder.add(f"{name}.xlsx", "openpyxl", sheets.write_book(name))
    for name in sheets.FAST_BOOKS:
        folder.add(f"{name}.xlsx", "XlsxWriter", sheets.write_fast_book(name))
    for name in slides.DECKS:
        folder.add(f"{name}.pptx", "python-pptx", slides.write_deck(name))
    for name in pages.CANVASES:
        folder.add(f"canvas-{name}.pdf", "ReportLab", pages.write_canvas(name))
    for name, write in {
        "grid": pages.write_grid,
        "open-grid": pages.write_open_grid,
        "columns": pages.write_columns,
    }.items():
        folder.add(f"{name}.pdf", "ReportLab", write())
    for name in pages.PAGES:
        folder.add(f"page-{name}.html", "by hand", pages.write_page(name))
        folder.add(f"print-{name}.pdf", "WeasyPrint", pages.write_print(name))
    for suffix in ("docx", "odt", "rtf", "html", "epub", "pptx"):
        folder.add(f"pandoc.{suffix}", "pandoc", others.write_by_pandoc(suffix, path))
    folder.add("odfpy.odt", "odfpy", others.write_open_text())
    folder.add("odfpy.ods", "odfpy", others.write_open_sheet())
    for charset in ("utf-8", "euc-kr"):
        folder.add(f"mail-{charset}.eml", "Python", others.write_mail(charset))
    for old, new, names in CONVERSIONS:
        folder.convert(old, new, names)
    for old, new, names in _AGAIN:
        folder.convert(old, new, names, "lo-")
    records = {name: {"writer": writer, **asdict(facts)} for name, (writer, facts) in folder.facts.items()}
    (path / "facts.json").write_text(json.dumps(records, ensure_ascii=False, indent=1), "utf-8")
    print(f"{len(records)} documents")


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))

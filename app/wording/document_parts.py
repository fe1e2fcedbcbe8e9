"""Which pages, slides, sheets and rows of a document are read, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.wording.figures import number
from engine.documents.parts import Extent


def extent_words(extent: Extent) -> list[str]:
    """Return what a person is told of a text that is not all of its document; nothing for a whole one."""
    if extent.is_whole:
        return []
    words: list[str] = []
    if len(extent.numbers) < extent.count and extent.numbers:
        words.append(_parts_words(extent))
    cut = extent.cut
    if cut is not None:
        sentences = {
            "row": QCoreApplication.translate("DocumentParts", "rows 1 to {last} of {count}"),
            "line": QCoreApplication.translate("DocumentParts", "lines 1 to {last} of {count}"),
            "": QCoreApplication.translate("DocumentParts", "the end is left out"),
        }
        words.append(sentences[cut.kind].format(last=number(cut.done, 0), count=number(cut.count, 0)))
    return words


def _parts_words(extent: Extent) -> str:
    """Return which parts of a document its text has. Sheets are named."""
    if extent.names:
        names = ", ".join(extent.names[index - 1] for index in extent.numbers)
        return QCoreApplication.translate("DocumentParts", "sheets of {count}: {names}").format(
            count=number(extent.count, 0), names=names
        )
    first = extent.numbers[0]
    last = extent.numbers[-1]
    if extent.kind == "slide" and first == last:
        words = QCoreApplication.translate("DocumentParts", "slide {first} of {count}")
    elif extent.kind == "slide":
        words = QCoreApplication.translate("DocumentParts", "slides {first} to {last} of {count}")
    elif first == last:
        words = QCoreApplication.translate("DocumentParts", "page {first} of {count}")
    else:
        words = QCoreApplication.translate("DocumentParts", "pages {first} to {last} of {count}")
    return words.format(first=number(first, 0), last=number(last, 0), count=number(extent.count, 0))


def ask_words(extent: Extent, name: str) -> str:
    """Return the title of the action that shortens the file `name` to the parts in `extent`, at least one.

    It is "Ask about pages 1 to 40 of report.pdf", for instance; sheets are named.
    """
    if extent.names:
        names = ", ".join(extent.names[index - 1] for index in extent.numbers)
        words = QCoreApplication.translate("DocumentParts", "Ask about {sheets} of {name}")
        return words.format(sheets=names, name=name)
    first = extent.numbers[0]
    last = extent.numbers[-1]
    if extent.kind == "slide" and first == last:
        words = QCoreApplication.translate("DocumentParts", "Ask about slide {first} of {name}")
    elif extent.kind == "slide":
        words = QCoreApplication.translate("DocumentParts", "Ask about slides {first} to {last} of {name}")
    elif first == last:
        words = QCoreApplication.translate("DocumentParts", "Ask about page {first} of {name}")
    else:
        words = QCoreApplication.translate("DocumentParts", "Ask about pages {first} to {last} of {name}")
    return words.format(first=number(first, 0), last=number(last, 0), name=name)

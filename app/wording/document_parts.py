"""Which pages, slides, sheets, chapters and rows of a document are read, in words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QLocale

from app.wording.figures import number
from engine.documents.text.parts import CHAPTER, Extent, spans


def extent_words(extent: Extent) -> list[str]:
    """Return the words for a person on a text that is not all of its document; nothing for a whole text."""
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


def numbers_words(numbers: Sequence[int]) -> str:
    """Return the numbers of pages, such as "3, 5–9"."""
    return ", ".join(
        number(first, 0) if first == last else f"{number(first, 0)}–{number(last, 0)}" for first, last in spans(numbers)
    )


def _parts_words(extent: Extent) -> str:
    """Return which parts of a document its text has. Sheets are named, and chapters that do not follow each other."""
    first = extent.numbers[0]
    last = extent.numbers[-1]
    if _is_named(extent):
        sentences = {
            "sheet": QCoreApplication.translate("DocumentParts", "sheets of {count}: {names}"),
            "chapter": QCoreApplication.translate("DocumentParts", "chapters of {count}: {names}"),
        }
        return sentences.get(extent.kind, sentences["sheet"]).format(
            count=number(extent.count, 0), names=_names(extent)
        )
    if first == last:
        sentences = {
            "page": QCoreApplication.translate("DocumentParts", "page {first} of {count}"),
            "slide": QCoreApplication.translate("DocumentParts", "slide {first} of {count}"),
            "chapter": QCoreApplication.translate("DocumentParts", "chapter {first} of {count}"),
        }
    else:
        sentences = {
            "page": QCoreApplication.translate("DocumentParts", "pages {first} to {last} of {count}"),
            "slide": QCoreApplication.translate("DocumentParts", "slides {first} to {last} of {count}"),
            "chapter": QCoreApplication.translate("DocumentParts", "chapters {first} to {last} of {count}"),
        }
    words = sentences.get(extent.kind, sentences["page"])
    return words.format(first=number(first, 0), last=number(last, 0), count=number(extent.count, 0))


def ask_words(extent: Extent, name: str) -> str:
    """Return the title of the action that shortens the file `name` to the parts in `extent`, at least one.

    It is "Ask about pages 1 to 40 of report.pdf", for instance; what `_parts_words` names is named.
    """
    first = extent.numbers[0]
    last = extent.numbers[-1]
    if _is_named(extent):
        sentences = {
            "sheet": QCoreApplication.translate("DocumentParts", "Ask about {sheets} of {name}"),
            "chapter": QCoreApplication.translate("DocumentParts", "Ask about the chapters {chapters} of {name}"),
        }
        names = _names(extent)
        return sentences.get(extent.kind, sentences["sheet"]).format(sheets=names, chapters=names, name=name)
    if first == last:
        sentences = {
            "page": QCoreApplication.translate("DocumentParts", "Ask about page {first} of {name}"),
            "slide": QCoreApplication.translate("DocumentParts", "Ask about slide {first} of {name}"),
            "chapter": QCoreApplication.translate("DocumentParts", "Ask about chapter {first} of {name}"),
        }
    else:
        sentences = {
            "page": QCoreApplication.translate("DocumentParts", "Ask about pages {first} to {last} of {name}"),
            "slide": QCoreApplication.translate("DocumentParts", "Ask about slides {first} to {last} of {name}"),
            "chapter": QCoreApplication.translate("DocumentParts", "Ask about chapters {first} to {last} of {name}"),
        }
    words = sentences.get(extent.kind, sentences["page"])
    return words.format(first=number(first, 0), last=number(last, 0), name=name)


def _is_named(extent: Extent) -> bool:
    """Return whether the parts of a text are told by their names: chapters that follow each other by their numbers."""
    is_span = extent.numbers[-1] - extent.numbers[0] == len(extent.numbers) - 1
    return bool(extent.names) and not (extent.kind == CHAPTER and is_span)


def _names(extent: Extent) -> str:
    """Return the names of the parts that a text has."""
    return QLocale().createSeparatedList([extent.names[index - 1] for index in extent.numbers])

"""The text of Office and OpenDocument files: one walk over their elements, by the roles of their names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from engine.documents.letters import Run, marked
from engine.documents.marked_text import NOTE, THROUGH, MarkedText, Role
from engine.documents.zipped_parts import ZippedParts

# A role, what an element stands for, or what finds its role; None for what is left out or is done.
_Meaning = Role | str | Callable[[Element], Role | str | None] | None


class OfficeReader:
    """Adds the blocks of a document to `text`."""

    # Text is only in elements with this name; "" is anywhere.
    _run = "t"

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts, self._text = parts, text
        self._related = parts.related(parts.main)
        self._main = parts.xml(parts.main or "content.xml")
        self._meanings: dict[str, _Meaning] = {}

    def read(self) -> None:
        self._walk(self._main)
        self._text.finish()

    def _walk(self, element: Element) -> None:
        if element.text and self._run in ("", element.tag):
            self._add_words(element.text)
        for one in element:
            meaning = self._meanings.get(one.tag, THROUGH)
            role = meaning(one) if callable(meaning) else meaning
            if isinstance(role, str):
                self._text.add(role)
            elif role is not None:
                self._add(one, role)
            if one.tail and not self._run:
                self._add_words(one.tail)

    def _add_words(self, words: str) -> None:
        """Add what is in an element or between others."""
        self._text.add(words)

    def _add(self, element: Element, role: Role) -> None:
        block = self._text.block
        self._text.start(role)
        self._walk(element)
        self._text.end(role)
        if role is NOTE:
            # What a heading goes on with is no paragraph.
            self._text.block = block


def lines(element: Element, runs: Callable[[Element], Iterable[Run]]) -> str:
    """Return the paragraphs of an element that say something; `runs` finds the words of one, and how they are set."""
    found = (" ".join(marked(runs(one)).split()) for one in element.iter("p"))
    return "\n".join(filter(None, found))


def linked(address: str) -> Role:
    """Return the role of what leads to an address; places in the document itself and other files are none."""
    return Role("link", mark=address) if ":" in address and not address.startswith("#") else THROUGH

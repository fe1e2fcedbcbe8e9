"""The text of Office and OpenDocument files: one walk over their elements, by what each of their names means."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from xml.etree.ElementTree import Element

from engine.documents.archives.zipped_parts import ZippedParts
from engine.documents.text.letters import Run, marked
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.roles import Link, Role, Through

# What is done with an element:
# - a role: the element is added with this role, and what is in it is read;
# - words: they are added in place of the element, and what is in it is not read;
# - None: nothing more, because the element is left out, or because its handler has added it.
Meaning = Role | str | None
# Finds the meaning of an element, and may add or count what is in it. A table of meanings has, for each name of
# elements, their meaning or such a handler; elements with other names are walked through.
Handler = Callable[[Element], Meaning]


class OfficeReader:
    """Adds the blocks of a document to `text`. Subclasses fill `_meanings`."""

    # Text is only in elements with this name; "" if it may be anywhere.
    _text_element = "t"

    def __init__(self, parts: ZippedParts, text: MarkedText) -> None:
        self._parts = parts
        self._text = text
        # The parts and addresses that the part that is read refers to, as in `ZippedParts.related`.
        self._related = parts.related(parts.main)
        self._main = parts.xml(parts.main or "content.xml")
        # What elements mean, by their names without namespaces.
        self._meanings: dict[str, Meaning | Handler] = {}

    def read(self) -> None:
        """Add the whole document."""
        self._walk(self._main)
        self._text.finish()

    def _walk(self, element: Element) -> None:
        """Add what is in an element."""
        if element.text and self._text_element in ("", element.tag):
            self._add_words(element.text)
        for child in element:
            handler = self._meanings.get(child.tag, Through())
            meaning = handler(child) if callable(handler) else handler
            if isinstance(meaning, str):
                self._text.add(meaning)
            elif meaning is not None:
                self._add(child, meaning)
            if child.tail and not self._text_element:
                self._add_words(child.tail)

    def _add_words(self, words: str) -> None:
        """Add what is in an element or between others."""
        self._text.add(words)

    def _add(self, element: Element, role: Role) -> None:
        """Add an element with a role."""
        self._text.start(role)
        self._walk(element)
        self._text.end(role)


def lines(element: Element, runs: Callable[[Element], Iterable[Run]]) -> str:
    """Return the paragraphs of an element that have text, a line each.

    `runs` returns the words of a paragraph, with how their letters are set.
    """
    texts = (" ".join(marked(runs(paragraph)).split()) for paragraph in element.iter("p"))
    return "\n".join(filter(None, texts))


def link_role(address: str) -> Role:
    """Return the role of what leads to an address; places in the document itself and other files are no links."""
    return Link(address) if ":" in address and not address.startswith("#") else Through()

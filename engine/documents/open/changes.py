"""Deleted text that stands where it was: LibreOffice writes it so while it shows the changes of a text."""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element


def remove_deleted(content: Element) -> None:
    """Remove the words that a change deleted from a document; other deleted words stand in its list of changes."""
    deleted = {
        region.get("id", "")
        for region in content.iter("changed-region")
        if any(part.tag == "deletion" for part in region)
    }
    # The deletions that are open.
    inside = set[str]()
    for element, is_end in _edges(content) if deleted else ():
        change = element.get("change-id", "")
        if is_end and inside:
            element.tail = ""
        elif element.tag == "change-start" and change in deleted:
            inside.add(change)
        elif element.tag == "change-end":
            inside.discard(change)
        elif not is_end and inside:
            element.text = ""


def _edges(content: Element) -> Iterator[tuple[Element, bool]]:
    """Yield each element where it begins and, with True, where it ends, in the order of the document."""
    waiting = [(content, False)]
    while waiting:
        element, is_end = waiting.pop()
        yield element, is_end
        if not is_end:
            waiting.append((element, True))
            waiting += ((child, False) for child in reversed(element))

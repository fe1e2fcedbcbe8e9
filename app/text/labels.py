"""The labels of links and notes in a text. No Qt in here."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.text.spans import Span

_LABEL = re.compile(r"\[([^\[\]\n]{1,200})\]")


def used_labels(span: Span, lines: Sequence[str]) -> set[str]:
    """Return the labels that a block uses outside of its insets."""
    lines_of_insets = {line for inset in span.insets for line in range(inset.start, inset.end)}
    return labels_in("".join(lines[line] for line in range(span.start, span.end) if line not in lines_of_insets))


def first_label(definition: str) -> list[str]:
    """Return the alphabetically first label in a definition, in a list that is empty if there is none."""
    return sorted(labels_in(definition))[:1]


def labels_in(text: str) -> set[str]:
    """Return the labels in brackets in a text, in the form in which they are compared."""
    return {" ".join(label.split()).casefold() for label in _LABEL.findall(text)} if "[" in text else set()

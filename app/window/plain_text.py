"""An answer as rich text for the clipboard, as plain text, and as text to read aloud."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QMimeData

from app.text.blocks import Splitter
from app.text.pieces import weight
from app.text.shown import Paragraph, paragraphs_of, shown, texts_of, words_of

# A longer text is rendered block by block, off the Qt thread.
AT_ONCE = 20_000


def is_long(markdown: str) -> bool:
    """Whether rendering would block the window."""
    return weight(markdown) > AT_ONCE


def _block_by_block(markdown: str) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text, those of a long one block by block, as they are shown."""
    if not is_long(markdown):
        yield from shown(markdown)
        return
    splitter = Splitter()
    splitter.feed(markdown)
    splitter.finish()
    for block in map(splitter.resolved, splitter.frozen):
        yield from paragraphs_of(block)


def spoken_text(markdown: str) -> str:
    """Render Markdown without code blocks as plain text, to be read aloud. May be called on any thread."""
    paragraphs = (paragraph for paragraph in _block_by_block(markdown) if paragraph.kind != "code")
    return "\n".join(words_of(spans) for paragraph in paragraphs for spans in texts_of(paragraph)).strip()


def shown_parts(markdown: str) -> tuple[str, str]:
    """Render Markdown as (HTML, plain text). May be called on any thread."""
    # Imports a parser, which only the first copied text needs.
    from app.conversations.exports.rendering import as_html, latex

    return as_html(markdown, latex), arranged_text(markdown)


def mime_of(html: str, text: str) -> QMimeData:
    """Return both forms for the clipboard: other programs choose."""
    data = QMimeData()
    data.setHtml(html)
    data.setText(text)
    return data


def arranged_text(markdown: str) -> str:
    """Render Markdown with marks of lists, tabs between table cells and empty lines between paragraphs."""
    parts: list[str] = []
    after_item = False
    for paragraph in _block_by_block(markdown):
        if paragraph.kind != "hr":
            parts += ["\n" if after_item and paragraph.mark else "\n\n", _arranged(paragraph)]
            after_item = bool(paragraph.mark)
    return "".join(parts[1:])


def _arranged(paragraph: Paragraph) -> str:
    if paragraph.rows:
        return "\n".join("\t".join(map(words_of, row)).replace("\n", " ") for row in paragraph.rows)
    mark = f"{'  ' * (len(paragraph.lists) - 1)}{paragraph.mark} " if paragraph.mark else ""
    return f"{mark}{words_of(paragraph.spans)}"

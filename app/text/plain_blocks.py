"""Splits a text that cannot be shown as Markdown into pieces of plain text. No Qt in here."""

from __future__ import annotations

from app.text.blocks import Block, ProseText
from app.text.pieces import LONG_PIECE, plain_end, weight, without_colours


class PlainSplitter:
    """Replaces a `blocks.Splitter` that raised: all of its blocks are plain text; it parses nothing."""

    def __init__(self) -> None:
        self.frozen: list[Block] = []
        self.tail: list[Block] = []
        # A plain text defines no links or notes.
        self.definitions: dict[str, str] = {}
        self._open_text = ""

    def feed(self, delta: str) -> None:
        self._open_text += delta
        while weight(self._open_text) > LONG_PIECE:
            end = plain_end(self._open_text)
            self._freeze(self._open_text[:end])
            self._open_text = self._open_text[end:]
        self.tail = [_plain(self._open_text)] if self._open_text.strip() else []

    def finish(self) -> None:
        """Freeze everything, because no more text comes."""
        self._freeze(self._open_text)
        self.tail = []
        self._open_text = ""

    def resolved(self, block: Block) -> Block:
        return block

    def _freeze(self, text: str) -> None:
        if text.strip():
            self.frozen.append(_plain(text))


def _plain(text: str) -> ProseText:
    return ProseText(without_colours(text), plain=True)

"""Prints a growing text; on a terminal, its lines break between words."""

from __future__ import annotations

import os
import re
import sys
from typing import TextIO

# A Chinese or Japanese character is a word of its own, with the signs that never begin a line.
_ALONE = r"[\u3005\u3040-\u30ff\u4e00-\u9fff]"
_PIECES = re.compile(rf"\n|[^\S\n]+|{_ALONE}[、。，．！？：；」』）】”’]*|(?:(?!{_ALONE})\S)+")
_FENCES = ("```", "~~~")


class WrappedText:
    """Prints a growing text on `stream`.

    On a terminal a word is held back until it is whole, and a line that it would exceed breaks before it. Lines in
    fences of Markdown are code, and are left as they are. Where no terminal is, the text is unchanged.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._reset()

    def _reset(self) -> None:
        # The word that may go on, the white space before the next word, and the line so far with its width.
        self._held, self._space, self._line, self._column = "", "", "", 0
        self._is_code = False

    def write(self, text: str) -> None:
        """Print the next piece of the text."""
        columns = _columns(self._stream)
        if columns:
            pieces = _PIECES.findall(self._held + text)
            self._held = pieces.pop() if pieces and pieces[-1] != "\n" else ""
            text = "".join(self._placed(piece, columns) for piece in pieces)
        print(text, end="", file=self._stream, flush=True)

    def end(self) -> None:
        """Print what is held back, and begin a new text."""
        columns = _columns(self._stream)
        held = self._placed(self._held, columns) if columns else self._space + self._held
        print(held, end="", file=self._stream, flush=True)
        self._reset()

    def _placed(self, piece: str, columns: int) -> str:
        """Return what a piece adds to the screen."""
        if piece == "\n":
            self._is_code ^= self._line.lstrip().startswith(_FENCES)
            self._space, self._line, self._column = "", "", 0
            return piece
        if not piece.strip():
            self._space += piece
            return ""
        # Not at the top: `tandem --help` imports this module.
        from rich.cells import cell_len

        added = self._space + piece
        breaks = self._line and not self._is_code and self._column + cell_len(added) > columns
        if breaks:
            self._line, self._column, added = "", 0, piece
        self._space = ""
        self._line += added
        # A word that is wider than the terminal goes on in the next line.
        self._column = (self._column + cell_len(added)) % columns or columns
        return "\n" + added if breaks else added


def say(text: str) -> None:
    """Print a whole text on stderr."""
    wrapped = WrappedText(sys.stderr)
    wrapped.write(f"{text}\n")
    wrapped.end()


def _columns(stream: TextIO) -> int:
    """Return the width of a terminal in characters; 0 if it is unknown or the stream is no terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except (OSError, ValueError):
        return 0

"""The text of RTF files, as TextEdit, Word and mail programs write them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from engine.documents.marked_text import CELL, EXPONENT, NOTE, PARAGRAPH, ROW, TABLE, LeftOut, MarkedText, Role, linked

_TOKEN = re.compile(
    rb"\\([A-Za-z]{1,32})(-?\d{1,9})? ?|\\'([0-9A-Fa-f]{2})|\\(.)|([{}])|[\r\n\0]+|([^\\{}\r\n\0]+)", re.S
)
_ADDRESS = re.compile(r'HYPERLINK\s+"([^"]+)"')
# Python's codecs for the character sets of fonts.
_CHARSETS = {77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253"}
_CHARSETS |= {162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874"}
_CHARSETS |= {78: "cp932", 79: "cp949", 80: "gb18030", 81: "cp950", 238: "cp1250"}
_SIGNS = {"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“"}
_SIGNS |= {"rdblquote": "”", "bullet": "•", "~": "\u00a0", "_": "-", "nestcell": "\t", "nestrow": "\n"}
_SIGNS |= {"\\": "\\", "{": "{", "}": "}"}
# Destinations that are no text, beside all with a star that are not known here.
_LEFT_OUT = "fonttbl colortbl filetbl stylesheet info pict nonshppict nonesttables xe tc rxe listtable revtbl themedata"
_PLACES = ("fldinst", "fldrslt", "listtext", "pntext")
_NOWHERE = ("nowhere", "unknown")


@dataclass(frozen=True, slots=True)
class _State:
    """What a group has set: where its text goes ("" for the document), and how its paragraphs and letters are."""

    place: str = ""
    codec: str = ""
    substitutes: int = 1
    unseen: LeftOut | None = None
    is_raised: bool = False
    is_in_table: bool = False
    level: int = 0
    outline: int = 9


# What a control word changes, from its number (0 without one) and whether it switches something on.
_CHANGES: dict[str, Callable[[_State, int, bool], _State]] = {
    "pard": lambda state, _number, _on: replace(state, is_in_table=False, level=0, outline=9),
    "plain": lambda state, _number, _on: replace(state, codec="", unseen=None, is_raised=False),
    "intbl": lambda state, _number, on: replace(state, is_in_table=on),
    "v": lambda state, _number, on: replace(state, unseen="hidden-text" if on else None),
    "deleted": lambda state, _number, on: replace(state, unseen="deleted-text" if on else None),
    "super": lambda state, _number, on: replace(state, is_raised=on),
    "nosupersub": lambda state, _number, _on: replace(state, is_raised=False),
    "uc": lambda state, number, _on: replace(state, substitutes=max(0, number)),
    "ilvl": lambda state, number, _on: replace(state, level=max(0, min(number, 8))),
    "outlinelevel": lambda state, number, _on: replace(state, outline=max(0, number)),
}


class RichTextReader:
    """Follows the control words of a file. `\\u` may stand for half a surrogate pair."""

    def __init__(self, text: MarkedText) -> None:
        self._text = text
        self._state, self._around = _State(), list[_State]()
        self._codec, self._fonts, self._font = "cp1252", dict[int, str](), 0
        # Bytes that are not decoded yet, and how many characters stand for a `\u` that was read.
        self._bytes, self._skipped = bytearray(), 0
        # The letters of the number of a list's item, of a field's instruction, and of a link, with its address.
        self._mark, self._instruction, self._linked, self._address = "", "", "", ""
        self._begun, self._table, self._row = False, False, False
        self._unseen: LeftOut | None = None

    def read(self, data: bytes) -> None:
        position = 0
        while (token := _TOKEN.match(data, position)) is not None:
            position = token.end()
            word, number, byte, sign, brace, plain = token.groups()
            if plain or byte:
                self._add_bytes(plain or bytes.fromhex(byte.decode()))
                continue
            if not (word or sign or brace):
                continue
            self._decode()
            if brace:
                self._skipped = 0
            if brace == b"{":
                self._around.append(self._state)
            elif brace and self._around:
                self._end_group()
            elif word == b"bin":
                position += max(0, int(number or 0))
            elif not brace:
                self._control((word or sign).decode("latin-1"), None if number is None else int(number))
        self._decode()
        while self._around:
            self._end_group()
        self._end_paragraph()
        self._text.finish()

    def _add_bytes(self, content: bytes) -> None:
        skipped = min(self._skipped, len(content))
        self._skipped -= skipped
        self._bytes += content[skipped:]

    def _decode(self) -> None:
        if self._bytes:
            content, self._bytes = bytes(self._bytes), bytearray()
            self._add(content.decode(self._state.codec or self._codec, "replace"))

    def _add(self, words: str) -> None:
        state = self._state
        if state.place in ("listtext", "pntext"):
            self._mark += words
        elif state.place == "fldinst":
            self._instruction += words
        elif state.place not in _NOWHERE:
            if state.unseen is None:
                self._add_seen(f"^{words}" if state.is_raised and EXPONENT.match(words) else words)
            elif state.unseen != self._unseen and words.strip():
                self._text.left_out[state.unseen] += 1
                self._unseen = state.unseen

    def _add_seen(self, words: str) -> None:
        self._unseen = None
        if self._state.place == "fldrslt" and self._address:
            self._linked += words
        else:
            self._begin()
            self._text.add(words)

    def _begin(self) -> None:
        """Open the table, cell or paragraph of words that follow."""
        state = self._state
        if self._begun or state.place == "note":
            return
        if self._table and not state.is_in_table:
            self._text.end(TABLE)
            self._table = self._row = False
        if state.is_in_table and not self._table:
            self._text.start(TABLE)
            self._table = True
        if state.is_in_table and not self._row:
            self._text.start(ROW)
            self._row = True
        mark = self._mark.strip()
        if mark == "o" or not any(map(str.isalnum, mark)):
            mark = "-" if mark else ""
        if state.is_in_table:
            self._text.start(CELL)
            self._text.add(f"{mark} ".lstrip())
        elif state.outline < 9:
            self._text.start(Role("heading", state.outline + 1, mark))
        elif mark:
            self._text.start(Role("numbered paragraph", state.level, mark))
        self._begun, self._mark = True, ""

    def _end_paragraph(self) -> None:
        if self._state.place == "note" or (self._state.is_in_table and self._begun):
            self._text.end_block()
        else:
            self._text.end(PARAGRAPH)
            self._begun, self._mark = False, ""

    def _end_group(self) -> None:
        ended, self._state = self._state, self._around.pop()
        if ended.place == self._state.place:
            return
        if ended.place == "note":
            self._text.end(NOTE)
        elif ended.place == "fldinst":
            found = _ADDRESS.search(self._instruction)
            self._address, self._instruction = found[1] if found else "", ""
        elif ended.place == "fldrslt" and self._address:
            words, self._linked = linked(self._linked, self._address), ""
            self._address = ""
            self._add(words)

    def _control(self, word: str, number: int | None) -> None:
        state = self._state
        is_on = number != 0
        if word in ("par", "sect", "page", "\n", "\r"):
            if state.place in ("", "note"):
                self._end_paragraph()
        elif word == "u":
            self._skipped = 0
            self._add(chr((number or 0) & 0xFFFF))
            self._skipped = state.substitutes
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif word in ("cell", "row"):
            self._end_cell(word)
        elif (change := _CHANGES.get(word)) is not None:
            self._state = change(state, number or 0, is_on)
        elif word == "f":
            self._font = number or 0
            self._state = replace(state, codec=self._fonts.get(self._font, ""))
        elif word in ("fcharset", "cpg"):
            codec = _CHARSETS.get(number or 0, "") if word == "fcharset" else _codec(number or 0)
            if codec:
                self._fonts[self._font] = codec
        elif word in ("ansicpg", "mac", "pc", "pca"):
            named = {"mac": 10000, "pc": 437, "pca": 850}
            self._codec = _codec(named.get(word, number or 0)) or self._codec
        else:
            self._enter(word)

    def _end_cell(self, word: str) -> None:
        if self._state.place in ("", "fldrslt"):
            if word == "row":
                self._text.end(ROW)
                self._row = False
            else:
                self._state = replace(self._state, is_in_table=True)
                self._begin()
                self._text.end(CELL)
            self._begun, self._mark = False, ""

    def _enter(self, word: str) -> None:
        """Begin a destination, if `word` is one."""
        place = self._state.place
        if word == "shptxt":
            # A text box is within what only draws it.
            place = ""
        elif place == "nowhere":
            return
        elif word in ("footnote", "annotation"):
            self._begin()
            self._text.start(NOTE)
            place = "note"
        elif word in _PLACES:
            place = word
        elif word == "*":
            place = "unknown"
        elif place == "unknown" or word in _LEFT_OUT.split():
            place = "nowhere"
        self._state = replace(self._state, place=place)


def _codec(page: int) -> str:
    """Return Python's codec for a code page of Windows; "" if there is none."""
    name = {10000: "mac_roman", 65001: "utf-8"}.get(page, f"cp{page}")
    try:
        return codecs.lookup(name).name
    except LookupError:
        return ""

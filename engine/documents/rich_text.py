"""The text of RTF files, as TextEdit, Word and mail programs write them."""

from __future__ import annotations

import codecs
import re
from collections import defaultdict
from collections.abc import Iterable
from contextlib import suppress

from engine.documents.marked_text import CELL, NOTE, PARAGRAPH, ROW, TABLE, LeftOut, MarkedText, Role
from engine.documents.rich_letters import HEIGHTS, OF_CELLS, OF_LETTERS, OF_PARAGRAPHS, RichLetters, letters_of

_TOKEN = re.compile(
    r"(?s)\\(?P<star>\*\s*\\)?(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,9})? ?"
    r"|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<sign>.)|(?P<brace>[{}])|[\r\n\0]+|(?P<plain>[^\\{}\r\n\0]+)"
)
_ADDRESS = re.compile(r'HYPERLINK\s+"([^"]+)"')
# Python's codecs for the character sets of fonts, and for a code page that has no "cp" before its number.
_CODECS = {77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "cp950", 161: "cp1253"}
_CODECS |= {162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251", 222: "cp874"}
_CODECS |= {78: "cp932", 79: "cp949", 80: "gb18030", 81: "cp950", 238: "cp1250", 10000: "mac_roman"}
_SIGNS = {"tab": "\t", "line": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“"}
_SIGNS |= {"rdblquote": "”", "bullet": "•", "~": "\u00a0", "_": "-", "nestcell": "\t", "nestrow": "\n"}
_SIGNS |= {"\\": "\\", "{": "{", "}": "}"}
# What words set in a group, and which of it others take back.
_SETTINGS = ("f", "uc", "intbl", "ilvl", "outlinelevel", "sbasedon", *OF_LETTERS, *OF_PARAGRAPHS, *OF_CELLS)
_RESETS = {
    "pard": ("intbl", "ilvl", "outlinelevel", *OF_PARAGRAPHS),
    "plain": ("f", *OF_LETTERS),
    "nosupersub": HEIGHTS,
    "trowd": OF_CELLS,
}
# Destinations that are no text, beside those with a star that are not known here; and some whose text has a purpose.
_LEFT_OUT = "fonttbl filetbl info pict nonshppict nonesttables xe tc rxe listtable revtbl themedata"
_BESIDE = {"fldinst": "field", "listtext": "mark", "pntext": "mark", "colortbl": "colours", "stylesheet": "styles"}


class RichTextReader:
    """Follows the control words of a file. `\\u` may stand for half a surrogate pair."""

    def __init__(self, text: MarkedText) -> None:
        self._text = text
        # Where the text of a group goes ("" for the document) and what is set in it; those of the groups around.
        self._place: Role | str = ""
        self._set = dict[str, int]()
        self._around = list[tuple[Role | str, dict[str, int]]]()
        # By the numbers of fonts; without one, that of the file.
        self._codecs = {-1: "cp1252"}
        # Bytes that are not decoded yet, and how many characters stand for a `\u` that was read.
        self._bytes, self._skipped = "", 0
        self._beside = defaultdict[Role | str, str](str)
        self._in_table = self._in_cell = self._in_paragraph = False
        self._unseen = ""
        self._letters = RichLetters(b"")

    def read(self, data: bytes) -> None:
        self._letters = RichLetters(data)
        for token in _TOKEN.finditer(data.decode("latin-1")):
            if plain := token["plain"] or (token["byte"] and chr(int(token["byte"], 16))):
                self._bytes += plain[self._skipped :]
                self._skipped -= min(self._skipped, len(plain))
            elif brace := token["brace"]:
                self._decode()
                self._skipped = 0
                if brace == "{":
                    self._around.append((self._place, self._set.copy()))
                elif self._around:
                    self._end_group()
            elif word := token["word"] or token["sign"]:
                self._decode()
                self._control(word, int(token["number"] or 1), is_optional=bool(token["star"]))
        self._decode()
        while self._around:
            self._end_group()
        self._end_paragraph()
        self._text.finish()

    def _decode(self) -> None:
        if self._bytes:
            codec = self._codecs.get(self._set.get("f", -1), self._codecs[-1])
            words = self._bytes.encode("latin-1").decode(codec, "replace")
            self._bytes = ""
            self._add(words)

    def _add(self, words: str) -> None:
        if self._place in ("field", "mark"):
            self._beside[self._place] += words
        elif self._place == "colours":
            for _ in range(words.count(";")):
                self._letters.end_colour()
        elif self._place not in ("nowhere", "styles"):
            unseen = self._omission()
            if not unseen:
                self._begin()
                with self._text.lettered(letters_of(self._set)):
                    self._text.add(words)
                self._unseen = ""
            elif unseen != self._unseen and words.strip():
                self._text.left_out[unseen] += 1
                self._unseen = unseen

    def _omission(self) -> LeftOut:
        """Return why letters are not read; "" for those that are."""
        if self._set.get("deleted"):
            return "deleted-text"
        is_unseen = self._set.get("v") or self._letters.is_unseen(self._set, is_on_page=not self._set.get("shptxt"))
        return "hidden-text" if is_unseen else ""

    def _begin(self) -> None:
        """Open the table, cell and paragraph of words that follow."""
        if self._in_paragraph or self._place is NOTE:
            return
        in_table = bool(self._set.get("intbl"))
        if self._in_table and not in_table:
            self._text.end(TABLE)
        elif in_table and not self._in_table:
            self._text.start(TABLE)
        if in_table and not self._in_cell:
            self._text.start(CELL)
        self._in_table = self._in_cell = in_table
        mark = self._beside["mark"].strip()
        outline = self._set.get("outlinelevel", 9)
        if mark == "o" or not any(map(str.isalnum, mark)):
            mark = mark and "-"
        if outline < 9:
            self._text.start(Role("heading", outline + 1, mark))
        elif mark:
            self._text.start(Role("numbered paragraph", max(0, self._set.get("ilvl", 0)), mark))
        self._in_paragraph = True

    def _end_paragraph(self) -> None:
        self._text.end(PARAGRAPH)
        self._in_paragraph, self._beside["mark"] = False, ""

    def _end_group(self) -> None:
        ended = self._place
        if ended == "styles":
            self._letters.define(self._set)
        self._place, self._set = self._around.pop()
        if isinstance(ended, Role) and ended is not self._place:
            self._text.end(ended)

    def _control(self, word: str, number: int, *, is_optional: bool) -> None:
        if word in ("par", "sect", "page", "\n", "\r"):
            if self._place is NOTE:
                self._text.end_block()
            elif not self._place:
                self._end_paragraph()
        elif word == "u":
            self._add(chr(number & 0xFFFF))
            self._skipped = max(0, self._set.get("uc", 1))
        elif word in _SIGNS:
            self._add(_SIGNS[word])
        elif word == "row" and not self._place:
            self._text.start(ROW)
        elif word == "cell" and not self._place:
            self._set["intbl"] = 1
            self._begin()
            self._end_paragraph()
            self._text.end(CELL)
            self._in_cell = False
        elif word in _SETTINGS:
            if word in HEIGHTS and number > 0:
                self._reset(HEIGHTS)
            self._set[word] = number
        elif word in ("s", "cs"):
            # The group of a style begins with its number.
            self._set |= {word: number} if self._place == "styles" else self._letters.of_style(word, number)
        elif word in ("red", "green", "blue"):
            self._letters.set_part(word, number)
        elif word in _RESETS:
            self._reset(_RESETS[word])
        elif word in ("ansicpg", "cpg", "fcharset"):
            with suppress(LookupError):
                self._codecs[self._set.get("f", -1)] = codecs.lookup(_CODECS.get(number, f"cp{number}")).name
        else:
            self._enter(word, is_optional=is_optional)

    def _reset(self, words: Iterable[str]) -> None:
        for word in words:
            self._set.pop(word, None)

    def _enter(self, word: str, *, is_optional: bool) -> None:
        """Begin a destination, if `word` is one."""
        if word == "shptxt":
            # A text box is within what only draws it.
            self._place = ""
            self._set["shptxt"] = 1
        elif self._place == "nowhere":
            return
        elif word in ("footnote", "annotation") and self._place is not NOTE:
            self._begin()
            self._text.start(NOTE)
            self._place = NOTE
            # Its mark is raised, its text is not.
            self._reset(OF_LETTERS)
        elif word == "fldrslt" and (found := _ADDRESS.search(self._beside.pop("field", ""))):
            self._begin()
            self._place = Role("link", mark=found[1])
            self._text.start(self._place)
        elif word in _BESIDE:
            self._place = _BESIDE[word]
            self._reset(OF_LETTERS)
        elif (is_optional and word != "annotation") or word in _LEFT_OUT.split():
            self._place = "nowhere"

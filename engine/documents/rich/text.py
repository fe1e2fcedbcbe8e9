"""The text of RTF files, as TextEdit, Word and mail programs write them."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable
from contextlib import suppress
from enum import Enum, auto
from typing import NamedTuple

from engine.documents.rich.bytes import without_bytes
from engine.documents.rich.equations import RichEquation
from engine.documents.rich.forms import FORM_WORDS, RichForm
from engine.documents.rich.letters import HEIGHTS, OF_CELLS, OF_LETTERS, OF_PARAGRAPHS, RichLetters
from engine.documents.rich.tables import CELL_WORDS, RichTables
from engine.documents.text.damaged_parts import skipping_damage
from engine.documents.text.marked_text import MarkedText
from engine.documents.text.roles import (
    Footnote,
    HeadingBlock,
    Link,
    NumberedParagraph,
    ParagraphBlock,
    Table,
    TableCell,
    TableRow,
)
from engine.documents.text.symbol_fonts import signs_in

_TOKEN = re.compile(
    r"(?s)\\(?P<star>\*\s*\\)?(?P<word>[A-Za-z]{1,32})(?P<number>-?\d{1,15})? ?"
    r"|\\'(?P<byte>[0-9A-Fa-f]{2})|\\(?P<sign>.)|(?P<brace>[{}])|[\r\n\0]+|(?P<plain>[^\\{}\r\n\0]+)"
)
_ADDRESS = re.compile(r'HYPERLINK\s+"([^"]+)"')
# The code of a field that shows words with a reading aid above them, which is in the inner brackets.
_WITH_READING = re.compile(r"(?s)\s*EQ\b.*\\o[^(]*\(\s*\\s\\up\s*\d*\s*\([^()]*\)\s*[,;](.+)\)\s*")
# Python's codecs for the character sets of fonts, and for code pages that have no "cp" before their numbers. A font of
# the default set, 1, has the code page of the file; and so has one of signs, 2, whose letters have other meanings.
_CODECS = {
    0: "cp1252",
    77: "mac_roman",
    78: "cp932",
    79: "cp949",
    80: "gb18030",
    81: "cp950",
    82: "johab",
    84: "mac_arabic",
    85: "mac_greek",
    86: "mac_turkish",
    88: "mac_latin2",
    89: "mac_cyrillic",
    128: "cp932",
    129: "cp949",
    130: "johab",
    134: "gb18030",
    136: "cp950",
    161: "cp1253",
    162: "cp1254",
    163: "cp1258",
    177: "cp1255",
    178: "cp1256",
    186: "cp1257",
    204: "cp1251",
    222: "cp874",
    238: "cp1250",
    254: "cp437",
    255: "cp850",
    936: "gb18030",
    1361: "johab",
    10000: "mac_roman",
    10004: "mac_arabic",
    10006: "mac_greek",
    10007: "mac_cyrillic",
    10029: "mac_latin2",
    10081: "mac_turkish",
    65001: "utf-8",
}
# The codecs of files by the words that they begin with.
_CODECS_OF_FILES = {"mac": "mac_roman", "pc": "cp437", "pca": "cp850"}
# The font number of text that names no font in a file without a default one.
_NO_FONT = -1
# Control words and signs that stand for text.
_SIGNS = {
    "tab": "\t",
    "line": "\n",
    "emdash": "—",
    "endash": "–",
    "lquote": "‘",
    "rquote": "’",
    "ldblquote": "“",
    "rdblquote": "”",
    "bullet": "•",
    **dict.fromkeys(("emspace", "enspace", "qmspace"), " "),
    "~": "\u00a0",
    "_": "-",
    "nestcell": "\t",
    "nestrow": "\n",
    "\\": "\\",
    "{": "{",
    "}": "}",
}
_SEPARATORS = ("\t", "\n")
_PARAGRAPH_ENDS = ("par", "sect", "page", "\n", "\r")
# Words whose numbers are settings of their group: the font, how many characters stand for a `\u`, whether the paragraph
# is in a table, its level in a list, its level as a heading, and the style that a style is based on.
_SETTINGS = ("f", "uc", "intbl", "ilvl", "outlinelevel", "sbasedon", *OF_LETTERS, *OF_PARAGRAPHS, *OF_CELLS)
# Which settings a word takes back.
_RESETS = {
    "pard": ("intbl", "ilvl", "outlinelevel", *OF_PARAGRAPHS),
    "plain": ("f", *OF_LETTERS),
    "nosupersub": HEIGHTS,
    "trowd": OF_CELLS,
}
# What programs call the styles of headings in files, whatever their language.
_HEADING_NAME = re.compile(r"heading ([1-9]);?", re.IGNORECASE)
# The outline level of text that is no heading; headings have the levels 0 to 8.
_BODY_TEXT = 9


class _Destination(Enum):
    """Where the text of a group goes that is not in the document, or not at this place."""

    DOCUMENT = auto()
    # It is left out.
    NOWHERE = auto()
    # It is the code of a field.
    FIELD = auto()
    # It says what a field of a form is.
    FORM = auto()
    # It is a choice of the field of a form.
    CHOICE = auto()
    # It is the number or the bullet of a paragraph, as it is shown.
    MARK = auto()
    # Each ";" in it ends a colour.
    COLOURS = auto()
    # It is the name of a font, which the group defines.
    FONTS = auto()
    # It is the name of a style, which the group defines.
    STYLES = auto()
    # It is an equation, as are the groups in it.
    EQUATION = auto()
    # It is the name of who wrote the comment that comes next.
    AUTHOR = auto()


# Destinations by the words that begin them. Those with a star that are not here are left out, too.
_DESTINATIONS = {
    "atnauthor": _Destination.AUTHOR,
    "ffl": _Destination.CHOICE,
    "fldinst": _Destination.FIELD,
    "formfield": _Destination.FORM,
    "listtext": _Destination.MARK,
    "pntext": _Destination.MARK,
    **dict.fromkeys(("moMath", "moMathPara"), _Destination.EQUATION),
    "colortbl": _Destination.COLOURS,
    "fonttbl": _Destination.FONTS,
    "stylesheet": _Destination.STYLES,
}
_LEFT_OUT = {
    "filetbl",
    "info",
    "listtable",
    "nonesttables",
    "nonshppict",
    "pict",
    "revtbl",
    "rxe",
    # What older programs show instead of a shape.
    "shprslt",
    "tc",
    "themedata",
    "xe",
}


class _RichGroup(NamedTuple):
    """What holds in a group. Words set it for the rest of their group, and for the groups in this."""

    # A note or a link is a part of the document of its own.
    destination: _Destination | Footnote | Link
    # The numbers of control words that are set, by these words.
    settings: dict[str, int]


class RichTextReader:
    """Follows the control words of a file. `\\u` may stand for half a surrogate pair."""

    def __init__(self, text: MarkedText) -> None:
        self._text = text
        # What holds in the group that is read, and in those around it.
        self._destination: _Destination | Footnote | Link = _Destination.DOCUMENT
        self._settings = dict[str, int]()
        self._groups_around: list[_RichGroup] = []
        # The codecs of fonts by their numbers; a font without one has the file's codec.
        self._codecs = {_NO_FONT: "cp1252"}
        # The font of text that names none.
        self._default_font = _NO_FONT
        # The names of fonts by their numbers.
        self._fonts = dict[int, str]()
        # Bytes that are not decoded yet, a character each: it takes a whole run to decode them.
        self._bytes = ""
        # How many characters still stand for a `\u` that was read; programs that know `\u` pass over them.
        self._skipped = 0
        # Who wrote the comment that comes next.
        self._author = ""
        # The name of the style that is defined.
        self._style_name = ""
        # The code of the latest field.
        self._field_code = ""
        # The field of a form that is read, or that comes next.
        self._form = RichForm()
        # Whether the latest field showed what it is in a form, so that its result is not read.
        self._is_form_shown = False
        # The equation that is read, or that comes next.
        self._equation = RichEquation()
        # What is shown before the paragraph that comes next, such as "3." or a bullet.
        self._mark = ""
        # Whether a table, a cell of it and a paragraph are open in the text.
        self._in_table = False
        self._in_cell = False
        self._in_paragraph = False
        self._letters = RichLetters(b"")
        self._tables = RichTables(b"")
        # The place in the file of the control word that is followed.
        self._place = 0

    def read(self, data: bytes) -> None:
        """Add a whole file."""
        data = without_bytes(data, self._text)
        self._letters = RichLetters(data)
        self._tables = RichTables(data)
        for token in _TOKEN.finditer(data.decode("latin-1")):
            if plain := token["plain"] or (token["byte"] and chr(int(token["byte"], 16))):
                self._bytes += plain[self._skipped :]
                self._skipped -= min(self._skipped, len(plain))
            elif brace := token["brace"]:
                self._decode()
                self._skipped = 0
                if brace == "{":
                    self._begin_group()
                elif self._groups_around:
                    self._end_group()
            elif word := token["word"] or token["sign"]:
                self._decode()
                self._place = token.start()
                self._control(word, int(token["number"] or 1), is_optional=bool(token["star"]))
        self._decode()
        while self._groups_around:
            self._end_group()
        self._end_paragraph()
        self._text.finish()

    # Text.

    @property
    def _font(self) -> int:
        """The number of the font of the text that is read."""
        return self._settings.get("f", self._default_font)

    def _decode(self) -> None:
        """Add the bytes that were read so far, in the encoding of their font."""
        if self._bytes:
            codec = self._codecs.get(self._font, self._codecs[_NO_FONT])
            words = self._bytes.encode("latin-1").decode(codec, "replace")
            self._bytes = ""
            self._add(words)

    def _add(self, words: str) -> None:
        """Add text to the destination of the group."""
        font = self._font
        match self._destination:
            case _Destination.FIELD:
                self._field_code += words
            case _Destination.CHOICE:
                self._form.choices[-1] += words
            case _Destination.MARK:
                self._mark += signs_in(self._fonts.get(font, ""), words)
            case _Destination.AUTHOR:
                self._author += words
            case _Destination.EQUATION:
                self._equation.add(words)
            case _Destination.FONTS:
                self._fonts[font] = self._fonts.get(font, "") + words.partition(";")[0].strip()
            case _Destination.STYLES:
                self._style_name += words
            case _Destination.COLOURS:
                for _ in range(words.count(";")):
                    self._letters.end_colour()
            case _Destination.NOWHERE | _Destination.FORM:
                pass
            case _:
                self._add_to_document(signs_in(self._fonts.get(font, ""), words))

    def _add_to_document(self, words: str) -> None:
        """Add words to the paragraph, which those that are seen begin."""
        if self._settings.get("deleted"):
            self._text.leave_out("deleted-text", words)
            return
        look = self._letters.look(self._settings)
        if look.is_seen:
            self._begin_paragraph()
        with self._text.shown_as(look):
            self._text.add(words)

    # Paragraphs and tables.

    def _begin_paragraph(self) -> None:
        """Open the table, the cell and the paragraph that the next words belong to, unless they are open.

        A table that these words are not in ends. A note has no paragraphs of its own.
        """
        if self._in_paragraph or isinstance(self._destination, Footnote):
            return
        in_table = bool(self._settings.get("intbl"))
        if self._in_table and not in_table:
            self._text.end(Table())
        elif in_table and not self._in_table:
            self._text.start(Table())
        if in_table and not self._in_cell:
            self._start_cell()
        # In a table means in a cell from here on.
        self._in_table = in_table
        self._in_cell = in_table
        self._start_block()
        self._in_paragraph = True

    def _start_cell(self) -> None:
        """Start the next cell of the row, after an empty one where its row begins farther to the right."""
        *empty, cell = self._tables.next_cells()
        for before in empty:
            self._text.start(before)
            self._text.end(before)
        self._text.start(cell)

    def _start_block(self) -> None:
        """Start a heading or an item of a list. A plain paragraph needs no start: words without one are in it."""
        mark = self._mark.strip()
        # Word writes a bullet in Courier New as "o".
        is_bullet = mark == "o" or not any(map(str.isalnum, mark))
        if mark and is_bullet:
            mark = "-"
        outline_level = self._settings.get("outlinelevel", _BODY_TEXT)
        if outline_level < _BODY_TEXT:
            self._text.start(HeadingBlock(outline_level + 1, mark))
        elif mark:
            self._text.start(NumberedParagraph(max(0, self._settings.get("ilvl", 0)), mark))

    def _end_paragraph(self) -> None:
        # Ends the block that is open, whichever that is.
        self._text.end(ParagraphBlock())
        self._in_paragraph = False
        self._mark = ""

    def _end_line(self) -> None:
        """End a paragraph of the document, or begin a new line of a note."""
        if isinstance(self._destination, Footnote):
            self._text.end_block()
        elif self._destination is _Destination.DOCUMENT:
            self._end_paragraph()

    def _end_cell(self) -> None:
        self._settings["intbl"] = 1
        self._begin_paragraph()
        self._end_paragraph()
        self._text.end(TableCell())
        self._in_cell = False

    # Groups and control words.

    def _begin_group(self) -> None:
        if self._destination is _Destination.EQUATION:
            self._equation.begin_group()
        self._groups_around.append(_RichGroup(self._destination, self._settings.copy()))

    def _end_group(self) -> None:
        ended = self._destination
        if ended is _Destination.STYLES:
            self._define_style()
        self._destination, self._settings = self._groups_around.pop()
        if self._destination is _Destination.EQUATION:
            self._equation.end_group()
        elif ended is _Destination.EQUATION:
            self._end_equation()
        if ended is _Destination.FIELD and self._destination is not ended:
            self._end_field_code()
        if isinstance(ended, Footnote | Link) and ended is not self._destination:
            self._text.end(ended)

    def _end_field_code(self) -> None:
        """Add what is ticked or chosen in the field of a form."""
        words = self._form.shown()
        self._form = RichForm()
        self._is_form_shown = bool(words)
        if words:
            self._add(words)

    def _end_equation(self) -> None:
        """Add the equation that was read; one that nests too deep is counted."""
        equation = self._equation
        self._equation = RichEquation()
        with skipping_damage(self._text):
            self._add(equation.in_markdown())

    def _define_style(self) -> None:
        """Keep the style whose group ends. LibreOffice says only by its name that it is one of headings."""
        if heading := _HEADING_NAME.fullmatch(self._style_name):
            self._settings.setdefault("outlinelevel", int(heading[1]) - 1)
        self._style_name = ""
        self._letters.define(self._settings)

    def _control(self, word: str, number: int, *, is_optional: bool) -> None:
        """Apply a control word or sign with its number, which is 1 if it has none.

        `is_optional` says whether a star is before it, so that readers who do not know the word leave out its group.
        """
        in_document = self._destination is _Destination.DOCUMENT
        if self._destination is _Destination.EQUATION and word.startswith("m") and word != "mmathPict":
            self._equation.name(word)
        elif word in _PARAGRAPH_ENDS:
            self._skipped = 0
            self._end_line()
        elif word == "u":
            # May be half of a pair; the halves are joined in the whole text.
            self._add(chr(number & 0xFFFF))
            self._skipped = max(0, self._settings.get("uc", 1))
        elif word in _SIGNS:
            self._add_sign(word)
        elif word == "row" and in_document:
            self._tables.end_row()
            self._text.start(TableRow())
        elif word in CELL_WORDS:
            if in_document:
                self._tables.describe(word, number, self._place)
            # Of these words, "trowd" alone takes something back: the colours of the row before.
            self._reset(_RESETS.get(word, ()))
        elif word == "cell" and in_document:
            self._end_cell()
        elif word in _SETTINGS or word in _RESETS:
            self._set(word, number)
        elif not self._define(word, number):
            self._enter(word, is_optional=is_optional)

    def _add_sign(self, word: str) -> None:
        """Add what a control word stands for, unless it stands for a `\\u` itself. A separator is kept."""
        if not self._skipped or _SIGNS[word] in _SEPARATORS:
            self._add(_SIGNS[word])
        self._skipped -= min(self._skipped, 1)

    def _set(self, word: str, number: int) -> None:
        """Set what a word sets in the group, and take back what it takes back."""
        if word in HEIGHTS and number > 0:
            self._reset(HEIGHTS)
        if word in _SETTINGS:
            self._settings[word] = number
        else:
            self._reset(_RESETS[word])

    def _reset(self, words: Iterable[str]) -> None:
        for word in words:
            self._settings.pop(word, None)

    def _define(self, word: str, number: int) -> bool:
        """Apply a word about styles, colours or encodings. Returns whether it is one."""
        if word in ("s", "cs"):
            # The group of a style begins with its number.
            is_defined = self._destination is _Destination.STYLES
            self._settings |= {word: number} if is_defined else self._letters.of_style(word, number)
        elif word in ("red", "green", "blue"):
            self._letters.set_part(word, number)
        elif word in FORM_WORDS:
            self._form.numbers[word] = number
        elif word == "deff":
            self._default_font = number
        elif word in _CODECS_OF_FILES:
            self._codecs[_NO_FONT] = _CODECS_OF_FILES[word]
        elif word in ("ansicpg", "cpg", "fcharset"):
            font = _NO_FONT if word == "ansicpg" else self._font
            with suppress(LookupError):
                self._codecs[font] = codecs.lookup(_CODECS.get(number, f"cp{number}")).name
        else:
            return False
        return True

    def _enter(self, word: str, *, is_optional: bool) -> None:
        """Begin a destination, if `word` is one."""
        if word == "shptxt":
            # A text box is within what only draws it.
            self._destination = _Destination.DOCUMENT
            self._settings["shptxt"] = 1
        elif self._destination is _Destination.NOWHERE:
            return
        elif word in ("footnote", "annotation") and not isinstance(self._destination, Footnote):
            self._begin_paragraph()
            self._text.start(Footnote())
            self._destination = Footnote()
            # Its mark is raised, its text is not.
            self._reset(OF_LETTERS)
            if word == "annotation" and self._author:
                self._text.add(f"Comment by {self._author.strip()}: ")
            self._author = ""
        elif word == "fldrslt":
            self._enter_result()
        elif word in _DESTINATIONS:
            self._destination = _DESTINATIONS[word]
            self._reset(OF_LETTERS)
            if word == "ffl":
                self._form.choices.append("")
        elif (is_optional and word != "annotation") or word in _LEFT_OUT:
            self._destination = _Destination.NOWHERE

    def _enter_result(self) -> None:
        """Begin the result of the latest field, which may be a link, or not the words that are shown."""
        if words_below := _WITH_READING.fullmatch(self._field_code):
            self._field_code = ""
            self._add(words_below[1].strip())
        elif link := self._link_of_field():
            self._begin_paragraph()
            self._destination = link
            self._text.start(link)
        elif self._is_form_shown:
            self._is_form_shown = False
            self._destination = _Destination.NOWHERE

    def _link_of_field(self) -> Link | None:
        """Return the link that the latest field is, if it is one. Its code is forgotten: each has one result."""
        address = _ADDRESS.search(self._field_code)
        self._field_code = ""
        return Link(address[1]) if address else None

"""The characters of composite fonts in PDF files, of which pypdf knows few encodings.

A composite font's strings hold codes of one to four bytes. Which, its `/Encoding` says: the name of one of the CMaps
that the PDF specification predefines (ISO 32000-2, table 116), or a CMap in the file. pypdf takes those that it does
not know for UTF-16. Here, strings of all CMaps but those of Unicode are decoded by Python's codecs of the same
character sets, and written as UTF-16 for a font that says so. What the file itself maps to Unicode comes first.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Any, NamedTuple

from pypdf.generic import DictionaryObject, NameObject, PdfObject, StreamObject

# What stands for a code that nothing maps to a character.
_UNMAPPED = "\ufffd"
# How bytes are divided into codes; a byte that begins no code is one of its own.
_SHIFT_JIS = rb"[\x81-\x9f\xe0-\xfc].|."
_EUC = rb"[\x81-\xfe].|."
_FOUR_BYTES = rb"[\x81-\xfe][0-9]..|[\x81-\xfe].|."
_TAIWAN = rb"\x8e...|[\xa1-\xfe].|."
_MAC = rb"[\xa1-\xfc].|."
_JOHAB = rb"[\x84-\xf9].|."
_TWO_BYTES = rb"..|."
_UTF_8 = rb"[\xc2-\xdf].|[\xe0-\xef]..|[\xf0-\xf4]...|."
_UTF_16_CODES = rb"[\xd8-\xdb].[\xdc-\xdf].|..|."
_UTF_32 = rb"....|.+"
# What Apple added as codes of one byte.
_SIGNS = {0xFD: "©", 0xFE: "™", 0xFF: "…"}
_JAPANESE_SIGNS = _SIGNS | {0x80: "\\", 0xA0: "\xa0"}
# The codes of signs and kana that another codec has where Big5 was extended.
_EXTENDED_BIG5 = range(0xC6A1, 0xC8FF)
_PLAIN_BIG5 = (range(0xA140, 0xC67F), range(0xC940, 0xF9D6))
# Names of CMaps without the direction at their ends, whose codes are UTF-16. These pypdf reads.
_UTF_16 = re.compile(r"Uni\w+-(?:UTF16|UCS2)(?:-HW)?")
_UTF = re.compile(r"Uni\w+-UTF(8|32)")
_DIRECTION = re.compile(r"(?:^|-)[HV]$")
_SPACE_RANGES = re.compile(rb"begincodespacerange(.*?)endcodespacerange", re.S)
_MAPPED = re.compile(rb"beginbf(char|range)(.*?)endbf", re.S)
_HEX = rb"<([0-9A-Fa-f\s]*)>"
_PAIR = re.compile(rb"%b\s*%b" % (_HEX, _HEX))
_RANGE = re.compile(rb"%b\s*%b\s*(?:%b|\[([^\]]*)\])" % (_HEX, _HEX, _HEX))
_ONE = re.compile(_HEX)
_SPACE = " ".encode("utf-16-be")
# The number of a glyph that no font has.
_NO_GLYPH = b"\xff\xff"
# A file may say that it maps millions of codes.
_MOST_MAPPED = 100_000


class _CMap(NamedTuple):
    """A predefined CMap: how codes are divided, and the codec of their characters ("": only ASCII is known).

    Codes of 7 bits are those of an EUC codec without their highest bits. `signs` are characters that the codec lacks.
    """

    codes: bytes
    codec: str
    is_seven_bit: bool = False
    signs: dict[int, str] = {}  # noqa: RUF012

    def character(self, code: bytes) -> str | None:
        """Return the character of a code; None if it is not known."""
        number = int.from_bytes(code, "big")
        if number in self.signs:
            return self.signs[number]
        if self.is_seven_bit:
            code = bytes(byte | 0x80 for byte in code) if len(code) == 2 else b""
        if not self.codec:
            return code.decode("ascii", "ignore") or None
        codec = self.codec
        if codec == "big5-et" and len(code) == 2:
            codec = "big5hkscs" if number in _EXTENDED_BIG5 else "cp950"
        elif codec == "big5-plain" and len(code) == 2 and not any(number in known for known in _PLAIN_BIG5):
            return None
        try:
            return code.decode("cp950" if codec.startswith("big5-") else codec)
        except UnicodeDecodeError:
            return None


def _predefined() -> dict[str, _CMap]:
    """Return the CMaps whose codes are not UTF-16, by their names without "-H" or "-V"; "" is "H" or "V"."""
    shift_jis = _CMap(_SHIFT_JIS, "shift_jis")
    cp932 = _CMap(_SHIFT_JIS, "cp932")
    mac_japanese = _CMap(_SHIFT_JIS, "shift_jis", signs=_JAPANESE_SIGNS)
    jis = _CMap(_TWO_BYTES, "euc_jp", is_seven_bit=True)
    euc_jp = _CMap(_EUC, "euc_jp")
    gbk = _CMap(_EUC, "gbk")
    cp949 = _CMap(_EUC, "cp949")
    big5 = _CMap(_EUC, "big5-et")
    plain_big5 = _CMap(_EUC, "big5-plain")
    hong_kong = _CMap(_EUC, "big5hkscs")
    korean_signs = {0x81: "₩", 0x82: "‐", 0x83: "©", 0xFE: "™", 0xFF: "…"}
    return {
        # Japanese.
        **dict.fromkeys(("83pv-RKSJ", "90pv-RKSJ"), mac_japanese),
        **dict.fromkeys(("90ms-RKSJ", "90msp-RKSJ", "78ms-RKSJ", "Ext-RKSJ"), cp932),
        **dict.fromkeys(("RKSJ", "78-RKSJ", "Add-RKSJ"), shift_jis),
        **dict.fromkeys(("EUC", "78-EUC"), euc_jp),
        **dict.fromkeys(("", "78", "Add", "Ext", "NWP"), jis),
        # Korean.
        "KSC": _CMap(_TWO_BYTES, "euc_kr", is_seven_bit=True),
        "KSC-EUC": _CMap(_EUC, "euc_kr"),
        "KSC-Johab": _CMap(_JOHAB, "johab"),
        "KSCpc-EUC": _CMap(rb"[\xa1-\xfd].|.", "euc_kr", signs=korean_signs),
        **dict.fromkeys(("KSCms-UHC", "KSCms-UHC-HW"), cp949),
        # Chinese in simplified characters; of GB/T 12345, whose characters no codec has, only ASCII.
        "GB": _CMap(_TWO_BYTES, "gbk", is_seven_bit=True),
        "GBpc-EUC": _CMap(_MAC, "gbk", signs=_SIGNS | {0x80: "ü"}),
        **dict.fromkeys(("GB-EUC", "GBK-EUC", "GBKp-EUC"), gbk),
        "GBK2K": _CMap(_FOUR_BYTES, "gb18030"),
        "GBT": _CMap(_TWO_BYTES, "", is_seven_bit=True),
        "GBT-EUC": _CMap(_EUC, ""),
        "GBTpc-EUC": _CMap(_MAC, "", signs=_SIGNS),
        # Chinese in traditional characters; of CNS 11643, which has no codec either, only ASCII.
        "B5pc": _CMap(_MAC, "big5-plain", signs=_SIGNS | {0x80: "\\"}),
        **dict.fromkeys(("ETen-B5", "ETenms-B5"), big5),
        **dict.fromkeys(("B5", "HKdla-B5", "HKdlb-B5", "HKgccs-B5", "HKm314-B5", "HKm471-B5"), plain_big5),
        **dict.fromkeys(("HKscs-B5", "ETHK-B5"), hong_kong),
        "CNS-EUC": _CMap(_TAIWAN, ""),
        **dict.fromkeys(("CNS1", "CNS2"), _CMap(_TWO_BYTES, "", is_seven_bit=True)),
    }


_PREDEFINED = _predefined()
_UNKNOWN = _CMap(_TWO_BYTES, "", is_seven_bit=True)


class Rewritten(NamedTuple):
    """A string for pypdf, which has U+FFFD for each code without a character.

    `codes` is how many codes it has, `unmapped` how many of them have no character.
    """

    string: bytes
    unmapped: int
    codes: int


class FontStrings(ABC):
    """Rewrites the strings of a composite font so that pypdf reads them rightly.

    `font` is what pypdf is given instead of the font of the file.
    """

    def __init__(self, font: DictionaryObject, cmap: _CMap, mapped: dict[int, str]) -> None:
        self.font = DictionaryObject(font)
        self._codes = re.compile(cmap.codes, re.S)
        self._cmap = cmap
        # The characters that the file itself maps codes to.
        self._mapped = mapped
        # The characters of the codes that were met, in UTF-16, and the codes among them that have none.
        self._characters: dict[bytes, bytes] = {}
        self._unmapped: set[bytes] = set()
        # The strings that were rewritten: mostly words or parts of words, which come again.
        self._rewritten: dict[bytes, Rewritten] = {}

    def codes(self, string: bytes) -> list[bytes]:
        """Return the codes of a string."""
        return self._codes.findall(string)

    def rewritten(self, string: bytes) -> Rewritten:
        """Return what pypdf is given instead of a string."""
        if string not in self._rewritten:
            codes = self.codes(string)
            for code in {*codes} - self._characters.keys():
                self._meet(code)
            unmapped = sum(code in self._unmapped for code in codes)
            self._rewritten[string] = Rewritten(self._written(codes), unmapped, len(codes))
        return self._rewritten[string]

    @abstractmethod
    def finish(self) -> None:
        """Make `font` fit the strings that were rewritten. Called before pypdf reads them."""

    @abstractmethod
    def _written(self, codes: list[bytes]) -> bytes:
        """Return what stands for codes in a string for pypdf."""

    def _meet(self, code: bytes) -> None:
        """Keep the character of a code; the file's own map goes before the CMap."""
        character = self._mapped.get(int.from_bytes(code, "big"))
        if character is None:
            character = self._cmap.character(code)
        if character is None:
            self._unmapped.add(code)
            character = _UNMAPPED
        self._characters[code] = character.encode("utf-16-be", "surrogatepass")


class UnicodeStrings(FontStrings):
    """Strings that are written as UTF-16, for a font whose codes are that."""

    def finish(self) -> None:
        self.font.pop("/ToUnicode", None)
        self.font[NameObject("/Encoding")] = NameObject("/UniJIS-UTF16-H")

    def _written(self, codes: list[bytes]) -> bytes:
        return b"".join([self._characters[code] for code in codes])


class GlyphStrings(FontStrings):
    """Strings of glyphs' numbers, which stay, for a font that maps those that were met: its widths are by number."""

    def __init__(self, font: DictionaryObject, mapped: dict[int, str]) -> None:
        super().__init__(font, _UNKNOWN, mapped)
        for number, character in mapped.items():
            # pypdf looks for the width of a space.
            if character == " " and number <= 0xFFFF:
                self._meet(number.to_bytes(2, "big"))

    def finish(self) -> None:
        lines = [f"<{code.hex()}> <{character.hex()}>" for code, character in self._characters.items()]
        if _SPACE not in self._characters.values():
            # pypdf takes the glyph of number 32 for a space else, and its width for that of one.
            lines.append(f"<{_NO_GLYPH.hex()}> <{_SPACE.hex()}>")
        stream = StreamObject()
        stream.set_data("\n".join(["beginbfchar", *lines, "endbfchar"]).encode())
        self.font[NameObject("/ToUnicode")] = stream

    def _written(self, codes: list[bytes]) -> bytes:
        return b"".join(codes)


def strings_of(font: DictionaryObject) -> FontStrings | None:
    """Return how the strings of a font are rewritten; None if pypdf reads them as they are."""
    if font.get("/Subtype") != "/Type0":
        return None
    encoding = resolved_entry(font, "/Encoding")
    to_unicode = resolved_entry(font, "/ToUnicode")
    mapped = _mapped_codes(to_unicode.get_data()) if isinstance(to_unicode, StreamObject) else {}
    if isinstance(encoding, StreamObject):
        names = [_plain_name(resolved_entry(encoding, key)) for key in ("/CMapName", "/UseCMap")]
        known = next((cmap for name in names if (cmap := _known(name)) is not None), None)
        return UnicodeStrings(font, known or _UNKNOWN._replace(codes=_codes_of(encoding.get_data())), mapped)
    name = _plain_name(encoding)
    if name is None or _UTF_16.fullmatch(name):
        return None
    if name != "Identity":
        return UnicodeStrings(font, _known(name) or _UNKNOWN, mapped)
    # A name instead of a map says that the numbers of glyphs are Unicode.
    return None if isinstance(to_unicode, NameObject) else GlyphStrings(font, mapped)


def codes_of_plain(string: bytes, *, is_composite: bool) -> list[bytes]:
    """Return the codes of a string that pypdf reads as it is: UTF-16 for a composite font, and bytes for others."""
    return re.findall(_UTF_16_CODES if is_composite else b".", string, re.DOTALL)


def _plain_name(name: object) -> str | None:
    """Return the name of a CMap without its direction; None if it is no name."""
    return _DIRECTION.sub("", name.removeprefix("/")) if isinstance(name, NameObject) else None


def _known(name: str | None) -> _CMap | None:
    """Return the CMap of a name without its direction; None if its characters are not known."""
    if name is None:
        return None
    if _UTF_16.fullmatch(name):
        return _CMap(_UTF_16_CODES, "utf-16-be")
    if (width := _UTF.fullmatch(name)) is not None:
        return _CMap(_UTF_8, "utf-8") if width[1] == "8" else _CMap(_UTF_32, "utf-32-be")
    return _PREDEFINED.get(name)


def resolved_entry(dictionary: DictionaryObject, key: str) -> Any:
    """Return the object of a dictionary's entry, wherever it lies in the file; None if there is none."""
    entry = dictionary.get(key)
    return entry.get_object() if isinstance(entry, PdfObject) else None


def _mapped_codes(cmap: bytes) -> dict[int, str]:
    """Return the characters that a file maps codes to."""
    mapped: dict[int, str] = {}
    for kind, entries in _MAPPED.findall(cmap):
        pairs = _PAIR.findall(entries) if kind == b"char" else _ranges(entries)
        for code, character in pairs:
            if len(mapped) >= _MOST_MAPPED:
                return mapped
            number = code if isinstance(code, int) else _number(code)
            mapped[number] = character if isinstance(character, str) else _text(character)
    return mapped


def _ranges(entries: bytes) -> Iterator[tuple[int, str]]:
    """Yield the codes of a CMap's ranges, as numbers, and their characters.

    A range gives a list with the characters of each code, or only those of its first code. In the second case each
    further code has the same characters, but the last one is the next in Unicode.
    """
    for first_code, last_code, first_character, characters in _RANGE.findall(entries):
        first = _number(first_code)
        last = _number(last_code)
        if characters:
            for index, character in enumerate(_ONE.findall(characters)):
                yield first + index, _text(character)
        elif text := _text(first_character):
            for index in range(min(last - first + 1, _MOST_MAPPED)):
                yield first + index, text[:-1] + chr(min(ord(text[-1]) + index, 0x10FFFF))


def _codes_of(cmap: bytes) -> bytes:
    """Return the pattern of the codes of a CMap; two bytes if it does not say."""
    patterns = set()
    for entries in _SPACE_RANGES.findall(cmap):
        for first, last in _PAIR.findall(entries):
            ends = zip(bytes.fromhex(_digits(first)), bytes.fromhex(_digits(last)), strict=False)
            patterns.add(b"".join(rb"[\x%02x-\x%02x]" % (min(low, high), max(low, high)) for low, high in ends))
    if not patterns:
        return _TWO_BYTES
    return b"|".join([*sorted(patterns, key=lambda pattern: (-len(pattern), pattern)), b"."])


def _number(digits: bytes) -> int:
    return int(_digits(digits) or "0", 16)


def _text(digits: bytes) -> str:
    return bytes.fromhex(_digits(digits)).decode("utf-16-be", "replace")


def _digits(digits: bytes) -> str:
    """Return hexadecimal digits without spaces; their number is even."""
    plain = b"".join(digits.split()).decode()
    return plain if len(plain) % 2 == 0 else f"0{plain}"

"""Decodes text files whose encoding is not declared, in a process with limits: a guess takes memory.

UTF-8, byte-order marks and UTF-16 come first, then UTF-8 of which some bytes are damaged, then Western text, by where
its accented letters and signs stand. Among other encodings, chardet's confidence decides, together with the language of
the window, and kana.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from typing import NamedTuple

# The mark of UTF-32 begins with the mark of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
# Control characters other than tabs, line ends and form feeds.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile(r"[\u3041-\u30fe]")
# The beginning of a character of UTF-8 at the end of a file.
_CUT = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
# For each byte that is not UTF-8, a damaged text in UTF-8 has this many characters of several bytes. In texts in other
# encodings some bytes look like such characters: in a few words twice as many as others, in a few lines half as many.
_SURELY = 4
_MAYBE = 1
# With a mark at the beginning, any number is enough.
_MARKED = 0
# What codecs read bytes as that mean nothing in their encodings.
_MEANINGLESS = re.compile(r"[\x80-\x9f\ue000-\uf8ff]")
# Accented letters, which have ASCII neighbours, look like single characters or narrow kana.
_WIDE_WORD = re.compile(r"[^\x00-\x7f\uff61-\uff9f]{2}")
# Zeros inside a line.
_ZEROS_INSIDE = re.compile(rb"(?<=[^\0\r\n])\0+(?=[^\0\r\n])")
# A single zero inside a line.
_ONE_ZERO = re.compile(rb"[^\0\r\n]\0[^\0\r\n]")
# Where an archive says that it is one: its zeros stand between texts.
_TAR_MARK = slice(257, 262)
# From Greek to Thai.
_OTHER_LETTERS = re.compile(r"[\u0370-\u0e7f]")
_ELISION = re.compile(r"(?i)\b([cdjlmnost]|qu|jusqu|lorsqu|puisqu|aujourd|un|all|dall|dell|nell|quell|quest|sull)’")
_ACCENTED = "À-ÖØ-öø-ÿŒœ"
_SIGNS = "‘’“”„‹›«»–—…•·©®™§¶°ªº±×÷¹²³½¼¾µ€£¥¢¿¡\xa0"
_LETTER = f"[A-Za-z{_ACCENTED}]"
# What Western European languages do not write: then the text was in another encoding.
_NOT_WESTERN = re.compile(
    rf"""
    [^\x00-\x7f{_ACCENTED}{_SIGNS}] | [ðþýÿÐÞÝ]
    # Capitals among small letters, and the reverse.
    | [a-zß-öø-ÿœ][À-ÖØ-ÞŒ] | [A-Z]{{2}}[à-öø-ÿœ] | [à-öø-ÿœ][A-Z]
    # Words of accented letters only, or with three in a row, and most of one letter.
    | [{_ACCENTED}]{{3}} | (?<!{_LETTER})[{_ACCENTED}]{{2}}(?!{_LETTER})
    | (?<!{_LETTER})[^\x00-\x7f{_SIGNS}àáâåéèêíóòôöøæÀÅÉÈÖØ](?!{_LETTER})
    | [{_SIGNS}][{_ACCENTED}](?!{_LETTER}) | (?<!{_LETTER})[{_ACCENTED}][{_SIGNS}]
    # Letters that have only some neighbours in Italian, Spanish, French, Portuguese and Norwegian.
    | [ìòù](?={_LETTER}) | ñ(?![aeiouáéíóú]) | ç(?=[b-df-hj-np-tv-z]) | õ(?!e) | ã(?![oes]|\b) | œ(?![ui])
    | [åæø](?=[{_ACCENTED}]) | Å(?=[iju]|v\b)
    # Signs between letters, but for apostrophes, and for dashes between words.
    | (?<={_LETTER})[^\w\x00-\x7f–—…](?={_LETTER})(?<!’(?=[stdm]\b))(?<!’(?=re\b|ll\b|ve\b))
    | (?<!{_LETTER}){_LETTER}[–—…](?={_LETTER}) | (?<={_LETTER})[–—…]{_LETTER}(?!{_LETTER})
    # Signs before or after what they are not written with.
    | (?!°[CF]\b)[•·©®™§¶°ªº±×÷¹²³½¼¾€£¥¢](?={_LETTER}) | (?<={_LETTER})[•·§¶±×÷½¼¾€£¥¢]
    | (?<![0-9nN])[ªº] | (?<![0-9nN\s])° | (?<!\w)[¹²³] | (?<=\w)[¿¡] | [¿¡](?!{_LETTER})
    """,
    re.VERBOSE,
)


class DecodedText(NamedTuple):
    """The text of a file. `encoding` is the name of its encoding if that was guessed, else ""."""

    text: str
    encoding: str = ""


class _EastAsian(NamedTuple):
    """An East Asian encoding: Python's codec of a superset, the name to show, and the language of its texts."""

    codec: str
    label: str
    language: str


class _Guess(NamedTuple):
    """An encoding by chardet's name, and chardet's confidence in it, weighted."""

    name: str
    worth: float


# East Asian encodings by chardet's names.
_EAST_ASIAN = {
    "CP949": _EastAsian("cp949", "EUC-KR", "ko"),
    "CP932": _EastAsian("cp932", "Shift_JIS", "ja"),
    "EUC-JP": _EastAsian("euc_jp", "EUC-JP", "ja"),
    "GB18030": _EastAsian("gb18030", "GB18030", "zh_CN"),
    "Big5": _EastAsian("cp950", "Big5", "zh_TW"),
}
# Encodings that are ruled out before or are subsets of others, and rare ones that short texts may resemble.
_NEVER = (
    "utf-8",
    "euc_kr",
    "shift_jis_2004",
    "tis-620",
    "iso8859-1",
    "johab",
    "cp1258",
    "mac-iceland",
    "iso8859-3",
    "iso8859-4",
    "iso8859-10",
    "iso8859-14",
    "iso8859-16",
)
# Factors for encodings of the window's language, and for the most common encoding of accented text.
_HOME = 2.0
_COMMON = 1.35
# A factor for EUC-JP, whose common kanji all come before those that few texts in Chinese do without.
_EARLY = 2.5
_LATE = "小".encode("gb18030")
# The least confidence. A line of text mostly has ten times as much, random bytes and accented capitals have less.
_PLAUSIBLE = 0.02
_PLAUSIBLE_ACCENTED = 0.002


def decode(content: bytes, language: str = "") -> DecodedText | None:
    """Return a file's text; None if it is no text. An encoding is guessed for the window's `language`.

    In UTF-8, each byte that is not UTF-8 is read as U+FFFD; bytes of value 0 are passed over.
    """
    for mark, codec in _MARKS.items():
        if content.startswith(mark):
            return _decoded_after_mark(content, codec)
    if b"\x1b$" in content and content.isascii() and (text := _decoded(content, "iso2022_jp")) is not None:
        return DecodedText(text, "ISO-2022-JP")
    text = _decoded(content, "utf-8")
    if text is not None and "\0" not in text:
        return DecodedText(text)
    # Every other byte of a text in UTF-16 that is mostly ASCII is 0.
    for codec, high_bytes in (("utf-16-le", content[1::2]), ("utf-16-be", content[::2])):
        text = _decoded(content, codec) if 2 * high_bytes.count(0) > len(high_bytes) else None
        if text is not None and has_no_controls(text.encode()):
            return DecodedText(text, codec.upper())
    if (text := _damaged_utf8(content, _SURELY)) is not None:
        return DecodedText(text)
    return _guessed(content, language) if has_no_controls(content) else None


def unreadable_bytes(content: bytes, text: str) -> int:
    """Return how many bytes of a file in UTF-8 are read as U+FFFD in its text, or passed over."""
    if content.startswith(tuple(mark for mark in _MARKS if mark != codecs.BOM_UTF8)):
        return 0
    return content.count(0) + max(0, text.count("\ufffd") - content.count("\ufffd".encode()))


def has_no_controls(content: bytes) -> bool:
    """Return whether these bytes may be text in some encoding."""
    return not _CONTROLS.search(content)


def _decoded_after_mark(content: bytes, codec: str) -> DecodedText | None:
    """Decode text that begins with a byte-order mark. UTF-16 may end inside a character, UTF-8 may be damaged."""
    text = _decoded(content, codec)
    if codec == "utf-16":
        if text is None and (text := _decoded(content[:-1], codec)) is not None:
            text += "\ufffd"
    elif codec == "utf-8-sig" and (text is None or "\0" in text):
        text = _damaged_utf8(content.removeprefix(codecs.BOM_UTF8), _MARKED)
    return None if text is None or "\0" in text else DecodedText(text)


def _damaged_utf8(content: bytes, times: int) -> str | None:
    """Return the text of a file in UTF-8 that has some bytes which are not UTF-8; None if it is not plainly that.

    It has at least `times` characters of several bytes for each such byte. It may end inside a character, if it has two
    others.
    """
    if b"\0" in content:
        plain = _without_zeros(content)
        if plain is None:
            return None
        content = plain
    text = content.decode("utf-8", "replace")
    damaged = text.count("\ufffd") - content.count("\ufffd".encode())
    whole = len(_FOREIGN.findall(text)) - damaged
    least = 0
    if _CUT.search(content):
        damaged -= 1
        least = 2
    return text if whole >= max(least, times * damaged) else None


def _without_zeros(content: bytes) -> bytes | None:
    """Return a text without its bytes of value 0, of which logs have runs after a crash; None for what is no text.

    A line feed takes the place of a run inside a line. Files that are no text have single zeros, mostly zeros, or other
    control characters.
    """
    plain = _ZEROS_INSIDE.sub(b"\n", content).replace(b"\0", b"")
    # Logs have ESC before the codes of colours.
    is_binary = content[_TAR_MARK] == b"ustar" or _ONE_ZERO.search(content) is not None
    if is_binary or len(content) > 2 * len(plain) or not has_no_controls(plain.replace(b"\x1b", b"")):
        return None
    return plain


def _guessed(content: bytes, language: str) -> DecodedText | None:
    """Decode a text without a declared encoding, by the surest signs first; None if nothing is plausible."""
    decoded = _with_kana(content) or _western(content)
    if decoded is not None:
        return decoded
    mended = _damaged_utf8(content, _MAYBE)
    if mended is not None and not any(_has_words(content, encoding.codec) for encoding in _EAST_ASIAN.values()):
        return DecodedText(mended)
    return _most_likely(content, language)


def _with_kana(content: bytes) -> DecodedText | None:
    """Decode a Japanese text that is mostly kana. In short ones the first bytes vary too little for chardet."""
    for encoding in (_EAST_ASIAN["CP932"], _EAST_ASIAN["EUC-JP"]):
        text = _decoded(content, encoding.codec)
        if text is not None and 2 * len(_KANA.findall(text)) > len(_FOREIGN.findall(text)):
            return DecodedText(text, encoding.label)
    return None


def _western(content: bytes) -> DecodedText | None:
    """Decode a text all of whose accented letters and signs stand where Western European languages have them."""
    for codec, label in (("cp1252", "Windows-1252"), ("mac_roman", "MacRoman")):
        text = _decoded(content, codec)
        if text is not None and not _NOT_WESTERN.search(_ELISION.sub(r"\1 ", text)):
            return DecodedText(text, label)
    return None


def _most_likely(content: bytes, language: str) -> DecodedText | None:
    """Decode a text in the encoding that chardet finds most likely, weighted, among those that can be right."""
    worths = {guess.name: guess.worth for guess in _guesses(content, language)}
    has_accents = _has_accents(content)
    for name, worth in sorted(worths.items(), key=lambda pair: pair[1], reverse=True):
        is_east_asian = name in _EAST_ASIAN
        codec = _EAST_ASIAN[name].codec if is_east_asian else name
        label = _EAST_ASIAN[name].label if is_east_asian else name
        is_accented = has_accents and not is_east_asian
        text = _decoded(content, codec)
        least_worth = _PLAUSIBLE_ACCENTED if is_accented else _PLAUSIBLE
        if text is None or worth < least_worth:
            continue
        if name == "GB18030" and _EARLY * worths.get("EUC-JP", 0.0) > worth and _has_only_early_signs(text):
            return DecodedText(content.decode("euc_jp", "replace"), "EUC-JP")
        if not (is_accented and _OTHER_LETTERS.search(text)):
            return DecodedText(text, label)
    return None


def _has_accents(content: bytes) -> bool:
    """Return whether most bytes that are not ASCII have ASCII neighbours; in other alphabets, whole words have none."""
    runs = _FOREIGN_RUN.findall(content)
    return sum(map(len, runs)) < 2 * len(runs)


def _has_only_early_signs(text: str) -> bool:
    """Return whether a Chinese text lacks the signs that few such texts do without, so that it may be Japanese."""
    return all(sign.encode("gb18030") < _LATE for sign in _FOREIGN.findall(text))


def _guesses(content: bytes, language: str) -> Iterator[_Guess]:
    """Yield the encodings that chardet takes for possible, by the lines that are not ASCII.

    Each is worth chardet's confidence, times the factor that it has in a window in `language`.
    """
    # Imported here because most files are UTF-8.
    from chardet import EncodingEra, detect_all

    # chardet reads only the first part, so lines in ASCII are left out.
    telling = b"\n".join(line for line in content.splitlines() if not line.isascii())
    # chardet takes a text that begins with "BM" for a picture, so a line feed comes first.
    telling = b"\n" + telling
    # If chardet finds nothing it answers "ascii", which cannot decode these lines and so is passed over later.
    eras = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO | EncodingEra.LEGACY_MAC | EncodingEra.DOS
    answers = detect_all(
        telling, ignore_threshold=True, encoding_era=eras, exclude_encodings=_NEVER, no_match_encoding="ascii"
    )
    for answer in answers:
        name = answer["encoding"]
        if name is not None:
            yield _Guess(name, _weight(name, language) * answer["confidence"])


def _weight(name: str, language: str) -> float:
    """Return the factor for chardet's confidence in an encoding, in a window in a language."""
    if name in _EAST_ASIAN and language.startswith(_EAST_ASIAN[name].language):
        return _HOME
    return _COMMON if name == "Windows-1252" else 1.0


def _has_words(content: bytes, codec: str) -> bool:
    """Return whether all bytes mean something in an East Asian encoding, and some are a word."""
    text = _decoded(content, codec)
    return text is not None and not _MEANINGLESS.search(text) and _WIDE_WORD.search(text) is not None


def _decoded(content: bytes, codec: str) -> str | None:
    """Return the text that these bytes are in an encoding; None if they are not."""
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None

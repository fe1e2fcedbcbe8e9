"""Decodes text files whose encoding is not declared, in a process with limits: a guess takes memory.

UTF-8, byte-order marks and UTF-16 come first, then UTF-8 of which some bytes are damaged, then Western text, by where
its accented letters and signs stand. Among other encodings, chardet's confidence decides, together with the language of
the window, and kana.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
# Control characters other than tabs, line ends and form feeds.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
_FOREIGN_RUN = re.compile(rb"[\x80-\xff]+")
_KANA = re.compile(r"[\u3041-\u30fe]")
# The beginning of a character of UTF-8 at the end of a file.
_CUT = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})\Z")
# How many characters of several bytes a text in UTF-8 has for each byte that is none of it. In texts in other encodings
# some bytes look like such characters: in a few words twice as many as others, in a few lines half as many.
_SURELY, _MAYBE, _MARKED = 4, 1, 0
# What codecs read bytes as that mean nothing in their encodings.
_MEANINGLESS = re.compile(r"[\x80-\x9f\ue000-\uf8ff]")
# Accented letters, which have ASCII neighbours, look like single characters or narrow kana.
_WIDE_WORD = re.compile(r"[^\x00-\x7f\uff61-\uff9f]{2}")
# Zeros between text of one line, and only one.
_ZEROS_INSIDE = re.compile(rb"(?<=[^\0\r\n])\0+(?=[^\0\r\n])")
_ONE_ZERO = re.compile(rb"[^\0\r\n]\0[^\0\r\n]")
# Where an archive says that it is one: its zeros stand between texts.
_TAR_MARK = slice(257, 262)
# From Greek to Thai.
_OTHER_LETTERS = re.compile(r"[\u0370-\u0e7f]")
_ELISION = re.compile(r"(?i)\b([cdjlmnost]|qu|jusqu|lorsqu|puisqu|aujourd|un|all|dall|dell|nell|quell|quest|sull)’")
_ACCENTED, _SIGNS = "À-ÖØ-öø-ÿŒœ", "‘’“”„‹›«»–—…•·©®™§¶°ªº±×÷¹²³½¼¾µ€£¥¢¿¡\xa0"
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
# chardet's names of encodings: Python's name of a superset, the name to show, and the language.
_EAST_ASIAN = {
    "CP949": ("cp949", "EUC-KR", "ko"),
    "CP932": ("cp932", "Shift_JIS", "ja"),
    "EUC-JP": ("euc_jp", "EUC-JP", "ja"),
    "GB18030": ("gb18030", "GB18030", "zh_CN"),
    "Big5": ("cp950", "Big5", "zh_TW"),
}
# Encodings that are ruled out before or are subsets of others, and rare ones that short texts may resemble.
_NEVER: tuple[str, ...] = ("utf-8", "euc_kr", "shift_jis_2004", "tis-620", "iso8859-1", "johab", "cp1258")
_NEVER += ("mac-iceland", "iso8859-3", "iso8859-4", "iso8859-10", "iso8859-14", "iso8859-16")
# Factors for encodings of the window's language, and for the most common encoding of accented text.
_HOME, _COMMON = 2.0, 1.35
# A factor for EUC-JP, whose common kanji all come before those that few texts in Chinese do without.
_EARLY = 2.5
_LATE = "小".encode("gb18030")
# The least confidence. A line of text mostly has ten times as much, random bytes and accented capitals have less.
_PLAUSIBLE, _PLAUSIBLE_ACCENTED = 0.02, 0.002


def decode(content: bytes, language: str = "") -> tuple[str, str] | None:
    """Return a file's text, and its encoding if that was guessed for the window's `language`; None if it is no text.

    In UTF-8, each byte that is not UTF-8 is read as U+FFFD; bytes of value 0 are passed over.
    """
    for mark, codec in _MARKS.items():
        if content.startswith(mark):
            return _marked(content, codec)
    if b"\x1b$" in content and content.isascii() and (text := _decoded(content, "iso2022_jp")) is not None:
        return text, "ISO-2022-JP"
    text = _decoded(content, "utf-8")
    if text is not None and "\0" not in text:
        return text, ""
    for codec, zeros in (("utf-16-le", content[1::2]), ("utf-16-be", content[::2])):
        # Every other byte of a text that is mostly ASCII is 0.
        text = _decoded(content, codec) if 2 * zeros.count(0) > len(zeros) else None
        if text is not None and has_no_controls(text.encode()):
            return text, codec.upper()
    if (text := _damaged_utf8(content, _SURELY)) is not None:
        return text, ""
    return _guessed(content, language) if has_no_controls(content) else None


def unreadable_bytes(content: bytes, text: str) -> int:
    """Return how many bytes of a file in UTF-8 are read as U+FFFD in its text, or passed over."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return 0
    return content.count(0) + max(0, text.count("\ufffd") - content.count("\ufffd".encode()))


def _marked(content: bytes, codec: str) -> tuple[str, str] | None:
    """Decode text that begins with a byte-order mark. UTF-16 may end inside a character, UTF-8 may be damaged."""
    text = _decoded(content, codec)
    if codec == "utf-16":
        if text is None and (text := _decoded(content[:-1], codec)) is not None:
            text += "\ufffd"
    elif text is None or "\0" in text:
        text = _damaged_utf8(content.removeprefix(codecs.BOM_UTF8), _MARKED)
    return None if text is None or "\0" in text else (text, "")


def _damaged_utf8(content: bytes, times: int) -> str | None:
    """Return the text of a file in UTF-8 of which some bytes are not; None if it has not so many `times` as many
    characters of several bytes. It may end inside a character, if it has two others.
    """
    if b"\0" in content:
        # Logs have runs of them after a crash. What else has them has single ones, or other control characters.
        plain = _ZEROS_INSIDE.sub(b"\n", content).replace(b"\0", b"")
        is_binary = content[_TAR_MARK] == b"ustar" or _ONE_ZERO.search(content) is not None
        if is_binary or len(content) > 2 * len(plain) or not has_no_controls(plain.replace(b"\x1b", b"")):
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


def has_no_controls(content: bytes) -> bool:
    """Return whether these bytes may be text in some encoding."""
    return not _CONTROLS.search(content)


def _guessed(content: bytes, language: str) -> tuple[str, str] | None:
    # chardet does not recognise short texts in kana, whose first bytes vary too little.
    for codec, label, _ in (_EAST_ASIAN["CP932"], _EAST_ASIAN["EUC-JP"]):
        text = _decoded(content, codec)
        if text is not None and 2 * len(_KANA.findall(text)) > len(_FOREIGN.findall(text)):
            return text, label
    for codec, label in (("cp1252", "Windows-1252"), ("mac_roman", "MacRoman")):
        text = _decoded(content, codec)
        if text is not None and not _NOT_WESTERN.search(_ELISION.sub(r"\1 ", text)):
            return text, label
    mended = _damaged_utf8(content, _MAYBE)
    if mended is not None and not any(_has_words(content, codec) for codec, _, _ in _EAST_ASIAN.values()):
        return mended, ""
    # Most accented letters have ASCII neighbours; in other alphabets whole words are not ASCII.
    runs = _FOREIGN_RUN.findall(content)
    stand_alone = sum(map(len, runs)) < 2 * len(runs)
    worths = {name: worth for worth, name in _guesses(content, language)}
    for name, worth in sorted(worths.items(), key=lambda one: one[1], reverse=True):
        codec, label, _ = _EAST_ASIAN.get(name, (name, name, ""))
        is_accented = stand_alone and name not in _EAST_ASIAN
        text = _decoded(content, codec)
        if text is None or worth < (_PLAUSIBLE_ACCENTED if is_accented else _PLAUSIBLE):
            continue
        is_early = name == "GB18030" and all(one.encode("gb18030") < _LATE for one in _FOREIGN.findall(text))
        if is_early and _EARLY * worths.get("EUC-JP", 0.0) > worth:
            return content.decode("euc_jp", "replace"), "EUC-JP"
        if not (is_accented and _OTHER_LETTERS.search(text)):
            return text, label
    return None


def _guesses(content: bytes, language: str) -> Iterator[tuple[float, str]]:
    """Yield weighted confidences of encodings for the lines that are not ASCII, with chardet's names."""
    # Imported here because most files are UTF-8.
    from chardet import EncodingEra, detect_all

    # chardet reads only the first part: leave out ASCII lines. The line feed keeps "BMP" from looking like a picture.
    telling = b"\n" + b"\n".join(line for line in content.splitlines() if not line.isascii())
    eras = EncodingEra.MODERN_WEB | EncodingEra.LEGACY_ISO | EncodingEra.LEGACY_MAC | EncodingEra.DOS
    found = detect_all(
        telling, ignore_threshold=True, encoding_era=eras, exclude_encodings=_NEVER, no_match_encoding="ascii"
    )
    for guess in found:
        if (name := guess["encoding"]) is not None:
            is_home = name in _EAST_ASIAN and language.startswith(_EAST_ASIAN[name][2])
            weight = _HOME if is_home else _COMMON if name == "Windows-1252" else 1.0
            yield weight * guess["confidence"], name


def _has_words(content: bytes, codec: str) -> bool:
    """Return whether all bytes mean something in an East Asian encoding, and some are a word."""
    text = _decoded(content, codec)
    return text is not None and not _MEANINGLESS.search(text) and _WIDE_WORD.search(text) is not None


def _decoded(content: bytes, codec: str) -> str | None:
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None

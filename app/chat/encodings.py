"""Which encoding a text file is in that does not say it. No Qt in here.

UTF-8 and byte-order marks speak for themselves. What is left are the encodings that systems wrote before: each that
reads the file without an error is judged by how much of the result people of its language write every day. Of a wrong
reading that is next to nothing, for its characters are as good as drawn by lot.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Of these, texts have tabs, line ends and form feeds.
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")
# Of so many characters the language is known as well as of all.
_JUDGED = 20_000
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
# A text that has so many whole characters of several bytes is in UTF-8, even where it ends inside one.
_ENOUGH = 2
# What a reading must be worth; wrong ones come to less than half of it.
_PLAUSIBLE = 0.3
# Where two readings are as likely, the language of the window tips the scales.
_HOME = 0.1
# A character that is one of the language's few thousand, but not of its most common ones.
_USUAL = 0.35
# Letters with accents stand alone among others; where two bytes make a character, there are runs of them.
_LONGEST_RUN = 2
_WESTERN_WORTH = 0.7
# Hardly any Japanese text has no kana.
_WITHOUT_KANA = 0.8
# What most East Asian sets have in the same places says nothing.
_SHARED = re.compile(r"[\u3000-\u303f\uff00-\uff60\uffe0-\uffef\u2010-\u2026·]")

_HANGUL = (
    "이다의는에을가고로은하지를한기사어리도자나대서시그인정아있수해보부들라제일안과만요장오주스것상음내거면원으게전구비여트미공소신동"
    "무경우세유적생용마모성조치각문회조학드간성년월름명호번화설터력연방실관할록되단말국선물계중행분등진위려야직업바습니까않없었김박"
    "최임윤강산금출입"
)
_KANA = "".join(map(chr, range(0x3041, 0x30FF)))
_KANJI = (
    "日一人年大会国本中出時事者社行月分見上今生間前方後自場手力学問高市部合用者内名入子気地来話下同知新文書定物言表法動田業意長"
    "氏佐藤山木村太郎花東京都県区町番号電話数字語読体設何回質対性的化使全明最当要考記開連"
)
_SIMPLIFIED = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经"
    "么去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日月日号第姓名龄性别电话王李张刘陈杨红明文件数据"
    "模型公司问题什吗请把给让很谢字表务工"
)
_TRADITIONAL = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經"
    "麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日月號第姓名齡性別電話王李張劉陳楊紅明文件數據"
    "模型公司問題什嗎請把給讓很謝字表務工與關新"
)


@dataclass(frozen=True)
class _Reading:
    codec: str
    label: str
    language: str
    worth: Callable[[str], float]


def decode(content: bytes, language: str = "") -> tuple[str, str] | None:
    """The text of a file, and the encoding's name where that was a guess ("" where it was not); None where it is no
    text in any encoding known here. `language` is the window's, such as "ko" or "zh_CN".
    """
    for mark, codec in _MARKS:
        if content.startswith(mark):
            text = _decoded(content, codec)
            return None if text is None or "\0" in text else (text, "")
    if b"\x1b$" in content and content.isascii() and (text := _decoded(content, "iso2022_jp")) is not None:
        return text, "ISO-2022-JP"
    text = _decoded(content, "utf-8")
    if text is not None:
        return None if "\0" in text else (text, "")
    if not has_no_controls(content):
        return None
    cut = _cut_short(content)
    return _guessed(content, language) if cut is None else (cut, "")


def has_no_controls(content: bytes) -> bool:
    """Whether this may be a text, in whichever encoding."""
    return not _CONTROLS.search(content)


def _guessed(content: bytes, language: str) -> tuple[str, str] | None:
    worths: list[tuple[float, str, str]] = []
    for reading in _READINGS:
        if (text := _decoded(content, reading.codec)) is not None:
            home = _HOME if reading.language and language.startswith(reading.language) else 0.0
            worths.append((reading.worth(_telling(text)) + home, text, reading.label))
    best = max(worths, key=lambda judged: judged[0], default=None)
    return None if best is None or best[0] < _PLAUSIBLE else best[1:]


def _telling(text: str) -> str:
    """What tells one reading of a file from another: its characters beyond ASCII, in their runs."""
    length, runs = 0, []
    for match in _FOREIGN.finditer(text):
        runs.append(match[0])
        length += len(match[0])
        if length >= _JUDGED:
            break
    return " ".join(runs)[:_JUDGED]


def _cut_short(content: bytes) -> str | None:
    """UTF-8 whose last character is not all there, with a sign in its place."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return None
    return f"{text}\ufffd" if sum(map(len, _FOREIGN.findall(text))) >= _ENOUGH else None


def _decoded(content: bytes, codec: str) -> str | None:
    try:
        return content.decode(codec)
    except UnicodeDecodeError:
        return None


def _share(common: str, is_usual: Callable[[str], bool]) -> Callable[[str], float]:
    """How much of a text people write every day, from 0 to 1."""
    often = frozenset(common)

    def worth(text: str) -> float:
        telling = [sign for sign in text if not sign.isascii() and not _SHARED.match(sign)]
        points = sum(1.0 if sign in often else _USUAL * is_usual(sign) for sign in telling)
        return points / len(telling) if telling else _PLAUSIBLE

    return worth


def _within(codec: str, first: int, last: int) -> Callable[[str], bool]:
    """Whether a character is in the part of a set that holds its more common ones, by its first byte."""

    def within(sign: str) -> bool:
        try:
            return first <= sign.encode(codec)[0] <= last
        except UnicodeEncodeError:
            return False

    return within


_of_kanji = _share(_KANJI + _KANA, _within("cp932", 0x88, 0x97))


def _japanese(text: str) -> float:
    return _of_kanji(text) * (1.0 if any(sign in _KANA for sign in text) else _WITHOUT_KANA)


def _western(text: str) -> float:
    runs = [match[0] for match in _FOREIGN.finditer(text)]
    alone = sum(len(run) for run in runs if len(run) <= _LONGEST_RUN)
    letters = sum(sign.isalpha() or sign in "«»“”‘’„–—…°§€£¿¡ªº×•\xa0" for run in runs for sign in run)
    total = sum(map(len, runs))
    return _WESTERN_WORTH * alone * letters / total**2


_READINGS = (
    _Reading("cp949", "EUC-KR", "ko", _share(_HANGUL, _within("euc_kr", 0xB0, 0xC8))),
    _Reading("cp932", "Shift_JIS", "ja", _japanese),
    _Reading("euc_jp", "EUC-JP", "ja", _japanese),
    _Reading("gb18030", "GB18030", "zh_CN", _share(_SIMPLIFIED, _within("gb2312", 0xB0, 0xD7))),
    _Reading("cp950", "Big5", "zh_TW", _share(_TRADITIONAL, _within("cp950", 0xA4, 0xC6))),
    _Reading("cp1252", "Windows-1252", "", _western),
)

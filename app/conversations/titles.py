"""Titles a chat after its first exchange, in four languages and without a model.

The title is the first sentence without its opening courtesies ("could you please"), closing ones ("알려 주세요",
"を教えてください") and markup, cut at a word. For a question without a subject (a greeting, a page of code), it is the
answer's heading, if there is one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from app.text.shown import Paragraph, shown, texts_of, words_of
from app.text.thinking import parts_of

# The longest title, in columns, without the "…" of a title that was cut. A Chinese, Japanese or Korean character takes
# two columns.
WIDEST = 48
# A longer question, in characters, is titled after its answer's heading, if there is one.
_LONG_QUESTION = 400
# How many characters are searched for a title: nobody waits for a pasted book to be parsed.
_READ = 4000
_SENTENCE_READ = 200

# Not compiled here, so that importing this module stays fast.
_ADDRESS = r"https?://\S+"
# A full stop ends a sentence only before a space, so that "3.14" and "main.py" stay whole.
_SENTENCE_END = r"[。！？!?]+|\.+(?=\s|$)"

_ASKED_ZH = r"(帮我|给我|告诉我)"
# English courtesies before a verb, and those before what is asked about. The latter stay if only one word would follow:
# "Tell me all" is no chat about "all".
_BEFORE_A_VERB = r"""(?ix)^(
        please[,\s]+ |
        (can|could|would|will)\s+you\s+(please\s+)?(help\s+me\s+(to\s+)?)?(?!(tell|show|give)\s+me\b) |
        i\s+(want|need|would\s+like)\s+you\s+to\s+ | i'd\s+like\s+you\s+to\s+ |
        help\s+me\s+to\s+
    )"""
_BEFORE_A_SUBJECT = r"""(?ix)^(
        (hi|hello|hey)(\s+there)?\s*[,!.]\s+ |
        ((can|could|would|will)\s+you\s+(please\s+)?)?(tell|show|give)\s+me\s+((about|of)\s+|(?=\S+\s+\S)) |
        (i\s+(want|need|would\s+like)|i'd\s+like)\s+to\s+(know\s+)?(?=\S+\s+\S) |
        help\s+me\s+(?=\S+\s+\S)
    )"""
_OTHER_OPENINGS = rf"""(?x)^(
        안녕(하세요)?[,!.\s]+ | 혹시\s+ | 저기[,\s]+ |
        こんにちは[、。!！\s]+ | すみません[、。\s]* |
        你好[，,。!！\s]+ | 请问[，,\s]* | 麻烦(你|您)?[，,\s]* |
        (你|您)?(能不能|可不可以|可以|能){_ASKED_ZH} | 请?{_ASKED_ZH} | 请(?=\S)
    )"""
# Words at the start of a title that are never names.
_NO_NAME = r"(a|an|the|my|our|some|all|how|if|what|when|where|whether|which|who|whose|why)\b"
_VERBS_KO = "(알려|설명해|가르쳐|말해|도와|보여|써|만들어|작성해|번역해|요약해|정리해)"
_CLOSINGS = rf"""(?ix)(
        [,\s]+(please|thanks|thank\s+you) |
        \s*(에\s*대해서?|에\s*관해서?)?\s*(좀\s+)?(자세히\s+|간단히\s+)?
            {_VERBS_KO}\s*(줘요?|주세요|주실래요|주시겠어요|줄래요?) |
        \s*(부탁해요?|부탁드려요|부탁드립니다) |
        (について|に関して|のことを?|を)?(詳しく|簡単に)?
            (教えて|説明して|見せて)(ください|下さい|もらえますか|くれますか|ほしいです|くれ)? |
        を?お願い(します|致します) |
        [，,\s]*(谢谢(你|您)?|好吗|可以吗|行吗)
    )[\s.。!！?？]*$"""
_GREETING = (
    r"(?i)(hi|hello|hey|yo|good (morning|evening|afternoon)|thanks|test|ok"
    r"|안녕(하세요|하십니까)?|여보세요|반가워요?"
    r"|こんにちは|こんばんは|おはよう(ございます)?|はじめまして"
    r"|你好|您好|早上好|晚上好|在吗|嗨)( there)?[\s.!?~,。！？、，]*"
)
_TRIMMED = " \t\r\n,;:，、；：.。…\"'“”‘’「」『』《》()（）[]-–—"


def title_of_exchange(question: str, answer: str = "") -> str:
    """Return the title of a chat: one line of at most WIDEST columns, and "…" if it was cut.

    It is empty only if there is no text.
    """
    asked = _paragraphs(question)
    line = _first_sentence(asked)
    if not line or len(question) > _LONG_QUESTION or re.fullmatch(_GREETING, line):
        headings = [paragraph for paragraph in _paragraphs(answer) if paragraph.kind[1:].isdigit()]
        if headings:
            return _shorten(" ".join(words_of(headings[0].spans).split()).strip(_TRIMMED))
    lines_of_code = [line for paragraph in asked if paragraph.kind == "code" for line in _lines(paragraph)]
    first_of_code = lines_of_code[0] if lines_of_code else ""
    return _shorten(_without_polite_phrases(line) or first_of_code or _first_sentence(_paragraphs(answer)))


def title_of_file(name: str) -> str:
    """Return the title of a chat that began with a file and no words."""
    return _shorten(" ".join(name.split()))


def _paragraphs(text: str) -> list[Paragraph]:
    """Return the paragraphs of the first _READ characters of `text`, without thinking."""
    return shown(parts_of(text[:_READ]).reply)


def _lines(paragraph: Paragraph) -> list[str]:
    """Return the lines of a paragraph, or of a table, that have words."""
    lines = (line for spans in texts_of(paragraph) for line in words_of(spans).splitlines())
    return [" ".join(line.split()) for line in lines if re.search(r"\w", line)]


def _first_sentence(paragraphs: Sequence[Paragraph]) -> str:
    """Return the first sentence that has words and is not code; "" if there is none.

    A greeting counts only if nothing follows it.
    """
    for line in (line for paragraph in paragraphs if paragraph.kind != "code" for line in _lines(paragraph)):
        line = " ".join(re.sub(_ADDRESS, " ", line).split())
        start = 0
        for end in [*(match.end() for match in re.finditer(_SENTENCE_END, line)), len(line)]:
            sentence = line[start:end].strip()
            start = end
            if re.search(r"\w", sentence) and not (re.fullmatch(_GREETING, sentence) and line[end:].strip()):
                return sentence[:_SENTENCE_READ]
    return ""


def _without_polite_phrases(sentence: str) -> str:
    """Return the sentence without opening and closing courtesies, unless nothing would be left.

    Its letters stay as they are, so that names such as iPhone and npm do. Where a sentence loses its capital with its
    opening, a verb that follows gets it, or a word that is never a name.
    """
    request = _AskedWords(sentence, begins_with_verb=False)
    while (shorter_request := _without_opening(request.words)) is not None:
        request = shorter_request
    shorter = request.words
    lost_capital = shorter != sentence and sentence[:1].isupper()
    closed = re.sub(_CLOSINGS, "", shorter).strip(_TRIMMED)
    title = (closed or shorter).rstrip(_TRIMMED)
    # A request that lost its "could you" loses its question mark, a question keeps it.
    asks = title[-1:] if shorter == sentence and title.endswith(("?", "？")) else ""
    title = title.rstrip("?？!！").rstrip() + asks
    takes_capital = lost_capital and (request.begins_with_verb or re.match(_NO_NAME, title))
    return title[:1].upper() + title[1:] if takes_capital else title


class _AskedWords(NamedTuple):
    """What is asked, without an opening courtesy, and whether it begins with a verb because that was before one."""

    words: str
    begins_with_verb: bool


def _without_opening(sentence: str) -> _AskedWords | None:
    """Return what is asked after an opening courtesy; None if the sentence begins with none."""
    for opening in (_BEFORE_A_VERB, _BEFORE_A_SUBJECT, _OTHER_OPENINGS):
        asked = re.sub(opening, "", sentence, count=1).lstrip(_TRIMMED)
        if asked and asked != sentence:
            return _AskedWords(asked, begins_with_verb=opening is _BEFORE_A_VERB)
    return None


def _shorten(line: str) -> str:
    """Return `line`; if it is longer than WIDEST columns, cut to them at a near space, with "…" after them."""
    width = 0
    for index, character in enumerate(line):
        width += 2 if unicodedata.east_asian_width(character) in "WF" else 1
        if width > WIDEST:
            cut = line[:index]
            space = cut.rfind(" ")
            return (cut[:space] if space > index // 2 else cut).rstrip(_TRIMMED) + "…"
    return line

"""Where a Japanese or Chinese sentence may break: Unicode allows it between any two characters."""

from __future__ import annotations

import re

_WORD_JOINER = "\u2060"
_NO_BREAK_SPACE = "\u00a0"
_HAN_OR_KANA = r"\u3005\u3040-\u30ff\u4e00-\u9fff"
_FULL_WIDTH = _HAN_OR_KANA + r"\u3000-\u303f\uff00-\uffef"
# Together: the end of a sentence or paragraph, so that none leaves one or two characters on a line of their own; a
# particle or an inflection with the word that it follows; a number with its unit or counter.
_SENTENCE_END = re.compile(rf"[{_HAN_OR_KANA}]{{2,3}}[。！？]|[{_FULL_WIDTH}]{{2,4}}$", re.MULTILINE)
_INFLECTION = re.compile(
    r"(?<=[\u30a1-\u30ff\u3005\u4e00-\u9fff」）A-Za-z0-9])(?=[\u3041-\u3096])|(?<=[\u3041-\u3096])(?=[をがはにのでともへ])"
)
_UNIT = re.compile(
    rf"(?<=\d) (?=[{_HAN_OR_KANA}])|(?:(?<![A-Za-z0-9./_-])(?P<short>[A-Za-z0-9.%]{{1,12}})) (?=[\u3041-\u3096])"
)
_SEPARATOR = " · "
_LONGEST_ITEM = 22
_IN_ITEM = re.compile(rf"(?<=[{_FULL_WIDTH}/])(?=\S)|(?<=\S)(?=[{_FULL_WIDTH}])")


def unbroken(item: str) -> str:
    """A figure with its words, in a list of them, as it must stay on one line. English may break between words."""
    if not re.search(f"[{_HAN_OR_KANA}]", item):
        return item
    return _IN_ITEM.sub(_WORD_JOINER, item.replace(" ", _NO_BREAK_SPACE))


def with_good_breaks(text: str) -> str:
    """`text` with characters of no width of its own where a line must not break.

    They form no run longer than a word's end and its inflection, or a short item of a list, so that any width fits.
    """
    if _SEPARATOR in text:
        items = text.split(_SEPARATOR)
        kept = [unbroken(item) if len(item) <= _LONGEST_ITEM else with_good_breaks(item) for item in items]
        return f"{_NO_BREAK_SPACE}· ".join(kept)
    text = _SENTENCE_END.sub(lambda end: _WORD_JOINER.join(end.group()), text)
    text = _UNIT.sub(lambda unit: (unit["short"] or "") + _NO_BREAK_SPACE, text)
    return _INFLECTION.sub(_WORD_JOINER, text)

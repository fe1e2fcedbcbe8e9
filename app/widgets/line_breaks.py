"""Where a Japanese or Chinese sentence, for which Unicode allows any place, a size and a very long word may break."""

from __future__ import annotations

import re

_WORD_JOINER = "\u2060"
_NO_BREAK_SPACE = "\u00a0"
_MAY_BREAK = "\u200b"
_HAN_OR_KANA = r"\u3005\u3040-\u30ff\u4e00-\u9fff"
_FULL_WIDTH = _HAN_OR_KANA + r"\u3000-\u303f\uff00-\uffef"
# These stay on one line: the end of a sentence or paragraph (so that one or two characters never have a line of their
# own), a particle or an inflection with the word before it, a stem of two or three Han characters included, and a
# number with its unit or counter. The patterns are compiled only when a text in these languages needs them.
_SENTENCE_END = rf"(?m:[{_HAN_OR_KANA}]{{2,3}}[。！？]|[{_FULL_WIDTH}]{{2,4}}$)"
_AFTER_STEM = r"(?<=[\u30a1-\u30ff\u3005\u4e00-\u9fff」）A-Za-z0-9])(?=[\u3041-\u3096])"
# A word of Katakana; the first three and the last three of one with more letters, so that any width has room for it.
_KANA = r"[\u30a1-\u30ff]"
_KATAKANA = rf"(?<!{_KANA}){_KANA}{{2,6}}(?!{_KANA})|(?<!{_KANA}){_KANA}{{3}}|{_KANA}{{3}}(?!{_KANA})"
_PARTICLE = r"(?<=[\u3041-\u3096])(?=[をがはにのでともへ])"
_STEM = r"[\u3005\u4e00-\u9fff]{2,3}(?=[\u3041-\u3096])"
_UNIT = rf"(?<=\d) (?=[{_HAN_OR_KANA}])|(?:(?<![A-Za-z0-9./_-])(?P<short>[A-Za-z0-9.%]{{1,12}})) (?=[\u3041-\u3096])"
_COUNTER = r"(?<=\d)(?=[\u4e00-\u9fff])"
_IN_ITEM = rf"(?<=[{_FULL_WIDTH}/])(?=\S)|(?<=\S)(?=[{_FULL_WIDTH}])"
_SEPARATOR = f"{_NO_BREAK_SPACE}· "
_LONGEST_ITEM = 22
# A size in bytes, in any language.
_SIZE = r"(?<=\d) (?=[KMGT]i?B(?![A-Za-z]))"
# A path or an address that may be broken within its names, so that no end of it is cut off.
_LONG_WORD = r"[!-~]{40,}"
# Twenty letters of a name in it, after which the name may be broken.
_LONG_NAME = r"[^/-]{20}(?=[^/-])"
# The name of a file stays on one line, as a name that breaks at a hyphen reads as two, up to so many letters.
LONGEST_NAME = 20
_FILE_NAME = (
    r"(?<![A-Za-z0-9/._-])(?=[A-Za-z0-9_.-]{{3,{longest}}}(?![A-Za-z0-9/_-]))"
    r"[A-Za-z0-9_.]+(?:-[A-Za-z0-9_.]+)*-[A-Za-z0-9_.]*\.[A-Za-z0-9]{{1,8}}(?![A-Za-z0-9/_-])"
)
# Texts whose characters are all below this one have no full-width letters.
_FIRST_FULL_WIDTH = "\u3000"


def unbroken(item: str) -> str:
    """Return an item of a list of figures so that it stays on one line. English items may break between words."""
    if max(item, default="") < _FIRST_FULL_WIDTH or not re.search(f"[{_HAN_OR_KANA}]", item):
        return item
    return re.sub(_IN_ITEM, _WORD_JOINER, item.replace(" ", _NO_BREAK_SPACE))


def with_good_breaks(text: str, longest_name: int = LONGEST_NAME) -> str:
    """Return `text` with zero-width characters where a line must not break, or may break in a very long word.

    The runs that they hold together are short (a word's end with its inflection, a short item), so that any width fits;
    where there is more room, names of files may have a `longest_name` of more letters.
    """
    text = re.sub(_SIZE, _NO_BREAK_SPACE, text.replace(" · ", _SEPARATOR))
    text = re.sub(_LONG_WORD, lambda word: re.sub(_LONG_NAME, rf"\g<0>{_MAY_BREAK}", word.group()), text)
    file_name = _FILE_NAME.format(longest=longest_name)
    text = re.sub(file_name, lambda name: name.group().replace("-", f"-{_WORD_JOINER}"), text)
    if max(text, default="") < _FIRST_FULL_WIDTH:
        return text
    items = text.split(_SEPARATOR)
    if len(items) > 1:
        parts = [
            unbroken(item) if len(item) <= _LONGEST_ITEM else with_good_breaks(item, longest_name) for item in items
        ]
        return _SEPARATOR.join(parts)
    for together in (_STEM, _KATAKANA, _SENTENCE_END):
        text = re.sub(together, lambda passage: _WORD_JOINER.join(passage.group()), text)
    text = re.sub(_UNIT, lambda unit: (unit["short"] or "") + _NO_BREAK_SPACE, text)
    return re.sub(f"{_AFTER_STEM}|{_PARTICLE}|{_COUNTER}", _WORD_JOINER, text)

"""Keeps control tokens out of the texts of messages: their marks in such a text are encoded as ordinary text.

The marks are cut in two before the template renders the messages, and the parts on both sides of a cut are encoded
apart. So the template's own marks stay whole, and a conversation without marks in its texts is not touched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from engine.model_files.thought_marks import THOUGHT_MARKS

# A noncharacter of Unicode: texts that are exchanged do not contain it.
CUT = "\ufdd0"
# Keys whose values the template compares, such as "user".
_NAMES = ("role", "type")


class ControlMarks:
    """The marks of a tokenizer's control tokens: special tokens, and added tokens that its template writes.

    In messages of the assistant only the special tokens count, without those around its thoughts, which are its own.
    """

    def __init__(self, tokenizer: Any) -> None:
        template = str(getattr(tokenizer, "chat_template", None))
        added = getattr(tokenizer, "added_tokens_decoder", {}).values()
        special = {str(token) for token in added if token.special}
        written = {str(token) for token in added if str(token) in template}
        self._any = _pattern(special | written)
        thoughts = "".join(mark for pair in THOUGHT_MARKS for mark in pair)
        self._in_answers = _pattern({mark for mark in special if mark not in thoughts})

    def cut(self, messages: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Return the messages with a CUT in each mark of their texts."""
        by_assistant = [message.get("role") == "assistant" for message in messages]
        return [
            _cut(message, self._in_answers if is_answer else self._any)
            for message, is_answer in zip(messages, by_assistant, strict=True)
        ]

    def cut_others(self, given: Any) -> Any:
        """Return what else a template is given, tools and its variables, with a CUT in each mark."""
        return _cut(given, self._any)


_KNOWN: WeakKeyDictionary[Any, ControlMarks] = WeakKeyDictionary()


def control_marks(tokenizer: Any) -> ControlMarks:
    """Return the marks of a tokenizer, which are found once."""
    if tokenizer not in _KNOWN:
        _KNOWN[tokenizer] = ControlMarks(tokenizer)
    return _KNOWN[tokenizer]


def has_cut(value: Any) -> bool:
    """Return whether a text in messages or tools has a CUT."""
    if isinstance(value, Mapping):
        return any(map(has_cut, (*value, *value.values())))
    return CUT in value if isinstance(value, str) else isinstance(value, list | tuple) and any(map(has_cut, value))


def _pattern(marks: set[str]) -> re.Pattern[str] | None:
    # White space and single characters cannot be told from text, nor be cut.
    texts = sorted((mark for mark in marks if len(mark.strip()) > 1), key=len, reverse=True)
    return re.compile("|".join(map(re.escape, texts))) if texts else None


def _cut(value: Any, marks: re.Pattern[str] | None) -> Any:
    """Return a value with a CUT in each mark of its texts, however deep; the value itself if `marks` is None.

    Keys are cut, too, unless they are identifiers.
    """
    if marks is None:
        return value
    if isinstance(value, str):
        # Within a mark, so that a template that trims its texts keeps the cut.
        return marks.sub(lambda match: match[0][:1] + CUT + match[0][1:], value)
    if isinstance(value, Mapping):
        cut = {_cut_name(key, marks): _cut(inner, marks) for key, inner in value.items()}
        return cut | {name: _cut_name(value[name], marks) for name in _NAMES if name in value}
    if isinstance(value, list | tuple):
        return [_cut(inner, marks) for inner in value]
    return value


def _cut_name(name: Any, marks: re.Pattern[str] | None) -> Any:
    # The template looks such words up, also if a mark is the same.
    return name if str(name).isidentifier() else _cut(name, marks)

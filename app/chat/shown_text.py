"""What a turn shows as text, in the order in which it is read: where a search in the chat counts its hits.

The widgets of turns that are far away do not exist, and what was typed as Markdown is not what is read. So this is made
of the same blocks as the widgets, and cuts the text where they do.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from app.chat.answer_body import runs_of
from app.chat.prose import rendered_text
from app.conversations.search_tokens import fold
from app.text.blocks import Code

if TYPE_CHECKING:
    from app.conversations.search import Query
    from app.session.chats import Turn

# Markdown's signs inside words and what it writes between them: a text without these has all that is shown.
_SIGNS = re.compile(r"[*_~`\\]|\]\([^()\s]*\)|^[ \t>]*\d+[.)](?=[ \t])", re.MULTILINE)


def shown_texts(turn: Turn, as_tokens: bool) -> list[str]:
    """The question, then the thoughts and the reply block by block, or the tokens where these are shown."""
    answer = turn.answer
    question = [turn.question] if turn.asks else []
    if as_tokens and answer.tokens:
        return [*question, "".join(token.text for token in answer.tokens)]
    parts = answer.parts
    return [*question, *block_texts(parts.thought or ""), *block_texts(parts.reply)]


def block_texts(markdown: str) -> list[str]:
    """What the widgets of a Markdown text show, one text a widget."""
    return [block.text if isinstance(block, Code) else rendered_text(block.text) for block in runs_of(markdown)]


@dataclass
class _Known:
    """Of one turn, folded: what was typed, and what is shown once somebody has asked for it."""

    state: tuple[str, int, bool, bool]
    typed: str
    shown: list[str] | None = None


class ShownTexts:
    """The texts of turns, made once for as long as they stay as they are: a search goes through all with every key."""

    def __init__(self) -> None:
        self._known: WeakKeyDictionary[Turn, _Known] = WeakKeyDictionary()

    def count(self, turn: Turn, query: Query, as_tokens: bool) -> int:
        """How many hits of a query the turn shows."""
        known = self._known_of(turn, as_tokens)
        # Rendering takes a hundred times as long as a look at what was typed.
        if not query.pattern.search(known.typed):
            return 0
        if known.shown is None:
            known.shown = [fold(text) for text in shown_texts(turn, as_tokens)]
        return sum(1 for text in known.shown for _ in query.pattern.finditer(text))

    def _known_of(self, turn: Turn, as_tokens: bool) -> _Known:
        state = (turn.answer.text, len(turn.answer.tokens), turn.answer.ended, as_tokens)
        known = self._known.get(turn)
        if known is None or known.state != state:
            written = f"{turn.question}\n{turn.answer.text}"
            typed = fold(f"{written}\n{unescape(_SIGNS.sub('', written))}")
            known = self._known[turn] = _Known(state, typed)
        return known

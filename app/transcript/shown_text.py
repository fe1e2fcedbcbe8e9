"""The texts that a turn shows, in reading order. A search in the chat counts its matches in them.

Turns far from the view have no widgets, so the texts are rendered from the same blocks as the widgets, one text for
each widget.
"""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass
from functools import lru_cache, partial
from html import unescape
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal

from app.conversations.database.search_tokens import fold
from app.conversations.search import Query, letters_of
from app.session.chats import Turn
from app.system.background import Background
from app.text.blocks import Block, Code
from app.text.shown import document_text, paragraphs_of
from app.transcript.answer_runs import LONGEST_ANSWER, runs_of
from app.transcript.call_card import shown_result
from app.transcript.question_bubble import shown_question

log = logging.getLogger(__name__)

# Markdown that has letters between words that are shown together: addresses of links, numbers of lists.
_ADDRESS = re.compile(r"\]\([^()\s]*\)")
_LIST_NUMBER = re.compile(r"^[ \t>]*\d+[.)](?=[ \t])", re.MULTILINE)
# Markdown that is shown with other letters: formulas, HTML, references and footnotes.
_OTHER_LETTERS = re.compile(r"[$<]|\\[(\[]|\]\[|\[\^")

# Longer blocks are rendered on another thread, because that takes longer than a frame has. In characters.
AT_ONCE = 4_000
# The search goes on whenever this many of them are rendered.
_BLOCKS_A_SEARCH = 8


def shown_texts(turn: Turn) -> list[str]:
    """Return the question, then of each answer the thoughts and reply block by block, and the results of its calls."""
    texts = [shown_question(turn.question)] if turn.asks else []
    for answer in turn.answers:
        texts += [*block_texts(answer.parts.thought or ""), *block_texts(answer.parts.reply)]
        texts += [shown_result(call) for call in answer.calls]
    return texts


def block_texts(markdown: str) -> list[str]:
    """Return what the widgets of a Markdown text show, one text for each widget."""
    try:
        return [block_text(block) for block in runs_of(markdown)]
    # The widgets show plain text, too, where that raises.
    except Exception:
        log.exception("an answer is searched as plain text")
        return [block_text(block) for block in runs_of(markdown, plain=True)]


@lru_cache(maxsize=4096)
def block_text(block: Block) -> str:
    """Return what the widget of a block shows."""
    text = block.text if isinstance(block, Code) else document_text(paragraphs_of(block))
    _known.add(hash(block))
    return text


# The hashes of rendered blocks. A collision, or a block that left the cache, costs one rendering.
_known: set[int] = set()


def is_known(block: Block) -> bool:
    """Whether `block_text` returns without rendering."""
    return isinstance(block, Code) or hash(block) in _known


@dataclass
class _Cached:
    """What a search needs of one turn.

    `written` is the turn's folded Markdown, None until it is known; `shown` has the folded texts, rendered when they
    are first needed.
    """

    state: tuple[int, str, bool]
    written: _TurnLetters | None = None
    shown: list[str] | None = None


@dataclass(frozen=True)
class _TurnLetters:
    """The letters and digits of a turn's Markdown, folded. If `all_shown`, the turn shows no others."""

    letters: str
    all_shown: bool

    def may_match(self, query: Query) -> bool:
        return not self.all_shown or any(letters in self.letters for letters in query.letters)


class ShownTexts(QObject):
    """Caches the texts of turns until they change, because every search reads all of them.

    The texts of a long turn are rendered on another thread. It has no matches until then; `ready` is emitted after
    every few texts.
    """

    ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cached: WeakKeyDictionary[Turn, _Cached] = WeakKeyDictionary()
        self._background = Background("search", parent=self)
        self._rendering = 0

    def count(self, turn: Turn, query: Query) -> int:
        """Return how many matches of a query the turn shows."""
        cached = self._cached_for(turn)
        # Rendering takes much longer than a look at the Markdown.
        if cached.written is None or not cached.written.may_match(query):
            return 0
        if cached.shown is None:
            cached.shown = _shown(turn)
        return sum(1 for text in cached.shown for _ in query.pattern.finditer(text))

    def _cached_for(self, turn: Turn) -> _Cached:
        state = (len(turn.steps), turn.answer.text, turn.answer.ended)
        cached = self._cached.get(turn)
        if cached is None or cached.state != state:
            cached = self._cached[turn] = _Cached(state)
            answers = "\n".join(answer.text[:LONGEST_ANSWER] for answer in turn.answers)
            written = "\n".join([shown_question(turn.question), answers, *map(shown_result, turn.calls)])
            if len(written) <= AT_ONCE:
                cached.written = _letters(written)
            elif turn.answer.ended:
                self._rendering += 1
                both = partial(self._keep, cached)
                self._background.run(lambda: (_letters(written), _shown(turn)), both)
        return cached

    def _keep(self, cached: _Cached, texts: tuple[_TurnLetters, list[str]]) -> None:
        cached.written, cached.shown = texts
        self._rendering -= 1
        if self._rendering % _BLOCKS_A_SEARCH == 0:
            self.ready.emit()


def _letters(written: str) -> _TurnLetters:
    """Return the letters of a Markdown text, of code as it stands and of prose without what is not shown."""
    unlinked = unescape(_ADDRESS.sub("", written))
    versions = (written, unlinked, _LIST_NUMBER.sub("", unlinked))
    return _TurnLetters(
        "\n".join(letters_of(fold(version)) for version in versions), not _OTHER_LETTERS.search(written)
    )


def _shown(turn: Turn) -> list[str]:
    return [fold(text) for text in shown_texts(turn)]

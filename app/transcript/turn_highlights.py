"""The matches of the transcript's search in one turn: unfolded, highlighted and found again."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtWidgets import QWidget

from app.conversations.search import Query, highlights
from app.session.chats import Turn
from app.transcript.answer_runs import LONGEST_ANSWER
from app.transcript.search_highlights import SearchHighlights
from app.transcript.shown_text import AT_ONCE, block_texts
from app.transcript.turn_owner import TurnOwner
from app.transcript.turn_texts import TurnTexts


class TurnHighlights:
    """Highlights the matches in the texts of a turn. Matches are counted from 0, from top to bottom.

    `show` is enough after a change of the search, and `show_again` after one of the texts or their widgets.
    """

    def __init__(self, turn: Turn, transcript: TurnOwner, texts: TurnTexts) -> None:
        self._turn = turn
        self._transcript = transcript
        self._texts = texts
        self._matches = SearchHighlights()

    def show(self) -> None:
        """Highlight the matches of the transcript's search, or remove the highlights if it has none."""
        if self._transcript.query is not None:
            self._unfold_matches(self._transcript.query)
        self._highlight()

    def show_again(self) -> None:
        """Highlight the texts that are shown now. While an answer streams, the highlights wait for its end."""
        if self._transcript.query is not None and self._turn.answer.ended:
            self._highlight()

    def load(self, index: int) -> None:
        """Make the widget of the block that contains a match."""
        run = self._matches.run_of(index)
        if run is not None and run.view is None:
            for body in self._texts.bodies:
                if run in body.text_runs:
                    body.load(run)
            self._highlight()

    def rect_of(self, index: int, turn: QWidget) -> QRect | None:
        """Return the place of a match in the turn's widget; None if there are no matches."""
        return self._matches.rect_of(index, turn)

    def _unfold_matches(self, query: Query) -> None:
        """Unfold the thoughts and the results with matches."""
        for fold in self._texts.folds:
            if fold.thought and not fold.head.isChecked():
                thought = fold.thought[:LONGEST_ANSWER]
                # Search the rendered text, or the Markdown if rendering takes too long.
                texts = block_texts(thought) if len(thought) <= AT_ONCE else [thought]
                fold.unfold(any(highlights(text, query) for text in texts))
        for card in self._texts.cards:
            if highlights(card.result.toPlainText(), query):
                card.unfold()

    def _highlight(self) -> None:
        parts = self._texts.parts
        if self._texts.thinking.isHidden():
            for view in self._texts.thinking.body.text_views:
                view.setExtraSelections([])
        turn, index = self._transcript.current_match or (None, None)
        self._matches.show(self._transcript.query, parts, index if turn is self._turn else None)

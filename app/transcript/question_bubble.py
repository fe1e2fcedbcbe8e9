"""A question in the transcript: a bubble with the text as it was typed, below the names of attached files."""

from __future__ import annotations

import re
from math import ceil
from pathlib import Path

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.composer.picture_button import Thumbnails
from app.conversations.pictures import PictureSource
from app.session.chats import Turn
from app.text.pieces import weight
from app.transcript.auto_height_browser import PlainTextBrowser
from app.widgets.labels import WrappedLabel, tip
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware

_SIDE_MARGIN = 14
# A longer line never fits into a bubble, so it need not be measured further.
_LONG_LINE = 400
# A longer question, in the units of `weight`, is cut there. It is also cut after a word that takes too long to break.
LONGEST_QUESTION = 60_000
_LONG_WORD = re.compile(r"(?<![!-~])[!-~]{4000}")
# In pixels, for the name of an attached file.
_WIDEST_FILE_NAME = 320
# The most pixels of a thumbnail.
_THUMBNAIL_SIZE = QSize(300, 220)


def shown_question(text: str) -> str:
    """Return the part of a question that its bubble shows: all of it, unless it is very long."""
    shown = text[:LONGEST_QUESTION]
    if word := _LONG_WORD.search(shown):
        shown = shown[: word.end()]
    while weight(shown) > LONGEST_QUESTION:
        shown = shown[: len(shown) * 3 // 4]
    return shown


class QuestionBubble(ThemeAware, QFrame):
    """A bubble as wide as its longest line, but never wider than the layout allows. Long words are broken anywhere."""

    def __init__(self, turn: Turn, parent: QWidget, pictures: PictureSource = Path()) -> None:
        """`pictures` are the pictures of the store that has the turn."""
        super().__init__(parent)
        self.setObjectName("question")
        self.text = PlainTextBrowser(self)
        column = vbox(self, margins=(_SIDE_MARGIN, 10, _SIDE_MARGIN, 10))
        shown = shown_question(turn.question)
        self._lines = shown.split("\n")
        self._pictures = Thumbnails(pictures, _THUMBNAIL_SIZE, self)
        self._pictures.show_pictures([attachment for attachment in turn.attachments if attachment.picture is not None])
        fill(column, self._pictures)
        if names := [attachment.name for attachment in turn.attachments if attachment.picture is None]:
            fill(column, self._names(names))
        self._rest = styled(WrappedLabel(self), "muted")
        self.bound(
            "Only the beginning of this very long text is shown. Copies and exports contain all of it.", self._rest
        )
        self._rest.setHidden(len(shown) == len(turn.question))
        fill(column, self.text, self._rest)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self.text.ensurePolished()
        self.text.setPlainText(shown)
        self.text.setHidden(bool(turn.attachments) and not turn.question)
        self._fit()
        self.restyle()

    def _names(self, names: list[str]) -> QWidget:
        """Return the label with the names of attached files."""
        label = styled(WrappedLabel(self), "muted")
        metrics = label.fontMetrics()
        shown = [metrics.elidedText(name, Qt.TextElideMode.ElideMiddle, _WIDEST_FILE_NAME) for name in names]
        label.setText(" · ".join(shown))
        label.setToolTip(tip("\n".join(names)) if shown != names else "")
        self._lines.append(label.text())
        return label

    def _fit(self) -> None:
        metrics = QFontMetricsF(self.text.font())
        lines = [line[:_LONG_LINE].expandtabs() for line in self._lines]
        # The last letter of a line may lean out of its advance, for which Qt wants a whole pixel.
        widest = max(max(metrics.horizontalAdvance(line), metrics.boundingRect(line).right()) for line in lines)
        self.setMaximumWidth(max(ceil(widest), self._pictures.row_width) + 2 * _SIDE_MARGIN + 1)
        self.text.fit()

    def apply_text_size(self) -> None:
        self.text.ensurePolished()
        self._fit()

"""A text of a comparison, which is as high as it is up to a limit, and can mark where it differs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from app.session.answer import Answer
from app.widgets import theme
from app.widgets.layouts import fill, settle_layouts, vbox
from app.widgets.throttle import single_shot

# In pixels at the normal text size.
_LEAST = 64


class ComparedText(QScrollArea):
    """An answer as it reads, or as tokens. Its height grows with the text, see `fit`.

    `grown` is emitted when the text has another height than before, and `mark_shown` with the place in it of the token
    that was marked.
    """

    grown = Signal()
    mark_shown = Signal(QPoint)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        from app.transcript.answer_body import SLICE, AnswerBody
        from app.transcript.tints.token_view import TokenView

        self._body = QWidget(self)
        self.tokens = TokenView(self._body)
        self.rendered = AnswerBody(self._body)
        fill(vbox(self._body, margins=(9, 5, 9, 5)), self.tokens, self.rendered, 1)
        self.rendered.incomplete.connect(lambda: self.rendered.load_between(0, self.rendered.height(), SLICE))
        self.setObjectName("comparedText")
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(self._body)
        self._highest = self._measured_width = 0
        self._body.installEventFilter(self)
        self._shown: Answer | None = None
        self._marked: int | None = None
        self._scrolls = single_shot(self, self._scroll_to_mark)

    def show_answer(self, answer: Answer, *, as_tokens: bool, ended: bool) -> None:
        if answer is not self._shown:
            self._shown = answer
            self.tokens.show_tokens(())
        self.tokens.setVisible(as_tokens)
        self.rendered.setVisible(not as_tokens)
        self.tokens.show_tokens(answer.tokens)
        self.rendered.show_text(answer.reply or answer.text, ended)

    def begin(self) -> None:
        """Forget how high the texts of an earlier comparison were."""
        self._highest = 0

    def fit(self, most: int | None) -> None:
        """Become as high as the highest text shown so far, and not higher than `most`: the card does not jump.

        With None the text is as high as it is, and never scrolls.
        """
        policy = Qt.ScrollBarPolicy
        self.setVerticalScrollBarPolicy(policy.ScrollBarAlwaysOff if most is None else policy.ScrollBarAsNeeded)
        frame = self.height() - self.viewport().height()
        self._highest = max(self._highest, self._body.sizeHint().height() + frame)
        height = self._highest if most is None else min(self._highest, most)
        self.setFixedHeight(max(theme.scaled(_LEAST), height))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._body and event.type() == QEvent.Type.LayoutRequest:
            self.grown.emit()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The event is of the viewport, which a scroll bar makes narrower, too.
        if self.width() != self._measured_width:
            self._measured_width = self.width()
            self.begin()

    def mark(self, index: int | None) -> None:
        """Mark the token `index`, the first that differs, and scroll to it once."""
        shown = self.tokens.mark(index) is not None
        if shown and self._marked is None:
            self.show_mark()
        self._marked = index if shown else None

    def show_mark(self) -> None:
        """Scroll to the marked token, if there is one, once what has just been shown is laid out."""
        self._scrolls.start()

    def _scroll_to_mark(self) -> None:
        settle_layouts()
        if (place := self.tokens.mark(self._marked)) is not None:
            point = self.tokens.mapTo(self._body, place.center())
            self.ensureVisible(point.x(), point.y(), 0, self.height() // 3)
            self.mark_shown.emit(self._body.mapTo(self, point))

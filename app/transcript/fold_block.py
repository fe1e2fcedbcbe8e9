"""A passage of an answer that is folded behind its summary."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QSizePolicy, QWidget

from app.text.shown import fold_parts
from app.widgets.buttons import fold_head
from app.widgets.layouts import fill, vbox
from app.widgets.style_class import named


class FoldBlock(QWidget):
    """The summary, and the text below it, which is rendered only while it is unfolded.

    `grows` carries by how many pixels the height will grow, before it does. `text_shown` carries the text to show, and
    whether it is complete.
    """

    grows = Signal(int)
    text_shown = Signal(str, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
        self._text = ""
        self._closed = False
        self._chosen = False
        self.head = fold_head(self)
        # Where the text is shown.
        self.frame = named(QFrame(self), "fold")
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=4), (self.head, 0, Qt.AlignmentFlag.AlignLeft), self.frame)
        self.frame.hide()
        self.head.toggled.connect(self._toggle)
        self.head.clicked.connect(self._choose)

    def indent(self, pixels: int) -> None:
        """Place the block that far from the left, for a result in a list or a quotation."""
        self.setContentsMargins(pixels, 0, 0, 0)

    def show_fold(self, text: str, closed: bool) -> None:
        """Show the source of a fold so far."""
        summary, self._text, is_open = fold_parts(text)
        self._closed = closed
        self.head.setText(summary.replace("&", "&&") or "…")
        if not self._chosen:
            self.head.setChecked(is_open)
        if self.head.isChecked():
            self.text_shown.emit(self._text, closed)

    def _choose(self) -> None:
        self._chosen = True

    def _toggle(self, unfolded: bool) -> None:
        if unfolded:
            self.text_shown.emit(self._text, self._closed)
        self.frame.setVisible(unfolded)

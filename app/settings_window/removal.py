"""The controls that remove all data of Tandem after two questions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.wording.hub import size_words


class RemovalControls(QWidget):
    """Shows one button, then what it removes with the first question, then the second. `confirmed` follows both."""

    confirmed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._asked, self._chats, self._rest = 0, 0, 0
        self.question = label(self, "reason-plain", wraps=True)
        self.go_on, self.cancel = styled(QPushButton(self), "button"), styled(QPushButton(self), "button")
        buttons = fill(hbox(spacing=8), 1, self.cancel, self.go_on)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=8), self.question, buttons)
        self.go_on.clicked.connect(self._go_on)
        self.cancel.clicked.connect(self.reset)

    def show_sizes(self, chats: int, rest: int) -> None:
        """Show the bytes of the chats with their backups, and of settings and caches."""
        self._chats, self._rest = chats, rest
        self.retranslate()

    def reset(self) -> None:
        """Show the one button again."""
        self._asked = 0
        self.retranslate()

    def retranslate(self) -> None:
        sizes = {"chats": size_words(self._chats), "rest": size_words(self._rest)}
        first = self.tr(
            "This deletes all chats and their backups ({chats}), and settings and caches ({rest}), from this computer. "
            "Export the chats first if you want to keep them."
        )
        questions = (
            "",
            first.format(**sizes),
            self.tr("Delete everything now? Tandem then quits. You can't undo this."),
        )
        steps = (self.tr("Remove everything…"), self.tr("Continue…"), self.tr("Delete and quit"))
        self.question.setText(questions[self._asked])
        self.question.setVisible(self._asked > 0)
        self.go_on.setText(steps[self._asked])
        self.cancel.setText(self.tr("Cancel"))
        self.cancel.setVisible(self._asked > 0)

    def _go_on(self) -> None:
        if self._asked == 2:
            self.confirmed.emit()
            return
        self._asked += 1
        self.retranslate()
        # So that another press of Return does no harm.
        self.cancel.setFocus()

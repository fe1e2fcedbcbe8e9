"""The row of a model in every list: its name, what it can do, its size and a button."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from app.widgets.badges import Badge
from app.widgets.labels import ElidedLabel, label
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled

# The least width of a button, so that the buttons of all rows begin at the same place.
_BUTTON_WIDTH = 100
# The least width of a wrapped line.
_LEAST_WORDS = 140


class Card(QFrame):
    """A row, perhaps `framed`: a name with a badge above a line of facts on the left, a size and buttons on the right.

    A card may link a page of the Hub, whose address is the tip of the button. `pointed` tells whether the pointer or
    the keyboard focus is on it.
    """

    pointed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, framed: bool = True) -> None:
        super().__init__(parent)
        self.setObjectName("card" if framed else "")
        # Elided in the middle, because both ends of a model's name distinguish it.
        self.name = styled(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), "title")
        self.facts = label(self, "muted", wraps=True)
        self.facts.setMinimumWidth(_LEAST_WORDS)
        self.badge = Badge(self)
        self.size_shown = label(self, "muted")
        self.size_shown.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._page = ""
        # The badge is below a name without room beside it.
        title = QWidget(self)
        # The row may have no facts, whose width it would have.
        title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        flow = FlowLayout(title, 8)
        flow.addWidget(self.name)
        flow.addWidget(self.badge)
        self.badge.setMinimumHeight(self.name.sizeHint().height())
        self.words = fill(vbox(spacing=2), 1, title, self.facts, 1)
        self.buttons = vbox(spacing=4)
        # Buttons are inserted between the two.
        fill(self.buttons, 1, 1)
        self.row = fill(hbox(spacing=12), (self.words, 1), self.size_shown, self.buttons)
        self.lines = fill(vbox(self, margins=(16, 10, 8, 10) if framed else (0, 4, 0, 4), spacing=8), self.row)

    def add_button(self, style_class: str, run: Callable[[], object]) -> QPushButton:
        button = styled(QPushButton(self), style_class)
        button.setMinimumWidth(_BUTTON_WIDTH if style_class == "button" else 0)
        button.clicked.connect(lambda: run())
        button.installEventFilter(self)
        self.buttons.insertWidget(self.buttons.count() - 1, button)
        return button

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.pointed.emit(event.type() == QEvent.Type.FocusIn)
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Enter, QEvent.Type.Leave):
            self.pointed.emit(event.type() == QEvent.Type.Enter)
        return super().event(event)

    def add_page_button(self) -> QPushButton:
        self.page_button = self.add_button("quiet", lambda: QDesktopServices.openUrl(QUrl(self._page)))
        return self.page_button

    def offer_page(self, address: str) -> None:
        """Set the address that the page's button opens; "" hides the button."""
        self._page = address
        self.page_button.setVisible(bool(address))
        self.page_button.setText(self.tr("Model page…"))
        self.page_button.setToolTip(self.tr("Opens {address} in your browser.").format(address=address))
        self.page_button.setAccessibleName(f"{self.page_button.text()}: {self.name.text()}")

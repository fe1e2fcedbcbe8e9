"""What an empty chat shows: a greeting, a note on privacy, and example questions that the starter pair answers well."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import QPushButton, QScrollArea, QSizePolicy, QSpacerItem, QWidget

from app.widgets.labels import label
from app.widgets.layouts import hbox, vbox
from app.widgets.restyled import Restyled
from app.widgets.theme import scaled

# The greatest width of the offer, its usual height, and the space between greeting, examples and offer.
_OFFER_WIDTH, _OFFER_HEIGHT, _SPACE = 560, 256, 90
# What the column leaves free at both sides, and the offer at each, to stand where the composer does, in pixels.
_MARGINS, _OFFER_SIDE = 18, 15
# Where the greeting stands, as a part of the height.
_TOP = 0.2


class Welcome(Restyled, QScrollArea):
    """`asked` carries the example question that was clicked. Scrolls where the window is too low for the offer."""

    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # As in `AttachmentRow`.
        self.setViewport(QWidget())
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget(self)
        body.setObjectName("pageBody")
        self._offer: QWidget | None = None
        self._may_come: Callable[[], bool] = lambda: False
        self._reserves, self._arranged_for = False, QSize()
        self._hello = self.bound("What would you like to know?", label(body, "hello", wraps=True))
        self._promise = label(body, "muted", wraps=True)
        self.bound("Models run on this computer. Nothing you type leaves it.", self._promise)
        for words in (self._hello, self._promise):
            words.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        self._examples = (
            self.bound("What is Tandem?", QPushButton(body)),
            self.bound("How does speculative decoding work?", QPushButton(body)),
            self.bound("What does the acceptance rate mean?", QPushButton(body)),
        )
        column = self._column = vbox(body, spacing=8)
        # Of a height that the offer does not change, so that it pushes nothing up when it comes.
        self._top = QSpacerItem(0, 0, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        column.addItem(self._top)
        column.addWidget(self._hello)
        column.addWidget(self._promise)
        column.addSpacing(16)
        for button in self._examples:
            button.setProperty("styleClass", "button")
            button.clicked.connect(lambda _=False, source=button: self.asked.emit(source.text()))
            column.addWidget(button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(1)
        self.setWidget(body)
        self.restyle()

    def set_offer(self, offer: QWidget, may_come: Callable[[], bool]) -> None:
        """Add an offer below the examples, which shows and hides itself; `may_come` tells whether to leave it room."""
        offer.setMaximumWidth(_OFFER_WIDTH)
        self._offer, self._may_come = offer, may_come
        offer.installEventFilter(self)
        row = hbox(margins=(_OFFER_SIDE, 16, _OFFER_SIDE, 0))
        row.addStretch(1)
        row.addWidget(offer, 1000)
        row.addStretch(1)
        self._column.insertLayout(self._column.count() - 1, row)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._offer and event.type() in (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest):
            self._show_what_fits()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # The event is the viewport's, which a scroll bar that comes or goes resizes too.
        if self.size() == self._arranged_for:
            self._show_what_fits()
        else:
            self._begin_anew()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._begin_anew()

    def _begin_anew(self) -> None:
        # Only now may the greeting move: an offer that comes or goes later finds its room, or leaves it.
        self._reserves, self._arranged_for = self._may_come(), self.size()
        self._show_what_fits()

    def _show_what_fits(self) -> None:
        """Hide the examples where the window is too low for them and the offer, and place the greeting."""
        if self._offer is None:
            return
        width, height = self.viewport().width() - _MARGINS, self.viewport().height()
        heights = sum(words.heightForWidth(width) for words in (self._hello, self._promise))
        heights += sum(button.sizeHint().height() + 8 for button in self._examples) + _SPACE
        offered = self._offer.heightForWidth(min(_OFFER_WIDTH, width - 2 * _OFFER_SIDE))
        if self._offer.isHidden():
            offered = 0
        self._offer.setMinimumHeight(max(offered, 0))
        if self._reserves:
            offered = scaled(_OFFER_HEIGHT)
        examples_fit = heights + offered <= height
        for button in self._examples:
            button.setVisible(examples_fit)
        if not examples_fit:
            heights -= sum(button.sizeHint().height() + 8 for button in self._examples)
        top = max(0, min(round(_TOP * height), height - heights - offered))
        if top != self._top.sizeHint().height():
            self._top.changeSize(0, top, QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
            self._column.invalidate()

    def set_ready(self, ready: bool) -> None:
        for button in self._examples:
            button.setEnabled(ready)

"""The calls of tools in the transcript: each a card with its arguments, its result, and the person's consent."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontDatabase, QResizeEvent, QShowEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QWidget

from app.session.calls import Call, CallState
from app.session.tool_calls import ONCE
from app.tools.tool import TANDEM, Permission
from app.widgets import theme
from app.widgets.flow_layout import FlowLayout
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, WrappedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled
from app.wording.figures import whole_seconds
from app.wording.tool_calls import call_sentence, call_state

# Characters of arguments and results that a card shows; copies and exports contain all.
LONGEST_SHOWN = 20_000
# Lines of a text before it scrolls in itself, and the pixels of its frame in the style sheet.
_MOST_LINES, _FRAME_PIXELS = 12, 8
_SECOND_MS = 1000


def shown_result(call: Call) -> str:
    """Return the text of a result as its card shows it; none of a call that did not run."""
    return call.text[:LONGEST_SHOWN].rstrip() if call.ended and call.error is None else ""


class CallCard(Restyled, QFrame):
    """One call. `chosen` carries the person's choice: ONCE, or a `Permission`."""

    chosen = Signal(str)

    def __init__(self, call: Call, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.call = call
        self._shown: tuple[object, ...] = ()
        self.head = styled(QPushButton(self), "fold")
        self.head.setCheckable(True)
        self.head.setIconSize(QSize(14, 14))
        self.bound("Show or hide the arguments and the result", self.head, QWidget.setToolTip)
        self._server = styled(ElidedLabel(self), "muted")
        self.state = label(self, "muted")
        self._sentence = styled(WrappedLabel(self), "muted")
        self.arguments, self.result = _Passage(self), _Passage(self)
        self._captions = label(self, "caption"), label(self, "caption")
        self.bound("Arguments", self._captions[0])
        self.bound("Arguments", self.arguments, QWidget.setAccessibleName)
        self.bound("Result", self._captions[1])
        self.bound("Result", self.result, QWidget.setAccessibleName)
        self._buttons = _Buttons(self)
        self._choices = [self._choice(choice) for choice in (ONCE, Permission.CHAT, Permission.ALWAYS, Permission.DENY)]
        once, chat, always, deny = self._choices
        self.bound("Allow once", once)
        self.bound("Allow in this chat", chat)
        self.bound("Always allow", always)
        self.bound("Deny", deny)
        self._seconds = QTimer(self)
        self._seconds.setInterval(_SECOND_MS)
        self._seconds.timeout.connect(self._show_state)
        line = fill(hbox(spacing=6), self.head, (self._server, 1), self.state)
        column = fill(vbox(self, margins=(8, 6, 12, 8), spacing=6), line, self._sentence)
        fill(column, self._captions[0], self.arguments, self._captions[1], self.result, self._buttons)
        self.head.toggled.connect(self._show_details)
        self.restyle()
        self.refresh()

    def _choice(self, choice: str) -> QPushButton:
        button = styled(QPushButton(self._buttons), "accent" if choice == ONCE else "button")
        button.clicked.connect(lambda: self.chosen.emit(str(choice)))
        self._buttons.add(button)
        return button

    def refresh(self) -> None:
        """Show the present state of the call."""
        call = self.call
        state = (call.state, call.text, call.use, call.error)
        if state == self._shown:
            return
        self._shown = state
        self.arguments.show_text(json.dumps(call.arguments, ensure_ascii=False, indent=2)[:LONGEST_SHOWN])
        self.result.show_text(shown_result(call))
        if call.state is CallState.RUNS:
            self._seconds.start()
        else:
            self._seconds.stop()
        self.retranslate()
        self._show_details()

    def unfold(self) -> None:
        self.head.setChecked(True)

    def _show_details(self) -> None:
        """Show what is unfolded; arguments of a call that asks are always shown, because the person answers for it."""
        asks, unfolded = self.call.state is CallState.ASKS, self.head.isChecked()
        has_arguments = bool(self.call.arguments)
        for widget in (self._captions[0], self.arguments):
            widget.setVisible((asks or unfolded) and has_arguments)
        for widget in (self._captions[1], self.result):
            widget.setVisible(unfolded and bool(shown_result(self.call)))
        self.head.setEnabled(has_arguments or bool(shown_result(self.call)))
        self._buttons.setVisible(asks)
        self.apply_theme()

    def _show_state(self) -> None:
        call = self.call
        if call.state is CallState.RUNS:
            elapsed = whole_seconds(time.monotonic() - call.begun_at)
            self.state.setText(self.tr("Calling… {time}").format(time=elapsed))
        else:
            self.state.setText(call_state(call))

    def retranslate(self) -> None:
        call = self.call
        name = call.tool.title if call.tool and call.tool.title else call.use.tool
        self.head.setText(name or self.tr("Tool"))
        self._server.setText(call.use.server if call.use.server != TANDEM else "")
        asks = call.state is CallState.ASKS
        sentence = self.tr("The model wants to use this tool.") if asks else call_sentence(call)
        if asks and call.tool is not None and call.tool.read_only:
            sentence = self.tr("The model wants to use this tool. Its server says that it only reads.")
        self._sentence.setText(sentence)
        self._sentence.setVisible(bool(sentence))
        self._show_state()
        words = " · ".join(part for part in (name, self._server.text()) if part)
        self.head.setAccessibleName(f"{words}: {self.state.text()}")
        for button in self._choices:
            button.setAccessibleName(f"{button.text()}: {words}")

    def apply_theme(self) -> None:
        self.head.setIcon(icon("chevron-down" if self.head.isChecked() else "chevron-right", theme.colours().muted))


class CallCards(QWidget):
    """The cards of an answer, hidden if it made no calls. `chosen` carries a call and the person's choice."""

    chosen = Signal(object, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.cards: list[CallCard] = []
        self._column = vbox(self, margins=(0, 0, 0, 0), spacing=6)
        self.hide()

    def show_calls(self, calls: Sequence[Call]) -> None:
        """Show these calls; those that were shown already keep their cards."""
        for card in self.cards[len(calls) :]:
            self._column.removeWidget(card)
            card.hide()
            card.deleteLater()
        del self.cards[len(calls) :]
        for index, call in enumerate(calls):
            if index == len(self.cards):
                card = CallCard(call, self)
                card.chosen.connect(partial(self._choose, card))
                self.cards.append(card)
                self._column.addWidget(card)
                card.show()
            self.cards[index].call = call
            self.cards[index].refresh()
        self.setVisible(bool(calls))

    def _choose(self, card: CallCard, choice: str) -> None:
        self.chosen.emit(card.call, choice)


class _Buttons(QWidget):
    """Buttons in as many rows as their width needs."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self, 8)

    def add(self, button: QPushButton) -> None:
        self._flow.addWidget(button)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setFixedHeight(self._flow.heightForWidth(self.width()))


class _Passage(QPlainTextEdit):
    """A text to read, as high as its lines up to a limit; then it scrolls."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("comparedText")
        self.setReadOnly(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setUndoRedoEnabled(False)
        self.setTabChangesFocus(True)
        self.setFont(QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont))
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.hide()

    def show_text(self, text: str) -> None:
        if text != self.toPlainText():
            self.setPlainText(text)
            self._fit()

    def _fit(self) -> None:
        self.ensurePolished()
        wanted = max(1, math.ceil(self.document().size().height()))
        lines, policy = min(_MOST_LINES, wanted), Qt.ScrollBarPolicy
        # A bar would appear for less than a line.
        self.setVerticalScrollBarPolicy(policy.ScrollBarAsNeeded if wanted > lines else policy.ScrollBarAlwaysOff)
        margins = 2 * math.ceil(self.document().documentMargin())
        first = self.document().firstBlock()
        # Higher than the font's own lines, depending on the scripts in the text.
        line = self.blockBoundingRect(first).height() / max(1, first.layout().lineCount())
        self.setFixedHeight(math.ceil(lines * line) + margins + _FRAME_PIXELS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.oldSize().width() != event.size().width():
            self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        # A text that is shown whole leaves the wheel to the chat.
        if self.verticalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAsNeeded:
            super().wheelEvent(event)
        else:
            event.ignore()

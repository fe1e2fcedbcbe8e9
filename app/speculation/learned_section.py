"""What was learned about speculation on this computer: a table, and ways to forget it or to measure anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.library.learned_pairs import learned_rows
from app.speculation.learned_table import LearnedTable
from app.widgets.figure_table import HEADING_HEIGHT, FigureView
from app.widgets.labels import label

if TYPE_CHECKING:
    from app.session.session import Session
    from engine.tuning import LearnedPair, Pair

_ROWS_SHOWN = 8


class LearnedSection(QWidget):
    """Asks the engine whenever it is shown and after every change."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self._title, self._note = label(self, "title"), label(self, "muted")
        self._note.setWordWrap(True)
        self.table = LearnedTable(self)
        self.view = FigureView(self.table, self)
        self.forget, self.forget_all = QPushButton(self), QPushButton(self)
        self._build()
        self.forget.clicked.connect(self._forget_chosen)
        self.forget_all.clicked.connect(lambda: self._forget(None))
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._word_buttons())
        session.models.changed.connect(self._refresh_if_shown)
        session.answers.ended.connect(self._refresh_if_shown)
        self.retranslate()

    def _build(self) -> None:
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        buttons = QHBoxLayout()
        buttons.setContentsMargins(0, 8, 0, 0)
        for button in (self.forget, self.forget_all):
            button.setProperty("styleClass", "button")
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        for view in (self._title, self._note, self.view):
            column.addWidget(view)
        column.addLayout(buttons)

    def refresh(self) -> None:
        """Ask the engine again; the table follows."""
        if not self._session.models.call_engine(lambda engine: engine.learned(), self._take):
            self._take(())

    def _refresh_if_shown(self) -> None:
        if self.isVisible():
            self.refresh()

    def _take(self, pairs: tuple[LearnedPair, ...]) -> None:
        rows = learned_rows(pairs)
        if rows != self.table.rows:
            self.table.show_rows(rows)
        shown = min(len(rows), _ROWS_SHOWN)
        height = (
            max(HEADING_HEIGHT, self.view.horizontalHeader().sizeHint().height())
            + shown * self.view.verticalHeader().defaultSectionSize()
        )
        # Room for the bar at the bottom, where the columns need more width than there is.
        self.view.setFixedHeight(height + self.view.horizontalScrollBar().sizeHint().height() + 4)
        self.view.setVisible(bool(rows))
        self._word_buttons()
        self._word_note()

    @property
    def _chosen(self) -> Pair | None:
        chosen = self.view.selectionModel().selectedRows()
        return self.table.rows[chosen[0].row()].pair if chosen else None

    def _forget_chosen(self) -> None:
        if (pair := self._chosen) is not None:
            self._forget(pair)

    def _forget(self, pair: Pair | None) -> None:
        self._session.models.call_engine(lambda engine: engine.forget_learned(pair), lambda _: self.refresh())

    def _word_buttons(self) -> None:
        self.forget.setEnabled(self._chosen is not None)
        self.forget_all.setEnabled(bool(self.table.rows))

    def _word_note(self) -> None:
        if self.table.rows:
            self._note.setText(
                self.tr(
                    "Measured on this computer and kept up to date while you chat: the number of guesses is chosen by "
                    "it. What you forget is measured again."
                )
            )
        else:
            self._note.setText(self.tr("Nothing yet. Load models and ask something, or tune in the live panel."))

    def retranslate(self) -> None:
        self._title.setText(self.tr("Learned here"))
        self.view.setAccessibleName(self.tr("What was learned about each pair"))
        self.forget.setText(self.tr("Forget this pair"))
        self.forget_all.setText(self.tr("Forget all"))
        self.table.show_rows(self.table.rows)
        self._word_buttons()
        self._word_note()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.refresh()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange and hasattr(self, "forget_all"):
            self.retranslate()

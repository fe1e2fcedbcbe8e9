"""The gains of speculation in the chat on screen and in the last seven days."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from app.conversations.request_history import Totals
from app.speculation.explanations import explanations
from app.widgets.labels import label, wrapped_tip
from app.widgets.layouts import vbox
from app.widgets.restyled import Restyled
from app.wording import figures


class TotalsView(Restyled, QWidget):
    """A small table with a column for the chat and one for the week."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._totals: tuple[Totals, ...] = (Totals(), Totals())
        self._title = label(self, "caption")
        heads = self.bound("This chat", label(self, "caption")), self.bound("Last 7 days", label(self, "caption"))
        names = (
            self.bound("Answers", label(self, "muted")),
            self.bound("Acceptance rate", label(self, "muted")),
            self.bound("Speed-up", label(self, "muted")),
            self.bound("Time saved", label(self, "muted")),
        )
        self._cells = [[label(self, "strong") for _ in heads] for _ in names]
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(0, 1)
        grid.addWidget(self._title, 0, 0)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for column, view in enumerate(heads):
            grid.addWidget(view, 0, column + 1, right)
        for row, (name, cells) in enumerate(zip(names, self._cells, strict=True), 1):
            grid.addWidget(name, row, 0)
            for column, cell in enumerate(cells):
                grid.addWidget(cell, row, column + 1, right)
        vbox(self, margins=(0, 8, 0, 0)).addLayout(grid)
        self.restyle()

    def show_totals(self, chat: Totals, week: Totals) -> None:
        self._totals = chat, week
        self._show_figures()

    @property
    def any_answers(self) -> bool:
        return any(one.answers for one in self._totals)

    def figures_of(self, column: int) -> list[str]:
        """Return the figures of the chat (0) or the week (1), from the top."""
        return [cells[column].text() for cells in self._cells]

    def _show_figures(self) -> None:
        for column, one in enumerate(self._totals):
            shown = (
                figures.number(one.answers, 0),
                figures.percent(one.accept_rate),
                figures.speedup(one),
                figures.duration(one.saved_s) if figures.speedup_is_known(one) else figures.NONE,
            )
            for cells, text in zip(self._cells, shown, strict=True):
                cells[column].setText(text)

    def retranslate(self) -> None:
        title, sentence = explanations()["totals"]
        self._title.setText(title)
        self._title.setToolTip(wrapped_tip(sentence))
        self._show_figures()

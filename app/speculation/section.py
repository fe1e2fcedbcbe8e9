"""A chart of the live panel with its title, what it means, its value and its words."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.speculation.help_mark import HelpMark
from app.widgets.labels import label
from app.widgets.layouts import hbox, vbox


class Section(QWidget):
    """Title, "?" and value in a line, and the chart below them; `with_words` below the chart. Keeps its height."""

    def __init__(self, chart: QWidget, parent: QWidget, *, with_words: bool = False) -> None:
        super().__init__(parent)
        self.title, self.value = label(self, "caption"), label(self, "strong")
        self.words = label(self, "muted", wraps=True)
        self.words.setVisible(with_words)
        self._help, self._chart = HelpMark(self), chart
        head = hbox(spacing=4)
        head.addWidget(self.title)
        head.addWidget(self._help)
        head.addStretch(1)
        head.addWidget(self.value)
        column = vbox(self, margins=(0, 8, 0, 0), spacing=6)
        column.addLayout(head)
        for view in (chart, self.words):
            column.addWidget(view)

    def explain(self, title: str, sentence: str) -> None:
        """Set the title, and what the chart means."""
        self.title.setText(title)
        self._chart.setAccessibleName(title)
        self._help.explain(title, sentence)

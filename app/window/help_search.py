"""The help of Tandem in the window: a search for questions, and a card with the answer to the chosen one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from app.session.tandem_help import Fact
from app.widgets.buttons import CloseButton
from app.widgets.labels import SentenceLabel, label
from app.widgets.layouts import fill, hbox
from app.widgets.overlay import Overlay
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware
from app.window.palette import SearchPalette
from app.window.palette_rows import PaletteRow, begun_first, help_rows


class HelpCard(ThemeAware, Overlay):
    """Shows one question of the help and its answer.

    `place_wanted` carries the fact whose place in the app is to be opened.
    """

    place_wanted = Signal(object)

    def __init__(self, language: Callable[[], str], window: QWidget) -> None:
        """`language` returns that of the window: "en", "ko", "ja" or "zh_CN"."""
        super().__init__(window, 480)
        self._language = language
        self._fact: Fact | None = None

    def show_fact(self, fact: Fact) -> None:
        self._fact = fact
        self.open()

    @property
    def help_language(self) -> str:
        """The language of the window as the help names it: "zh" for "zh_CN"."""
        return self._language().partition("_")[0]

    def make(self) -> None:
        self.question = label(self, "title", wraps=True)
        self.answer = SentenceLabel(self)
        # What a screen reader reads when the card opens.
        self.answer.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.column.setContentsMargins(20, 16, 20, 20)
        close = CloseButton(self, self.close_overlay)
        head = fill(hbox(), (self.question, 1), close)
        # Beside the first line of a question that takes two.
        head.setAlignment(close, Qt.AlignmentFlag.AlignTop)
        self.place = self.bound("Take me there.", styled(QPushButton(self), "link"))
        self.place.clicked.connect(self._open_place)
        fill(self.column, head, self.answer, (self.place, 0, Qt.AlignmentFlag.AlignLeft))
        self.restyle()

    def fill(self) -> None:
        self._show_texts()
        self.answer.setFocus()

    def _show_texts(self) -> None:
        if self._fact is not None:
            question = self._fact.questions[self.help_language]
            self.question.setText(question)
            self.answer.setText(self._fact.answers[self.help_language])
            self.place.setVisible(self._fact.has_place)
            self.setAccessibleName(question)
            # Until then, the height of the card is that of the question before.
            self.column.activate()

    def _open_place(self) -> None:
        self.close_overlay()
        self.place_wanted.emit(self._fact)

    def retranslate(self) -> None:
        self._show_texts()
        if self.isVisible():
            self.fit_in_window()


class HelpSearch(SearchPalette):
    """Lists all questions of the help, or those that match what is typed. The chosen one is shown in `card`."""

    def __init__(self, card: HelpCard, window: QWidget) -> None:
        super().__init__(window)
        self.card = card

    def make(self) -> None:
        super().make()
        self.bound("Questions", self.list, QWidget.setAccessibleName)
        self.bound("Search help", self.field, QWidget.setAccessibleName)
        self.bound("What would you like to know?", self.field, QLineEdit.setPlaceholderText)
        self.bound("No matching questions", self.nothing_found)

    def rows(self) -> list[PaletteRow]:
        """Return all questions, in the language of the window."""
        return list(help_rows(self.card.help_language, self.card.show_fact))

    def rows_for(self, wanted: str) -> list[PaletteRow]:
        # Everything in this list is of the help: no row says so.
        rows = [replace(row, place="", spoken=row.name) for row in self.rows()]
        return begun_first([row for row in rows if row.matches(wanted) or row.is_named_in(wanted)], wanted)

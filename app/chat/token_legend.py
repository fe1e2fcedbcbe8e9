"""What the colours of tokens mean, in words: below the round strip, and above tokens where there is no strip."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QLabel, QWidget

from app.session.answer import Answer
from app.widgets import theme
from app.widgets.flow_layout import FlowLayout
from app.widgets.icons import icon
from app.widgets.labels import label
from app.widgets.layouts import hbox
from app.widgets.restyled import Restyled
from app.wording import figures

# Of an answer that is written, the newest rounds tell what drafts.
_LOOKED_AT = 200


class TokenLegend(Restyled, QWidget):
    """A mark and a word for each of `sources`; "draft" stands for heads too, and "rejected" for what was not kept."""

    def __init__(self, sources: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drafter = "draft"
        self._marks: list[tuple[QLabel, QLabel, str]] = []
        # Where the names are long, the last of them stand in a second row.
        flow = FlowLayout(self, spacing=8)
        for source in sources:
            entry = QWidget(self)
            row = hbox(entry, margins=(0, 0, 0, 0), spacing=4)
            mark, name = QLabel(entry), label(entry, "muted")
            row.addWidget(mark)
            row.addWidget(name)
            flow.addWidget(entry)
            self._marks.append((mark, name, source))
        self.restyle()

    def show_answer(self, answer: Answer) -> None:
        """Name what drafted for the answer: a draft model, or a head."""
        newest = islice(reversed(answer.rounds), _LOOKED_AT)
        drafter = next((record.source for record in newest if record.source in ("draft", "head")), self._drafter)
        if drafter != self._drafter:
            self._drafter = drafter
            self.retranslate()

    @property
    def names(self) -> list[str]:
        """The words, as shown."""
        return [name.text() for _, name, _ in self._marks]

    def retranslate(self) -> None:
        for _, name, source in self._marks:
            shown = self._drafter if source == "draft" else source
            name.setText(self.tr("rejected") if source == "rejected" else figures.source_name(shown))

    def apply_theme(self) -> None:
        colours = theme.colours()
        for mark, _, source in self._marks:
            drawing = (
                icon("draft-off", colours.muted) if source == "rejected" else icon("draft-on", colours.accent(source))
            )
            mark.setPixmap(drawing.pixmap(QSize(14, 14), self.devicePixelRatioF()))

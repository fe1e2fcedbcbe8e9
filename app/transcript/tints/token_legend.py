"""The legend of token colours: below the round strip, and above tokens where there is no strip."""

from __future__ import annotations

from itertools import islice

from PySide6.QtWidgets import QLabel, QWidget

from app.session.answer import Answer
from app.widgets.icons import Mark, icon
from app.widgets.labels import label
from app.widgets.layouts import FlowLayout, fill, hbox
from app.widgets.theme_aware import ThemeAware
from app.wording.sources import MAIN, drafter_of, legend_sources, role_of, source_name
from engine.methods import DRAFTER_METHOD

# The drafter is looked for in this many of the newest rounds.
_ROUNDS_READ = 200
# The mark of draft tokens that were not kept.
_REJECTED = "rejected"


class TokenLegend(ThemeAware, QWidget):
    """A mark and a word for each kind of token, `with_rejected` also for rejected draft tokens, where there are any.

    All drafters share one mark, which has the name of the one that drafts. Proposers without a drafter share another
    mark, and are named in the legends of answers that they proposed tokens for; with `with_rejected`, they change no
    height.
    """

    def __init__(self, *, with_rejected: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._drafter = DRAFTER_METHOD
        self._marks: list[tuple[QWidget, QLabel, str]] = []
        # Long names need a second row.
        flow = FlowLayout(self, spacing=5, steady_height=with_rejected)
        sources = legend_sources()
        for source in (*sources, _REJECTED) if with_rejected else sources:
            entry = QWidget(self)
            is_rejected = source == _REJECTED
            # The words of the main model have no tint.
            colour = "muted" if source == MAIN else role_of(source)
            drawing = icon("draft-off") if is_rejected else icon("draft-on", colour)
            mark = Mark(14, entry, drawing)
            name = label(entry, "muted")
            fill(hbox(entry, margins=(0, 0, 0, 0), spacing=2), mark, name)
            flow.addWidget(entry)
            self._marks.append((entry, name, source))
        self.restyle()

    def show_answer(self, answer: Answer) -> None:
        """Name the drafter of the answer, a draft model or a head, and the other proposers of its rounds."""
        proposed = {record.source for record in answer.rounds if record.drafted}
        used_drafter = drafter_of(islice(reversed(answer.rounds), _ROUNDS_READ))
        # An answer whose tokens were all looked up has no drafter to name.
        named = proposed | {MAIN} | ({DRAFTER_METHOD} if used_drafter or not proposed else set())
        if any(record.accepted < record.drafted for record in answer.rounds):
            named.add(_REJECTED)
        for entry, _, source in self._marks:
            entry.setVisible(source in named)
        drafter = used_drafter or self._drafter
        if drafter != self._drafter:
            self._drafter = drafter
            self.retranslate()

    def retranslate(self) -> None:
        for _, name, source in self._marks:
            name.ensurePolished()
            shown = self._drafter if source == DRAFTER_METHOD else source
            name.setText(self.tr("rejected") if source == _REJECTED else source_name(shown))
        # Qt does not lay out hidden widgets again.
        self.updateGeometry()

    def apply_text_size(self) -> None:
        self.retranslate()

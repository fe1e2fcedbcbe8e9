"""What the figures and charts of the live panel mean: for tooltips, and together in one overlay."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.widgets.keyboard_focus import FocusRing
from app.widgets.labels import label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.overlay import Overlay, WrappingArea
from app.widgets.style_class import styled
from app.wording.sentences import Sentences

translate = QCoreApplication.translate

# The room for the focus ring, which is drawn over the area, in pixels.
_INDENT = 8


NAMES = Sentences(
    "SpeculationPanel",
    {
        "outcome": "Speed-up",
        "rate": "Acceptance rate",
        "per_round": "Tokens per round",
        "strip": "Rounds",
        "depth": "Drafted per round",
        "first": "First token",
        "saved": "Time saved",
        "cached": "Tokens already read",
        "positions": "Acceptance by position",
        "time": "Where time went",
        "totals": "Totals",
    },
)
"""The name of each part of the panel, from the top."""

EXPLANATIONS = Sentences(
    "SpeculationPanel",
    {
        "outcome": "Compared with decoding without speculation, measured by plain rounds within the same answer.",
        "rate": "The share of the draft tokens that the main model accepted.",
        "per_round": "How many tokens a round adds to the answer: the accepted ones and one of the main model's own.",
        "strip": (
            "A column for each round, from the bottom up: accepted draft tokens, the main model's own token, rejected "
            "draft tokens."
        ),
        "depth": "How many tokens are proposed before the main model checks them.",
        "first": "The time until the first token appears, most of which goes into processing the prompt.",
        "saved": "How much longer the answer would have taken without speculation.",
        "cached": "How much of the prompt had been read before: earlier turns, or the files of the chat's folder.",
        "positions": "How often the first, the second and each further draft token of a round is accepted.",
        "time": "How the decoding time splits into drafting, verification by the main model and everything else.",
        "totals": (
            "Speed-up and time saved cover the answers in which the speed-up was measured. Answers that repeat "
            "themselves, and those in which the Starter cannot help, do not count."
        ),
    },
)
"""What each part shows."""


class Explanations(Overlay):
    """Explains every part of the live panel."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window, 620)

    def make(self) -> None:
        self._title = label(self, "title")
        self._title.setIndent(_INDENT)
        self.close_button = styled(QPushButton(self), "button")
        self.close_button.clicked.connect(self.close_overlay)
        self._area = WrappingArea(self)
        # It needs the focus to be scrolled by keys, since it contains no controls.
        self._area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        FocusRing(self._area)
        self.column.setContentsMargins(20, 16, 20, 16)
        self.column.setSpacing(12)
        fill(self.column, self._title, (self._area, 1), fill(hbox(), 1, self.close_button))

    def fill(self) -> None:
        self._title.setText(translate("SpeculationPanel", "What the live panel shows"))
        self.close_button.setText(translate("SpeculationPanel", "Close"))
        body = QWidget()
        body.setObjectName("overlayBody")
        column = vbox(body, margins=(_INDENT, 4, 12, 4), spacing=10)
        for part, sentence in EXPLANATIONS.items():
            title, words = label(body, "strong"), label(body, "muted", wraps=True)
            title.setText(NAMES[part])
            words.setText(sentence)
            fill(column, fill(vbox(spacing=2), title, words))
        column.addStretch(1)
        self._area.setWidget(body)
        self._area.updateGeometry()
        self._area.setFocus()

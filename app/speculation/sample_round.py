"""A round of speculation in three drawn steps, which the panel shows before the first answer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.widgets.labels import label
from app.widgets.layouts import FlowLayout, fill, hbox, vbox
from app.widgets.style_class import styled
from app.widgets.theme_aware import ThemeAware

# The accepted draft tokens of the sample; the next one is rejected, and the rest is dropped.
ACCEPTED = 3


class RoundStep(QWidget):
    """A numbered step: a sentence, and the tokens of the sample."""

    def __init__(self, number: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._number = styled(QLabel(str(number), self), "step")
        self.words = label(self, "muted", wraps=True)
        self._row = QWidget(self)
        self._tokens = FlowLayout(self._row, spacing=3)
        head = fill(hbox(spacing=8), (self._number, 0, Qt.AlignmentFlag.AlignTop), (self.words, 1))
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=6), head, self._row)

    def show_tokens(self, tokens: list[tuple[str, str]]) -> None:
        """Draw tokens: (text, style class)."""
        while (item := self._tokens.takeAt(0)) is not None:
            if (view := item.widget()) is not None:
                view.deleteLater()
        for text, style_class in tokens:
            token = label(self._row, style_class)
            token.setText(text)
            self._tokens.addWidget(token)
            token.show()
        self._row.updateGeometry()


class SampleRound(ThemeAware, QWidget):
    """Three steps of one sample round: draft, check, keep."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps = [RoundStep(number, self) for number in (1, 2, 3)]
        self._sum = label(self, "muted", wraps=True)
        fill(vbox(self, margins=(0, 0, 0, 0), spacing=16), *self.steps, self._sum)
        self.restyle()

    def retranslate(self) -> None:
        sentences = (
            self.tr("A small draft model quickly proposes the next tokens."),
            self.tr("The main model checks all of them in a single pass."),
            self.tr("It keeps every token it would have written itself, then adds one."),
        )
        start = tokens_of([self.tr("Water", "the sample: the text so far")], "token-given")
        # A sentence whose fourth token is a mistake, which the main model corrects.
        drafted = self.tr("boils|at|100|°F|or", "the sample: five draft tokens").split("|")
        own = self.tr("°C", "the sample: the main model's token in place of the fourth")
        right, wrong, dropped = drafted[:ACCEPTED], drafted[ACCEPTED], drafted[ACCEPTED + 1 :]
        shown = (
            tokens_of(drafted, "token-draft"),
            tokens_of([f"{token} ✓" for token in right], "token-draft")
            + tokens_of([f"{wrong} ✗", *dropped], "token-rejected"),
            tokens_of(right, "token-draft") + tokens_of([own], "token-main"),
        )
        for step, words, tokens in zip(self.steps, sentences, shown, strict=True):
            step.words.setText(words)
            step.show_tokens(start + tokens)
        self._sum.setText(
            self.tr(
                "%n token(s) in one round instead of one, and the text is the main model's own.",
                "",
                ACCEPTED + 1,
            )
        )


def tokens_of(texts: list[str], style_class: str) -> list[tuple[str, str]]:
    """Return tokens of one style class."""
    return [(text, style_class) for text in texts]

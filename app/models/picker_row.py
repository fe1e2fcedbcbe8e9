"""One row of a picker: icon, name, badge, a sentence, the size, and a button to download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.widgets import theme
from app.widgets.badges import Badge
from app.widgets.icons import icon
from app.widgets.labels import ElidedLabel, label
from app.widgets.layouts import fill, hbox, vbox
from app.widgets.style_class import styled
from app.wording import models as model_wording
from app.wording.hub import size_words
from app.wording.sources import source_name
from engine.advice.verdicts import HEADS

if TYPE_CHECKING:
    from app.library.model_choices import Choice


class PickerRow(QWidget):
    """Shows a `Choice`. `get` follows a click on its button."""

    get = Signal()

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._role = role
        self._icon, self._sentence = QLabel(self), label(self, "muted", wraps=True)
        self._size, self._state = label(self, "muted"), label(self, "muted")
        self._name = styled(ElidedLabel(self, Qt.TextElideMode.ElideMiddle), "title")
        self._badge = Badge(self)
        self._button = styled(QPushButton(self), "button")
        self._button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._button.clicked.connect(self.get)
        self._size.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._state.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._sentence.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        title = fill(hbox(spacing=8), self._name, self._badge, 1)
        words = fill(vbox(spacing=2), title, self._sentence)
        figures = fill(vbox(spacing=2), self._size, self._state, 1)
        row = hbox(self, margins=(12, 8, 12, 8), spacing=12)
        row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        row.addLayout(words, 1)
        row.addLayout(figures)
        row.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)

    def show_choice(self, choice: Choice) -> None:
        self.choice = choice
        colours = theme.colours()
        name, colour = _icon_of(choice, self._role)
        self._icon.setPixmap(icon(name, getattr(colours, colour)).pixmap(QSize(16, 16), self.devicePixelRatioF()))
        self._name.setText(model_wording.choice_name(choice))
        self._name.setEnabled(choice.usable)
        self._sentence.setText(
            model_wording.download_words(choice.download) if choice.download else model_wording.choice_sentence(choice)
        )
        self._badge.show_word(*self._badge_of(choice))
        self._size.setText(size_words(choice.bytes) if choice.bytes and choice.kind == "use" else "")
        self._state.setText(self.tr("in use") if choice.loaded else "")
        self._size.setVisible(bool(self._size.text()))
        self._state.setVisible(bool(self._state.text()))
        self._button.setVisible(_is_gettable(choice))
        size = size_words(choice.bytes) if choice.bytes else ""
        self._button.setText(self.tr("Get {size}").format(size=size) if size else self.tr("Get"))

    @property
    def spoken(self) -> str:
        """The text of the row for screen readers."""
        shown = (self._name, self._badge, self._sentence, self._size, self._state)
        parts = [label.text() for label in shown if label.text()]
        if _is_gettable(self.choice):
            parts.append(self._button.text())
        return ", ".join(parts)

    def height_at(self, width: int) -> int:
        """Return the height of the row at that width."""
        self.ensurePolished()
        layout = self.layout()
        assert layout is not None
        layout.activate()
        return max(layout.totalHeightForWidth(width), 52)

    def _badge_of(self, choice: Choice) -> tuple[str, str]:
        if choice.download is not None:
            return model_wording.state_word(choice.download.state), "lookup"
        if choice.best:
            return self.tr("best on this Mac"), "draft"
        if choice.entry is not None and choice.entry.head:
            from engine.model_files.head_kinds import title_of

            return self.tr("{method} head").format(method=title_of(choice.entry.head)), "neutral"
        if choice.advice is not None and choice.advice.verdict in HEADS:
            return source_name("head"), "neutral"
        if choice.guide:
            return self.tr("guide"), "neutral"
        if choice.verdict == "together":
            return self.tr("several Macs"), "neutral"
        if choice.verdict == "different":
            return self.tr("different tokenizer"), "lookup"
        if choice.entry is not None and choice.usable and choice.entry.tight and self._role == "main":
            return self.tr("tight"), "lookup"
        return "", "neutral"


def _is_gettable(choice: Choice) -> bool:
    stands = choice.download is None or choice.download.state in ("paused", "failed")
    return choice.kind == "get" and choice.usable and stands


def _icon_of(choice: Choice, role: str) -> tuple[str, str]:
    """Return the icon and its colour, which only repeat the words beside it."""
    if not choice.usable or choice.kind in ("none", "unload"):
        return "draft-off", "muted"
    if choice.kind == "lookup":
        return "draft-on", "lookup"
    if choice.verdict in ("different", "unknown"):
        return "draft-off", "lookup"
    if role == "main":
        return ("main-model", "main") if choice.kind == "use" else ("draft-off", "main")
    return ("draft-on" if choice.kind == "use" else "draft-off"), "draft"

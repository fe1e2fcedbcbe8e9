"""One row of a picker: a model with its verdict, or a draft source without a model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from app.models.card import Card
from app.widgets.icons import Mark, icon
from app.widgets.labels import set_name, show_words
from app.widgets.style_class import styled
from app.wording import models as model_wording
from app.wording.hub import size_words
from app.wording.sources import source_name

if TYPE_CHECKING:
    from app.library.model_choices import ModelChoice


# In pixels; more for facts of several lines.
_LEAST_HEIGHT = 44
# On the current row. With Command on a Mac.
UNLOAD_KEYS = QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_U)


class PickerRow(Card):
    """Shows a `ModelChoice`. `get` follows a click on its button, `unload` one on the cross of a model in memory."""

    get = Signal()
    unload = Signal()

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, framed=False)
        self._role = role
        self._icon = Mark(16, self)
        self._button = self.add_button("button", self.get.emit)
        self.row.insertWidget(0, self._icon, 0, Qt.AlignmentFlag.AlignTop)
        # The tick stands where other rows have nothing, before the size.
        self._tick = Mark(16, self, icon("check"))
        self.row.insertWidget(2, self._tick)
        self.cross = styled(QToolButton(self), "quiet")
        self.cross.setIcon(icon("close"))
        self.cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cross.clicked.connect(lambda: self.unload.emit())
        self.row.addWidget(self.cross)
        self.lines.setContentsMargins(12, 5, 12, 5)

    def show_choice(self, choice: ModelChoice) -> None:
        self.choice = choice
        self._icon.show_icon(icon(*_icon_of(choice, self._role)))
        self.name.setText(model_wording.choice_name(choice))
        self.name.setEnabled(choice.usable)
        self.facts.setText(model_wording.choice_sentence(choice))
        self.badge.show_word(*self._badge_of(choice))
        words = self.tr("{size} in memory") if choice.kind == "unload" else "{size}"
        size = words.format(size=size_words(choice.bytes)) if choice.bytes else ""
        show_words(self.size_shown, size)
        self._tick.setVisible(choice.loaded)
        self._tick.setToolTip(self.tr("in use"))
        self.cross.setVisible(can_unload(choice))
        set_name(self.cross, self._unload_words())
        self._button.setVisible(_is_gettable(choice))
        self._button.setText(self.tr("Download"))

    @property
    def spoken(self) -> str:
        """The text of the row for screen readers."""
        parts = [self.name.text(), self.badge.text(), self.facts.text(), self.size_shown.text()]
        if self.choice.loaded:
            parts.append(self.tr("in use"))
        if _is_gettable(self.choice):
            parts.append(self._button.text())
        if can_unload(self.choice):
            parts.append(self._unload_words())
        return ", ".join(part for part in parts if part)

    def _unload_words(self) -> str:
        """Return the effect of the cross in words, with its keys."""
        size = self.choice.pair.bytes if self.choice.pair is not None else 0
        keys = UNLOAD_KEYS.toString(QKeySequence.SequenceFormat.NativeText)
        words = self.tr("Unload {name}: frees {size} ({keys})")
        return words.format(name=self.name.text(), size=size_words(size), keys=keys)

    def height_at(self, width: int) -> int:
        """Return the height of the row at that width."""
        self.ensurePolished()
        layout = self.layout()
        assert layout is not None
        layout.activate()
        return max(layout.totalHeightForWidth(width), _LEAST_HEIGHT)

    def _badge_of(self, choice: ModelChoice) -> tuple[str, str]:
        """Return the words of the badge and its tone; "" for no badge. The first condition that holds decides."""
        if choice.download is not None:
            return model_wording.download_badge(choice.download)[0], "lookup"
        if choice.best:
            return self.tr("best on this Mac"), "draft"
        if kind := self._kind_words(choice):
            return kind, "neutral"
        if choice.verdict == "together":
            return self.tr("multiple Macs"), "neutral"
        if choice.verdict == "different":
            return self.tr("different tokenizer"), "lookup"
        entry = choice.entry
        if entry is None:
            return "", "neutral"
        if self._role == "draft":
            # A main model's sentence names the app.
            return entry.app, "neutral"
        if choice.usable and entry.tight:
            return self.tr("tight"), "lookup"
        if choice.kind == "get" and entry.purpose:
            return model_wording.PURPOSES[entry.purpose], "neutral"
        return "", "neutral"

    def _kind_words(self, choice: ModelChoice) -> str:
        """Return the kind of the model in words, "" for a usual one."""
        entry = choice.entry
        if entry is not None and entry.head:
            from engine.model_files.head_kinds import title_of

            return self.tr("{method} head").format(method=title_of(entry.head))
        if entry is not None and entry.base:
            return "LoRA"
        if choice.advice is not None and choice.advice.verdict.startswith("head"):
            return source_name("head")
        return self.tr("built in") if choice.is_starter else ""


def can_unload(choice: ModelChoice) -> bool:
    """Return whether the row of a model has a cross that unloads it."""
    return choice.kind == "use" and choice.pair is not None


def _is_gettable(choice: ModelChoice) -> bool:
    return choice.kind == "get" and choice.usable and (choice.download is None or choice.download.stopped)


def _icon_of(choice: ModelChoice, role: str) -> tuple[str, str]:
    """Return the icon and its colour, which only repeat the words beside it."""
    if not choice.usable or choice.kind in ("none", "unload"):
        return "draft-off", "muted"
    if choice.kind == "lookup":
        return "draft-on", "lookup"
    if choice.verdict in ("different", "unknown"):
        return "draft-off", "lookup"
    if role == "main":
        mark = "main-model" if choice.kind == "use" else "draft-off"
        return mark, "main"
    mark = "draft-on" if choice.kind == "use" else "draft-off"
    return mark, "draft"

"""One row of a picker: a main model and what it can do, what drafts and what it has brought here, or a fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QToolButton, QWidget

from app.conversations.measured import is_gain
from app.models.card import Card
from app.widgets import theme
from app.widgets.badges import Bar
from app.widgets.icons import Mark, icon
from app.widgets.labels import label, set_name, show_words, tip
from app.widgets.layouts import fill, hbox
from app.widgets.style_class import set_style_class, styled
from app.wording import models as model_wording
from app.wording.figures import about, times
from app.wording.hub import size_words
from app.wording.sentences import translate

if TYPE_CHECKING:
    from app.library.model_choices import ModelChoice


# In pixels; more for facts of several lines.
_LEAST_HEIGHT = 44
_FOLD_HEIGHT = 30
# The width of the bar of accepted draft tokens at the normal text size, in pixels.
_BAR_WIDTH = 112
# On the current row. With Command on a Mac.
UNLOAD_KEYS = QKeySequence(Qt.Modifier.CTRL | Qt.Key.Key_U)


class PickerRow(Card):
    """Shows a `ModelChoice`: of a draft the share of its tokens that were accepted, as a bar, and its speed-up.

    `pressed` follows a click on its button, which downloads the model or tries the draft, and `unload` one on the cross
    of a model in memory. What else is known of a draft is the tool tip.
    """

    pressed = Signal()
    unload = Signal()

    def __init__(self, role: str, parent: QWidget | None = None) -> None:
        super().__init__(parent, framed=False)
        self._role = role
        self._icon = Mark(16, self)
        self._button = self.add_button("button", self.pressed.emit)
        self.row.insertWidget(0, self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self.bar = Bar(self)
        self.words.removeWidget(self.facts)
        self.words.insertLayout(self.words.count() - 1, fill(hbox(spacing=8), self.bar, (self.facts, 1)))
        # The tick stands where other rows have nothing, before the size.
        self._tick = Mark(16, self, icon("check"))
        self.row.insertWidget(2, self._tick)
        self.gain = label(self, "title")
        self.cross = styled(QToolButton(self), "quiet")
        self.cross.setIcon(icon("close"))
        self.cross.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.cross.clicked.connect(lambda: self.unload.emit())
        fill(self.row, self.gain, self.cross)
        self.lines.setContentsMargins(12, 5, 12, 5)

    def show_choice(self, choice: ModelChoice) -> None:
        self.choice = choice
        self._icon.show_icon(icon(*_icon_of(choice, self._role)))
        self.name.setText(model_wording.choice_name(choice))
        self.name.setEnabled(choice.usable)
        set_style_class(self.name, "muted" if choice.is_fold else "title")
        self.badge.show_word(*self._badge_of(choice))
        show_words(self.facts, model_wording.choice_sentence(choice))
        # The icon stands beside the name.
        is_alone = not self.facts.text()
        self.row.setAlignment(self._icon, Qt.AlignmentFlag.AlignVCenter if is_alone else Qt.AlignmentFlag.AlignTop)
        show_words(self.size_shown, self._size_words())
        self._show_accepted()
        self._show_gain()
        self._tick.setVisible(choice.loaded)
        self._tick.setToolTip(self.tr("in use"))
        self.cross.setVisible(can_unload(choice))
        set_name(self.cross, self._unload_words())
        words = self._button_words()
        self._button.setVisible(bool(words))
        self._button.setText(words)
        self._button.setAccessibleName(f"{words}: {self.name.text()}")
        self.setToolTip(tip(self.details))

    def _show_accepted(self) -> None:
        """Show the share of draft tokens that were accepted, if any were drafted."""
        counted = self.choice.counted
        self.bar.setVisible(counted is not None)
        if counted is not None:
            self.bar.setFixedWidth(theme.scaled(_BAR_WIDTH))
            share = counted.accepted / counted.drafted
            colour = "lookup" if self.choice.kind == "lookup" else "draft"
            self.bar.show_parts([(share, colour), (1.0 - share, "rejected")], self.facts.text())

    def _show_gain(self) -> None:
        """Show how many times as fast answers are, as compared with no draft."""
        gain = model_wording.choice_gain(self.choice)
        if gain is None:
            words = ""
        elif self.choice.kind == "none":
            # Nothing was measured: it is exactly 1.
            words = times(gain, 0)
        else:
            words = about(gain)
        show_words(self.gain, words)
        set_style_class(self.gain, "title-good" if is_gain(gain) else "title")

    @property
    def spoken(self) -> str:
        """The text of the row for screen readers: all that it shows."""
        gain = self.gain.text()
        gained = translate("Figures", "{times} as fast").format(times=gain) if gain else ""
        parts = [self.name.text(), self.badge.text(), self.facts.text(), gained, self.size_shown.text()]
        if self.choice.loaded:
            parts.append(self.tr("in use"))
        parts.append(self._button_words())
        if can_unload(self.choice):
            parts.append(self._unload_words())
        if self.choice.is_fold:
            parts.append(self.tr("expanded") if self.choice.kind == "fewer" else self.tr("collapsed"))
        return ", ".join(part for part in parts if part)

    @property
    def details(self) -> str:
        """What else is known of a draft, a line for each fact."""
        return model_wording.draft_details(self.choice) if self.choice.is_draft else ""

    def _size_words(self) -> str:
        """Return the size of a model; of a draft only what is to be downloaded."""
        choice = self.choice
        if not choice.bytes or (choice.is_draft and not _is_gettable(choice)):
            return ""
        words = self.tr("{size} in memory") if choice.kind == "unload" else "{size}"
        return words.format(size=size_words(choice.bytes))

    def _button_words(self) -> str:
        """Return what the button does; "" for no button."""
        if _is_gettable(self.choice):
            return self.tr("Download")
        return self.tr("Try") if self.choice.is_untried and not self.choice.loaded else ""

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
        return max(layout.totalHeightForWidth(width), _FOLD_HEIGHT if self.choice.is_fold else _LEAST_HEIGHT)

    def _badge_of(self, choice: ModelChoice) -> tuple[str, str]:
        """Return the words of the badge and its tone; "" for no badge. The first condition that holds decides."""
        if choice.download is not None:
            return model_wording.download_badge(choice.download)[0], "lookup"
        entry = choice.entry
        if entry is None or choice.is_draft:
            return "", "neutral"
        if entry.base:
            return "LoRA", "neutral"
        if choice.is_starter:
            return self.tr("built in"), "neutral"
        if choice.verdict == "together":
            return self.tr("multiple Macs"), "neutral"
        if choice.usable and entry.tight:
            return self.tr("tight"), "lookup"
        if choice.kind == "get" and entry.purpose:
            return model_wording.PURPOSES[entry.purpose], "neutral"
        return "", "neutral"


def can_unload(choice: ModelChoice) -> bool:
    """Return whether the row of a model has a cross that unloads it."""
    return choice.kind == "use" and choice.pair is not None


def _is_gettable(choice: ModelChoice) -> bool:
    return choice.kind == "get" and choice.usable and (choice.download is None or choice.download.stopped)


def _icon_of(choice: ModelChoice, role: str) -> tuple[str, str]:
    """Return the icon and its colour, which only repeat the words beside it."""
    if choice.is_fold:
        mark = "chevron-down" if choice.kind == "fewer" else "chevron-right"
        return mark, "muted"
    if not choice.usable or choice.kind in ("none", "unload"):
        return "draft-off", "muted"
    if choice.kind == "lookup":
        return "draft-on", "lookup"
    mark = "draft-off"
    if choice.kind == "use":
        mark = "main-model" if role == "main" else "draft-on"
    return mark, role

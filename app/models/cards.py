"""The cards of the Models page: one for a model, one for a download."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.models import wording
from app.models.hub_wording import size_words
from app.models.marks import Badge, Bar
from app.speculation.figures import times

if TYPE_CHECKING:
    from app.models.entries import Entry
    from app.models.measured import Measured
    from engine.hub.download_state import DownloadStatus
    from engine.hub.remove import RemovalPlan

_FIT_WIDTH, _BUTTON_WIDTH = 250, 108
# Below this width of a card its memory stands under its name.
_NARROW = 620


class Card(QFrame):
    """A name with badges and a line of facts on the left, `side` in the middle, buttons on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("card")
        self.name, self.facts = QLabel(self), QLabel(self)
        self.name.setProperty("look", "title")
        self.facts.setProperty("look", "muted")
        self.facts.setTextFormat(Qt.TextFormat.PlainText)
        self.facts.setWordWrap(True)
        self.badge = Badge(self)
        title = QHBoxLayout()
        title.setSpacing(8)
        title.addWidget(self.name)
        title.addWidget(self.badge)
        title.addStretch(1)
        self.words = QVBoxLayout()
        self.words.setSpacing(4)
        self.words.addStretch(1)
        self.words.addLayout(title)
        self.words.addWidget(self.facts)
        self.words.addStretch(1)
        self.side = QWidget(self)
        self.side_column = QVBoxLayout(self.side)
        self.side_column.setContentsMargins(0, 0, 0, 0)
        self.side_column.setSpacing(4)
        self._middle = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._middle.setSpacing(16)
        self._middle.addLayout(self.words, 1)
        self._middle.addWidget(self.side, 0, Qt.AlignmentFlag.AlignVCenter)
        self.buttons = QVBoxLayout()
        self.buttons.setSpacing(4)
        self.buttons.addStrut(_BUTTON_WIDTH)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 14, 16, 14)
        row.setSpacing(16)
        row.addLayout(self._middle, 1)
        row.addLayout(self.buttons)

    def add_button(self, look: str) -> QPushButton:
        button = QPushButton(self)
        button.setProperty("look", look)
        self.buttons.addWidget(button)
        return button

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = event.size().width() < _NARROW
        direction = QBoxLayout.Direction.TopToBottom if narrow else QBoxLayout.Direction.LeftToRight
        self._middle.setDirection(direction)
        self._middle.setSpacing(8 if narrow else 16)
        self._middle.setAlignment(self.side, Qt.AlignmentFlag(0) if narrow else Qt.AlignmentFlag.AlignVCenter)
        self.side.setMaximumWidth(16777215 if narrow else _FIT_WIDTH)
        self.side.setMinimumWidth(0 if narrow else _FIT_WIDTH)


class ModelCard(Card):
    """`used`, `got`, `checked` carry the entry; `removal_asked` too, and the answer comes with `ask_removal`."""

    used = Signal(object)
    got = Signal(object)
    checked = Signal(object)
    removal_asked = Signal(object)
    removal_confirmed = Signal(object)

    def __init__(self, entry: Entry, with_care: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entry = entry
        self._plan: RemovalPlan | None = None
        self._loaded = False
        self._measured: Measured | None = None
        self._bar, self._sum = Bar(self.side), QLabel(self.side)
        self._sum.setProperty("look", "muted")
        self._sum.setWordWrap(True)
        self.side_column.addWidget(self._bar)
        self.side_column.addWidget(self._sum)
        self.main_button = self.add_button("button")
        self.main_button.clicked.connect(self._act)
        self.check_button, self.remove_button = self._care_buttons(with_care)

    def _care_buttons(self, with_care: bool) -> tuple[QPushButton, QPushButton]:
        check, remove = self.add_button("quiet"), self.add_button("quiet")
        check.clicked.connect(lambda: self.checked.emit(self.entry))
        remove.clicked.connect(self._remove)
        for button in (check, remove):
            button.setVisible(with_care and not self.entry.is_starter)
        return check, remove

    def show_state(
        self, loaded: bool, status: DownloadStatus | None, verifying: bool, measured: Measured | None = None
    ) -> None:
        """What is true of the model now: in use, on its way or being checked, and what its draft has brought."""
        entry = self.entry
        self._loaded, self._measured = loaded, measured
        if self._plan is not None:
            # The question stands until it is answered.
            return
        on_its_way = status is not None and status.state not in ("ready", "failed")
        self.name.setText(wording.entry_name(entry))
        self.facts.setText(self._facts())
        self.badge.say(*self._badge(loaded, verifying))
        self._show_fit()
        self.main_button.setText(self._button_text(on_its_way))
        self.main_button.setAccessibleName(f"{self.main_button.text()}: {self.name.text()}")
        self.main_button.setEnabled(not on_its_way and (not entry.problem or self._partial))
        self._set_look("accent" if not entry.here and not on_its_way and self._fits else "button")
        self.check_button.setText(self.tr("Check files"))
        self.check_button.setEnabled(not verifying)
        self.remove_button.setText(self.tr("Remove…"))
        self.remove_button.setEnabled(not loaded)
        self.remove_button.setToolTip(self.tr("It is in use. Choose another model first.") if loaded else "")
        for button in (self.check_button, self.remove_button):
            button.setAccessibleName(f"{button.text()}: {self.name.text()}")

    def ask_removal(self, plan: RemovalPlan) -> None:
        """Say what a removal does and wait for the answer, here in the card."""
        self._plan = plan
        size = size_words(plan.freed_bytes)
        sentence = self.tr("Remove it and free {size}?").format(size=size)
        if plan.shared:
            sentence += " " + self.tr("Other programs that use the Hugging Face cache lose it too.")
        self.facts.setText(sentence)
        self.main_button.setText(self.tr("Free {size}").format(size=size))
        self.main_button.setEnabled(True)
        self._set_look("accent")
        self.remove_button.setText(self.tr("Keep"))
        self.main_button.setFocus()

    @property
    def _partial(self) -> bool:
        return self.entry.problem == "incomplete" and self.entry.source == "cache"

    @property
    def _fits(self) -> bool:
        return self.entry.fit is None or self.entry.fit.fits

    def _act(self) -> None:
        if self._plan is not None:
            plan, self._plan = self._plan, None
            self.removal_confirmed.emit(plan)
        elif self.entry.complete and self.entry.path:
            self.used.emit(self.entry)
        elif self.entry.here and not self._partial:
            # A curated or found model that is here: its folder is known to whoever listens.
            self.used.emit(self.entry)
        else:
            self.got.emit(self.entry)

    def _remove(self) -> None:
        if self._plan is None:
            self.removal_asked.emit(self.entry)
        else:
            self._plan = None
            self.show_state(self._loaded, None, False, self._measured)

    def _facts(self) -> str:
        entry = self.entry
        if entry.problem:
            return wording.problem_words(entry)
        if entry.is_starter:
            return self.tr("A tiny guide to this app. Works offline, at once.")
        if entry.fit is not None and not entry.fit.fits:
            return wording.too_big_words(entry.fit)
        facts = wording.facts_words(entry)
        if not entry.draft:
            return facts
        draft = self.tr("With {draft} as draft").format(draft=entry.draft_name)
        if speed := self._speed():
            draft += " · " + speed
        return f"{draft} · {facts}" if facts else draft

    def _speed(self) -> str:
        """What the draft has brought here, else what it may bring and that this is a guess."""
        if self._measured is not None:
            return self.tr("{speed} measured here").format(speed=times(self._measured.speedup))
        if self.entry.expected is None:
            return ""
        return self.tr("{speed} expected (estimate)").format(speed=times(self.entry.expected.speedup))

    def _badge(self, loaded: bool, verifying: bool) -> tuple[str, str]:
        if verifying:
            return self.tr("checking"), "lookup"
        if loaded:
            return self.tr("in use"), "main"
        if self.entry.is_starter:
            return self.tr("built in"), "draft"
        if self.entry.here and not self.entry.problem:
            return self.tr("installed"), "draft"
        if self.entry.fit is not None and not self.entry.fit.fits:
            return self.tr("too large"), "lookup"
        if self.entry.tight:
            return self.tr("tight"), "lookup"
        return (self.tr("pair"), "neutral") if self.entry.draft else ("", "neutral")

    def _show_fit(self) -> None:
        fit = self.entry.fit
        self._bar.setVisible(fit is not None and not self.entry.is_starter)
        if fit is None or self.entry.is_starter:
            self._sum.setText(size_words(self.entry.bytes) if self.entry.bytes else "")
            return
        words = wording.fit_words(fit)
        shares = wording.fit_shares(fit)
        colours = ("main", "draft", "rejected")
        self._bar.show_parts([(share / fit.limit, name) for share, name in zip(shares, colours, strict=True)], words)
        self._bar.setToolTip(self.tr("{size} of memory can be used.").format(size=size_words(fit.limit)))
        self._sum.setText(words)

    def _button_text(self, on_its_way: bool) -> str:
        if on_its_way:
            return self.tr("Getting it…")
        if self.entry.here and not self._partial:
            return self.tr("Chat")
        size = self.entry.get_bytes or (0 if self._partial else self.entry.bytes)
        return self.tr("Get {size}").format(size=size_words(size)) if size else self.tr("Get")

    def _set_look(self, look: str) -> None:
        if self.main_button.property("look") != look:
            self.main_button.setProperty("look", look)
            self.style().unpolish(self.main_button)
            self.style().polish(self.main_button)


class DownloadCard(Card):
    """A download: `command` carries pause, resume or cancel."""

    command = Signal(str)

    def __init__(self, repository: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.repository = repository
        self._bar = Bar(self)
        self.words.insertWidget(2, self._bar)
        self.side.hide()
        self._next = "pause"
        self.main_button = self.add_button("button")
        self.cancel_button = self.add_button("quiet")
        self.main_button.clicked.connect(lambda: self.command.emit(self._next))
        self.cancel_button.clicked.connect(lambda: self.command.emit("cancel"))

    def show_status(self, status: DownloadStatus, name: str) -> None:
        self.name.setText(name)
        words = wording.download_words(status)
        self.facts.setText(words)
        tones = {"ready": "draft", "failed": "problem", "paused": "lookup"}
        self.badge.say(wording.state_word(status.state), tones.get(status.state, "neutral"))
        share = status.bytes_done / status.bytes_total if status.bytes_total else 0.0
        colour = {"paused": "lookup", "failed": "problem"}.get(status.state, "draft")
        self._bar.show_parts([(share, colour)], words)
        self._next = {"paused": "resume", "failed": "resume"}.get(status.state, "pause")
        texts = {"paused": self.tr("Resume"), "failed": self.tr("Try again")}
        self.main_button.setText(texts.get(status.state, self.tr("Pause")))
        self.main_button.setVisible(status.state != "ready")
        self.cancel_button.setText(self.tr("Clear") if status.state == "ready" else self.tr("Cancel"))
        for button in (self.main_button, self.cancel_button):
            button.setAccessibleName(f"{button.text()}: {name}")

"""The list of presets above the message box while a message begins with a slash."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem, QWidget

from app.chat.composer import Composer
from app.chat.preset_names import choose, chosen_in, name_of, presets_of
from app.conversations.presets import Preset
from app.session.session import Session
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.keys import ENTER, claims_escape
from app.widgets.layouts import vbox
from app.widgets.restyled import Restyled

# Input methods for Chinese and Japanese write the full-width sign.
_SIGNS = ("/", "／")
_ROWS_SHOWN, _ROW_HEIGHT, _WIDTH, _GAP = 6, 32, 320, 8


class SlashMenu(Restyled, QFrame):
    """The list, shown while the message is a slash and a part of a preset's name.

    Up and Down select, Enter or Tab applies the preset to the chat, and Esc closes the list. The message box keeps the
    focus. While an input method composes, it gets all keys, and the list already follows the text being composed.
    """

    def __init__(self, session: Session, composer: Composer, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._composer, self._edit, self._window = session, composer, composer.edit, window
        self._found: list[Preset] = []
        self._declined = False
        self.setObjectName("overlay")
        self._list = self.bound("Presets", QListWidget(self), QWidget.setAccessibleName)
        self._list.setObjectName("presetList")
        self._list.setIconSize(QSize(16, 16))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        vbox(self, margins=(6, 6, 6, 6)).addWidget(self._list)
        self._list.itemClicked.connect(lambda _item: self._choose())
        self._list.currentRowChanged.connect(lambda _row: self._announce())
        self._edit.edited.connect(self._follow)
        self._edit.installEventFilter(self)
        window.installEventFilter(self)
        session.chats.opened.connect(lambda _chat: self.hide())
        self.hide()
        self.restyle()

    @property
    def rows(self) -> list[str]:
        """The shown names, from the top; [] while the list is hidden."""
        return [] if self.isHidden() else [name_of(preset) for preset in self._found]

    def _wanted(self) -> str | None:
        """Return the text after the slash, including the text being composed; None for any other text."""
        cursor = self._edit.textCursor()
        text = self._edit.toPlainText()
        text = text[: cursor.position()] + self._edit.preedit() + text[cursor.position() :]
        if not text.startswith(_SIGNS) or "\n" in text:
            return None
        return text[1:].strip().casefold()

    def _follow(self) -> None:
        wanted = self._wanted()
        self._declined = self._declined and wanted is not None
        self._found = []
        if wanted is not None and not self._declined and self._edit.hasFocus():
            self._found = [preset for preset in presets_of(self._session) if wanted in name_of(preset).casefold()]
            self._found.sort(key=lambda preset: not name_of(preset).casefold().startswith(wanted))
        if not self._found:
            self._close()
            return
        self._fill()
        self._place()
        self.show()
        self.raise_()
        self._announce()

    def _fill(self) -> None:
        self._list.clear()
        chosen, blank = chosen_in(self._session), QPixmap(self._list.iconSize())
        blank.fill(Qt.GlobalColor.transparent)
        for preset in self._found:
            item = QListWidgetItem(name_of(preset), self._list)
            item.setSizeHint(QSize(0, theme.scaled(_ROW_HEIGHT)))
            # The blank icon aligns the names.
            item.setIcon(QIcon(blank))
            if preset == chosen:
                item.setIcon(icon("check", theme.colours().muted))
                item.setData(Qt.ItemDataRole.AccessibleTextRole, self.tr("{name}, in use").format(name=name_of(preset)))
        self._list.setCurrentRow(0)

    def _place(self) -> None:
        """Place the list above the message box, at its left edge, within the window."""
        rows = min(_ROWS_SHOWN, len(self._found))
        height = theme.scaled(_ROW_HEIGHT) * rows + 14
        corner = self._composer.mapTo(self._window, QPoint(0, 0))
        width = min(theme.scaled(_WIDTH), self._composer.width())
        self.setGeometry(corner.x(), max(0, corner.y() - height - _GAP), width, height)

    def _choose(self) -> None:
        row = self._list.currentRow()
        if 0 <= row < len(self._found):
            preset = self._found[row]
            # This ends the search.
            self._edit.take_text()
            choose(self._session, preset)
        self._close()

    def _close(self) -> None:
        self.hide()
        self._edit.setAccessibleDescription("")

    def _announce(self) -> None:
        """Describe the selected preset to screen readers, at the message box, which has the focus."""
        item = self._list.currentItem()
        if item is not None and not self.isHidden():
            words = item.data(Qt.ItemDataRole.AccessibleTextRole) or item.text()
            self._edit.setAccessibleDescription(self.tr("Preset: {name}").format(name=words))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if self.isHidden():
            return super().eventFilter(watched, event)
        if watched is self._window and event.type() == QEvent.Type.Resize:
            self._place()
        elif watched is self._edit and event.type() == QEvent.Type.FocusOut:
            self._close()
        elif watched is self._edit and isinstance(event, QKeyEvent) and not self._edit.preedit():
            is_press = event.type() == QEvent.Type.KeyPress
            return claims_escape(event) or (is_press and self._press(event)) or super().eventFilter(watched, event)
        return super().eventFilter(watched, event)

    def _press(self, event: QKeyEvent) -> bool:
        """Handle a key of the list. Returns whether `event` was one."""
        key, plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if key == Qt.Key.Key_Escape:
            self._declined = True
            self._close()
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and plain:
            step = 1 if key == Qt.Key.Key_Down else -1
            self._list.setCurrentRow((self._list.currentRow() + step) % len(self._found))
        elif (key in ENTER or key == Qt.Key.Key_Tab) and plain:
            self._choose()
        else:
            return False
        return True

    def retranslate(self) -> None:
        if not self.isHidden():
            self._follow()

    def apply_theme(self) -> None:
        if not self.isHidden():
            self._fill()

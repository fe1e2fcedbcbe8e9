"""The method, depth and acceptance rule of the chat, chosen in the live panel without loading models again."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QPushButton, QWidget

from app.session.session import Session
from app.speculation.forms import SpeculationForm
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.layouts import fill, vbox
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled


class ChatControls(Restyled, QWidget):
    """Shows and changes the session's settings from the next answer on. Its button makes and unfolds the form."""

    def __init__(self, session: Session, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        self.fold = self.bound("Speculation options", styled(QPushButton(self), "fold"))
        self.bound(
            "Draft source, draft length and acceptance rule. Applies from the next answer.",
            self.fold,
            QWidget.setToolTip,
        )
        self.fold.setIconSize(QSize(14, 14))
        self.fold.setCheckable(True)
        self._form: SpeculationForm | None = None
        self.fold.toggled.connect(self._unfold)
        self._column = fill(vbox(self, margins=(0, 0, 0, 0), spacing=0), (self.fold, 0, Qt.AlignmentFlag.AlignLeft))
        session.settings.speculation_changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show the settings of the next answer."""
        if self._form is not None:
            self._form.show_settings(self._session.settings.speculation)

    def retranslate(self) -> None:
        self.refresh()

    def _unfold(self, unfolded: bool) -> None:
        if self._form is None:
            # The switch of the panel turns speculation off.
            self._form = SpeculationForm(self, with_off=False)
            self._form.chosen.connect(self._session.settings.set_speculation)
            self._column.addWidget(self._form)
            self.refresh()
        self._form.setVisible(unfolded)
        self.apply_theme()

    def apply_theme(self) -> None:
        chevron = "chevron-down" if self.fold.isChecked() else "chevron-right"
        self.fold.setIcon(icon(chevron, theme.colours().muted))

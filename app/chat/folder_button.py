"""The button below the message box that says which folder's files and instructions the chat begins with."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolButton, QWidget

from app.session.session import Session
from app.widgets import theme
from app.widgets.icons import icon
from app.widgets.labels import set_name
from app.widgets.restyled import Restyled
from app.widgets.style_class import styled

_WIDEST_NAME = 120


class FolderButton(Restyled, QToolButton):
    """Opens the folder's page by `action`. Hidden for a chat that begins with nothing of a folder."""

    def __init__(self, session: Session, action: QAction, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._session = session
        styled(self, "small")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(18, 14))
        self.clicked.connect(action.trigger)
        for changed in (session.chats.opened, session.list.changed, session.projects.changed):
            changed.connect(self.refresh)
        self.restyle()

    def refresh(self) -> None:
        """Show the folder of the chat on screen."""
        project = self._session.projects.known(self._session.chat.folder_id)
        begins = project is not None and bool(project.sources or project.folder.instructions)
        self.setVisible(begins)
        if project is not None and begins:
            name = project.folder.name
            short = self.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, _WIDEST_NAME)
            self.setText(short.replace("&", "&&"))
            words = self.tr("This chat begins with the instructions and files of “{name}”")
            set_name(self, words.format(name=name))
        self.updateGeometry()

    retranslate = refresh

    def apply_theme(self) -> None:
        self.setIcon(icon("folder", theme.colours().muted))

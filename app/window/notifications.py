"""What the window has to tell of its own: an error nobody expected, the crash before this start, settings set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QUrl
from PySide6.QtGui import QDesktopServices

from app.wording.relocation import refused_sentence

if TYPE_CHECKING:
    from pathlib import Path

    from app.actions.state import Actions
    from app.settings.relocation import MoveRefused
    from app.widgets.banner import Banner


class Notifications:
    """Owned by the window; tells in its banner."""

    def __init__(self, banner: Banner, actions: Actions) -> None:
        self._banner, self._actions = banner, actions
        self.report: Path | None = None

    def show_error(self, file: Path | None) -> None:
        """An error that nobody expected, and where its details are."""
        self._have(file)
        translate = QCoreApplication.translate

        def sentence() -> str:
            if file is None:
                return translate(
                    "MainWindow", "Something unexpected happened. Tandem keeps running; the details could not be saved."
                )
            return translate(
                "MainWindow", "Something unexpected happened. Tandem keeps running; the details are in {file}."
            ).format(file=file)

        self._banner.show_message(sentence, self._actions["show-report"] if file is not None else None)

    def show_crash_report(self, file: Path) -> None:
        """The program ended by a crash the last time. Its report stays on this computer."""
        self._have(file)
        translate = QCoreApplication.translate

        def sentence() -> str:
            return translate(
                "MainWindow",
                "Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this computer.",
            )

        self._banner.show_message(sentence, self._actions["show-report"])

    def show_backup(self, backup: Path) -> None:
        """Settings that could not be read, and where the old file is."""

        def sentence() -> str:
            text = QCoreApplication.translate(
                "MainWindow",
                "Some of your settings could not be read and are back at their defaults. The old file is kept as "
                "{file}.",
            )
            return text.format(file=backup)

        self._banner.show_message(sentence, None, calm=True)

    def show_move_refusal(self, refused: MoveRefused) -> None:
        """Why the chats were not moved at this start."""
        self._banner.show_message(lambda: refused_sentence(refused), None)

    def _have(self, report: Path | None) -> None:
        """What "show-report" opens from now on."""
        self.report = report
        self._actions["show-report"].setEnabled(report is not None)

    def show_report(self) -> None:
        if self.report is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.report)))

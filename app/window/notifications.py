"""Messages in the window's banner: unexpected errors, the crash of the last run, and what the store reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, QObject, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices

from app.actions.actions import Actions
from app.conversations.database.errors import StoreError, StoreNotWritable
from app.session.chats import Chat
from app.session.model_service import ModelService
from app.session.session import Session
from app.settings.relocation import MoveRefused
from app.settings.updates import Release
from app.system.language import best_language
from app.system.versions import OLD_MACOS
from app.widgets.banner import Banner
from app.wording.checkup import accelerators_sentence
from app.wording.errors import damage_sentence, error_sentence, joined, store_sentence
from app.wording.hub import refused_sentence
from app.wording.models import crowded_sentence
from app.wording.sources import recorded_name
from engine.errors import EngineError

# The topics of messages that are dismissed when their reason is gone.
_ABOUT_MODELS = "models"
_ABOUT_DELETED = "deleted"
_ABOUT_SAVING = "saving"
_ABOUT_UNEXPECTED = "unexpected"


class Notifications(QObject):
    """Words and shows the messages.

    `report` is the file that the action "show-report" opens; `report_changed` is emitted when it is replaced.
    """

    report_changed = Signal()

    def __init__(self, banner: Banner, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._banner = banner
        self._actions = actions
        self.report: Path | None = None
        self._session: Session | None = None
        # The chat that was on screen at the last unexpected error.
        self._disturbed: Chat | None = None
        self._local_models = QAction(self)
        self._again = QAction(self)

    def follow(self, session: Session) -> None:
        """Show a message when an engine ends unexpectedly or a model cannot be used."""
        self._session = session
        session.chats.opened.connect(self._leave_error)
        session.models.restarted.connect(self.show_restart)
        session.models.failed.connect(partial(self._show_model_problem, session.models))
        session.models.changed.connect(partial(self._follow_models, session.models))
        session.models.crowded.connect(lambda: self._banner.show_message(crowded_sentence, is_info=True))
        self._local_models.triggered.connect(session.cluster.load_local_models)
        self._again.triggered.connect(session.cluster.start_again)
        session.cluster.ended.connect(self.show_machines_ended)

    def _follow_models(self, models: ModelService) -> None:
        if models.pair.loading:
            self._banner.dismiss(_ABOUT_MODELS)
        elif models.pair.draft_problem is not None:
            self._show_model_problem(models, models.pair.draft_problem)

    def _show_model_problem(self, models: ModelService, error: EngineError) -> None:
        if models.pair.main is None:
            helps = "use-starter"
        elif error is models.pair.draft_problem:
            helps = "choose-draft"
        else:
            helps = "choose-main"
        self._banner.show_message(lambda: error_sentence(error), self._actions[helps], about=_ABOUT_MODELS)

    def hide_deleted(self) -> None:
        """Dismiss the message about the last deletion, after it was undone."""
        self._banner.dismiss(_ABOUT_DELETED)

    def show_error(self, report: Path | None) -> None:
        """Show until another chat is opened that an unexpected error happened; `report` has its details."""
        self._set_report(report)
        self._disturbed = self._session.chat if self._session is not None else None

        def sentence() -> str:
            if report is None:
                return self.tr("Something unexpected happened. Tandem keeps running; the details could not be saved.")
            text = self.tr("Something unexpected happened. Tandem keeps running; the details are in {file}.")
            return text.format(file=report.name)

        action = self._actions["show-report"] if report is not None else None
        self._banner.show_message(sentence, action, about=_ABOUT_UNEXPECTED)

    def _leave_error(self, chat: Chat) -> None:
        """Leave the message about an unexpected error with its chat, but not one that opening this one raised."""
        if chat is not self._disturbed:
            self._banner.dismiss(_ABOUT_UNEXPECTED)

    def show_crash_report(self, report: Path) -> None:
        """Show that the last run ended in a crash."""
        self._set_report(report)
        self._banner.show_message(
            lambda: self.tr(
                "Tandem quit unexpectedly last time. Your chats are safe, and the report stays on this Mac."
            ),
            self._actions["show-report"],
        )

    def show_old_macos(self) -> None:
        """Show that the installed MLX needs a newer macOS."""
        self._banner.show_message(lambda: QCoreApplication.translate("Checkup", OLD_MACOS))

    def show_accelerators(self, lacks_kernels: bool) -> None:
        """Show it if the installed MLX leaves the chip's neural accelerators unused."""
        if lacks_kernels:
            self._banner.show_message(accelerators_sentence, is_info=True, stays=True)

    def show_backup(self, backup: Path) -> None:
        """Show that settings could not be read and that the old file is kept as `backup`."""

        def sentence() -> str:
            text = self.tr("Some settings could not be read and were reset. The old file was kept as {file}.")
            return text.format(file=backup)

        self._banner.show_message(sentence, is_info=True, stays=True)

    def show_move_refusal(self, refused: MoveRefused) -> None:
        """Show why the chats were not moved at this start."""
        self._banner.show_message(lambda: refused_sentence(refused))

    def show_restart(self, left_out: str) -> None:
        """Show that a new engine replaced one that ended. `left_out` is the model that is not loaded again, or ""."""

        def sentence() -> str:
            if not left_out:
                return self.tr("The engine stopped unexpectedly and was started again. Your chats are safe; ask again.")
            text = self.tr("The engine stopped twice with {model}, so the starter pair is loaded instead.")
            return text.format(model=recorded_name(left_out))

        self._banner.show_message(sentence)

    def show_restored(self, outcome: Path | Exception) -> None:
        """Show the outcome of restoring a backup: the file that keeps the chats from before, or the error."""

        def sentence() -> str:
            if isinstance(outcome, Path):
                text = self.tr("Backup restored. Your previous chats were saved as {file}.")
                return text.format(file=outcome)
            return self.tr("The backup could not be restored. Your chats are as they were.")

        self._banner.show_message(sentence, is_info=isinstance(outcome, Path), stays=True)

    def show_update(self, release: Release, page: QAction) -> None:
        """Show that there is a newer release; `page` opens its page."""

        def sentence() -> str:
            page.setText(self.tr("Open the page"))
            text = self.tr("Tandem {version} is available.").format(version=release.version)
            return joined(text, release.news_in(best_language([QLocale().name()])))

        self._banner.show_message(sentence, page, is_info=True, stays=True)

    def show_no_update(self, reason: str) -> None:
        """Show why there is no update: "newest", "offline", "no-feed", or the reason of `UpdateCheckFailed`."""

        def sentence() -> str:
            return {
                "newest": self.tr("Tandem is up to date."),
                "offline": self.tr(
                    "Tandem is set to work offline. Change that in Settings > Privacy and network to check for updates."
                ),
                "no-feed": self.tr(
                    "This copy was built from source, so Tandem can't check for updates. Update the source instead."
                ),
                "invalid": self.tr(
                    "The update information is damaged or isn't signed by Tandem's publisher. Nothing was changed."
                ),
                "expired": self.tr(
                    "The update information has expired, so Tandem can't tell whether there is a newer version. Check "
                    "the date of this Mac, and try again later."
                ),
            }.get(reason, self.tr("Tandem couldn't check for updates. Check the network and try again."))

        self._banner.show_message(sentence, is_info=reason == "newest")

    def show_trashed(self, title: str) -> None:
        name = title or self.tr("Untitled chat")
        sentence = self.tr("“{title}” was moved to the trash.").format(title=name)
        self._show_deleted(lambda: sentence)

    def show_left(self, is_restorable: bool) -> None:
        """Show that a temporary chat was left, as long as it can be restored."""
        if is_restorable:
            self._show_deleted(lambda: self.tr("The temporary chat is deleted in ten seconds."))
        else:
            self.hide_deleted()

    def show_archived(self, title: str) -> None:
        name = title or self.tr("Untitled chat")
        sentence = self.tr("“{title}” was archived.").format(title=name)
        self._banner.show_message(lambda: sentence, is_info=True)

    def show_branched(self) -> None:
        self._banner.show_message(lambda: self.tr("This is a copy of the chat up to that answer."), is_info=True)

    def show_deleted(self, count: int) -> None:
        """Show that `count` messages were deleted at once."""
        self._show_deleted(lambda: self.tr("%Ln message(s) deleted.", "", count))

    def _show_deleted(self, sentence: Callable[[], str]) -> None:
        # The action restores only the last deletion.
        self.hide_deleted()
        self._banner.show_message(sentence, self._actions["restore-chat"], is_info=True, about=_ABOUT_DELETED)

    def show_store_error(self, error: StoreError, can_save_again: bool) -> None:
        again = self._actions["save-again"] if can_save_again else None
        about = _ABOUT_SAVING if isinstance(error, StoreNotWritable) else ""
        self._banner.show_message(lambda: store_sentence(error), again, about=about)

    def hide_refused_writes(self) -> None:
        """Dismiss the messages that the system refuses writes, after it took one."""
        self._banner.dismiss(_ABOUT_SAVING)

    def show_damage(self, damaged_file: Path) -> None:
        """Show that the store was damaged, and where the damaged file is."""
        self._banner.show_message(lambda: damage_sentence(damaged_file), self._actions["show-chats-folder"])

    def show_machines_ended(self, error: EngineError) -> None:
        """Show that one of several machines that answered together was lost."""

        def sentence() -> str:
            self._local_models.setText(self.tr("Continue on this Mac"))
            self._again.setText(self.tr("Start again"))
            return error_sentence(error)

        self._banner.show_message(sentence, self._again, self._local_models, about=_ABOUT_MODELS)

    def _set_report(self, report: Path | None) -> None:
        self.report = report
        self.report_changed.emit()

    def open_report(self) -> None:
        if self.report is not None:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(self.report)))

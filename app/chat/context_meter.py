"""Shows how much of the context the chat and the unsent message take. Counts off the Qt thread while typing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from app.chat.composer import Composer
from app.conversations.chat_settings import filled
from app.conversations.records import Attachment
from app.session import prompt_variables
from app.session.attachments import count_tokens
from app.session.session import Session
from app.system.background import Background
from app.wording.figures import number, percent

# Counting starts this many milliseconds after the last key press.
_PAUSE_MS = 150


@dataclass(frozen=True)
class _Unsent:
    """What is to be counted. `before` are the tokens that the chat has already."""

    model: Path
    text: str
    attachments: tuple[Attachment, ...]
    before: int


class ContextMeter(QObject):
    """Sets the composer's info line. Counts of a message that has changed meanwhile are dropped."""

    def __init__(self, session: Session, composer: Composer, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._composer = session, composer
        self._background = Background("tokens", parent=self)
        self._counted: _Unsent | None = None
        self._tokens = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._count)
        chats, answers = session.chats, session.answers
        for changed in (
            *(composer.edit.edited, composer.files.changed, session.models.changed, session.settings.chat_changed),
            *(chats.opened, chats.path_changed, answers.asked, answers.ended),
        ):
            changed.connect(self._count_soon)
        self.show_usage()

    def close(self) -> None:
        """Count no more; waits for a count that is running."""
        # Signals of the session that come later must not start the timer again.
        self._timer.blockSignals(True)
        self._timer.stop()
        self._background.close()

    def show_usage(self) -> None:
        """Show what is known now."""
        pair = self._session.models.pair
        if pair.loading == "main":
            self._composer.set_info(self.tr("The models are loading. You can write already."))
        elif pair.main is None:
            self._composer.set_info(self.tr("No main model is loaded."))
        else:
            self._composer.set_info(*self._usage(self._tokens, pair.main.context_length))

    def _usage(self, used: int, limit: int) -> tuple[str, bool, str]:
        """The info line, whether it is a problem, and its brief form."""
        if not used:
            return "", False, ""
        if used >= limit:
            text = self.tr("{used} of {limit} tokens: too long for this model")
        else:
            text = self.tr("{used} of {limit} tokens")
        return text.format(used=number(used, 0), limit=number(limit, 0)), used >= limit, percent(used / limit)

    def _count_soon(self, *_: object) -> None:
        self.show_usage()
        self._timer.start()

    def _count(self) -> None:
        unsent = self._unsent()
        if unsent is None or unsent == self._counted:
            self.show_usage()
        else:
            self._background.run(lambda: _count(unsent), lambda counts: self._show_counts(unsent, *counts))

    def _show_counts(self, unsent: _Unsent, text: int, files: list[int | None]) -> None:
        if unsent != self._unsent():
            return
        self._counted = unsent
        self._composer.files.show_counts(dict(zip(unsent.attachments, files, strict=True)))
        self._tokens = unsent.before + text + sum(count or 0 for count in files)
        self.show_usage()

    def _unsent(self) -> _Unsent | None:
        session = self._session
        if session.models.pair.main is None:
            return None
        chat, text = session.chat, self._composer.edit.toPlainText()
        before = chat.context_tokens()
        if not before and chat.system_prompt:
            text = f"{filled(chat.system_prompt, prompt_variables.values(session.models.pair))}\n{text}"
        return _Unsent(Path(session.models.pair.main.path), text, self._composer.files.attachments, before)


def _count(unsent: _Unsent) -> tuple[int, list[int | None]]:
    """Tokens of the text, 0 if it cannot be counted, and of each file, None if it cannot. Runs on a thread."""
    files = [count_tokens(unsent.model, attachment.text) for attachment in unsent.attachments]
    return (count_tokens(unsent.model, unsent.text) or 0) if unsent.text else 0, files

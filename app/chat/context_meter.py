"""How much of the context the chat takes with what is being written, counted beside the window's work while typing."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.conversations.chat_settings import filled
from app.session import prompt_variables
from app.session.attachments import count_tokens
from app.wording.figures import number, percent

if TYPE_CHECKING:
    from concurrent.futures import Future

    from app.chat.composer import Composer
    from app.conversations.records import Attachment
    from app.session.session import Session

# Counting follows the last key press after this many milliseconds.
_PAUSE_MS = 150


@dataclass(frozen=True)
class _Written:
    """What is to be counted: `before` are the tokens that the chat has already."""

    model: Path
    text: str
    attachments: tuple[Attachment, ...]
    before: int


class ContextMeter(QObject):
    """Tells the composer. Figures of a draft that has changed meanwhile are dropped."""

    def __init__(self, session: Session, composer: Composer, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._composer = session, composer
        self._pool: ThreadPoolExecutor | None = None
        self._counted: _Written | None = None
        self._tokens = 0
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_PAUSE_MS)
        self._timer.timeout.connect(self._count)
        for changed in (
            composer.edit.edited,
            composer.files.changed,
            session.chats.opened,
            session.settings.chat_changed,
        ):
            changed.connect(self._soon)
        session.models.changed.connect(self._soon)
        session.answers.asked.connect(self._soon)
        session.answers.ended.connect(self._soon)
        self.tell()

    def close(self) -> None:
        # What the session says after the end must not start a thread again.
        self._timer.blockSignals(True)
        self._timer.stop()
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def tell(self) -> None:
        """Say what is known now."""
        pair = self._session.models.pair
        if pair.loading == "main":
            self._composer.set_info(self.tr("The models are loading. You can write already."))
        elif pair.main is None:
            self._composer.set_info(self.tr("No main model is loaded."))
        else:
            self._composer.set_info(*self._words(self._tokens, pair.main.context_length))

    def _words(self, used: int, limit: int) -> tuple[str, bool, str]:
        if not used:
            return "", False, ""
        if used >= limit:
            text = self.tr("{used} of {limit} tokens: too long for this model")
        else:
            text = self.tr("{used} of {limit} tokens")
        return text.format(used=number(used, 0), limit=number(limit, 0)), used >= limit, percent(used / limit)

    def _soon(self, *_: object) -> None:
        self.tell()
        self._timer.start()

    def _count(self) -> None:
        written = self._written()
        if written is None or written == self._counted:
            self.tell()
            return
        if self._pool is None:
            self._pool = ThreadPoolExecutor(1, "tokens")

        def work() -> tuple[int | None, list[int | None]]:
            each = [count_tokens(written.model, attachment.text) for attachment in written.attachments]
            text = count_tokens(written.model, written.text) if written.text else 0
            return text, each

        def done(future: Future[tuple[int | None, list[int | None]]]) -> None:
            # At the end of the window, what waits is no longer counted.
            if future.cancelled() or written != self._written():
                return
            self._counted = written
            text, each = future.result()
            self._composer.files.show_counts(dict(zip(written.attachments, each, strict=True)))
            self._tokens = written.before + (text or 0) + sum(count or 0 for count in each)
            self.tell()

        self._session.watch(self._pool.submit(work), done)

    def _written(self) -> _Written | None:
        session = self._session
        if session.models.pair.main is None:
            return None
        chat, text = session.chat, self._composer.edit.toPlainText()
        before = chat.context_tokens()
        if not before and chat.system_prompt:
            text = f"{filled(chat.system_prompt, prompt_variables.values(session.models.pair))}\n{text}"
        return _Written(Path(session.models.pair.main.path), text, self._composer.files.attachments, before)

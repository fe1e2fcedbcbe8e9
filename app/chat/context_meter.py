"""Shows how much of the context the chat and the unsent message take, and offers to shorten what does not fit.

It counts tokens off the Qt thread.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from app.chat.composer import Composer
from app.conversations.chat_settings import filled
from app.conversations.projects import start_of
from app.conversations.records import Attachment, pictures_in
from app.session import prompt_variables
from app.session.attachments import count_tokens, cut_to_tokens
from app.session.chats import Chat
from app.session.session import Session
from app.system.background import Background
from app.widgets.popups import Menu
from app.widgets.throttle import single_shot
from app.wording.figures import number, percent

if TYPE_CHECKING:
    # Imports NumPy, which would delay the first frame.
    from engine.pictures.rules import PictureRules

# A shortened message leaves one part in this many of the context to the answer.
_ANSWER_SHARE = 4
# Counting starts this many milliseconds after the last key press.
_PAUSE_MS = 150


@dataclass(frozen=True)
class _Unsent:
    """What to count: the `prompt` before a first question, the message and, where no answer has figures, as in an
    imported chat, the turns before it.

    `before` is the number of tokens that the chat has already, as far as it is known. `pictures` says what those cost.
    """

    model: Path
    prompt: str
    text: str
    attachments: tuple[Attachment, ...]
    before: int
    turns: str
    pictures: PictureRules | None


# A chat with its model and the number of its turns.
_Turns = tuple[Chat, Path, int]


@dataclass(frozen=True)
class _Usage:
    """Tokens of the turns so far, of the unsent text and of its files, and the context's `limit`.

    `drops`: the oldest turns are left out if the chat does not fit.
    """

    limit: int
    before: int
    text: int
    files: tuple[tuple[Attachment, int], ...]
    drops: bool

    @property
    def message(self) -> int:
        return self.text + sum(count for _, count in self.files)

    @property
    def total(self) -> int:
        return self.before + self.message

    @property
    def too_long(self) -> bool:
        return (self.message if self.drops else self.total) >= self.limit


class ContextMeter(QObject):
    """Sets the composer's info line and fills the menu of its "Shorten" button."""

    def __init__(self, session: Session, composer: Composer, parent: QObject) -> None:
        super().__init__(parent)
        self._session, self._composer = session, composer
        self._background = Background("tokens", parent=self)
        self._counted: _Unsent | None = None
        self._text, self._files = 0, dict[Attachment, int]()
        # The tokens of the turns of a chat without figures.
        self._turns: tuple[_Turns, int] | None = None
        self._menu = Menu(composer)
        self._menu.aboutToShow.connect(self.fill_menu)
        composer.shorten.setMenu(self._menu)
        self._timer = single_shot(self, self._count, _PAUSE_MS)
        chats, answers = session.chats, session.answers
        for changed in (
            *(composer.edit.edited, composer.files.changed, session.models.changed, session.settings.chat_changed),
            *(session.settings.defaults_changed, composer.queue_changed),
            *(chats.opened, chats.path_changed, answers.asked, answers.ended, session.list.changed),
        ):
            changed.connect(self._count_soon)
        self.show_usage()

    def close(self) -> None:
        """Stop counting. Waits for a running count."""
        # Later signals of the session must not start the timer again.
        self._timer.blockSignals(True)
        self._timer.stop()
        self._background.close()

    def show_usage(self) -> None:
        """Show the counts so far."""
        pair = self._session.models.pair
        usage = self._usage()
        self._composer.shorten.setVisible(usage is not None and usage.too_long and bool(self._ways(usage)))
        if self._composer.queued:
            self._composer.set_info(self.tr("Queued until the model is ready."))
        elif pair.loading == "main":
            self._composer.set_info(self.tr("Loading models… You can start typing."))
        elif usage is None:
            self._composer.set_info(self.tr("No main model is loaded."))
        elif pictures_in(self._composer.files.attachments) and not pair.sees:
            self._composer.set_info(self.tr("This model can't see pictures"), problem=True)
        else:
            self._composer.set_info(*self._words(usage))

    def _usage(self) -> _Usage | None:
        """Return the counts so far; None without a main model."""
        main, chat = self._session.models.pair.main, self._session.chat
        if main is None:
            return None
        files = tuple((file, self._files.get(file, 0)) for file in self._composer.files.attachments)
        drops = self._session.settings.generation_of(chat).overflow == "shorten"
        return _Usage(main.context_length, self._before(Path(main.path)), self._text, files, drops)

    def _before(self, model: Path) -> int:
        """Return the tokens that the chat has already; 0 while they are unknown."""
        chat = self._session.chat
        known = self._turns is not None and self._turns[0] == (chat, model, len(chat.turns))
        return chat.context_tokens() or (self._turns[1] if known and self._turns is not None else 0)

    def _words(self, usage: _Usage) -> tuple[str, bool, str]:
        """Return the info line, whether it is a problem, and its brief form."""
        used, limit = usage.total, usage.limit
        if not used:
            return "", False, ""
        if usage.too_long:
            text = self.tr("{used} of {limit} tokens: too long for this model")
        elif used >= limit:
            text = self.tr("{used} of {limit} tokens: the oldest messages are dropped")
        else:
            text = self.tr("{used} of {limit} tokens")
        return text.format(used=number(used, 0), limit=number(limit, 0)), usage.too_long, percent(used / limit)

    def fill_menu(self) -> None:
        """Fill the menu with the ways to make the message fit."""
        self._menu.clear()
        if (usage := self._usage()) is None:
            return
        for words, shorten in self._ways(usage):
            self._menu.addAction(words.replace("&", "&&")).triggered.connect(lambda _=False, run=shorten: run())

    def _ways(self, usage: _Usage) -> list[tuple[str, Callable[[], None]]]:
        """Return the ways to make the message fit, as (words, function)."""
        ways: list[tuple[str, Callable[[], None]]] = []
        if usage.message < usage.limit and not usage.drops:
            ways.append((self.tr("Drop the oldest messages"), self._drop_oldest))
        # A picture cannot be cut.
        if texts := [counted for counted in usage.files if counted[0].picture is None]:
            file, tokens = max(texts, key=lambda counted: counted[1])
            left = usage.limit - usage.limit // _ANSWER_SHARE - (usage.message - tokens)
            if not usage.drops:
                left -= usage.before
            if 0 < left < tokens:
                words = self.tr("Keep the first {count} tokens of {name}")
                ways.append((words.format(count=number(left, 0), name=file.name), partial(self._cut, file, left)))
        return ways

    def _drop_oldest(self) -> None:
        chat = self._session.chat
        self._session.settings.set_own(chat, chat.system_prompt, {**chat.own, "overflow": "shorten"})

    def _cut(self, file: Attachment, tokens: int) -> None:
        """Replace a file by its first tokens."""
        main, shown = self._session.models.pair.main, self._composer.files
        if main is None:
            return

        def replace(cut: Attachment | None) -> None:
            if cut is not None and file in shown.attachments:
                shown.show_files(tuple(cut if one == file else one for one in shown.attachments))

        self._background.run(partial(cut_to_tokens, Path(main.path), file, tokens), replace)

    def _count_soon(self, *_: object) -> None:
        self.show_usage()
        self._timer.start()

    def _count(self) -> None:
        unsent = self._unsent()
        if unsent is None or unsent == self._counted:
            self.show_usage()
        else:
            self._background.run(lambda: _count(unsent), lambda counts: self._show_counts(unsent, *counts))

    def _show_counts(self, unsent: _Unsent, turns: int, text: int, files: list[int | None]) -> None:
        """Show the counts, unless the message has changed meanwhile."""
        if unsent != self._unsent():
            return
        self._counted = unsent
        chat = self._session.chat
        if unsent.turns:
            self._turns = (chat, unsent.model, len(chat.turns)), turns
        counts = dict(zip(unsent.attachments, files, strict=True))
        self._composer.files.show_counts(counts)
        self._text, self._files = text, {file: count or 0 for file, count in counts.items()}
        self.show_usage()

    def _unsent(self) -> _Unsent | None:
        session = self._session
        if session.models.pair.main is None:
            return None
        chat, text = session.chat, self._composer.edit.toPlainText()
        model, turns = Path(session.models.pair.main.path), ""
        before = self._before(model)
        variables = prompt_variables.values(session.models.pair)
        prompts = start_of(session.projects.folder(chat.folder_id), variables), filled(chat.system_prompt, variables)
        prompt = "\n".join(part for part in prompts if part)
        if not before and chat.turns:
            said = (part for turn in chat.turns for part in (turn.text_for_model(), turn.answer.reply))
            turns = "\n\n".join([prompt, *said])
        prompt, rules = "" if before or turns else prompt, session.models.pair.main.pictures
        return _Unsent(model, prompt, text, self._composer.files.attachments, before, turns, rules)


def _count(unsent: _Unsent) -> tuple[int, int, list[int | None]]:
    """Count the tokens of the turns and of the text (0 if impossible) and of each file (None if impossible).

    Runs on a thread.
    """
    files = [_count_file(unsent, attachment) for attachment in unsent.attachments]
    parts = unsent.turns, unsent.prompt, unsent.text
    turns, prompt, text = ((count_tokens(unsent.model, one) or 0) if one else 0 for one in parts)
    return turns, prompt + text, files


def _count_file(unsent: _Unsent, attachment: Attachment) -> int | None:
    picture, rules = attachment.picture, unsent.pictures
    if picture is None:
        return count_tokens(unsent.model, attachment.text)
    return None if rules is None else rules.tokens(picture.width, picture.height)

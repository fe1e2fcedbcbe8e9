"""Shows how much of the context a chat and its message take, and offers to shorten what does not fit.

Counts tokens off the Qt thread.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject

from app.composer.composer import Composer
from app.conversations.chat_settings import filled
from app.conversations.database.records import Attachment, Source, attached_pictures
from app.conversations.projects import source_name, start_of
from app.session import prompt_variables
from app.session.attachments import (
    count_tokens,
    cut_to_tokens,
    parts_in_tokens,
    picture_tokens,
    source_tokens,
    with_parts,
)
from app.session.chats import Chat
from app.session.session import Session
from app.system.background import Background
from app.widgets.popups import Menu
from app.widgets.throttle import Throttle, single_shot
from app.wording.document_parts import ask_words
from app.wording.figures import number, percent
from engine.documents.text.parts import Extent

if TYPE_CHECKING:
    # Imports NumPy, which would delay the first frame.
    from engine.pictures.rules import PictureRules

# A shortened message leaves one part in this many of the context to the answer.
_ANSWER_SHARE = 4
# Counting starts this many milliseconds after the last key press.
_PAUSE_MS = 150
# The count of an answer that streams is shown anew after this many milliseconds.
_GROWTH_MS = 500


class _UsageWords(NamedTuple):
    """The line below the message box, as `Composer.set_info` takes it. `problem` is "" if the message can be sent."""

    text: str = ""
    problem: str = ""
    briefer: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Unsent:
    """The texts to count: the message with its files, and the text `said` before it.

    `before` is the number of tokens of the chat so far, from its figures. `said` is the text of the turns that these do
    not include, such as a question whose answer has not begun. If no answer has figures, as before a first question or
    in an imported chat, that is all of the chat, with its system prompt and its tools. `pictures` is
    the cost of the pictures and `limit` the size of the context, in tokens. With `drops`, a chat that does not fit
    loses its oldest turns. `sources` are the files of the chat's folder.
    """

    chat: Chat
    model: Path
    limit: int
    drops: bool
    before: int
    said: str
    text: str
    attachments: tuple[Attachment, ...]
    pictures: PictureRules | None
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class _ContextUsage:
    """Tokens of the chat so far (`before`), of the unsent `text` and of its files; None for a file without a count.

    The next two are only set if the chat is too long. `largest` names the source of the folder with the most tokens, ""
    without sources. `fitting` is how much of the longest text among the files fits, in whole pages, slides or sheets.
    """

    limit: int
    drops: bool
    before: int
    text: int
    files: tuple[tuple[Attachment, int | None], ...]
    largest: str
    fitting: Extent | None = None
    # The tokens of the pictures within the files. The counts in `files` do not include them.
    inner: int = 0

    @property
    def message(self) -> int:
        return self.text + self.inner + sum(count or 0 for _, count in self.files)

    @property
    def total(self) -> int:
        return self.before + self.message

    @property
    def too_long(self) -> bool:
        # If the oldest messages are dropped, only the new message has to fit.
        needed = self.message if self.drops else self.total
        return needed >= self.limit

    def longest(self) -> tuple[Attachment, int] | None:
        """Return the longest text among the files with its tokens; None without any. A picture cannot be cut."""
        texts = [(file, count or 0) for file, count in self.files if file.picture is None and not file.is_scan]
        return max(texts, key=lambda counted: counted[1], default=None)

    def left_for(self, tokens: int) -> int:
        """Return how many tokens a text of the message may have instead of these, with room for an answer."""
        left = self.limit - self.limit // _ANSWER_SHARE - (self.message - tokens)
        return left if self.drops else left - self.before


class ContextMeter(QObject):
    """Sets the composer's info line and fills the menu of its "Shorten" button."""

    def __init__(self, session: Session, composer: Composer, chat: Callable[[], Chat], parent: QObject) -> None:
        """`chat` returns the chat of the composer."""
        super().__init__(parent)
        self._chat = chat
        self._session = session
        self._composer = composer
        self._background = Background("tokens", parent=self)
        # What was counted last.
        self._counted: tuple[_Unsent, _ContextUsage] | None = None
        self._menu = Menu(composer)
        self._menu.aboutToShow.connect(self.fill_menu)
        composer.shorten.setMenu(self._menu)
        self._pause_timer = single_shot(self, self._count, _PAUSE_MS)
        self._growth_throttle = Throttle(_GROWTH_MS, self.show_usage, self)
        session.answers.arrived.connect(self._follow_growth)
        chats = session.chats
        answers = session.answers
        for changed in (
            *(composer.edit.edited, composer.files.changed, session.models.changed, session.settings.chat_changed),
            *(session.settings.defaults_changed, session.tools.changed),
            *(chats.opened, chats.path_changed, answers.asked, answers.ended, session.list.changed),
        ):
            changed.connect(self._count_soon)
        self.show_usage()

    def close(self) -> None:
        """Stop counting. Waits for a running count."""
        # Later signals of the session must not start the timer again.
        self._pause_timer.blockSignals(True)
        self._pause_timer.stop()
        self._background.close()

    def show_usage(self) -> None:
        """Show the counts so far."""
        pair = self._session.models.pair
        usage = self._usage
        is_too_long = usage is not None and usage.too_long and self._is_begun
        self._composer.shorten.setVisible(is_too_long and usage is not None and bool(self._ways(usage)))
        blind = pair.main is not None and pair.loading != "main" and not pair.sees
        if blind and attached_pictures(self._composer.files.attachments):
            # A notice says so beside what helps; the line goes on counting the rest.
            words = self._words(usage) if usage else _UsageWords()
            self._composer.set_info(words.text, self.tr("This model can't see pictures"), words.briefer)
        elif pair.loading == "main":
            self._composer.set_info(self.tr("Loading models… You can start typing."))
        elif pair.main is None:
            self._composer.set_info(self.tr("No main model is loaded."))
        else:
            self._composer.set_info(*(self._words(usage) if usage else _UsageWords()))

    @property
    def _is_begun(self) -> bool:
        """Whether the composer holds a message. Without one, a chat that is too long is no problem yet."""
        return bool(self._composer.edit.toPlainText().strip() or self._composer.files.attachments)

    @property
    def _usage(self) -> _ContextUsage | None:
        """The last counts, if they are of the chat on screen, else None."""
        return self._counted[1] if self._counted and self._counted[0].chat is self._chat() else None

    def _words(self, usage: _ContextUsage) -> _UsageWords:
        """Return the line that shows `usage`; an empty one while there are no tokens."""
        chat = self._chat()
        limit = usage.limit
        # Figures grow while an answer streams, and are true; before there are any, the count is about right.
        used = usage.total if chat.uncounted_turns or not chat.turns else chat.context_tokens() + usage.message
        if not used:
            return _UsageWords()
        text = counts = self.tr("{used} of {limit} tokens")
        history_is_too_long = usage.too_long and usage.message < usage.limit
        if history_is_too_long and usage.largest:
            text = self.tr("{used} of {limit} tokens: too long for this model, mostly {name}")
        elif usage.too_long:
            text = self.tr("{used} of {limit} tokens: too long for this model")
        elif used >= limit and usage.drops:
            text = self.tr("{used} of {limit} tokens: the oldest messages are dropped")
        figures = {"used": number(used, 0), "limit": number(limit, 0)}
        text = text.format(**figures, name=usage.largest)
        problem = text if usage.too_long and self._is_begun else ""
        return _UsageWords(text, problem, (counts.format(**figures), percent(used / limit)))

    def fill_menu(self) -> None:
        """Fill the menu with the ways to make the message fit."""
        self._menu.clear()
        for words, shorten in self._ways(self._usage) if self._usage else ():
            self._menu.addAction(words.replace("&", "&&")).triggered.connect(lambda _=False, run=shorten: run())

    def _ways(self, usage: _ContextUsage) -> list[tuple[str, Callable[[], None]]]:
        """Return the ways to make the message fit, each as the words of a menu entry and the function that it runs."""
        ways: list[tuple[str, Callable[[], None]]] = []
        if usage.message < usage.limit and not usage.drops:
            ways.append((self.tr("Drop the oldest messages"), self._drop_oldest))
        if (longest := usage.longest()) is not None:
            file, tokens = longest
            left = usage.left_for(tokens)
            if usage.fitting is not None:
                ask = partial(self._show_instead, file, with_parts(file, usage.fitting))
                ways.insert(0, (ask_words(usage.fitting, file.name), ask))
            if 0 < left < tokens:
                words = self.tr("Keep the first {count} tokens of {name}")
                ways.append((words.format(count=number(left, 0), name=file.name), partial(self._cut, file, left)))
        return ways

    def _drop_oldest(self) -> None:
        """Let the chat drop its oldest messages from now on."""
        chat = self._chat()
        self._session.settings.set_own(chat, chat.system_prompt, {**chat.own, "overflow": "shorten"})

    def _cut(self, file: Attachment, tokens: int) -> None:
        """Replace a file by its first tokens."""
        if (main := self._session.models.pair.main) is not None:
            cut = partial(cut_to_tokens, Path(main.path), file, tokens)
            self._background.run(cut, partial(self._show_instead, file))

    def _show_instead(self, file: Attachment, cut: Attachment | None) -> None:
        """Replace `file`, if it is still attached, by `cut`. Does nothing if `cut` is None."""
        if cut is not None:
            self._composer.files.replace(file, cut)

    def _follow_growth(self, chat: Chat, *_: object) -> None:
        """Show the counts soon if the chat whose answer has grown is on screen."""
        if chat is self._chat():
            self._growth_throttle.request()

    def _count_soon(self, *_: object) -> None:
        """Show the last counts now, and count after a pause."""
        self.show_usage()
        self._pause_timer.start()

    def _count(self) -> None:
        """Start to count, unless there is no main model or nothing has changed since the last count."""
        unsent = self._unsent()
        if unsent is not None and (self._counted is None or unsent != self._counted[0]):
            self._background.run(partial(_count, unsent), partial(self._show_counts, unsent))

    def _show_counts(self, unsent: _Unsent, usage: _ContextUsage) -> None:
        """Show the counts, unless the message has changed meanwhile."""
        if unsent == self._unsent():
            self._counted = unsent, usage
            rules = unsent.pictures
            counts = {
                file: None if tokens is None else tokens + picture_tokens(file.inner, rules)
                for file, tokens in usage.files
            }
            self._composer.files.show_counts(counts, sees=rules is not None)
            self.show_usage()

    def _unsent(self) -> _Unsent | None:
        """Return what to count; None without a main model."""
        session = self._session
        chat = self._chat()
        main = session.models.pair.main
        if main is None:
            return None
        before = chat.context_tokens()
        said = list[str]()
        folder = session.projects.folder(chat.folder_id)
        if not before:
            variables = prompt_variables.values(session.models.pair)
            said += start_of(folder, variables), filled(chat.system_prompt, variables)
        said += (part for turn in chat.uncounted_turns for part in (turn.text_for_model(), turn.answer.reply))
        # Tandem's own tools are not counted before there is a message.
        if not before and (session.tools.takes_servers(chat) or self._is_begun or chat.turns):
            said += self._tool_texts(chat)
        drops = session.settings.generation_of(chat).overflow == "shorten"
        text = self._composer.edit.toPlainText()
        files = self._composer.files.attachments
        whole = "\n\n".join(filter(None, said))
        sources = () if folder is None else folder.sources
        rules = main.pictures
        path = Path(main.path)
        return _Unsent(chat, path, main.context_length, drops, before, whole, text, files, rules, sources)

    def _tool_texts(self, chat: Chat) -> list[str]:
        """Return the chat's tools about as the chat template writes them: the Starter's, of its own ones, by name."""
        tools = self._session.tools.known_tools(chat)
        if self._session.models.is_starter:
            return [", ".join(tool.name for tool in tools if tool.asks_nobody)]
        return [json.dumps(tool.for_template()) for tool in tools]


def _count_text(unsent: _Unsent, text: str) -> int:
    """Return the tokens of `text`; 0 if they cannot be counted."""
    return (count_tokens(unsent.model, text) or 0) if text else 0


def _count(unsent: _Unsent) -> _ContextUsage:
    """Return the tokens of `unsent`. Text that cannot be counted counts as 0. Runs off the Qt thread."""
    said = _count_text(unsent, unsent.said)
    text = _count_text(unsent, unsent.text)
    files = tuple((attachment, _count_file(unsent, attachment)) for attachment in unsent.attachments)
    if not unsent.before:
        said += sum(picture_tokens(source.files, unsent.pictures) for source in unsent.sources)
    inner = sum(picture_tokens(attachment.inner, unsent.pictures) for attachment in unsent.attachments)
    usage = _ContextUsage(unsent.limit, unsent.drops, unsent.before + said, text, files, "", inner=inner)
    if not usage.too_long:
        return usage
    longest = usage.longest()
    if longest is not None:
        file, tokens = longest
        usage = replace(usage, fitting=parts_in_tokens(unsent.model, file, usage.left_for(tokens)))
    if not unsent.sources:
        return usage
    largest = max(unsent.sources, key=lambda source: source_tokens(unsent.model, source, unsent.pictures) or 0)
    return replace(usage, largest=source_name(largest))


def _count_file(unsent: _Unsent, attachment: Attachment) -> int | None:
    """Return the tokens of a file without the pictures within it; None if they cannot be counted."""
    picture = attachment.picture
    rules = unsent.pictures
    if picture is None:
        return count_tokens(unsent.model, attachment.text)
    return None if rules is None else rules.tokens(picture.width, picture.height)

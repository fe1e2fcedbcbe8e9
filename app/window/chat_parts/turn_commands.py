"""The commands of a turn: its buttons, its menu, and the window's actions on the last turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QLocale, QObject, QPoint, Signal
from PySide6.QtGui import QGuiApplication

from app.composer.composer import Composer
from app.session.chat_requests import OtherModel
from app.session.chats import Chat, Turn
from app.session.session import Session
from app.system.background import Background
from app.system.speaker import LONGEST as LONGEST_SPOKEN
from app.system.speaker import Speaker
from app.transcript.transcript import Transcript
from app.widgets.popups import Menu

T = TypeVar("T")

# Laying out a longer question in an editor would block the window.
LONGEST_EDITED = 200_000


@dataclass(frozen=True)
class _TurnAction:
    """One entry of the table of actions on a turn.

    `text` returns the menu's text; None for an action that only a button has. The menu leaves the action out unless it
    is `shown`; `begins_section` draws a line above it.
    """

    run: Callable[[Turn], object]
    text: Callable[[Turn], str] | None = None
    enabled: Callable[[Turn], object] = lambda _: True
    begins_section: bool = False
    shown: Callable[[Turn], object] = lambda _: True


class TurnCommands(QObject):
    """Runs the commands of turns, and fills the menu of a turn when it is shown.

    `versions_wanted` carries a turn whose versions are to be shown side by side.
    """

    versions_wanted = Signal(object)

    def __init__(
        self,
        session: Session,
        transcript: Transcript,
        composer: Composer,
        other_models: Callable[[], Sequence[OtherModel]],
        chat: Callable[[], Chat],
        parent: QObject,
    ) -> None:
        """`chat` returns the chat that the transcript shows."""
        super().__init__(parent)
        self._chat = chat
        self._other_models = other_models
        self._session = session
        self._transcript = transcript
        self._composer = composer
        self.speaker = Speaker(self)
        self._background = Background("rendering", parent=self)
        self.menu = Menu()
        self._others = Menu(self.menu)
        self._actions = self._declare()
        transcript.acted.connect(self.run)
        transcript.edited.connect(self._save_edit)
        transcript.call_chosen.connect(session.answers.choose)
        transcript.tokens_wanted.connect(lambda turn: session.answers.load_tokens(self._chat(), turn))
        transcript.menu_wanted.connect(self._show_menu)
        settings = session.settings
        changes = session.chats.opened, settings.chat_changed, settings.defaults_changed, session.models.changed
        for changed in changes:
            changed.connect(self._tell_of_repeats)

    def _declare(self) -> dict[str, _TurnAction]:
        """Return the actions by the ids of the buttons, in the order of the menu."""
        return {
            **self._reading_actions(),
            **self._asking_actions(),
            **self._deleting_actions(),
            **self._version_actions(),
        }

    def _reading_actions(self) -> dict[str, _TurnAction]:
        return {
            "copy": _TurnAction(
                self.copy_answer, lambda _: self.tr("Copy the answer as Markdown"), lambda turn: turn.answer.text
            ),
            "copy-shown": _TurnAction(
                self._copy_shown, lambda _: self.tr("Copy the answer as shown"), lambda turn: turn.answer.text
            ),
            "copy-question": _TurnAction(
                lambda turn: _copy(turn.question), lambda _: self.tr("Copy the message"), lambda turn: turn.question
            ),
            "speak": _TurnAction(
                self.speak,
                lambda _: self.tr("Read the answer aloud"),
                lambda turn: turn.answer.text,
                shown=lambda _: self.speaker.program is not None,
            ),
        }

    def _asking_actions(self) -> dict[str, _TurnAction]:
        session = self._session
        return {
            "edit": _TurnAction(
                self.edit,
                lambda _: self.tr("Edit the message"),
                lambda turn: turn.asks and self._can_ask and len(turn.question) <= LONGEST_EDITED,
                begins_section=True,
            ),
            "again": _TurnAction(
                self.regenerate,
                lambda _: self.tr("Regenerate"),
                lambda turn: self._can_ask and turn.answer.ended,
            ),
            "versions": _TurnAction(
                self.versions_wanted.emit,
                lambda _: self.tr("Side by side"),
                shown=lambda turn: self._transcript.may_compare and self.has_versions(turn),
            ),
            "stop-repeating": _TurnAction(lambda turn: session.answers.stop_repeating(turn, self._chat())),
            "go-on": _TurnAction(
                self.continue_answer,
                lambda _: self.tr("Continue the answer"),
                lambda _: self._can_ask,
                shown=lambda turn: turn in self._chat().turns[-1:] and turn.answer.unfinished,
            ),
            "branch": _TurnAction(
                session.chats.branch,
                lambda _: self.tr("Branch from here"),
                lambda turn: turn.answer.ended,
                shown=lambda _: self._transcript.may_branch,
            ),
        }

    def _deleting_actions(self) -> dict[str, _TurnAction]:
        session = self._session
        return {
            "delete-question": _TurnAction(
                lambda turn: session.chats.delete_question(self._chat(), turn),
                lambda _: self.tr("Delete the message and its answer"),
                lambda turn: turn.question_node.id is not None and not self._chat().answering,
                begins_section=True,
            ),
            "delete-answer": _TurnAction(
                lambda turn: session.chats.delete_answer(self._chat(), turn),
                self._delete_text,
                lambda turn: turn.answer_node.id is not None and not self._chat().answering,
            ),
        }

    def _version_actions(self) -> dict[str, _TurnAction]:
        """Return the actions that show the previous or the next version of a question or an answer.

        Only buttons run them, which are disabled at the first and the last version.
        """
        session = self._session
        return {
            "previous-question": _TurnAction(lambda turn: session.chats.switch(self._chat(), turn.question_node, -1)),
            "next-question": _TurnAction(lambda turn: session.chats.switch(self._chat(), turn.question_node, 1)),
            "previous-answer": _TurnAction(lambda turn: session.chats.switch(self._chat(), turn.version_node, -1)),
            "next-answer": _TurnAction(lambda turn: session.chats.switch(self._chat(), turn.version_node, 1)),
        }

    @property
    def _can_ask(self) -> bool:
        return self._session.answers.can_ask_in(self._chat())

    def run(self, turn: Turn, action_id: str) -> None:
        """Run the action of a button, unless the chat shows other turns by now."""
        if turn in self._chat().turns:
            self._actions[action_id].run(turn)

    def _tell_of_repeats(self) -> None:
        session = self._session
        if session.settings.is_greedy(self._chat()):
            reason = "greedy"
        elif session.models.is_starter:
            reason = "starter"
        else:
            reason = ""
        self._transcript.set_repeats(reason)

    def has_versions(self, turn: Turn) -> bool:
        """Whether an answer has several versions, and none of them is being written."""
        return turn.version_node.count > 1 and not self._chat().answering

    def on_last(self, run: Callable[[Turn], object]) -> None:
        """Call `run` with the last turn of the chat, if it has one."""
        if self._chat().turns:
            run(self._chat().turns[-1])

    def copy_answer(self, turn: Turn) -> None:
        _copy(turn.answer.reply)

    def copy_last_answer(self) -> None:
        """Copy the last answer that has text."""
        self.copy_answer([turn for turn in self._chat().turns if turn.answer.text][-1])

    def speak(self, turn: Turn) -> None:
        """Read an answer aloud, up to LONGEST_SPOKEN."""
        from app.window.plain_text import spoken_text

        # Markdown is longer than its spoken text, and code is not spoken at all.
        markdown = turn.answer.reply[: 4 * LONGEST_SPOKEN]
        self._render(markdown, spoken_text, lambda text: self.speaker.speak(text, QLocale().name()))

    def _copy_shown(self, turn: Turn) -> None:
        from app.window.plain_text import mime_of, shown_parts

        clipboard = QGuiApplication.clipboard()
        self._render(turn.answer.reply, shown_parts, lambda parts: clipboard.setMimeData(mime_of(*parts)))

    def _render(self, markdown: str, render: Callable[[str], T], then: Callable[[T], object]) -> None:
        """Call `then` with the rendered answer: at once, or in the background if rendering would block the window."""
        from app.window.plain_text import is_long

        if is_long(markdown):
            self._background.run(lambda: render(markdown), then)
        else:
            then(render(markdown))

    def regenerate(self, turn: Turn) -> None:
        if self._can_ask:
            self._session.answers.ask_again(turn, chat=self._chat())

    def continue_answer(self, turn: Turn) -> None:
        if self._can_ask:
            self._session.answers.continue_answer(turn, self._chat())

    def edit(self, turn: Turn) -> None:
        """Open the editor in the place of the question."""
        if self._can_ask and len(turn.question) <= LONGEST_EDITED:
            view = self._transcript.view(turn)
            if view is not None:
                view.edit_question(self._composer.edit.send_key)

    def _save_edit(self, turn: Turn, text: str) -> None:
        is_new = text != turn.question
        if is_new and not self._can_ask:
            return
        view = self._transcript.view(turn)
        if view is not None:
            view.end_edit()
        if is_new:
            self._session.answers.edit(turn, text, self._chat())

    def _show_menu(self, turn: Turn, position: QPoint) -> None:
        self.fill_menu(turn)
        self.menu.popup(position)

    def fill_menu(self, turn: Turn) -> None:
        """Fill the menu with the commands of the turn, after the one for the selected text."""
        self.menu.clear()
        view = self._transcript.view(turn)
        if view is not None and (selected := view.selected_text()):
            self.menu.addAction(self.tr("Copy the selection")).triggered.connect(lambda: _copy(selected))
        for action_id, action in self._actions.items():
            if action.text is not None and action.shown(turn):
                if action.begins_section:
                    self.menu.addSeparator()
                entry = self.menu.addAction(action.text(turn))
                entry.setEnabled(bool(action.enabled(turn)))
                entry.triggered.connect(lambda _=False, chosen=action_id: self.run(turn, chosen))
                if action_id == "again":
                    self._add_others(turn, entry.isEnabled())

    def _add_others(self, turn: Turn, enabled: bool) -> None:
        """Add the submenu of the other models that can answer."""
        self._others.clear()
        for other in self._other_models():
            self._others.add_choice(other.title, False, partial(self._answer_with, turn, other))
        if not self._others.isEmpty():
            self._others.setTitle(self.tr("Answer again with"))
            self._others.setEnabled(enabled)
            self.menu.addMenu(self._others)

    def _answer_with(self, turn: Turn, other: OtherModel) -> None:
        if turn in self._chat().turns and self._can_ask:
            self._session.answers.ask_again(turn, other, self._chat())

    def _delete_text(self, turn: Turn) -> str:
        if turn in self._chat().turns[-1:]:
            return self.tr("Delete the answer")
        return self.tr("Delete the answer and everything after it")


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)

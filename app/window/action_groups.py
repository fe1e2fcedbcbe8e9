"""Actions that are one of a group, with a mark at the one that holds: speculation, theme, language, view of answers."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from app.system.language import LANGUAGES
from app.widgets.theme import MODES

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.actions.state import Actions
    from app.chat.transcript import Transcript
    from app.session.session import Session
    from app.widgets.application import Application

_METHODS = {"speculation-auto": "auto", "speculation-on": "draft", "speculation-off": "off"}


class Choices:
    """Owned by the window. `mark` follows every change, whoever made it."""

    def __init__(self, session: Session, application: Application) -> None:
        self._session, self._application = session, application
        self._actions: Actions | None = None
        self._transcript: Transcript | None = None
        self.as_tokens = False

    def wire(self, actions: Actions, transcript: Transcript) -> None:
        self._actions, self._transcript = actions, transcript
        self._session.speculation_changed.connect(self.mark)
        self.mark()

    def handlers(self) -> dict[str, Callable[[], object]]:
        """What the actions of the groups do."""
        chosen: dict[str, Callable[[], object]] = {
            "show-text": lambda: self.show_as_tokens(False),
            "show-tokens": lambda: self.show_as_tokens(True),
        }
        for action_id, method in _METHODS.items():
            chosen[action_id] = partial(self._choose_method, method)
        for mode in MODES:
            chosen[f"theme-{mode}"] = partial(self._choose_theme, mode)
        for choice in ("system", *LANGUAGES):
            chosen[f"language-{choice}"] = partial(self._choose_language, choice)
        return chosen

    def show_as_tokens(self, as_tokens: bool) -> None:
        """Show answers as their tokens, or as rendered text."""
        self.as_tokens = as_tokens
        if self._transcript is not None:
            self._transcript.set_as_tokens(as_tokens)
        self.mark()

    def mark(self) -> None:
        if self._actions is None:
            return
        methods = {method: action_id for action_id, method in _METHODS.items()}
        self._actions.check("speculation", methods.get(self._session.speculation.method, ""))
        self._actions.check("answers", "show-tokens" if self.as_tokens else "show-text")
        self._actions.check("theme", f"theme-{self._application.theme.mode}")
        self._actions.check("language", f"language-{self._application.language.choice}")

    def _choose_method(self, method: str) -> None:
        self._session.set_speculation(replace(self._session.speculation, method=method))
        self.mark()

    def _choose_theme(self, mode: str) -> None:
        self._application.theme.set_mode(mode)
        self.mark()

    def _choose_language(self, choice: str) -> None:
        self._application.language.choose(choice)
        self.mark()

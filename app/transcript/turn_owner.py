"""The interface of a transcript to its turns."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal
from PySide6.QtWidgets import QScrollArea

from app.conversations.pictures import PictureSource
from app.session.chats import Turn

if TYPE_CHECKING:
    from app.conversations.search import Query


class TurnOwner(QScrollArea):
    """The display settings of a transcript, and the signals of its turns. Most signals carry a turn first.

    `acted` adds an action on the turn, `edited` the new text of its question, `call_chosen` a call of a tool and the
    choice for it, `menu_wanted` the place for its menu, `rounds_selected` the rounds whose tokens are selected and
    `round_pointed` the number of the round whose token is under the pointer, None for none.
    `taken_back` carries a question that waits and is not to be asked.
    `tokens_wanted`: its tokens are needed and only on disk. `turned_to`: it was clicked or got the focus. Without a
    turn, `focus_lost` is emitted when the widget with the focus is removed, `shown_as` when more texts are known,
    `larger_wanted` when a larger model than the Starter is to be chosen, `place_wanted` with the fact of the help whose
    place in the app is to be opened, and `question_wanted` with a question to ask.
    """

    acted = Signal(object, str)
    edited = Signal(object, str)
    call_chosen = Signal(object, object, str)
    taken_back = Signal(object)
    tokens_wanted = Signal(object)
    menu_wanted = Signal(object, QPoint)
    rounds_selected = Signal(object, object)
    round_pointed = Signal(object, object)
    turned_to = Signal(object)
    focus_lost = Signal()
    shown_as = Signal()
    larger_wanted = Signal()
    place_wanted = Signal(object)
    question_wanted = Signal(str)

    # The tokens of all answers are tinted, and answers are shown with their figures below them, not only on hover.
    as_tokens = False
    with_figures = True
    # Answers have no buttons of their own.
    read_only = False
    # A copy of the chat up to a turn can be made.
    may_branch = True
    # Versions of an answer can be shown side by side.
    may_compare = True
    # Why Regenerate says the same words: "greedy", "starter", or "" if it does not.
    repeats = ""
    # Returns the pictures of the store.
    pictures: Callable[[], PictureSource] = Path
    # The search whose matches are highlighted; a turn and the index of the current match in it.
    query: Query | None = None
    current_match: tuple[Turn, int] | None = None

    @property
    def newest(self) -> Turn | None:
        raise NotImplementedError

    def act(self, turn: Turn, action: str) -> None:
        """Emit `acted`, or `menu_wanted` for the button with more actions."""
        raise NotImplementedError

    def extend_range(self, turn: Turn, pixels: int) -> None:
        """Prepare for a turn that is about to grow."""
        raise NotImplementedError

    def load_soon(self) -> None:
        """Load the rest of the turns near the view."""
        raise NotImplementedError

    def show_link(self, address: str) -> None:
        """Show the menu of a link."""
        raise NotImplementedError

"""The speculation menu: what drafts, and the models."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from app.window.actions.window_action import ActedWindow, WindowAction


def _use_method(method: str, window: ActedWindow) -> None:
    window.session.settings.set_speculation(replace(window.session.settings.speculation, method=method))


def _compare(window: ActedWindow) -> None:
    chat = window.session.chat
    shown = window.comparer.comparison
    if chat.turns:
        window.comparer.start(chat, chat.turns[-1])
    elif shown is not None:
        # The demonstration of the welcome page is in no chat.
        window.comparer.demonstrate(shown.question)
    if window.comparer.running and window.comparison.isHidden():
        window.comparison.open()


def _can_compare(window: ActedWindow) -> bool:
    session = window.session
    is_free = session.answers.ready and session.answers.is_idle and not session.models.pair.loading
    return is_free and (bool(session.chat.turns) or not window.comparison.isHidden())


SPECULATION_ACTIONS = (
    WindowAction(
        "speculation-auto",
        "Auto",
        "Speculate only when it is faster",
        partial(_use_method, "auto"),
        "Ctrl+Alt+1",
        checked=lambda window: window.session.settings.speculation.method == "auto",
    ),
    WindowAction(
        "speculation-on",
        "On",
        "Always speculate with the draft model",
        partial(_use_method, "draft"),
        "Ctrl+Alt+2",
        checked=lambda window: window.session.settings.speculation.method == "draft",
    ),
    WindowAction(
        "speculation-off",
        "Off",
        "Do not speculate",
        partial(_use_method, "off"),
        "Ctrl+Alt+3",
        checked=lambda window: window.session.settings.speculation.method == "off",
    ),
    WindowAction(
        "choose-main",
        "Choose main model…",
        "Choose a main model",
        lambda window: window.models.main_picker.open(),
        "Ctrl+Shift+M",
        "main-model",
        begins_section=True,
    ),
    WindowAction(
        "choose-draft",
        "Choose draft model…",
        "Choose a draft model",
        lambda window: window.models.draft_picker.open(),
        "Ctrl+Shift+D",
        "draft-on",
    ),
    WindowAction(
        "use-starter",
        "Use the starter pair",
        "Load the two small models that come with Tandem",
        lambda window: window.session.models.load_starter(),
        enabled=lambda window: not window.session.models.pair.loading,
        begins_section=True,
    ),
    WindowAction(
        "compare",
        "Compare",
        "Answer the last question with and without speculation, and compare the speeds",
        _compare,
        enabled=_can_compare,
        begins_section=True,
    ),
    WindowAction(
        "request-history",
        "Request history…",
        "Show all answers with their figures",
        lambda window: window.settings.open("history"),
    ),
)

"""Prefix caches of a chat stay on disk as long as the chat does: across restarts, until its deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.session.session import Session
from app.speculation.comparison import Comparer
from app.system.paths import answer_index_folder, prefix_folder
from app.window.main_window import MainWindow
from engine import Engine, starter_pair
from tests.app.conftest import OpenShown
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytestqt.qtbot import QtBot

    from app.widgets.application import Application
    from tests.app.conftest import OpenWindow


@pytest.fixture
def open_real(qapp: Application, qtbot: QtBot) -> Iterator[Callable[[], WindowDriver]]:
    """Open windows on the real engine with the starter pair."""
    opened: list[MainWindow] = []

    def open_it() -> WindowDriver:
        session = Session(Engine, starter_pair())
        opened.append(MainWindow(session, qapp))
        opened[-1].show()
        session.models.load_starter()
        qtbot.waitUntil(lambda: session.answers.ready and session.store.ready and not session.models.pair.loading)
        return WindowDriver(opened[-1], session, qtbot.waitUntil)

    yield open_it
    for window in opened:
        window.close()
        window.deleteLater()


def stored() -> list[str]:
    return [file.name for file in prefix_folder().iterdir()] if prefix_folder().exists() else []


def test_a_chat_that_is_opened_again_is_not_read_again_until_it_is_deleted(
    open_real: Callable[[], WindowDriver], qtbot: QtBot
) -> None:
    window = open_real()
    window.ask_and_wait("What is a draft model?")
    before = window.answer().stats
    window.close()
    assert len(stored()) == 1
    window = open_real()
    qtbot.waitUntil(lambda: len(window.turns) == 1)
    window.ask_and_wait("And the main model?")
    # All but the last token of the answer, which the model never reads.
    assert window.answer().stats.cached_tokens >= before.prompt_tokens + before.generated_tokens - 1
    window.session.chats.purge(window.session.chat.id or 0)
    qtbot.waitUntil(lambda: stored() == [])
    window.close()
    assert stored() == []


@pytest.mark.full
def test_a_question_says_which_chat_it_belongs_to_and_a_comparison_says_none(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    engine = ScriptedEngine([Script("One.")])
    window = open_window(engine)
    window.ask_and_wait("first")
    window.ask_and_wait("second")
    chat = window.session.chat
    assert chat.uid
    assert [request.conversation for request in engine.requests] == [chat.uid, chat.uid]
    window.trigger("new-chat")
    window.ask_and_wait("third")
    assert engine.requests[-1].conversation not in (None, chat.uid)
    qtbot.waitUntil(lambda: window.is_enabled("compare"))
    asked = len(engine.requests)
    window.trigger("compare")
    qtbot.waitUntil(lambda: not window.find(Comparer).running)
    assert {request.conversation for request in engine.requests[asked:]} == {""}


def test_switching_it_off_leaves_nothing_on_the_disk(open_shown: OpenShown, qtbot: QtBot) -> None:
    window, library, engine = open_shown()
    qtbot.waitUntil(lambda: len(engine.stored) == 1)
    assert engine.settings.prefix_cache_folder == prefix_folder()
    assert engine.settings.prefix_folder_bytes == 4_000_000_000
    window.settings_page("storage").control("keep_prefixes").setChecked(False)
    # The engine empties a folder that is not named any more.
    assert engine.settings.prefix_cache_folder is None
    library.settings.change(keep_prefixes=True)
    assert engine.settings.prefix_cache_folder == prefix_folder()


def test_the_index_of_answers_has_a_switch(open_shown: OpenShown) -> None:
    window, _, engine = open_shown()
    window.ask_and_wait("first")
    assert engine.settings.answer_index_folder == answer_index_folder()
    window.settings_page("speculation").control("earlier_chats").setChecked(False)
    assert engine.settings.answer_index_folder is None

"""A store of 100,000 messages in the window. (No other program can lock it meanwhile: the app has it for itself.)"""

from __future__ import annotations

import os
import time

import pytest
from PySide6.QtWidgets import QApplication

from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.conversations.corpus import fill
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script

pytestmark = pytest.mark.campaign

SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# Messages in chats of fifty, and in a single chat.
MANY, LONG = int(90_000 * SIZE), int(10_000 * SIZE)


def test_a_hundred_thousand_messages_open_are_found_and_are_scrolled(open_window: OpenWindow) -> None:
    store, _ = open_store(data_folder() / "chats.db")
    fill(store, MANY)
    fill(store, LONG, a_chat=LONG, seed=8)
    [(long, title)] = store.database.rows("SELECT id, title FROM conversations ORDER BY id DESC LIMIT 1")
    store.messages.add_user_turn(store.conversations.create(title="Haystack"), "a needle")
    store.close()
    begun = time.perf_counter()
    window = open_window(ScriptedEngine([Script("An answer.")]))
    window.settle()
    opened = time.perf_counter()
    assert len(window.titles) == MANY // 50 + 2
    window.search("needle")
    window.wait(lambda: len(window.sidebar.rows) < 5 and "Haystack" in window.sidebar.rows)
    found = time.perf_counter()
    window.search("")
    searched = time.perf_counter()
    window.session.chats.open_id(long)
    window.wait(lambda: len(window.session.chat.turns) == LONG // 2)
    window.settle()
    shown = time.perf_counter()
    bar = window.transcript.verticalScrollBar()
    for place in (0.0, 0.5, 1.0):
        bar.setValue(int(bar.maximum() * place))
        QApplication.processEvents()
        assert bar.value() == pytest.approx(bar.maximum() * place, rel=0.01)
    scrolled = time.perf_counter()
    window.ask_and_wait("And now?")
    assert window.turns[-1] == ("And now?", "An answer.")
    figures = opened - begun, found - opened, shown - searched, scrolled - shown
    print("start {:.2f} s, search {:.2f} s, long chat {:.2f} s, three jumps {:.2f} s".format(*figures), title)

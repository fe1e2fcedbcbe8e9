"""The window's store: 100,000 messages, other programs at its files, a disk that takes no writes, a wrong clock."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from app.conversations.backups import copy_daily, finish, list_backups
from app.conversations.conversation_list import ConversationList
from app.conversations.opening import open_store
from app.system.paths import data_folder
from tests.app.conftest import OpenWindow
from tests.app.conversations.corpus import fill
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver

pytestmark = pytest.mark.campaign

SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
# Messages in chats of fifty, and in a single chat.
MANY, LONG = int(90_000 * SIZE), int(10_000 * SIZE)
LOCKED_S, DAY_S = 60.0 * SIZE, 86_400.0
REFUSED = "cannot be changed: the disk or the file does not allow writing"
# It opens the store as another window would, locks it as another program would, and holds the lock of its folder.
INTRUDER = """
import fcntl, os, sqlite3, sys, time
from pathlib import Path
from app.conversations.database.errors import StoreInUse
from app.conversations.opening import open_store, stored_pairs
path, ends_at, counts = Path(sys.argv[1]), time.monotonic() + float(sys.argv[2]), [0, 0, 0]
def attempt(number, step):
    try:
        step()
    except (StoreInUse, sqlite3.OperationalError):
        counts[number] += 1
    else:
        raise SystemExit(f"step {number} was not refused")
while time.monotonic() < ends_at:
    attempt(0, lambda: open_store(path))
    attempt(1, lambda: sqlite3.connect(path, timeout=0.5).execute("BEGIN IMMEDIATE"))
    attempt(2, lambda: stored_pairs(path))
    folder = os.open(path.parent, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    time.sleep(min(10.0, max(0.0, ends_at - time.monotonic())))
    os.close(folder)
print(counts)
"""


def actions_of(window: WindowDriver, chat: int) -> dict[str, Callable[[], object]]:
    """What a person does, each of which writes to the store, by its name."""
    file = data_folder() / "export.json"
    message = {"author": {"role": "user"}, "content": {"content_type": "text", "parts": ["imported"]}}
    nodes = {"a": {"id": "a", "parent": None, "children": [], "message": message}}
    storage = window.settings_page("storage")

    def bring_in() -> None:
        title = f"Imported {time.monotonic()}"
        chats = [{"id": title, "title": title, "create_time": 1.0, "mapping": nodes, "current_node": "a"}]
        file.write_text(json.dumps(chats))
        window.import_chats(file)

    return {
        "ask": lambda: window.ask("one more"),
        "rename": lambda: window.session.list.change(ConversationList.rename, chat, "Other"),
        "settings": lambda: window.session.settings.set_own(window.session.chat, "Be brief.", {}),
        "back up": storage.backups.back_up.click,
        "import": bring_in,
        "delete": lambda: window.session.chats.trash(chat),
        "empty the trash": lambda: window.session.chats.empty_trash(backups=True),
    }


def do(window: WindowDriver, action: Callable[[], object]) -> None:
    action()
    window.settle()
    window.wait(lambda: not window.session.chat.turns or window.answer().ended)
    window.settle()


def test_nobody_else_gets_at_the_store_and_nothing_waits_for_who_tries(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("An answer.")] * 2000))
    window.ask_and_wait("first")
    window.trigger("new-chat")
    window.ask_and_wait("second")
    command = [sys.executable, "-c", INTRUDER, str(data_folder() / "chats.db"), str(LOCKED_S)]
    rounds, longest = 0, 0.0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as intruder:
        while intruder.poll() is None:
            for name, action in actions_of(window, window.session.list.chats[-1].id).items():
                begun = time.monotonic()
                # The shown chat stays, so that each question is one of it.
                if len(window.titles) > 1 or name not in ("delete", "empty the trash"):
                    do(window, action)
                longest = max(longest, time.monotonic() - begun)
                assert not [text for text in window.notices if "not" in text], name
            rounds += 1
        output, _ = intruder.communicate()
    assert intruder.returncode == 0, output
    print(f"{rounds} rounds, the longest action {longest:.2f} s, refusals {output.strip()}")
    asked = [question for question, _ in window.turns]
    assert asked == ["second", *["one more"] * rounds]
    window.close()
    store, aside = open_store(data_folder() / "chats.db")
    assert aside is None
    [shown] = [chat.id for chat in store.conversations.view() if chat.title == "Second"]
    assert [message.content for message in store.messages.path(shown)][::2] == asked
    store.close()


@pytest.mark.expects_log
def test_what_is_refused_is_said_until_the_store_takes_writes_again(open_window: OpenWindow) -> None:
    window = open_window(ScriptedEngine([Script("An answer.")] * 20))
    window.ask_and_wait("first")
    window.trigger("new-chat")
    window.ask_and_wait("second")
    actions = actions_of(window, window.session.list.chats[-1].id)

    def refuse(refused: bool) -> None:
        statement = f"PRAGMA query_only = {int(refused)}"
        window.session.store.wait_for(lambda store: store.database.connection.execute(statement))

    for name, action in actions.items():
        refuse(True)
        before = window.titles, window.turns
        do(window, action)
        if name != "empty the trash":
            # Settings are written half a second later.
            window.wait(lambda: REFUSED in window.banner_text)
        assert (window.titles, window.turns) == before
        assert window.unsent == ("one more" if name == "ask" else "")
        refuse(False)
        window.write("")
        do(window, action)
        do(window, lambda: window.session.list.change(ConversationList.rename, window.session.chat.id, "Second"))
        assert not [text for text in window.notices if REFUSED in text], name
    assert window.turns == [("second", "An answer."), ("one more", "An answer.")]
    assert [title.split()[0] for title in window.titles] == ["Second", "Imported"]


@pytest.mark.parametrize("returns", [False, True])
@pytest.mark.parametrize("jump", [-365 * DAY_S, -DAY_S, -3600.0, 3600.0, 365 * DAY_S, 40 * 365 * DAY_S])
def test_a_clock_that_jumps_loses_nothing(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, jump: float, returns: bool
) -> None:
    system, offset = time.time, 0.0
    window = open_window(ScriptedEngine([Script("An answer.")] * 20))
    monkeypatch.setattr(time, "time", lambda: system() + offset)
    window.in_store(lambda store: setattr(store.database, "clock", time.time))
    path = data_folder() / "chats.db"

    def back_up() -> None:
        unfinished = window.in_store(lambda store: copy_daily(store, path, lambda: None))
        if unfinished is not None:
            finish(unfinished, path)

    asked = 0
    for changed in (0.0, jump, 0.0 if returns else jump):
        offset = changed
        for chat in (None, window.titles[-1] if window.titles else None):
            window.trigger("new-chat") if chat is None else window.open_chat(chat)
            window.ask_and_wait(f"question {asked}")
            asked += 1
        back_up()
        window.settle()
        assert window.sidebar.rows[0] == "Today"
        trashed = window.titles
        window.trigger("delete-chat")
        window.settle()
        window.trigger("restore-chat")
        window.settle()
        assert window.titles == trashed
    window.close()
    store, aside = open_store(path, time.time)
    assert aside is None
    chats = [[message.content for message in store.messages.path(chat.id)][::2] for chat in store.conversations.view()]
    assert sorted(question for chat in chats for question in chat) == [f"question {number}" for number in range(asked)]
    assert all(chat == sorted(chat) for chat in chats)
    store.close()
    assert list_backups(path)


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

"""Days in one window: thousands of turns, sleep, languages, themes, and a disk that goes, cost no more at the end.

Objects, widgets, threads, descriptors, and lines of our code for one more turn are counted; no second is.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections import Counter
from functools import partial

import psutil
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine
from tests.app.scripts import Script
from tests.app.window_driver import WindowDriver
from tests.counted_steps import lines

pytestmark = [pytest.mark.campaign, pytest.mark.expects_log]
SIZE = float(os.environ.get("TANDEM_CAMPAIGN", "1"))
TURNS, LAPS, A_CHAT = int(3_000 * SIZE), 10, 5
# Hours of sleep, also behind a clock that was set back.
SLEEPS_H = (8.0, -1.0, 60.0)
LANGUAGES, THEMES = ("ko", "ja", "zh_CN", "en"), ("dark", "light", "system")
# What a turn may keep on average: a chat in the list has a record, and a share of one is this turn's.
OBJECTS, MORE, SPARE = 0.5, 1.25, 400


def kept_objects(window: WindowDriver) -> Counter[str]:
    """Count what is alive, apart from what the scripted engine and the tests keep."""
    gc.collect()
    # The message box deletes the text of a chat that has been collected once events are handled.
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    kinds = Counter(type(thing).__module__.partition(".")[0] for thing in gc.get_objects())
    process = psutil.Process()
    return Counter(
        {
            "ours": kinds["app"],
            "widgets": len(QApplication.allWidgets()),
            "below the window": len(window.window.findChildren(object)),
            "threads": threading.active_count(),
            "descriptors": process.num_fds(),
            "children": len(process.children(recursive=True)),
        }
    )


def wake(qapp: QApplication, monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    """Let the clock jump, and the window be active again, as after a sleep."""
    clock = time.time
    monkeypatch.setattr(time, "time", lambda: clock() + 3600.0 * hours)
    for kind in (QEvent.Type.ApplicationDeactivate, QEvent.Type.ApplicationActivate):
        QApplication.sendEvent(qapp, QEvent(kind))


def lose_the_disk(window: WindowDriver, turn: int) -> None:
    """Ask while the store takes no writes: the question stays unsent. Ask again once it does."""
    for refused in (True, False):
        statement = f"PRAGMA query_only = {int(refused)}"
        window.session.store.wait_for(lambda store, said=statement: store.database.connection.execute(said))
        window.write("")
        window.ask(f"disk {turn}")
        window.settle()
        window.wait(lambda: not window.session.chat.turns or window.answer().ended)
        assert window.unsent == (f"disk {turn}" if refused else "")


def test_a_turn_costs_the_same_after_thousands(
    open_window: OpenWindow, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ScriptedEngine([Script("An answer with **words** and `code`.")]))
    settings, clock, counts, steps = window.window._library.settings, time.time, list[Counter[str]](), list[int]()
    lap = max(A_CHAT, TURNS // LAPS)
    for number in range(TURNS):
        if number % A_CHAT == 0:
            window.trigger("new-chat")
        window.ask_and_wait(f"question {number}")
        if number % lap == lap // 2:
            turn = number // lap
            wake(qapp, monkeypatch, SLEEPS_H[turn % len(SLEEPS_H)])
            for language, theme in zip(LANGUAGES, (*THEMES, "light"), strict=True):
                settings.change(language=language, theme=theme)
                window.settle()
            lose_the_disk(window, number)
            monkeypatch.setattr(time, "time", clock)
        if number % lap == lap - 1:
            window.trigger("new-chat")
            window.ask_and_wait("first", "second")
            steps.append(min(lines(partial(window.ask_and_wait, f"counted {attempt}")) for attempt in range(3)))
            window.trigger("new-chat")
            window.settle()
            counts.append(kept_objects(window))
            print(number + 1, dict(counts[-1]), steps[-1], f"{psutil.Process().memory_info().rss / 1e6:.0f} MB")
    # In the first half, the last chats that stay in memory fill their places.
    half = len(counts) // 2
    early, late = counts[half], counts[-1]
    assert late["ours"] <= early["ours"] + OBJECTS * lap * (len(counts) - 1 - half), (early, late)
    for name in ("widgets", "below the window", "threads", "descriptors", "children"):
        assert late[name] <= early[name] + 8, (name, early, late)
    assert steps[-1] <= steps[half] * MORE + SPARE, steps

"""`Background` runs work off the Qt thread and delivers the outcome on it."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from app.system.background import Background


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background("test")
    yield made
    made.close()


@pytest.mark.first
def test_the_result_comes_back_on_the_qt_thread(background: Background, qtbot: QtBot) -> None:
    seen: list[threading.Thread] = []
    background.run(threading.current_thread, lambda result: seen.extend([result, threading.current_thread()]))
    qtbot.waitUntil(lambda: bool(seen))
    worked, delivered = seen
    assert delivered is threading.main_thread()
    assert worked is not delivered


def test_an_error_goes_to_failed_and_not_to_then(background: Background, qtbot: QtBot) -> None:
    errors: list[Exception] = []
    background.run(lambda: 1 // 0, lambda _: pytest.fail("it failed"), errors.append)
    qtbot.waitUntil(lambda: bool(errors))
    assert isinstance(errors[0], ZeroDivisionError)


@pytest.mark.expects_log
def test_an_error_that_nobody_takes_is_logged(
    background: Background, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    background.run(lambda: 1 // 0)
    qtbot.waitUntil(lambda: "work of test failed" in caplog.text)


def test_one_thread_keeps_the_order(background: Background, qtbot: QtBot) -> None:
    seen: list[int] = []
    for number in range(20):
        background.run(lambda number=number: number, seen.append)  # type: ignore[misc]
    qtbot.waitUntil(lambda: len(seen) == 20)
    assert seen == list(range(20))


def test_nothing_reaches_an_owner_that_is_gone(background: Background, qtbot: QtBot) -> None:
    owner, begun, go = QObject(), threading.Event(), threading.Event()
    arrived: list[object] = []

    def work() -> None:
        begun.set()
        go.wait()

    background.run(work, arrived.append, owner=owner)
    begun.wait()
    owner.deleteLater()
    with qtbot.waitSignal(owner.destroyed):
        pass
    go.set()
    qtbot.waitUntil(lambda: not background.busy)
    assert not arrived


def test_cancelled_work_never_begins(background: Background, qtbot: QtBot) -> None:
    go = threading.Event()
    ran: list[int] = []
    background.run(go.wait)
    waiting = background.run(lambda: ran.append(1))
    assert waiting.cancel()
    go.set()
    qtbot.waitUntil(lambda: not background.busy)
    assert not ran


def test_nothing_is_delivered_after_close(qtbot: QtBot) -> None:
    background = Background("test", threads=2)
    arrived: list[object] = []
    background.run(lambda: 1, arrived.append)
    background.close()
    assert not background.busy
    qtbot.wait(1)
    assert not arrived
    assert background.run(lambda: 1, arrived.append).cancelled()


def test_one_receiver_that_raises_does_not_stop_the_others(
    background: Background, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    reported: list[type[BaseException]] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: reported.append(kind))
    arrived: list[int] = []

    def broken(_: int) -> None:
        raise ValueError

    background.run(lambda: 1, broken)
    background.run(lambda: 2, arrived.append)
    qtbot.waitUntil(lambda: bool(arrived))
    assert reported == [ValueError]

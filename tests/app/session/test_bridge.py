"""The way from the engine's thread to Qt."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer

from app.session.bridge import Bridge
from engine.events import Event, Finished, PrefillProgress
from engine.stats import RequestStats

if TYPE_CHECKING:
    from pytestqt.qtbot import QtBot

END = Finished("stop", "", (), RequestStats())


def in_thread(work) -> None:  # type: ignore[no-untyped-def]
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()


def test_what_arrives_between_frames_is_handed_over_at_once_on_the_gui_thread(qtbot: QtBot) -> None:
    bridge, calls = Bridge(), []
    put = bridge.listen(lambda events: calls.append((events, threading.current_thread())))
    sent: list[Event] = [PrefillProgress(done, 100) for done in range(100)]
    in_thread(lambda: [put(event) for event in [*sent, END]])
    with qtbot.waitSignal(bridge.frame_begins):
        pass
    assert calls == [([*sent, END], threading.main_thread())]


def test_an_idle_bridge_has_no_timer_running(qtbot: QtBot) -> None:
    bridge = Bridge()
    put = bridge.listen(lambda _events: None)
    assert bridge._timer.isActive()
    put(END)
    with qtbot.waitSignal(bridge.frame_begins):
        pass
    assert not bridge._timer.isActive()


def test_the_end_of_a_call_comes_on_the_gui_thread_without_a_timer_and_after_the_watching(qtbot: QtBot) -> None:
    bridge, found = Bridge(), []
    early, late = Future(), Future()  # type: ignore[var-annotated]
    early.set_result("early")
    for future in (early, late):
        bridge.watch(future, lambda done: found.append((done.result(), threading.current_thread())))
    assert not found
    assert not bridge._timer.isActive()
    qtbot.waitUntil(lambda: len(found) == 1)
    in_thread(lambda: late.set_result("late"))
    assert not bridge._timer.isActive()
    qtbot.waitUntil(lambda: len(found) == 2)
    assert found == [(result, threading.main_thread()) for result in ("early", "late")]


def test_two_requests_get_their_own_events(qtbot: QtBot) -> None:
    bridge, first, second = Bridge(), [], []  # type: ignore[var-annotated]
    put_first, put_second = bridge.listen(first.extend), bridge.listen(second.extend)
    one, two = PrefillProgress(1, 2), PrefillProgress(2, 2)
    in_thread(lambda: (put_first(one), put_second(two), put_first(END), put_second(END)))
    qtbot.waitUntil(lambda: not bridge.busy)
    assert (first, second) == ([one, END], [two, END])


def test_a_receiver_that_fails_takes_nothing_from_the_others(qtbot: QtBot) -> None:
    bridge, others, futures = Bridge(), [], []  # type: ignore[var-annotated]

    def fail(_: object) -> None:
        raise ValueError("from a receiver")

    failing, other = bridge.listen(fail), bridge.listen(others.extend)
    broken, whole = Future(), Future()  # type: ignore[var-annotated]
    bridge.watch(broken, fail)
    bridge.watch(whole, futures.append)
    with qtbot.captureExceptions() as caught:
        in_thread(lambda: (failing(END), other(END), broken.set_result(1), whole.set_result(2)))
        qtbot.waitUntil(lambda: not bridge.busy)
    assert (others, [future.result() for future in futures]) == ([END], [2])
    assert len(caught) == 2


def test_calls_in_quick_succession_do_not_put_off_what_has_arrived(qtbot: QtBot) -> None:
    bridge, finished = Bridge(), []  # type: ignore[var-annotated]
    calls = QTimer(interval=1)
    calls.timeout.connect(lambda: bridge.watch(completed(), finished.append))
    calls.start()
    qtbot.waitUntil(lambda: bool(finished))
    calls.stop()


def completed() -> Future[None]:
    future: Future[None] = Future()
    future.set_result(None)
    return future


def test_a_closed_bridge_delivers_nothing_more(qtbot: QtBot) -> None:
    bridge, calls = Bridge(), []  # type: ignore[var-annotated]
    put = bridge.listen(calls.extend)
    bridge.close()
    in_thread(lambda: put(END))
    qtbot.wait(40)
    assert calls == []

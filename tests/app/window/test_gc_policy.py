"""What the window asks of Python while an engine runs beside it, and that it leaves Python as it was."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING, Any

import pytest
from PySide6.QtCore import QObject, Signal

from app.window.gc_policy import SWITCH_S, GcPolicy

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytestqt.qtbot import QtBot


class _Pair:
    main: Any = None
    loading = ""


class _Models(QObject):
    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.pair = _Pair()


class _Session(QObject):
    def __init__(self) -> None:
        super().__init__()
        self.models = _Models()


@pytest.fixture
def session(qtbot: QtBot) -> _Session:  # noqa: ARG001
    return _Session()


@pytest.fixture
def sharing(session: _Session) -> Iterator[GcPolicy]:
    made = GcPolicy(session)  # type: ignore[arg-type]
    yield made
    made.close()


def test_python_is_as_it_was_afterwards(session: _Session) -> None:
    # The suite freezes what its modules leave.
    gc.unfreeze()
    interval = sys.getswitchinterval()
    sharing = GcPolicy(session)  # type: ignore[arg-type]
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    assert not gc.isenabled()
    session.models.pair.main = object()
    session.models.changed.emit()
    assert gc.get_freeze_count() > 0
    sharing.close()
    assert sys.getswitchinterval() == pytest.approx(interval)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0


@pytest.mark.parametrize(("new", "collected_once"), [(10, []), (5_000, [(0,)]), (1_000_000, [()])])
def test_what_is_collected_depends_on_how_much_is_new(
    sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch, new: int, collected_once: list[tuple[int, ...]]
) -> None:
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (new, 0, 0))
    sharing.collect()
    assert collected == collected_once


def test_everything_is_collected_once_enough_has_come_together(
    sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    monkeypatch.setattr(gc, "get_count", lambda: (5_000, 0, 0))
    for _ in range(100):
        sharing.collect()
    assert () in collected


def test_what_other_models_leave_over_is_collected(
    session: _Session, sharing: GcPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    del sharing
    collected: list[tuple[int, ...]] = []
    monkeypatch.setattr(gc, "collect", lambda *generation: collected.append(generation))
    session.models.pair.main = object()
    session.models.changed.emit()
    assert collected == []
    session.models.pair.loading = "main"
    session.models.changed.emit()
    assert collected == []
    session.models.pair.loading = ""
    session.models.changed.emit()
    assert collected == [()]

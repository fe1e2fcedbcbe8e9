"""`GcPolicy` sets when Python switches threads and collects, and restores Python's own settings."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot

from app.window.gc_policy import SWITCH_S, GcPolicy


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

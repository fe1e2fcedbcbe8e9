"""`GcPolicy` sets when Python switches threads and collects, and restores Python's own settings."""

from __future__ import annotations

import gc
import sys

import pytest

from app.window.startup import SWITCH_S, GcPolicy
from tests.app.conftest import OpenWindow
from tests.app.scripted_engine import ScriptedEngine


def test_python_is_as_it_was_afterwards(open_window: OpenWindow) -> None:
    session = open_window(ScriptedEngine()).session
    # The suite freezes what its modules leave.
    gc.unfreeze()
    interval = sys.getswitchinterval()
    policy = GcPolicy(session)
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    assert not gc.isenabled()
    session.models.changed.emit()
    assert gc.get_freeze_count() > 0
    policy.close()
    assert sys.getswitchinterval() == pytest.approx(interval)
    assert gc.isenabled()
    assert gc.get_freeze_count() == 0

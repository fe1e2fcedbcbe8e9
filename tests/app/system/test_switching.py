"""How soon threads get the interpreter, while something asks for it."""

from __future__ import annotations

import sys

import pytest

from app.system.switching import SWITCH_S, quick_switching


def test_threads_switch_quickly_meanwhile() -> None:
    before = sys.getswitchinterval()
    with quick_switching():
        assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
    assert sys.getswitchinterval() == pytest.approx(before)

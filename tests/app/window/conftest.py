"""Fixtures of the window that the tests of a module share."""

from __future__ import annotations

from tests.app.shared_window import shared_window as shared_window
from tests.app.shared_window import start_chat as start_chat

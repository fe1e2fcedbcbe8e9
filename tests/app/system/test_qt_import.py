"""A start's imports read no source of what was compiled before."""

from __future__ import annotations

import subprocess
import sys

BY_THE_COMMAND = """
import linecache, sys, types
window = types.ModuleType("app.window.startup")
window.show_window = lambda _language: 0
sys.modules["app.window.startup"] = window
from app.__main__ import main
assert main([]) == 0
read = set(linecache.cache)
from PySide6 import QtCore, QtGui, QtNetwork, QtSvg, QtWidgets
import app.text.thinking
assert linecache.cache.keys() == read, linecache.cache.keys() - read
"""


def test_after_the_command_has_imported_qt_imports_read_no_sources() -> None:
    run = subprocess.run([sys.executable, "-c", BY_THE_COMMAND], capture_output=True, text=True, check=False)
    assert run.stderr == ""

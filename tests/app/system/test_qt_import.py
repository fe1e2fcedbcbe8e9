"""Qt is imported without PySide6's writer of stubs, and does what it does with it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

SCRIPT = """
import inspect, json, sys
if sys.argv[1] == "without":
    from app.system.qt_import import import_qt
    before = list(sys.meta_path)
    import_qt()
    import_qt()
    assert sys.meta_path == before
from PySide6 import QtCore, QtWidgets
found = []

def note(call):
    try:
        found.append(repr(call()))
    except Exception as error:
        found.append(f"{type(error).__name__}: {error}")

application = QtWidgets.QApplication(["test"])
for call in (
    lambda: QtWidgets.QLabel(3.5, 4, 5), lambda: QtWidgets.QLabel().setText(3), lambda: QtCore.QObject(nonsense=1),
    lambda: QtCore.QTimer.singleShot("x"), lambda: QtCore.QObject.__doc__, lambda: QtWidgets.QLabel.setText.__doc__,
    lambda: QtCore.QObject.__signature__, lambda: QtCore.Qt.AlignmentFlag.AlignLeft | QtCore.Qt.AlignmentFlag.AlignTop,
):
    note(call)
name = "shibokensupport.signature.lib.pyi_generator"
compiled = "generate_pyi" in vars(sys.modules[name])
from PySide6.support.signature.lib.enum_sig import ExactEnumerator
from PySide6.support.signature.lib.pyi_generator import generate_pyi
found += [generate_pyi.__module__, ExactEnumerator.__name__, type(sys.modules[name]).__name__]
print(json.dumps([compiled, found]))
"""


def outcome(how: str) -> tuple[bool, list[str]]:
    run = subprocess.run([sys.executable, "-c", SCRIPT, how], capture_output=True, text=True, check=True)
    assert run.stderr == ""
    compiled, found = json.loads(run.stdout)
    return compiled, found


def test_all_but_the_writer_of_stubs_is_there_and_that_is_compiled_when_it_is_asked_for() -> None:
    (at_once, whole), (early, found) = outcome("with"), outcome("without")
    if not at_once:
        pytest.skip("this version of PySide6 has no such module at the start")
    assert not early
    assert found == whole
    assert "Supported signatures" in found[0]

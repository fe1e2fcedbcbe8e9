"""What the system is told of the program before Qt tells it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# A program that starts as the window does, on a Mac that says what it was told when Qt begins.
PROGRAM = """
import sys
from PySide6.QtWidgets import QApplication
from app.widgets.application import Application
from engine.machine import process_info
from tests.engine.machine.objective_c import Runtime

runtime = Runtime()
info = process_info.ProcessInfo(runtime)
process_info.process_info = lambda: info
sys.frozen = sys.argv[1] == "bundle"
begin = QApplication.__init__
QApplication.__init__ = lambda *arguments: (
    print(runtime.process_name, QApplication.applicationName(), runtime.bundle, runtime.leaks), begin(*arguments)
)[1]
application = Application(["tandem"])
shown = application.windowIcon().pixmap(256, 256).toImage()
print("margin", next((x for x in range(shown.width()) if shown.pixelColor(x, 128).alpha() > 128), None))
"""


TOLD = "Tandem Tandem {'CFBundleName': 'Tandem', 'CFBundleDisplayName': 'Tandem'} False"


@pytest.mark.parametrize(("started", "told"), [("pip", TOLD), ("bundle", "Python Tandem {} False")])
def test_macos_calls_a_program_without_a_bundle_tandem(started: str, told: str) -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    program = [sys.executable, "-c", PROGRAM, started]
    said = subprocess.run(program, env=environment, check=True, capture_output=True, text=True).stdout
    # A bundle's icon is in the Dock already. The margin of others is that of packaging/icon.py.
    assert said.splitlines() == [told, f"margin {25 if started == 'pip' else None}"]

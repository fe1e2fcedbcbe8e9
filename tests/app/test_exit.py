"""A process that ran tests of the window ends with their exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S

ROOT = Path(__file__).resolve().parents[2]

COPY = """
from PySide6.QtGui import QGuiApplication

from app.chat.plain_text import mime_of, shown_parts


def test_copy():
    QGuiApplication.clipboard().setMimeData(mime_of(*shown_parts("**one**")))
    assert QGuiApplication.clipboard().text() == "one"
"""


@pytest.mark.full
def test_a_test_that_copies_formatted_text_does_not_crash_its_process_at_the_end(tmp_path: Path) -> None:
    (tmp_path / "conftest.py").write_text("from tests.app.conftest import *")
    (tmp_path / "test_copy.py").write_text(COPY)
    options = ["-p", "no:cacheprovider", "-c", str(ROOT / "pyproject.toml")]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(tmp_path / "test_copy.py")],
        cwd=ROOT,
        # It is not a worker of the outer run.
        env={name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr

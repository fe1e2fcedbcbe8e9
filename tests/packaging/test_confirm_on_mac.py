"""The script that confirms what only a Mac can confirm: every command in it exists."""

from __future__ import annotations

import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_it_begins_with_the_doctor_and_each_command_names_files_that_exist() -> None:
    script = runpy.run_path(str(ROOT / "packaging" / "confirm_on_mac.py"))
    points = script["POINTS"]
    assert "tandem doctor" in points[0].what
    for point in points:
        if not callable(point.confirm):
            for word in point.confirm[1:]:
                if word.startswith(("tests/", "packaging/", "/")):
                    assert (ROOT / word).exists(), word
    assert "- [ ]" in script["BY_A_PERSON"]

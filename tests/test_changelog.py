"""The changelog is one line a change, newest first, with the days of a version below it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CHANGELOG = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
LONGEST_LINE = 150


def test_every_change_is_one_short_line() -> None:
    assert [line for line in CHANGELOG.splitlines() if len(line) > LONGEST_LINE] == []
    assert f"at most {LONGEST_LINE} characters" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    continued = r"^- .*\n(?!- |\n).+"
    assert re.findall(continued, CHANGELOG, flags=re.MULTILINE) == []


def test_the_days_of_each_version_are_newest_first() -> None:
    for version in CHANGELOG.split("\n## ")[1:]:
        days = re.findall(r"^### (?:Until )?(\d{4}-\d{2}-\d{2})$", version, flags=re.MULTILINE)
        assert len(days) == version.count("\n### ")
        assert days == sorted(set(days), reverse=True)

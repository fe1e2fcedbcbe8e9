"""Bring the .ts files up to date with the sources: `python i18n/update.py` after changing a visible string.

English holds its plurals only. What comes out "unfinished" has to be translated in the same commit; a test says so.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import PySide6

FOLDER = Path(__file__).resolve().parent
LANGUAGES = ("en", "ko", "ja", "zh_CN")


def update(folder: Path = FOLDER) -> None:
    """Extract every string of `app/` into the .ts files of `folder`."""
    tool = Path(PySide6.__file__).parent / ("lupdate.exe" if sys.platform == "win32" else "lupdate")
    sources = sorted((FOLDER.parent / "app").rglob("*.py"))
    for language in LANGUAGES:
        options = ["-source-language", "en", "-target-language", language, "-no-obsolete", "-locations", "none"]
        if language == "en":
            options.append("-pluralonly")
        target = folder / f"tandem_{language}.ts"
        subprocess.run([str(tool), *map(str, sources), "-ts", str(target), "-silent", *options], check=True)


if __name__ == "__main__":
    update()

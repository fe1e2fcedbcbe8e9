"""Bring the .ts files up to date with the sources: `python i18n/update.py` after changing a visible string.

The texts of tables and the names in `engine.methods` are plain strings there. The English file has only plurals.
A test fails as long as a string is "unfinished".
"""

from __future__ import annotations

import importlib
import pkgutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import PySide6

if TYPE_CHECKING:
    from app.wording.sentences import Sentences

FOLDER = Path(__file__).resolve().parent
LANGUAGES = ("en", "ko", "ja", "zh_CN")


def update(folder: Path = FOLDER) -> None:
    """Extract the strings of `app/`, its tables and `engine.methods` into the .ts files of `folder`."""
    tool = Path(PySide6.__file__).parent / ("lupdate.exe" if sys.platform == "win32" else "lupdate")
    sources = sorted((FOLDER.parent / "app").rglob("*.py"))
    with tempfile.TemporaryDirectory() as scratch:
        marked = Path(scratch) / "methods.py"
        marked.write_text("".join(_marked()), encoding="utf-8")
        _run(tool, [*sources, marked], folder)


def _marked() -> Iterator[str]:
    """Yield lines that mark the texts of `engine.methods` and of the tables for the extractor."""
    sys.path.insert(0, str(FOLDER.parent))
    from app.actions.spec import MENUS, SUBMENUS
    from app.settings.declarations import PAGES, SETTINGS
    from app.settings_window.history_page import COLUMNS
    from app.window.actions import ACTIONS
    from engine.methods import PROPOSERS, method_words, methods, source_words

    actions = [spec for specs in ACTIONS.values() for spec in specs]
    tables = (
        ("Figures", map(source_words, PROPOSERS)),
        ("Settings", map(method_words, methods())),
        ("Settings", (text for setting in SETTINGS.values() for text in setting.texts)),
        ("Settings", PAGES.values()),
        ("History", (column.heading for column in COLUMNS)),
        ("Actions", (*MENUS.values(), *SUBMENUS.values(), *(text for spec in actions for text in spec.texts))),
        *((table.context, table.data.values()) for table in _sentences()),
    )
    for context, texts in tables:
        for text in texts:
            yield f"QT_TRANSLATE_NOOP({context!r}, {text!r})\n"


def _sentences() -> Iterator[Sentences]:
    """Yield the tables of sentences of the modules that have any."""
    import app.wording
    from app.speculation import explanations
    from app.wording.sentences import Sentences

    found = (importlib.import_module(f"app.wording.{one.name}") for one in pkgutil.iter_modules(app.wording.__path__))
    for module in (explanations, *found):
        yield from (value for value in vars(module).values() if isinstance(value, Sentences))


def _run(tool: Path, sources: Sequence[Path], folder: Path) -> None:
    for language in LANGUAGES:
        options = ["-source-language", "en", "-target-language", language, "-no-obsolete", "-locations", "none"]
        # `ThemeAware.bound` takes a text like `tr`.
        options += ["-tr-function-alias", "tr+=bound"]
        if language == "en":
            options.append("-pluralonly")
        target = folder / f"tandem_{language}.ts"
        subprocess.run([str(tool), *map(str, sources), "-ts", str(target), "-silent", *options], check=True)


if __name__ == "__main__":
    update()
